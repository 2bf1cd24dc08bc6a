//! The report for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::progress::Progress;
use super::style::{BOLD, DIM, GREEN, RED, YELLOW, letters};
use super::tally::{Tally, title};
use super::text::{count, time, visible};
use super::{CaseResult, Exit, Reporter, Start, Summary};
use crate::discover::{Catalogue, Complaint, Problem};
use crate::name::ProblemId;
use crate::select::case_name;
use crate::terminal::shell_quoted;

/// How many failures of a problem are named at the end.
const NAMED_AT_THE_END: usize = 8;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The command that judges some cases again: all that comes before their names.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    pub(crate) command: String,
    /// Names that would be taken for commands.
    pub(crate) commands: Vec<String>,
}

impl Again {
    /// With the whole name of a problem or a case.
    pub(super) fn command(&self, name: &str) -> String {
        let run = if self.commands.iter().any(|command| command == name) {
            " run"
        } else {
            ""
        };
        format!("{}{run} --exact {}", self.command, shell_quoted(name))
    }
}

/// How a report is to look.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) verbosity: Verbosity,
    /// Characters that fit in a line.
    pub(crate) width: usize,
    pub(crate) again: Again,
}

/// Writes the report to `out`, a line for each problem, and what is no part of it to `errors`.
pub(crate) struct Human<'a, Out, Errors> {
    out: Out,
    errors: Errors,
    look: Look,
    /// The problems that will come.
    problems: &'a [Problem],
    progress: Progress,
    current: Option<Tally<'a>>,
    /// What was not accepted of each problem: cases, or all of it, each with its verdict.
    failures: BTreeMap<ProblemId, Vec<(String, &'static str)>>,
    complaints: Vec<Complaint>,
    /// What compilers said, so that it is said once.
    compile_errors: BTreeSet<String>,
}

impl<'a, Out: Write, Errors: Write> Human<'a, Out, Errors> {
    pub(crate) fn new(out: Out, errors: Errors, problems: &'a [Problem], look: Look) -> Self {
        Self {
            out,
            errors,
            look,
            problems,
            progress: Progress::new(0, false),
            current: None,
            failures: BTreeMap::new(),
            complaints: Vec::new(),
            compile_errors: BTreeSet::new(),
        }
    }

    /// Writes what is known of the problem whose cases are all in.
    fn finish_problem(&mut self) -> io::Result<()> {
        let Some(tally) = self.current.take() else {
            return Ok(());
        };
        if tally.is_all_accepted() && self.look.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let width = id_width(self.problems);
        let out = &mut self.out;
        self.progress.suspend(|| {
            tally.write(out, width)?;
            out.flush()
        })
    }

    /// Remembers what was not accepted. A problem that does not compile is one failure.
    fn note_failure(&mut self, result: &CaseResult<'_>) {
        let id = &result.problem.id;
        let name = match result.verdict.compiler_text() {
            Some(_) => id.to_string(),
            None => case_name(id, result.case),
        };
        let of_problem = self.failures.entry(id.clone()).or_default();
        if of_problem.last().is_none_or(|(last, _)| *last != name) {
            of_problem.push((name, result.verdict.letters()));
        }
    }

    /// Names what failed once more, since the first may have scrolled away: of every problem
    /// something.
    fn write_failures(&mut self) -> io::Result<()> {
        if !self.failures.is_empty() {
            writeln!(self.out, "\n{BOLD}not accepted{BOLD:#}")?;
        }
        let is_verbose = self.look.verbosity == Verbosity::Verbose;
        let most = if is_verbose {
            usize::MAX
        } else {
            NAMED_AT_THE_END
        };
        for (id, failures) in &self.failures {
            for (name, verdict) in failures.iter().take(most) {
                let again = self.look.again.command(name);
                writeln!(self.out, "    {}  {again}", letters(verdict, 3))?;
            }
            if failures.len() > most {
                let n_more = failures.len() - most;
                writeln!(self.out, "    … and {n_more} more of {id}; -v names all")?;
            }
        }
        Ok(())
    }

    fn write_complaints(&mut self) -> io::Result<()> {
        if !self.complaints.is_empty() {
            writeln!(self.out, "\n{BOLD}not whole{BOLD:#}")?;
        }
        for complaint in &self.complaints {
            writeln!(self.out, "    {}", complaint_line(complaint))?;
        }
        Ok(())
    }
}

impl<Out: Write, Errors: Write> Reporter for Human<'_, Out, Errors> {
    fn start(&mut self, start: &Start) -> io::Result<()> {
        self.progress = Progress::new(start.n_cases, self.look.verbosity != Verbosity::Quiet);
        Ok(())
    }

    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        self.complaints.push(complaint.clone());
        Ok(())
    }

    fn warning(&mut self, text: &str) -> io::Result<()> {
        if self.look.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.errors.write_all(text.as_bytes())
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        if self.look.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        writeln!(self.errors, "note: {text}")
    }

    fn judging(&mut self) -> io::Result<()> {
        self.progress.begin();
        Ok(())
    }

    fn progress(&mut self, n_done: usize) -> io::Result<()> {
        self.progress.show(n_done);
        Ok(())
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        if self
            .current
            .as_ref()
            .is_none_or(|tally| !tally.is_of(result.problem))
        {
            self.finish_problem()?;
            let problem = self
                .problems
                .iter()
                .find(|problem| problem.id == result.problem.id);
            self.current = problem.map(Tally::new);
        }
        if let Some(tally) = &mut self.current {
            let text = result.verdict.compiler_text();
            let is_news = text.is_none_or(|text| self.compile_errors.insert(text.to_owned()));
            tally.take(result, &self.look, is_news)?;
        }
        if !result.verdict.is_accepted() {
            self.note_failure(result);
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.finish_problem()?;
        self.progress.finish();
        if summary.exit == Exit::Interrupted {
            // What cargo was drawing, if the terminal's Ctrl-C ended it in the middle.
            let terminal = console::Term::stderr();
            let _ = if terminal.is_term() {
                terminal.clear_line()
            } else {
                Ok(())
            };
        }
        let n_judged = summary.n_accepted + summary.n_rejected;
        if summary.exit == Exit::Unable && n_judged == 0 {
            // The error that follows says all there is to say.
            return self.out.flush();
        }
        self.write_failures()?;
        self.write_complaints()?;
        if !self.failures.is_empty() || !self.complaints.is_empty() {
            writeln!(self.out)?;
        }
        writeln!(self.out, "{}", summary_line(summary))?;
        self.out.flush()
    }
}

/// The line that says how it all ended.
fn summary_line(summary: &Summary) -> String {
    let n_judged = summary.n_accepted + summary.n_rejected;
    let judged = format!("{} judged", count(n_judged, "case"));
    let rest = match summary.n_cases - n_judged {
        0 => String::new(),
        n_left => format!("; {n_left} not judged"),
    };
    let (accepted, rejected) = (summary.n_accepted, summary.n_rejected);
    let took = time(summary.wall);
    match summary.exit {
        Exit::Interrupted => {
            format!("{YELLOW}interrupted{YELLOW:#}: {judged}, {accepted} accepted{rest}")
        }
        Exit::Unable => format!("{RED}stopped{RED:#}: {judged}, {accepted} accepted{rest}"),
        _ if rejected > 0 => {
            format!("{RED}{rejected} not accepted{RED:#} of {judged} in {took}{rest}")
        }
        _ if summary.n_complaints > 0 && n_judged == 0 => {
            format!("{YELLOW}not whole{YELLOW:#}: nothing to judge")
        }
        _ if summary.n_complaints > 0 => {
            format!("{YELLOW}not whole{YELLOW:#}: {judged} in {took}, all of them accepted")
        }
        _ if n_judged == 0 => "nothing to judge".to_owned(),
        _ => format!(
            "{GREEN}all accepted{GREEN:#}: {} in {took}",
            count(n_judged, "case")
        ),
    }
}

/// The catalogue: a line for each problem, then what is not whole.
pub(crate) fn list(out: &mut impl Write, catalogue: &Catalogue) -> io::Result<()> {
    let width = id_width(&catalogue.problems);
    for problem in &catalogue.problems {
        let cases = count(problem.cases.len(), "case");
        let title = title(&problem.settings);
        let tags = problem.settings.tags.join(", ");
        let tags = if tags.is_empty() {
            tags
        } else {
            format!("  {DIM}[{tags}]{DIM:#}")
        };
        let source = problem.settings.source.as_deref().unwrap_or_default();
        let id = format!("{BOLD}{:width$}{BOLD:#}", problem.id);
        let line = format!("{id}  {cases:>9}  {title}{tags}  {source}");
        writeln!(out, "{}", line.trim_end())?;
    }
    for complaint in &catalogue.complaints {
        writeln!(out, "{}", complaint_line(complaint))?;
    }
    out.flush()
}

fn complaint_line(complaint: &Complaint) -> String {
    format!(
        "{}: {}",
        visible(complaint.key.as_bytes()),
        complaint.kind.message()
    )
}

fn id_width(problems: &[Problem]) -> usize {
    problems
        .iter()
        .map(|problem| problem.id.as_str().len())
        .max()
        .unwrap_or(0)
}
