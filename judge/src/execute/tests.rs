//! Whole runs: of everything that can run a program here, and of what only Linux can.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::{
    Ending, Job, Limit, Limits, Run, Session, Setup, end_with_descendants, execute, keep_guard,
    portable, unblock_signals,
};
use crate::interrupt::Interrupt;

const LIMITS: Limits = Limits {
    cpu: Duration::from_secs(10),
    wall: Duration::from_secs(10),
    memory_kib: 256 * 1024,
    output: 1 << 20,
};

fn shell(script: &str) -> [OsString; 3] {
    ["sh", "-c", script].map(OsString::from)
}

const SETUP: Setup<'_> = Setup {
    n_workers: 1,
    hidden: None,
    guard: None,
};

type Execute<S> = fn(Job<'_>, &S, &mut dyn FnMut(&[u8])) -> io::Result<Run>;

/// What every kind of system must offer. So what one kind forgets is noticed on the others, too.
struct Means<S> {
    new: fn(Interrupt, &Setup<'_>) -> io::Result<S>,
    execute: Execute<S>,
    interrupt: fn(&S) -> &Interrupt,
    notes: fn(&S) -> &[String],
    temporary_file: fn(&S) -> io::Result<NamedTempFile>,
    end_with_descendants: fn(&mut Child),
    unblock_signals: fn(),
    keep_guard: fn(&Path, u32) -> io::Result<()>,
}

const HERE: Means<Session> = Means {
    new: Session::new,
    execute,
    interrupt: Session::interrupt,
    notes: Session::notes,
    temporary_file: Session::temporary_file,
    end_with_descendants,
    unblock_signals,
    keep_guard,
};

/// On systems that are not Linux.
#[cfg_attr(
    not(target_os = "linux"),
    expect(unused_qualifications, reason = "there it is the same")
)]
const ELSEWHERE: Means<portable::Session> = Means {
    new: portable::Session::new,
    execute: portable::execute,
    interrupt: portable::Session::interrupt,
    notes: portable::Session::notes,
    temporary_file: portable::Session::temporary_file,
    end_with_descendants: portable::end_with_descendants,
    unblock_signals: portable::unblock_signals,
    keep_guard: portable::keep_guard,
};

impl<S> Means<S> {
    fn session(&self) -> S {
        (self.new)(Interrupt::install().unwrap(), &SETUP).unwrap()
    }

    /// Runs a shell script, and returns its output, too.
    fn run(&self, script: &str, input: File, limits: Limits) -> (Run, Vec<u8>) {
        let mut output = Vec::new();
        let job = Job {
            command: &shell(script),
            input,
            limits,
            is_sandboxed: false,
        };
        let run = (self.execute)(job, &self.session(), &mut |bytes| {
            output.extend_from_slice(bytes);
        });
        (run.unwrap(), output)
    }

    fn check_the_rest(&self) {
        (self.unblock_signals)();
        let session = self.session();
        assert!(!(self.interrupt)(&session).is_set());
        assert!(
            (self.notes)(&session)
                .iter()
                .all(|note| !note.contains('\n'))
        );
        assert!((self.temporary_file)(&session).unwrap().path().is_file());
        let mut child = Command::new("sleep").arg("307.5").spawn().unwrap();
        (self.end_with_descendants)(&mut child);
        assert!(!child.wait().unwrap().success());
        // It waits for the end of its standard input, which is none of this process.
        let _ = self.keep_guard;
    }
}

#[test]
fn the_same_is_offered_everywhere() {
    HERE.check_the_rest();
    ELSEWHERE.check_the_rest();
}

fn open(path: &str) -> File {
    File::open(Path::new(path)).unwrap()
}

fn run_everywhere(script: &str, input: &str, limits: Limits) -> [(Run, Vec<u8>); 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    fs::write(&path, input).unwrap();
    let open = || File::open(&path).unwrap();
    [
        HERE.run(script, open(), limits),
        ELSEWHERE.run(script, open(), limits),
    ]
}

#[track_caller]
fn check_ending(script: &str, limits: Limits, expected: Ending) {
    for (run, _) in run_everywhere(script, "", limits) {
        assert_eq!(run.ending, expected, "{script}");
    }
}

#[test]
fn input_output_and_errors_are_connected() {
    for (run, output) in run_everywhere("cat; echo hm >&2; exit 3", "a b\n", LIMITS) {
        assert_eq!(run.ending, Ending::Exited(3));
        assert_eq!(output, b"a b\n");
        assert_eq!(run.stderr, b"hm\n");
        assert!(!run.is_leaky);
    }
}

#[test]
fn endings_are_told_apart() {
    check_ending("true", LIMITS, Ending::Exited(0));
    check_ending("exit 255", LIMITS, Ending::Exited(255));
    check_ending("kill -SEGV $$", LIMITS, Ending::Signaled(11));
    check_ending("kill -KILL $$", LIMITS, Ending::Signaled(9));
    let short = Limits {
        wall: Duration::from_millis(200),
        ..LIMITS
    };
    check_ending("sleep 20", short, Ending::Killed(Limit::Wall));
    check_ending("kill -STOP $$", short, Ending::Killed(Limit::Wall));
    check_ending("while :; do :; done", short, Ending::Killed(Limit::Wall));
    check_ending(
        "exec >&- 2>&-; sleep 20",
        short,
        Ending::Killed(Limit::Wall),
    );
    let small = Limits {
        output: 1000,
        ..LIMITS
    };
    check_ending(
        "while :; do echo 0123456789; done",
        small,
        Ending::Killed(Limit::Output),
    );
    check_ending(
        "head -c 1001 /dev/zero",
        small,
        Ending::Killed(Limit::Output),
    );
    check_ending("head -c 1000 /dev/zero", small, Ending::Exited(0));
}

#[test]
fn neither_side_waits_for_the_other_for_ever() {
    let much = "x".repeat(5_000_000);
    for (run, output) in run_everywhere("echo right", &much, LIMITS) {
        assert_eq!(
            (run.ending, &output[..]),
            (Ending::Exited(0), &b"right\n"[..])
        );
    }
    let script = "head -c 3000000 /dev/zero >&2; head -c 1000000 /dev/zero; cat | wc -c";
    for (run, output) in run_everywhere(script, &much, LIMITS) {
        assert_eq!(run.ending, Ending::Exited(0));
        assert_eq!(output.len(), 1_000_000 + "5000000\n".len());
        assert!(run.stderr.len() <= super::STDERR_KEPT);
    }
}

#[test]
fn what_was_written_before_the_end_is_read_although_the_pipe_stays_open() {
    let begin = Instant::now();
    for (run, output) in run_everywhere("echo right; sleep 30 &", "", LIMITS) {
        assert_eq!(
            (run.ending, &output[..]),
            (Ending::Exited(0), &b"right\n"[..])
        );
    }
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_interrupt_ends_a_run() {
    let session = HERE.session();
    let job = Job {
        command: &shell("sleep 20"),
        input: open("/dev/null"),
        limits: LIMITS,
        is_sandboxed: false,
    };
    let run = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            session.interrupt().set();
        });
        execute(job, &session, &mut |_| {})
    });
    assert_eq!(run.unwrap().ending, Ending::Interrupted);
}

#[test]
fn a_program_that_does_not_exist_is_an_error() {
    let command = [OsString::from("/nonexistent/program")];
    let job = Job {
        command: &command,
        input: open("/dev/null"),
        limits: LIMITS,
        is_sandboxed: false,
    };
    assert!(execute(job, &HERE.session(), &mut |_| {}).is_err());
}

/// What only the kernel of Linux tells.
#[cfg(target_os = "linux")]
mod on_linux {
    use super::{Duration, Ending, HERE, Instant, LIMITS, Limit, Limits, fs, open, thread};

    fn run(script: &str, limits: Limits) -> super::Run {
        HERE.run(script, open("/dev/null"), limits).0
    }

    /// Whether a process that was started as `sleep` with this odd number of seconds lives.
    fn is_asleep(seconds: &str) -> bool {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut command_lines =
            processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        let wanted = format!("sleep\0{seconds}\0");
        command_lines.any(|command_line| command_line == wanted.as_bytes())
    }

    #[test]
    fn cpu_time_is_limited_and_told() {
        let limits = Limits {
            cpu: Duration::from_millis(300),
            ..LIMITS
        };
        let run = run("while :; do :; done", limits);
        assert_eq!(run.ending, Ending::Killed(Limit::Cpu));
        assert!(
            run.usage.cpu > Some(Duration::from_millis(250)),
            "{:?}",
            run.usage
        );
        assert!(run.usage.wall < Duration::from_secs(8), "{:?}", run.usage);
    }

    #[test]
    fn cpu_time_of_descendants_counts_while_they_run() {
        let limits = Limits {
            cpu: Duration::from_millis(300),
            ..LIMITS
        };
        let run = run("(while :; do :; done); true", limits);
        assert_eq!(run.ending, Ending::Killed(Limit::Cpu));
    }

    #[test]
    fn memory_is_limited_while_it_grows() {
        let limits = Limits {
            memory_kib: 64 * 1024,
            ..LIMITS
        };
        let script = "x=$(head -c 30000000 /dev/zero | tr '\\0' a); y=$x$x$x$x; sleep 20";
        let run = run(script, limits);
        assert_eq!(run.ending, Ending::Killed(Limit::Memory));
        assert!(run.usage.peak_kib > Some(64 * 1024));
    }

    #[test]
    fn what_stays_behind_is_found_and_killed() {
        for (script, seconds) in [
            ("sleep 301.5 & sleep 0.05", "301.5"),
            ("setsid sleep 302.5 & sleep 0.05", "302.5"),
            (
                "(setsid sh -c 'sleep 303.5 & sleep 303.5' &) ; sleep 0.05",
                "303.5",
            ),
        ] {
            let begin = Instant::now();
            let run = run(script, LIMITS);
            assert_eq!(run.ending, Ending::Exited(0), "{script}");
            assert!(run.is_leaky, "{script}");
            assert!(begin.elapsed() < Duration::from_secs(2), "{script}");
            assert!(!is_asleep(seconds), "{script}");
        }
    }

    #[test]
    fn what_has_ended_by_itself_is_no_leak() {
        assert!(!run("true & sleep 0.05", LIMITS).is_leaky);
        assert!(!run("(true &) ; sleep 0.05", LIMITS).is_leaky);
    }

    #[test]
    fn what_the_program_killed_itself_is_no_leak() {
        assert!(!run("sleep 305.5 & kill -KILL $!; sleep 0.05", LIMITS).is_leaky);
    }

    #[test]
    fn leaks_are_told_in_company_too() {
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for script in [
                        "sleep 306.5 & sleep 0.01",
                        "setsid sleep 306.5 & sleep 0.05",
                    ] {
                        for _ in 0..5 {
                            assert!(run(script, LIMITS).is_leaky, "{script}");
                        }
                    }
                });
            }
        });
        assert!(!is_asleep("306.5"));
    }

    #[test]
    fn memory_that_processes_share_counts_once() {
        let limits = Limits {
            memory_kib: 64 * 1024,
            ..LIMITS
        };
        let hold = "x=$(head -c 30000000 /dev/zero | tr '\\0' a)";
        let run = run(&format!("{hold}; ( ( sleep 0.1; : ); : ); : $x"), limits);
        assert_eq!(run.ending, Ending::Exited(0));
        // What is below the floor is that of the tests themselves.
        let most = run.usage.peak_floor_kib.max(64 * 1024);
        assert!(run.usage.peak_kib <= Some(most), "{:?}", run.usage);
    }

    #[test]
    fn an_orphan_in_the_group_counts_while_the_program_runs() {
        let limits = Limits {
            memory_kib: 64 * 1024,
            ..LIMITS
        };
        let hold = "x=$(head -c 30000000 /dev/zero | tr '\\0' a); y=$x$x$x$x; sleep 20";
        let run = run(&format!("( ( {hold} ) & ); sleep 20"), limits);
        assert_eq!(run.ending, Ending::Killed(Limit::Memory));
    }

    #[test]
    fn a_killed_run_takes_its_descendants_with_it() {
        let limits = Limits {
            wall: Duration::from_millis(200),
            ..LIMITS
        };
        let run = run("sleep 304.5 & setsid sleep 304.5 & wait", limits);
        assert_eq!(run.ending, Ending::Killed(Limit::Wall));
        assert!(!run.is_leaky, "it had no chance to clean up");
        assert!(!is_asleep("304.5"));
    }

    #[test]
    fn a_program_starts_clean() {
        let script =
            "ls /proc/self/fd | wc -l; ulimit -c; grep -E 'Sig(Blk|Ign)' /proc/self/status";
        let (_, output) = HERE.run(script, open("/dev/null"), LIMITS);
        let output = String::from_utf8(output).unwrap();
        let words: Vec<&str> = output.split_whitespace().collect();
        // 0, 1, 2, and the folder that `ls` itself has open; no core file.
        assert_eq!(words[..2], ["4", "0"], "{output}");
        let signals = |name: &str| {
            let value = words
                .iter()
                .skip_while(|word| **word != name)
                .nth(1)
                .unwrap();
            // The signals with names; further ones are nobody's business here.
            u64::from_str_radix(value, 16).unwrap() & 0x7fff_ffff
        };
        assert_eq!((signals("SigBlk:"), signals("SigIgn:")), (0, 0), "{output}");
    }
}
