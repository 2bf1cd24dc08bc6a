//! What programs leave behind.
//!
//! The judge is a subreaper: a process whose parent has ended becomes the judge's own child. Where
//! the kernel keeps signals in the sandbox, it is known by the sandbox that it cannot leave;
//! elsewhere by its process group and by its [`Mark`], or, if it began before the mark was there,
//! by an environment variable. One that has got rid of all that may come from any run, so it is
//! left alone until no other run goes on.
//!
//! When a program starts others as fast as it can, all may wait for their turn on a processor for
//! as long as nobody stops it. So nothing here waits for one of a crowd, unless it has been killed.

use std::cell::Cell;
use std::fs;
use std::io;
use std::iter;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid};

use super::launcher::Launcher;
use super::mark::{Mark, NO_RUN};
use super::process_tree;
use super::reap::{Dead, reap};
use super::session::Session;
use crate::execute::MOST_TASKS;

/// All that is killed ends at once, unless it is stuck in the kernel; nobody waits longer for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two looks at who is still to be buried.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// How many runs go on. Children belong to the whole process, and so does this.
static N_ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// The environment variable that holds the number of the run.
pub(super) const RUN_VARIABLE: &str = "JUDGE_RUN";

/// A run that goes on, with all that belongs to it.
#[derive(Debug)]
pub(super) struct Household<'a> {
    mark: Mark,
    /// Its first process, once it has begun.
    leader: Option<Pid>,
    session: &'a Session,
    /// Who started it, if that knows its own.
    launcher: Option<&'a Launcher>,
    /// What those have used that are buried.
    buried_cpu: Cell<Duration>,
    is_finished: Cell<bool>,
}

impl<'a> Household<'a> {
    /// A run is about to begin, in a sandbox if this is who starts it there.
    pub(super) fn new(session: &'a Session, launcher: Option<&'a Launcher>) -> Self {
        static N_RUNS: AtomicU32 = AtomicU32::new(0);
        let run = N_RUNS.fetch_add(1, Ordering::SeqCst) % NO_RUN;
        N_ACTIVE.fetch_add(1, Ordering::SeqCst);
        Self {
            mark: Mark::new(run),
            leader: None,
            session,
            launcher: launcher.filter(|launcher| launcher.knows_its_own()),
            buried_cpu: Cell::default(),
            is_finished: Cell::default(),
        }
    }

    /// What [`RUN_VARIABLE`] is for the processes of the run.
    pub(super) fn name(&self) -> String {
        let Mark { judge, run } = self.mark;
        format!("{judge}-{run}")
    }

    /// The run has begun with this process, which leads its group.
    pub(super) fn begin(&mut self, leader: Pid) {
        self.leader = Some(leader);
        self.mark.put_on(self.leader);
    }

    /// Orphans that are alive and of the run, or at least so many that it is over its limit. The
    /// dead are buried.
    pub(super) fn orphans(&self) -> Vec<Pid> {
        let all = orphans();
        if all.is_empty() {
            return all;
        }
        let mut own = self.own(&all);
        if self.launcher.is_none() {
            own.extend(crowd_of_strangers(&all));
        }
        // More than these say nothing new.
        own.truncate(2 * MOST_TASKS);
        own.retain(|&pid| !self.is_buried(pid));
        own
    }

    /// Whether anything that can be known to be of the run lives on, now that its first process
    /// has ended.
    ///
    /// It is enough to look at orphans: what descends from them lives only as long as they, or
    /// becomes one of them.
    pub(super) fn is_anybody_left(&self) -> bool {
        let mut own = self.own(&orphans()).into_iter();
        own.any(|pid| !self.is_buried(pid))
    }

    /// Kills all that is of the run at once, as far as that can be done.
    pub(super) fn end(&self) {
        if let Some(launcher) = self.launcher {
            launcher.end_all();
        }
    }

    /// Those of these orphans, dead or alive, that can be known to be of the run.
    fn own(&self, orphans: &[Pid]) -> Vec<Pid> {
        let mut own = orphans.to_vec();
        if own.is_empty() {
            return own;
        }
        if let Some(launcher) = self.launcher {
            return launcher.find_own(own);
        }
        own.retain(|&pid| self.is_own(pid));
        own
    }

    fn is_own(&self, pid: Pid) -> bool {
        // It has none of a run if it began before that was there, or if the mark was refused.
        let mark = Mark::of(pid).filter(|mark| mark.judge == self.mark.judge && mark.run != NO_RUN);
        if mark.is_some() {
            return mark == Some(self.mark);
        }
        let group = process_tree::status(pid).and_then(|status| status.group);
        let is_own = group.is_some() && group == self.leader
            // Whoever is becoming another program is waited for, so a crowd is not asked.
            || !self.session.is_crowded() && names_run(pid, &self.name());
        if is_own {
            self.mark.put_on(Some(pid));
        }
        is_own
    }

    /// Whether this child was dead, and is now buried.
    fn is_buried(&self, pid: Pid) -> bool {
        match reap(pid) {
            Ok(None) => false,
            Ok(Some(dead)) => {
                self.buried_cpu.set(self.buried_cpu.get() + dead.cpu);
                true
            }
            Err(_) => true,
        }
    }

    /// Waits for the first process, which was killed or has ended. What it started may be starting
    /// others until then, and is killed.
    ///
    /// # Errors
    ///
    /// If it does not end.
    pub(super) fn bury_leader(&self, leader: Pid) -> io::Result<Dead> {
        let deadline = Instant::now() + PATIENCE;
        let mut pauses = pauses();
        loop {
            if let Some(dead) = reap(leader)? {
                return Ok(dead);
            }
            if Instant::now() > deadline {
                return Err(io::Error::other("a program cannot be killed"));
            }
            self.kill_left(orphans());
            thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
        }
    }

    /// Kills and buries what is left of the run, and what may come from any if no other goes on.
    pub(super) fn bury_rest(&self) {
        bury_all(|orphans| self.kill_left(orphans), |pid| self.is_buried(pid));
        self.is_finished.set(true);
    }

    /// User and system time of what has outlived its parent and been buried.
    pub(super) const fn buried_cpu(&self) -> Duration {
        self.buried_cpu.get()
    }

    /// Kills what is left of the run, or what may come from any if nothing is and no other run goes
    /// on.
    fn kill_left(&self, orphans: Vec<Pid>) -> Vec<Pid> {
        let own = self.own(&orphans);
        let to_go = if own.is_empty() && N_ACTIVE.load(Ordering::SeqCst) == 1 {
            orphans
        } else {
            own
        };
        if !to_go.is_empty() {
            self.end();
            process_tree::kill_trees(&to_go);
        }
        to_go
    }
}

impl Drop for Household<'_> {
    fn drop(&mut self) {
        if !self.is_finished.get() {
            self.bury_rest();
        }
        N_ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether anything has outlived what started it, or is yet to be buried.
pub(super) fn is_anybody_there() -> bool {
    !orphans().is_empty()
}

/// Kills and buries what is left of all runs, if all have ended.
pub(super) fn end_all() {
    let kill = |orphans: Vec<Pid>| {
        if N_ACTIVE.load(Ordering::SeqCst) > 0 {
            return Vec::new();
        }
        process_tree::kill_trees(&orphans);
        orphans
    };
    bury_all(kill, is_buried);
}

/// Kills orphans that hide where they come from, if they are too many for an oversight. Nobody
/// knows who is to blame, unless only one run goes on: they are named then, and live.
fn crowd_of_strangers(orphans: &[Pid]) -> Vec<Pid> {
    let me = Mark::new(NO_RUN);
    let is_stranger = |pid: &Pid| {
        let mark = Mark::of(*pid);
        mark.is_none_or(|mark| mark == me || mark.judge != me.judge)
    };
    let mut strangers = orphans.to_vec();
    strangers.retain(|pid| is_stranger(pid) && !is_buried(*pid));
    if strangers.len() <= MOST_TASKS {
        strangers.clear();
    } else if N_ACTIVE.load(Ordering::SeqCst) > 1 {
        process_tree::kill_trees(&strangers);
        strangers.clear();
    }
    strangers
}

/// Whether the environment of a process names this run.
fn names_run(pid: Pid, name: &str) -> bool {
    let variable = format!("{RUN_VARIABLE}={name}");
    let read = || fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut environment = read();
    if environment.is_empty() {
        // A process that is just becoming another program has none for a moment.
        thread::sleep(Duration::from_millis(1));
        environment = read();
    }
    let mut variables = environment.split(|&byte| byte == 0);
    variables.any(|found| found == variable.as_bytes())
}

/// Buries those orphans that `kill` has killed and names, until it names none. It is asked again
/// before they are dead, since there may be new ones by then.
fn bury_all(kill: impl Fn(Vec<Pid>) -> Vec<Pid>, is_buried: impl Fn(Pid) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    let mut pauses = pauses();
    while Instant::now() < deadline {
        let all = orphans();
        if all.is_empty() {
            return;
        }
        let mut killed = kill(all);
        if killed.is_empty() {
            return;
        }
        killed.retain(|&pid| !is_buried(pid));
        if !killed.is_empty() {
            thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
        }
    }
}

/// Longer every time: who is to die needs a processor for that, and the judge may go before it.
fn pauses() -> impl Iterator<Item = Duration> {
    let double = |pause: &Duration| Some((2 * *pause).min(LONGEST_PAUSE));
    iter::successors(Some(Duration::from_micros(100)), double)
}

/// Whether this child was dead, and is now buried.
fn is_buried(pid: Pid) -> bool {
    !matches!(reap(pid), Ok(None))
}

/// The guard of the judge, which is no orphan; 0 for none.
static GUARD: AtomicI32 = AtomicI32::new(0);

/// This child of the judge belongs to no run.
pub(super) fn spare(guard: Pid) {
    GUARD.store(guard.as_raw_pid(), Ordering::SeqCst);
}

/// The children that the judge did not start. They go to the first thread of the process that
/// adopts them, and that thread of the judge starts nothing but its guard while runs go on.
fn orphans() -> Vec<Pid> {
    let guard = GUARD.load(Ordering::SeqCst);
    let mut children = process_tree::children_of_thread(getpid(), getpid());
    children.retain(|child| child.as_raw_pid() != guard);
    children
}
