//! What a judged program may do, as the kernel enforces it: Landlock for files, network and
//! signals, a filter of system calls (seccomp) for what Landlock does not reach.
//!
//! Both restrict a thread and all that it will ever start, and neither can be taken back. So a
//! thread that does nothing but start programs restricts itself once, and a run costs nothing more.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::calls;

/// What is asked of Landlock; an older kernel gives what it has.
const WANTED: ABI = ABI::V6;

/// Devices that programs count on, and that nobody can do harm with.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// What is the same for all programs.
#[derive(Clone, Debug)]
pub(super) struct Sandbox {
    /// All that may be read and executed, each with what is below it.
    readable: Vec<PathBuf>,
    /// A process that no program may send signals to.
    outsider: Option<Pid>,
}

/// What has become of a thread that was restricted.
#[derive(Debug)]
pub(super) struct Restricted {
    /// In words, what the kernel has no means for.
    pub(super) notes: Vec<String>,
    /// Whether its signals are known to reach only what it has started.
    pub(super) is_out_of_reach: bool,
}

impl Sandbox {
    /// A sandbox from which nothing of `hidden`, whole paths without links, can be read. That no
    /// signal leaves it is tried on `outsider`.
    pub(super) fn new(hidden: &[PathBuf], outsider: Option<Pid>) -> Self {
        let mut readable = Vec::new();
        let devices = PathBuf::from("/dev");
        let excluded: Vec<&Path> = hidden.iter().map(PathBuf::as_path).collect();
        add_all_but(
            Path::new("/"),
            &[&excluded[..], &[&devices]].concat(),
            &mut readable,
        );
        Self { readable, outsider }
    }

    /// Restricts the calling thread, and all that it starts, to reading what is not hidden and to
    /// writing in this folder.
    ///
    /// # Errors
    ///
    /// If the kernel has the means, and they fail.
    pub(super) fn restrict_this_thread(&self, scratch: &Path) -> io::Result<Restricted> {
        let mut notes = Vec::new();
        notes.extend(self.restrict_files(scratch).map_err(io::Error::other)?);
        let attempt = self.outsider.map(test_kill_process);
        let is_out_of_reach = attempt == Some(Err(Errno::PERM));
        notes.extend(calls::filter(is_out_of_reach)?);
        // Whoever judges as root does not judge with root's powers.
        let none = CapabilitySet::empty();
        let sets = CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        };
        set_capabilities(None, sets)?;
        Ok(Restricted {
            notes,
            is_out_of_reach,
        })
    }

    /// What is missing, in words.
    fn restrict_files(&self, scratch: &Path) -> Result<Option<String>, landlock::RulesetError> {
        let all = AccessFs::from_all(WANTED);
        let (reading, devices) = (AccessFs::from_read(WANTED), AccessFs::from_file(ABI::V1));
        let mut rules = Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?
            .create()?;
        for path in &self.readable {
            rules = rules.add_rules(beneath(path, reading))?;
        }
        for device in DEVICES {
            rules = rules.add_rules(beneath(&Path::new("/dev").join(device), devices))?;
        }
        let status = rules.add_rules(beneath(scratch, all))?.restrict_self()?;
        Ok(missing(status.landlock))
    }
}

/// What a kernel of this kind cannot keep programs from, in words.
fn missing(status: LandlockStatus) -> Option<String> {
    let all = "judged programs can read and write what you can";
    match status {
        LandlockStatus::NotImplemented => Some(format!("this kernel has no Landlock: {all}")),
        LandlockStatus::NotEnabled => {
            Some(format!("Landlock is switched off in this kernel: {all}"))
        }
        LandlockStatus::Available { effective_abi, .. } if effective_abi < WANTED => {
            let abi = effective_abi as i32;
            // Moving files is refused by the first one altogether; of all else that later ones
            // brought, devices are few and sockets are none.
            let emptying = if effective_abi < ABI::V3 {
                "empty files that you can write, and "
            } else {
                ""
            };
            Some(format!(
                "this kernel isolates judged programs only in part (Landlock ABI {abi} of {}): \
                 they can {emptying}send signals to your processes",
                WANTED as i32
            ))
        }
        LandlockStatus::Available { .. } => None,
    }
}

/// A rule for what can be opened; what cannot needs none.
fn beneath(
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Option<Result<PathBeneath<PathFd>, landlock::RulesetError>> {
    let is_folder = path.is_dir();
    let access = if is_folder {
        access
    } else {
        access & AccessFs::from_file(WANTED)
    };
    PathFd::new(path)
        .ok()
        .map(|opened| Ok(PathBeneath::new(opened, access)))
}

/// Adds what is in a folder, but for the excluded paths: rules can only allow, so everything
/// beside the way to each of them is allowed. Links need no rule, since what they lead to has one.
fn add_all_but(folder: &Path, excluded: &[&Path], found: &mut Vec<PathBuf>) {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = listed
        .filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .map(|entry| entry.path())
        .collect();
    // Not every folder that can be entered can be listed.
    let inside = excluded
        .iter()
        .filter_map(|path| path.strip_prefix(folder).ok());
    paths.extend(inside.filter_map(|rest| Some(folder.join(rest.components().next()?))));
    paths.sort();
    paths.dedup();
    for path in paths {
        if excluded.contains(&path.as_path()) {
            continue;
        }
        if excluded.iter().any(|excluded| excluded.starts_with(&path)) {
            add_all_but(&path, excluded, found);
        } else {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use landlock::{ABI, LandlockStatus};

    use super::{WANTED, missing};

    fn missing_with(effective_abi: ABI) -> Option<String> {
        missing(LandlockStatus::Available {
            effective_abi,
            kernel_abi: None,
        })
    }

    #[test]
    fn a_kernel_with_all_means_lacks_nothing() {
        assert_eq!(missing_with(WANTED), None);
    }

    #[test]
    fn an_older_kernel_is_said_to_isolate_in_part() {
        let signals = "this kernel isolates judged programs only in part (Landlock ABI 5 of 6): \
                       they can send signals to your processes";
        assert_eq!(missing_with(ABI::V5).as_deref(), Some(signals));
        let files = "this kernel isolates judged programs only in part (Landlock ABI 2 of 6): \
                     they can empty files that you can write, and send signals to your processes";
        assert_eq!(missing_with(ABI::V2).as_deref(), Some(files));
    }

    #[test]
    fn a_kernel_without_means_is_said_to_isolate_nothing() {
        let none = "this kernel has no Landlock: judged programs can read and write what you can";
        assert_eq!(
            missing(LandlockStatus::NotImplemented).as_deref(),
            Some(none)
        );
        let off = "Landlock is switched off in this kernel: judged programs can read and write \
                   what you can";
        assert_eq!(missing(LandlockStatus::NotEnabled).as_deref(), Some(off));
    }
}
