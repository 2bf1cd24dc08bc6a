//! One case in the report for people.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::Style;

use super::CaseResult;
use super::describe::{describe, is_longer_than_described};
use super::diff::{self, DiffLine, Tag};
use super::style::{DIM, GREEN, RED, letters};
use super::text::{count, crop, memory, time, visible};
use crate::execute::Usage;
use crate::terminal::shell_quoted;
use crate::verdict::{Rejection, Verdict};

/// How many lines of what a program said, and of a compiler's text, are shown.
const TEXT_LINES: usize = 12;
const COMPILER_LINES: usize = 24;

/// What stands before the details of a case.
const INDENT: usize = 8;

/// The line of an accepted case.
pub(super) fn write_accepted(out: &mut impl Write, result: &CaseResult<'_>) -> io::Result<()> {
    let Some(run) = result.run else { return Ok(()) };
    let used = time(time_of(&run.usage));
    let peak = run.usage.peak_kib.map(memory).unwrap_or_default();
    let leaky = if run.is_leaky { "  leaky" } else { "" };
    let first = result.first.map(|first| time(time_of(&first)));
    let first = first
        .map(|first| format!("  ({first} beside other runs)"))
        .unwrap_or_default();
    writeln!(
        out,
        "    {}  {}: {used}  {peak}{leaky}{first}",
        letters("AC", 0),
        name(result)
    )
}

/// The line of a case that was not accepted.
pub(super) fn write_rejected(out: &mut impl Write, result: &CaseResult<'_>) -> io::Result<()> {
    let why = describe(result).unwrap_or_default();
    let letters = letters(result.verdict.letters(), 0);
    writeln!(out, "    {letters}  {}: {}", name(result), why.trim_end())
}

/// What helps to understand why a case was not accepted.
pub(super) fn write_help(
    out: &mut impl Write,
    result: &CaseResult<'_>,
    width: usize,
    again: &str,
) -> io::Result<()> {
    let width = width.saturating_sub(INDENT);
    if let Verdict::WrongAnswer(Rejection::Different(difference)) = result.verdict {
        let digits = (difference.found.line() + 10).max(difference.expected.line() + 10);
        let width = width
            .saturating_sub(2 * digits.to_string().len() + "  - ".len() + 1)
            .max(8);
        write_diff(out, &diff::lines(difference, width))?;
    }
    let message = result.verdict.checker_message().unwrap_or_default();
    if is_longer_than_described(message) {
        write_text(out, "checker", message, width)?;
    }
    if let Some(run) = result.run {
        write_text(out, "standard error", &run.stderr, width)?;
    }
    writeln!(
        out,
        "        {DIM}input{DIM:#}  {}",
        shown_path(&result.case.input)
    )?;
    writeln!(out, "        {DIM}again{DIM:#}  {again}")
}

/// The first lines of what somebody said, if it is anything.
fn write_text(out: &mut impl Write, who: &str, text: &[u8], width: usize) -> io::Result<()> {
    let text = text.trim_ascii_end();
    if text.is_empty() {
        return Ok(());
    }
    writeln!(out, "        {DIM}{who}{DIM:#}")?;
    for line in text.split(|&byte| byte == b'\n').take(TEXT_LINES) {
        let line = crop(&visible(line.trim_ascii_end()), 0, width.max(8));
        writeln!(out, "        {line}")?;
    }
    Ok(())
}

/// A diff, with the numbers of the lines on either side before them.
fn write_diff(out: &mut impl Write, lines: &[DiffLine]) -> io::Result<()> {
    let numbers = lines
        .iter()
        .flat_map(|line| [line.expected_number, line.found_number]);
    let digits = numbers.flatten().max().unwrap_or(0).to_string().len();
    let number = |number: Option<usize>| number.map(|n| n.to_string()).unwrap_or_default();
    writeln!(
        out,
        "        {RED}- expected{RED:#}  {GREEN}+ found{GREEN:#}"
    )?;
    for line in lines {
        let (sign, style) = match line.tag {
            Tag::Both => (' ', Style::new()),
            Tag::Expected => ('-', RED),
            Tag::Found => ('+', GREEN),
        };
        let (old, new) = (number(line.expected_number), number(line.found_number));
        let text = format!("{style}{sign} {}{style:#}", line.text);
        writeln!(
            out,
            "        {DIM}{old:>digits$} {new:>digits$}{DIM:#}  {text}"
        )?;
    }
    Ok(())
}

/// The compiler's text as it stands, colors included, but not more than a screenful.
pub(super) fn write_compile_error(out: &mut impl Write, text: &str) -> io::Result<()> {
    let n_lines = text.lines().count();
    for line in text.lines().take(COMPILER_LINES) {
        writeln!(out, "    {line}")?;
    }
    if n_lines > COMPILER_LINES {
        writeln!(
            out,
            "    … and {} more",
            count(n_lines - COMPILER_LINES, "line")
        )?;
    }
    Ok(())
}

fn name(result: &CaseResult<'_>) -> String {
    visible(result.case.name.as_bytes())
}

/// The time that a limit is about: of the processor, where the system tells it.
pub(super) fn time_of(usage: &Usage) -> Duration {
    usage.cpu.unwrap_or(usage.wall)
}

/// A path as one would type it in the current folder.
fn shown_path(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    let bytes = || path.as_os_str().as_encoded_bytes();
    path.to_str().map_or_else(|| visible(bytes()), shell_quoted)
}
