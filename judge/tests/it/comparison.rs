//! Outputs that are right in more than one way: numbers within a tolerance, and checkers.

use std::sync::OnceLock;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::fixture::{Workspace, program_text};

/// The verdict and the detail of the only case.
fn judged(workspace: &Workspace, arguments: &[&str]) -> (String, String) {
    let (lines, _) = workspace.judge_json(arguments);
    let text = |key: &str| lines[1][key].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("detail"))
}

#[test]
fn numbers_need_only_be_near() {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "", "0.5 1000000\nYes\n")
        .write("problems/p/problem.toml", "compare = { float = 1e-6 }\n");
    let verdict = |output: &str| {
        let command = format!("printf '{output}'");
        judged(&workspace, &["--exec", &command])
    };
    for right in [
        "0.5000001 1000000.9\\nYes\\n",
        "5e-1\\n+1e6 Yes",
        ".5 1000000. Yes\\n\\n",
    ] {
        assert_eq!(verdict(right).0, "AC", "{right}");
    }
    for (wrong, detail) in [
        (
            "0.5 1000002 Yes",
            "line 1, column 5: expected `1000000`, found `1000002` (tolerance 1e-6)",
        ),
        (
            "0.5\\n1000000\\nyes",
            "line 3, column 1: expected `Yes`, found `yes`",
        ),
        (
            "nan 1000000 Yes",
            "line 1, column 1: expected `0.5`, found `nan` (tolerance 1e-6)",
        ),
        (
            "0.5 1000000\\n",
            "line 2, column 1: expected `Yes`, found the end",
        ),
    ] {
        assert_eq!(verdict(wrong), ("WA".to_owned(), detail.to_owned()));
    }
    let nan = workspace.case("p/1", "", "nan\n");
    let detail = "line 1, column 1: expected `nan`, found `nan` (NaN equals nothing)";
    assert_eq!(judged(nan, &["--exec", "echo nan"]).1, detail);
}

#[test]
fn where_an_output_ends_early_its_last_word_is_told() {
    let workspace = Workspace::new();
    workspace
        .case("p/1", "", "")
        .write("problems/p/problem.toml", "compare = \"tokens\"\n");
    for (expected, output, detail) in [
        (
            "x y z",
            "x y",
            "line 1, column 4: expected `z`, found the end",
        ),
        ("ab", "a", "line 1, column 2: expected `ab`, found `a`"),
        (
            "x y",
            "x y z",
            "line 1, column 5: expected the end, found `z`",
        ),
    ] {
        workspace.case("p/1", "", expected);
        let command = format!("printf '{output}'");
        let told = judged(&workspace, &["--exec", &command]).1;
        assert_eq!(told, detail, "{expected} and {output}");
    }
}

#[test]
fn a_fault_in_the_key_is_one_line_that_says_where() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "1\n");
    for (value, part) in [
        ("\"float\"", "{ float = 1e-6 }"),
        ("{ float = -1 }", "0 or larger"),
        ("{ epsilon = 1 }", "unknown field `epsilon`"),
    ] {
        let text = format!("title = \"x\"\ncompare = {value}\n");
        workspace.write("problems/p/problem.toml", text);
        let output = workspace.judge(&["--exec", "cat"]).assert().code(2);
        let told = contains("problem.toml, line 2: ").and(contains(part));
        output.stderr(told.and(contains("\n").count(1)));
    }
}

/// One problem with a checker that does what the input says. Its cases come from the tests.
fn obedient() -> Workspace {
    let workspace = Workspace::new();
    workspace
        .program("obedient", "accepted")
        .checker("obedient", &program_text("checker"));
    workspace
}

/// The verdict and the detail of a case with this input, answered by itself.
fn obeyed(input: &str) -> (String, String) {
    let workspace = obedient();
    workspace.case("obedient/1", input, "");
    judged(&workspace, &["--exec", "cat"])
}

#[test]
fn a_checker_accepts_or_rejects_and_says_why() {
    for (input, verdict, detail) in [
        ("exit 0 fine", "AC", ""),
        ("exit 1 wrong answer 2nd", "WA", "wrong answer 2nd"),
        ("exit 1", "WA", "the checker does not say why"),
        ("exit 2 extra token", "WA", "presentation: extra token"),
        ("exit 3 no", "JE", "the checker failed: exit code 3: no"),
        ("exit 7 half", "JE", "the checker failed: exit code 7: half"),
        ("panic", "JE", "the checker failed: exit code 101: "),
        ("abort", "JE", "the checker failed: signal 6 (SIGABRT)"),
        ("flood", "JE", "the checker failed: it wrote too much: "),
        ("whisper no", "WA", "no"),
        ("shout", "WA", "aaaaaa"),
    ] {
        let (found, said) = obeyed(input);
        assert_eq!(found, verdict, "{input}: {said}");
        assert!(said.starts_with(detail), "{input}: {said}");
        assert!(said.len() < 300 && !said.contains('\n'), "{input}: {said}");
    }
}

#[test]
fn a_message_of_any_bytes_is_shown_so_that_it_can_be_read() {
    let workspace = obedient();
    workspace.case("obedient/1", b"exit 1 \x1b[2J\xff\nmore\x07\n", "");
    let (_, detail) = judged(&workspace, &["--exec", "cat"]);
    assert_eq!(detail, "\\u{1b}[2J\\xff");
    let output = workspace.judge(&["--exec", "cat"]).assert().code(1);
    let told = contains("WA  1: \\u{1b}[2J\\xff\n        checker\n")
        .and(contains("        more\\u{7}\n"))
        .and(contains("problems/obedient/1.in"));
    output.stdout(told.and(contains("- expected").not()));
}

/// The checker compares the output with the answer, and both must have come unchanged.
#[test]
fn a_checker_gets_input_output_and_answer_to_the_byte() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    let much = all.repeat(64 * 1024);
    let workspace = obedient();
    workspace
        .case("obedient/1", &all, &all)
        .case("obedient/2", &much, &much)
        .case("obedient/3", &much, [&much[..], b"x"].concat())
        .case("obedient/4", "", "");
    let (lines, _) = workspace.judge_json(&["--exec", "cat", "-j", "1"]);
    let verdicts: Vec<_> = lines[1..=4].iter().map(|line| &line["verdict"]).collect();
    assert_eq!(verdicts, ["AC", "AC", "WA", "AC"]);
    // What is read of a program begins at the judge's own peak. The judge holds no 16 MiB.
    #[cfg(target_os = "linux")]
    assert!(
        lines[4]["peak_kib"]
            .as_u64()
            .is_some_and(|peak| peak < 14 * 1024)
    );
}

#[test]
fn a_run_that_failed_needs_no_checker() {
    let workspace = obedient();
    workspace.case("obedient/1", "exit 3", "");
    for (script, verdict) in [
        ("sh -c 'exit 1'", "RE"),
        ("head -c 100000 /dev/zero", "OLE"),
        ("sleep 60", "TLE"),
    ] {
        let arguments = ["--exec", script, "--time-limit", "0.1"];
        assert_eq!(judged(&workspace, &arguments).0, verdict, "{script}");
    }
}

#[test]
fn the_time_of_a_checker_is_not_that_of_the_program() {
    let workspace = obedient();
    workspace
        .case("obedient/1", "work", "")
        .case("obedient/2", "work", "");
    let arguments = ["--exec", "cat", "-j", "2", "--time-limit", "0.05"];
    let (lines, exit) = workspace.judge_json(&arguments);
    assert_eq!((&lines[1]["verdict"], exit), (&"AC".into(), 0));
    assert!(
        lines[1]["wall_ms"]
            .as_f64()
            .is_some_and(|wall| wall < 150.0)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_checker_leaves_behind_is_ended_and_not_held_against_the_program() {
    let workspace = obedient();
    workspace.case("obedient/1", "leave 3611.5", "");
    let (lines, _) = workspace.judge_json(&["--exec", "cat"]);
    assert_eq!(
        (&lines[1]["verdict"], &lines[1]["leaky"]),
        (&"AC".into(), &false.into())
    );
    assert_eq!(crate::endings::n_asleep("3611.5"), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_checker_that_is_interrupted_has_judged_nothing() {
    use crate::endings::{n_asleep, send, wait_until};
    let workspace = obedient();
    workspace.case("obedient/1", "wait 3612.5", "");
    // Built before, so that it is the checker that is interrupted.
    workspace.case("obedient/0", "exit 0", "");
    let mut judge = std::process::Command::new(assert_cmd::cargo::cargo_bin!("judge"));
    let folder = tempfile::tempdir().unwrap();
    judge
        .args(["--exec", "cat", "-j", "1", "--root"])
        .arg(workspace.path())
        .env("CARGO_TARGET_DIR", crate::fixture::target_folder())
        .env("TMPDIR", folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null());
    let judge = judge.spawn().unwrap();
    wait_until("the checker waits", || n_asleep("3612.5") == 1);
    // The folder of the runs, with the output that is checked in it.
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    send("-INT", &judge);
    let output = judge.wait_with_output().unwrap();
    assert_eq!((output.status.code(), n_asleep("3612.5")), (Some(130), 0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("interrupted: 1 case judged, 1 accepted; 1 not judged"),
        "{text}"
    );
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// Problems whose solution or checker cannot be built, and one that is whole.
fn half_built() -> &'static Workspace {
    static WORKSPACE: OnceLock<Workspace> = OnceLock::new();
    WORKSPACE.get_or_init(|| {
        let workspace = Workspace::new();
        let accepts = "fn main() {}\n";
        for (id, program) in [
            ("checked", "accepted"),
            ("checker-breaks", "accepted"),
            ("checker-lacks", "accepted"),
            ("solution-breaks", "broken"),
        ] {
            workspace.program(id, program).checker(id, accepts);
            for case in ["1", "2"] {
                workspace.case(&format!("{id}/{case}"), "1 2\n", "3\n");
            }
        }
        workspace.checker("checker-breaks", &program_text("broken"));
        let settings = "compare = { checker = \"other\" }\n";
        workspace.write("problems/checker-lacks/problem.toml", settings);
        workspace.write("problems/crateless/problem.toml", settings);
        workspace
            .case("crateless/1", "", "")
            .case("crateless/2", "", "");
        workspace
    })
}

#[test]
fn a_checker_that_cannot_be_built_is_not_the_fault_of_the_solution() {
    let arguments = [
        "checked",
        "checker-breaks",
        "checker-lacks",
        "solution-breaks",
    ];
    let (verdicts, exit) = half_built().verdicts(&arguments);
    let verdicts: Vec<&str> = verdicts
        .iter()
        .map(|(_, verdict)| verdict.as_str())
        .collect();
    assert_eq!(
        (verdicts, exit),
        (vec!["AC", "AC", "JE", "JE", "JE", "JE", "CE", "CE"], 1)
    );
    let output = half_built().judge(&arguments).assert().code(1);
    let breaks = contains("the checker `checker-breaks-check` cannot be built:\n").count(1);
    let lacks = "the workspace has no package `checker-lacks` with a binary `other`\n";
    output.stdout(
        breaks
            .and(contains("mismatched types").count(2))
            .and(contains(lacks).count(1)),
    );
}

#[test]
fn a_command_is_judged_by_the_checker_of_its_problem() {
    let judged = |id: &str| judged(half_built(), &["--exec", "cat", "--exact", id]);
    assert_eq!(judged("checked").0, "AC");
    assert_eq!(judged("solution-breaks").0, "AC");
    for (id, part) in [
        ("checker-breaks", "mismatched types"),
        ("checker-lacks", "binary `other`"),
        ("crateless", "there is no crate crates/crateless"),
    ] {
        let (verdict, detail) = judged(id);
        assert_eq!(verdict, "JE", "{id}");
        assert!(detail.contains(part), "{detail}");
    }
}
