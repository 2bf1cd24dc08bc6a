//! What programs leave behind.
//!
//! The judge is a subreaper: a process whose parent has ended becomes the judge's own child. It is
//! known by its process group, which is that of the run that it comes from; or, if it has left the
//! group, by an environment variable that it inherited. One that has got rid of both may come from
//! any run, so it is left alone until no other run goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use super::process_tree;
use crate::execute::MOST_TASKS;

/// The environment variable by which processes of a run are known.
pub(super) const RUN_VARIABLE: &str = "JUDGE_RUN";

/// All that is killed ends at once, unless it is stuck in the kernel; nobody waits longer for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known of runs and of what they left. Children belong to the whole process, and so does
/// this.
struct Registry {
    /// The runs that go on, by name, each with its process group once that is known.
    active: BTreeMap<String, Option<Pid>>,
    /// Orphans that may come from any run. They are not looked at again until no other run goes on.
    strangers: BTreeSet<i32>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    active: BTreeMap::new(),
    strangers: BTreeSet::new(),
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run that goes on, with all that belongs to it.
#[derive(Debug)]
pub(super) struct Household {
    run: String,
    group: Option<Pid>,
}

impl Household {
    /// A run is about to begin.
    pub(super) fn new() -> Self {
        static N_RUNS: AtomicU64 = AtomicU64::new(0);
        let run = format!("{}-{}", getpid(), N_RUNS.fetch_add(1, Ordering::Relaxed));
        registry().active.insert(run.clone(), None);
        Self { run, group: None }
    }

    /// What [`RUN_VARIABLE`] is for the processes of the run.
    pub(super) fn name(&self) -> &str {
        &self.run
    }

    /// The run has begun, and this is the process group that it began with.
    pub(super) fn set_group(&mut self, group: Pid) {
        self.group = Some(group);
        registry().active.insert(self.run.clone(), self.group);
    }

    /// Orphans that can be known to be of the run.
    pub(super) fn orphans(&self) -> Vec<Pid> {
        let all = orphans();
        if all.is_empty() {
            return all;
        }
        let mut registry = registry();
        registry.end_crowd_of_strangers();
        let is_of_run = |pid: &Pid| match registry.origin(*pid) {
            Origin::Run(run, _) => run == self.run,
            Origin::Unknown(_) => false,
        };
        // More than these say nothing new.
        all.into_iter()
            .take(2 * MOST_TASKS)
            .filter(is_of_run)
            .collect()
    }

    /// Whether anything that can be known to be of the run lives on, now that its first process
    /// has ended.
    ///
    /// It is enough to look at orphans: what descends from them lives only as long as they, or
    /// becomes one of them.
    pub(super) fn is_anybody_left(&self) -> bool {
        let all = orphans();
        if all.is_empty() {
            return false;
        }
        let mine = Origin::Run(self.run.clone(), Life::Alive);
        registry()
            .origins(&all)
            .iter()
            .any(|(_, origin)| *origin == mine)
    }
}

/// Kills and buries what is left of the run.
impl Drop for Household {
    fn drop(&mut self) {
        let mut registry = registry();
        registry.bury_all(Some(&self.run));
        registry.active.remove(&self.run);
    }
}

/// Whether anything has outlived what started it, or is yet to be buried.
pub(super) fn is_anybody_there() -> bool {
    !orphans().is_empty()
}

/// Kills and buries what is left of all runs that have ended.
pub(super) fn end_all() {
    registry().bury_all(None);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Alive,
    Dead,
}

/// Where an orphan comes from.
#[derive(Debug, PartialEq, Eq)]
enum Origin {
    /// A run that goes on.
    Run(String, Life),
    /// A run that has ended, or nobody knows.
    Unknown(Life),
}

impl Registry {
    /// Where these orphans come from, each with its answer.
    fn origins(&mut self, orphans: &[Pid]) -> Vec<(Pid, Origin)> {
        let mut origins: Vec<(Pid, Origin)> =
            orphans.iter().map(|&pid| (pid, self.origin(pid))).collect();
        let is_nobody_knows = |origin: &Origin| *origin == Origin::Unknown(Life::Alive);
        let is_new = |pid: &Pid| !self.strangers.contains(&pid.as_raw_pid());
        if origins
            .iter()
            .any(|(pid, origin)| is_nobody_knows(origin) && is_new(pid))
        {
            // A process that is just becoming another program has no environment for a moment.
            thread::sleep(Duration::from_millis(1));
            for (pid, origin) in &mut origins {
                if is_nobody_knows(origin) {
                    *origin = self.origin(*pid);
                }
                if is_nobody_knows(origin) {
                    self.strangers.insert(pid.as_raw_pid());
                }
            }
        }
        origins
    }

    fn origin(&self, pid: Pid) -> Origin {
        let stat = process_tree::stat(pid);
        let life = if stat.is_some_and(|stat| stat.is_alive) {
            Life::Alive
        } else {
            Life::Dead
        };
        let group = stat.and_then(|stat| stat.group);
        let mut active = self.active.iter();
        if let Some((run, _)) = active.find(|(_, of)| group.is_some() && **of == group) {
            return Origin::Run(run.clone(), life);
        }
        if life == Life::Alive && self.strangers.contains(&pid.as_raw_pid()) {
            return Origin::Unknown(life);
        }
        let run = run_in_environment(pid).filter(|run| self.active.contains_key(run));
        run.map_or(Origin::Unknown(life), |run| Origin::Run(run, life))
    }

    /// Kills and buries what comes from this run, and what may come from any if no other goes on.
    fn bury_all(&mut self, run: Option<&String>) {
        let is_alone = self.active.len() <= usize::from(run.is_some());
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let mut to_go = orphans();
            if !is_alone && !to_go.is_empty() {
                let is_to_go = |origin: &Origin| match origin {
                    Origin::Run(of, _) => Some(of) == run,
                    // The dead can be buried by anybody.
                    Origin::Unknown(life) => *life == Life::Dead,
                };
                let origins = self.origins(&to_go).into_iter();
                to_go = origins
                    .filter(|(_, origin)| is_to_go(origin))
                    .map(|(pid, _)| pid)
                    .collect();
            }
            if to_go.is_empty() {
                return;
            }
            self.end(&to_go, deadline);
        }
    }

    /// Kills orphans with all that descends from them, and buries them.
    fn end(&mut self, orphans: &[Pid], deadline: Instant) {
        // All are killed before any is waited for, so that they cannot start others meanwhile.
        process_tree::kill_trees(orphans);
        for &pid in orphans {
            bury(pid, deadline);
            self.strangers.remove(&pid.as_raw_pid());
        }
    }

    /// Ends those that hide where they come from, if they are too many for an oversight.
    fn end_crowd_of_strangers(&mut self) {
        if self.strangers.len() > MOST_TASKS {
            let crowd: Vec<Pid> = self
                .strangers
                .iter()
                .filter_map(|&pid| Pid::from_raw(pid))
                .collect();
            self.end(&crowd, Instant::now() + PATIENCE);
        }
    }
}

/// Waits for a child that was killed.
fn bury(pid: Pid, deadline: Instant) {
    while let Ok(None) = retry_on_intr(|| waitpid(Some(pid), WaitOptions::NOHANG)) {
        if Instant::now() > deadline {
            return;
        }
        thread::sleep(Duration::from_micros(100));
    }
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

/// The run that the environment of a process names.
fn run_in_environment(pid: Pid) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variables = environment.split(|&byte| byte == 0);
    let prefix = format!("{RUN_VARIABLE}=");
    let mut values = variables.filter_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    values
        .next()
        .map(|value| String::from_utf8_lossy(value).into_owned())
}
