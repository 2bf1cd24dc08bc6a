//! Why the judge could not do its work. A verdict is never one of these.

use std::io;
use std::path::PathBuf;

/// Each ends the run with exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("no folder `problems` in {} or above it; --root says where it is", .0.display())]
    NoWorkspace(PathBuf),
    #[error("no folder `problems` in {}", .0.display())]
    NotAWorkspace(PathBuf),
    #[error("{}, line {line}: {message}", path.display())]
    Settings {
        path: PathBuf,
        line: usize,
        message: String,
    },
    #[error("no problem or case matches `{0}`; `judge list` shows what there is")]
    NoMatch(String),
    #[error("no problems in {}", .0.display())]
    NoProblems(PathBuf),
    #[error("no cases: nothing that is selected in {} has an .in and an .out", .0.display())]
    NoCases(PathBuf),
    #[error(
        "--exec judges one problem, and {0} are selected; name one with FILTER, whole with --exact"
    )]
    ExecNeedsOneProblem(usize),
    #[error("cannot start `{program}`")]
    Start { program: String, source: io::Error },
    #[error("cannot run cargo, which builds the solutions")]
    Cargo { source: io::Error },
    #[error("cargo could not build in {}; it says why above", .0.display())]
    CargoBuild(PathBuf),
    #[error("cannot set up the judge's own process")]
    SetUp { source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot write the report")]
    Report { source: io::Error },
}

/// What the system refuses while workers are started.
impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        Self::SetUp { source }
    }
}
