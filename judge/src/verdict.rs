//! The rules of judging: from what a run did to what is said of it.

use crate::compare::{Comparison, Difference};
use crate::execute::{Ending, Limit, Limits, Run, Usage};

/// What is said of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    WrongAnswer(Box<Difference>),
    TimeLimit(TimeLimit),
    MemoryLimit,
    OutputLimit,
    RuntimeError(Crash),
    /// With what the compiler says.
    CompileError(String),
    /// With what the judge could not do.
    JudgeError(String),
}

/// Which time was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    Cpu,
    Wall,
}

/// How a program failed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crash {
    ExitCode(i32),
    Signal(i32),
}

impl Verdict {
    pub(crate) const fn letters(&self) -> &'static str {
        match self {
            Self::Accepted => "AC",
            Self::WrongAnswer(_) => "WA",
            Self::TimeLimit(_) => "TLE",
            Self::MemoryLimit => "MLE",
            Self::OutputLimit => "OLE",
            Self::RuntimeError(_) => "RE",
            Self::CompileError(_) => "CE",
            Self::JudgeError(_) => "JE",
        }
    }

    pub(crate) const fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }
}

/// The verdict on a run that was not interrupted. Where several hold, the first in the order
/// memory, output, time, crash, answer.
pub(crate) fn decide(run: &Run, limits: &Limits, comparison: Comparison) -> Verdict {
    if run.ending == Ending::Killed(Limit::Memory) || uses_too_much_memory(&run.usage, limits) {
        return Verdict::MemoryLimit;
    }
    if run.ending == Ending::Killed(Limit::Output) {
        return Verdict::OutputLimit;
    }
    if let Some(which) = time_limit(run, limits) {
        return Verdict::TimeLimit(which);
    }
    match (run.ending, comparison) {
        (Ending::Signaled(signal), _) => Verdict::RuntimeError(Crash::Signal(signal)),
        (Ending::Exited(code), _) if code != 0 => Verdict::RuntimeError(Crash::ExitCode(code)),
        (_, Comparison::Same) => Verdict::Accepted,
        (_, Comparison::Different(difference)) => Verdict::WrongAnswer(difference),
    }
}

fn uses_too_much_memory(usage: &Usage, limits: &Limits) -> bool {
    usage
        .peak_kib
        .is_some_and(|peak| peak > limits.memory_kib && peak > usage.peak_floor_kib)
}

fn time_limit(run: &Run, limits: &Limits) -> Option<TimeLimit> {
    if run.usage.cpu.is_some_and(|cpu| cpu > limits.cpu) || run.ending == Ending::Killed(Limit::Cpu)
    {
        Some(TimeLimit::Cpu)
    } else if run.usage.wall > limits.wall || run.ending == Ending::Killed(Limit::Wall) {
        Some(TimeLimit::Wall)
    } else {
        None
    }
}

/// Whether a run that had company should be done again alone, since the company may be to blame:
/// it was over the limit of CPU time, or within a tenth of it; or it was over that of the clock
/// while it wanted the processor. One that only slept would sleep again.
pub(crate) fn deserves_a_run_alone(run: &Run, limits: &Limits) -> bool {
    if matches!(
        run.ending,
        Ending::Killed(Limit::Memory | Limit::Output) | Ending::Interrupted
    ) {
        return false;
    }
    let is_over = time_limit(run, limits).is_some();
    // Where the system does not tell the time of the processor, the clock is all there is.
    run.usage.cpu.map_or(is_over, |cpu| {
        let (is_close, was_busy) = (
            cpu > limits.cpu.mul_f64(0.9),
            cpu > limits.cpu.mul_f64(0.05),
        );
        is_close || is_over && was_busy
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Crash, TimeLimit, Verdict, decide, deserves_a_run_alone};
    use crate::compare::Rule;
    use crate::compare::{Comparator, Comparison};
    use crate::execute::{Ending, Limit, Limits, Run, Usage};

    const LIMITS: Limits = Limits {
        cpu: Duration::from_secs(1),
        wall: Duration::from_secs(4),
        memory_kib: 64 * 1024,
        output: 1000,
    };

    fn run(ending: Ending, cpu_ms: u64, wall_ms: u64, peak_mib: u64) -> Run {
        let usage = Usage {
            cpu: Some(Duration::from_millis(cpu_ms)),
            wall: Duration::from_millis(wall_ms),
            peak_kib: Some(peak_mib * 1024),
            peak_floor_kib: 8 * 1024,
        };
        Run {
            ending,
            usage,
            is_leaky: false,
            stderr: Vec::new(),
        }
    }

    fn different() -> Comparison {
        let mut comparator = Comparator::new(Rule::Lines, &b"a"[..]);
        comparator.feed(b"b").unwrap();
        comparator.finish().unwrap()
    }

    fn letters(run: &Run, comparison: Comparison) -> &'static str {
        decide(run, &LIMITS, comparison).letters()
    }

    /// Each line: a run, the verdict if its answer is right, and the verdict if it is wrong.
    #[test]
    fn table() {
        let exited = Ending::Exited(0);
        let table = [
            (run(exited, 0, 0, 0), "AC", "WA"),
            (run(exited, 1000, 4000, 64), "AC", "WA"),
            (run(exited, 1001, 1001, 64), "TLE", "TLE"),
            (run(exited, 0, 4001, 64), "TLE", "TLE"),
            (run(exited, 0, 0, 65), "MLE", "MLE"),
            (run(exited, 1001, 4001, 65), "MLE", "MLE"),
            (run(Ending::Exited(1), 0, 0, 0), "RE", "RE"),
            (run(Ending::Exited(1), 1001, 0, 0), "TLE", "TLE"),
            (run(Ending::Signaled(11), 0, 0, 0), "RE", "RE"),
            (run(Ending::Signaled(11), 0, 0, 65), "MLE", "MLE"),
            (run(Ending::Killed(Limit::Cpu), 999, 999, 0), "TLE", "TLE"),
            (run(Ending::Killed(Limit::Wall), 0, 3999, 0), "TLE", "TLE"),
            (run(Ending::Killed(Limit::Memory), 0, 0, 63), "MLE", "MLE"),
            (run(Ending::Killed(Limit::Output), 0, 0, 0), "OLE", "OLE"),
            (run(Ending::Killed(Limit::Output), 1001, 0, 0), "OLE", "OLE"),
            (run(Ending::Killed(Limit::Output), 0, 0, 65), "MLE", "MLE"),
        ];
        for (run, if_right, if_wrong) in table {
            assert_eq!(letters(&run, Comparison::Same), if_right, "{run:?}");
            assert_eq!(letters(&run, different()), if_wrong, "{run:?}");
        }
    }

    #[test]
    fn which_time_and_which_crash_are_told() {
        let verdict = |ending, cpu_ms, wall_ms| {
            decide(&run(ending, cpu_ms, wall_ms, 0), &LIMITS, Comparison::Same)
        };
        assert_eq!(
            verdict(Ending::Exited(0), 1001, 5000),
            Verdict::TimeLimit(TimeLimit::Cpu)
        );
        assert_eq!(
            verdict(Ending::Exited(0), 1, 5000),
            Verdict::TimeLimit(TimeLimit::Wall)
        );
        assert_eq!(
            verdict(Ending::Exited(3), 1, 1),
            Verdict::RuntimeError(Crash::ExitCode(3))
        );
        assert_eq!(
            verdict(Ending::Signaled(6), 1, 1),
            Verdict::RuntimeError(Crash::Signal(6))
        );
    }

    #[test]
    fn a_reading_that_says_nothing_of_the_program_is_not_held_against_it() {
        let mut small = run(Ending::Exited(0), 0, 0, 70);
        small.usage.peak_floor_kib = 70 * 1024;
        assert_eq!(letters(&small, Comparison::Same), "AC");
        small.usage.peak_kib = None;
        small.usage.cpu = None;
        assert_eq!(letters(&small, Comparison::Same), "AC");
    }

    #[test]
    fn only_the_time_is_a_reason_to_run_again() {
        let deserves = |run| deserves_a_run_alone(&run, &LIMITS);
        assert!(!deserves(run(Ending::Exited(0), 900, 3999, 0)));
        assert!(deserves(run(Ending::Exited(0), 901, 901, 0)));
        assert!(deserves(run(Ending::Exited(1), 1001, 1001, 0)));
        assert!(deserves(run(Ending::Killed(Limit::Cpu), 1001, 1001, 0)));
        assert!(deserves(run(Ending::Killed(Limit::Wall), 100, 4001, 0)));
        assert!(!deserves(run(Ending::Killed(Limit::Wall), 10, 4001, 0)));
        assert!(!deserves(run(Ending::Killed(Limit::Memory), 999, 999, 65)));
        assert!(!deserves(run(Ending::Killed(Limit::Output), 999, 999, 0)));
        assert!(!deserves(run(Ending::Interrupted, 1001, 4001, 0)));
    }
}
