//! Keeping the judge able to act while a program starts processes as fast as it can.

use std::fs;

use rustix::process::{Pid, Resource, Rlimit, Signal, getuid, kill_process_group, prlimit};
use rustix::system::sysinfo;

use super::process_tree::{self, status};
use crate::execute::MOST_TASKS;

/// How many more tasks than at the start of the judge its user may have, besides those of the
/// runs: what else is going on must not fail a run.
const SLACK: u64 = 1024;

/// The lowest of the real-time priorities. Even that goes before all that has none.
static LOWEST: i32 = 1;

/// The policies by which threads share the processors.
const SHARING: [i64; 3] = [
    libc::SCHED_OTHER as i64,
    libc::SCHED_BATCH as i64,
    libc::SCHED_IDLE as i64,
];

/// From now on the calling thread goes before all programs that are judged, if it may: as root.
/// Niceness would not do, since the kernel weighs it within a session only
/// (`sched_autogroup_enabled`), and a program can open many. What the thread starts does not
/// inherit it.
pub(super) fn take_precedence() {
    thread_local! {
        /// Once is enough.
        static IS_TAKEN: bool = SHARING.contains(&policy()) && go_first();
    }
    IS_TAKEN.with(|_| ());
}

/// That of the calling thread; negative if it cannot be told.
#[expect(unsafe_code, reason = "no kept crate has this call of the system")]
fn policy() -> i64 {
    // SAFETY: this takes no pointers. 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) }
}

/// Whether that was allowed.
#[expect(unsafe_code, reason = "no kept crate has this call of the system")]
fn go_first() -> bool {
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    let priority = &raw const LOWEST;
    // SAFETY: what the kernel reads there is a single number of this type.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, priority) == 0 }
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
    let has_stopped_itself = || status(leader).is_some_and(|status| status.is_stopped);
    is_crowded && !has_stopped_itself() && kill_process_group(leader, Signal::STOP).is_ok()
}
