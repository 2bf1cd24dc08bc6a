//! Building the solutions: one call of cargo, and what it says of each.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::name::ProblemId;

/// The binary of a solution, or what the compiler says against it.
pub(crate) type Built = Result<PathBuf, String>;

/// How the solutions are to be built.
#[derive(Clone, Debug)]
pub(crate) struct BuildOptions {
    pub(crate) profile: String,
    pub(crate) is_quiet: bool,
    pub(crate) wants_color: bool,
}

/// Builds the binaries of these problems, in the workspace in `root`.
///
/// Cargo's progress goes to standard error. After an interrupt the map is not whole.
///
/// # Errors
///
/// If cargo cannot be run, or cannot read the workspace.
pub(crate) fn compile(
    root: &Path,
    ids: &[ProblemId],
    options: &BuildOptions,
    interrupt: &Interrupt,
) -> Result<BTreeMap<ProblemId, Built>, Error> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let binaries = binaries(root)?;
    let (known, unknown): (Vec<_>, Vec<_>) = ids
        .iter()
        .cloned()
        .partition(|id| binaries.contains(id.as_str()));
    let no_binary = |id: ProblemId| {
        let problem = format!("the workspace has no package `{id}` with a binary `{id}`\n");
        (id, Err(problem))
    };
    let mut built: BTreeMap<_, _> = unknown.into_iter().map(no_binary).collect();
    if !known.is_empty() {
        let messages = build(root, &known, options, interrupt)?;
        built.extend(known.into_iter().map(|id| {
            let result = messages.result_for(&id);
            (id, result)
        }));
    }
    Ok(built)
}

/// What `cargo metadata` says of a workspace, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Target {
    fn is_binary(&self) -> bool {
        self.kind.iter().any(|kind| kind == "bin")
    }
}

/// The names of the packages that have a binary of the same name.
///
/// Cargo is asked beforehand, since it builds nothing at all if one binary does not exist.
fn binaries(root: &Path) -> Result<BTreeSet<String>, Error> {
    let mut command = cargo(root);
    command
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|source| Error::Cargo { source })?;
    let metadata: Option<Metadata> = serde_json::from_slice(&output.stdout).ok();
    let metadata = metadata.filter(|_| output.status.success());
    let packages = metadata
        .ok_or_else(|| Error::CargoWorkspace(root.to_owned()))?
        .packages;
    let has_binary = |package: &Package| {
        package
            .targets
            .iter()
            .any(|target| target.is_binary() && target.name == package.name)
    };
    Ok(packages
        .into_iter()
        .filter(has_binary)
        .map(|package| package.name)
        .collect())
}

/// The cargo that runs this judge, or the one on the path.
fn cargo(root: &Path) -> Command {
    let mut command =
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root).stdin(Stdio::null());
    command
}

fn build(
    root: &Path,
    ids: &[ProblemId],
    options: &BuildOptions,
    interrupt: &Interrupt,
) -> Result<Messages, Error> {
    let mut command = cargo(root);
    command.args(["build", "--keep-going", "--profile", &options.profile]);
    command.args(missing_profile(root, &options.profile));
    let format = if options.wants_color {
        "json-diagnostic-rendered-ansi"
    } else {
        "json"
    };
    command.args(["--message-format", format]);
    if options.is_quiet {
        command.arg("--quiet");
    }
    for id in ids {
        command.args(["--package", id.as_str(), "--bin", id.as_str()]);
    }
    // A group of its own, so that all that cargo starts can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Cargo { source })?;
    let mut messages = Messages::default();
    if let Some(stdout) = child.stdout.take() {
        let lines = BufReader::new(interrupt.read_until_set(stdout)).lines();
        lines
            .map_while(Result::ok)
            .for_each(|line| messages.take(&line));
    }
    if interrupt.is_set() {
        kill_group(&mut child);
    }
    let status = child.wait().map_err(|source| Error::Cargo { source })?;
    if !status.success() && messages.is_empty() && !interrupt.is_set() {
        return Err(Error::CargoWorkspace(root.to_owned()));
    }
    Ok(messages)
}

/// A workspace need not define the profile `contest`; then it is what it is by default.
fn missing_profile(root: &Path, profile: &str) -> Vec<&'static str> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap_or_default();
    let is_defined = manifest
        .get("profile")
        .is_some_and(|profiles| profiles.get(profile).is_some());
    if profile != crate::cli::DEFAULT_PROFILE || is_defined {
        return Vec::new();
    }
    vec![
        "--config",
        "profile.contest.inherits='release'",
        "--config",
        "profile.contest.overflow-checks=true",
    ]
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    let _ = child.kill();
}

/// A line of cargo's JSON output, as far as it matters here.
#[derive(Deserialize)]
struct Message {
    reason: String,
    target: Option<Target>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

/// What cargo said, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Messages {
    executables: BTreeMap<String, PathBuf>,
    errors_of_binaries: BTreeMap<String, String>,
    /// Errors of libraries and build scripts: of all that binaries stand on.
    other_errors: String,
}

impl Messages {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn take(&mut self, line: &str) {
        // Lines that are not messages come from build scripts and macros.
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            return;
        };
        let Some(target) = message.target else { return };
        match (message.reason.as_str(), message.executable, message.message) {
            ("compiler-artifact", Some(executable), _) if target.is_binary() => {
                self.executables.insert(target.name, executable);
            }
            ("compiler-message", _, Some(diagnostic)) if diagnostic.level.starts_with("error") => {
                let is_binary = target.is_binary();
                let errors = self.errors_of_binaries.entry(target.name);
                let errors = if is_binary {
                    errors.or_default()
                } else {
                    &mut self.other_errors
                };
                errors.push_str(&diagnostic.rendered.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn result_for(&self, id: &ProblemId) -> Built {
        let id = id.as_str();
        self.executables
            .get(id)
            .cloned()
            .ok_or_else(|| match self.errors_of_binaries.get(id) {
                Some(errors) => errors.clone(),
                None if self.other_errors.is_empty() => {
                    "cargo did not build it; it says why above\n".to_owned()
                }
                None => self.other_errors.clone(),
            })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::Messages;
    use crate::name::ProblemId;

    fn artifact(name: &str, kind: &str, executable: &str) -> String {
        let target = json!({"name": name, "kind": [kind]});
        json!({"reason": "compiler-artifact", "target": target, "executable": executable})
            .to_string()
    }

    fn diagnostic(name: &str, kind: &str, level: &str, text: &str) -> String {
        let target = json!({"name": name, "kind": [kind]});
        let message = json!({"level": level, "rendered": text});
        json!({"reason": "compiler-message", "target": target, "message": message}).to_string()
    }

    fn some_lines() -> String {
        [
            "not a message".to_owned(),
            r#"{"reason":"build-script-executed","package_id":"x"}"#.to_owned(),
            artifact("nim", "bin", "/t/nim"),
            artifact("kayles", "test", "/t/kayles-1f"),
            diagnostic("nim", "bin", "warning", "w"),
            diagnostic("kayles", "bin", "error", "e1\n"),
            diagnostic("kayles", "bin", "error: internal compiler error", "e2\n"),
            r#"{"reason":"build-finished","success":false}"#.to_owned(),
        ]
        .join("\n")
    }

    fn messages(lines: &str) -> Messages {
        let mut messages = Messages::default();
        lines.lines().for_each(|line| messages.take(line));
        messages
    }

    fn result(messages: &Messages, id: &str) -> Result<PathBuf, String> {
        messages.result_for(&ProblemId::parse(id).unwrap())
    }

    #[test]
    fn binaries_and_errors_go_to_their_problem() {
        let messages = messages(&some_lines());
        assert_eq!(result(&messages, "nim"), Ok(PathBuf::from("/t/nim")));
        assert_eq!(result(&messages, "kayles"), Err("e1\ne2\n".to_owned()));
        assert!(
            result(&messages, "other")
                .unwrap_err()
                .contains("did not build")
        );
    }

    #[test]
    fn an_error_in_a_library_is_everybodys() {
        let of_library = diagnostic("sg_core", "lib", "error", "e");
        assert_eq!(result(&messages(&of_library), "nim"), Err("e".to_owned()));
    }

    #[test]
    fn silence_is_told_from_a_failed_build() {
        assert!(messages("error: no such thing\n").is_empty());
        assert!(!messages(&some_lines()).is_empty());
    }
}
