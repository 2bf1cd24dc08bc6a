//! `judge run`: the steps, one after the other.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::{Common, MessageFormat, RunArguments};
use crate::compile::{BuildOptions, compile};
use crate::court::{Court, Judged, Programs};
use crate::discover::{Case, Catalogue, Lack, Problem, discover};
use crate::error::Error;
use crate::execute::Session;
use crate::interrupt::Interrupt;
use crate::name::ProblemId;
use crate::report::{self, CaseResult, Exit, Human, Json, Reporter, Start, Summary, Verbosity};
use crate::schedule::{Company, Next, in_order};
use crate::select::{Filters, select};
use crate::terminal;

/// Judges what the arguments mean, and says so on standard output.
///
/// # Errors
///
/// If the judge cannot do its work.
pub(crate) fn run(root: &Path, common: &Common, arguments: &RunArguments) -> Result<Exit, Error> {
    match arguments.message_format {
        MessageFormat::Human => {
            let catalogue = selected(root, arguments)?;
            let verbosity = match (common.quiet, common.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            };
            let again = arguments.again(common, &terminal::own_command());
            let (out, width) = (terminal::stdout(common.color), terminal::width());
            let mut report = Human::new(out, &catalogue.problems, verbosity, width, again);
            judge(root, common, arguments, &catalogue, &mut report)
        }
        MessageFormat::Json => {
            let mut report = Json {
                out: io::stdout(),
                complaints: io::stderr(),
            };
            match selected(root, arguments) {
                Ok(catalogue) => judge(root, common, arguments, &catalogue, &mut report),
                Err(error) => {
                    // Whoever reads the lines must not wait for one that never comes.
                    say(report.end(&Summary::unable()))?;
                    Err(error)
                }
            }
        }
    }
}

/// `judge list`.
///
/// # Errors
///
/// If the catalogue cannot be read or printed.
pub(crate) fn list(root: &Path, common: &Common) -> Result<Exit, Error> {
    let catalogue = discover(root)?;
    say(report::list(
        &mut terminal::stdout(common.color),
        &catalogue,
    ))?;
    Ok(Exit::AllAccepted)
}

/// What there is to judge, and what of it lacks its partner.
fn selected(root: &Path, arguments: &RunArguments) -> Result<Catalogue, Error> {
    let filters = Filters {
        texts: arguments.filters.clone(),
        exact: arguments.exact,
    };
    let mut catalogue = select(discover(root)?, &filters)?;
    if arguments.exec.is_some() {
        if catalogue.problems.len() != 1 {
            return Err(Error::ExecNeedsOneProblem(catalogue.problems.len()));
        }
        let is_of_crate = |lack| matches!(lack, Lack::Crate | Lack::Folder);
        catalogue
            .complaints
            .retain(|complaint| !is_of_crate(complaint.kind));
    }
    let has_case = catalogue
        .problems
        .iter()
        .any(|problem| !problem.cases.is_empty());
    let lacks_partner = catalogue
        .complaints
        .iter()
        .any(|complaint| complaint.kind != Lack::Cases);
    if has_case || lacks_partner {
        Ok(catalogue)
    } else {
        Err(Error::NoCases(root.join("problems")))
    }
}

/// What is to be done.
struct Task<'a> {
    root: &'a Path,
    common: &'a Common,
    arguments: &'a RunArguments,
    cases: Vec<(&'a Problem, &'a Case)>,
    n_workers: NonZeroUsize,
}

/// What has been done so far.
#[derive(Default)]
struct Progress {
    n_accepted: usize,
    n_rejected: usize,
    /// When the first run began.
    begin: Option<Instant>,
    is_interrupted: bool,
}

/// Builds, judges and reports.
fn judge(
    root: &Path,
    common: &Common,
    arguments: &RunArguments,
    catalogue: &Catalogue,
    report: &mut impl Reporter,
) -> Result<Exit, Error> {
    let is_judged = |problem: &&Problem| problem.has_crate || arguments.exec.is_some();
    let problems = || catalogue.problems.iter().filter(is_judged);
    let cases =
        problems().flat_map(|problem| problem.cases.iter().map(move |case| (problem, case)));
    let n_workers = arguments.jobs.unwrap_or_else(n_cores);
    let task = Task {
        root,
        common,
        arguments,
        cases: cases.collect(),
        n_workers,
    };
    let (n_problems, n_cases) = (problems().count(), task.cases.len());
    say(report.start(&Start {
        n_problems,
        n_cases,
        n_jobs: n_workers.get(),
    }))?;
    for complaint in &catalogue.complaints {
        say(report.complaint(complaint))?;
    }
    let mut progress = Progress::default();
    let judged = build_and_judge(&task, report, &mut progress);
    let n_complaints = catalogue.complaints.len();
    let exit = match &judged {
        Err(_) => Exit::Unable,
        Ok(()) if progress.is_interrupted => Exit::Interrupted,
        Ok(()) if progress.n_rejected > 0 || n_complaints > 0 => Exit::Rejected,
        Ok(()) => Exit::AllAccepted,
    };
    let Progress {
        n_accepted,
        n_rejected,
        begin,
        ..
    } = progress;
    let wall = begin.map_or(Duration::ZERO, |begin| begin.elapsed());
    let ended = report.end(&Summary {
        n_accepted,
        n_rejected,
        n_complaints,
        n_cases,
        wall,
        exit,
    });
    // What went wrong first is what is told.
    judged.and_then(|()| say(ended))?;
    Ok(exit)
}

fn build_and_judge(
    task: &Task<'_>,
    report: &mut impl Reporter,
    progress: &mut Progress,
) -> Result<(), Error> {
    let Task {
        arguments, cases, ..
    } = task;
    let interrupt = Interrupt::install().map_err(|source| Error::SetUp { source })?;
    let programs = programs(task, &interrupt)?;
    // Not earlier: cargo has a use for descriptors and limits that a solution must not inherit.
    let session = Session::new(interrupt).map_err(|source| Error::SetUp { source })?;
    let court = Court {
        session: &session,
        arguments,
        programs,
        company: Company::default(),
    };
    say(report.judging())?;
    progress.begin = Some(Instant::now());
    let work = |index: usize| {
        let (problem, case) = cases[index];
        court.judge(problem, case)
    };
    in_order(cases.len(), task.n_workers, work, |index, judged| {
        let next = judged.and_then(|judged| take(cases[index], &judged, report, progress));
        let is_over = arguments.fail_fast && progress.n_rejected > 0;
        if next.is_err() || is_over {
            // Nobody waits for what is still running.
            session.interrupt().set();
        }
        if is_over {
            next.map(|_| Next::Stop)
        } else {
            next
        }
    })
}

/// The programs to judge, built if they are crates.
fn programs<'a>(task: &Task<'a>, interrupt: &Interrupt) -> Result<Programs<'a>, Error> {
    if let Some(command) = &task.arguments.exec {
        return Ok(Programs::Command(command));
    }
    let mut ids: Vec<ProblemId> = task
        .cases
        .iter()
        .map(|(problem, _)| problem.id.clone())
        .collect();
    ids.dedup();
    let options = BuildOptions {
        profile: task.arguments.profile.clone(),
        is_quiet: task.common.quiet,
        wants_color: terminal::wants_color(task.common.color),
    };
    compile(task.root, &ids, &options, interrupt).map(Programs::Built)
}

/// Counts and reports one case.
fn take(
    (problem, case): (&Problem, &Case),
    judged: &Judged,
    report: &mut impl Reporter,
    progress: &mut Progress,
) -> Result<Next, Error> {
    let Judged {
        verdict,
        limits,
        run,
        first,
    } = judged;
    let Some(verdict) = verdict else {
        progress.is_interrupted = true;
        return Ok(Next::Stop);
    };
    let (limits, run, first) = (*limits, run.as_ref(), *first);
    say(report.case(&CaseResult {
        problem,
        case,
        verdict,
        limits,
        run,
        first,
    }))?;
    if verdict.is_accepted() {
        progress.n_accepted += 1;
    } else {
        progress.n_rejected += 1;
    }
    Ok(Next::GoOn)
}

fn say(said: io::Result<()>) -> Result<(), Error> {
    said.map_err(|source| Error::Report { source })
}

fn n_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
