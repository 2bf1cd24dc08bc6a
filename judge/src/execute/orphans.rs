//! What programs leave behind.
//!
//! The judge is a subreaper: a process whose parent has ended becomes the judge's own child. It is
//! known by its process group, which is that of the run that it comes from; or, if it has left the
//! group, by an environment variable that it inherited. One that has got rid of both may come from
//! any run, so it is left alone until no other run goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::process_tree;

/// The environment variable by which processes of a run are known.
pub(super) const RUN_VARIABLE: &str = "JUDGE_RUN";

/// All that is killed ends at once, unless it is stuck in the kernel; nobody waits longer for it.
const PATIENCE: Duration = Duration::from_secs(1);

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

    /// Orphans that are still in the group of the run.
    pub(super) fn orphans_in_group(&self) -> Vec<Pid> {
        let is_in_group =
            |pid: &Pid| process_tree::stat(*pid).is_some_and(|stat| stat.group == self.group);
        orphans().into_iter().filter(is_in_group).collect()
    }

    /// Whether anything that can be known to be of the run lives on, now that its first process
    /// has ended.
    ///
    /// It is enough to look at orphans: what descends from them lives only as long as they, or
    /// becomes one of them.
    pub(super) fn is_anybody_left(&self) -> bool {
        let mut registry = registry();
        let is_left = |pid| registry.origin(pid) == Origin::Run(self.run.clone(), Life::Alive);
        orphans().into_iter().any(is_left)
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
    fn origin(&mut self, pid: Pid) -> Origin {
        if self.strangers.contains(&pid.as_raw_pid()) {
            return Origin::Unknown(Life::Alive);
        }
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
        let mut run = run_in_environment(pid);
        if run.is_none() && life == Life::Alive {
            // A process that is just becoming another program has no environment for a moment.
            thread::sleep(Duration::from_millis(1));
            run = run_in_environment(pid);
        }
        match run.filter(|run| self.active.contains_key(run)) {
            Some(run) => Origin::Run(run, life),
            None => {
                if life == Life::Alive {
                    self.strangers.insert(pid.as_raw_pid());
                }
                Origin::Unknown(life)
            }
        }
    }

    /// Kills and buries what comes from this run, and what may come from any if no other goes on.
    fn bury_all(&mut self, run: Option<&String>) {
        let is_alone = self.active.len() <= usize::from(run.is_some());
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let mut to_go = orphans();
            to_go.retain(|&pid| match self.origin(pid) {
                Origin::Run(of, _) => Some(&of) == run,
                // The dead can be buried by anybody.
                Origin::Unknown(life) => is_alone || life == Life::Dead,
            });
            if to_go.is_empty() {
                return;
            }
            for pid in to_go {
                let _ = kill_process(pid, Signal::KILL);
                bury(pid, deadline);
                self.strangers.remove(&pid.as_raw_pid());
            }
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

/// The children that the judge did not start. They go to the first thread of the process that
/// adopts them, and that thread of the judge starts nothing while runs go on.
fn orphans() -> Vec<Pid> {
    process_tree::children_of_thread(getpid(), getpid())
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
