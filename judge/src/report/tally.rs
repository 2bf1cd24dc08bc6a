//! One problem in the report for people: its line, and what is shown of its cases below it.

use std::io::{self, Write};
use std::time::Duration;

use super::CaseResult;
use super::case::{time_of, write_accepted, write_compile_error, write_help, write_rejected};
use super::human::{Look, Verbosity};
use super::style::{BOLD, letters};
use super::text::{count, memory, time, visible};
use crate::discover::{Problem, Settings};
use crate::select::case_name;

/// How many failures of a problem are shown in full, and how many are named at all.
const IN_FULL: usize = 2;
const NAMED: usize = 10;

/// What is known of a problem whose cases come in.
#[derive(Debug)]
pub(super) struct Tally<'a> {
    problem: &'a Problem,
    n_cases: usize,
    n_accepted: usize,
    n_leaky: usize,
    first_failure: Option<&'static str>,
    slowest: Option<Duration>,
    largest_kib: Option<u64>,
    /// What is to be shown below the line of the problem, which comes when all is known.
    details: Vec<u8>,
}

impl<'a> Tally<'a> {
    pub(super) const fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            n_cases: 0,
            n_accepted: 0,
            n_leaky: 0,
            first_failure: None,
            slowest: None,
            largest_kib: None,
            details: Vec::new(),
        }
    }

    pub(super) fn is_of(&self, problem: &Problem) -> bool {
        self.problem.id == problem.id
    }

    pub(super) const fn is_all_accepted(&self) -> bool {
        self.n_accepted == self.n_cases
    }

    /// Takes the next case. What a compiler says is shown if it is news.
    pub(super) fn take(
        &mut self,
        result: &CaseResult<'_>,
        look: &Look,
        is_news: bool,
    ) -> io::Result<()> {
        self.n_cases += 1;
        if let Some(run) = result.run {
            self.n_leaky += usize::from(run.is_leaky);
            self.slowest = self.slowest.max(Some(time_of(&run.usage)));
            self.largest_kib = self.largest_kib.max(run.usage.peak_kib);
        }
        let is_verbose = look.verbosity == Verbosity::Verbose;
        if result.verdict.is_accepted() {
            self.n_accepted += 1;
            return if is_verbose {
                write_accepted(&mut self.details, result)
            } else {
                Ok(())
            };
        }
        let n_failed_before = self.n_cases - self.n_accepted - 1;
        self.first_failure = self.first_failure.or(Some(result.verdict.letters()));
        match result.verdict.compiler_text() {
            Some(text) if is_news => write_compile_error(&mut self.details, text),
            Some(_) if n_failed_before == 0 => writeln!(self.details, "    as above"),
            Some(_) => Ok(()),
            None => self.write_failure(result, look, n_failed_before),
        }
    }

    fn write_failure(
        &mut self,
        result: &CaseResult<'_>,
        look: &Look,
        n_failed_before: usize,
    ) -> io::Result<()> {
        let is_verbose = look.verbosity == Verbosity::Verbose;
        if is_verbose || n_failed_before < NAMED {
            write_rejected(&mut self.details, result)?;
        }
        if is_verbose || n_failed_before < IN_FULL {
            let again = look
                .again
                .command(&case_name(&self.problem.id, result.case));
            write_help(&mut self.details, result, look.width, &again)?;
        }
        Ok(())
    }

    /// The line of the problem, and what belongs below it.
    pub(super) fn write(&self, out: &mut impl Write, id_width: usize) -> io::Result<()> {
        let n_all = self.problem.cases.len();
        let cases = match (self.is_all_accepted(), self.n_cases == n_all) {
            (true, true) => count(n_all, "case"),
            (false, true) => format!("{}/{}", self.n_accepted, count(n_all, "case")),
            // The run ended before all were judged.
            (_, false) => format!("{}/{} of {n_all}", self.n_accepted, self.n_cases),
        };
        let leaky = if self.n_leaky > 0 {
            format!("  {} leaky", self.n_leaky)
        } else {
            String::new()
        };
        let line = format!(
            "{}  {BOLD}{:id_width$}{BOLD:#}  {cases:>13}  {:>8}  {:>8}{leaky}  {}",
            letters(self.first_failure.unwrap_or("AC"), 3),
            self.problem.id,
            self.slowest.map(time).unwrap_or_default(),
            self.largest_kib.map(memory).unwrap_or_default(),
            title(&self.problem.settings),
        );
        writeln!(out, "{}", line.trim_end())?;
        out.write_all(&self.details)
    }
}

/// The titles that a problem has.
pub(super) fn title(settings: &Settings) -> String {
    let titles = [settings.title.as_deref(), settings.title_zh.as_deref()];
    let titles: Vec<&str> = titles.into_iter().flatten().collect();
    visible(titles.join(" · ").as_bytes())
}
