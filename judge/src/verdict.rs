//! The rules of judging: from what a run did to what is said of it.

use crate::compare::{Comparison, Difference};
use crate::execute::{Ending, Limit, Limits, Run, Usage};

/// What is said of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    WrongAnswer(Rejection),
    TimeLimit(TimeLimit),
    MemoryLimit,
    OutputLimit,
    RuntimeError(Crash),
    /// With what the compiler says.
    CompileError(String),
    JudgeError(Trouble),
}

/// Why an answer is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    Different(Box<Difference>),
    /// A checker says so, with this message.
    Checker(Flaw, Vec<u8>),
}

/// What a checker finds wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    Answer,
    Presentation,
}

/// Why nothing can be said of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// With what the judge could not do.
    Unable(String),
    /// There is no checker, with what the compiler says.
    NoChecker(String),
    /// A checker failed: how it ended, and its message.
    Checker(Ending, Vec<u8>),
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
    /// It had too many processes and threads.
    Tasks,
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

    /// What a compiler says, where that is all there is to say of a problem.
    pub(crate) fn compiler_text(&self) -> Option<&str> {
        match self {
            Self::CompileError(text) | Self::JudgeError(Trouble::NoChecker(text)) => Some(text),
            _ => None,
        }
    }

    /// What a checker says, where it does not accept.
    pub(crate) fn checker_message(&self) -> Option<&[u8]> {
        match self {
            Self::WrongAnswer(Rejection::Checker(_, message))
            | Self::JudgeError(Trouble::Checker(_, message)) => Some(message),
            _ => None,
        }
    }

    pub(crate) const fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }
}

/// The verdict on a run, whatever its answer; none if that depends on the answer. Where several
/// hold, the first in the order memory, output, time, crash.
pub(crate) fn decide(run: &Run, limits: &Limits) -> Option<Verdict> {
    if run.ending == Ending::Killed(Limit::Memory) || uses_too_much_memory(&run.usage, limits) {
        return Some(Verdict::MemoryLimit);
    }
    if run.ending == Ending::Killed(Limit::Output) {
        return Some(Verdict::OutputLimit);
    }
    if let Some(which) = time_limit(run, limits) {
        return Some(Verdict::TimeLimit(which));
    }
    match run.ending {
        Ending::Killed(Limit::Tasks) => Some(Verdict::RuntimeError(Crash::Tasks)),
        Ending::Signaled(signal) => Some(Verdict::RuntimeError(Crash::Signal(signal))),
        Ending::Exited(code) if code != 0 => Some(Verdict::RuntimeError(Crash::ExitCode(code))),
        _ => None,
    }
}

/// The verdict on the answer of a run that is otherwise fine, by comparison.
pub(crate) fn of_comparison(comparison: Comparison) -> Verdict {
    match comparison {
        Comparison::Same => Verdict::Accepted,
        Comparison::Different(difference) => Verdict::WrongAnswer(Rejection::Different(difference)),
    }
}

/// The verdict of a checker on such an answer, by testlib's exit codes: how the checker ended, and
/// its message.
pub(crate) fn of_checker(ending: Ending, message: Vec<u8>) -> Verdict {
    match ending {
        Ending::Exited(0) => Verdict::Accepted,
        Ending::Exited(1) => Verdict::WrongAnswer(Rejection::Checker(Flaw::Answer, message)),
        Ending::Exited(2) => Verdict::WrongAnswer(Rejection::Checker(Flaw::Presentation, message)),
        _ => Verdict::JudgeError(Trouble::Checker(ending, message)),
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
        Ending::Killed(Limit::Memory | Limit::Output | Limit::Tasks) | Ending::Interrupted
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

    use super::{
        Crash, TimeLimit, Verdict, decide, deserves_a_run_alone, of_checker, of_comparison,
    };
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
        let verdict = decide(run, &LIMITS).unwrap_or_else(|| of_comparison(comparison));
        verdict.letters()
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
            (run(Ending::Killed(Limit::Tasks), 0, 0, 0), "RE", "RE"),
        ];
        for (run, if_right, if_wrong) in table {
            assert_eq!(letters(&run, Comparison::Same), if_right, "{run:?}");
            assert_eq!(letters(&run, different()), if_wrong, "{run:?}");
        }
    }

    #[test]
    fn which_time_and_which_crash_are_told() {
        let verdict =
            |ending, cpu_ms, wall_ms| decide(&run(ending, cpu_ms, wall_ms, 0), &LIMITS).unwrap();
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
    fn a_checker_speaks_by_its_exit_code() {
        let killed = [Limit::Cpu, Limit::Wall, Limit::Memory, Limit::Output].map(Ending::Killed);
        let exited = [
            (0, "AC"),
            (1, "WA"),
            (2, "WA"),
            (3, "JE"),
            (4, "JE"),
            (7, "JE"),
            (-1, "JE"),
        ]
        .map(|(code, letters)| (Ending::Exited(code), letters));
        let failed = killed
            .into_iter()
            .chain([Ending::Signaled(11)])
            .map(|ending| (ending, "JE"));
        for (ending, letters) in exited.into_iter().chain(failed) {
            let verdict = of_checker(ending, b"why".to_vec());
            assert_eq!(verdict.letters(), letters, "{ending:?}");
            let message = (letters != "AC").then_some(&b"why"[..]);
            assert_eq!(verdict.checker_message(), message);
        }
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
