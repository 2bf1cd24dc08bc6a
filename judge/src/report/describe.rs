//! A verdict in one line, or in the compiler's lines.

use std::time::Duration;

use super::CaseResult;
use super::diff;
use super::text::{crop, memory, time, visible};
use crate::compare::{Difference, Excerpt, Rule, is_white};
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
        Verdict::WrongAnswer(difference) => {
            describe_difference(difference, result.problem.settings.compare)
        }
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

fn describe_difference(difference: &Difference, rule: Rule) -> String {
    let Difference { expected, found } = difference;
    let (first_expected, first_found) = difference.first_lines(rule);
    let (line, column) = difference.place(rule);
    let (expected, found) = (
        quote(expected, first_expected, rule),
        quote(found, first_found, rule),
    );
    format!("line {line}, column {column}: expected {expected}, found {found}")
}

/// A line of one side in quotes, by words only the word at the place; or that there is none.
fn quote(side: &Excerpt, line: usize, rule: Rule) -> String {
    let text = match rule {
        Rule::Tokens => {
            let before = side
                .lines()
                .into_iter()
                .find(|line| line.number == side.line());
            let before = before.map_or(&[][..], |line| {
                &line.text[..side.offset_in_line().min(line.text.len())]
            });
            let begun = before
                .rsplit(|&byte| is_white(byte))
                .next()
                .unwrap_or_default();
            let rest = side
                .rest()
                .split(|&byte| is_white(byte))
                .next()
                .unwrap_or_default();
            let word = visible(&[begun, rest].concat());
            (!word.is_empty()).then(|| crop(&word, visible(begun).chars().count(), QUOTED))
        }
        Rule::Lines | Rule::Exact => {
            let line = side
                .lines()
                .into_iter()
                .find(|candidate| candidate.number == line);
            line.map(|line| diff::show(&line, side, rule, QUOTED))
        }
    };
    text.map_or_else(|| "the end".to_owned(), |text| format!("`{text}`"))
}

/// The name of a signal, or its number if it has none.
pub(super) fn signal_name(signal: i32) -> String {
    #[cfg(unix)]
    if let Some(name) = signal_hook::low_level::signal_name(signal) {
        return name.to_owned();
    }
    format!("SIG{signal}")
}
