//! Runs on systems that are not Linux: with the standard library alone.
//!
//! Only the wall clock and the size of the output are limited here. CPU time and memory of one
//! child are not told by the standard library, and what the program leaves behind is not found.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Ending, Job, Limit, Run, STDERR_KEPT, Usage};
use crate::interrupt::Interrupt;

/// How long a program that has ended may take to be noticed.
const TICK: Duration = Duration::from_millis(2);

/// How long an ended program's output is waited for, if somebody else holds the pipe open.
const PATIENCE: Duration = Duration::from_millis(100);

/// What all runs of the judge share.
#[derive(Debug)]
pub(crate) struct Session {
    interrupt: Interrupt,
}

impl Session {
    /// Nothing has to be prepared here.
    #[expect(clippy::unnecessary_wraps, reason = "the same contract as on Linux")]
    pub(crate) fn new(interrupt: Interrupt) -> io::Result<Self> {
        Ok(Self { interrupt })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
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
    command.args(&job.command[1..]).stdin(job.input);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().map(read_in_background);
    let stderr = child.stderr.take().map(read_in_background);
    let mut output_size = 0;
    let mut take_output = |wait| {
        let piece = receive(stdout.as_ref(), wait);
        if let Piece::Bytes(bytes) = &piece {
            output_size += bytes.len() as u64;
            on_output(bytes);
        }
        (piece.is_some(), output_size > job.limits.output)
    };
    let mut stderr_head = Vec::new();
    let (cause, status) = loop {
        let (_, is_flood) = take_output(TICK);
        keep_head(stderr.as_ref(), &mut stderr_head);
        let cause = if session.interrupt.is_set() {
            Some(Ending::Interrupted)
        } else if is_flood {
            Some(Ending::Killed(Limit::Output))
        } else if start.elapsed() > job.limits.wall {
            Some(Ending::Killed(Limit::Wall))
        } else {
            None
        };
        if cause.is_some() {
            break (cause, kill(&mut child)?);
        }
        if let Some(status) = child.try_wait()? {
            break (None, status);
        }
    };
    let wall = start.elapsed();
    let mut is_flood = false;
    if cause.is_none() {
        while let (true, flood) = take_output(PATIENCE) {
            is_flood = flood;
        }
        keep_head(stderr.as_ref(), &mut stderr_head);
    }
    let flood = is_flood.then_some(Ending::Killed(Limit::Output));
    Ok(Run {
        ending: cause.or(flood).unwrap_or_else(|| ending(status)),
        usage: Usage {
            wall,
            ..Usage::default()
        },
        is_leaky: false,
        stderr: stderr_head,
    })
}

fn kill(child: &mut Child) -> io::Result<ExitStatus> {
    child.kill()?;
    child.wait()
}

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signaled(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}

enum Piece {
    Bytes(Vec<u8>),
    NothingYet,
    End,
}

impl Piece {
    const fn is_some(&self) -> bool {
        matches!(self, Self::Bytes(_))
    }
}

fn receive(pieces: Option<&Receiver<Vec<u8>>>, wait: Duration) -> Piece {
    match pieces.map(|pieces| pieces.recv_timeout(wait)) {
        Some(Ok(bytes)) => Piece::Bytes(bytes),
        Some(Err(RecvTimeoutError::Timeout)) => Piece::NothingYet,
        Some(Err(RecvTimeoutError::Disconnected)) | None => {
            // There is nothing to wait for, but the caller counts on not being called at once.
            thread::sleep(wait.min(TICK));
            Piece::End
        }
    }
}

fn keep_head(pieces: Option<&Receiver<Vec<u8>>>, head: &mut Vec<u8>) {
    for bytes in pieces.into_iter().flat_map(Receiver::try_iter) {
        let n_free = STDERR_KEPT - head.len();
        head.extend_from_slice(&bytes[..bytes.len().min(n_free)]);
    }
}

/// Reads a pipe on a thread of its own, which ends with the pipe.
fn read_in_background(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver): (SyncSender<Vec<u8>>, _) = sync_channel(4);
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
