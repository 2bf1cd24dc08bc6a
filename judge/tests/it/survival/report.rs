//! Reports that stay readable whatever the program or the terminal is like.

use std::process::Command;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;

use crate::fixture::{Workspace, judge};

/// What one would scroll for.
const SCREENFUL: usize = 50;

/// The report for people, judged by a shell script.
fn report(workspace: &Workspace, script: &str) -> String {
    workspace.write("script.sh", script);
    let exec = format!("sh '{}'", workspace.path().join("script.sh").display());
    let output = workspace.judge(&["--exec", &exec]).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run the judge: {error}"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_million_lines_that_all_differ_are_told_soon_and_in_a_screenful() {
    let workspace = Workspace::new();
    let numbers = |first: usize| -> String {
        (first..first + 1_000_000)
            .map(|number| format!("{number}\n"))
            .collect()
    };
    workspace.case("p/1", numbers(1_000_000), numbers(3_000_000));
    let begin = Instant::now();
    let text = report(&workspace, "exec cat");
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    assert!(
        text.contains("expected `3000000`, found `1000000`"),
        "{text}"
    );
    assert!(text.lines().count() < SCREENFUL, "{text}");
}

#[test]
fn megabytes_on_standard_error_are_cut() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "3\n");
    for script in ["yes hint", "tr '\\0' x </dev/zero"] {
        let text = report(&workspace, &format!("{script} | head -c 3000000 >&2"));
        assert!(text.contains("standard error"), "{text}");
        assert!(text.lines().count() < SCREENFUL, "{text}");
        assert!(text.len() < 8 * 1024, "{text}");
    }
}

#[test]
fn what_failed_is_listed_again_with_lines_that_run_it_again() {
    let workspace = Workspace::new();
    workspace
        .case("p/a wrong", "echo 4", "3\n")
        .case("p/crash", "exit 7", "3\n")
        .case("p/right", "echo 3", "3\n")
        .case("p/slow", "sleep 60", "3\n");
    let mut first = workspace.judge(&["--exec", "sh", "--time-limit", "0.1"]);
    let output = first.assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let (details, list) = text.split_once("\nnot accepted\n").unwrap();
    let list = list.lines().filter_map(|line| line.trim().split_once("  "));
    let list: Vec<_> = list.filter(|(_, line)| line.contains("--exact")).collect();
    let verdicts: Vec<_> = list.iter().map(|(verdict, _)| *verdict).collect();
    assert_eq!(verdicts, ["WA", "RE", "TLE"], "{text}");
    for (verdict, line) in list {
        let line = line.trim();
        let words = shlex::split(line).unwrap();
        let mut again = judge();
        again.args(&words[1..]).args(["--message-format", "json"]);
        let output = again.assert().code(1).get_output().stdout.clone();
        let cases: Vec<_> = crate::fixture::json_lines(&output)
            .into_iter()
            .filter(|line| line["type"] == "case")
            .collect();
        assert_eq!(cases.len(), 1, "{line}");
        assert_eq!(cases[0]["verdict"], verdict, "{line}");
    }
    assert!(details.contains("again  "), "{text}");
}

/// The report as a terminal of 20 columns gets it, if there is a program that plays one.
fn report_on_terminal(workspace: &Workspace, variables: &[(&str, &str)]) -> Option<String> {
    let judge = cargo_bin!("judge").display();
    let root = workspace.path().display();
    let line = format!("stty rows 24 cols 20; '{judge}' --root '{root}' --exec cat");
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm");
    for variable in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CARGO_TERM_COLOR",
        "CI",
    ] {
        command.env_remove(variable);
    }
    let output = command.envs(variables.iter().copied()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert!(text.contains("WA"), "{text}");
    Some(text)
}

#[test]
fn a_narrow_or_simple_terminal_gets_no_garbage() {
    let workspace = Workspace::new();
    let long = "0123456789".repeat(30);
    workspace.case("p/1", &long, "3\n");
    let is_strange = |c: char| c.is_control() && c != '\n';
    for variables in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let Some(text) = report_on_terminal(&workspace, &variables) else {
            return;
        };
        assert!(!text.contains(is_strange), "{variables:?}: {text:?}");
        let diff = text.lines().find(|line| line.contains("+ 0"));
        assert!(
            diff.is_some_and(|line| line.chars().count() <= 24),
            "{text}"
        );
    }
    let colored = report_on_terminal(&workspace, &[]);
    assert!(colored.is_none_or(|text| text.contains('\x1b')));
}
