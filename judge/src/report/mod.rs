//! What is shown of a run. Nothing here finds anything out.

mod annotations;
mod case;
mod describe;
mod diff;
mod human;
mod json;
mod junit;
mod progress;
mod several;
mod style;
mod tally;
mod text;

use std::io;
use std::time::Duration;

pub(crate) use annotations::Annotations;
pub(crate) use human::{Again, Human, Look, Verbosity, list};
pub(crate) use json::Json;
pub(crate) use junit::Junit;
pub(crate) use several::Several;
pub(crate) use text::visible;

use crate::discover::{Case, Complaint, Problem};
use crate::execute::{Limits, Run, Usage};
use crate::verdict::Verdict;

/// What will be judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) n_problems: usize,
    pub(crate) n_cases: usize,
    pub(crate) n_jobs: usize,
}

/// One case, judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseResult<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) case: &'a Case,
    pub(crate) verdict: &'a Verdict,
    pub(crate) limits: Limits,
    /// None where nothing was run.
    pub(crate) run: Option<&'a Run>,
    /// What a first run beside others used, if it was so slow that there was a second one, alone.
    pub(crate) first: Option<Usage>,
}

/// What came out of it all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    pub(crate) n_accepted: usize,
    pub(crate) n_rejected: usize,
    pub(crate) n_complaints: usize,
    /// How many cases should have been judged.
    pub(crate) n_cases: usize,
    /// From the first run to the last, without the build.
    pub(crate) wall: Duration,
    pub(crate) exit: Exit,
}

impl Summary {
    /// The end of a run that never came to judge anything.
    pub(crate) const fn unable() -> Self {
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

/// How the judge ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    AllAccepted,
    Rejected,
    Unable,
    Interrupted,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::AllAccepted => 0,
            Self::Rejected => 1,
            Self::Unable => 2,
            Self::Interrupted => 130,
        }
    }
}

/// Someone who is told what happens, in order. What one has no use for goes past it.
pub(crate) trait Reporter {
    fn start(&mut self, _: &Start) -> io::Result<()> {
        Ok(())
    }

    /// What the compiler warns of, as it is.
    fn warning(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    /// What else the user should know: a sentence without its full stop.
    fn note(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    /// The build is over, and the judging begins.
    fn judging(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()>;

    /// So many cases are done, though they may not have been told yet.
    fn progress(&mut self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()>;

    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}
