//! `judge run`: the steps, one after the other.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::{Color, Common, GUARD, MessageFormat, RunArguments};
use crate::compile::{Binary, BuildOptions, Built, compile};
use crate::court::{Court, Judged, binaries};
use crate::discover::{Case, Catalogue, Lack, Problem, discover, find_root, secrets};
use crate::error::Error;
use crate::execute::{Session, Setup, unblock_signals};
use crate::interrupt::Interrupt;
use crate::report::{
    self, CaseResult, Exit, Human, Json, Look, Reporter, Start, Summary, Verbosity,
};
use crate::schedule::{Company, News, Next, in_order};
use crate::select::{Filters, select};
use crate::terminal;

/// Judges what the arguments mean, and says so on standard output.
///
/// # Errors
///
/// If the judge cannot do its work.
pub(crate) fn run(common: &Common, arguments: &RunArguments) -> Result<Exit, Error> {
    match arguments.message_format {
        MessageFormat::Human => {
            let (root, catalogue) = selected(common, arguments)?;
            let verbosity = match (common.quiet, common.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            };
            let again = arguments.again(common, &terminal::own_command());
            let (out, width) = (terminal::stdout(common.color), terminal::width());
            let (look, errors) = (
                Look {
                    verbosity,
                    width,
                    again,
                },
                terminal::stderr(common.color),
            );
            let mut report = Human::new(out, errors, &catalogue.problems, look);
            judge(&root, common, arguments, &catalogue, &mut report)
        }
        MessageFormat::Json => {
            let mut report = Json {
                out: io::stdout(),
                errors: terminal::stderr(common.color),
            };
            match selected(common, arguments) {
                Ok((root, catalogue)) => judge(&root, common, arguments, &catalogue, &mut report),
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
pub(crate) fn list(common: &Common) -> Result<Exit, Error> {
    let root = root(common)?;
    let mut catalogue = discover(&root)?;
    catalogue.read_settings(&root)?;
    if catalogue.problems.is_empty() && catalogue.complaints.is_empty() {
        return Err(Error::NoProblems(root.join("problems")));
    }
    say(report::list(
        &mut terminal::stdout(common.color),
        &catalogue,
    ))?;
    Ok(Exit::AllAccepted)
}

/// The folder that holds `problems/` and `crates/`.
fn root(common: &Common) -> Result<PathBuf, Error> {
    let cannot_read = |path: &Path, source| Error::Read {
        path: path.to_owned(),
        source,
    };
    if let Some(root) = &common.root {
        return std::path::absolute(root).map_err(|source| cannot_read(root, source));
    }
    let here = env::current_dir().map_err(|source| cannot_read(Path::new("."), source))?;
    find_root(&here)
}

/// What there is to judge, where it stands, and what of it lacks its partner.
fn selected(common: &Common, arguments: &RunArguments) -> Result<(PathBuf, Catalogue), Error> {
    let root = root(common)?;
    let filters = Filters {
        texts: arguments.filters.clone(),
        exact: arguments.exact,
    };
    let mut catalogue = select(discover(&root)?, &filters)?;
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
    if !has_case && !lacks_partner {
        return Err(Error::NoCases(root.join("problems")));
    }
    // Only now, so that a fault in one problem is no hindrance to judging another.
    catalogue.read_settings(&root)?;
    Ok((root, catalogue))
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
    let set_up = |source| Error::SetUp { source };
    unblock_signals();
    let interrupt = Interrupt::install().map_err(set_up)?;
    let programs = programs(task, &interrupt, report)?;
    // Not earlier: cargo has a use for descriptors and limits that a solution must not inherit.
    let session = session(task, interrupt)?;
    for note in session.notes() {
        say(report.note(note))?;
    }
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
    in_order(cases.len(), task.n_workers, work, |news| {
        let next = match news {
            News::Done(n_done) => say(report.progress(n_done)).map(|()| Next::GoOn),
            News::Result(index, judged) => {
                judged.and_then(|judged| take(cases[index], &judged, report, progress))
            }
        };
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

/// Prepares this process for running programs.
fn session(task: &Task<'_>, interrupt: Interrupt) -> Result<Session, Error> {
    let hidden = if task.arguments.no_sandbox {
        None
    } else {
        Some(secrets(task.root)?)
    };
    let setup = Setup {
        n_workers: task.n_workers.get(),
        hidden: hidden.as_deref(),
        guard: Some(GUARD),
    };
    Session::new(interrupt, &setup).map_err(|source| Error::SetUp { source })
}

/// The programs that are needed, built.
fn programs(
    task: &Task<'_>,
    interrupt: &Interrupt,
    report: &mut impl Reporter,
) -> Result<BTreeMap<Binary, Built>, Error> {
    let mut needed: Vec<Binary> = task
        .cases
        .iter()
        .flat_map(|(problem, _)| binaries(problem, task.arguments))
        .collect();
    needed.sort();
    needed.dedup();
    let options = BuildOptions {
        profile: task.arguments.profile.clone(),
        is_quiet: task.common.quiet,
        wants_color: terminal::wants_color(task.common.color),
        cargo_color: match task.common.color {
            Color::Auto => None,
            Color::Always => Some("always"),
            Color::Never => Some("never"),
        },
    };
    let build = compile(task.root, &needed, &options, interrupt)?;
    for warning in &build.warnings {
        say(report.warning(warning))?;
    }
    Ok(build.programs)
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
