//! Threads that are shut in a sandbox and do nothing but start programs, which are shut in with
//! them.

use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::sandbox::Sandbox;

/// A program that has been started, and when.
pub(super) type Started = (Child, Instant);

/// Starts a program on the calling thread.
pub(super) fn start(mut command: Command) -> io::Result<Started> {
    let begin = Instant::now();
    command.spawn().map(|child| (child, begin))
}

/// A thread in a sandbox, for one program at a time.
#[derive(Debug)]
pub(super) struct Launcher {
    /// None when it is to end.
    commands: Option<SyncSender<Command>>,
    started: Receiver<io::Result<Started>>,
    thread: Option<JoinHandle<()>>,
}

impl Launcher {
    /// A thread whose programs write only in this folder; and, in words, what they are not kept
    /// from since the kernel has no means for it.
    pub(super) fn new(sandbox: Sandbox, scratch: &Path) -> io::Result<(Self, Vec<String>)> {
        let (commands, to_start) = sync_channel(1);
        let (send_started, started) = sync_channel(1);
        let (send_notes, notes) = sync_channel(1);
        let scratch = scratch.to_owned();
        let thread = thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                let restricted = sandbox.restrict_this_thread(&scratch);
                let is_ready = restricted.is_ok();
                // Nobody listens only if the judge is ending.
                let _ = send_notes.send(restricted);
                while is_ready && let Ok(command) = to_start.recv() {
                    let _ = send_started.send(start(command));
                }
            })?;
        let notes = notes.recv().unwrap_or_else(|_| Err(has_ended()))?;
        let launcher = Self {
            commands: Some(commands),
            started,
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
        let commands = self.commands.as_ref().ok_or_else(has_ended)?;
        commands.send(command).map_err(|_| has_ended())?;
        self.started.recv().unwrap_or_else(|_| Err(has_ended()))
    }
}

/// Its thread ends before anything else happens, so that nothing is a child of it any more.
impl Drop for Launcher {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to panic about.
            let _ = thread.join();
        }
    }
}

fn has_ended() -> io::Error {
    io::Error::other("the thread that starts programs has ended")
}
