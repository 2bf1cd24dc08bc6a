//! What there is to judge, from the names of files and folders; and what is missing.

mod pair;
mod settings;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

pub(crate) use pair::Case;
pub(crate) use settings::{Rule, Settings};

use crate::error::Error;
use crate::name::ProblemId;

/// A folder of `problems/` with its cases in natural order.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) id: ProblemId,
    pub(crate) settings: Settings,
    pub(crate) has_crate: bool,
    pub(crate) cases: Vec<Case>,
}

/// All that was found, problems and complaints each in the order of their names.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) problems: Vec<Problem>,
    pub(crate) complaints: Vec<Complaint>,
}

/// Something without its partner. It is told, never skipped, and never accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// `<id>` or `<id>/<case>`: what a filter is held against.
    pub(crate) key: String,
    pub(crate) kind: Lack,
}

/// What is missing, or in the wrong place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    Answer,
    Input,
    Cases,
    Crate,
    Folder,
    ProblemName,
    CaseName,
    ProblemFolder,
}

impl Lack {
    /// What to do about it.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Answer => "an .in without an .out of the same name",
            Self::Input => "an .out without an .in of the same name",
            Self::Cases => "a problem without cases",
            Self::Crate => "a problem without a crate of the same name in crates/",
            Self::Folder => "a crate without a folder of the same name in problems/",
            Self::ProblemName => {
                "not a problem's name: ASCII letters, digits, `-`, `_`, the first a letter or digit"
            }
            Self::CaseName => "not a case's name: it is not UTF-8, or holds a control character",
            Self::ProblemFolder => "a case outside of a problem's folder",
        }
    }
}

/// The folder around `start` that holds `problems/`.
pub(crate) fn find_root(start: &Path) -> Result<PathBuf, Error> {
    let holds_problems = |folder: &&Path| folder.join("problems").is_dir();
    let root = start.ancestors().find(holds_problems).map(Path::to_owned);
    root.ok_or_else(|| Error::NoWorkspace(start.to_owned()))
}

/// Reads the names in `problems/` and `crates/`, and every `problem.toml`.
pub(crate) fn discover(root: &Path) -> Result<Catalogue, Error> {
    let problems_folder = root.join("problems");
    if !problems_folder.is_dir() {
        return Err(Error::NotAWorkspace(root.to_owned()));
    }
    let mut complaints = Vec::new();
    let mut files_of: BTreeMap<ProblemId, Vec<PathBuf>> = BTreeMap::new();
    for (path, depth) in visible_entries(&problems_folder, 2)? {
        let name = file_name(&path);
        match ProblemId::parse(name) {
            _ if depth == 2 => {
                let folder = path.parent().map_or("", file_name);
                if let Some(files) = ProblemId::parse(folder).and_then(|id| files_of.get_mut(&id)) {
                    files.push(path);
                }
            }
            Some(id) if path.is_dir() => drop(files_of.insert(id, Vec::new())),
            _ if path.is_dir() => complaints.push(complaint(name, Lack::ProblemName)),
            _ if pair::role(name).is_some() => {
                complaints.push(complaint(name, Lack::ProblemFolder));
            }
            _ => {}
        }
    }
    let mut problems = Vec::new();
    for (id, files) in files_of {
        problems.push(problem(root, id, files, &mut complaints)?);
    }
    complaints.extend(crates_without_folder(root, &problems)?);
    complaints.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(Catalogue {
        problems,
        complaints,
    })
}

fn problem(
    root: &Path,
    id: ProblemId,
    files: Vec<PathBuf>,
    complaints: &mut Vec<Complaint>,
) -> Result<Problem, Error> {
    let folder = root.join("problems").join(id.as_str());
    let settings_file = folder.join("problem.toml");
    let settings = if settings_file.is_file() {
        settings::read(&settings_file)?
    } else {
        Settings::default()
    };
    let (cases, unpaired) = pair::pair(files);
    complaints.extend(
        unpaired
            .into_iter()
            .map(|(name, kind)| complaint(&format!("{id}/{name}"), kind)),
    );
    if cases.is_empty() {
        complaints.push(complaint(id.as_str(), Lack::Cases));
    }
    let has_crate = crate_folder(root, id.as_str()).join("Cargo.toml").is_file();
    if !has_crate {
        complaints.push(complaint(id.as_str(), Lack::Crate));
    }
    Ok(Problem {
        id,
        settings,
        has_crate,
        cases,
    })
}

/// Crates with a `main.rs` are solutions; others, such as libraries, need no folder.
fn crates_without_folder(root: &Path, problems: &[Problem]) -> Result<Vec<Complaint>, Error> {
    let crates = root.join("crates");
    if !crates.is_dir() {
        return Ok(Vec::new());
    }
    let mut complaints = Vec::new();
    for (path, _) in visible_entries(&crates, 1)? {
        let name = file_name(&path);
        let is_known = problems.iter().any(|problem| problem.id.as_str() == name);
        if !is_known && path.join("Cargo.toml").is_file() && path.join("src/main.rs").is_file() {
            complaints.push(complaint(name, Lack::Folder));
        }
    }
    Ok(complaints)
}

fn crate_folder(root: &Path, name: &str) -> PathBuf {
    root.join("crates").join(name)
}

fn complaint(key: &str, kind: Lack) -> Complaint {
    Complaint {
        key: key.to_owned(),
        kind,
    }
}

/// What stands in a folder down to this depth, but for names that begin with a dot, and for what
/// is deeper inside of anything that is not a problem's folder.
fn visible_entries(folder: &Path, depth: usize) -> Result<Vec<(PathBuf, usize)>, Error> {
    let walk = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(depth)
        .follow_links(true)
        .sort_by_file_name();
    let is_visible = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let entries = walk.into_iter().filter_entry(is_visible);
    let with_depth =
        entries.map(|entry| entry.map(|entry| (entry.path().to_owned(), entry.depth())));
    with_depth.collect::<Result<_, _>>().map_err(|error| {
        let path = error.path().unwrap_or(folder).to_owned();
        Error::Read {
            path,
            source: error.into(),
        }
    })
}

/// The last part of a path; empty if it is not UTF-8, which is no problem's name.
fn file_name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("")
}

/// The size of a file in bytes.
pub(crate) fn size_of(path: &Path) -> std::io::Result<u64> {
    fs::metadata(path).map(|metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Lack, discover, find_root};
    use crate::error::Error;

    /// A folder with these files, empty unless their name is followed by `=` and a text.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let (name, text) = file.split_once('=').unwrap_or((file, ""));
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn complaints(files: &[&str]) -> Vec<(String, Lack)> {
        let catalogue = discover(folder(files).path()).unwrap();
        catalogue
            .complaints
            .into_iter()
            .map(|complaint| (complaint.key, complaint.kind))
            .collect()
    }

    const WHOLE: [&str; 4] = [
        "crates/nim/Cargo.toml",
        "crates/nim/src/main.rs",
        "problems/nim/1.in",
        "problems/nim/1.out",
    ];

    fn complaints_besides(files: &[&str]) -> Vec<(String, Lack)> {
        complaints(&[&WHOLE, files].concat())
    }

    #[test]
    fn a_whole_problem_is_found_without_complaint() {
        let folder = folder(&[&WHOLE[..], &["problems/nim/problem.toml=title = \"Nim\""]].concat());
        let catalogue = discover(folder.path()).unwrap();
        assert!(catalogue.complaints.is_empty());
        let [problem] = &catalogue.problems[..] else {
            panic!("{:?}", catalogue.problems)
        };
        assert_eq!(problem.id.as_str(), "nim");
        assert_eq!(problem.settings.title.as_deref(), Some("Nim"));
        assert!(problem.has_crate);
        assert_eq!(problem.cases.len(), 1);
    }

    #[test]
    fn what_has_no_partner_is_told() {
        assert_eq!(
            complaints_besides(&["problems/nim/2.in"]),
            [("nim/2".to_owned(), Lack::Answer)]
        );
        assert_eq!(
            complaints_besides(&["problems/nim/2.out"]),
            [("nim/2".to_owned(), Lack::Input)]
        );
        assert_eq!(
            complaints_besides(&["problems/kayles/notes.txt"]),
            [
                ("kayles".to_owned(), Lack::Cases),
                ("kayles".to_owned(), Lack::Crate)
            ]
        );
        assert_eq!(
            complaints_besides(&["crates/kayles/Cargo.toml", "crates/kayles/src/main.rs"]),
            [("kayles".to_owned(), Lack::Folder)]
        );
        assert_eq!(
            complaints_besides(&["problems/a b/1.in"]),
            [("a b".to_owned(), Lack::ProblemName)]
        );
        assert_eq!(
            complaints_besides(&["problems/1.in"]),
            [("1.in".to_owned(), Lack::ProblemFolder)]
        );
    }

    #[test]
    fn libraries_notes_backups_and_hidden_names_are_not_cases() {
        let others = [
            "crates/sg-core/Cargo.toml",
            "crates/sg-core/src/lib.rs",
            "crates/old/src/main.rs",
            "problems/README.md",
            "problems/.git/1.in",
            "problems/nim/README.md",
            "problems/nim/1.in~",
            "problems/nim/1.in.bak",
            "problems/nim/.1.in.swp",
            "problems/nim/.in",
            "problems/nim/2.in/x",
            "problems/nim/more/3.in",
        ];
        assert_eq!(complaints_besides(&others), []);
    }

    #[test]
    fn the_root_is_found_from_anywhere_inside() {
        let folder = folder(&WHOLE);
        for inside in ["", "crates/nim/src", "problems", "problems/nim"] {
            assert_eq!(
                find_root(&folder.path().join(inside)).unwrap(),
                folder.path()
            );
        }
        let empty = tempfile::tempdir().unwrap();
        assert!(matches!(
            find_root(empty.path()),
            Err(Error::NoWorkspace(_))
        ));
        assert!(matches!(
            discover(empty.path()),
            Err(Error::NotAWorkspace(_))
        ));
    }
}
