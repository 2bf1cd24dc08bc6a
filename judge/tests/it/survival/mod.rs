//! Faults that judges have had, and what ours must say of a program that provokes them.
//!
//! Two tables name them: `table` what programs do, `bytes` what they write. What has no verdict of
//! its own stands in the tests beside them, and in `command_line` (the names of files), `endings`
//! (signals), `junit` and `comparison` (checkers).
//!
//! The programs measure their own processor time, and the limits leave much room on the clock, so
//! that no verdict depends on how busy the machine is.

mod build;
mod bytes;
mod report;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::Value;

use self::table::faults;
use crate::fixture::{Workspace, json_lines, program_text, target_folder};

/// Problems that differ in their limits; what their programs do is the same. The brief limit bears
/// the same shares as a longer one would, and is sooner over.
const PROBLEMS: [(&str, &str); 4] = [
    ("usual", ""),
    ("brief", "time_limit_ms = 200"),
    ("clock", "time_limit_ms = 50"),
    ("cramped", "memory_limit_mib = 8"),
];

/// What was said of every case, by `<id>/<case>`.
type Outcome = BTreeMap<String, Value>;

/// One call of the judge ends before another begins, so that what it leaves behind can be told.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The whole table, judged with so many workers.
fn outcomes() -> &'static [(&'static str, Outcome); 2] {
    static OUTCOMES: OnceLock<[(&str, Outcome); 2]> = OnceLock::new();
    OUTCOMES.get_or_init(|| {
        let workspace = faulty_workspace();
        ["1", "8"].map(|jobs| (jobs, judge_all(&workspace, jobs)))
    })
}

fn faulty_workspace() -> Workspace {
    let workspace = Workspace::new();
    let library = "[package]\nname = \"faults\"\nedition = \"2021\"\n";
    workspace.write("crates/faults/Cargo.toml", library);
    workspace.write("crates/faults/src/lib.rs", program_text("faults"));
    for (name, settings) in PROBLEMS {
        let id = format!("survival-{name}");
        workspace.solution(&id, "fn main() { faults::main() }\n");
        let manifest =
            format!("[package]\nname = \"{id}\"\n[dependencies]\nfaults.path = \"../faults\"\n");
        workspace.write(&format!("crates/{id}/Cargo.toml"), manifest);
        workspace.write(&format!("problems/{id}/problem.toml"), settings);
    }
    for fault in faults() {
        let input = format!("{}\n{}", fault.line, "7".repeat(fault.n_bytes));
        workspace.case(&fault.case, input, "3\n".repeat(fault.n_lines));
    }
    workspace
}

fn judge_all(workspace: &Workspace, jobs: &str) -> Outcome {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let here = workspace.path().join("problems");
    let mut judge = workspace.judge(&["-j", jobs, "--message-format", "json"]);
    let output = judge.current_dir(&here).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run the judge: {error}"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let n_left = processes_of_faults();
    assert_eq!(n_left, 0, "-j {jobs}: processes are left");
    let n_files = fs::read_dir(here).into_iter().flatten().count();
    assert_eq!(n_files, PROBLEMS.len() + 1, "-j {jobs}: a core file");
    let lines = json_lines(&output.stdout).into_iter();
    let cases = lines.filter(|line| line["type"] == "case");
    let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = |line: &Value| format!("{}/{}", part(&line["problem"]), part(&line["case"]));
    cases.map(|line| (name(&line), line)).collect()
}

/// How many processes run the programs of the table.
fn processes_of_faults() -> usize {
    let folder = target_folder();
    let is_ours = |binary: &Path| {
        let name = binary.file_name().unwrap_or_default().to_string_lossy();
        binary.starts_with(&folder) && name.starts_with("survival-")
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let binaries = processes.filter_map(|process| fs::read_link(process.path().join("exe")).ok());
    binaries.filter(|binary| is_ours(binary)).count()
}

/// The verdict in letters, and whether something was left behind.
fn verdict(line: &Value) -> String {
    let leaky = if line["leaky"] == true { " leaky" } else { "" };
    format!("{}{leaky}", line["verdict"].as_str().unwrap_or_default())
}

#[test]
fn every_fault_gets_its_verdict_alone_and_in_company() {
    let mut surprises = Vec::new();
    for (jobs, outcome) in outcomes() {
        assert_eq!(outcome.len(), faults().len(), "-j {jobs}");
        for fault in faults() {
            let line = &outcome[&fault.case];
            let detail = line["detail"].as_str().unwrap_or_default();
            let is_expected = fault.verdicts.contains(&verdict(line).as_str());
            if !is_expected || !detail.contains(fault.reason) {
                surprises.push(format!("-j {jobs}: {fault:?}: {line}"));
            }
        }
    }
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn the_number_of_workers_bears_on_no_verdict() {
    let [(_, one), (_, eight)] = outcomes();
    for (case, line) in one {
        assert_eq!(verdict(line), verdict(&eight[case]), "{case}");
    }
}

/// Some at once, and without a sandbox there is no one call that ends all of a run.
#[test]
fn bombs_are_ended_without_a_sandbox_too() {
    let workspace = faulty_workspace();
    let faults = faults().into_iter();
    let bombs: Vec<_> = faults
        .filter(|fault| fault.line.starts_with("bomb-"))
        .collect();
    let mut arguments = vec!["--no-sandbox", "-j", "4", "--exact"];
    arguments.extend(bombs.iter().map(|bomb| bomb.case.as_str()));
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (lines, _) = workspace.judge_json(&arguments);
    let cases: Vec<_> = lines.iter().filter(|line| line["type"] == "case").collect();
    assert_eq!(cases.len(), bombs.len(), "{lines:?}");
    for line in cases {
        // Four at once may be too slow to become too many.
        assert!(["RE", "TLE"].contains(&verdict(line).as_str()), "{line}");
    }
    assert_eq!(processes_of_faults(), 0);
}

/// What the judge had when it compared 80 MB is no memory of the next program.
#[test]
fn a_small_program_is_seen_to_be_small_after_a_large_output() {
    let [(_, outcome), _] = outcomes();
    let what = "a small program after a large one";
    let fault = faults().into_iter().find(|fault| fault.what == what);
    let peak_kib = outcome[&fault.unwrap().case]["peak_kib"].as_u64();
    assert!(
        peak_kib.is_some_and(|kib| kib < 10 * 1024),
        "{peak_kib:?} KiB"
    );
}
