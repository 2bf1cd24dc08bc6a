//! Keeping the judge able to act while a program starts processes as fast as it can.

use std::fs;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, getpid, getuid, prlimit};
use rustix::system::sysinfo;
use rustix::thread::gettid;

use super::TICK;
use super::process_tree;
use crate::execute::MOST_TASKS;

/// How many more tasks than at the start of the judge its user may have, besides those of the
/// runs: what else is going on must not fail a run.
const SLACK: u64 = 4096;

/// So many more tasks than at the start of the judge are a crowd in the system.
const CROWD: usize = MOST_TASKS / 2;

/// A crowd that is gone may come again: not all that started it is dead.
const AFTERMATH: Duration = Duration::from_secs(1);

/// The policies by which threads share the processors.
const SHARING: [i32; 3] = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE];

/// What the thread that takes it starts does not inherit it.
const FIRST: i32 = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;

/// A thread that lets all threads of the judge go before all programs for as long as there is a
/// crowd in the system. At other times they share the processors as all do, since they have work to
/// do that takes as long as that of programs.
///
/// Niceness would not do, since the kernel weighs it within a session only
/// (`sched_autogroup_enabled`), and a program can open many.
#[derive(Debug)]
pub(super) struct Warden {
    /// None when it is to end.
    life: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    usual: Tasks,
}

impl Warden {
    /// It does nothing unless the judge may say who goes first: as root.
    pub(super) fn new() -> io::Result<Self> {
        let (life, end) = sync_channel(0);
        let usual = Tasks::of_system();
        let policy = policy().filter(|policy| SHARING.contains(policy));
        let thread = thread::Builder::new()
            .name("warden".to_owned())
            .spawn(move || {
                if let Some(policy) = policy
                    && set_policy(None, FIRST)
                {
                    watch(policy, usual, &end);
                }
            })?;
        Ok(Self {
            life: Some(life),
            thread: Some(thread),
            usual,
        })
    }

    /// Whether there is a crowd in the system.
    pub(super) fn is_crowded(&self) -> bool {
        self.usual.are_fewer_by_a_crowd()
    }
}

/// How many tasks the whole system has at some time. The kernel tells it modulo 65 536.
#[derive(Clone, Copy, Debug)]
struct Tasks(u16);

impl Tasks {
    /// It is cheap to ask.
    fn of_system() -> Self {
        Self(sysinfo().procs)
    }

    /// Whether there are now so many more that programs may be to blame.
    fn are_fewer_by_a_crowd(self) -> bool {
        usize::from(Self::of_system().0.saturating_sub(self.0)) > CROWD
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        self.life = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to panic about.
            let _ = thread.join();
        }
    }
}

fn watch(policy: i32, usual: Tasks, end: &Receiver<()>) {
    let me = gettid();
    let mut last_crowd: Option<Instant> = None;
    while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        if usual.are_fewer_by_a_crowd() {
            last_crowd = Some(Instant::now());
        }
        let Some(last) = last_crowd else { continue };
        let is_over = last.elapsed() > AFTERMATH;
        let policy = if is_over { policy } else { FIRST };
        let others = process_tree::threads(getpid()).into_iter();
        for thread in others.filter(|&thread| thread != me) {
            // It may have ended.
            set_policy(Some(thread), policy);
        }
        if is_over {
            last_crowd = None;
        }
    }
}

/// The calling thread goes before all programs, if it may.
pub(super) fn go_first() {
    set_policy(None, FIRST);
}

/// That of the calling thread.
#[expect(unsafe_code, reason = "no kept crate has this call of the system")]
fn policy() -> Option<i32> {
    // SAFETY: this takes no pointers. 0 is the calling thread.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    policy.try_into().ok()
}

/// Sets that of a thread, or of the calling one. Returns whether that was allowed.
#[expect(unsafe_code, reason = "no kept crate has this call of the system")]
fn set_policy(thread: Option<Pid>, policy: i32) -> bool {
    // The lowest of those that have a priority goes before all that have none.
    let priority = i32::from(policy == FIRST);
    let (thread, parameters) = (Pid::as_raw(thread), &raw const priority);
    // SAFETY: what the kernel reads there is a single number of this type.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, thread, policy, parameters) == 0 }
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
