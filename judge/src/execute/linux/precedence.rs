//! Keeping the judge able to act while a program starts processes as fast as it can.

use std::fs;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpriority_process, getuid, kill_process_group, prlimit,
    setpriority_process,
};
use rustix::system::sysinfo;

use super::process_tree::{self, stat};
use crate::execute::MOST_TASKS;

/// How many more tasks than at the start of the judge its user may have, besides those of the
/// runs: what else is going on must not fail a run.
const SLACK: u64 = 1024;

/// While this lives, its thread goes before all others, if it may: as root.
#[derive(Debug)]
pub(super) struct Precedence {
    /// What it was before, if it has been changed.
    before: Option<i32>,
}

impl Precedence {
    pub(super) fn take() -> Self {
        let before = getpriority_process(None).ok();
        let before = before.filter(|_| setpriority_process(None, -20).is_ok());
        Self { before }
    }
}

impl Drop for Precedence {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // Going last is always allowed.
            let _ = setpriority_process(None, before);
        }
    }
}

/// How many tasks the user of the judge may have before its programs can start no more. The
/// kernel does not hold root to it.
pub(super) fn most_tasks_of_user(n_workers: usize) -> u64 {
    let user = getuid().as_raw();
    let count = |pid: Pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
        let owner: u32 = field("Uid:")?.split_whitespace().next()?.parse().ok()?;
        let n_threads: u64 = field("Threads:")?.trim().parse().ok()?;
        (owner == user).then_some(n_threads)
    };
    let n_now: u64 = process_tree::all().into_iter().filter_map(count).sum();
    n_now + SLACK + (n_workers * MOST_TASKS) as u64
}

/// Sets the number above for a program that has just been started.
pub(super) fn limit_tasks_of_user(program: Pid, n_tasks: u64) {
    let limit = Rlimit {
        current: Some(n_tasks),
        maximum: Some(n_tasks),
    };
    // It may have ended already.
    let _ = prlimit(Some(program), Resource::Nproc, limit);
}

/// How many tasks the whole system has. It is cheap to ask.
pub(super) fn n_tasks_of_system() -> u16 {
    sysinfo().procs
}

/// Whether there are so many more tasks in the system than before that one program may be to
/// blame. If so, its process group is stopped, so that it can be looked at in peace.
pub(super) fn stop_if_crowded(leader: Pid, n_tasks_before: u16) -> bool {
    let n_more = n_tasks_of_system().saturating_sub(n_tasks_before);
    let is_crowded = usize::from(n_more) > MOST_TASKS;
    // A program that has stopped itself stays so: what goes on again afterwards must not be more
    // than what went on before.
    let has_stopped_itself = || stat(leader).is_some_and(|stat| stat.is_stopped);
    is_crowded && !has_stopped_itself() && kill_process_group(leader, Signal::STOP).is_ok()
}
