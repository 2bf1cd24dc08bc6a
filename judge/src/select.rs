//! What of the catalogue is meant by the filters of the command line.

use crate::discover::{Case, Catalogue, Complaint, Problem};
use crate::error::Error;
use crate::name::ProblemId;

/// Which names are meant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    /// None means everything.
    pub(crate) texts: Vec<String>,
    /// Whether a name must be equal to a text, and not only contain it.
    pub(crate) exact: bool,
}

impl Filters {
    fn holds(&self, text: &str, name: &str) -> bool {
        if self.exact {
            name == text
        } else {
            name.contains(text)
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| self.holds(text, name))
    }
}

/// Leaves in the catalogue only what the filters mean.
///
/// A problem that is meant itself keeps all its cases, and one that is meant by some of its cases,
/// or by what is wrong with them, keeps those. Each filter must mean something, so that a slip of
/// the keyboard is not a success.
pub(crate) fn select(catalogue: Catalogue, filters: &Filters) -> Result<Catalogue, Error> {
    for text in &filters.texts {
        let is_used = names(&catalogue).any(|name| filters.holds(text, &name));
        if !is_used {
            return Err(Error::NoMatch(text.clone()));
        }
    }
    let Catalogue {
        mut problems,
        mut complaints,
    } = catalogue;
    complaints
        .retain(|complaint| filters.wants(&complaint.key) || filters.wants(problem_of(complaint)));
    for problem in &mut problems {
        if !filters.wants(problem.id.as_str()) {
            let id = problem.id.clone();
            problem
                .cases
                .retain(|case| filters.wants(&case_name(&id, case)));
        }
    }
    problems.retain(|problem| {
        let id = problem.id.as_str();
        let has_complaint = complaints
            .iter()
            .any(|complaint| problem_of(complaint) == id);
        !problem.cases.is_empty() || has_complaint
    });
    Ok(Catalogue {
        problems,
        complaints,
    })
}

/// The name under which a filter finds a case.
pub(crate) fn case_name(id: &ProblemId, case: &Case) -> String {
    format!("{id}/{}", case.name)
}

/// The problem that a complaint is about.
fn problem_of(complaint: &Complaint) -> &str {
    complaint.key.split('/').next().unwrap_or(&complaint.key)
}

/// All that a filter can mean.
fn names(catalogue: &Catalogue) -> impl Iterator<Item = String> {
    let of_problem = |problem: &Problem| {
        let cases = problem
            .cases
            .iter()
            .map(|case| case_name(&problem.id, case));
        std::iter::once(problem.id.to_string())
            .chain(cases)
            .collect::<Vec<_>>()
    };
    let of_problems = catalogue.problems.iter().flat_map(of_problem);
    of_problems.chain(
        catalogue
            .complaints
            .iter()
            .map(|complaint| complaint.key.clone()),
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Filters, case_name, select};
    use crate::discover::{Case, Catalogue, Complaint, Lack, Problem, Settings};
    use crate::name::ProblemId;

    fn problem(id: &str, cases: &[&str]) -> Problem {
        let case = |name: &&str| Case {
            name: (*name).to_owned(),
            input: PathBuf::new(),
            expected: PathBuf::new(),
        };
        Problem {
            id: ProblemId::parse(id).unwrap(),
            settings: Settings::default(),
            has_crate: true,
            cases: cases.iter().map(case).collect(),
        }
    }

    fn catalogue() -> Catalogue {
        let complaint = |key: &str, kind| Complaint {
            key: key.to_owned(),
            kind,
        };
        Catalogue {
            problems: vec![
                problem("kayles", &["1", "10"]),
                problem("nim", &["1", "2"]),
                problem("nim-2", &["1"]),
            ],
            complaints: vec![
                complaint("kayles/7", Lack::Answer),
                complaint("wyt", Lack::Folder),
            ],
        }
    }

    /// The names of the cases and complaints that these filters leave, or the filter that is idle.
    fn selected(texts: &[&str], exact: bool) -> Result<Vec<String>, String> {
        let texts = texts.iter().map(|&text| text.to_owned()).collect();
        let catalogue =
            select(catalogue(), &Filters { texts, exact }).map_err(|error| error.to_string())?;
        let problems = catalogue.problems.iter();
        let cases = problems.flat_map(|problem| {
            problem
                .cases
                .iter()
                .map(move |case| case_name(&problem.id, case))
        });
        Ok(cases
            .chain(
                catalogue
                    .complaints
                    .iter()
                    .map(|complaint| complaint.key.clone()),
            )
            .collect())
    }

    #[test]
    fn a_filter_is_part_of_a_name() {
        let all = [
            "kayles/1",
            "kayles/10",
            "nim/1",
            "nim/2",
            "nim-2/1",
            "kayles/7",
            "wyt",
        ];
        assert_eq!(selected(&[], false).unwrap(), all);
        assert_eq!(
            selected(&["nim"], false).unwrap(),
            ["nim/1", "nim/2", "nim-2/1"]
        );
        assert_eq!(
            selected(&["/1"], false).unwrap(),
            ["kayles/1", "kayles/10", "nim/1", "nim-2/1"]
        );
        assert_eq!(
            selected(&["kay", "nim/2"], false).unwrap(),
            ["kayles/1", "kayles/10", "nim/2", "kayles/7"]
        );
        assert_eq!(selected(&["yt"], false).unwrap(), ["wyt"]);
    }

    #[test]
    fn an_exact_filter_is_a_whole_name() {
        assert_eq!(selected(&["nim"], true).unwrap(), ["nim/1", "nim/2"]);
        assert_eq!(selected(&["kayles/1"], true).unwrap(), ["kayles/1"]);
        assert_eq!(selected(&["kayles/7"], true).unwrap(), ["kayles/7"]);
        assert!(selected(&["ni"], true).is_err());
    }

    #[test]
    fn a_filter_that_means_nothing_is_an_error_even_beside_one_that_does() {
        let message = selected(&["nim", "nmi"], false).unwrap_err();
        assert!(message.contains("`nmi`"), "{message}");
    }
}
