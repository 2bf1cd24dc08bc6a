//! Runs beside each other: one that is too slow, or nearly, is run again alone, and both are told.

use std::fs;

use serde_json::Value;

use crate::fixture::{Workspace, json_lines};

/// Well within the limit, in its last tenth, and over it.
const CASES: [(&str, u32); 3] = [("brisk", 20), ("close", 380), ("over", 420)];

const LIMIT: [&str; 4] = ["--time-limit", "0.4", "--profile", "dev"];

/// A problem whose solution keeps a diary, with three cases of which so many wait for each other.
fn workspace(id: &str, n_together: usize) -> Workspace {
    let workspace = Workspace::new();
    workspace.program(id, "diary");
    let diary = workspace.path().join("diary");
    for (name, milliseconds) in CASES {
        let input = format!("{name} {milliseconds} {n_together} {}\n", diary.display());
        workspace.case(&format!("{id}/{name}"), input, "done\n");
    }
    workspace
}

fn diary(workspace: &Workspace) -> Vec<String> {
    let text = fs::read_to_string(workspace.path().join("diary")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn n_runs(diary: &[String], name: &str) -> usize {
    let begins = format!("{name} begins");
    diary.iter().filter(|line| **line == begins).count()
}

/// The line of each case, in the order of their names, which is that of the table.
fn cases(report: &[u8]) -> Vec<Value> {
    let mut lines = json_lines(report);
    lines.retain(|line| line["type"] == "case");
    lines
}

#[test]
fn who_was_slow_in_company_is_run_again_alone_and_both_are_told() {
    let workspace = workspace("company", CASES.len());
    // The diary is no business of a sandbox.
    let mut judge = workspace.judge(&LIMIT);
    judge.args(["-j", "3", "--no-sandbox", "--message-format", "json"]);
    let output = judge.output().unwrap();
    let cases = cases(&output.stdout);
    let verdicts: Vec<_> = cases.iter().map(|line| line["verdict"].as_str()).collect();
    assert_eq!(
        verdicts,
        [Some("AC"), Some("AC"), Some("TLE")],
        "{output:?}"
    );
    let has_first = |line: &Value| line["first_cpu_ms"].is_f64();
    let firsts: Vec<_> = cases.iter().map(has_first).collect();
    assert_eq!(firsts, [false, true, true], "{output:?}");
    let detail = cases[2]["detail"].as_str().unwrap();
    assert!(detail.contains(" (alone; "), "{detail}");
    assert!(detail.ends_with(" ms beside other runs)"), "{detail}");

    let diary = diary(&workspace);
    let n_runs = CASES.map(|(name, _)| n_runs(&diary, name));
    assert_eq!(n_runs, [1, 2, 2], "{diary:?}");
    let last_begin = diary
        .iter()
        .rposition(|line| line == "close begins")
        .unwrap();
    assert_eq!(diary[last_begin + 1], "close ends", "{diary:?}");
}

#[test]
fn who_was_alone_is_not_run_again() {
    let workspace = workspace("solitude", 1);
    let mut judge = workspace.judge(&LIMIT);
    judge.args(["-j", "1", "--no-sandbox", "--message-format", "json"]);
    let output = judge.output().unwrap();
    let cases = cases(&output.stdout);
    let has_first = |line: &Value| line["first_cpu_ms"].is_f64();
    assert!(!cases.iter().any(has_first), "{output:?}");
    let diary = diary(&workspace);
    assert_eq!(
        CASES.map(|(name, _)| n_runs(&diary, name)),
        [1, 1, 1],
        "{diary:?}"
    );
}

#[test]
fn both_runs_are_told_to_people() {
    let workspace = workspace("told", CASES.len());
    let mut judge = workspace.judge(&LIMIT);
    let output = judge
        .args(["-j", "3", "--no-sandbox", "-v"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line_of = |name: &str| {
        let beginning = format!("  {name}: ");
        let line = text.lines().find(|line| line.contains(&beginning));
        line.map(str::to_owned).unwrap_or_default()
    };
    assert!(!line_of("brisk").contains("beside"), "{text}");
    assert!(
        line_of("close").ends_with(" ms beside other runs)"),
        "{text}"
    );
    assert!(
        line_of("over").ends_with(" ms beside other runs)"),
        "{text}"
    );
}
