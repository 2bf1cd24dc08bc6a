//! What of the cases is judged, on this machine and this time.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::fixture::{Workspace, errors};

/// Each case is a shell script; those named `bad` are not accepted until they are mended.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    for case in ["1", "2", "3", "4", "5"] {
        workspace.case(&format!("p/{case}"), "echo 3", "3\n");
    }
    for case in ["bad-1", "bad-2"] {
        workspace.case(&format!("p/{case}"), "echo 4", "3\n");
    }
    workspace
}

/// What was judged, in order, and the exit code.
fn judged(workspace: &Workspace, options: &[&str]) -> (Vec<String>, i32) {
    let options = [&["--exec", "sh"], options].concat();
    let (verdicts, exit) = workspace.verdicts(&options);
    let names = verdicts.into_iter().map(|(name, _)| name);
    (names.collect(), exit)
}

#[test]
fn the_shares_are_the_whole_and_keep_its_verdict() {
    let workspace = workspace();
    workspace.write("problems/p/lonely.in", "");
    let (mut whole, _) = judged(&workspace, &[]);
    whole.sort();
    let mut together = Vec::new();
    let mut exits = Vec::new();
    for share in ["1/4", "2/4", "3/4", "4/4"] {
        let (names, exit) = judged(&workspace, &["--partition", share]);
        assert_eq!(names.len(), if share == "4/4" { 1 } else { 2 }, "{share}");
        together.extend(names);
        exits.push(exit);
    }
    together.sort();
    assert_eq!(together, whole);
    // The sixth case, the seventh, and the input without an answer behind them.
    assert_eq!(exits, [0, 1, 1, 1]);
}

#[test]
fn a_share_of_nothing_is_no_failure_and_says_so() {
    let workspace = workspace();
    let mut judge = workspace.judge(&["--exec", "sh", "--partition", "8/8"]);
    let told = judge.assert().code(0);
    let told = told.stdout("nothing to judge\n");
    let note = "note: nothing is left for share 8/8\n";
    assert_eq!(errors(told.get_output()), note);
}

#[test]
fn only_what_a_share_needs_is_built() {
    let workspace = Workspace::new();
    workspace
        .program("share-right", "accepted")
        .case("share-right/1", "1 2", "3\n")
        .program("share-broken", "broken")
        .case("share-broken/1", "1 2", "3\n");
    let (verdicts, exit) = workspace.verdicts(&["--profile", "dev", "--partition", "2/2"]);
    assert_eq!(verdicts, [("share-right/1".into(), "AC".into())]);
    assert_eq!(exit, 0);
}

#[test]
fn what_was_not_accepted_is_judged_again_until_it_is() {
    let workspace = workspace();
    assert_eq!(judged(&workspace, &[]).1, 1);
    let bad = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("p/bad-{name}")).collect()
    };
    assert_eq!(judged(&workspace, &["-R"]), (bad(&["1", "2"]), 1));
    assert_eq!(judged(&workspace, &["--rerun", "bad-2"]), (bad(&["2"]), 1));
    workspace.case("p/bad-1", "echo 3", "3\n");
    assert_eq!(judged(&workspace, &["-R"]), (bad(&["1", "2"]), 1));
    // A run of something else in between changes nothing.
    assert_eq!(judged(&workspace, &["p/3"]).1, 0);
    assert_eq!(judged(&workspace, &["-R"]), (bad(&["2"]), 1));
    workspace.case("p/bad-2", "echo 3", "3\n");
    assert_eq!(judged(&workspace, &["-R"]), (bad(&["2"]), 0));
    // What was never judged is not known to be accepted.
    workspace.case("p/new", "echo 4", "3\n");
    assert_eq!(judged(&workspace, &["-R"]).1, 1);
    workspace.case("p/new", "echo 3", "3\n");
    assert_eq!(judged(&workspace, &["-R"]).1, 0);
    let told = workspace.judge(&["--exec", "sh", "-R"]).assert().code(0);
    let told = told.stdout("nothing to judge\n");
    let note = "note: all that is selected was accepted the last time\n";
    assert_eq!(errors(told.get_output()), note);
}

#[test]
fn where_no_last_time_is_known_all_is_judged() {
    let workspace = workspace();
    let rerun = |what: &str| {
        let told = workspace.judge(&["--exec", "sh", "-R"]).assert().code(1);
        let told = told.stdout(contains("2 not accepted of 7 cases judged"));
        told.stderr(contains(what));
    };
    rerun("note: nothing is known of this command from the last time, so all is judged\n");
    workspace.write("target/judge/last-run.json", "{");
    rerun("note: what was accepted the last time cannot be read: ");
    assert_eq!(judged(&workspace, &["-R"]).0.len(), 2);
    // Another command has never been judged.
    let (verdicts, _) = workspace.verdicts(&["--exec", "cat", "-R"]);
    assert_eq!(verdicts.len(), 7);
}

#[test]
fn a_record_that_cannot_be_kept_is_told_and_bears_on_nothing() {
    let workspace = workspace();
    // No folder can be made where a file stands.
    workspace.write("target", "");
    let told = workspace.judge(&["--exec", "sh", "p/1"]).assert().code(0);
    told.stderr(contains("note: --rerun will not know of this run: "));
}

#[test]
fn a_run_that_stopped_early_goes_on_with_rerun() {
    let workspace = Workspace::new();
    for case in ["1", "2", "3"] {
        workspace.case(&format!("p/{case}"), "echo 4", "3\n");
    }
    let (first, _) = judged(&workspace, &["--fail-fast", "-j", "1"]);
    assert_eq!(first, ["p/1"]);
    let (rest, _) = judged(&workspace, &["-R"]);
    assert_eq!(rest, ["p/1", "p/2", "p/3"]);
}

#[test]
fn the_line_that_runs_it_again_names_the_case_alone() {
    let workspace = workspace();
    let file = workspace.path().join("report.xml");
    let options = ["--exec", "sh", "--partition", "2/4", "-R", "--junit"];
    let mut judge = workspace.judge(&options);
    let told = judge.arg(file).assert().code(1);
    let again = contains("--exec sh --exact p/bad-1");
    told.stdout(again.and(contains("partition").or(contains("junit")).not()));
}
