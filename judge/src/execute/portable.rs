//! Runs on systems that are not Linux: with the standard library alone.
//!
//! Only the wall clock and the size of the output are limited here. CPU time and memory of one
//! child are not told by the standard library, and what the program leaves behind is not found.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Ending, Job, Limit, Run, STDERR_KEPT, Setup, Usage};
use crate::interrupt::Interrupt;

/// How long a program that has ended may take to be noticed.
const TICK: Duration = Duration::from_millis(2);

/// How long an ended program's output is waited for, if somebody else holds the pipe open.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many pieces of output may wait to be taken.
const PIECES: usize = 4;

/// What all runs of the judge share.
#[derive(Debug)]
pub(crate) struct Session {
    interrupt: Interrupt,
    notes: [String; 1],
}

impl Session {
    /// Nothing has to be prepared here.
    #[expect(clippy::unnecessary_wraps, reason = "the same contract as on Linux")]
    pub(crate) fn new(interrupt: Interrupt, _setup: &Setup<'_>) -> io::Result<Self> {
        let note = "on this system only the clock and the output are limited, and nothing isolates \
                    judged programs";
        Ok(Self {
            interrupt,
            notes: [note.to_owned()],
        })
    }

    /// What the user should know of what the system cannot do: a sentence each.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    #[expect(clippy::unused_self, reason = "the same contract as on Linux")]
    pub(crate) fn temporary_file(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::Builder::new().prefix("judge-").tempfile()
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}

/// Nothing is known to be blocked here.
pub(crate) fn unblock_signals() {}

/// Nobody is guarded here.
#[expect(clippy::unnecessary_wraps, reason = "the same contract as on Linux")]
pub(crate) fn keep_guard(_folder: &std::path::Path, _judge: u32) -> io::Result<()> {
    Ok(())
}

/// Ends a child. What it has started is not found here.
pub(crate) fn end_with_descendants(child: &mut std::process::Child) {
    // It fails only if the child has ended already.
    let _ = child.kill();
}

/// Runs a program to its end, handing on its output as it comes.
///
/// # Errors
///
/// If the program cannot be started.
pub(crate) fn execute(
    job: Job<'_>,
    session: &Session,
    on_output: &mut dyn FnMut(&[u8]),
) -> io::Result<Run> {
    let mut command = Command::new(&job.command[0]);
    command
        .args(&job.command[1..])
        .stdin(job.input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut pipes = Pipes {
        stdout: child.stdout.take().map(read_in_background),
        stderr: child.stderr.take().map(read_in_background),
        output_size: 0,
        stderr_head: Vec::new(),
        on_output,
    };
    let mut cause = loop {
        pipes.take(TICK);
        if session.interrupt.is_set() {
            break Some(Ending::Interrupted);
        } else if pipes.output_size > job.limits.output {
            break Some(Ending::Killed(Limit::Output));
        } else if start.elapsed() > job.limits.wall {
            break Some(Ending::Killed(Limit::Wall));
        } else if child.try_wait()?.is_some() {
            break None;
        }
    };
    let wall = start.elapsed();
    if cause.is_some() {
        child.kill()?;
    }
    let status = child.wait()?;
    if cause.is_none() {
        while pipes.take(PATIENCE) && pipes.output_size <= job.limits.output {}
        pipes.take_rest_of_stderr();
        let is_flood = pipes.output_size > job.limits.output;
        cause = is_flood.then_some(Ending::Killed(Limit::Output));
    }
    Ok(Run {
        ending: cause.unwrap_or_else(|| ending(status)),
        usage: Usage {
            wall,
            ..Usage::default()
        },
        is_leaky: false,
        stderr: pipes.stderr_head,
    })
}

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signaled(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}

/// The two outputs of a program that runs.
struct Pipes<'a> {
    stdout: Option<Receiver<Vec<u8>>>,
    stderr: Option<Receiver<Vec<u8>>>,
    output_size: u64,
    stderr_head: Vec<u8>,
    on_output: &'a mut dyn FnMut(&[u8]),
}

impl Pipes<'_> {
    /// Takes what comes next on standard output, and all that is there on standard error. Returns
    /// whether anything came on standard output before this time was over.
    fn take(&mut self, patience: Duration) -> bool {
        // No more than the channel holds, since a program can be faster in filling it.
        for bytes in self.stderr.iter().flat_map(Receiver::try_iter).take(PIECES) {
            keep(&mut self.stderr_head, &bytes);
        }
        match self
            .stdout
            .as_ref()
            .map(|pieces| pieces.recv_timeout(patience))
        {
            Some(Ok(bytes)) => {
                self.output_size += bytes.len() as u64;
                (self.on_output)(&bytes);
                return true;
            }
            Some(Err(RecvTimeoutError::Timeout)) => {}
            Some(Err(RecvTimeoutError::Disconnected)) => self.stdout = None,
            // There is nothing to wait for, but the program may go on.
            None => thread::sleep(patience.min(TICK)),
        }
        false
    }

    /// The program has ended, but what it said last may still be on its way.
    fn take_rest_of_stderr(&mut self) {
        let next = || self.stderr.as_ref()?.recv_timeout(PATIENCE).ok();
        while self.stderr_head.len() < STDERR_KEPT
            && let Some(bytes) = next()
        {
            keep(&mut self.stderr_head, &bytes);
        }
    }
}

/// Keeps the beginning of what is said on standard error.
fn keep(head: &mut Vec<u8>, bytes: &[u8]) {
    let n_free = STDERR_KEPT - head.len();
    head.extend_from_slice(&bytes[..bytes.len().min(n_free)]);
}

/// Reads a pipe on a thread of its own, which ends with the pipe.
fn read_in_background(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(PIECES);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(n_bytes @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..n_bytes].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
