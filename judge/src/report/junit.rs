//! The report in the XML form of JUnit, which build servers read.

use std::io;
use std::path::{Path, PathBuf};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::describe::describe;
use super::text::{memory, path_from, time, visible_lines};
use super::{CaseResult, Exit, Reporter, Summary};
use crate::discover::{Case, Complaint, Problem};
use crate::execute::Run;
use crate::replace::Replacement;
use crate::verdict::Verdict;

/// A suite for each problem, written when all is over.
pub(crate) struct Junit<'a> {
    file: Option<Replacement>,
    root: PathBuf,
    /// The cases that are yet to come, in order.
    to_come: std::iter::Peekable<std::slice::Iter<'a, (&'a Problem, &'a Case)>>,
    suites: Vec<TestSuite>,
}

impl<'a> Junit<'a> {
    /// A report of these cases to come. Files are named as seen from `root`.
    pub(crate) fn new(
        file: Replacement,
        root: &Path,
        cases: &'a [(&'a Problem, &'a Case)],
    ) -> Self {
        Self {
            file: Some(file),
            root: root.to_owned(),
            to_come: cases.iter().peekable(),
            suites: Vec::new(),
        }
    }

    /// Adds a test to the suite of a problem.
    fn add(&mut self, problem: &str, mut test: TestCase) {
        test.set_classname(problem);
        let mut suites = self.suites.iter();
        let known = suites.position(|suite| suite.name.as_str() == problem);
        let index = known.unwrap_or_else(|| {
            self.suites.push(TestSuite::new(problem));
            self.suites.len() - 1
        });
        self.suites[index].add_test_case(test);
    }

    fn test(&self, case: &Case, status: TestCaseStatus) -> TestCase {
        let mut test = TestCase::new(visible_lines(case.name.as_bytes()), status);
        let file = path_from(&self.root, &case.input);
        test.extra.insert("file".into(), file.into());
        test
    }
}

impl Reporter for Junit<'_> {
    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        let (problem, name) = complaint
            .key
            .split_once('/')
            .unwrap_or((&complaint.key, &complaint.key));
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status
            .set_type("not whole")
            .set_message(complaint.kind.message());
        self.add(
            &visible_lines(problem.as_bytes()),
            TestCase::new(visible_lines(name.as_bytes()), status),
        );
        Ok(())
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        self.to_come.next();
        let mut test = self.test(result.case, status(result));
        if let Some(run) = result.run {
            test.set_time(run.usage.wall);
            test.set_system_out(figures(result, run));
            if !run.stderr.is_empty() {
                test.set_system_err(visible_lines(&run.stderr));
            }
        }
        self.add(result.problem.id.as_str(), test);
        Ok(())
    }

    /// Nobody must take what was not judged for accepted.
    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        while let Some((problem, case)) = self.to_come.next() {
            let mut status = match summary.exit {
                Exit::AllAccepted | Exit::Rejected => TestCaseStatus::skipped(),
                Exit::Unable | Exit::Interrupted => {
                    TestCaseStatus::non_success(NonSuccessKind::Error)
                }
            };
            status.set_message("not judged");
            let test = self.test(case, status);
            self.add(problem.id.as_str(), test);
        }
        let mut report = Report::new("judge");
        report.set_time(summary.wall);
        for mut suite in self.suites.drain(..) {
            let times = suite.test_cases.iter().filter_map(|test| test.time);
            let time = times.sum();
            suite.set_time(time);
            report.add_test_suite(suite);
        }
        let text = report.to_string().map_err(io::Error::other)?;
        self.file
            .take()
            .map_or(Ok(()), |file| file.write(text.as_bytes()))
    }
}

fn status(result: &CaseResult<'_>) -> TestCaseStatus {
    let kind = match result.verdict {
        Verdict::Accepted => return TestCaseStatus::success(),
        Verdict::CompileError(_) | Verdict::JudgeError(_) => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let why = describe(result).unwrap_or_default();
    let why = anstream::adapter::strip_str(&why).to_string();
    let why = visible_lines(why.as_bytes());
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(result.verdict.letters());
    if let Some(first) = why.lines().next() {
        status.set_message(first);
    }
    status.set_description(why);
    status
}

/// What a run used, in a line.
fn figures(result: &CaseResult<'_>, run: &Run) -> String {
    let usage = &run.usage;
    let cpu = usage.cpu.map(|cpu| format!("{} of CPU time, ", time(cpu)));
    let peak = usage.peak_kib.map(|kib| format!(", {}", memory(kib)));
    let first = result.first.and_then(|first| first.cpu);
    let first = first.map(|cpu| format!(" (alone; {} of CPU time beside other runs)", time(cpu)));
    format!(
        "{}{} on the clock{}{}{}",
        cpu.unwrap_or_default(),
        time(usage.wall),
        peak.unwrap_or_default(),
        first.unwrap_or_default(),
        if run.is_leaky { ", leaky" } else { "" },
    )
}
