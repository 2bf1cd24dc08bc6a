//! What is printed, and where.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, starts_with};
use serde_json::Value;

use crate::fixture::{Workspace, errors, json_lines, judge};

fn two_cases() -> Workspace {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "a\n", "a\n")
        .case("p/2", "b\n", "c\n");
    workspace
}

/// Elsewhere some figures are null.
#[cfg(target_os = "linux")]
#[test]
fn json_is_the_contract() {
    use serde_json::json;
    let (mut lines, exit) = two_cases().judge_json(&["--exec", "cat", "-j", "2"]);
    assert_eq!(exit, 1);
    let start = json!({"type": "start", "problems": 1, "cases": 2, "jobs": 2});
    assert_eq!(lines[0], start);
    for line in &mut lines {
        for figure in ["cpu_ms", "wall_ms", "peak_kib"] {
            if let Some(value) = line.get_mut(figure) {
                assert!(
                    value.as_f64().is_some_and(|value| value > 0.0),
                    "{figure}: {value}"
                );
                *value = Value::Null;
            }
        }
    }
    let case = |name: &str, verdict: &str| {
        json!({
            "type": "case", "problem": "p", "case": name, "verdict": verdict,
            "cpu_ms": null, "wall_ms": null, "peak_kib": null,
            "exit_code": 0, "signal": null, "leaky": false,
        })
    };
    assert_eq!(lines[1], case("1", "AC"));
    let mut wrong = case("2", "WA");
    wrong["detail"] = "line 1, column 1: expected `c`, found `b`".into();
    assert_eq!(lines[2], wrong);
    let end = json!({"type": "end", "accepted": 1, "rejected": 1, "wall_ms": null, "exit": 1});
    assert_eq!(lines[3..], [end]);
}

/// Elsewhere some figures are null.
#[cfg(target_os = "linux")]
#[test]
fn json_keys_keep_their_order() {
    let output = two_cases()
        .judge(&["--exec", "cat", "--message-format", "json"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let without_figures = text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let case = [
        r#"{"type":"case","problem":"p","case":"","verdict":"AC","cpu_ms":,"wall_ms":,"#,
        r#""peak_kib":,"exit_code":,"signal":null,"leaky":false}"#,
    ];
    assert_eq!(without_figures.lines().nth(1), Some(case.concat().as_str()));
}

#[test]
fn json_has_nothing_else_on_standard_output_and_always_an_end() {
    let workspace = two_cases();
    workspace.write("problems/p/3.in", "");
    let (lines, exit) = workspace.judge_json(&["--exec", "cat", "p/1", "p/3"]);
    assert_eq!((lines.len(), exit), (3, 1));
    let (lines, exit) = workspace.judge_json(&["--exec", "cat", "nothing"]);
    assert_eq!((lines.len(), exit), (1, 2));
    assert_eq!(lines[0]["exit"], 2);
    let output = workspace
        .judge(&["--exec", "cat", "p/3", "--message-format", "json"])
        .assert();
    output.stderr(contains("p/3: an .in without an .out"));
}

#[test]
fn a_crash_is_told_by_signal_and_code() {
    let workspace = two_cases();
    let detail = |script: &str| {
        let (lines, _) = workspace.judge_json(&["--exec", script, "--exact", "p/1"]);
        (
            lines[1]["exit_code"].clone(),
            lines[1]["signal"].clone(),
            lines[1]["detail"].clone(),
        )
    };
    let aborted = (Value::Null, "SIGABRT".into(), "signal 6 (SIGABRT)".into());
    assert_eq!(detail("sh -c 'kill -ABRT $$'"), aborted);
    assert_eq!(
        detail("sh -c 'exit 7'"),
        (7.into(), Value::Null, "exit code 7".into())
    );
}

#[test]
fn a_failure_is_shown_with_all_that_helps() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "one\ntwo\nthree \nfour\n");
    let found = "printf 'one\\ntwo\\nthrea\\t\\nfour\\n'; echo hint >&2";
    let command = format!("sh -c \"{found}\"");
    let output = workspace.judge(&["--exec", &command]).assert().code(1);
    let told = contains("WA   p  ")
        .and(contains(
            "WA  1: line 3, column 5: expected `three·`, found `threa→`",
        ))
        .and(contains(
            "        2 2    two\n        3    - three·\n          3  + threa→\n",
        ))
        .and(contains("hint"))
        .and(contains("problems/p/1.in"))
        .and(contains("--exact p/1").count(2))
        .and(contains("1 not accepted of 1 case"));
    assert_eq!(errors(output.stdout(told).get_output()), "");
}

#[test]
fn many_failures_fit_a_screen_or_two() {
    let workspace = Workspace::new();
    let wall: String = (0..3000).map(|line| format!("{line}\n")).collect();
    for case in 0..100 {
        workspace.case(&format!("p/{case}"), "", &wall);
    }
    let output = workspace
        .judge(&["--exec", "yes", "--output-limit", "20"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() < 100, "{text}");
    assert!(text.contains("and 92 more of p;"), "{text}");
    let all = workspace.judge(&["--exec", "echo", "-v"]).output().unwrap();
    assert!(
        String::from_utf8(all.stdout)
            .unwrap()
            .contains("--exact p/99")
    );
}

#[test]
fn colors_come_only_where_they_are_wanted() {
    let workspace = two_cases();
    let has_colors = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = workspace.judge(&["--exec", "cat"]);
        command.args(arguments).envs(variables.iter().copied());
        let output = command.output().unwrap();
        let letters = String::from_utf8_lossy(&output.stdout).contains("WA");
        assert!(letters, "letters are always there");
        output.stdout.contains(&0x1b)
    };
    assert!(!has_colors(&[], &[]));
    assert!(has_colors(&["--color", "always"], &[]));
    assert!(has_colors(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(has_colors(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(has_colors(&[], &[("CARGO_TERM_COLOR", "always")]));
    assert!(!has_colors(
        &[],
        &[("CARGO_TERM_COLOR", "always"), ("NO_COLOR", "1")]
    ));
    assert!(!has_colors(
        &["--color", "never"],
        &[("CLICOLOR_FORCE", "1")]
    ));
    assert!(!has_colors(&["--message-format", "json"], &[]));
}

#[test]
fn quiet_and_verbose_are_what_they_say() {
    let workspace = two_cases();
    let right = ["--exec", "cat", "--exact", "p/1"];
    let quiet = workspace.judge(&right).arg("-q").assert().code(0);
    quiet.stdout(starts_with("all accepted: 1 case in ").and(contains("\n").count(1)));
    let verbose = workspace.judge(&right).arg("-v").assert().code(0);
    verbose.stdout(contains("    AC  1: "));
}

#[test]
fn output_of_any_bytes_leaves_a_printable_report() {
    let workspace = Workspace::new();
    let all: Vec<u8> = (0..=u8::MAX).rev().collect();
    workspace.case("p/1", &all, "x\n");
    for format in ["human", "json"] {
        let output = workspace
            .judge(&["--exec", "cat", "--message-format", format])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let is_strange = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(is_strange), "{text:?}");
    }
}

#[test]
fn json_has_an_end_even_if_there_is_no_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = judge();
    command
        .current_dir(folder.path())
        .args(["--message-format", "json"]);
    command
        .assert()
        .code(2)
        .stdout(contains(r#""exit":2}"#).and(contains("\n").count(1)));
}

#[test]
fn leaks_are_told_with_their_problem() {
    let workspace = two_cases();
    let leaking = ["--exec", "sh -c 'sleep 600 & echo a'", "--exact", "p/1"];
    let output = workspace.judge(&leaking).assert().code(0);
    output.stdout(contains(if cfg!(target_os = "linux") {
        "1 leaky"
    } else {
        "AC"
    }));
}

#[test]
fn a_service_that_shows_annotations_gets_them_beside_the_report() {
    let workspace = two_cases();
    workspace.write("problems/p/3.in", "");
    let mut judge = workspace.judge(&["--exec", "cat", "--message-format", "json"]);
    judge.env("GITHUB_ACTIONS", "true");
    let output = judge.env_remove("GITHUB_WORKSPACE").output().unwrap();
    assert_eq!(json_lines(&output.stdout).len(), 4);
    let errors = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<_> = errors
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    let expected = [
        "::error title=p/3::an .in without an .out of the same name",
        "::error file=problems/p/2.in,title=WA p/2::\
         line 1, column 1: expected `c`, found `b`",
    ];
    assert_eq!(lines, expected);
    let elsewhere = workspace.judge(&["--exec", "cat"]).assert().code(1);
    elsewhere.stderr(contains("::error").not());
}
