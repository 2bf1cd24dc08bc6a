//! Threads that are shut in a sandbox and do nothing but start programs, which are shut in with
//! them.

use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};

use super::sandbox::{Restricted, Sandbox};

/// A program that has been started, and when.
pub(super) type Started = (Child, Instant);

/// Starts a program on the calling thread.
pub(super) fn start(mut command: Command) -> io::Result<Started> {
    let begin = Instant::now();
    command.spawn().map(|child| (child, begin))
}

/// What the thread is asked to do, and whom it answers.
#[derive(Debug)]
enum Errand {
    Start(Command, SyncSender<io::Result<Started>>),
    FindOwn(Vec<Pid>, SyncSender<Vec<Pid>>),
    EndAll(SyncSender<()>),
}

/// A thread in a sandbox, for one program at a time.
#[derive(Debug)]
pub(super) struct Launcher {
    /// None when it is to end.
    errands: Option<SyncSender<Errand>>,
    /// Whether its signals are known to reach only what it has started.
    knows_its_own: bool,
    thread: Option<JoinHandle<()>>,
}

impl Launcher {
    /// A thread whose programs write only in this folder; and, in words, what they are not kept
    /// from since the kernel has no means for it.
    pub(super) fn new(sandbox: Sandbox, scratch: &Path) -> io::Result<(Self, Vec<String>)> {
        let (errands, to_do) = sync_channel(1);
        let (send_restricted, restricted) = sync_channel(1);
        let scratch = scratch.to_owned();
        let thread = thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                let restricted = sandbox.restrict_this_thread(&scratch);
                let is_ready = restricted.is_ok();
                // Nobody listens only if the judge is ending, here and below.
                let _ = send_restricted.send(restricted);
                if is_ready {
                    run_errands(&to_do);
                }
            })?;
        let restricted = restricted.recv().unwrap_or_else(|_| Err(has_ended()))?;
        let Restricted {
            notes,
            is_out_of_reach,
        } = restricted;
        let launcher = Self {
            errands: Some(errands),
            knows_its_own: is_out_of_reach,
            thread: Some(thread),
        };
        Ok((launcher, notes))
    }

    /// Starts a program.
    ///
    /// # Errors
    ///
    /// If it cannot be started, which may be since it is hidden from programs.
    pub(super) fn start(&self, command: Command) -> io::Result<Started> {
        let (answer, started) = sync_channel(1);
        self.ask(Errand::Start(command, answer))?;
        started.recv().unwrap_or_else(|_| Err(has_ended()))
    }

    /// Whether it can tell what it has started, and what came of that, from all else: where the
    /// kernel keeps signals in the sandbox.
    pub(super) const fn knows_its_own(&self) -> bool {
        self.knows_its_own
    }

    /// Those of these processes, dead or alive, that it has started or that came of that; nobody
    /// if it does not [know its own](Self::knows_its_own).
    pub(super) fn find_own(&self, processes: Vec<Pid>) -> Vec<Pid> {
        self.ask_of_own(|answer| Errand::FindOwn(processes, answer))
            .unwrap_or_default()
    }

    /// Kills all that it has started and all that came of it, at once, if it
    /// [knows its own](Self::knows_its_own). However fast a program starts others, none gets away.
    pub(super) fn end_all(&self) {
        // No answer says that the thread has ended, and with it the judge.
        let _ = self.ask_of_own(Errand::EndAll);
    }

    /// None if it does not [know its own](Self::knows_its_own).
    fn ask_of_own<A>(&self, errand: impl FnOnce(SyncSender<A>) -> Errand) -> Option<A> {
        if !self.knows_its_own {
            return None;
        }
        let (answer, answered) = sync_channel(1);
        self.ask(errand(answer)).ok()?;
        answered.recv().ok()
    }

    fn ask(&self, errand: Errand) -> io::Result<()> {
        let errands = self.errands.as_ref().ok_or_else(has_ended)?;
        errands.send(errand).map_err(|_| has_ended())
    }
}

fn run_errands(to_do: &Receiver<Errand>) {
    while let Ok(errand) = to_do.recv() {
        match errand {
            Errand::Start(command, answer) => {
                let _ = answer.send(start(command));
            }
            Errand::FindOwn(mut processes, answer) => {
                processes.retain(|&pid| test_kill_process(pid).is_ok());
                let _ = answer.send(processes);
            }
            Errand::EndAll(answer) => {
                // The group of the first process stands for everybody.
                let _ = kill_process_group(Pid::INIT, Signal::KILL);
                let _ = answer.send(());
            }
        }
    }
}

/// Its thread ends before anything else happens, so that nothing is a child of it any more.
impl Drop for Launcher {
    fn drop(&mut self) {
        self.errands = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to panic about.
            let _ = thread.join();
        }
    }
}

fn has_ended() -> io::Error {
    io::Error::other("the thread that starts programs has ended")
}
