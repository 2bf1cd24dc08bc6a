//! What programs leave behind.
//!
//! The judge is a subreaper: a process whose parent has ended becomes the judge's own child. It is
//! known by its process group, which is that of the run that it comes from; or, if it has left the
//! group, by an environment variable that it inherited. One that has got rid of both may come from
//! any run, so it is left alone until no other run goes on.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::process_tree::{self, Stat};

/// The environment variable by which processes of a run are known.
pub(super) const RUN_VARIABLE: &str = "JUDGE_RUN";

/// All that is killed ends at once, unless it is stuck in the kernel; nobody waits longer for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// The runs that go on, by name, each with its process group once that is known.
type Active = BTreeMap<String, Option<Pid>>;

/// Children belong to the whole process, and so does this.
static ACTIVE: Mutex<Active> = Mutex::new(Active::new());

fn active() -> MutexGuard<'static, Active> {
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
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
        active().insert(run.clone(), None);
        Self { run, group: None }
    }

    /// What [`RUN_VARIABLE`] is for the processes of the run.
    pub(super) fn name(&self) -> &str {
        &self.run
    }

    /// The run has begun, and this is the process group that it began with.
    pub(super) fn set_group(&mut self, group: Pid) {
        self.group = Some(group);
        active().insert(self.run.clone(), self.group);
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
        let active = active();
        let is_left =
            |orphan: Orphan| orphan.is_alive() && orphan.origin(&active) == Some(&self.run);
        orphans().into_iter().map(Orphan::of).any(is_left)
    }
}

/// Kills and buries what is left of the run.
impl Drop for Household {
    fn drop(&mut self) {
        bury_all(Some(self));
        active().remove(&self.run);
    }
}

/// Kills and buries what is left of all runs that have ended.
pub(super) fn end_all() {
    bury_all(None);
}

fn bury_all(household: Option<&Household>) {
    let active = active();
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let is_to_go = |pid: &Pid| {
            let orphan = Orphan::of(*pid);
            match (orphan.origin(&active), household) {
                (Some(origin), household) => household.is_some_and(|it| it.run == *origin),
                // The dead are nobody's, and can be buried by anybody.
                (None, household) => {
                    !orphan.is_alive() || active.len() <= usize::from(household.is_some())
                }
            }
        };
        let to_go: Vec<Pid> = orphans().into_iter().filter(is_to_go).collect();
        if to_go.is_empty() {
            return;
        }
        for pid in to_go {
            let _ = kill_process(pid, Signal::KILL);
            bury(pid, deadline);
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

/// What is known of an orphan.
struct Orphan {
    stat: Option<Stat>,
    /// The run that its environment names.
    run: Option<String>,
}

impl Orphan {
    fn of(pid: Pid) -> Self {
        let stat = process_tree::stat(pid);
        let mut run = run_in_environment(pid);
        if run.is_none() && stat.is_some_and(|stat| stat.is_alive) {
            // A process that is just becoming another program has no environment for a moment.
            thread::sleep(Duration::from_millis(1));
            run = run_in_environment(pid);
        }
        Self { stat, run }
    }

    fn is_alive(&self) -> bool {
        self.stat.is_some_and(|stat| stat.is_alive)
    }

    /// The run that it comes from, if that can be known and still goes on.
    fn origin<'a>(&self, active: &'a Active) -> Option<&'a String> {
        let group = self.stat.and_then(|stat| stat.group);
        let mut runs = active.iter();
        let of_group = runs
            .find(|(_, of)| group.is_some() && **of == group)
            .map(|(run, _)| run);
        of_group.or_else(|| active.get_key_value(self.run.as_ref()?).map(|(run, _)| run))
    }
}

fn run_in_environment(pid: Pid) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variables = environment.split(|&byte| byte == 0);
    let prefix = format!("{RUN_VARIABLE}=");
    let mut values = variables.filter_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    values
        .next()
        .map(|value| String::from_utf8_lossy(value).into_owned())
}
