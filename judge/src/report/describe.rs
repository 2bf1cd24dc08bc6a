//! A verdict in one line, or in the compiler's lines.

use std::time::Duration;

use super::CaseResult;
use super::diff;
use super::text::{crop, memory, time, visible};
use crate::compare::{Difference, Excerpt, Rule, is_white, number};
use crate::execute::{Ending, Limit, MOST_TASKS, Usage};
use crate::verdict::{Crash, Flaw, Rejection, TimeLimit, Trouble, Verdict};

/// How much of a line of output is quoted.
const QUOTED: usize = 40;

/// How much of the first line of a checker's message is shown beside the verdict.
const MESSAGE_WIDTH: usize = 200;

/// Why a case has its verdict; none if it is accepted.
pub(super) fn describe(result: &CaseResult<'_>) -> Option<String> {
    let usage = result.run.map(|run| run.usage).unwrap_or_default();
    let limits = &result.limits;
    let why = match result.verdict {
        Verdict::Accepted => return None,
        Verdict::WrongAnswer(Rejection::Different(difference)) => describe_difference(difference),
        Verdict::WrongAnswer(Rejection::Checker(flaw, message)) => {
            let what = match flaw {
                Flaw::Answer => "",
                Flaw::Presentation => "presentation: ",
            };
            let why = first_line(message).unwrap_or_else(|| "the checker does not say why".into());
            format!("{what}{why}")
        }
        Verdict::TimeLimit(which) => describe_time(result, &usage, *which),
        Verdict::MemoryLimit => {
            let peak = usage.peak_kib.map(memory).unwrap_or_default();
            format!("{peak} of memory, limit {}", memory(limits.memory_kib))
        }
        Verdict::OutputLimit => format!("more than {} bytes of output", limits.output),
        Verdict::RuntimeError(Crash::ExitCode(code)) => exit_code(*code),
        Verdict::RuntimeError(Crash::Signal(signal)) => signal_text(*signal),
        Verdict::CompileError(text) => text.clone(),
        Verdict::JudgeError(Trouble::Unable(text) | Trouble::NoChecker(text)) => text.clone(),
        Verdict::JudgeError(Trouble::Checker(ending, message)) => {
            let said = first_line(message).map(|line| format!(": {line}"));
            format!(
                "the checker failed: {}{}",
                how(*ending),
                said.unwrap_or_default()
            )
        }
        Verdict::RuntimeError(Crash::Tasks) => too_many_tasks(),
    };
    Some(why)
}

fn exit_code(code: i32) -> String {
    format!("exit code {code}")
}

fn signal_text(signal: i32) -> String {
    format!("signal {signal} ({})", signal_name(signal))
}

fn too_many_tasks() -> String {
    format!("more than {MOST_TASKS} processes and threads")
}

/// How a checker ended.
fn how(ending: Ending) -> String {
    match ending {
        Ending::Exited(code) => exit_code(code),
        Ending::Signaled(signal) => signal_text(signal),
        Ending::Killed(Limit::Cpu | Limit::Wall) => "it took too long".to_owned(),
        Ending::Killed(Limit::Memory) => "it used too much memory".to_owned(),
        Ending::Killed(Limit::Output) => "it wrote too much".to_owned(),
        Ending::Killed(Limit::Tasks) => too_many_tasks(),
        Ending::Interrupted => "interrupted".to_owned(),
    }
}

/// The first line of a checker's message that says something, fit to be printed.
fn first_line(message: &[u8]) -> Option<String> {
    let line = message.trim_ascii().split(|&byte| byte == b'\n').next()?;
    let line = visible(line.trim_ascii_end());
    (!line.is_empty()).then(|| crop(&line, 0, MESSAGE_WIDTH))
}

/// Whether [`describe`] leaves something out of a checker's message.
pub(super) fn is_longer_than_described(message: &[u8]) -> bool {
    let message = message.trim_ascii();
    message.contains(&b'\n') || visible(message).chars().count() > MESSAGE_WIDTH
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
    let (line, column) = difference.place();
    let [expected, found] = match difference.rule {
        Rule::Tokens | Rule::Float(_) => words(difference),
        Rule::Lines | Rule::Exact => lines(difference),
    }
    .map(|text| text.map_or_else(|| "the end".to_owned(), |text| format!("`{text}`")));
    let why = why_not_near(difference);
    format!("line {line}, column {column}: expected {expected}, found {found}{why}")
}

/// Where two numbers are the difference, why that is one.
fn why_not_near(difference: &Difference) -> String {
    let value = |side| number(&word_at_place(side).concat());
    let Rule::Float(tolerance) = difference.rule else {
        return String::new();
    };
    match (value(&difference.expected), value(&difference.found)) {
        (Some(expected), _) if expected.is_nan() => " (NaN equals nothing)".to_owned(),
        (Some(_), Some(_)) => format!(" (tolerance {tolerance})"),
        _ => String::new(),
    }
}

/// The first line of each side that differs, if there is one.
fn lines(difference: &Difference) -> [Option<String>; 2] {
    let (expected, found) = difference.first_lines();
    [(&difference.expected, expected), (&difference.found, found)].map(|(side, number)| {
        let line = side.lines().into_iter().find(|line| line.number == number);
        line.map(|line| diff::show(&line, side, difference.rule, QUOTED))
    })
}

/// The first word of each side that differs, if there is one.
fn words(difference: &Difference) -> [Option<String>; 2] {
    let sides = [&difference.expected, &difference.found].map(word_at_place);
    // Where one side has begun none, the other has come to the end of one that was right.
    let is_between = sides.iter().any(|[begun, _]| begun.is_empty());
    sides.map(|[begun, rest]| {
        let begun = if is_between { &[] } else { begun };
        let word = visible(&[begun, rest].concat());
        (!word.is_empty()).then(|| crop(&word, visible(begun).chars().count(), QUOTED))
    })
}

/// The word at the place of the difference: what of it stands before that, and after.
fn word_at_place(side: &Excerpt) -> [&[u8]; 2] {
    let before = side
        .lines()
        .into_iter()
        .find(|line| line.number == side.line());
    let before = before.map_or(&[][..], |line| {
        &line.text[..side.offset_in_line().min(line.text.len())]
    });
    let begun = before.rsplit(|&byte| is_white(byte)).next();
    let rest = side.rest().split(|&byte| is_white(byte)).next();
    [begun.unwrap_or_default(), rest.unwrap_or_default()]
}

/// The name of a signal, or its number if it has none.
pub(super) fn signal_name(signal: i32) -> String {
    #[cfg(unix)]
    if let Some(name) = signal_hook::low_level::signal_name(signal) {
        return name.to_owned();
    }
    format!("SIG{signal}")
}
