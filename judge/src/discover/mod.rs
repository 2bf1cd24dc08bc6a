//! What there is to judge, from the names of files and folders; and what is missing.

mod compare;
mod pair;
mod settings;

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

pub(crate) use compare::Compare;
pub(crate) use pair::Case;
pub(crate) use settings::Settings;

use crate::error::Error;
use crate::name::ProblemId;

/// A folder of `problems/` with its cases in natural order.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) id: ProblemId,
    /// The defaults until [`Catalogue::read_settings`].
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
    File,
    Cases,
    Crate,
    Folder,
    ProblemName,
    CaseName,
    ProblemFolder,
}

impl Lack {
    /// What is lacking, in words.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Answer => "an .in without an .out of the same name",
            Self::Input => "an .out without an .in of the same name",
            Self::File => "a case that is neither a file nor a link to one",
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

/// Reads the names in `problems/` and `crates/`.
pub(crate) fn discover(root: &Path) -> Result<Catalogue, Error> {
    let folder = root.join("problems");
    if !folder.is_dir() {
        return Err(Error::NotAWorkspace(root.to_owned()));
    }
    let mut complaints = Vec::new();
    let mut problems = Vec::new();
    for path in visible_entries(&folder)? {
        let name = file_name(&path);
        match ProblemId::parse(&name) {
            Some(id) if path.is_dir() => problems.push(problem(root, id, &path, &mut complaints)?),
            _ if path.is_dir() => complaints.push(complaint(&name, Lack::ProblemName)),
            _ if pair::role(&name).is_some() => {
                complaints.push(complaint(&name, Lack::ProblemFolder));
            }
            _ => {}
        }
    }
    complaints.extend(crates_without_folder(root, &problems)?);
    complaints.sort_by(|a, b| a.key.cmp(&b.key));
    complaints.dedup();
    Ok(Catalogue {
        problems,
        complaints,
    })
}

impl Catalogue {
    /// Reads the `problem.toml` of every problem that is still in the catalogue.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read, or has a fault.
    pub(crate) fn read_settings(&mut self, root: &Path) -> Result<(), Error> {
        for problem in &mut self.problems {
            let folder = root.join("problems").join(problem.id.as_str());
            let file = folder.join("problem.toml");
            // A link that leads nowhere is a fault, too.
            if file.is_symlink() || file.exists() {
                problem.settings = settings::read(&file)?;
            }
        }
        Ok(())
    }
}

fn problem(
    root: &Path,
    id: ProblemId,
    folder: &Path,
    complaints: &mut Vec<Complaint>,
) -> Result<Problem, Error> {
    let (cases, unpaired) = pair::pair(visible_entries(folder)?)?;
    let told = unpaired
        .into_iter()
        .map(|(name, kind)| complaint(&format!("{id}/{name}"), kind));
    complaints.extend(told);
    if cases.is_empty() {
        complaints.push(complaint(id.as_str(), Lack::Cases));
    }
    let has_crate = root
        .join("crates")
        .join(id.as_str())
        .join("Cargo.toml")
        .is_file();
    if !has_crate {
        complaints.push(complaint(id.as_str(), Lack::Crate));
    }
    Ok(Problem {
        id,
        settings: Settings::default(),
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
    for path in visible_entries(&crates)? {
        let name = file_name(&path);
        let is_known = problems.iter().any(|problem| problem.id.as_str() == name);
        if !is_known && path.join("Cargo.toml").is_file() && path.join("src/main.rs").is_file() {
            complaints.push(complaint(&name, Lack::Folder));
        }
    }
    Ok(complaints)
}

/// What no judged program may read, as whole paths without links: all cases and answers, and the
/// history of the workspace, which holds them too.
///
/// # Errors
///
/// If a folder cannot be read.
pub(crate) fn secrets(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let problems = root.join("problems");
    let cannot_read = |source| Error::Read {
        path: problems.clone(),
        source,
    };
    let problems = problems.canonicalize().map_err(cannot_read)?;
    let mut secrets = vec![problems.clone()];
    // Links may lead to anywhere, and what they lead to may hold further ones.
    let mut n_searched = 0;
    while let Some(path) = secrets.get(n_searched) {
        let links = WalkDir::new(path).max_depth(2).into_iter().flatten();
        let links = links.filter(walkdir::DirEntry::path_is_symlink);
        // A link that leads nowhere hides nothing, and one that leads up is not what is hidden.
        let targets = links.filter_map(|link| link.path().canonicalize().ok());
        let is_new = |target: &PathBuf| {
            let is_known = secrets.iter().any(|secret| target.starts_with(secret));
            !is_known && !problems.starts_with(target)
        };
        let targets: Vec<PathBuf> = targets.filter(is_new).collect();
        secrets.extend(targets);
        n_searched += 1;
    }
    secrets.extend(root.ancestors().flat_map(histories));
    Ok(secrets)
}

/// Where a folder keeps its history, of which expected outputs are a part: in `.git`, or in the
/// folders that this names, if the folder is a further work tree or a submodule.
fn histories(folder: &Path) -> Vec<PathBuf> {
    let Ok(git) = folder.join(".git").canonicalize() else {
        return Vec::new();
    };
    let named = |file: &Path| {
        let text = fs::read_to_string(file).ok()?;
        let path = text.trim_end().trim_start_matches("gitdir: ");
        file.parent()?.join(path).canonicalize().ok()
    };
    let own = named(&git);
    let common = own.as_ref().and_then(|own| named(&own.join("commondir")));
    [Some(git), own, common].into_iter().flatten().collect()
}

fn complaint(key: &str, kind: Lack) -> Complaint {
    Complaint {
        key: key.to_owned(),
        kind,
    }
}

/// What stands in a folder, by name, but for names that begin with a dot.
fn visible_entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let walk = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name();
    // A link to a folder is the folder; that cannot lead in circles, since nothing goes deeper.
    let entries = walk.follow_root_links(true).into_iter();
    let paths = entries.map(|entry| entry.map(walkdir::DirEntry::into_path));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(|error| {
        let path = error.path().unwrap_or(folder).to_owned();
        let source = error
            .into_io_error()
            .unwrap_or_else(|| io::ErrorKind::Other.into());
        Error::Read { path, source }
    })?;
    Ok(paths
        .into_iter()
        .filter(|path| !file_name(path).starts_with('.'))
        .collect())
}

/// The last part of a path. What is not UTF-8 in it becomes a character that no name may have.
fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
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
        let mut catalogue = discover(folder.path()).unwrap();
        catalogue.read_settings(folder.path()).unwrap();
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

    #[cfg(unix)]
    #[test]
    fn links_are_what_they_lead_to_and_told_if_they_lead_nowhere() {
        use std::os::unix::fs::symlink;
        let folder = folder(&WHOLE);
        let problem = folder.path().join("problems/nim");
        symlink("1.in", problem.join("2.in")).unwrap();
        symlink("1.out", problem.join("2.out")).unwrap();
        symlink("user@host.1:2", problem.join(".#1.in")).unwrap();
        symlink("nowhere", problem.join("notes")).unwrap();
        symlink("..", problem.join("loop")).unwrap();
        assert_eq!(discover(folder.path()).unwrap().complaints, []);
        assert_eq!(discover(folder.path()).unwrap().problems[0].cases.len(), 2);

        symlink("nowhere", problem.join("3.in")).unwrap();
        fs::create_dir_all(folder.path().join("crates/nym/src")).unwrap();
        symlink("nim", folder.path().join("problems/nym")).unwrap();
        let complaints = discover(folder.path()).unwrap().complaints;
        let told: Vec<_> = complaints
            .iter()
            .map(|it| (it.key.as_str(), it.kind))
            .collect();
        let expected = [
            ("nim/3", Lack::File),
            ("nym", Lack::Crate),
            ("nym/3", Lack::File),
        ];
        assert_eq!(told, expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_is_not_utf_8_is_told_by_what_can_be_read_of_it() {
        use std::os::unix::ffi::OsStrExt;
        let folder = folder(&WHOLE);
        let name = std::ffi::OsStr::from_bytes(b"f\xff");
        fs::create_dir(folder.path().join("problems").join(name)).unwrap();
        let complaints = discover(folder.path()).unwrap().complaints;
        assert_eq!(
            complaints,
            [super::complaint("f\u{fffd}", Lack::ProblemName)]
        );
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
