//! A verdict in one line, or in the compiler's lines.

use std::time::Duration;

use super::CaseResult;
use super::text::{crop, memory, time, visible};
use crate::compare::{Difference, Excerpt};
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
        Verdict::TimeLimit(TimeLimit::Cpu) => {
            let cpu = usage.cpu.unwrap_or_default();
            format!(
                "{} of CPU time, limit {}{}",
                exact(cpu),
                exact(limits.cpu),
                describe_first(result)
            )
        }
        Verdict::TimeLimit(TimeLimit::Wall) => {
            let cpu = usage
                .cpu
                .map(|cpu| format!(", {} of it CPU time", exact(cpu)))
                .unwrap_or_default();
            let wall = exact(usage.wall);
            format!(
                "{wall} on the clock{cpu}, limit {}{}",
                exact(limits.wall),
                describe_first(result)
            )
        }
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

fn describe_first(result: &CaseResult<'_>) -> String {
    let first = result.first.map(|first| first.cpu.unwrap_or(first.wall));
    first
        .map(|first| format!(" (alone; {} beside other runs)", exact(first)))
        .unwrap_or_default()
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
