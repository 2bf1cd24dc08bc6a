//! Judging one case: run, compare, decide, and run again alone where that is fairer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::time::Duration;

use crate::cli::RunArguments;
use crate::compile::{Binary, Built};
use crate::discover::{Case, Compare, Problem, Settings};
use crate::error::Error;
use crate::examine::{Examination, Examiner, cannot_read};
use crate::execute::{Ending, Job, Limits, Run, Session, Usage, execute};
use crate::name::ProblemId;
use crate::schedule::Company;
use crate::verdict::{Trouble, Verdict, decide, deserves_a_run_alone};

const DEFAULT_CPU_LIMIT: Duration = Duration::from_secs(1);
const DEFAULT_MEMORY_LIMIT_KIB: u64 = 256 * 1024;

/// What is the same for every case.
pub(crate) struct Court<'a> {
    pub(crate) session: &'a Session,
    pub(crate) arguments: &'a RunArguments,
    /// What was built. Not whole if the build was interrupted.
    pub(crate) programs: BTreeMap<Binary, Built>,
    pub(crate) company: Company,
}

/// What must be built to judge a problem: its solution, unless a command is judged instead, and
/// its checker, if it has one.
pub(crate) fn binaries(problem: &Problem, arguments: &RunArguments) -> Vec<Binary> {
    let mut binaries = Vec::new();
    if arguments.exec.is_none() {
        binaries.push(Binary::of_solution(&problem.id));
    }
    if let (Compare::Checker(name), true) = (&problem.settings.compare, problem.has_crate) {
        binaries.push(checker(&problem.id, name));
    }
    binaries
}

fn checker(id: &ProblemId, name: &str) -> Binary {
    Binary {
        package: id.clone(),
        name: name.to_owned(),
    }
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
        let means = self
            .examiner(problem)
            .and_then(|examiner| Ok((examiner, self.command(problem)?)));
        let (examiner, command) = match means {
            Ok(means) => means,
            Err(verdict) => return Ok(not_run(verdict)),
        };
        self.run_and_examine(&command, examiner, problem, case)
            .or_else(|failure| match failure {
                Failure::OfCase(message) => {
                    let trouble = Trouble::Unable(message);
                    Ok(not_run(Some(Verdict::JudgeError(trouble))))
                }
                Failure::OfAll(error) => Err(error),
            })
    }

    /// Who is asked about the answers to a problem. Otherwise the verdict on all of them; none if
    /// the build was interrupted.
    fn examiner(&self, problem: &Problem) -> Result<Examiner<'_>, Option<Verdict>> {
        let (id, name) = match &problem.settings.compare {
            Compare::Rule(rule) => return Ok(Examiner::Rule(*rule)),
            Compare::Checker(name) => (&problem.id, name),
        };
        let no_checker = |why: &str| {
            let text = format!("the checker `{name}` cannot be built:\n{why}");
            Some(Verdict::JudgeError(Trouble::NoChecker(text)))
        };
        if !problem.has_crate {
            return Err(no_checker(&format!("there is no crate crates/{id}\n")));
        }
        match self.programs.get(&checker(id, name)) {
            Some(Ok(path)) => Ok(Examiner::Checker(path)),
            Some(Err(text)) => Err(no_checker(text)),
            None => Err(None),
        }
    }

    /// The program that is judged, with its arguments; or else as above.
    fn command(&self, problem: &Problem) -> Result<Vec<OsString>, Option<Verdict>> {
        if let Some(command) = &self.arguments.exec {
            return Ok(command.words.clone());
        }
        match self.programs.get(&Binary::of_solution(&problem.id)) {
            Some(Ok(binary)) => Ok(vec![OsString::from(binary)]),
            Some(Err(text)) => Err(Some(Verdict::CompileError(text.clone()))),
            None => Err(None),
        }
    }

    fn run_and_examine(
        &self,
        command: &[OsString],
        examiner: Examiner<'_>,
        problem: &Problem,
        case: &Case,
    ) -> Result<Judged, Failure> {
        let expected = fs::metadata(&case.expected).map_err(cannot_read(&case.expected));
        let size = expected.map_err(Failure::OfCase)?.len();
        let limits = limits(self.arguments, &problem.settings, size);
        let attempt = || self.attempt(command, examiner, case, limits);
        let (attempted, had_company) = self.company.beside_others(attempt);
        let (mut run, mut verdict) = attempted?;
        let mut first = None;
        if had_company && deserves_a_run_alone(&run, &limits) {
            first = Some(run.usage);
            (run, verdict) = self.company.alone(attempt)?;
        }
        Ok(Judged {
            verdict,
            limits,
            run: Some(run),
            first,
        })
    }

    /// One run and what it gives; no verdict if the user ended it.
    fn attempt(
        &self,
        command: &[OsString],
        examiner: Examiner<'_>,
        case: &Case,
        limits: Limits,
    ) -> Result<(Run, Option<Verdict>), Failure> {
        let input = File::open(&case.input).map_err(cannot_read(&case.input));
        let job = Job {
            command,
            input: input.map_err(Failure::OfCase)?,
            limits,
            is_sandboxed: true,
        };
        let examination = Examination::new(examiner, case, self.session);
        let mut examination = examination.map_err(Failure::OfCase)?;
        let mut fed = Ok(());
        let run = execute(job, self.session, &mut |bytes| {
            if fed.is_ok() {
                fed = examination.feed(bytes);
            }
        });
        let run = run.map_err(|source| self.cannot_start(command, source))?;
        if run.ending == Ending::Interrupted {
            return Ok((run, None));
        }
        let examined = fed.and_then(|()| match decide(&run, &limits) {
            Some(verdict) => Ok(Some(verdict)),
            None => examination.finish(self.session),
        });
        Ok((run, examined.map_err(Failure::OfCase)?))
    }

    /// A command that was typed is at fault for every case, a binary that was built for its own.
    fn cannot_start(&self, command: &[OsString], source: io::Error) -> Failure {
        let program = command[0].to_string_lossy().into_owned();
        if self.arguments.exec.is_some() {
            Failure::OfAll(Error::Start { program, source })
        } else {
            Failure::OfCase(format!("cannot run {program}: {source}"))
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
            _ => panic!("{line} is a run"),
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
