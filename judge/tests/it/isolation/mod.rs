//! A judged program reaches nothing but its input, its scratch folder and itself.
//!
//! Where the kernel has not all means for that, the judge says so, and so do these tests.

// The kernels without a part are played by filters for 64 bits.
#[cfg(target_pointer_width = "64")]
mod notes;
mod surroundings;
mod table;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use signal_hook::consts::SIGURG;

use self::surroundings::{KINDS, Surroundings, state};
use self::table::{Attempt, attempts};
use crate::endings::wait_until;
use crate::fixture::{Workspace, json_lines, program_text, target_folder};

/// The files of the program.
const PARTS: [&str; 6] = ["main", "files", "kernel", "needs", "processes", "sockets"];

/// A workspace with this one problem, whose solution is the program that attempts things.
fn workspace(id: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace
        .write(".git/objects/answers", "done\n")
        .program(id, "escaping/main");
    for part in PARTS {
        let text = program_text(&format!("escaping/{part}"));
        workspace.write(&format!("crates/{id}/src/{part}.rs"), text);
    }
    workspace
}

/// What must come of an attempt.
type Outcome = fn(&Attempt) -> Option<&'static str>;

/// Makes a case of every attempt that has an outcome. Returns them by `<id>/<case>`.
fn add_cases(
    workspace: &Workspace,
    id: &str,
    surroundings: &Surroundings,
    outcome: Outcome,
) -> io::Result<BTreeMap<String, Attempt>> {
    let root = workspace.path().display().to_string();
    let problem = format!("{root}/problems/{id}");
    let mut names = surroundings.names()?;
    names.extend([("$ROOT", root), ("$PROBLEM", problem.clone())]);
    let mut cases = BTreeMap::new();
    for (index, attempt) in attempts().into_iter().enumerate() {
        let Some(expected) = outcome(&attempt) else {
            continue;
        };
        let case = format!("{index}-{}", attempt.verb());
        let line = attempt.line.replace("$CASE", &format!("{problem}/{case}"));
        let named = names
            .iter()
            .fold(line, |line, (name, text)| line.replace(name, text));
        if KINDS.iter().any(|kind| named.contains(kind.name)) {
            say(&format!("not tried, for want of ipcmk: {}", attempt.what));
            continue;
        }
        let case = format!("{id}/{case}");
        workspace.case(&case, format!("{named}\n7777\n"), format!("{expected}\n"));
        cases.insert(case, attempt);
    }
    workspace.case(&format!("{id}/other"), "random\n", "done\n");
    for file in ["linked.in", "linked.out"] {
        symlink(
            surroundings.folder.path().join(file),
            format!("{problem}/{file}"),
        )?;
    }
    Ok(cases)
}

/// What the judge says of all cases.
fn judge(workspace: &Workspace, arguments: &[&str]) -> Output {
    let format = ["--message-format", "json", "--profile", "dev"];
    let output = workspace.judge(&[arguments, &format].concat()).output();
    output.unwrap_or_else(|error| panic!("cannot run the judge: {error}"))
}

/// What the kernel has no means for, as the judge tells it.
fn notes(output: &Output) -> Vec<String> {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let notes = errors
        .lines()
        .filter_map(|line| line.strip_prefix("note: "));
    notes.map(str::to_owned).collect()
}

/// Says so where the kernel has not all means for a sandbox.
fn is_without_means(output: &Output) -> bool {
    let notes = notes(output);
    if !notes.is_empty() {
        say(&format!("isolation is not tested: {}", notes.join("; ")));
    }
    !notes.is_empty()
}

/// Past the capture of the test harness, which shows nothing of a test that passes.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[track_caller]
fn assert_all_accepted(output: &Output, cases: &BTreeMap<String, Attempt>) {
    let lines = json_lines(&output.stdout);
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let name = |line: &Value| format!("{}/{}", text(line, "problem"), text(line, "case"));
    let of_cases = lines.iter().filter(|line| line["type"] == "case");
    let surprises: Vec<String> = of_cases
        .filter(|line| line["verdict"] != "AC")
        .map(|line| {
            let attempt = cases.get(&name(line)).map(|attempt| attempt.what);
            format!("{}: {line}", attempt.unwrap_or("another"))
        })
        .collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn nothing_outside_is_reached_and_nothing_needed_is_refused() {
    let id = "isolated";
    let (mut surroundings, workspace) = (Surroundings::new().unwrap(), workspace(id));
    let in_sandbox: Outcome = |attempt| Some(attempt.in_sandbox);
    let cases = add_cases(&workspace, id, &surroundings, in_sandbox).unwrap();
    let problems = workspace.path().join("problems");
    let before = (surroundings.state(), state(&problems));
    let output = judge(&workspace, &["-j", "4"]);
    if is_without_means(&output) {
        return;
    }
    assert_all_accepted(&output, &cases);
    assert_eq!((surroundings.state(), state(&problems)), before);
    assert!(surroundings.is_witness_alive());
}

/// So what is refused is refused by the sandbox, and not for another reason.
#[test]
fn without_the_sandbox_the_same_is_done() {
    let id = "unisolated";
    let (surroundings, workspace) = (Surroundings::new().unwrap(), workspace(id));
    let cases = add_cases(&workspace, id, &surroundings, |attempt| attempt.without).unwrap();
    let output = judge(&workspace, &["-j", "4", "--no-sandbox"]);
    assert_all_accepted(&output, &cases);
    assert_eq!(notes(&output), [""; 0]);
}

#[test]
fn a_signal_to_everybody_reaches_nobody_else() {
    let workspace = workspace("broadcast");
    // Where signals are not kept in the sandbox this one is refused.
    workspace.case("broadcast/1", "kill-everybody\n", "done\n");
    let is_heard = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGURG, Arc::clone(&is_heard)).unwrap();
    let output = judge(&workspace, &[]);
    if is_without_means(&output) {
        return;
    }
    assert_all_accepted(&output, &BTreeMap::new());
    assert!(!is_heard.load(Ordering::SeqCst));
    let me = std::process::id().to_string();
    let sent = Command::new("kill").args(["-URG", &me]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    wait_until("heard", || is_heard.load(Ordering::SeqCst));
}

#[test]
fn what_a_run_left_in_its_scratch_folder_is_gone_for_the_next() {
    let workspace = workspace("scratch");
    for case in 1..=3 {
        workspace.case(&format!("scratch/{case}"), "spoil-scratch\n", "done\n");
    }
    workspace.case("scratch/4", "find-scratch-empty\n", "done\n");
    let output = judge(&workspace, &["-j", "1"]);
    if !is_without_means(&output) {
        assert_all_accepted(&output, &BTreeMap::new());
    }
}

/// The exit code of a judge that has a terminal, if there is a program that plays one.
fn judge_on_terminal(workspace: &Workspace, arguments: &str) -> Option<(String, Option<i32>)> {
    let judge = cargo_bin!("judge").display();
    let root = workspace.path().display();
    let line = format!("'{judge}' --root '{root}' --profile dev {arguments}");
    let mut command = Command::new("script");
    let command = command.args(["-qec", &line, "/dev/null"]);
    let output = command
        .env("CARGO_TARGET_DIR", target_folder())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((text, output.status.code()))
}

#[test]
fn the_terminal_of_the_judge_is_out_of_reach() {
    let workspace = workspace("terminal");
    workspace
        .case("terminal/shut", "open /dev/tty\n", "refused\n")
        .case("terminal/type", "type-for-user\n", "refused\n")
        .case("terminal/open", "open /dev/tty\n", "done\n");
    let shut = judge_on_terminal(&workspace, "terminal/shut terminal/type");
    let Some((text, exit)) = shut else {
        return say("no terminal is tried, for want of script");
    };
    if text.contains("note: ") {
        return say(&format!("isolation is not tested: {text}"));
    }
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = judge_on_terminal(&workspace, "terminal/open --no-sandbox").unwrap();
    assert_eq!(exit, Some(0), "{text}");
}
