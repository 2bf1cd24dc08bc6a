//! Other processes, as `/proc` tells of them.

use std::fs;
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Pid, Signal, kill_process};

use crate::execute::MOST_TASKS;

/// About so many processes are looked at, so that a program that starts very many does not keep
/// the judge from the clock.
const MOST_PROCESSES: usize = MOST_TASKS + 1;

/// What a program and its descendants use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// User and system time, that of descendants already waited for included. The kernel counts
    /// it here in ticks of usually 10 ms.
    pub(super) cpu: Duration,
    pub(super) resident_kib: u64,
    /// Processes, the dead that nobody waited for included, and threads.
    pub(super) n_tasks: usize,
}

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) is_alive: bool,
    /// By a signal, or by who traces it.
    pub(super) is_stopped: bool,
    pub(super) group: Option<Pid>,
    used: Sample,
}

/// Looks at the trees of processes that grow from these. What has ended meanwhile is nothing.
///
/// Memory that several processes share is counted once if the sum would be over this limit; that
/// takes longer to find out. Otherwise what the largest of them has is told, since the sum says
/// nothing.
pub(super) fn sample(roots: &[Pid], limit_kib: u64) -> Sample {
    let pids = with_descendants(roots);
    if pids.len() > MOST_TASKS {
        // To look at each of a crowd takes long, and the crowd says enough.
        return Sample {
            n_tasks: pids.len(),
            ..Sample::default()
        };
    }
    let used: Vec<Sample> = pids
        .iter()
        .filter_map(|&pid| Some(live_stat(pid)?.used))
        .collect();
    let sum: u64 = used.iter().map(|used| used.resident_kib).sum();
    let largest = used.iter().map(|used| used.resident_kib).max().unwrap_or(0);
    let is_suspicious = sum > limit_kib && largest <= limit_kib;
    let shared = || {
        pids.iter()
            .filter_map(|&pid| proportional_kib(pid))
            .sum::<u64>()
    };
    let n_dead = pids.len() - used.len();
    Sample {
        cpu: used.iter().map(|used| used.cpu).sum(),
        resident_kib: if is_suspicious {
            largest.max(shared())
        } else {
            largest
        },
        n_tasks: n_dead + used.iter().map(|used| used.n_tasks).sum::<usize>(),
    }
}

/// All processes that there are.
pub(super) fn all() -> Vec<Pid> {
    pids_in("/proc")
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

fn threads(pid: Pid) -> Vec<Pid> {
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

/// A number of a process or a group; the group of a process that is vanishing is shown as -1.
fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok().filter(|&pid| pid > 0)?)
}

/// A process, dead or alive.
pub(super) fn stat(pid: Pid) -> Option<Stat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The same, but where the first thread of a living process has ended, and with it the memory of
/// the process as `/proc` shows it, another thread is asked for that.
fn live_stat(pid: Pid) -> Option<Stat> {
    let first = stat(pid)?;
    if first.is_alive {
        return Some(first);
    }
    let of_thread = |thread| {
        let stat = fs::read_to_string(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
        parse_stat(&stat).filter(|stat| stat.is_alive)
    };
    let resident_kib = threads(pid)
        .into_iter()
        .find_map(of_thread)?
        .used
        .resident_kib;
    Some(Stat {
        used: Sample {
            resident_kib,
            ..first.used
        },
        ..first
    })
}

/// Reads the line of `/proc/<pid>/stat`. The name of the program in it may hold anything, so
/// fields are counted from its closing parenthesis.
fn parse_stat(stat: &str) -> Option<Stat> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    // proc_pid_stat(5) counts from 1, and the first field here is its third.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let ticks: u64 = (14..=17).map(field).sum::<Option<u64>>()?;
    let milliseconds = ticks.saturating_mul(1000) / clock_ticks_per_second().max(1);
    Some(Stat {
        is_alive: !matches!(*fields.first()?, "Z" | "X"),
        is_stopped: matches!(*fields.first()?, "T" | "t"),
        group: parse_pid(fields.get(5 - 3)?),
        used: Sample {
            cpu: Duration::from_millis(milliseconds),
            resident_kib: field(24)?.saturating_mul(page_size() as u64) / 1024,
            n_tasks: usize::try_from(field(20)?).ok()?,
        },
    })
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
    let figure = text.lines().find_map(|line| line.strip_prefix(label))?;
    figure.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::param::{clock_ticks_per_second, page_size};
    use rustix::process::Pid;

    use super::{Sample, Stat, kib_in, parse_stat};

    fn line(state: &str) -> String {
        let ticks = clock_ticks_per_second();
        format!(
            "12 (a) R 1 2) {state} 1 13 12 0 -1 4194304 100 0 0 0 \
             {ticks} {ticks} 0 {} 20 0 3 0 300 5000000 7 18446744073709551615",
            2 * ticks
        )
    }

    #[test]
    fn a_program_with_a_strange_name_is_read() {
        let resident_kib = 7 * page_size() as u64 / 1024;
        let expected = Stat {
            is_alive: true,
            is_stopped: false,
            group: Pid::from_raw(13),
            used: Sample {
                cpu: Duration::from_secs(4),
                resident_kib,
                n_tasks: 3,
            },
        };
        assert_eq!(parse_stat(&line("S")), Some(expected));
        assert_eq!(
            parse_stat(&line("Z")),
            Some(Stat {
                is_alive: false,
                ..expected
            })
        );
        assert_eq!(
            parse_stat(&line("T")),
            Some(Stat {
                is_stopped: true,
                ..expected
            })
        );
    }

    #[test]
    fn a_process_that_is_vanishing_has_no_group() {
        let vanishing = line("Z").replace(" 13 ", " -1 ");
        assert_eq!(parse_stat(&vanishing).unwrap().group, None);
    }

    #[test]
    fn a_text_that_is_none_of_it_is_nothing() {
        for text in ["", "12", "12 (a)", "12 (a) S 1 2", ")"] {
            assert_eq!(parse_stat(text), None, "{text}");
        }
        let status = "VmPeak:\t 9 kB\nVmHWM:\t    2012 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(kib_in(status, "VmHWM:"), Some(2012));
        assert_eq!(kib_in("VmHWM: x kB", "VmHWM:"), None);
        assert_eq!(kib_in("", "VmHWM:"), None);
    }
}
