//! The report for the service that shows a build beside its source: annotations of GitHub Actions.
//!
//! They are lines among all others, `::error file=…,title=…::message`, and the service shows ten of
//! a step at most.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::describe::describe;
use super::text::{path_from, visible_lines};
use super::{CaseResult, Reporter, Summary};
use crate::discover::Complaint;
use crate::name::ProblemId;

const MOST_SHOWN: usize = 10;

/// Writes annotations when all is over, so that they do not break into the rest.
pub(crate) struct Annotations<Out> {
    out: Out,
    /// What the service takes names of files from.
    root: PathBuf,
    annotations: Vec<String>,
    /// Problems that do not compile: that is said once of each.
    not_compiled: BTreeSet<ProblemId>,
}

impl<Out: Write> Annotations<Out> {
    pub(crate) fn new(out: Out, root: &Path) -> Self {
        Self {
            out,
            root: root.to_owned(),
            annotations: Vec::new(),
            not_compiled: BTreeSet::new(),
        }
    }

    fn add(&mut self, file: Option<&Path>, title: &str, message: &str) {
        let file = file.map(|file| escape_property(&path_from(&self.root, file)));
        let file = file.map(|file| format!("file={file},")).unwrap_or_default();
        let (title, message) = (escape_property(title), escape(message));
        self.annotations
            .push(format!("::error {file}title={title}::{message}"));
    }
}

impl<Out: Write> Reporter for Annotations<Out> {
    fn complaint(&mut self, complaint: &Complaint) -> io::Result<()> {
        let key = visible_lines(complaint.key.as_bytes());
        self.add(None, &key, complaint.kind.message());
        Ok(())
    }

    fn case(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        let Some(why) = describe(result) else {
            return Ok(());
        };
        let id = &result.problem.id;
        let why = anstream::adapter::strip_str(&why).to_string();
        let why = visible_lines(why.as_bytes());
        let letters = result.verdict.letters();
        if result.verdict.compiler_text().is_none() {
            let title = format!("{letters} {id}/{}", result.case.name);
            self.add(Some(&result.case.input), &title, &why);
        } else if self.not_compiled.insert(id.clone()) {
            self.add(None, &format!("{letters} {id}"), &why);
        }
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        let n_more = self.annotations.len().saturating_sub(MOST_SHOWN);
        if n_more > 0 {
            // One is for saying so.
            self.annotations.truncate(MOST_SHOWN - 1);
            let title = format!("{} more are not accepted", n_more + 1);
            self.add(None, &title, "The log names them.");
        }
        for annotation in &self.annotations {
            writeln!(self.out, "{annotation}")?;
        }
        self.out.flush()
    }
}

fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Annotations, escape, escape_property};
    use crate::discover::{Complaint, Lack};
    use crate::report::{Reporter, Summary};

    #[test]
    fn nothing_ends_a_line_or_a_property_early() {
        assert_eq!(escape("100%: a,\r\nb"), "100%25: a,%0D%0Ab");
        assert_eq!(escape_property("100%: a,\nb"), "100%25%3A a%2C%0Ab");
    }

    #[test]
    fn what_would_not_be_shown_is_counted() {
        let lines = |n_complaints| {
            let mut out = Vec::new();
            let mut annotations = Annotations::new(&mut out, Path::new("/"));
            for number in 0..n_complaints {
                let complaint = Complaint {
                    key: format!("p/{number}"),
                    kind: Lack::Answer,
                };
                annotations.complaint(&complaint).unwrap();
            }
            annotations.end(&Summary::unable()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let ten = lines(10);
        assert_eq!(ten.lines().count(), 10);
        assert!(ten.starts_with("::error title=p/0::"), "{ten}");
        let thirteen = lines(13);
        assert_eq!(thirteen.lines().count(), 10);
        assert!(thirteen.contains("title=4 more are"), "{thirteen}");
    }
}
