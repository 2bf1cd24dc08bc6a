//! What programs leave behind.
//!
//! The judge is a subreaper: a process whose parent has ended becomes the judge's own child. Where
//! the kernel keeps signals in the sandbox, it is known by the sandbox that it cannot leave;
//! elsewhere by its process group and by its [`Mark`], or, if it began before the mark was there,
//! by an environment variable. One that has got rid of all that may come from any run, so it is
//! left alone until no other run goes on.
//!
//! Nothing here waits for a process that is not dead: when one program starts others as fast as it
//! can, all may wait for their turn on a processor for as long as nobody stops it.

use std::fs;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::launcher::Launcher;
use super::mark::{Mark, NO_RUN};
use super::process_tree;
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
    /// Who started it, if that knows its own.
    launcher: Option<&'a Launcher>,
}

impl<'a> Household<'a> {
    /// A run is about to begin, in a sandbox if this is who starts it there.
    pub(super) fn new(launcher: Option<&'a Launcher>) -> Self {
        static N_RUNS: AtomicU32 = AtomicU32::new(0);
        let run = N_RUNS.fetch_add(1, Ordering::SeqCst) % NO_RUN;
        N_ACTIVE.fetch_add(1, Ordering::SeqCst);
        Self {
            mark: Mark::new(run),
            leader: None,
            launcher: launcher.filter(|launcher| launcher.knows_its_own()),
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
        own.retain(|&pid| !is_buried(pid));
        own
    }

    /// Whether anything that can be known to be of the run lives on, now that its first process
    /// has ended.
    ///
    /// It is enough to look at orphans: what descends from them lives only as long as they, or
    /// becomes one of them.
    pub(super) fn is_anybody_left(&self) -> bool {
        let mut own = self.own(&orphans()).into_iter();
        own.any(|pid| !is_buried(pid))
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
        match self.launcher {
            _ if own.is_empty() => own,
            Some(launcher) => launcher.find_own(own),
            None => {
                own.retain(|&pid| self.is_own(pid));
                own
            }
        }
    }

    fn is_own(&self, pid: Pid) -> bool {
        let mark = Mark::of(pid);
        let group = || process_tree::status(pid).and_then(|status| status.group);
        if mark == Some(self.mark) || self.leader.is_some() && group() == self.leader {
            return true;
        }
        // Only then, since this may take long.
        let is_own = mark == Some(Mark::new(NO_RUN)) && names_run(pid, &self.name());
        if is_own {
            self.mark.put_on(Some(pid));
        }
        is_own
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
        self.end();
        process_tree::kill_trees(&to_go);
        to_go
    }
}

/// Kills and buries what is left of the run, and what may come from any if no other goes on.
impl Drop for Household<'_> {
    fn drop(&mut self) {
        bury_all(|orphans| self.kill_left(orphans));
        N_ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether anything has outlived what started it, or is yet to be buried.
pub(super) fn is_anybody_there() -> bool {
    !orphans().is_empty()
}

/// Kills and buries what is left of all runs, if all have ended.
pub(super) fn end_all() {
    bury_all(|orphans| {
        if N_ACTIVE.load(Ordering::SeqCst) > 0 {
            return Vec::new();
        }
        process_tree::kill_trees(&orphans);
        orphans
    });
}

/// Those of these orphans that hide where they come from, if they are too many for an oversight and
/// no other run goes on. Otherwise nobody knows who is to blame, and such a crowd is killed.
fn crowd_of_strangers(orphans: &[Pid]) -> Vec<Pid> {
    let me = Mark::new(NO_RUN);
    let is_stranger = |pid: &Pid| {
        let mark = Mark::of(*pid);
        mark.is_none_or(|mark| mark == me || mark.judge != me.judge)
    };
    let mut strangers = orphans.to_vec();
    strangers.retain(|pid| is_stranger(pid) && !is_buried(*pid));
    if strangers.len() <= MOST_TASKS {
        return Vec::new();
    }
    if N_ACTIVE.load(Ordering::SeqCst) == 1 {
        return strangers;
    }
    for pid in strangers {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::KILL);
    }
    Vec::new()
}

/// Whether the environment of a process names this run.
fn names_run(pid: Pid, name: &str) -> bool {
    let variable = format!("{RUN_VARIABLE}={name}");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut variables = environment.split(|&byte| byte == 0);
    variables.any(|found| found == variable.as_bytes())
}

/// Buries those orphans that `kill` has killed and names, until it names none. It is asked again
/// before they are dead, since there may be new ones by then.
fn bury_all(kill: impl Fn(Vec<Pid>) -> Vec<Pid>) {
    let deadline = Instant::now() + PATIENCE;
    // Longer every time: who is to die needs a processor for that, and this goes before it.
    let mut pause = Duration::from_micros(100);
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
            thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}

/// Whether this child was dead, and is now buried.
fn is_buried(pid: Pid) -> bool {
    !matches!(
        retry_on_intr(|| waitpid(Some(pid), WaitOptions::NOHANG)),
        Ok(None)
    )
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
