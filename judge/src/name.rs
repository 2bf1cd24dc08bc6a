//! The names that tie crates, folders, binaries and cases together.

use std::fmt;

/// The name of a problem: of its crate, its folder, its package and its binary.
///
/// ASCII letters, digits, `-` and `_`, beginning with a letter or digit. So it is never a path,
/// never empty, and never an option on a command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProblemId(String);

impl ProblemId {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_id =
            text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_inner);
        is_id.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` and not `write_str`, so that a column can be aligned.
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ProblemId;

    #[test]
    fn an_id_is_never_a_path_or_an_option() {
        for text in ["acwing-1319", "a", "P1000", "1000A", "abc_297-g"] {
            assert_eq!(ProblemId::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "-a", "_a", ".", "..", "a/b", "a b", "a.b", "题", "a\n"] {
            assert_eq!(ProblemId::parse(text), None, "{text:?}");
        }
    }
}
