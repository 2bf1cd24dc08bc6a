//! `judge run`: the steps, one after the other.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::{CommandLine, Common, DEFAULT_PROFILE, MessageFormat, RunArguments};
use crate::compare::Comparator;
use crate::compile::{BuildOptions, Built, compile};
use crate::discover::{Case, Catalogue, Lack, Problem, discover, size_of};
use crate::error::Error;
use crate::execute::{Ending, Job, Limits, Run, Session, Usage, execute};
use crate::interrupt::Interrupt;
use crate::name::ProblemId;
use crate::report::{Again, CaseResult, Exit, Human, Json, Reporter, Start, Summary, Verbosity};
use crate::schedule::{Company, Next, in_order};
use crate::select::{Filters, select};
use crate::terminal::{self, Stdout};
use crate::verdict::{Verdict, decide, deserves_a_run_alone};

const DEFAULT_CPU_LIMIT: Duration = Duration::from_secs(1);
const DEFAULT_MEMORY_LIMIT_KIB: u64 = 256 * 1024;

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
            let (out, again) = (terminal::stdout(common.color), again(common, arguments));
            let mut report = Human::new(
                out,
                &catalogue.problems,
                verbosity,
                terminal::width(),
                again,
            );
            judge(root, common, arguments, &catalogue, &mut report)
        }
        MessageFormat::Json => {
            let mut report = Json {
                out: io::stdout(),
                complaints: io::stderr(),
            };
            let result = selected(root, arguments)
                .and_then(|catalogue| judge(root, common, arguments, &catalogue, &mut report));
            if result.is_err() {
                // Whoever reads the lines must not wait for one that never comes.
                report
                    .end(&Summary::unable())
                    .map_err(|source| Error::Report { source })?;
            }
            result
        }
    }
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
        catalogue
            .complaints
            .retain(|complaint| !matches!(complaint.kind, Lack::Crate | Lack::Folder));
    }
    let is_pairless = |lack: Lack| lack != Lack::Cases;
    let has_case = catalogue
        .problems
        .iter()
        .any(|problem| !problem.cases.is_empty());
    if !has_case
        && !catalogue
            .complaints
            .iter()
            .any(|complaint| is_pairless(complaint.kind))
    {
        return Err(Error::NoCases(root.join("problems")));
    }
    Ok(catalogue)
}

/// Builds, runs, compares and reports.
fn judge(
    root: &Path,
    common: &Common,
    arguments: &RunArguments,
    catalogue: &Catalogue,
    report: &mut impl Reporter,
) -> Result<Exit, Error> {
    let interrupt = Interrupt::install().map_err(|source| Error::SetUp { source })?;
    let is_judged = |problem: &&Problem| problem.has_crate || arguments.exec.is_some();
    let problems = || catalogue.problems.iter().filter(is_judged);
    let cases: Vec<(&Problem, &Case)> = problems()
        .flat_map(|problem| problem.cases.iter().map(move |case| (problem, case)))
        .collect();
    let n_workers = arguments.jobs.unwrap_or_else(n_cores);
    let start = Start {
        n_problems: problems().count(),
        n_cases: cases.len(),
        n_jobs: n_workers.get(),
    };
    say(report.start(&start))?;
    for complaint in &catalogue.complaints {
        say(report.complaint(complaint))?;
    }
    let programs = match &arguments.exec {
        Some(command) => Programs::Command(command),
        None => {
            let ids: Vec<ProblemId> = problems()
                .filter(|problem| !problem.cases.is_empty())
                .map(|problem| problem.id.clone())
                .collect();
            let options = BuildOptions {
                profile: arguments.profile.clone(),
                is_quiet: common.quiet,
                wants_color: terminal::wants_color(common.color),
            };
            Programs::Built(compile(root, &ids, &options, &interrupt)?)
        }
    };
    // Not earlier: cargo has a use for descriptors and limits that a solution must not inherit.
    let session = Session::new(interrupt).map_err(|source| Error::SetUp { source })?;
    say(report.judging())?;
    let court = Court {
        session: &session,
        arguments,
        programs,
        company: Company::default(),
        n_workers,
    };
    let (n_accepted, n_rejected, wall) = court.judge_all(&cases, report)?;
    let n_complaints = catalogue.complaints.len();
    let exit = if session.interrupt().is_set() {
        Exit::Interrupted
    } else if n_rejected > 0 || n_complaints > 0 {
        Exit::Rejected
    } else {
        Exit::AllAccepted
    };
    let summary = Summary {
        n_accepted,
        n_rejected,
        n_complaints,
        n_cases: cases.len(),
        wall,
        exit,
    };
    say(report.end(&summary))?;
    Ok(exit)
}

fn say(said: io::Result<()>) -> Result<(), Error> {
    said.map_err(|source| Error::Report { source })
}

fn n_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Where the programs come from.
enum Programs<'a> {
    Command(&'a CommandLine),
    Built(BTreeMap<ProblemId, Built>),
}

/// All that is the same for every case of a run.
struct Court<'a> {
    session: &'a Session,
    arguments: &'a RunArguments,
    programs: Programs<'a>,
    company: Company,
    n_workers: NonZeroUsize,
}

/// What became of one case.
struct Judged {
    /// None if it was interrupted.
    verdict: Option<Verdict>,
    limits: Limits,
    run: Option<Run>,
    first: Option<Usage>,
}

impl Court<'_> {
    /// Judges all cases and reports them in their order. Returns how many were accepted and
    /// rejected, and how long it took.
    fn judge_all(
        &self,
        cases: &[(&Problem, &Case)],
        report: &mut impl Reporter,
    ) -> Result<(usize, usize, Duration), Error> {
        let begin = Instant::now();
        let (mut n_accepted, mut n_rejected) = (0, 0);
        let work = |index: usize| {
            let (problem, case) = cases[index];
            self.judge_case(problem, case)
        };
        in_order(cases.len(), self.n_workers, work, |index, judged| {
            let judged = judged?;
            let Some(verdict) = &judged.verdict else {
                return Ok(Next::Stop);
            };
            let (problem, case) = cases[index];
            let Judged {
                limits, run, first, ..
            } = &judged;
            let (run, limits, first) = (run.as_ref(), *limits, *first);
            say(report.case(&CaseResult {
                problem,
                case,
                verdict,
                limits,
                run,
                first,
            }))?;
            if verdict.is_accepted() {
                n_accepted += 1;
            } else {
                n_rejected += 1;
            }
            let is_over = self.arguments.fail_fast && !verdict.is_accepted();
            Ok(if is_over { Next::Stop } else { Next::GoOn })
        })?;
        Ok((n_accepted, n_rejected, begin.elapsed()))
    }

    /// Judges one case; the errors are those that end everything.
    fn judge_case(&self, problem: &Problem, case: &Case) -> Result<Judged, Error> {
        let not_run = |verdict| Judged {
            verdict,
            limits: self.limits(problem, 0),
            run: None,
            first: None,
        };
        if self.session.interrupt().is_set() {
            return Ok(not_run(None));
        }
        let built: Vec<OsString>;
        let command = match &self.programs {
            Programs::Command(command) => &command.words,
            Programs::Built(built_programs) => match built_programs.get(&problem.id) {
                Some(Ok(binary)) => {
                    built = vec![binary.clone().into_os_string()];
                    &built
                }
                Some(Err(message)) => {
                    return Ok(not_run(Some(Verdict::CompileError(message.clone()))));
                }
                None => return Ok(not_run(None)),
            },
        };
        match self.run_and_compare(command, problem, case) {
            Ok(judged) => Ok(judged),
            Err(Failure::Case(message)) => Ok(not_run(Some(Verdict::JudgeError(message)))),
            Err(Failure::All(error)) => Err(error),
        }
    }

    fn run_and_compare(
        &self,
        command: &[OsString],
        problem: &Problem,
        case: &Case,
    ) -> Result<Judged, Failure> {
        let expected_size =
            size_of(&case.expected).map_err(|error| Failure::of_file(&case.expected, &error))?;
        let limits = self.limits(problem, expected_size);
        let job = Job {
            command,
            input: &case.input,
            limits,
        };
        let attempt = || attempt(&job, self.session, problem, case);
        let (attempted, had_company) = self.company.beside_others(attempt);
        let (mut run, mut verdict) = attempted?;
        let mut first = None;
        if had_company && deserves_a_run_alone(&run, &limits) {
            first = Some(run.usage);
            (run, verdict) = self.company.alone(attempt)?;
        }
        let verdict = (run.ending != Ending::Interrupted).then_some(verdict);
        Ok(Judged {
            verdict,
            limits,
            run: Some(run),
            first,
        })
    }

    /// The limits of a case: of the command line, else of the problem, else the usual ones.
    fn limits(&self, problem: &Problem, expected_size: u64) -> Limits {
        let RunArguments {
            time_limit,
            memory_limit,
            output_limit,
            ..
        } = self.arguments;
        let cpu = time_limit
            .or(problem.settings.time_limit)
            .unwrap_or(DEFAULT_CPU_LIMIT);
        let memory_kib = memory_limit.map(|mib| u64::from(mib) * 1024);
        Limits {
            cpu,
            wall: cpu * 3 + Duration::from_secs(1),
            memory_kib: memory_kib
                .or(problem.settings.memory_limit_kib)
                .unwrap_or(DEFAULT_MEMORY_LIMIT_KIB),
            output: output_limit.map_or(64 * 1024 + 2 * expected_size, |kib| u64::from(kib) * 1024),
        }
    }
}

/// Why a case could not be judged.
enum Failure {
    /// The next one may go better.
    Case(String),
    /// It would be the same with every other.
    All(Error),
}

impl Failure {
    fn of_file(path: &Path, error: &io::Error) -> Self {
        Self::Case(format!("cannot read {}: {error}", path.display()))
    }
}

/// One run and what it gives.
fn attempt(
    job: &Job<'_>,
    session: &Session,
    problem: &Problem,
    case: &Case,
) -> Result<(Run, Verdict), Failure> {
    // Opened here, so that what goes wrong later has to do with the program.
    File::open(&case.input).map_err(|error| Failure::of_file(&case.input, &error))?;
    let expected =
        File::open(&case.expected).map_err(|error| Failure::of_file(&case.expected, &error))?;
    let mut comparator = Comparator::new(problem.settings.compare, expected);
    let mut fed = Ok(());
    let run = execute(job, session, &mut |bytes| {
        if fed.is_ok() {
            fed = comparator.feed(bytes);
        }
    });
    let run = run.map_err(|source| {
        let program = job.command[0].to_string_lossy().into_owned();
        Failure::All(Error::Start { program, source })
    })?;
    let comparison = fed.and_then(|()| comparator.finish());
    let comparison = comparison.map_err(|error| Failure::of_file(&case.expected, &error))?;
    let verdict = decide(&run, &job.limits, comparison);
    Ok((run, verdict))
}

/// The command that judges again as this one does: with the options that bear on the verdict.
fn again(common: &Common, arguments: &RunArguments) -> Again {
    let mut words = vec![terminal::own_command()];
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| {
            let value = shlex::try_quote(&value)
                .map_or_else(|_| value.clone(), |quoted| quoted.into_owned());
            format!("{name} {value}")
        }));
    };
    option(
        "--root",
        common.root.as_ref().map(|root| root.display().to_string()),
    );
    option(
        "--exec",
        arguments.exec.as_ref().map(|command| command.text.clone()),
    );
    option(
        "--time-limit",
        arguments
            .time_limit
            .map(|limit| limit.as_secs_f64().to_string()),
    );
    option(
        "--memory-limit",
        arguments.memory_limit.map(|limit| limit.to_string()),
    );
    option(
        "--output-limit",
        arguments.output_limit.map(|limit| limit.to_string()),
    );
    let profile = &arguments.profile;
    option(
        "--profile",
        (profile != DEFAULT_PROFILE).then(|| profile.clone()),
    );
    Again(words.join(" "))
}

impl Summary {
    /// The end of a run that never came to judge anything.
    fn unable() -> Self {
        Self {
            n_accepted: 0,
            n_rejected: 0,
            n_complaints: 0,
            n_cases: 0,
            wall: Duration::ZERO,
            exit: Exit::Unable,
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
    let mut out: Stdout = terminal::stdout(common.color);
    crate::report::list(&mut out, &catalogue)
        .and_then(|()| out.flush())
        .map_err(|source| Error::Report { source })?;
    Ok(Exit::AllAccepted)
}
