//! Which files are cases: an `.in` and an `.out` of the same name.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Lack, file_name};
use crate::error::Error;

/// One input with the output that it must lead to.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) input: PathBuf,
    pub(crate) expected: PathBuf,
}

/// The name of a case that is not whole, and why.
pub(super) type Unpaired = (String, Lack);

/// What a file is for, by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Input,
    Answer,
}

/// The role of a file and the name of its case.
pub(super) fn role(file_name: &str) -> Option<(Role, &str)> {
    let of_input = file_name
        .strip_suffix(".in")
        .map(|case| (Role::Input, case));
    let of_answer = || {
        file_name
            .strip_suffix(".out")
            .map(|case| (Role::Answer, case))
    };
    of_input
        .or_else(of_answer)
        .filter(|(_, case)| !case.is_empty())
}

/// The cases in natural order (2 before 10), and the names that are not whole.
pub(super) fn pair(paths: Vec<PathBuf>) -> Result<(Vec<Case>, Vec<Unpaired>), Error> {
    let mut unpaired = Vec::new();
    let mut sides: BTreeMap<String, [Option<PathBuf>; 2]> = BTreeMap::new();
    for path in paths {
        let name = file_name(&path).into_owned();
        let Some((role, case)) = role(&name) else {
            continue;
        };
        if case.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
            unpaired.push((case.escape_debug().to_string(), Lack::CaseName));
            continue;
        }
        match kind_of(&path)? {
            Kind::File => sides.entry(case.to_owned()).or_default()[role as usize] = Some(path),
            Kind::Folder => {}
            Kind::Other => unpaired.push((case.to_owned(), Lack::File)),
        }
    }
    let mut cases = Vec::new();
    for (name, sides) in sides {
        match sides {
            [Some(input), Some(expected)] => cases.push(Case {
                name,
                input,
                expected,
            }),
            [Some(_), None] => unpaired.push((name, Lack::Answer)),
            [None, _] => unpaired.push((name, Lack::Input)),
        }
    }
    alphanumeric_sort::sort_slice_by_str_key(&mut cases, |case| case.name.as_str());
    alphanumeric_sort::sort_slice_by_str_key(&mut unpaired, |(name, _)| name.as_str());
    Ok((cases, unpaired))
}

/// What stands under a name.
enum Kind {
    File,
    Folder,
    /// A link that leads nowhere, or something that is not to be read as a file.
    Other,
}

fn kind_of(path: &Path) -> Result<Kind, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Kind::File),
        Ok(metadata) if metadata.is_dir() => Ok(Kind::Folder),
        Ok(_) => Ok(Kind::Other),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(Error::Read {
            path: path.to_owned(),
            source: error,
        }),
        Err(_) => Ok(Kind::Other),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Lack, Role, pair, role};

    #[test]
    fn only_the_end_of_the_name_counts() {
        assert_eq!(role("1.in"), Some((Role::Input, "1")));
        assert_eq!(role("a.in.out"), Some((Role::Answer, "a.in")));
        for name in ["1.in~", "1.inn", "in", ".in", ".out", "1.IN", "1.ans", ""] {
            assert_eq!(role(name), None, "{name}");
        }
    }

    fn paired(names: &[&str]) -> (Vec<String>, Vec<(String, Lack)>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
        paths.iter().for_each(|path| fs::write(path, "").unwrap());
        let (cases, unpaired) = pair(paths).unwrap();
        (cases.into_iter().map(|case| case.name).collect(), unpaired)
    }

    #[test]
    fn cases_stand_in_natural_order() {
        let (cases, unpaired) = paired(&[
            "10.in", "10.out", "9.out", "9.in", "a2.in", "a2.out", "a10.in", "a10.out",
        ]);
        assert_eq!(cases, ["9", "10", "a2", "a10"]);
        assert_eq!(unpaired, []);
    }

    #[test]
    fn each_half_is_named_once() {
        let (cases, unpaired) = paired(&["2.in", "1.out", "3.in", "3.out", "4\n.in"]);
        assert_eq!(cases, ["3"]);
        let expected = [
            ("1", Lack::Input),
            ("2", Lack::Answer),
            ("4\\n", Lack::CaseName),
        ];
        assert_eq!(
            unpaired,
            expected.map(|(name, kind)| (name.to_owned(), kind))
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_not_utf_8_is_told() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.in"));
        fs::write(&path, "").unwrap();
        assert_eq!(
            pair(vec![path]).unwrap().1,
            [("\u{fffd}".to_owned(), Lack::CaseName)]
        );
    }
}
