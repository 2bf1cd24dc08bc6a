//! What of the catalogue is meant by the filters of the command line.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

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
    drop_idle(&mut problems, &complaints);
    Ok(Catalogue {
        problems,
        complaints,
    })
}

/// Leaves only problems of which there is something to tell.
fn drop_idle(problems: &mut Vec<Problem>, complaints: &[Complaint]) {
    problems.retain(|problem| {
        let id = problem.id.as_str();
        let mut of = complaints.iter().map(problem_of);
        !problem.cases.is_empty() || of.any(|of| of == id)
    });
}

/// One of several equal shares, for as many machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    /// From 1 on, and not more than there are.
    share: NonZeroUsize,
    n_shares: NonZeroUsize,
}

impl Partition {
    /// Leaves of the catalogue what is in this share. The shares have nothing in common and are
    /// the whole together; they depend on nothing but the catalogue. Cases that stand beside each
    /// other, and so may take equally long, go to different shares.
    pub(crate) fn apply(self, catalogue: &mut Catalogue) {
        let mut number = 0..;
        let mut is_in_share = || {
            let number: usize = number.next().unwrap_or_default();
            number % self.n_shares == self.share.get() - 1
        };
        let Catalogue {
            problems,
            complaints,
        } = catalogue;
        for problem in problems.iter_mut() {
            problem.cases.retain(|_| is_in_share());
        }
        complaints.retain(|_| is_in_share());
        drop_idle(problems, complaints);
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.share, self.n_shares)
    }
}

impl FromStr for Partition {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text
            .split_once('/')
            .and_then(|(share, n)| Some((share.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((share, n_shares)) if share <= n_shares => Ok(Self { share, n_shares }),
            _ => Err("it is not K/N with 1 ≤ K ≤ N"),
        }
    }
}

/// Leaves only these cases in the catalogue, and all complaints.
pub(crate) fn keep_cases(catalogue: &mut Catalogue, names: &BTreeSet<String>) {
    let Catalogue {
        problems,
        complaints,
    } = catalogue;
    for problem in problems.iter_mut() {
        let id = &problem.id;
        problem
            .cases
            .retain(|case| names.contains(&case_name(id, case)));
    }
    drop_idle(problems, complaints);
}

/// The names of all cases.
pub(crate) fn case_names(catalogue: &Catalogue) -> BTreeSet<String> {
    let cases = catalogue.problems.iter().flat_map(|problem| {
        let id = &problem.id;
        problem.cases.iter().map(move |case| case_name(id, case))
    });
    cases.collect()
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

    use super::{Filters, Partition, case_name, case_names, keep_cases, select};
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

    fn share(text: &str) -> Catalogue {
        let mut catalogue = catalogue();
        text.parse::<Partition>().unwrap().apply(&mut catalogue);
        catalogue
    }

    /// All cases and complaints of a catalogue.
    fn all_of(catalogue: &Catalogue) -> Vec<String> {
        let complaints = catalogue.complaints.iter();
        let complaints = complaints.map(|complaint| complaint.key.clone());
        case_names(catalogue)
            .into_iter()
            .chain(complaints)
            .collect()
    }

    #[test]
    fn the_shares_are_the_whole_and_nothing_twice() {
        let mut whole = all_of(&catalogue());
        whole.sort();
        for n_shares in 1..12 {
            let shares =
                (1..=n_shares).map(|number| all_of(&share(&format!("{number}/{n_shares}"))));
            let shares: Vec<Vec<String>> = shares.collect();
            let sizes = || shares.iter().map(Vec::len);
            assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
            let mut together = shares.concat();
            together.sort();
            assert_eq!(together, whole, "{n_shares}");
        }
    }

    #[test]
    fn a_share_has_only_problems_of_which_there_is_something_to_tell() {
        let ids = |catalogue: &Catalogue| -> Vec<String> {
            let problems = catalogue.problems.iter();
            problems.map(|problem| problem.id.to_string()).collect()
        };
        assert_eq!(ids(&share("1/7")), ["kayles"]);
        assert_eq!(ids(&share("6/7")), ["kayles"], "that is a complaint");
        assert_eq!(ids(&share("7/7")), [""; 0]);
    }

    #[test]
    fn only_the_named_cases_are_kept() {
        let mut catalogue = catalogue();
        let names = ["nim/2", "nim-2/9"].map(str::to_owned).into();
        keep_cases(&mut catalogue, &names);
        assert_eq!(all_of(&catalogue), ["nim/2", "kayles/7", "wyt"]);
    }
}
