//! Judging one case: run, compare, decide, and run again alone where that is fairer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::cli::{CommandLine, RunArguments};
use crate::compare::Comparator;
use crate::compile::Built;
use crate::discover::{Case, Problem, Settings};
use crate::error::Error;
use crate::execute::{Ending, Job, Limits, Run, Session, Usage, execute};
use crate::name::ProblemId;
use crate::schedule::Company;
use crate::verdict::{Verdict, decide, deserves_a_run_alone};

const DEFAULT_CPU_LIMIT: Duration = Duration::from_secs(1);
const DEFAULT_MEMORY_LIMIT_KIB: u64 = 256 * 1024;

/// Where the programs come from.
pub(crate) enum Programs<'a> {
    Command(&'a CommandLine),
    Built(BTreeMap<ProblemId, Built>),
}

/// What is the same for every case.
pub(crate) struct Court<'a> {
    pub(crate) session: &'a Session,
    pub(crate) arguments: &'a RunArguments,
    pub(crate) programs: Programs<'a>,
    pub(crate) company: Company,
}

/// What became of one case.
pub(crate) struct Judged {
    /// None if the user ended it.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) limits: Limits,
    pub(crate) run: Option<Run>,
    /// What a first run beside others used, if there was a second one.
    pub(crate) first: Option<Usage>,
}

/// Why a case could not be judged.
enum Failure {
    /// The next one may go better.
    OfCase(String),
    /// It would be the same with every other.
    OfAll(Error),
}

impl Court<'_> {
    /// Judges one case.
    ///
    /// # Errors
    ///
    /// If it would be the same with every other: the program cannot be started.
    pub(crate) fn judge(&self, problem: &Problem, case: &Case) -> Result<Judged, Error> {
        let not_run = |verdict| Judged {
            verdict,
            limits: limits(self.arguments, &problem.settings, 0),
            run: None,
            first: None,
        };
        if self.session.interrupt().is_set() {
            return Ok(not_run(None));
        }
        let command = match &self.programs {
            Programs::Command(command) => command.words.clone(),
            Programs::Built(built) => match built.get(&problem.id) {
                Some(Ok(binary)) => vec![OsString::from(binary)],
                Some(Err(text)) => return Ok(not_run(Some(Verdict::CompileError(text.clone())))),
                // The build was interrupted.
                None => return Ok(not_run(None)),
            },
        };
        self.run_and_compare(&command, problem, case)
            .or_else(|failure| match failure {
                Failure::OfCase(message) => Ok(not_run(Some(Verdict::JudgeError(message)))),
                Failure::OfAll(error) => Err(error),
            })
    }

    fn run_and_compare(
        &self,
        command: &[OsString],
        problem: &Problem,
        case: &Case,
    ) -> Result<Judged, Failure> {
        let expected = fs::metadata(&case.expected).map_err(cannot_read(&case.expected))?;
        let limits = limits(self.arguments, &problem.settings, expected.len());
        let attempt = || self.attempt(command, problem, case, limits);
        let (attempted, had_company) = self.company.beside_others(attempt);
        let (mut run, mut verdict) = attempted?;
        let mut first = None;
        if had_company && deserves_a_run_alone(&run, &limits) {
            first = Some(run.usage);
            (run, verdict) = self.company.alone(attempt)?;
        }
        let is_over = run.ending != Ending::Interrupted;
        Ok(Judged {
            verdict: is_over.then_some(verdict),
            limits,
            run: Some(run),
            first,
        })
    }

    /// One run and what it gives.
    fn attempt(
        &self,
        command: &[OsString],
        problem: &Problem,
        case: &Case,
        limits: Limits,
    ) -> Result<(Run, Verdict), Failure> {
        let open = |path: &Path| File::open(path).map_err(cannot_read(path));
        let job = Job {
            command,
            input: open(&case.input)?,
            limits,
        };
        let mut comparator = Comparator::new(problem.settings.compare, open(&case.expected)?);
        let mut fed = Ok(());
        let run = execute(job, self.session, &mut |bytes| {
            if fed.is_ok() {
                fed = comparator.feed(bytes);
            }
        });
        let run = run.map_err(|source| self.cannot_start(command, source))?;
        let comparison = fed.and_then(|()| comparator.finish());
        let comparison = comparison.map_err(cannot_read(&case.expected))?;
        let verdict = decide(&run, &limits, comparison);
        Ok((run, verdict))
    }

    /// A command that was typed is at fault for every case, a binary that was built for its own.
    fn cannot_start(&self, command: &[OsString], source: io::Error) -> Failure {
        let program = command[0].to_string_lossy().into_owned();
        match &self.programs {
            Programs::Command(_) => Failure::OfAll(Error::Start { program, source }),
            Programs::Built(_) => Failure::OfCase(format!("cannot run {program}: {source}")),
        }
    }
}

/// The limits of a case: of the command line, else of the problem, else the usual ones.
fn limits(arguments: &RunArguments, settings: &Settings, expected_size: u64) -> Limits {
    let cpu = arguments
        .time_limit
        .or(settings.time_limit)
        .unwrap_or(DEFAULT_CPU_LIMIT);
    let memory_kib = arguments.memory_limit.map(|mib| u64::from(mib) * 1024);
    let memory_kib = memory_kib.or(settings.memory_limit_kib);
    let output = arguments.output_limit.map(|kib| u64::from(kib) * 1024);
    Limits {
        cpu,
        wall: cpu * 3 + Duration::from_secs(1),
        memory_kib: memory_kib.unwrap_or(DEFAULT_MEMORY_LIMIT_KIB),
        output: output.unwrap_or(64 * 1024 + 2 * expected_size),
    }
}

fn cannot_read(path: &Path) -> impl Fn(io::Error) -> Failure + '_ {
    move |error| Failure::OfCase(format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use super::limits;
    use crate::cli::{Command, RunArguments, parse};
    use crate::discover::Settings;
    use crate::execute::Limits;

    fn arguments(line: &str) -> RunArguments {
        match parse(line.split(' ').map(OsString::from)).unwrap().command {
            Command::Run(arguments) => arguments,
            Command::List => panic!("{line} is a run"),
        }
    }

    #[test]
    fn the_command_line_goes_before_the_problem_and_that_before_the_usual() {
        let usual = Limits {
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(4),
            memory_kib: 256 * 1024,
            output: 64 * 1024 + 2000,
        };
        assert_eq!(
            limits(&arguments("judge"), &Settings::default(), 1000),
            usual
        );
        let settings = Settings {
            time_limit: Some(Duration::from_secs(2)),
            memory_limit_kib: Some(64 * 1024),
            ..Settings::default()
        };
        let of_problem = Limits {
            cpu: Duration::from_secs(2),
            wall: Duration::from_secs(7),
            memory_kib: 64 * 1024,
            ..usual
        };
        assert_eq!(limits(&arguments("judge"), &settings, 1000), of_problem);
        let line = "judge --time-limit 0.5 --memory-limit 8 --output-limit 3";
        let of_line = Limits {
            cpu: Duration::from_millis(500),
            wall: Duration::from_millis(2500),
            memory_kib: 8 * 1024,
            output: 3 * 1024,
        };
        assert_eq!(limits(&arguments(line), &settings, 1000), of_line);
    }
}
