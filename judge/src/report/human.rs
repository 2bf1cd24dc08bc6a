//! The report for people.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::describe::describe;
use super::diff::{self, DiffLine, Tag};
use super::progress::Progress;
use super::text::{count, crop, memory, time, visible};
use super::{CaseResult, Exit, Reporter, Start, Summary};
use crate::discover::{Catalogue, Complaint, Problem, Settings};
use crate::execute::Usage;
use crate::select::case_name;
use crate::verdict::Verdict;

/// How many failures of a problem are shown in full, and how many are named at all.
const IN_FULL: usize = 2;
const NAMED: usize = 10;

/// How many lines of a compiler's text or of standard error are shown.
const QUOTED_LINES: usize = 24;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The command that judges some cases again: all that comes before their names.
#[derive(Clone, Debug)]
pub(crate) struct Again(pub(crate) String);

impl Again {
    fn command(&self, name: &str) -> String {
        let name =
            shlex::try_quote(name).map_or_else(|_| name.to_owned(), |quoted| quoted.into_owned());
        format!("{} --exact {name}", self.0)
    }
}

/// Writes the report to `out`, a line for each problem.
pub(crate) struct Human<'a, Out> {
    out: Out,
    verbosity: Verbosity,
    /// Characters that fit in a line of a diff.
    width: usize,
    again: Again,
    /// The problems that will come, for the width of their column.
    problems: &'a [Problem],
    progress: Progress,
    current: Option<Tally<'a>>,
    failures: Vec<(String, &'static str)>,
    complaints: Vec<Complaint>,
}

/// What is known of the problem whose cases come in.
struct Tally<'a> {
    problem: &'a Problem,
    n_cases: usize,
    n_accepted: usize,
    n_leaky: usize,
    first_failure: Option<&'static str>,
    slowest: Option<std::time::Duration>,
    largest_kib: Option<u64>,
    /// Written once the line of the problem is.
    details: Vec<u8>,
}

impl<'a, Out: Write> Human<'a, Out> {
    pub(crate) fn new(
        out: Out,
        problems: &'a [Problem],
        verbosity: Verbosity,
        width: usize,
        again: Again,
    ) -> Self {
        let progress = Progress::new(0, false);
        let (current, failures, complaints) = (None, Vec::new(), Vec::new());
        Self {
            out,
            verbosity,
            width,
            again,
            problems,
            progress,
            current,
            failures,
            complaints,
        }
    }

    fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Writes the line of the problem whose cases are all in.
    fn finish_problem(&mut self) -> io::Result<()> {
        let Some(tally) = self.current.take() else {
            return Ok(());
        };
        if tally.n_accepted == tally.n_cases && self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        let width = self
            .problems
            .iter()
            .map(|problem| problem.id.as_str().len())
            .max()
            .unwrap_or(0);
        let out = &mut self.out;
        self.progress.suspend(|| {
            writeln!(out, "{}", tally.line(width).trim_end())?;
            out.write_all(&tally.details)?;
            out.flush()
        })
    }

    /// Writes why a case failed into the details of its problem.
    fn detail(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        let n_failed_before = self
            .current
            .as_ref()
            .map_or(0, |tally| tally.n_cases - tally.n_accepted - 1);
        let is_verbose = self.is_verbose();
        let again = self
            .again
            .command(&case_name(&result.problem.id, result.case));
        let Some(tally) = &mut self.current else {
            return Ok(());
        };
        let out = &mut tally.details;
        if !is_verbose && n_failed_before >= NAMED {
            return Ok(());
        }
        let letters = styled(result.verdict.letters(), style_of(result.verdict.letters()));
        write!(out, "    {letters}  {}", result.case.name)?;
        let why = describe(result).unwrap_or_default();
        match result.verdict {
            // The compiler says the same of every case.
            Verdict::CompileError(_) if n_failed_before > 0 => return writeln!(out),
            Verdict::CompileError(_) => {
                writeln!(out)?;
                return write_quoted(out, &why);
            }
            _ => writeln!(out, ": {}", why.trim_end())?,
        }
        if is_verbose || n_failed_before < IN_FULL {
            write_in_full(out, result, self.width)?;
            writeln!(
                out,
                "        {DIM}input{DIM:#}  {}",
                shown_path(&result.case.input)
            )?;
            writeln!(out, "        {DIM}again{DIM:#}  {again}")?;
        }
        Ok(())
    }

    /// Names all that failed once more, since the first may have scrolled away.
    fn write_failures(&mut self) -> io::Result<()> {
        if !self.failures.is_empty() {
            writeln!(self.out, "\n{BOLD}not accepted{BOLD:#}")?;
            let most = if self.is_verbose() {
                usize::MAX
            } else {
                2 * NAMED
            };
            for (name, letters) in self.failures.iter().take(most) {
                let letters = styled(&format!("{letters:<3}"), style_of(letters));
                writeln!(self.out, "    {letters}  {}", self.again.command(name))?;
            }
            if self.failures.len() > most {
                writeln!(
                    self.out,
                    "    … and {} more; -v shows all",
                    self.failures.len() - most
                )?;
            }
        }
        if !self.complaints.is_empty() {
            writeln!(self.out, "\n{BOLD}not whole{BOLD:#}")?;
            for complaint in &self.complaints {
                writeln!(
                    self.out,
                    "    {}: {}",
                    visible(complaint.key.as_bytes()),
                    complaint.kind.message()
                )?;
            }
        }
        Ok(())
    }
}

impl Tally<'_> {
    fn take(&mut self, result: &CaseResult<'_>) {
        self.n_cases += 1;
        if result.verdict.is_accepted() {
            self.n_accepted += 1;
        } else {
            self.first_failure = self.first_failure.or(Some(result.verdict.letters()));
        }
        if let Some(run) = result.run {
            self.n_leaky += usize::from(run.is_leaky);
            self.slowest = self.slowest.max(Some(time_of(&run.usage)));
            self.largest_kib = self.largest_kib.max(run.usage.peak_kib);
        }
    }

    fn line(&self, id_width: usize) -> String {
        let letters = self.first_failure.unwrap_or("AC");
        let cases = if self.n_accepted == self.n_cases {
            count(self.n_cases, "case")
        } else {
            format!("{}/{}", self.n_accepted, count(self.n_cases, "case"))
        };
        let leaky = if self.n_leaky > 0 {
            format!("  {} leaky", self.n_leaky)
        } else {
            String::new()
        };
        format!(
            "{}  {BOLD}{:id_width$}{BOLD:#}  {cases:>13}  {:>8}  {:>8}{leaky}  {}",
            styled(&format!("{letters:<3}"), style_of(letters)),
            self.problem.id,
            self.slowest.map(time).unwrap_or_default(),
            self.largest_kib.map(memory).unwrap_or_default(),
            title(&self.problem.settings),
        )
    }
}

impl<'a, Out: Write> Reporter for Human<'a, Out> {
    fn start(&mut self, start: &Start) -> io::Result<()> {
        self.progress = Progress::new(start.n_cases, self.verbosity != Verbosity::Quiet);
        Ok(())
    }

    fn judging(&mut self) -> io::Result<()> {
        self.progress.begin();
        Ok(())
    }

    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        self.complaints.push(complaint.clone());
        Ok(())
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        let id = &result.problem.id;
        if self
            .current
            .as_ref()
            .is_none_or(|tally| tally.problem.id != *id)
        {
            self.finish_problem()?;
            let problem = self.problems.iter().find(|problem| problem.id == *id);
            self.current = problem.map(Tally::new);
        }
        if let Some(tally) = &mut self.current {
            tally.take(result);
        }
        if !result.verdict.is_accepted() {
            self.failures.push((
                case_name(&result.problem.id, result.case),
                result.verdict.letters(),
            ));
            self.detail(result)?;
        } else if let (true, Some(tally)) = (self.is_verbose(), &mut self.current) {
            write_accepted(&mut tally.details, result)?;
        }
        self.progress.advance(id.as_str());
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.finish_problem()?;
        self.progress.finish();
        self.write_failures()?;
        if !self.failures.is_empty() || !self.complaints.is_empty() {
            writeln!(self.out)?;
        }
        writeln!(self.out, "{}", summary_line(summary))?;
        self.out.flush()
    }
}

impl<'a> Tally<'a> {
    fn new(problem: &'a Problem) -> Self {
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
}

/// The catalogue: a line for each problem, then what is not whole.
pub(crate) fn list(out: &mut impl Write, catalogue: &Catalogue) -> io::Result<()> {
    let width = catalogue
        .problems
        .iter()
        .map(|problem| problem.id.as_str().len())
        .max()
        .unwrap_or(0);
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
        let line = format!(
            "{BOLD}{:width$}{BOLD:#}  {cases:>9}  {title}{tags}  {source}",
            problem.id
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    for complaint in &catalogue.complaints {
        writeln!(
            out,
            "{}: {}",
            visible(complaint.key.as_bytes()),
            complaint.kind.message()
        )?;
    }
    out.flush()
}

fn title(settings: &Settings) -> String {
    let titles = [settings.title.as_deref(), settings.title_zh.as_deref()];
    titles.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn write_accepted(out: &mut Vec<u8>, result: &CaseResult<'_>) -> io::Result<()> {
    let Some(run) = result.run else { return Ok(()) };
    let peak = run.usage.peak_kib.map(memory).unwrap_or_default();
    let leaky = if run.is_leaky { "  leaky" } else { "" };
    let first = result
        .first
        .map(|first| format!("  ({} beside other runs)", time(time_of(&first))));
    let first = first.unwrap_or_default();
    let used = time(time_of(&run.usage));
    writeln!(
        out,
        "    {GREEN}AC{GREEN:#}  {}: {used}  {peak}{leaky}{first}",
        result.case.name
    )
}

/// What a person needs to see of a failure beside the reason for it.
fn write_in_full(out: &mut Vec<u8>, result: &CaseResult<'_>, width: usize) -> io::Result<()> {
    if let Verdict::WrongAnswer(difference) = result.verdict {
        write_diff(
            out,
            &diff::lines(difference, result.problem.settings.compare, width),
        )?;
    }
    let stderr = result
        .run
        .map(|run| run.stderr.trim_ascii_end())
        .unwrap_or_default();
    if !stderr.is_empty() {
        writeln!(out, "        {DIM}standard error{DIM:#}")?;
        let lines = stderr.split(|&byte| byte == b'\n');
        for line in lines.take(QUOTED_LINES / 2) {
            writeln!(
                out,
                "        {}",
                crop(&visible(line.trim_ascii_end()), 0, width)
            )?;
        }
    }
    Ok(())
}

/// A diff, with the numbers of the lines on either side before them.
fn write_diff(out: &mut Vec<u8>, lines: &[DiffLine]) -> io::Result<()> {
    let numbers = lines
        .iter()
        .flat_map(|line| [line.expected_number, line.found_number]);
    let digits = numbers.flatten().max().unwrap_or(0).to_string().len();
    let number =
        |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
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
fn write_quoted(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    let n_lines = text.lines().count();
    for line in text.lines().take(QUOTED_LINES) {
        writeln!(out, "        {line}")?;
    }
    if n_lines > QUOTED_LINES {
        writeln!(
            out,
            "        … and {} more",
            count(n_lines - QUOTED_LINES, "line")
        )?;
    }
    Ok(())
}

/// The line that says how it all ended.
fn summary_line(summary: &Summary) -> String {
    let n_judged = summary.n_accepted + summary.n_rejected;
    let cases = if n_judged == summary.n_cases {
        count(n_judged, "case")
    } else {
        format!("{n_judged} of {}", count(summary.n_cases, "case"))
    };
    let took = time(summary.wall);
    match summary.exit {
        Exit::Interrupted => {
            let accepted = summary.n_accepted;
            format!("{YELLOW}interrupted{YELLOW:#}: {cases} judged, {accepted} accepted")
        }
        _ if summary.n_rejected > 0 => {
            format!(
                "{RED}{} not accepted{RED:#} of {cases} judged in {took}",
                summary.n_rejected
            )
        }
        _ if summary.n_complaints > 0 => {
            format!("{YELLOW}not whole{YELLOW:#}: {cases} judged in {took}, all of them accepted")
        }
        _ => format!("{GREEN}all accepted{GREEN:#}: {cases} in {took}"),
    }
}

fn time_of(usage: &Usage) -> std::time::Duration {
    usage.cpu.unwrap_or(usage.wall)
}

fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

fn style_of(letters: &str) -> Style {
    match letters {
        "AC" => GREEN,
        "TLE" | "MLE" | "OLE" => YELLOW,
        _ => RED,
    }
}

/// A path as one would type it in the current folder.
fn shown_path(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    visible(
        path.strip_prefix(here)
            .unwrap_or(path)
            .as_os_str()
            .as_encoded_bytes(),
    )
}
