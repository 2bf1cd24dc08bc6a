//! The report for programs: one JSON object a line.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::describe::{describe, signal_name};
use super::text::visible;
use super::{CaseResult, Reporter, Start, Summary};
use crate::discover::Complaint;
use crate::execute::Ending;

/// Writes the report to `out`, and what is no part of it to `errors`.
#[derive(Debug)]
pub(crate) struct Json<Out, Errors> {
    pub(crate) out: Out,
    pub(crate) errors: Errors,
}

/// One line. Its fields are a contract: they are only added to.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Start {
        problems: usize,
        cases: usize,
        jobs: usize,
    },
    Case {
        problem: &'a str,
        case: &'a str,
        verdict: &'static str,
        /// Null, like the next two, where nothing was run or the system does not tell.
        cpu_ms: Option<f64>,
        wall_ms: Option<f64>,
        peak_kib: Option<u64>,
        /// Null where the program did not end by itself.
        exit_code: Option<i32>,
        signal: Option<String>,
        leaky: bool,
        /// Of a first run beside others, where the run that counts was alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        first_cpu_ms: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        first_wall_ms: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    End {
        accepted: usize,
        rejected: usize,
        wall_ms: f64,
        exit: u8,
    },
}

impl<Out: Write, Errors: Write> Json<Out, Errors> {
    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")?;
        // Whoever reads it may be waiting for this line.
        self.out.flush()
    }
}

impl<Out: Write, Errors: Write> Reporter for Json<Out, Errors> {
    fn start(&mut self, start: &Start) -> io::Result<()> {
        self.write(&Line::Start {
            problems: start.n_problems,
            cases: start.n_cases,
            jobs: start.n_jobs,
        })
    }

    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        let key = visible(complaint.key.as_bytes());
        writeln!(self.errors, "warning: {key}: {}", complaint.kind.message())
    }

    fn warning(&mut self, text: &str) -> io::Result<()> {
        self.errors.write_all(text.as_bytes())
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.errors, "note: {text}")
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        let usage = result.run.map(|run| run.usage);
        let (exit_code, signal) = match result.run.map(|run| run.ending) {
            Some(Ending::Exited(code)) => (Some(code), None),
            Some(Ending::Signaled(signal)) => (None, Some(signal_name(signal))),
            _ => (None, None),
        };
        self.write(&Line::Case {
            problem: result.problem.id.as_str(),
            case: &result.case.name,
            verdict: result.verdict.letters(),
            cpu_ms: usage.and_then(|usage| usage.cpu).map(milliseconds),
            wall_ms: usage.map(|usage| milliseconds(usage.wall)),
            peak_kib: usage.and_then(|usage| usage.peak_kib),
            exit_code,
            signal,
            leaky: result.run.is_some_and(|run| run.is_leaky),
            first_cpu_ms: result.first.and_then(|first| first.cpu).map(milliseconds),
            first_wall_ms: result.first.map(|first| milliseconds(first.wall)),
            detail: describe(result)
                .map(|detail| anstream::adapter::strip_str(&detail).to_string()),
        })
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.write(&Line::End {
            accepted: summary.n_accepted,
            rejected: summary.n_rejected,
            wall_ms: milliseconds(summary.wall),
            exit: summary.exit.code(),
        })
    }
}

/// To a thousandth: what is finer is noise.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
