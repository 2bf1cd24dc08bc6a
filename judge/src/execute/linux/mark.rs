//! The mark by which processes are known.
//!
//! It is a limit of a resource that the kernel stopped counting long ago (`RLIMIT_LOCKS`, with
//! Linux 2.4.25), so it limits nothing. A process inherits it and keeps it, whatever it does to its
//! group, its parent and its environment, and it can be read without waiting for the process. Only
//! who knows of it can get rid of it.

use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::{Pid, Resource, Rlimit, getpid, prlimit};

/// No run has this number.
pub(super) const NO_RUN: u32 = u32::MAX;

/// Which judge a process comes from, and which of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of the judge's process.
    pub(super) judge: u32,
    pub(super) run: u32,
}

impl Mark {
    /// A mark of the judge that this process is.
    pub(super) fn new(run: u32) -> Self {
        let judge = getpid().as_raw_pid().unsigned_abs();
        Self { judge, run }
    }

    /// That of a process, dead or alive; a limit that somebody else has set is one of no judge that
    /// there is. None if there is no such process.
    #[expect(
        unsafe_code,
        reason = "no kept crate reads a limit of another process without setting it"
    )]
    pub(super) fn of(process: Pid) -> Option<Self> {
        let (pid, resource) = (process.as_raw_pid(), libc::RLIMIT_LOCKS);
        let mut limit = MaybeUninit::<libc::rlimit64>::zeroed();
        // SAFETY: nothing is read from no pointer, and the other is to a variable of the type that
        // is written.
        let read = unsafe { libc::prlimit64(pid, resource, ptr::null(), limit.as_mut_ptr()) };
        // SAFETY: all zeros are valid, too.
        let number = (read == 0).then(|| unsafe { limit.assume_init() }.rlim_cur)?;
        Some(Self {
            judge: u32::try_from(number >> 32).ok()?,
            run: u32::try_from(number & u64::from(u32::MAX)).ok()?,
        })
    }

    /// Puts it on a process, which may have ended; none is this process. It is refused to a judge
    /// that another one judges, unless that is root.
    pub(super) fn put_on(self, process: Option<Pid>) {
        let number = Some(u64::from(self.judge) << 32 | u64::from(self.run));
        let limit = Rlimit {
            current: number,
            maximum: number,
        };
        let _ = prlimit(process, Resource::Locks, limit);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use rustix::process::Pid;

    use super::Mark;

    #[test]
    fn a_mark_is_inherited_by_who_has_nothing_else() {
        let line = "read go; env -i setsid sleep 60 & echo $!; read go; kill $!";
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdin(Stdio::piped());
        let mut parent = command.stdout(Stdio::piped()).spawn().unwrap();
        let (mark, pid) = (Mark::new(7), Pid::from_child(&parent));
        assert_ne!(Mark::of(pid), Some(mark));
        mark.put_on(Some(pid));
        assert_eq!(Mark::of(pid), Some(mark));

        let mut go = parent.stdin.take().unwrap();
        go.write_all(b"\n").unwrap();
        let mut answer = String::new();
        let mut answers = BufReader::new(parent.stdout.take().unwrap());
        answers.read_line(&mut answer).unwrap();
        let child = Pid::from_raw(answer.trim().parse().unwrap()).unwrap();
        assert_eq!(Mark::of(child), Some(mark));
        go.write_all(b"\n").unwrap();
        parent.wait().unwrap();
        assert_eq!(Mark::of(pid), None);
    }
}
