//! A program that says whether an output is right, called as testlib's checkers are.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::discover::Case;
use crate::execute::{Ending, Job, Limits, Session, execute};
use crate::verdict::{Verdict, of_checker};

/// What a checker may use. It is no contestant, but one that hangs must not hang the judge.
const LIMITS: Limits = Limits {
    cpu: Duration::from_secs(10),
    wall: Duration::from_secs(31),
    memory_kib: 1024 * 1024,
    output: 1024 * 1024,
};

/// How much of what a checker writes on standard output is kept.
const MESSAGE_KEPT: usize = 4 * 1024;

/// The output of a program, in a file that lasts as long as this.
#[derive(Debug)]
pub(crate) struct Output {
    file: NamedTempFile,
}

impl Output {
    /// An empty one.
    ///
    /// # Errors
    ///
    /// If there cannot be such a file.
    pub(crate) fn new(session: &Session) -> io::Result<Self> {
        session.temporary_file().map(|file| Self { file })
    }

    /// Takes the next piece.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> io::Result<()> {
        self.file.write_all(piece)
    }

    /// Asks a checker; none if the user ended it.
    ///
    /// # Errors
    ///
    /// If the checker cannot be run.
    pub(crate) fn check(
        self,
        checker: &Path,
        case: &Case,
        session: &Session,
    ) -> io::Result<Option<Verdict>> {
        // Closed, since not every system lets two have a file open.
        let output = self.file.into_temp_path();
        let paths = [checker, &case.input, &output, &case.expected];
        call(&paths.map(OsString::from), LIMITS, session)
    }
}

/// Runs a checker and reads its verdict.
fn call(command: &[OsString], limits: Limits, session: &Session) -> io::Result<Option<Verdict>> {
    let job = Job {
        command,
        input: nothing()?,
        limits,
        // It reads what is hidden from the judged programs.
        is_sandboxed: false,
    };
    let mut stdout = Vec::new();
    let run = execute(job, session, &mut |bytes| {
        let n_free = MESSAGE_KEPT - stdout.len();
        stdout.extend_from_slice(&bytes[..bytes.len().min(n_free)]);
    })?;
    if run.ending == Ending::Interrupted {
        return Ok(None);
    }
    let message = [run.stderr, stdout]
        .into_iter()
        .find(|text| !text.trim_ascii().is_empty());
    Ok(Some(of_checker(run.ending, message.unwrap_or_default())))
}

/// What a checker reads as standard input.
fn nothing() -> io::Result<File> {
    tempfile::tempfile()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsString;
    use std::time::{Duration, Instant};

    use super::{LIMITS, call};
    use crate::execute::{Ending, Limit, Limits, Session, Setup};
    use crate::interrupt::Interrupt;
    use crate::verdict::{Flaw, Rejection, Trouble, Verdict};

    const SETUP: Setup<'_> = Setup {
        n_workers: 1,
        hidden: None,
        guard: None,
    };

    fn session() -> Session {
        Session::new(Interrupt::install().unwrap(), &SETUP).unwrap()
    }

    fn verdict(script: &str, limits: Limits) -> Option<Verdict> {
        let command = ["sh", "-c", script].map(OsString::from);
        call(&command, limits, &session()).unwrap()
    }

    fn trouble(ending: Ending, message: &str) -> Option<Verdict> {
        let trouble = Trouble::Checker(ending, message.as_bytes().to_vec());
        Some(Verdict::JudgeError(trouble))
    }

    #[test]
    fn standard_error_is_the_message_and_standard_output_if_that_is_silent() {
        let wrong = |message: &str| {
            let rejection = Rejection::Checker(Flaw::Answer, message.as_bytes().to_vec());
            Some(Verdict::WrongAnswer(rejection))
        };
        let verdict = |script: &str| verdict(script, LIMITS);
        assert_eq!(
            verdict("echo out; echo error >&2; exit 1"),
            wrong("error\n")
        );
        assert_eq!(verdict("echo out; echo >&2; exit 1"), wrong("out\n"));
        assert_eq!(verdict("exit 1"), wrong(""));
        assert_eq!(verdict("cat; exit 1"), wrong(""));
    }

    #[test]
    fn a_checker_that_does_not_end_is_ended() {
        let short = Limits {
            cpu: Duration::from_millis(50),
            wall: Duration::from_millis(200),
            ..LIMITS
        };
        let begin = Instant::now();
        let killed = |limit| trouble(Ending::Killed(limit), "hm\n");
        let sleep = verdict("echo hm >&2; sleep 600", short);
        assert_eq!(sleep, killed(Limit::Wall));
        #[cfg(target_os = "linux")]
        assert_eq!(
            verdict("echo hm >&2; while :; do :; done", short),
            killed(Limit::Cpu)
        );
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_checker_that_says_too_much_has_failed() {
        let short = Limits {
            output: 1000,
            ..LIMITS
        };
        let verdict = verdict("head -c 5000 /dev/zero", short);
        let Some(Verdict::JudgeError(Trouble::Checker(ending, _))) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(ending, Ending::Killed(Limit::Output));
    }
}
