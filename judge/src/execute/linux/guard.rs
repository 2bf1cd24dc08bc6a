//! A small process beside the judge that outlives it if it is killed, and then ends what it left.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::mark::Mark;
use super::precedence::go_first;
use super::process_tree;
use super::scratch::remove_folder;

/// The file in the judge's folder that tells the process groups of the runs that go on, for each
/// place one number of 4 bytes, 0 for none.
const GROUPS: &str = "groups";

/// What cannot be killed in this time is stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// The guard as the judge knows it.
#[derive(Debug)]
pub(super) struct Guard {
    /// Its standard input stays open as long as the judge lives.
    process: Child,
    groups: File,
}

impl Guard {
    /// Starts the guard: this program by another command.
    pub(super) fn new(command: &str, folder: &Path) -> io::Result<Self> {
        let groups = File::create_new(folder.join(GROUPS))?;
        let process = Command::new("/proc/self/exe")
            .arg(command)
            .arg(folder)
            .arg(getpid().to_string())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { process, groups })
    }

    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Remembers the group of the run that goes on in a place, or that none does.
    pub(super) fn note(&self, place: usize, group: Option<Pid>) -> io::Result<()> {
        let number = Pid::as_raw(group).to_ne_bytes();
        self.groups
            .write_all_at(&number, (place * number.len()) as u64)
    }
}

/// The judge ends as it should, and has ended all runs.
impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the guard does: it waits for the end of the judge with this number, ends what is left of
/// its runs, and removes its folder.
///
/// # Errors
///
/// If it cannot wait.
pub(crate) fn keep_guard(folder: &Path, judge: u32) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        // Somebody listens, to no end: what ends the judge must not end its guard.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    // Nothing else is removed, whoever calls this.
    fs::metadata(folder.join(GROUPS))?;
    // Nothing is ever written; this comes to its end with the judge.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    go_first();
    let deadline = Instant::now() + PATIENCE;
    while end_runs(&groups(folder), judge) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    remove_folder(folder);
    Ok(())
}

fn groups(folder: &Path) -> Vec<Pid> {
    let mut bytes = Vec::new();
    // What cannot be read names nobody.
    let _ = File::open(folder.join(GROUPS)).and_then(|mut file| file.read_to_end(&mut bytes));
    let numbers = bytes
        .chunks_exact(4)
        .filter_map(|number| number.try_into().ok());
    numbers
        .filter_map(|number| Pid::from_raw(i32::from_ne_bytes(number)))
        .collect()
}

/// Kills all that is in these groups or can be told to come from this judge, with what they
/// started. Returns whether there was anybody.
fn end_runs(groups: &[Pid], judge: u32) -> bool {
    let is_of_run = |pid: &Pid| {
        let Some(status) = process_tree::status(*pid).filter(|status| status.is_alive) else {
            return false;
        };
        let is_in_group = status.group.is_some_and(|group| groups.contains(&group));
        is_in_group || Mark::of(*pid).is_some_and(|mark| mark.judge == judge)
    };
    let mut left = process_tree::all();
    // The judge bears its mark, too. While it is still ending, this process is its child.
    left.retain(|pid| pid.as_raw_pid().unsigned_abs() != judge && is_of_run(pid));
    for &group in groups {
        let _ = kill_process_group(group, Signal::KILL);
    }
    process_tree::kill_trees(&left);
    !left.is_empty()
}
