//! A verdict in one line, or in the compiler's lines.

use std::time::Duration;

use super::CaseResult;
use super::text::{crop, memory, time, visible};
use crate::compare::{Difference, Excerpt};
use crate::execute::Usage;
use crate::verdict::{Crash, TimeLimit, Verdict};

/// How much of a line of output is quoted.
const QUOTED: usize = 40;

/// Why a case has its verdict; none if it is accepted.
pub(super) fn describe(result: &CaseResult<'_>) -> Option<String> {
    let usage = result.run.map(|run| run.usage).unwrap_or_default();
    let limits = &result.limits;
    let why = match result.verdict {
        Verdict::Accepted => return None,
        Verdict::WrongAnswer(difference) => describe_difference(difference),
        Verdict::TimeLimit(which) => describe_time(result, &usage, *which),
        Verdict::MemoryLimit => {
            let peak = usage.peak_kib.map(memory).unwrap_or_default();
            format!("{peak} of memory, limit {}", memory(limits.memory_kib))
        }
        Verdict::OutputLimit => format!("more than {} bytes of output", limits.output),
        Verdict::RuntimeError(Crash::ExitCode(code)) => format!("exit code {code}"),
        Verdict::RuntimeError(Crash::Signal(signal)) => {
            format!("signal {signal} ({})", signal_name(*signal))
        }
        Verdict::CompileError(message) | Verdict::JudgeError(message) => message.clone(),
    };
    Some(why)
}

fn describe_time(result: &CaseResult<'_>, usage: &Usage, which: TimeLimit) -> String {
    let time = |usage: &Usage| match which {
        TimeLimit::Cpu => usage.cpu.unwrap_or_default(),
        TimeLimit::Wall => usage.wall,
    };
    let (kind, limit) = match which {
        TimeLimit::Cpu => ("of CPU time", result.limits.cpu),
        TimeLimit::Wall => ("on the clock", result.limits.wall),
    };
    let (used, limit) = (exact(time(usage)), exact(limit));
    let first = result.first.map(|first| exact(time(&first)));
    let first = first.map(|first| format!(" (alone; {first} beside other runs)"));
    format!("{used} {kind}, limit {limit}{}", first.unwrap_or_default())
}

/// A time in milliseconds, however long, so that it can be held against another.
fn exact(duration: Duration) -> String {
    if duration.as_millis() >= 10_000 {
        time(duration)
    } else {
        format!("{} ms", duration.as_millis())
    }
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { expected, found } = difference;
    let (line, column) = (found.line(), found.column());
    format!(
        "line {line}, column {column}: expected {}, found {}",
        quote(expected),
        quote(found)
    )
}

/// The line of a place in quotes, or that there is none.
fn quote(excerpt: &Excerpt) -> String {
    if excerpt.is_over() {
        return "the end".to_owned();
    }
    let line = excerpt
        .line_of_place()
        .map(|line| visible(line.text))
        .unwrap_or_default();
    format!("`{}`", crop(&line, excerpt.offset_in_line(), QUOTED))
}

#[cfg(unix)]
pub(super) fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("unknown")
}

#[cfg(not(unix))]
pub(super) fn signal_name(_: i32) -> &'static str {
    "unknown"
}
