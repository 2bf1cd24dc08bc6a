//! Arguments, filters, exit codes, and what is missing on the disk.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use crate::fixture::{Workspace, errors, judge};

fn echo_workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace
        .case("echo/1", "a\n", "a\n")
        .case("echo/2", "b\n", "b\n")
        .case("echo/10", "c\n", "c\n");
    workspace
}

/// An error is one line on standard error, nothing on standard output, and exit code 2.
#[track_caller]
fn check_unable(workspace: &Workspace, arguments: &[&str], part: &str) {
    let output = workspace
        .judge(arguments)
        .assert()
        .code(2)
        .stdout(is_empty());
    let told = errors(output.get_output());
    assert!(told.starts_with("error: ") && told.contains(part), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn nothing_to_judge_is_no_success() {
    let empty = Workspace::new();
    check_unable(&empty, &[], "no cases");
    empty.write("problems/p/notes.txt", "");
    check_unable(&empty, &["--exec", "cat"], "no cases");
    let without_problems = tempfile::tempdir().unwrap();
    for arguments in [
        vec!["--root", "."],
        vec![],
        vec!["--root", "nonexistent"],
        vec!["list"],
    ] {
        let mut command = judge();
        command.current_dir(without_problems.path()).args(arguments);
        command
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("no folder `problems`"));
    }
}

#[test]
fn a_filter_that_matches_nothing_is_an_error() {
    let workspace = echo_workspace();
    check_unable(&workspace, &["ehco", "--exec", "cat"], "`ehco`");
    check_unable(&workspace, &["echo", "ehco", "--exec", "cat"], "`ehco`");
    check_unable(&workspace, &["--exact", "ech", "--exec", "cat"], "`ech`");
}

#[test]
fn filters_select_and_cases_keep_their_natural_order() {
    let workspace = echo_workspace();
    let names = |arguments: &[&str]| {
        let (verdicts, exit) = workspace.verdicts(&[&["--exec", "cat"], arguments].concat());
        assert_eq!(exit, 0, "{arguments:?}");
        verdicts
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["echo/1", "echo/2", "echo/10"]);
    assert_eq!(names(&["-j", "8"]), ["echo/1", "echo/2", "echo/10"]);
    assert_eq!(names(&["/1"]), ["echo/1", "echo/10"]);
    assert_eq!(names(&["--exact", "echo/1"]), ["echo/1"]);
    assert_eq!(names(&["run", "echo"]), ["echo/1", "echo/2", "echo/10"]);
}

#[test]
fn exec_judges_one_problem_and_needs_no_crate() {
    let workspace = echo_workspace();
    workspace
        .judge(&["--exec", "cat"])
        .assert()
        .code(0)
        .stdout(contains("AC   echo"));
    check_unable(
        &workspace,
        &["--exec", "nonexistent-program"],
        "nonexistent-program",
    );
    workspace.case("other/1", "", "");
    check_unable(&workspace, &["--exec", "cat"], "2 are selected");
    workspace
        .judge(&["--exec", "cat", "other"])
        .assert()
        .code(0);
    for command in ["", "'cat"] {
        workspace
            .judge(&["--exec", command, "echo"])
            .assert()
            .code(2)
            .stdout(is_empty());
    }
}

#[test]
fn exec_is_split_as_a_shell_splits() {
    let workspace = echo_workspace();
    workspace.write("a b.sh", "cat");
    let command = format!("sh '{}'", workspace.path().join("a b.sh").display());
    workspace.judge(&["--exec", &command]).assert().code(0);
}

#[test]
fn what_lacks_its_partner_is_told_and_not_accepted() {
    let workspace = echo_workspace();
    workspace.write("problems/echo/3.in", "");
    let told = contains("echo/3: an .in without an .out").and(contains("3 cases judged"));
    workspace
        .judge(&["--exec", "cat"])
        .assert()
        .code(1)
        .stdout(told);
    workspace.write("problems/echo/4.out", "");
    workspace
        .judge(&["--exec", "cat"])
        .assert()
        .code(1)
        .stdout(contains("echo/4: an .out without an .in"));
    // What is not selected is not complained of.
    workspace
        .judge(&["--exec", "cat", "--exact", "echo/1"])
        .assert()
        .code(0);
    workspace
        .judge(&["--exec", "cat", "--exact", "echo/3"])
        .assert()
        .code(1);
}

#[test]
fn a_problem_without_crate_and_a_crate_without_problem_are_told() {
    let workspace = echo_workspace();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3")
        .program("deaf", "deaf");
    let told = contains("echo: a problem without a crate")
        .and(contains("deaf: a crate without a folder"))
        .and(contains("AC   accepted"))
        .and(contains("all accepted").not());
    workspace.judge(&[]).assert().code(1).stdout(told);
    workspace
        .judge(&["accepted"])
        .assert()
        .code(0)
        .stdout(contains("all accepted: 1 case"));
}

#[test]
fn an_empty_problem_beside_others_is_told() {
    let workspace = echo_workspace();
    workspace
        .write("problems/empty/problem.toml", "")
        .program("empty", "silent");
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    let told = contains("empty: a problem without cases");
    workspace
        .judge(&["accepted", "empty"])
        .assert()
        .code(1)
        .stdout(told);
    check_unable(&workspace, &["empty"], "no cases");
}

#[test]
fn a_crate_without_the_right_binary_does_not_compile() {
    let workspace = Workspace::new();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    workspace
        .case("misnamed/1", "", "")
        .program("misnamed", "silent");
    workspace.write(
        "crates/misnamed/Cargo.toml",
        "[package]\nname = \"otherwise\"\n",
    );
    let told = contains("CE   misnamed").and(contains("AC   accepted"));
    workspace
        .judge(&[])
        .assert()
        .code(1)
        .stdout(told.and(contains("no package `misnamed`")));
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_file_are_refused() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "1\n");
    let path = workspace.path().join("problems/p/problem.toml");
    for (target, reason) in [
        ("/dev/zero", "not a regular file"),
        ("nowhere", "No such file"),
    ] {
        std::os::unix::fs::symlink(target, &path).unwrap();
        let output = workspace.judge(&["--exec", "cat"]).assert().code(2);
        output.stderr(contains("problem.toml").and(contains(reason)));
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_fault_in_problem_toml_names_file_and_line() {
    let workspace = echo_workspace();
    workspace.write(
        "problems/echo/problem.toml",
        "title = \"Echo\"\ntimelimit = 3\n",
    );
    check_unable(
        &workspace,
        &["--exec", "cat"],
        "problem.toml, line 2: unknown field `timelimit`",
    );
}

#[test]
fn a_workspace_that_cargo_cannot_read_is_an_error() {
    let workspace = echo_workspace();
    workspace
        .program("echo", "silent")
        .write("Cargo.toml", "[workspace\n");
    workspace
        .judge(&[])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("error: cargo could not"));
}

#[test]
fn an_unknown_profile_is_an_error() {
    let workspace = Workspace::new();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    workspace
        .judge(&["--profile", "nonexistent"])
        .assert()
        .code(2)
        .stdout(is_empty());
    workspace.judge(&["--profile", "dev"]).assert().code(0);
}

#[test]
fn fail_fast_stops_at_the_first_failure_in_order() {
    let workspace = Workspace::new();
    for case in 1..=9 {
        let expected = if case >= 4 { "wrong" } else { "" };
        workspace.case(&format!("p/{case}"), "", expected);
    }
    for jobs in ["1", "4"] {
        let (verdicts, exit) = workspace.verdicts(&["--exec", "true", "--fail-fast", "-j", jobs]);
        let verdicts: Vec<_> = verdicts
            .iter()
            .map(|(_, verdict)| verdict.as_str())
            .collect();
        assert_eq!((&verdicts[..], exit), (&["AC", "AC", "AC", "WA"][..], 1));
    }
}

#[test]
fn the_workspace_around_the_current_folder_is_the_default() {
    let workspace = echo_workspace();
    let mut command = judge();
    command
        .current_dir(workspace.path().join("problems/echo"))
        .args(["--exec", "cat"]);
    command
        .assert()
        .code(0)
        .stdout(contains("all accepted: 3 cases"));
}

#[test]
fn the_catalogue_is_listed() {
    let workspace = echo_workspace();
    let settings = "title = \"Echo\"\ntitle_zh = \"回声\"\nsource = \"https://example.org\"\n";
    workspace
        .write("problems/echo/problem.toml", settings)
        .program("echo", "silent");
    for arguments in [["list", "-v"], ["-v", "list"]] {
        let told = contains("echo")
            .and(contains("3 cases"))
            .and(contains("Echo · 回声"));
        workspace.judge(&arguments).assert().code(0).stdout(told);
    }
}

#[test]
fn help_shows_how_it_is_called() {
    judge()
        .arg("--help")
        .assert()
        .code(0)
        .stdout(contains("judge [FILTER]...").and(contains("list")));
    judge()
        .args(["run", "--help"])
        .assert()
        .code(0)
        .stdout(contains("--time-limit <SECONDS>"));
}

#[test]
fn a_crate_that_cargo_refuses_does_not_stop_the_others() {
    let workspace = Workspace::new();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    workspace
        .program("refused", "accepted")
        .case("refused/1", "1 2", "3");
    let manifest = "[package]\nname = \"refused\"\nrust-version = \"1.999\"\n";
    workspace.write("crates/refused/Cargo.toml", manifest);
    let told = contains("AC   accepted").and(contains("CE   refused"));
    workspace
        .judge(&[])
        .assert()
        .code(1)
        .stdout(told)
        .stderr(contains("1.999"));
}

#[test]
fn a_build_script_that_fails_is_no_build_whoever_is_judged_with_it() {
    let workspace = Workspace::new();
    workspace
        .program("accepted", "accepted")
        .case("accepted/1", "1 2", "3");
    workspace
        .program("unbuilt", "accepted")
        .case("unbuilt/1", "1 2", "3");
    workspace.write(
        "crates/unbuilt/build.rs",
        "fn main() { panic!(\"on purpose\") }",
    );
    for arguments in [&[][..], &["--exact", "unbuilt"]] {
        workspace
            .judge(arguments)
            .assert()
            .code(1)
            .stdout(contains("CE   unbuilt"));
    }
}

#[test]
fn a_library_that_does_not_compile_is_told_once() {
    let workspace = Workspace::new();
    workspace.write("crates/shared/Cargo.toml", "[package]\nname = \"shared\"\n");
    workspace.write(
        "crates/shared/src/lib.rs",
        "pub fn three() -> u8 { \"three\" }\n",
    );
    for id in ["first-user", "second-user"] {
        workspace.solution(id, "fn main() { println!(\"{}\", shared::three()) }\n");
        let manifest =
            format!("[package]\nname = \"{id}\"\n[dependencies]\nshared.path = \"../shared\"\n");
        workspace.write(&format!("crates/{id}/Cargo.toml"), manifest);
        workspace
            .case(&format!("{id}/1"), "", "3")
            .case(&format!("{id}/2"), "", "3");
    }
    let told = contains("CE   first-user").and(contains("CE   second-user"));
    let told = told
        .and(contains("mismatched types").count(1))
        .and(contains("as above").count(1));
    workspace.judge(&[]).assert().code(1).stdout(told);
}

#[test]
fn warnings_of_the_compiler_are_shown() {
    let workspace = Workspace::new();
    workspace.solution("warned", "fn main() { let unused = 3; println!(\"3\") }\n");
    workspace.case("warned/1", "", "3");
    // The second time nothing is compiled.
    for _ in 0..2 {
        workspace
            .judge(&[])
            .assert()
            .code(0)
            .stderr(contains("unused variable"));
    }
    let quiet = workspace.judge(&["-q"]).assert().code(0);
    assert_eq!(errors(quiet.get_output()), "");
}

#[test]
fn problems_may_be_named_like_commands() {
    let workspace = Workspace::new();
    workspace.case("list/1", "", "3");
    let output = workspace
        .judge(&["--exec", "true", "--", "list"])
        .assert()
        .code(1);
    output.stdout(contains("--exact list/1"));
    workspace.solution("list", "fn main() { nothing }\n");
    workspace
        .judge(&[])
        .assert()
        .code(1)
        .stdout(contains(" run --exact list\n"));
}

#[test]
fn a_fault_in_one_problem_is_no_hindrance_to_judging_another() {
    let workspace = echo_workspace();
    workspace
        .write("problems/other/problem.toml", "timelimit = 3\n")
        .case("other/1", "", "");
    workspace.judge(&["--exec", "cat", "echo"]).assert().code(0);
    check_unable(&workspace, &["--exec", "cat", "other"], "line 1");
}
