//! The judge says no: known good and bad programs, each with its verdict.
//!
//! Limits of processor time and memory, and what is left behind, need Linux.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::fixture::Workspace;

#[test]
fn a_failed_build_is_told_once_with_the_compilers_text_and_does_not_stop_the_others() {
    let workspace = Workspace::new();
    for program in ["accepted", "broken"] {
        workspace
            .program(program, program)
            .case(&format!("{program}/1"), "1 2\n", "3\n");
    }
    let output = workspace.judge(&[]).assert().code(1);
    let told = contains("CE   broken").and(contains("mismatched types").count(1));
    output.stdout(
        told.and(contains("AC   accepted"))
            .and(contains("--exact broken\n")),
    );
}

/// Without a build: a shell script for each fault.
fn verdict_of_script(script: &str, arguments: &[&str]) -> String {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "1 2\n", "3\n")
        .write("script.sh", script);
    let command = format!("sh '{}'", workspace.path().join("script.sh").display());
    let (verdicts, _) = workspace.verdicts(&[&["--exec", &command], arguments].concat());
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

#[test]
fn scripts_get_their_verdicts() {
    for (script, verdict) in [
        ("echo 3", "AC"),
        ("printf 3", "AC"),
        ("printf '3  \\r\\n\\n\\n'", "AC"),
        ("cat >/dev/null; echo 3; echo note >&2", "AC"),
        ("echo 4", "WA"),
        ("echo 3; echo 3", "WA"),
        ("echo ' 3'", "WA"),
        (":", "WA"),
        ("echo 3; exit 1", "RE"),
        ("echo 3; kill -SEGV $$", "RE"),
        ("exec nonexistent-program", "RE"),
        ("head -c 80000 /dev/zero", "OLE"),
        ("yes | head -c 70000 >&2; echo 3", "AC"),
    ] {
        assert_eq!(verdict_of_script(script, &[]), verdict, "{script}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_command_line_count() {
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo 3";
    assert_eq!(verdict_of_script(busy, &["--time-limit", "30"]), "AC");
    assert_eq!(verdict_of_script(busy, &["--time-limit", "0.02"]), "TLE");
    let hungry = "x=$(head -c 20000000 /dev/zero | tr '\\0' a); echo 3";
    assert_eq!(verdict_of_script(hungry, &[]), "AC");
    assert_eq!(verdict_of_script(hungry, &["--memory-limit", "16"]), "MLE");
    let long = "head -c 3000 /dev/zero";
    assert_eq!(verdict_of_script(long, &[]), "WA");
    assert_eq!(verdict_of_script(long, &["--output-limit", "2"]), "OLE");
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_problem_count_unless_the_command_line_says_otherwise() {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "", "3\n")
        .write("problems/p/problem.toml", "time_limit_ms = 20\n");
    let busy = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo 3'";
    let verdict = |arguments: &[&str]| {
        workspace
            .verdicts(&[&["--exec", busy], arguments].concat())
            .0[0]
            .1
            .clone()
    };
    assert_eq!(verdict(&[]), "TLE");
    assert_eq!(verdict(&["--time-limit", "30"]), "AC");
}

#[test]
fn the_problem_says_how_to_compare() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "1 2\n3\n");
    for (rule, verdicts) in [("lines", "WA"), ("tokens", "AC"), ("exact", "WA")] {
        workspace.write("problems/p/problem.toml", format!("compare = \"{rule}\"\n"));
        let found = workspace.verdicts(&["--exec", "echo 1 2 3"]).0[0].1.clone();
        assert_eq!(found, verdicts, "{rule}");
        let right = workspace.verdicts(&["--exec", "printf '1 2\\n3\\n'"]).0[0]
            .1
            .clone();
        assert_eq!(right, "AC", "{rule}");
    }
}

/// One wrong byte in one expected output turns that one case, and nothing else.
#[test]
fn one_changed_answer_is_one_wrong_answer() {
    let workspace = Workspace::new();
    for case in 1..=12 {
        workspace.case(
            &format!("p/{case}"),
            format!("{case}\n"),
            format!("{case}\n"),
        );
    }
    assert_eq!(workspace.verdicts(&["--exec", "cat"]).1, 0);
    workspace.case("p/7", "7\n", "8\n");
    let (verdicts, exit) = workspace.verdicts(&["--exec", "cat"]);
    let rejected: Vec<_> = verdicts
        .iter()
        .filter(|(_, verdict)| verdict != "AC")
        .collect();
    assert_eq!(rejected, [&("p/7".to_owned(), "WA".to_owned())]);
    assert_eq!((verdicts.len(), exit), (12, 1));
}

#[test]
fn an_abort_tells_what_was_judged_before() {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "", "3\n")
        .case("p/2", "", "3\n")
        .case("p/3", "", "3\n");
    let script = "#!/bin/sh\nrm \"$0\"\necho 3\n";
    let program = workspace.path().join("once.sh");
    let write = || {
        workspace.write("once.sh", script);
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let exec = program.display().to_string();
    write();
    // In the sandbox it could not remove itself.
    let arguments = ["--exec", &exec, "-j", "1", "--no-sandbox"];
    let (lines, exit) = workspace.judge_json(&arguments);
    let end = lines.last().unwrap();
    assert_eq!(
        (end["accepted"].as_i64(), end["exit"].as_i64(), exit),
        (Some(1), Some(2), 2)
    );
    write();
    let output = workspace.judge(&arguments).assert().code(2);
    let told =
        contains("1/1 of 3").and(contains("stopped: 1 case judged, 1 accepted; 2 not judged"));
    output.stdout(told).stderr(contains("error: cannot start"));
}

#[test]
fn fail_fast_does_not_wait_for_what_is_running() {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "0", "")
        .case("p/2", "60", "")
        .case("p/3", "60", "");
    workspace.write("script.sh", "read seconds; sleep $seconds; echo 3");
    let exec = format!("sh '{}'", workspace.path().join("script.sh").display());
    let begin = Instant::now();
    let (verdicts, exit) = workspace.verdicts(&[
        "--exec",
        &exec,
        "--fail-fast",
        "-j",
        "4",
        "--time-limit",
        "100",
    ]);
    assert_eq!(
        (verdicts, exit),
        (vec![("p/1".to_owned(), "WA".to_owned())], 1)
    );
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_sleeper_is_not_run_again() {
    let workspace = Workspace::new();
    for case in 1..=4 {
        workspace.case(&format!("p/{case}"), "", "");
    }
    let begin = Instant::now();
    let (verdicts, _) =
        workspace.verdicts(&["--exec", "sleep 600", "-j", "4", "--time-limit", "0.1"]);
    assert!(
        verdicts.iter().all(|(_, verdict)| verdict == "TLE"),
        "{verdicts:?}"
    );
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn a_binary_that_cannot_run_does_not_stop_the_others() {
    let workspace = Workspace::new();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    let remove = "fn main() { std::fs::remove_file(std::env::current_exe().unwrap()).unwrap() }\n";
    workspace
        .solution("vanishing", remove)
        .case("vanishing/1", "", "")
        .case("vanishing/2", "", "");
    workspace
        .program("wrong", "wrong")
        .case("wrong/1", "1 2", "3");
    let (verdicts, exit) = workspace.verdicts(&["-j", "1", "--no-sandbox"]);
    let verdicts: Vec<&str> = verdicts
        .iter()
        .map(|(_, verdict)| verdict.as_str())
        .collect();
    assert_eq!((&verdicts[..], exit), (&["AC", "AC", "JE", "WA"][..], 1));
}
