//! Small workspaces to judge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with `problems/` and, where a program is given, `crates/`; gone when dropped.
pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
        let workspace = Self { folder };
        workspace.write("problems/.keep", "");
        let manifest = "[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\n";
        workspace.write("Cargo.toml", manifest);
        workspace
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(path);
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
        self
    }

    /// A case of a problem.
    pub(crate) fn case(
        &self,
        name: &str,
        input: impl AsRef<[u8]>,
        expected: impl AsRef<[u8]>,
    ) -> &Self {
        self.write(&format!("problems/{name}.in"), input);
        self.write(&format!("problems/{name}.out"), expected)
    }

    /// A crate whose binary is one of the programs in `tests/programs`.
    pub(crate) fn program(&self, id: &str, program: &str) -> &Self {
        self.solution(id, &program_text(program))
    }

    /// A crate whose checker has this text, with the problem that it is for.
    pub(crate) fn checker(&self, id: &str, source: &str) -> &Self {
        let settings = format!("compare = {{ checker = \"{id}-check\" }}\n");
        self.write(&format!("problems/{id}/problem.toml"), settings);
        self.write(&format!("crates/{id}/src/bin/{id}-check.rs"), source)
    }

    /// A crate with this text of a program.
    pub(crate) fn solution(&self, id: &str, source: &str) -> &Self {
        let manifest = format!("[package]\nname = \"{id}\"\nedition = \"2021\"\n");
        self.write(&format!("crates/{id}/Cargo.toml"), manifest);
        self.write(&format!("crates/{id}/src/main.rs"), source)
    }

    /// The judge, called for this workspace from a folder that is not in it.
    pub(crate) fn judge(&self, arguments: &[&str]) -> Command {
        let mut command = judge();
        command.arg("--root").arg(self.path()).args(arguments);
        command
    }

    /// The lines of the JSON report, each read, and the exit code.
    pub(crate) fn judge_json(&self, arguments: &[&str]) -> (Vec<Value>, i32) {
        let output = self
            .judge(arguments)
            .args(["--message-format", "json"])
            .output()
            .unwrap_or_else(|error| panic!("cannot run the judge: {error}"));
        (
            json_lines(&output.stdout),
            output.status.code().unwrap_or(-1),
        )
    }

    /// The verdicts by `<id>/<case>`, in the order of the report, and the exit code.
    pub(crate) fn verdicts(&self, arguments: &[&str]) -> (Vec<(String, String)>, i32) {
        let (lines, exit) = self.judge_json(arguments);
        let cases = lines.iter().filter(|line| line["type"] == "case");
        let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let name = |line: &Value| format!("{}/{}", text(line, "problem"), text(line, "case"));
        (
            cases
                .map(|line| (name(line), text(line, "verdict")))
                .collect(),
            exit,
        )
    }
}

/// The lines of a JSON report, each read.
pub(crate) fn json_lines(report: &[u8]) -> Vec<Value> {
    let parse = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}"))
    };
    String::from_utf8_lossy(report).lines().map(parse).collect()
}

/// The source of one of the programs in `tests/programs`.
pub(crate) fn program_text(program: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let source = folder.join(program).with_extension("rs");
    fs::read_to_string(&source)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", source.display()))
}

/// What is on standard error, but for what the judge says of a system that cannot isolate programs.
pub(crate) fn errors(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let is_of_system = |line: &&str| line.starts_with("note: ") && line.contains("judged programs");
    let lines = text.lines().filter(|line| !is_of_system(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The judge with nothing from the surroundings that bears on its report.
pub(crate) fn judge() -> Command {
    let mut command = cargo_bin_cmd!("judge");
    for variable in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CARGO_TERM_COLOR",
        "CARGO",
        "GITHUB_ACTIONS",
    ] {
        command.env_remove(variable);
    }
    command
        .env("CARGO_TARGET_DIR", target_folder())
        .current_dir(std::env::temp_dir());
    command
}

/// One target folder for all of them, kept from run to run. Tests that build must give their
/// crates different names, or the same text.
pub(crate) fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures")
}
