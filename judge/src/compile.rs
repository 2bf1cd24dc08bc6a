//! Building solutions and checkers: one call of cargo, and what it says of each.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::cli::DEFAULT_PROFILE;
use crate::error::Error;
use crate::execute::end_with_descendants;
use crate::interrupt::Interrupt;
use crate::name::ProblemId;

/// A binary of a problem's package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binary {
    pub(crate) package: ProblemId,
    pub(crate) name: String,
}

impl Binary {
    pub(crate) fn of_solution(id: &ProblemId) -> Self {
        Self {
            package: id.clone(),
            name: id.to_string(),
        }
    }
}

/// Where a binary stands, or what the compiler says against it.
pub(crate) type Built = Result<PathBuf, String>;

/// How the solutions are to be built.
#[derive(Clone, Debug)]
pub(crate) struct BuildOptions {
    pub(crate) profile: String,
    pub(crate) is_quiet: bool,
    /// Whether the compiler's texts are to be colored.
    pub(crate) wants_color: bool,
    /// What to tell cargo of colors in its own words; none lets it decide.
    pub(crate) cargo_color: Option<&'static str>,
}

/// What came out of a build.
#[derive(Debug, Default)]
pub(crate) struct Build {
    /// Not whole after an interrupt.
    pub(crate) programs: BTreeMap<Binary, Built>,
    /// What the compiler warns of.
    pub(crate) warnings: Vec<String>,
}

/// Builds these binaries, in the workspace in `root`.
///
/// Cargo's progress goes to standard error.
///
/// # Errors
///
/// If cargo cannot be run, or cannot read the workspace.
pub(crate) fn compile(
    root: &Path,
    binaries: &[Binary],
    options: &BuildOptions,
    interrupt: &Interrupt,
) -> Result<Build, Error> {
    let mut build = Build::default();
    if binaries.is_empty() {
        return Ok(build);
    }
    let packages = packages(root, interrupt)?;
    let mut buildable = Vec::new();
    for binary in binaries.iter().filter(|_| !interrupt.is_set()) {
        match fault(&packages, binary) {
            None => buildable.push(binary),
            Some(fault) => drop(build.programs.insert(binary.clone(), Err(fault))),
        }
    }
    if !buildable.is_empty() {
        let messages = call_cargo_for_each(root, &buildable, options, interrupt)?;
        if !interrupt.is_set() {
            let results = buildable
                .into_iter()
                .map(|binary| (binary.clone(), messages.result_for(binary)));
            build.programs.extend(results);
        }
        build.warnings = messages.warnings;
    }
    Ok(build)
}

/// One call of cargo for all. Only if it refuses to begin, since it objects to one of the packages,
/// there is a call for each, for the sake of the others.
fn call_cargo_for_each(
    root: &Path,
    binaries: &[&Binary],
    options: &BuildOptions,
    interrupt: &Interrupt,
) -> Result<Messages, Error> {
    let (messages, has_begun) = call_cargo(root, binaries, options, interrupt)?;
    if has_begun || interrupt.is_set() {
        return Ok(messages);
    }
    let mut messages = Messages::default();
    let mut n_refused = 0;
    for binary in binaries {
        let (of_one, has_begun) = call_cargo(root, &[binary], options, interrupt)?;
        messages.add(of_one);
        if !has_begun {
            n_refused += 1;
            messages.refuse(binary);
        }
    }
    if n_refused == binaries.len() && !interrupt.is_set() {
        return Err(Error::CargoBuild(root.to_owned()));
    }
    Ok(messages)
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

/// Cargo is asked beforehand, since it builds nothing at all if one binary does not exist.
fn packages(root: &Path, interrupt: &Interrupt) -> Result<Vec<Package>, Error> {
    let mut command = cargo(root);
    command
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|source| Error::Cargo { source })?;
    let metadata: Option<Metadata> = serde_json::from_slice(&output.stdout).ok();
    match metadata {
        Some(metadata) if output.status.success() => Ok(metadata.packages),
        _ if interrupt.is_set() => Ok(Vec::new()),
        _ => Err(Error::CargoBuild(root.to_owned())),
    }
}

/// Why there is no telling which binary is meant.
fn fault(packages: &[Package], binary: &Binary) -> Option<String> {
    let (id, name) = (binary.package.as_str(), &binary.name);
    let has_binary = |package: &&Package| {
        package
            .targets
            .iter()
            .any(|target| target.is_binary() && target.name == *name)
    };
    let owners: Vec<&str> = packages
        .iter()
        .filter(has_binary)
        .map(|package| package.name.as_str())
        .collect();
    match &owners[..] {
        [owner] if *owner == id => None,
        owners if owners.contains(&id) => Some(format!(
            "more than one package has a binary `{name}`: {}\n",
            owners.join(", ")
        )),
        _ => Some(format!(
            "the workspace has no package `{id}` with a binary `{name}`\n"
        )),
    }
}

/// The cargo that runs this judge, or the one on the path.
fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root).stdin(Stdio::null());
    command
}

/// What cargo says of building these, and whether it began to build at all.
fn call_cargo(
    root: &Path,
    binaries: &[&Binary],
    options: &BuildOptions,
    interrupt: &Interrupt,
) -> Result<(Messages, bool), Error> {
    let mut command = cargo(root);
    command.args(["build", "--keep-going", "--profile", &options.profile]);
    command.args(missing_profile(root, &options.profile));
    let format = if options.wants_color {
        "json-diagnostic-rendered-ansi"
    } else {
        "json"
    };
    command.args(["--message-format", format]);
    command.args(
        options
            .cargo_color
            .iter()
            .flat_map(|color| ["--color", color]),
    );
    if options.is_quiet {
        command.arg("--quiet");
    }
    for binary in binaries {
        command.args(["--package", binary.package.as_str()]);
        command.args(["--bin", &binary.name]);
    }
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
        end_with_descendants(&mut child);
    }
    let status = child.wait().map_err(|source| Error::Cargo { source })?;
    let has_begun = status.success() || messages.has_finished;
    Ok((messages, has_begun))
}

/// A workspace need not define the profile `contest`; then it is what it is by default.
fn missing_profile(root: &Path, profile: &str) -> Vec<&'static str> {
    let is_defined_in = |file: &str| {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        let table: toml::Table = toml::from_str(&text).unwrap_or_default();
        table
            .get("profile")
            .is_some_and(|profiles| profiles.get(profile).is_some())
    };
    let is_defined = ["Cargo.toml", ".cargo/config.toml"]
        .into_iter()
        .any(is_defined_in);
    if profile != DEFAULT_PROFILE || is_defined {
        return Vec::new();
    }
    let inherits = "profile.contest.inherits='release'";
    vec![
        "--config",
        inherits,
        "--config",
        "profile.contest.overflow-checks=true",
    ]
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
#[derive(Debug, Default)]
struct Messages {
    executables: BTreeMap<String, PathBuf>,
    errors_of_binaries: BTreeMap<String, String>,
    /// Errors of libraries and build scripts: of all that binaries stand on.
    other_errors: String,
    warnings: Vec<String>,
    /// Whether cargo said that it was done, well or not.
    has_finished: bool,
}

impl Messages {
    fn take(&mut self, line: &str) {
        // Lines that are not messages come from build scripts and macros.
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            return;
        };
        self.has_finished |= message.reason == "build-finished";
        let Some(target) = message.target else { return };
        match (message.reason.as_str(), message.executable, message.message) {
            ("compiler-artifact", Some(executable), _) if target.is_binary() => {
                self.executables.insert(target.name, executable);
            }
            ("compiler-message", _, Some(Diagnostic { level, rendered })) => {
                self.take_diagnostic(target, &level, rendered.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn take_diagnostic(&mut self, target: Target, level: &str, text: String) {
        if !level.starts_with("error") {
            self.warnings.push(text);
        } else if target.is_binary() {
            self.errors_of_binaries
                .entry(target.name)
                .or_default()
                .push_str(&text);
        } else {
            self.other_errors.push_str(&text);
        }
    }

    fn add(&mut self, others: Self) {
        self.executables.extend(others.executables);
        self.errors_of_binaries.extend(others.errors_of_binaries);
        self.other_errors.push_str(&others.other_errors);
        self.warnings.extend(others.warnings);
    }

    fn refuse(&mut self, binary: &Binary) {
        let refusal = "cargo refuses to build it, and says why on standard error\n".to_owned();
        self.errors_of_binaries.insert(binary.name.clone(), refusal);
    }

    fn result_for(&self, binary: &Binary) -> Built {
        if let Some(executable) = self.executables.get(&binary.name) {
            return Ok(executable.clone());
        }
        Err(match self.errors_of_binaries.get(&binary.name) {
            Some(errors) => errors.clone(),
            None if self.other_errors.is_empty() => {
                "cargo did not build it, and says why on standard error\n".to_owned()
            }
            None => format!(
                "something that it may stand on does not compile\n{}",
                self.other_errors
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::{Binary, Messages, Package, Target, fault};
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
        messages.result_for(&solution(id))
    }

    fn solution(id: &str) -> Binary {
        Binary::of_solution(&ProblemId::parse(id).unwrap())
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
        let error = result(&messages(&of_library), "nim").unwrap_err();
        assert!(error.ends_with("\ne"), "{error}");
    }

    #[test]
    fn warnings_are_kept() {
        assert_eq!(messages(&some_lines()).warnings, ["w"]);
    }

    #[test]
    fn silence_is_told_from_a_failed_build() {
        assert!(!messages("error: no such thing\n").has_finished);
        assert!(messages(&some_lines()).has_finished);
    }

    #[test]
    fn a_binary_must_be_of_its_package_and_of_no_other() {
        let package = |name: &str, binaries: &[&str]| Package {
            name: name.to_owned(),
            targets: binaries
                .iter()
                .map(|&name| Target {
                    name: name.to_owned(),
                    kind: vec!["bin".to_owned()],
                })
                .collect(),
        };
        let packages = [
            package("nim", &["nim", "nim-lab"]),
            package("kayles", &["keyles"]),
            package("wythoff", &["wythoff", "both"]),
            package("both", &["both"]),
        ];
        let is_fine = |id| fault(&packages, &solution(id)).is_none();
        let ids = [
            "nim", "kayles", "keyles", "nim-lab", "wythoff", "both", "none",
        ];
        assert_eq!(
            ids.map(is_fine),
            [true, false, false, false, true, false, false]
        );
        let checker = |name: &str| Binary {
            name: name.to_owned(),
            ..solution("nim")
        };
        let is_fine = |name| fault(&packages, &checker(name)).is_none();
        assert_eq!(
            ["nim-lab", "keyles", "none"].map(is_fine),
            [true, false, false]
        );
    }
}
