//! Other processes, as `/proc` tells of them.
//!
//! Some files there cannot be read while the process is becoming another program, `stat`, `environ`
//! and `smaps_rollup` among them. That takes long where the processors have much to do, so whoever
//! watches over a program does without them while there is a crowd in the system.

use std::collections::BTreeMap;
use std::fs;
use std::mem::MaybeUninit;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Signal, kill_process};

use crate::execute::MOST_TASKS;

/// About so many processes are looked at, so that a program that starts very many does not keep
/// the judge from the clock.
const MOST_PROCESSES: usize = MOST_TASKS + 1;

/// A process that has used less is not remembered, so that what is remembered stays small.
const WORTH_NOTING: Duration = Duration::from_millis(1);

/// What a program and its descendants use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// User and system time, in calm times with that of children already waited for.
    pub(super) cpu: Duration,
    pub(super) resident_kib: u64,
    /// Processes, the dead that nobody waited for included, and threads.
    pub(super) n_tasks: usize,
}

/// What each process of a run had used of its own when it was last seen.
///
/// Whoever ignores SIGCHLD waits for no child, and the kernel then counts what the children used
/// with nobody.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    last_seen: BTreeMap<i32, Duration>,
    /// Of processes whose number another one has now.
    replaced: Duration,
}

impl Clocks {
    fn note(&mut self, pid: Pid, own: Duration) {
        if own < WORTH_NOTING {
            return;
        }
        let before = self
            .last_seen
            .insert(pid.as_raw_pid(), own)
            .unwrap_or_default();
        if own < before {
            self.replaced += before;
        }
    }

    /// What all have used at the least.
    fn sum(&self) -> Duration {
        self.replaced + self.last_seen.values().sum::<Duration>()
    }
}

/// One process, or one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) is_alive: bool,
    /// Those of the kernel have none.
    pub(super) group: Option<Pid>,
    resident_kib: u64,
    n_threads: usize,
}

/// Looks at the trees of processes that grow from these. What has ended and is not waited for
/// counts as a task.
///
/// Memory that several processes share is counted once if the sum would be over this limit; that
/// takes longer to find out, so it is left for calm times. Otherwise what the largest of them has
/// is told, since the sum says nothing.
pub(super) fn sample(roots: &[Pid], limit_kib: u64, is_calm: bool, clocks: &mut Clocks) -> Sample {
    let pids = with_descendants(roots);
    if pids.len() > MOST_TASKS {
        // To look at each of a crowd takes long, and the crowd says enough.
        return Sample {
            n_tasks: pids.len(),
            ..Sample::default()
        };
    }
    let living: Vec<Status> = pids.iter().filter_map(|&pid| live_status(pid)).collect();
    let sum: u64 = living.iter().map(|status| status.resident_kib).sum();
    let largest = living.iter().map(|status| status.resident_kib).max();
    let largest = largest.unwrap_or(0);
    let is_suspicious = is_calm && sum > limit_kib && largest <= limit_kib;
    let waited_for = |pid| is_calm.then(|| waited_for(pid)).flatten();
    let mut cpu = |&pid| {
        let own = cpu_time(pid)?;
        clocks.note(pid, own);
        Some(own + waited_for(pid).unwrap_or_default())
    };
    let cpu: Duration = pids.iter().filter_map(&mut cpu).sum();
    let shared = || {
        pids.iter()
            .filter_map(|&pid| proportional_kib(pid))
            .sum::<u64>()
    };
    let n_dead = pids.len() - living.len();
    Sample {
        cpu: cpu.max(clocks.sum()),
        resident_kib: if is_suspicious {
            largest.max(shared())
        } else {
            largest
        },
        n_tasks: n_dead + living.iter().map(|status| status.n_threads).sum::<usize>(),
    }
}

/// All processes that there are.
pub(super) fn all() -> Vec<Pid> {
    pids_in("/proc")
}

/// Kills a process and all that descends from it, that of its threads included.
pub(super) fn kill_whole_tree(root: Pid) {
    let mut found = Vec::new();
    loop {
        let now = with_descendants(&[root]);
        // Nobody starts others from here on.
        for &pid in &now {
            let _ = kill_process(pid, Signal::STOP);
        }
        if now.len() <= usize::max(found.len(), 1) && !found.is_empty() {
            break;
        }
        found = now;
    }
    for pid in found {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Kills these processes and those that descend from them, as fast as can be: they may be starting
/// others at the same time. Children of threads but the first are left to whoever adopts them.
pub(super) fn kill_trees(roots: &[Pid]) {
    let mut to_kill = roots.to_vec();
    while let Some(pid) = to_kill.pop() {
        to_kill.append(&mut children_of_thread(pid, pid));
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// These processes and those that descend from them, parents before their children.
pub(super) fn with_descendants(roots: &[Pid]) -> Vec<Pid> {
    let mut found = roots.to_vec();
    let mut n_asked = 0;
    while let Some(&pid) = found.get(n_asked)
        && found.len() < MOST_PROCESSES
    {
        let children = threads(pid)
            .into_iter()
            .flat_map(|thread| children_of_thread(pid, thread));
        found.extend(children);
        n_asked += 1;
    }
    found
}

/// The threads of a process, each by its number.
pub(super) fn threads(pid: Pid) -> Vec<Pid> {
    pids_in(&format!("/proc/{pid}/task"))
}

/// The entries of a folder that are numbers.
fn pids_in(folder: &str) -> Vec<Pid> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| parse_pid(entry.file_name().to_str()?))
        .collect()
}

/// The children that one thread of a process has started or adopted.
pub(super) fn children_of_thread(pid: Pid, thread: Pid) -> Vec<Pid> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"));
    list.unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(parse_pid)
        .collect()
}

fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok().filter(|&pid| pid > 0)?)
}

/// A process, dead or alive.
pub(super) fn status(pid: Pid) -> Option<Status> {
    parse_status(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// The same of a living one, but where its first thread has ended, and with it the memory of the
/// process as `/proc` shows it, another thread is asked for that.
fn live_status(pid: Pid) -> Option<Status> {
    let first = status(pid)?;
    if first.is_alive {
        return Some(first);
    }
    let of_thread = |thread| {
        let status = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status")).ok()?;
        parse_status(&status).filter(|status| status.is_alive)
    };
    threads(pid).into_iter().find_map(of_thread)
}

/// Reads a text like that of `/proc/<pid>/status`. Who has no memory of its own has no line for it.
fn parse_status(text: &str) -> Option<Status> {
    let state = field(text, "State:")?.chars().next()?;
    Some(Status {
        is_alive: !matches!(state, 'Z' | 'X'),
        // One number for each namespace that has it, the first for this one.
        group: field(text, "NSpgid:")
            .and_then(|groups| groups.split_ascii_whitespace().next())
            .and_then(parse_pid),
        resident_kib: kib_in(text, "VmRSS:").unwrap_or(0),
        n_threads: field(text, "Threads:")?.parse().ok()?,
    })
}

/// What children of a process have used that it has waited for, with what those have waited for.
/// The kernel counts it in ticks of usually 10 ms.
fn waited_for(pid: Pid) -> Option<Duration> {
    parse_waited_for(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name of the program in the line may hold anything, so fields are counted from its closing
/// parenthesis.
fn parse_waited_for(stat: &str) -> Option<Duration> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    // proc_pid_stat(5) counts from 1, and the first field here is its third.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let milliseconds = (field(16)? + field(17)?).saturating_mul(1000);
    Some(Duration::from_millis(
        milliseconds / clock_ticks_per_second().max(1),
    ))
}

/// What a process has used of the processors so far, all its threads together.
#[expect(
    unsafe_code,
    reason = "no kept crate asks for the clock of another process"
)]
fn cpu_time(pid: Pid) -> Option<Duration> {
    let mut clock = 0;
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointers are to variables of the types that are written.
    let is_known = unsafe {
        libc::clock_getcpuclockid(pid.as_raw_pid(), &raw mut clock) == 0
            && libc::clock_gettime(clock, time.as_mut_ptr()) == 0
    };
    // SAFETY: all zeros are valid, too.
    let time = is_known.then(|| unsafe { time.assume_init() })?;
    let (seconds, nanoseconds) = (time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?);
    Some(Duration::new(seconds, nanoseconds))
}

/// The memory of a process, each page divided by the number of processes that have it.
fn proportional_kib(pid: Pid) -> Option<u64> {
    kib_in(
        &fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?,
        "Pss:",
    )
}

/// The peak of this process's own resident memory.
pub(super) fn own_peak_kib() -> Option<u64> {
    kib_in(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The figure behind a label in a text like that of `/proc/<pid>/status`.
fn kib_in(text: &str, label: &str) -> Option<u64> {
    field(text, label)?.strip_suffix(" kB")?.parse().ok()
}

/// What stands behind a label.
fn field<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let value = text.lines().find_map(|line| line.strip_prefix(label));
    value.map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::hint::spin_loop;
    use std::time::Duration;

    use rustix::param::clock_ticks_per_second;
    use rustix::process::{Pid, getpid};

    use super::{Clocks, Status, cpu_time, kib_in, parse_status, parse_waited_for, status};

    #[test]
    fn the_lines_that_matter_are_read() {
        let text = |state: &str| {
            format!("State:\t{state}\nNSpgid:\t13\t1\nVmRSS:\t     12 kB\nThreads:\t3\n")
        };
        let expected = Status {
            is_alive: true,
            group: Pid::from_raw(13),
            resident_kib: 12,
            n_threads: 3,
        };
        let status = |state| parse_status(&text(state));
        assert_eq!(status("S (sleeping)"), Some(expected));
        let dead = Status {
            is_alive: false,
            ..expected
        };
        assert_eq!(status("Z (zombie)"), Some(dead));
        let of_kernel = parse_status("State:\tI (idle)\nNSpgid:\t0\nThreads:\t1\n").unwrap();
        assert_eq!((of_kernel.group, of_kernel.resident_kib), (None, 0));
    }

    #[test]
    fn a_text_that_is_none_of_it_is_nothing() {
        for text in [
            "",
            "State:",
            "State:\tS (sleeping)",
            "Threads:\t1",
            "State:\tS\nThreads:\tx",
        ] {
            assert_eq!(parse_status(text), None, "{text}");
        }
        let text = "VmPeak:\t 9 kB\nVmHWM:\t    2012 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(kib_in(text, "VmHWM:"), Some(2012));
        assert_eq!(kib_in("VmHWM: x kB", "VmHWM:"), None);
        assert_eq!(kib_in("", "VmHWM:"), None);
    }

    #[test]
    fn a_program_with_a_strange_name_is_read() {
        let ticks = clock_ticks_per_second();
        let stat = format!("12 (a) R 1 2) S 1 13 12 0 -1 4 100 0 0 0 7 8 {ticks} {ticks} 20 0");
        assert_eq!(parse_waited_for(&stat), Some(Duration::from_secs(2)));
        for text in ["", "12", "12 (a)", "12 (a) S 1 2", ")"] {
            assert_eq!(parse_waited_for(text), None, "{text}");
        }
    }

    #[test]
    fn the_time_of_processes_that_are_gone_is_remembered() {
        let mut clocks = Clocks::default();
        for (pid, milliseconds) in [(7, 30), (8, 20), (7, 50), (8, 5), (9, 0)] {
            clocks.note(
                Pid::from_raw(pid).unwrap(),
                Duration::from_millis(milliseconds),
            );
        }
        // 50 of the first, and 20 and 5 of two that had the same number.
        assert_eq!(clocks.sum(), Duration::from_millis(75));
    }

    #[test]
    fn a_process_that_works_is_alive_and_uses_its_time() {
        let me = getpid();
        assert!(status(me).is_some_and(|status| status.is_alive && status.resident_kib > 0));
        let before = cpu_time(me).unwrap();
        while cpu_time(me).unwrap() < before + Duration::from_millis(1) {
            spin_loop();
        }
    }
}
