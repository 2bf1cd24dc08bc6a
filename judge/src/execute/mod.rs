//! Running one program on one input, within limits.
//!
//! What a run is, and what is told of it, stands here; how the system does it stands in one file
//! for each kind of system. Nothing here knows what the output should have been.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::{Session, end_with_descendants, execute, keep_guard, unblock_signals};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{Session, end_with_descendants, execute, keep_guard, unblock_signals};

/// How much of what a program says on standard error is kept.
const STDERR_KEPT: usize = 4 * 1024;

/// How many processes and threads a run may have at a time.
pub(crate) const MOST_TASKS: usize = 256;

/// What is the same for all runs.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux has a sandbox and a guard")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) n_workers: usize,
    /// What programs in a sandbox cannot read, as whole paths without links; none if there is to
    /// be no sandbox.
    pub(crate) hidden: Option<&'a [PathBuf]>,
    /// The command by which this program becomes the guard of a judge; none if there is to be none.
    pub(crate) guard: Option<&'a str>,
}

/// What a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// User and system time of the program and of what it started, together.
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
    /// Resident memory at its peak.
    pub(crate) memory_kib: u64,
    /// Bytes on standard output.
    pub(crate) output: u64,
}

/// A program, its input, and its limits.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    /// The program and its arguments; never empty.
    pub(crate) command: &'a [OsString],
    /// What it reads as standard input.
    pub(crate) input: File,
    pub(crate) limits: Limits,
    /// Whether the sandbox holds for it, if there is one.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only Linux has a sandbox")
    )]
    pub(crate) is_sandboxed: bool,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) ending: Ending,
    pub(crate) usage: Usage,
    /// Whether processes of the run were still alive when the program itself had ended.
    pub(crate) is_leaky: bool,
    /// What it said on standard error, or the beginning of it.
    pub(crate) stderr: Vec<u8>,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which the judge did not send.
    #[cfg_attr(
        not(any(test, unix)),
        expect(dead_code, reason = "only Unix has signals")
    )]
    Signaled(i32),
    /// Killed by the judge, since it was over this limit.
    Killed(Limit),
    /// Killed by the judge, since the user wants it to end.
    Interrupted,
}

/// A limit that is enforced while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Cpu,
    Wall,
    Memory,
    Output,
    /// More than [`MOST_TASKS`].
    #[cfg_attr(
        not(any(test, target_os = "linux")),
        expect(dead_code, reason = "only Linux tells how many there are")
    )]
    Tasks,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// None where the system does not tell it of one process.
    pub(crate) cpu: Option<Duration>,
    pub(crate) wall: Duration,
    /// None where the system does not tell it of one process.
    pub(crate) peak_kib: Option<u64>,
    /// A reading of `peak_kib` up to this says nothing of the program: the system begins it at the
    /// peak of the process that started it.
    pub(crate) peak_floor_kib: u64,
}
