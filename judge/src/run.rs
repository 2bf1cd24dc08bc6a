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
use crate::discover::{Case, Problem, discover, find_root, secrets};
use crate::error::Error;
use crate::execute::{Session, Setup, unblock_signals};
use crate::interrupt::Interrupt;
use crate::record::Names;
use crate::replace::Replacement;
use crate::report::{
    self, Annotations, CaseResult, Exit, Human, Json, Junit, Look, Reporter, Several, Start,
    Summary, Verbosity,
};
use crate::schedule::{Company, News, Next, in_order};
use crate::select::case_name;
use crate::selection::Selection;
use crate::terminal;

/// Judges what the arguments mean, and says so on standard output.
///
/// # Errors
///
/// If the judge cannot do its work.
pub(crate) fn run(common: &Common, arguments: &RunArguments) -> Result<Exit, Error> {
    let prepared = root(common).and_then(|root| {
        let junit = arguments.junit.as_deref().map(replacement).transpose()?;
        Ok((Selection::new(root, arguments)?, junit))
    });
    match prepared {
        Ok((selection, junit)) => judge(&selection, common, arguments, junit),
        Err(error) => {
            if arguments.message_format == MessageFormat::Json {
                // Whoever reads the lines must not wait for one that never comes.
                say(json(common).end(&Summary::unable()))?;
            }
            Err(error)
        }
    }
}

/// A file for a report, before there is one.
fn replacement(path: &Path) -> Result<Replacement, Error> {
    Replacement::new(path).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn json(common: &Common) -> Json<io::Stdout, impl io::Write + use<>> {
    Json {
        out: io::stdout(),
        errors: terminal::stderr(common.color),
    }
}

fn human<'a>(
    common: &Common,
    arguments: &RunArguments,
    problems: &'a [Problem],
) -> Human<'a, impl io::Write + use<>, impl io::Write + use<>> {
    let look = Look {
        verbosity: match (common.quiet, common.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        },
        width: terminal::width(),
        again: arguments.again(common, &terminal::own_command()),
    };
    let (out, errors) = (
        terminal::stdout(common.color),
        terminal::stderr(common.color),
    );
    Human::new(out, errors, problems, look)
}

/// All who are told of the run.
fn reports<'a>(task: &'a Task<'_>, junit: Option<Replacement>) -> Several<'a> {
    let Task {
        selection,
        common,
        arguments,
        ..
    } = task;
    let mut reports: Vec<Box<dyn Reporter + 'a>> = Vec::new();
    match arguments.message_format {
        MessageFormat::Human => {
            let problems = &selection.catalogue.problems;
            reports.push(Box::new(human(common, arguments, problems)));
        }
        MessageFormat::Json => reports.push(Box::new(json(common))),
    }
    if let Some(file) = junit {
        reports.push(Box::new(Junit::new(file, &selection.root, &task.cases)));
    }
    if let Some(workspace) = terminal::annotated_workspace(&selection.root) {
        // Not where the lines of another report may stand.
        reports.push(Box::new(Annotations::new(io::stderr(), &workspace)));
    }
    Several(reports)
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

/// What is to be done.
struct Task<'a> {
    selection: &'a Selection,
    common: &'a Common,
    arguments: &'a RunArguments,
    cases: Vec<(&'a Problem, &'a Case)>,
    n_workers: NonZeroUsize,
}

/// What has been done so far.
#[derive(Default)]
struct Progress {
    accepted: Names,
    n_rejected: usize,
    /// When the first run began.
    begin: Option<Instant>,
    is_interrupted: bool,
}

/// Builds, judges and reports.
fn judge(
    selection: &Selection,
    common: &Common,
    arguments: &RunArguments,
    junit: Option<Replacement>,
) -> Result<Exit, Error> {
    let task = Task {
        selection,
        common,
        arguments,
        cases: selection.cases(),
        n_workers: arguments.jobs.unwrap_or_else(n_cores),
    };
    let mut report = reports(&task, junit);
    let mut progress = Progress::default();
    // Whatever goes wrong from here on, every report gets its end.
    let judged =
        open(&task, &mut report).and_then(|()| build_and_judge(&task, &mut report, &mut progress));
    let n_complaints = selection.catalogue.complaints.len();
    let exit = match &judged {
        Err(_) => Exit::Unable,
        Ok(()) if progress.is_interrupted => Exit::Interrupted,
        Ok(()) if progress.n_rejected > 0 || n_complaints > 0 => Exit::Rejected,
        Ok(()) => Exit::AllAccepted,
    };
    if progress.begin.is_some()
        && let Some(note) = selection.remember(&progress.accepted)
    {
        // A reader that went away is told so below.
        let _ = report.note(&note);
    }
    let wall = progress
        .begin
        .map_or(Duration::ZERO, |begin| begin.elapsed());
    let ended = report.end(&Summary {
        n_accepted: progress.accepted.len(),
        n_rejected: progress.n_rejected,
        n_complaints,
        n_cases: task.cases.len(),
        wall,
        exit,
    });
    // What went wrong first is what is told.
    judged.and_then(|()| say(ended))?;
    Ok(exit)
}

/// What there is to say before anything is built.
fn open(task: &Task<'_>, report: &mut dyn Reporter) -> Result<(), Error> {
    let selection = task.selection;
    say(report.start(&Start {
        n_problems: selection.problems().count(),
        n_cases: task.cases.len(),
        n_jobs: task.n_workers.get(),
    }))?;
    for note in &selection.notes {
        say(report.note(note))?;
    }
    for complaint in &selection.catalogue.complaints {
        say(report.complaint(complaint))?;
    }
    Ok(())
}

fn build_and_judge(
    task: &Task<'_>,
    report: &mut dyn Reporter,
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
        Some(secrets(&task.selection.root)?)
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
    report: &mut dyn Reporter,
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
    let build = compile(&task.selection.root, &needed, &options, interrupt)?;
    for warning in &build.warnings {
        say(report.warning(warning))?;
    }
    Ok(build.programs)
}

/// Counts and reports one case.
fn take(
    (problem, case): (&Problem, &Case),
    judged: &Judged,
    report: &mut dyn Reporter,
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
        progress.accepted.insert(case_name(&problem.id, case));
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
