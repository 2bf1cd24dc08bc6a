//! Finding out whether an answer is right: by comparison as it comes, or by a checker afterwards.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::checker::Output;
use crate::compare::{Comparator, Rule};
use crate::discover::Case;
use crate::execute::Session;
use crate::verdict::{Verdict, of_comparison};

/// Who says whether an answer is right.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Examiner<'a> {
    Rule(Rule),
    /// The program that is the checker.
    Checker(&'a Path),
}

/// One answer that is being examined.
pub(crate) struct Examination<'a> {
    case: &'a Case,
    means: Means<'a>,
}

enum Means<'a> {
    Comparator(Box<Comparator<File>>),
    Checker(&'a Path, Output),
}

/// What goes wrong is said in words, since nobody can do anything about it but tell.
impl<'a> Examination<'a> {
    pub(crate) fn new(
        examiner: Examiner<'a>,
        case: &'a Case,
        session: &Session,
    ) -> Result<Self, String> {
        let means = match examiner {
            Examiner::Rule(rule) => {
                let expected = File::open(&case.expected).map_err(cannot_read(&case.expected))?;
                Means::Comparator(Box::new(Comparator::new(rule, expected)))
            }
            Examiner::Checker(path) => {
                Means::Checker(path, Output::new(session).map_err(cannot_keep)?)
            }
        };
        Ok(Self { case, means })
    }

    /// Takes the next piece of the output.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Result<(), String> {
        match &mut self.means {
            Means::Comparator(comparator) => comparator
                .feed(piece)
                .map_err(cannot_read(&self.case.expected)),
            Means::Checker(_, output) => output.feed(piece).map_err(cannot_keep),
        }
    }

    /// The output is over. There is no verdict if the user ended the checker.
    pub(crate) fn finish(self, session: &Session) -> Result<Option<Verdict>, String> {
        match self.means {
            Means::Comparator(comparator) => {
                let comparison = comparator.finish();
                let comparison = comparison.map_err(cannot_read(&self.case.expected))?;
                Ok(Some(of_comparison(comparison)))
            }
            Means::Checker(path, output) => output
                .check(path, self.case, session)
                .map_err(|error| format!("cannot run the checker {}: {error}", path.display())),
        }
    }
}

pub(crate) fn cannot_read(path: &Path) -> impl Fn(io::Error) -> String + '_ {
    move |error| format!("cannot read {}: {error}", path.display())
}

fn cannot_keep(error: io::Error) -> String {
    format!("cannot keep the output for the checker: {error}")
}
