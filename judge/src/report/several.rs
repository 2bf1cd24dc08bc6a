//! Several reports of the same run.

use std::io;

use super::{CaseResult, Reporter, Start, Summary};
use crate::discover::Complaint;

/// Each is told the same, in this order.
pub(crate) struct Several<'a>(pub(crate) Vec<Box<dyn Reporter + 'a>>);

impl<'a> Several<'a> {
    /// Tells all of them, even if one fails, and returns the first failure.
    fn tell(
        &mut self,
        mut what: impl FnMut(&mut (dyn Reporter + 'a)) -> io::Result<()>,
    ) -> io::Result<()> {
        let told = self.0.iter_mut().map(|report| what(report.as_mut()));
        told.fold(Ok(()), Result::and)
    }
}

impl Reporter for Several<'_> {
    fn start(&mut self, start: &Start) -> io::Result<()> {
        self.tell(|report| report.start(start))
    }

    fn warning(&mut self, text: &str) -> io::Result<()> {
        self.tell(|report| report.warning(text))
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        self.tell(|report| report.note(text))
    }

    fn judging(&mut self) -> io::Result<()> {
        self.tell(|report| report.judging())
    }

    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        self.tell(|report| report.complaint(complaint))
    }

    fn progress(&mut self, n_done: usize) -> io::Result<()> {
        self.tell(|report| report.progress(n_done))
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        self.tell(|report| report.case(result))
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.tell(|report| report.end(summary))
    }
}
