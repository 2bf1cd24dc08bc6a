//! The report for build servers.

use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use crate::fixture::Workspace;

/// The text of the report, of a judge that ends with this code.
fn junit(workspace: &Workspace, options: &[&str], exit: i32) -> String {
    let file = workspace.path().join("report.xml");
    let mut judge = workspace.judge(options);
    judge.arg("--junit").arg(&file).assert().code(exit);
    fs::read_to_string(file).unwrap_or_else(|error| panic!("no report: {error}"))
}

#[test]
fn junit_says_what_the_other_reports_say() {
    let workspace = Workspace::new();
    workspace
        .case("p/right", "echo 3", "3\n")
        .case("p/wrong", "echo 4", "3\n");
    let script = "printf 'a\\0\\033[31m]]><&\\377\\n' >&2; sh";
    workspace
        .write("script.sh", script)
        .case("p/late", "sleep 60", "");
    workspace.write("problems/p/<&\".in", "");
    let exec = format!("sh '{}'", workspace.path().join("script.sh").display());
    let options = ["--exec", &exec, "--time-limit", "0.1"];
    let text = junit(&workspace, &options, 1);
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("testsuite"))
        .collect();
    let [suite] = suites[..] else {
        panic!("{text}")
    };
    let count = |name: &str| suite.attribute(name).unwrap();
    assert_eq!(
        ["name", "tests", "failures", "errors", "skipped"].map(count),
        ["p", "4", "2", "1", "0"]
    );
    let test = |name: &str| {
        let mut tests = suite
            .children()
            .filter(|node| node.attribute("name") == Some(name));
        tests.next().unwrap()
    };
    let child = |name: &str, tag: &str| {
        let mut children = test(name).children().filter(|node| node.has_tag_name(tag));
        children.next()
    };
    assert_eq!(test("right").attribute("file"), Some("problems/p/right.in"));
    assert_eq!(test("right").attribute("classname"), Some("p"));
    assert!(child("right", "failure").is_none());
    let said = child("right", "system-err").unwrap().text().unwrap();
    assert_eq!(said, "a\\0\\u{1b}[31m]]><&\\xff");
    let failure = child("wrong", "failure").unwrap();
    assert_eq!(failure.attribute("type"), Some("WA"));
    assert_eq!(
        failure.attribute("message"),
        Some("line 1, column 1: expected `3`, found `4`")
    );
    assert_eq!(
        child("late", "failure").unwrap().attribute("type"),
        Some("TLE")
    );
    assert!(child("<&\"", "error").is_some());
}

#[test]
fn junit_takes_nothing_for_accepted_that_was_not_judged() {
    let workspace = Workspace::new();
    for case in ["1", "2", "3"] {
        workspace.case(&format!("p/{case}"), "echo 4", "3\n");
    }
    let text = junit(&workspace, &["--exec", "sh", "--fail-fast", "-j", "1"], 1);
    assert!(
        text.contains("tests=\"3\" skipped=\"2\" failures=\"1\""),
        "{text}"
    );
    let text = junit(&workspace, &["--exec", "/no/such/program"], 2);
    assert!(text.contains("failures=\"0\" errors=\"3\""), "{text}");
    let text = junit(&workspace, &["--exec", "sh", "--partition", "4/4"], 0);
    assert!(text.contains("tests=\"0\""), "{text}");
}

#[test]
fn a_reader_that_went_away_keeps_junit_from_nothing() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    let file = workspace.path().join("report.xml");
    let mut judge = Command::new(cargo_bin!("judge"));
    judge
        .arg("--root")
        .arg(workspace.path())
        .arg("--junit")
        .arg(&file);
    judge.args(["--exec", "true", "--message-format", "json"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = judge.stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(2));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("errors=\"1\""), "{text}");
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_built() {
    let workspace = Workspace::new();
    workspace
        .program("junit-nowhere", "broken")
        .case("junit-nowhere/1", "", "");
    for place in ["no/such/folder/report.xml", "problems"] {
        let path = workspace.path().join(place);
        let mut judge = workspace.judge(&["--junit"]);
        let told = judge.arg(&path).assert().code(2).stdout(is_empty());
        let line = format!("error: cannot write {}: ", path.display());
        told.stderr(contains(line).and(contains("\n").count(1)));
    }
}
