//! What the kernel cannot do is said plainly, and is no hindrance.

use std::io;
use std::process::Output;
use std::thread;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope,
};
use libc::{EINVAL, ENOSYS, EOPNOTSUPP, SYS_landlock_create_ruleset, SYS_seccomp};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use super::{notes, say};
use crate::fixture::Workspace;

/// A judge of one case that is right.
fn judge() -> io::Result<Output> {
    let workspace = Workspace::new();
    workspace.case("p/1", "", "");
    workspace.judge(&["--exec", "true"]).output()
}

/// Whether the kernel has all that is asked of it, by its own word.
fn has_all_means() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let files = rules.handle_access(AccessFs::from_all(ABI::V6));
    let network = files.and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V6)));
    let all = network.and_then(|rules| rules.scope(Scope::from_all(ABI::V6)));
    all.and_then(Ruleset::create).is_ok()
}

#[test]
fn what_the_kernel_lacks_is_said_and_nothing_else() {
    let output = judge().unwrap();
    assert_eq!(notes(&output).is_empty(), has_all_means(), "{output:?}");
}

/// The notes of a judge that is told of this call of the system that it fails with this error;
/// none if there is no way to tell it so.
fn notes_without(call: i64, error: i32) -> Option<Vec<String>> {
    let refuse = move || -> Result<(), seccompiler::Error> {
        let action = SeccompAction::Errno(error.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into()?;
        let calls = [(call, Vec::new())].into_iter().collect();
        let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, architecture)?;
        apply_filter(&BpfProgram::try_from(filter)?)
    };
    // What is refused to a thread is refused to what it starts.
    let judged = thread::spawn(move || refuse().map_err(io::Error::other).and_then(|()| judge()));
    match judged.join() {
        Ok(Ok(output)) => {
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            Some(notes(&output))
        }
        error => {
            say(&format!("no other kernel can be played: {error:?}"));
            None
        }
    }
}

#[test]
fn a_kernel_without_landlock_isolates_no_files() {
    for (error, why) in [
        (ENOSYS, "this kernel has no Landlock"),
        (EOPNOTSUPP, "Landlock is switched off in this kernel"),
    ] {
        let note = format!("{why}: judged programs can read and write what you can");
        if let Some(notes) = notes_without(SYS_landlock_create_ruleset, error) {
            assert!(notes.contains(&note), "{notes:?}");
        }
    }
}

#[test]
fn a_kernel_without_seccomp_filters_no_calls() {
    let note = "calls of the system are not filtered in this kernel (seccomp): judged programs can \
                open connections";
    for error in [ENOSYS, EINVAL] {
        if let Some(notes) = notes_without(SYS_seccomp, error) {
            assert!(notes.iter().any(|found| found == note), "{notes:?}");
        }
    }
}
