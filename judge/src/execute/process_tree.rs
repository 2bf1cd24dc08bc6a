//! What a running program and its descendants use, as `/proc` tells it.

use std::fs;
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::Pid;

/// No more processes than this are looked at, so that a program that starts very many does not
/// keep the judge from the clock.
const MOST_PROCESSES: usize = 256;

/// The sum over a program and its descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// User and system time, that of descendants already waited for included. The kernel counts
    /// it here in ticks of usually 10 ms.
    pub(super) cpu: Duration,
    pub(super) resident_kib: u64,
}

impl Sample {
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.max(other.cpu),
            resident_kib: self.resident_kib.max(other.resident_kib),
        }
    }
}

/// Looks at a program now. What has ended meanwhile counts as nothing.
pub(super) fn sample(leader: Pid) -> Sample {
    let mut total = Sample::default();
    let mut found = vec![leader];
    let mut n_looked_at = 0;
    while let Some(&pid) = found.get(n_looked_at) {
        n_looked_at += 1;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if let Some(sample) = parse_stat(&stat) {
            total.cpu += sample.cpu;
            total.resident_kib += sample.resident_kib;
        }
        if found.len() < MOST_PROCESSES {
            found.extend(children(pid));
        }
    }
    total
}

fn children(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let threads = threads.filter_map(|entry| parse_pid(entry.file_name().to_str()?));
    threads
        .flat_map(|thread| children_of_thread(pid, thread))
        .collect()
}

/// The children that one thread of a process has started or adopted.
pub(super) fn children_of_thread(pid: Pid, thread: Pid) -> Vec<Pid> {
    let list =
        fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).unwrap_or_default();
    list.split_ascii_whitespace()
        .filter_map(parse_pid)
        .collect()
}

/// Whether a process has ended and was not waited for yet.
pub(super) fn is_dead(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// Reads the line of `/proc/<pid>/stat`. The name of the program in it may hold anything, so
/// fields are counted from its closing parenthesis.
fn parse_stat(stat: &str) -> Option<Sample> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    // proc_pid_stat(5) counts from 1, and the first field here is its third.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let ticks: u64 = (14..=17).map(field).sum::<Option<u64>>()?;
    let milliseconds = ticks.saturating_mul(1000) / clock_ticks_per_second().max(1);
    Some(Sample {
        cpu: Duration::from_millis(milliseconds),
        resident_kib: field(24)?.saturating_mul(page_size() as u64) / 1024,
    })
}

/// The peak of resident memory in the text of `/proc/<pid>/status`.
pub(super) fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::param::{clock_ticks_per_second, page_size};

    use super::{Sample, parse_stat, peak_in};

    #[test]
    fn a_program_with_a_strange_name_is_read() {
        let ticks = clock_ticks_per_second();
        let stat = format!(
            "12 (a) R 1 2) S 1 12 12 0 -1 4194304 100 0 0 0 \
             {ticks} {ticks} 0 {} 20 0 1 0 300 5000000 7 18446744073709551615",
            2 * ticks
        );
        let resident_kib = 7 * page_size() as u64 / 1024;
        assert_eq!(
            parse_stat(&stat),
            Some(Sample {
                cpu: Duration::from_secs(4),
                resident_kib
            })
        );
    }

    #[test]
    fn a_text_that_is_none_of_it_is_nothing() {
        for text in ["", "12", "12 (a)", "12 (a) S 1 2", ")"] {
            assert_eq!(parse_stat(text), None, "{text}");
        }
        assert_eq!(
            peak_in("VmPeak:\t 9 kB\nVmHWM:\t    2012 kB\nVmRSS:\t 1 kB\n"),
            Some(2012)
        );
        assert_eq!(peak_in("VmHWM: x kB"), None);
    }
}
