//! How the judge ends when it is not left to finish.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;

use crate::fixture::{Workspace, errors, target_folder};

/// A problem with 8 cases, of which the first has an input of its own, and a judge that is about to
/// run this script on all of them.
fn judge_script(workspace: &Workspace, script: &str) -> Command {
    workspace.case("p/1", "first\n", "");
    for case in 2..=8 {
        workspace.case(&format!("p/{case}"), "", "");
    }
    workspace.write("script.sh", script);
    let exec = format!("sh '{}'", workspace.path().join("script.sh").display());
    let mut command = Command::new(cargo_bin!("judge"));
    command
        .arg("--root")
        .arg(workspace.path())
        .args(["--exec", &exec, "-j", "8"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How many processes run as `sleep` with this odd number of seconds.
pub(crate) fn n_asleep(seconds: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let command_lines =
        processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let wanted = format!("sleep\0{seconds}\0");
    command_lines
        .filter(|command_line| command_line == wanted.as_bytes())
        .count()
}

#[track_caller]
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < deadline, "still not: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn send(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "kill {signal} {pid}"
    );
}

#[test]
fn signals_end_all_that_was_started_with_a_summary() {
    let signals = [
        ("-INT", "3601.5"),
        ("-TERM", "3602.5"),
        ("-HUP", "3603.5"),
        ("-QUIT", "3605.5"),
    ];
    for (signal, seconds) in signals {
        let workspace = Workspace::new();
        let sleep = format!("sleep {seconds}");
        let script = format!("read first && exit; {sleep} & setsid {sleep} & {sleep}");
        let mut judge = judge_script(&workspace, &script);
        let judge = judge.arg("--time-limit").arg("1000").spawn().unwrap();
        wait_until("all asleep", || n_asleep(seconds) == 21);
        send(signal, &judge);
        let begin = Instant::now();
        let output = judge.wait_with_output().unwrap();
        assert!(
            begin.elapsed() < Duration::from_secs(2),
            "{signal}: {:?}",
            begin.elapsed()
        );
        assert_eq!(output.status.code(), Some(130), "{signal}");
        assert_eq!(n_asleep(seconds), 0, "{signal}");
        let text = String::from_utf8(output.stdout).unwrap();
        let end = "interrupted: 1 case judged, 1 accepted; 7 not judged\n";
        assert!(
            text.starts_with("AC   p  ") && text.ends_with(end),
            "{text}"
        );
    }
}

#[test]
fn an_interrupted_report_for_programs_has_its_end() {
    let workspace = Workspace::new();
    let mut judge = judge_script(&workspace, "sleep 3604.5");
    judge.args(["--message-format", "json", "--time-limit", "1000"]);
    let judge = judge.spawn().unwrap();
    wait_until("all asleep", || n_asleep("3604.5") == 8);
    send("-INT", &judge);
    let output = judge.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["type"].as_str(), last["exit"].as_i64()),
        (Some("end"), Some(130))
    );
}

#[test]
fn a_reader_that_goes_away_is_told_nothing() {
    let workspace = Workspace::new();
    let mut judge = judge_script(&workspace, "sleep 0.05");
    let mut judge = judge
        .args(["--message-format", "json", "-j", "1"])
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(judge.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with(r#"{"type":"start""#), "{first}");
    let output = judge.wait_with_output().unwrap();
    assert_eq!(errors(&output), "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_reader_of_nothing_is_told_nothing() {
    let workspace = Workspace::new();
    let mut judge = judge_script(&workspace, "sleep 0.05").spawn().unwrap();
    drop(judge.stdout.take());
    let output = judge.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(errors(&output), "");
}

/// The judge behind a shell that prepares its surroundings.
fn judge_after(preparation: &str, workspace: &Workspace, arguments: &str) -> Command {
    let mut command = Command::new("sh");
    let judge = cargo_bin!("judge").display();
    let root = workspace.path().display();
    let line = format!("{preparation}; exec '{judge}' --root '{root}' {arguments}");
    command
        .args(["-c", &line])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    let mut judge = judge_after("trap '' HUP", &workspace, "--exec 'sleep 0.5'");
    let judge = judge.spawn().unwrap();
    thread::sleep(Duration::from_millis(200));
    send("-HUP", &judge);
    assert_eq!(judge.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn children_are_waited_for_although_they_were_to_be_ignored() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    let output = judge_after("trap '' CHLD", &workspace, "--exec true")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn many_workers_need_many_files() {
    let workspace = Workspace::new();
    for case in 1..=64 {
        workspace.case(&format!("p/{case}"), "", "");
    }
    let arguments = "--exec 'sleep 0.2' -j 32";
    let output = judge_after("ulimit -Sn 40", &workspace, arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_hides_from_the_judge_ends_with_it() {
    let workspace = Workspace::new();
    let script = "JUDGE_RUN= setsid sleep 3606.5 & env -i setsid sleep 3606.5 & sleep 0.1";
    let output = judge_script(&workspace, script).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(n_asleep("3606.5"), 0);
}

/// Processes are known by a mark, which is refused where that limit is lower; not to root.
#[test]
fn what_leaves_its_group_is_told_where_marks_are_refused() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    workspace.write("script.sh", "setsid sleep 3614.5 & sleep 0.1");
    let script = workspace.path().join("script.sh");
    let arguments = format!("--no-sandbox --exec 'sh {}'", script.display());
    let mut judge = judge_after("ulimit -x 7", &workspace, &arguments);
    // Not every shell knows that limit.
    let line = judge.get_args().nth(1).map(OsStr::to_owned).unwrap();
    judge = Command::new("bash");
    let Ok(output) = judge.arg("-c").arg(line).output() else {
        return;
    };
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1 leaky"), "{output:?}");
    assert_eq!(n_asleep("3614.5"), 0);
}

#[test]
fn time_in_which_the_judge_is_stopped_is_nobodys() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    // 1.6 s on the clock.
    let arguments = "--exec 'sleep 0.525' --time-limit 0.2";
    let judge = judge_after(":", &workspace, arguments).spawn().unwrap();
    wait_until("asleep", || n_asleep("0.525") > 0);
    send("-STOP", &judge);
    thread::sleep(Duration::from_millis(2500));
    send("-CONT", &judge);
    let output = judge.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_the_judge_was_started_with_is_not_handed_on() {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "0\n1\n2\n3\n0\nSigBlk: 0\nSIGPIPE: 0\n");
    // The third is the folder itself; signal 13 is the 13th bit.
    let script = "ls /proc/self/fd; ulimit -c; \
                  mask() { grep $1 /proc/self/status | cut -f2; }; \
                  echo SigBlk: $((0x$(mask SigBlk) & 0x7fffffff)); \
                  echo SIGPIPE: $((0x$(mask SigIgn) >> 12 & 1))";
    workspace.write("script.sh", script);
    let script = workspace.path().join("script.sh");
    let arguments = format!("--exec 'sh {}' -v", script.display());
    let preparation = "trap '' PIPE; exec 7</dev/null; ulimit -c unlimited";
    let mut judge = judge_after(preparation, &workspace, &arguments);
    let output = judge.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_thousand_runs_beside_each_other_leave_nothing_behind() {
    let workspace = Workspace::new();
    for case in 1..=1000 {
        workspace.case(&format!("p/{case}"), "", "");
    }
    let (lines, exit) = workspace.judge_json(&["--exec", "true", "-j", "32"]);
    let cases = lines.iter().filter(|line| line["type"] == "case");
    let clean = cases.filter(|line| line["verdict"] == "AC" && line["leaky"] == false);
    assert_eq!((clean.count(), exit), (1000, 0));
}

/// A script that starts a child, a child in another session, each also without an environment, the
/// same without a parent, and a family of them: 8 that sleep.
fn sleepers(seconds: &str) -> String {
    let sleep = format!("sleep {seconds}");
    format!(
        "{sleep} & setsid {sleep} & env -i {sleep} & env -i setsid {sleep} & \
         (env -i setsid {sleep} &); (setsid sh -c '{sleep} & {sleep}' &); {sleep}"
    )
}

/// Kills a judge with this folder for temporary files when so many sleep; all must be gone then.
fn check_killed(judge: &mut Command, seconds: &str, n_sleepers: usize) {
    let temporary = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
    let is_empty = || fs::read_dir(temporary.path()).is_ok_and(|mut left| left.next().is_none());
    let judge = judge.env("TMPDIR", temporary.path()).spawn();
    let mut judge = judge.unwrap_or_else(|error| panic!("cannot run the judge: {error}"));
    wait_until("all asleep", || n_asleep(seconds) == n_sleepers);
    assert!(!is_empty());
    send("-KILL", &judge);
    assert!(judge.wait().is_ok_and(|status| !status.success()));
    wait_until("nobody asleep", || n_asleep(seconds) == 0);
    wait_until("no temporary files", is_empty);
}

#[test]
fn a_killed_judge_leaves_nothing_behind() {
    for (option, seconds) in [("--color=never", "3608.5"), ("--no-sandbox", "3609.5")] {
        let workspace = Workspace::new();
        let mut judge = judge_script(&workspace, &sleepers(seconds));
        judge.args([option, "--time-limit", "1000"]);
        check_killed(&mut judge, seconds, 8 * 8);
        let next = judge_script(&workspace, "exit 0").arg(option).output();
        assert_eq!(next.unwrap().status.code(), Some(0));
    }
}

#[test]
fn an_interrupted_build_leaves_nothing_behind() {
    let workspace = Workspace::new();
    let script = "fn main() {\n    std::process::Command::new(\"sleep\").arg(\"3613.5\")\
                  .status().unwrap();\n}\n";
    workspace
        .solution("slow-to-build", "fn main() {}\n")
        .case("slow-to-build/1", "", "")
        .write("crates/slow-to-build/build.rs", script);
    let mut judge = Command::new(cargo_bin!("judge"));
    judge.arg("--root").arg(workspace.path());
    judge.env("CARGO_TARGET_DIR", workspace.path().join("target"));
    let judge = judge.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut judge = judge.unwrap();
    wait_until("the build sleeps", || n_asleep("3613.5") == 1);
    send("-TERM", &judge);
    assert_eq!(judge.wait().unwrap().code(), Some(130));
    wait_until("nobody asleep", || n_asleep("3613.5") == 0);
}

#[test]
fn a_judge_killed_with_its_checkers_leaves_nothing_behind() {
    let workspace = Workspace::new();
    let checker = "fn main() {\n    \
                   std::process::Command::new(\"sleep\").arg(\"3610.5\").status().unwrap();\n}\n";
    workspace.checker("sluggish", checker);
    workspace.solution("sluggish", "fn main() {}\n");
    for case in 1..=4 {
        workspace.case(&format!("sluggish/{case}"), "", "");
    }
    let mut judge = Command::new(cargo_bin!("judge"));
    judge.arg("--root").arg(workspace.path());
    judge.args(["-j", "4", "--profile", "dev"]);
    judge.env("CARGO_TARGET_DIR", target_folder());
    judge.stdout(Stdio::null()).stderr(Stdio::null());
    check_killed(&mut judge, "3610.5", 4);
}
