//! The table: one fault a line.

/// In words; the problem, which has the limits; the first line of the input, that is what the
/// program is to do, how many lines are the right answer (1 if it does not say), and how many bytes
/// of input follow; the verdict, or those that will do; and what its reason holds.
const FAULTS: &str = "
70 KiB before any input is read   | usual   | writes-first 35840 200000    | AC       |
3 MB before any input is read     | usual   | writes-first 1500000 5000000 | AC       |
80 MB before any input is read    | usual   | writes-first 40000000 200000 | AC       |
a small program after a large one | usual   | answer-right                 | AC       |
an output byte by byte            | usual   | answer-bytewise 10000        | AC       |
3 MB on standard error            | usual   | answer-noisy                 | AC       |
5 MB of input not read            | usual   | answer-right 1 5000000       | AC       |
the same once more                | usual   | answer-right 1 5000000       | AC       |
and once more                     | usual   | answer-right 1 5000000       | AC       |
the output closed early           | usual   | answer-retiring              | AC       |
a dead child, not waited for      | usual   | leave-dead                   | AC       |
a thousand dead without parents   | usual   | leave-mayflies               | AC       |
a child holds the output          | usual   | leave-child                  | AC leaky |
a child fills standard error      | usual   | leave-chatterbox             | AC leaky |
a grandchild holds the output     | usual   | leave-grandchild             | AC leaky |
a grandchild in its own session   | usual   | leave-session                | AC leaky |
a child and grandchild at work    | brief   | stay-family                  | TLE      | of CPU time
away from the group it was given  | brief   | stay-emigrant                | TLE      | of CPU time
deaf to all signals               | brief   | stay-deaf                    | TLE      | of CPU time
a fork bomb                       | usual   | bomb-fork                    | RE       | than 256
a fork bomb of sessions           | usual   | bomb-session                 | RE       | than 256
a fork bomb without parents       | usual   | bomb-orphan                  | RE       | than 256
a fork bomb that hides            | usual   | bomb-hidden                  | RE       | than 256
a bomb of threads                 | usual   | bomb-thread                  | RE       | than 256

an address that is none           | usual   | end-segv                     | RE       | (SIGSEGV)
an abort                          | usual   | end-abort                    | RE       | (SIGABRT)
death of its whole group          | usual   | end-group                    | RE       | (SIGKILL)
a panic                           | usual   | end-panic                    | RE       | code 101
an exit code                      | usual   | end-code                     | RE       | code 3
an overflow                       | usual   | answer-overflowing           | RE       | code 101

1050 ms, limit 1 s                | usual   | time-ms-1050                 | TLE      | 1000 ms
700 ms, limit 1 s                 | usual   | time-ms-700                  | AC       |
5 % over a limit of 200 ms        | brief   | time-ms-210                  | TLE      | of CPU time
5 % under a limit of 200 ms       | brief   | time-ms-190                  | AC       |
two threads, together over it     | brief   | threads-ms-120               | TLE      | of CPU time
two threads, together under it    | brief   | threads-ms-80                | AC       |
a child over the limit            | brief   | child-ms-210                 | TLE      | of CPU time
a child under it                  | brief   | child-ms-180                 | AC       |
four of them, together over it    | brief   | children-ms-60               | TLE      | of CPU time
four that nobody waits for        | brief   | children-ignored             | TLE      | of CPU time
sleep                             | clock   | stay-asleep                  | TLE      | on the clock
stopped, its output closed        | clock   | stay-stopped                 | TLE      | on the clock

300 MiB used, then sleep          | usual   | memory-touched               | MLE      | 256 MiB
300 MiB used by a child           | usual   | memory-child                 | MLE      | 256 MiB
memory that creeps up             | usual   | memory-creeping              | MLE      | 256 MiB
10 GiB reserved and not used      | usual   | memory-reserved              | AC       |
100 MiB of stack                  | usual   | memory-stack                 | AC       |
a limit of 8 MiB                  | cramped | answer-right                 | AC       |
a limit of 8 MiB, 20 MiB used     | cramped | memory-small                 | MLE      | 8.0 MiB
endless output                    | usual   | answer-endless               | OLE      | 65540

a wrong answer                    | usual   | answer-wrong                 | WA       | found `4`
no answer                         | usual   | answer-nothing               | WA       | the end
an answer where none belongs      | usual   | answer-right 0               | WA       | the end
none where none belongs           | usual   | answer-nothing 0             | AC       |
";

/// A line of the table.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) what: &'static str,
    /// `<id>/<case>`, in the order of the table.
    pub(super) case: String,
    pub(super) line: &'static str,
    pub(super) n_lines: usize,
    pub(super) n_bytes: usize,
    pub(super) verdicts: Vec<&'static str>,
    pub(super) reason: &'static str,
}

pub(super) fn faults() -> Vec<Fault> {
    let lines = FAULTS.lines().filter(|line| !line.is_empty());
    lines.enumerate().map(fault).collect()
}

fn fault((index, line): (usize, &'static str)) -> Fault {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [what, problem, line, verdicts, reason] = columns[..] else {
        panic!("not five columns: {line}")
    };
    let words: Vec<&str> = line.split(' ').collect();
    let number = |nth: usize| words.get(nth).and_then(|word| word.parse().ok());
    Fault {
        what,
        case: format!("survival-{problem}/{index}-{}", words[0]),
        line,
        n_lines: number(1).unwrap_or(1),
        n_bytes: number(2).unwrap_or(0),
        verdicts: verdicts.split(", ").collect(),
        reason,
    }
}
