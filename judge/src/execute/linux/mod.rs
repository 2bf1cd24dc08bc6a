//! Runs on Linux.
//!
//! The program gets a process group of its own, with the input file as standard input. The thread
//! that started it waits for its end (pidfd), its output and the user's interrupt in one `poll`,
//! and wakes on every tick to look at clocks and memory. When the program has ended or is over a
//! limit, its whole group is killed before the program is reaped, so that the number of the group
//! cannot have been given to another.
//!
//! Starting is left to the standard library, which takes `posix_spawn` for it: no page of the
//! judge is copied. So what must be set for a program is set once and inherited: from the judge, or
//! from a thread in a sandbox that does nothing but start programs.

#[cfg_attr(not(target_pointer_width = "64"), path = "calls_unfiltered.rs")]
mod calls;
mod guard;
mod launcher;
mod mark;
mod orphans;
mod place;
mod precedence;
mod process_tree;
mod reap;
mod sandbox;
mod scratch;
mod session;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::ptr;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags, SeekFrom, fcntl_add_seals, memfd_create, seek, sendfile};
use rustix::io::ioctl_fionread;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, kill_process_group, pidfd_open, prlimit,
};

pub(crate) use self::guard::keep_guard;
use self::orphans::{Household, RUN_VARIABLE};
use self::precedence::limit_tasks_of_user;
use self::process_tree::{Clocks, Sample};
pub(crate) use self::session::Session;
use super::{Ending, Job, Limit, Limits, MOST_TASKS, Run, STDERR_KEPT, Usage};

/// How often clocks and memory are looked at. A program can be over a limit for so long before it
/// is killed; what is said of it does not depend on that.
const TICK: Duration = Duration::from_millis(10);

/// A machine that is merely busy wakes the judge sooner than this.
const ABSENCE: Duration = Duration::from_millis(500);

/// How much is read at a time. Every worker has so much, and what the judge has at its peak is
/// where the reading of every program's memory begins.
const PIECE: usize = 16 * 1024;

/// How much of a file is copied by one call of the system; any number would do.
const LARGEST_PIECE: usize = 1 << 30;

/// The largest file that a program in a sandbox can write.
const LARGEST_FILE: u64 = 256 << 20;

/// Lets all signals through to this thread and to all that it starts. The judge may have been
/// started with some of them blocked, and children would inherit that.
#[expect(
    unsafe_code,
    reason = "the standard library does not touch the mask of signals"
)]
pub(crate) fn unblock_signals() {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset makes a valid set of what it is pointed to, and that set is only read.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

/// Ends a child, and all that it has started and that still has its parent.
pub(crate) fn end_with_descendants(child: &mut Child) {
    process_tree::kill_whole_tree(Pid::from_child(child));
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
    let is_sandboxed = job.is_sandboxed && session.has_sandbox();
    let input = if is_sandboxed {
        sealed_copy(&job.input)?
    } else {
        job.input
    };
    let place = session.take_place()?;
    let launcher = place.launcher().filter(|_| is_sandboxed);
    let mut household = Household::new(session, launcher);
    let command = command(job.command, &household.name(), input);
    let started = place.start(command, is_sandboxed);
    let run = started.and_then(|(mut child, begin)| {
        let leader = Pid::from_child(&child);
        household.begin(leader);
        session.note_group(place.number, Some(leader));
        if is_sandboxed {
            let largest = Some(LARGEST_FILE);
            let limit = Rlimit {
                current: largest,
                maximum: largest,
            };
            // It may have ended already.
            let _ = prlimit(Some(leader), Resource::Fsize, limit);
            limit_tasks_of_user(leader, session.most_tasks_of_user());
        }
        let scene = Scene {
            household: &household,
            session,
        };
        let run = attend(&mut child, begin, job.limits, scene, on_output);
        drop(household);
        session.note_group(place.number, None);
        run
    });
    session.give_back(place);
    run
}

fn command(words: &[OsString], run: &str, input: File) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env(RUN_VARIABLE, run)
        .process_group(0);
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A copy of a file in memory that nobody can change any more. A program can open it again by its
/// name, `/dev/stdin`, which it could not with a file that is hidden from it.
fn sealed_copy(file: &File) -> io::Result<File> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let copy = memfd_create("input", flags)?;
    while sendfile(&copy, file, None, LARGEST_PIECE)? > 0 {}
    seek(&copy, SeekFrom::Start(0))?;
    fcntl_add_seals(
        &copy,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    Ok(copy.into())
}

/// What surrounds a run.
#[derive(Clone, Copy)]
struct Scene<'a> {
    household: &'a Household<'a>,
    session: &'a Session,
}

/// Stays with a program to its end.
fn attend(
    child: &mut Child,
    start: Instant,
    limits: Limits,
    scene: Scene<'_>,
    on_output: &mut dyn FnMut(&[u8]),
) -> io::Result<Run> {
    let leader = Pid::from_child(child);
    let mut watch = Watch {
        leader,
        household: scene.household,
        session: scene.session,
        start,
        elapsed: Duration::ZERO,
        awake: start,
        limits,
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        buffer: vec![0; PIECE],
        output_size: 0,
        stderr_head: Vec::new(),
        peak: Sample::default(),
        clocks: Clocks::default(),
        on_output,
    };
    let cause = watch.until_end();
    let wall = watch.elapsed;
    let has_ended_itself = matches!(cause, Ok(None));
    let is_leaky = has_ended_itself && scene.household.is_anybody_left();
    let _ = kill_process_group(leader, Signal::KILL);
    if !has_ended_itself {
        // It may have left its own group.
        process_tree::kill_trees(&[leader]);
    }
    if !has_ended_itself || orphans::is_anybody_there() {
        scene.household.end();
    }
    let cause = if has_ended_itself {
        watch.drain()
    } else {
        cause
    };
    let dead = scene.household.bury_leader(leader)?;
    scene.household.bury_rest();
    let (peak, stderr) = (watch.peak, watch.stderr_head);
    let cpu = dead.cpu + scene.household.buried_cpu();
    Ok(Run {
        ending: cause?.unwrap_or_else(|| ending(dead.status)),
        usage: usage(cpu, wall, dead.peak_kib, &peak, limits.memory_kib),
        is_leaky,
        stderr,
    })
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signaled(signal.unwrap_or(0)),
    }
}

/// A run that is going on.
struct Watch<'a> {
    leader: Pid,
    household: &'a Household<'a>,
    session: &'a Session,
    /// When the run began, put off by as long as the judge did not read: it was stopped, by Ctrl-Z
    /// for example, or had to compare.
    start: Instant,
    /// How long the run has taken, as far as the judge was there.
    elapsed: Duration,
    /// When that was last found out.
    awake: Instant,
    limits: Limits,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    buffer: Vec<u8>,
    output_size: u64,
    stderr_head: Vec<u8>,
    /// The largest figures seen so far.
    peak: Sample,
    clocks: Clocks,
    on_output: &'a mut dyn FnMut(&[u8]),
}

impl Watch<'_> {
    /// Waits until the program has ended, or for a reason to kill it.
    fn until_end(&mut self) -> io::Result<Option<Ending>> {
        let pidfd = pidfd_open(self.leader, PidfdFlags::empty())?;
        self.set_nonblocking()?;
        let mut next_look = TICK;
        loop {
            let timeout = next_look.min(self.limits.wall).saturating_sub(self.elapsed);
            let has_ended = self.wait(&pidfd, timeout)?;
            if has_ended {
                self.tell_time(timeout);
                return Ok(None);
            }
            if self.session.interrupt().is_set() {
                return Ok(Some(Ending::Interrupted));
            }
            self.read_stderr()?;
            self.read_stdout()?;
            if self.output_size > self.limits.output {
                return Ok(Some(Ending::Killed(Limit::Output)));
            }
            self.tell_time(timeout);
            if self.elapsed > self.limits.wall {
                return Ok(Some(Ending::Killed(Limit::Wall)));
            }
            if self.elapsed >= next_look {
                next_look = self.elapsed + TICK;
                if let Some(limit) = self.look() {
                    return Ok(Some(Ending::Killed(limit)));
                }
            }
        }
    }

    /// Finds out how long the run has taken. If much more than the time that was to be waited has
    /// passed since the last time, wherever in between, then the judge was stopped, and the program
    /// is not to blame for that.
    fn tell_time(&mut self, timeout: Duration) {
        let now = Instant::now();
        let late = now.duration_since(self.awake).saturating_sub(timeout);
        if late > ABSENCE {
            self.start += late;
        }
        self.awake = now;
        self.elapsed = now.duration_since(self.start);
    }

    fn pipes(&self) -> impl Iterator<Item = std::os::fd::BorrowedFd<'_>> {
        let stdout = self.stdout.as_ref().map(AsFd::as_fd);
        stdout
            .into_iter()
            .chain(self.stderr.as_ref().map(AsFd::as_fd))
    }

    fn set_nonblocking(&self) -> io::Result<()> {
        for pipe in self.pipes() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(())
    }

    /// Sleeps until something happens, and says whether it is that the program has ended.
    fn wait(&self, pidfd: &OwnedFd, timeout: Duration) -> io::Result<bool> {
        let sources = [pidfd.as_fd(), self.session.interrupt().as_fd()]
            .into_iter()
            .chain(self.pipes());
        let mut fds: Vec<PollFd<'_>> = sources
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let timeout = Timespec::try_from(timeout).map_err(|_| ErrorKind::InvalidInput)?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) => Ok(!fds[0].revents().is_empty()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Looks at the clocks and the memory of the program and of what it started.
    fn look(&mut self) -> Option<Limit> {
        let mut roots = self.household.orphans();
        roots.insert(0, self.leader);
        let is_calm = !self.session.is_crowded();
        let now = process_tree::sample(&roots, self.limits.memory_kib, is_calm, &mut self.clocks);
        self.peak.cpu = self.peak.cpu.max(now.cpu);
        self.peak.resident_kib = self.peak.resident_kib.max(now.resident_kib);
        if now.n_tasks > MOST_TASKS {
            Some(Limit::Tasks)
        } else if now.resident_kib > self.limits.memory_kib {
            Some(Limit::Memory)
        } else if now.cpu > self.limits.cpu {
            Some(Limit::Cpu)
        } else {
            None
        }
    }

    /// Takes what the program wrote before it ended. Somebody else may still be writing.
    fn drain(&mut self) -> io::Result<Option<Ending>> {
        let mut n_left = match &self.stdout {
            Some(pipe) => usize::try_from(ioctl_fionread(pipe)?).unwrap_or(usize::MAX),
            None => 0,
        };
        while n_left > 0
            && let Some(n_read @ 1..) = self.read_stdout()?
        {
            n_left = n_left.saturating_sub(n_read);
        }
        self.read_stderr()?;
        let is_over = self.output_size > self.limits.output;
        Ok(is_over.then_some(Ending::Killed(Limit::Output)))
    }

    /// Reads what there is, up to the size of the buffer: none if there is nothing now, and 0
    /// bytes at the end.
    fn read_stdout(&mut self) -> io::Result<Option<usize>> {
        let n_read = read_some(&mut self.stdout, &mut self.buffer)?;
        if let Some(n_bytes) = n_read {
            self.output_size += n_bytes as u64;
            let begin = Instant::now();
            (self.on_output)(&self.buffer[..n_bytes]);
            let spent = begin.elapsed();
            self.start += spent;
            self.awake += spent;
        }
        Ok(n_read)
    }

    fn read_stderr(&mut self) -> io::Result<()> {
        if let Some(n_bytes) = read_some(&mut self.stderr, &mut self.buffer)? {
            let n_free = STDERR_KEPT - self.stderr_head.len();
            self.stderr_head
                .extend_from_slice(&self.buffer[..n_bytes.min(n_free)]);
        }
        Ok(())
    }
}

/// One read from a pipe that does not block. A pipe at its end is closed.
fn read_some(pipe: &mut Option<impl Read>, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    let Some(open) = pipe else { return Ok(None) };
    match open.read(buffer) {
        Ok(0) => {
            *pipe = None;
            Ok(Some(0))
        }
        Ok(n_bytes) => Ok(Some(n_bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn usage(
    cpu: Duration,
    wall: Duration,
    peak_kib: u64,
    seen: &Sample,
    memory_limit_kib: u64,
) -> Usage {
    let peak_kib = peak_kib.max(seen.resident_kib);
    // Where a reading begins is asked for only where it matters, since asking takes time.
    let is_suspicious = peak_kib > memory_limit_kib && seen.resident_kib <= memory_limit_kib;
    let floor = if is_suspicious {
        process_tree::own_peak_kib()
    } else {
        None
    };
    Usage {
        cpu: Some(cpu.max(seen.cpu)),
        wall,
        peak_kib: Some(peak_kib),
        peak_floor_kib: floor.unwrap_or(0),
    }
}
