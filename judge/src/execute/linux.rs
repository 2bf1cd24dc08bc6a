//! Runs on Linux.
//!
//! The program gets a process group of its own, with the input file as standard input. The thread
//! that started it waits for its end (pidfd), its output and the user's interrupt in one `poll`,
//! and wakes on every tick to look at clocks and memory. When the program has ended or is over a
//! limit, its whole group is killed before the program is reaped, so that the number of the group
//! cannot have been given to another.
//!
//! The judge is a subreaper: what a program leaves behind becomes the judge's own child. A process
//! that left its group is known by an environment variable that it inherited.
//!
//! Starting is left to the standard library, which takes `posix_spawn` for it: no page of the
//! judge is copied. So what must be set for a program is set once, for the judge, and inherited.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, getrlimit, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, setrlimit, waitpgid, waitpid,
};

use super::process_tree::{self, Sample};
use super::{Ending, Job, Limit, Limits, Run, STDERR_KEPT, Usage};
use crate::interrupt::Interrupt;

/// How often clocks and memory are looked at. A program can be over a limit for so long before it
/// is killed; what is said of it does not depend on that.
const TICK: Duration = Duration::from_millis(10);

/// No pipe holds more than this, so draining one that somebody else still fills ends here.
const LARGEST_PIPE: usize = 1 << 20;

/// The environment variable by which processes of a run are known.
const RUN_VARIABLE: &str = "JUDGE_RUN";

/// What all runs of the judge share.
#[derive(Debug)]
pub(crate) struct Session {
    interrupt: Interrupt,
    sweeping: Mutex<()>,
}

impl Session {
    /// Prepares this process for starting others.
    pub(crate) fn new(interrupt: Interrupt) -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        let stack = getrlimit(Resource::Stack);
        setrlimit(
            Resource::Stack,
            Rlimit {
                current: stack.maximum,
                ..stack
            },
        )?;
        let core = getrlimit(Resource::Core);
        setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                ..core
            },
        )?;
        keep_descriptors_to_oneself();
        Ok(Self {
            interrupt,
            sweeping: Mutex::new(()),
        })
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Ends what a run left behind outside of its process group, and says whether any of it was
    /// still alive.
    fn sweep(&self, run: &str) -> bool {
        let _one_at_a_time = self.sweeping.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found_any = false;
        loop {
            // Orphans go to the first thread of the process that adopts them.
            let orphans = process_tree::children_of_thread(getpid(), getpid());
            let with_origin = orphans.into_iter().map(|pid| (pid, Origin::of(pid)));
            let is_other_run = |origin: &Origin| matches!(origin, Origin::Run(of) if of != run);
            let to_end: Vec<(Pid, Origin)> = with_origin
                .filter(|(_, origin)| !is_other_run(origin))
                .collect();
            if to_end.is_empty() {
                return found_any;
            }
            for (pid, origin) in to_end {
                found_any |= matches!(origin, Origin::Run(_));
                let _ = kill_process(pid, Signal::KILL);
                bury(|| waitpid(Some(pid), WaitOptions::NOHANG));
            }
        }
    }
}

/// A name for a run that no other run of this process has.
fn name_run() -> String {
    static N_RUNS: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", getpid(), N_RUNS.fetch_add(1, Ordering::Relaxed))
}

/// Where a process that lost its parent comes from.
#[derive(Debug)]
enum Origin {
    /// From the run that its environment names.
    Run(String),
    /// It does not say; nobody can have a use for it.
    Unknown,
    /// It has ended, and waits to be buried.
    Dead,
}

impl Origin {
    fn of(pid: Pid) -> Self {
        let named = || run_in_environment(pid).map(Self::Run);
        let is_dead = || process_tree::is_dead(pid).then_some(Self::Dead);
        // A process that is just becoming another program has no environment for a moment.
        let named_later = || {
            thread::sleep(Duration::from_millis(1));
            named()
        };
        named()
            .or_else(is_dead)
            .or_else(named_later)
            .unwrap_or(Self::Unknown)
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

/// Marks all descriptors but the standard ones as not to be inherited. Those that the judge opens
/// itself are marked already; it may have inherited others.
#[expect(
    unsafe_code,
    reason = "no safe interface closes descriptors that nobody owns"
)]
fn keep_descriptors_to_oneself() {
    let (first, last, flags) = (3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: this closes nothing now, and takes no pointers. Where the kernel is too old to know
    // the call, nothing happens.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
}

/// Waits until there is nothing left to wait for, and counts those that died of SIGKILL.
///
/// All of them were killed, so this takes no time to speak of. Still it does not wait for ever: a
/// process can be stuck in the kernel.
fn bury(
    wait: impl Fn() -> rustix::io::Result<Option<(Pid, rustix::process::WaitStatus)>>,
) -> usize {
    let deadline = Instant::now() + Duration::from_secs(1);
    let mut n_killed = 0;
    while Instant::now() < deadline {
        match retry_on_intr(&wait) {
            Ok(Some((_, status))) => {
                n_killed += usize::from(status.terminating_signal() == Some(Signal::KILL.as_raw()));
            }
            Ok(None) => thread::sleep(Duration::from_micros(100)),
            Err(_) => break,
        }
    }
    n_killed
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
    let run = name_run();
    let mut command = Command::new(&job.command[0]);
    command
        .args(&job.command[1..])
        .env(RUN_VARIABLE, &run)
        .process_group(0);
    command
        .stdin(job.input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let leader = Pid::from_child(&child);
    let mut watch = Watch {
        leader,
        start,
        limits: job.limits,
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        output_size: 0,
        stderr_head: Vec::new(),
        peak: Sample::default(),
        on_output,
    };
    let cause = watch.until_end(session);
    let wall = start.elapsed();
    let _ = kill_process_group(leader, Signal::KILL);
    let has_ended_itself = matches!(cause, Ok(None));
    let cause = if has_ended_itself {
        watch.drain()
    } else {
        cause
    };
    let (status, rusage) = wait4(leader)?;
    let n_in_group = bury(|| waitpgid(leader, WaitOptions::NOHANG));
    let has_left_something = session.sweep(&run) || n_in_group > 0;
    Ok(Run {
        ending: cause?.unwrap_or_else(|| ending(status)),
        usage: usage(&rusage, wall, &watch.peak, job.limits.memory_kib),
        is_leaky: has_ended_itself && has_left_something,
        stderr: watch.stderr_head,
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
    start: Instant,
    limits: Limits,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    output_size: u64,
    stderr_head: Vec<u8>,
    /// The largest figures seen so far.
    peak: Sample,
    on_output: &'a mut dyn FnMut(&[u8]),
}

impl Watch<'_> {
    /// Waits until the program has ended, or for a reason to kill it.
    fn until_end(&mut self, session: &Session) -> io::Result<Option<Ending>> {
        let pidfd = pidfd_open(self.leader, PidfdFlags::empty())?;
        self.set_nonblocking()?;
        let mut buffer = vec![0; 64 * 1024];
        let mut next_look = TICK;
        loop {
            let elapsed = self.start.elapsed();
            let timeout = next_look.min(self.limits.wall).saturating_sub(elapsed);
            let has_ended = self.wait(&pidfd, session, timeout)?;
            if has_ended {
                return Ok(None);
            }
            if session.interrupt.is_set() {
                return Ok(Some(Ending::Interrupted));
            }
            self.read_stderr(&mut buffer)?;
            if self
                .read_stdout(&mut buffer)?
                .is_some_and(|_| self.output_size > self.limits.output)
            {
                return Ok(Some(Ending::Killed(Limit::Output)));
            }
            let elapsed = self.start.elapsed();
            if elapsed > self.limits.wall {
                return Ok(Some(Ending::Killed(Limit::Wall)));
            }
            if elapsed >= next_look {
                next_look = elapsed + TICK;
                if let Some(limit) = self.look() {
                    return Ok(Some(Ending::Killed(limit)));
                }
            }
        }
    }

    fn set_nonblocking(&self) -> io::Result<()> {
        let pipes = [
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(())
    }

    /// Sleeps until something happens, and says whether it is that the program has ended.
    fn wait(&self, pidfd: &OwnedFd, session: &Session, timeout: Duration) -> io::Result<bool> {
        let pipes = [
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
        ];
        let sources = [Some(pidfd.as_fd()), Some(session.interrupt.as_fd())]
            .into_iter()
            .chain(pipes);
        let mut fds: Vec<PollFd<'_>> = sources
            .flatten()
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
        let now = process_tree::sample(self.leader);
        self.peak = self.peak.max(now);
        if now.resident_kib > self.limits.memory_kib {
            Some(Limit::Memory)
        } else if now.cpu > self.limits.cpu {
            Some(Limit::Cpu)
        } else {
            None
        }
    }

    /// Takes what the program wrote before it ended.
    fn drain(&mut self) -> io::Result<Option<Ending>> {
        let mut buffer = vec![0; 64 * 1024];
        let mut n_drained = 0;
        while let Some(n_read) = self.read_stdout(&mut buffer)? {
            n_drained += n_read;
            if n_read == 0 || n_drained > LARGEST_PIPE {
                break;
            }
        }
        self.read_stderr(&mut buffer)?;
        let is_over = self.output_size > self.limits.output;
        Ok(is_over.then_some(Ending::Killed(Limit::Output)))
    }

    /// Reads what there is, up to the size of the buffer: none if there is nothing now, and 0
    /// bytes at the end.
    fn read_stdout(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let n_read = read_some(&mut self.stdout, buffer)?;
        if let Some(n_bytes) = n_read {
            self.output_size += n_bytes as u64;
            (self.on_output)(&buffer[..n_bytes]);
        }
        Ok(n_read)
    }

    fn read_stderr(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if let Some(n_bytes) = read_some(&mut self.stderr, buffer)? {
            let n_free = STDERR_KEPT - self.stderr_head.len();
            self.stderr_head
                .extend_from_slice(&buffer[..n_bytes.min(n_free)]);
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

/// Waits for one child, and says what it has used.
#[expect(
    unsafe_code,
    reason = "the standard library has no wait that also tells what one child has used"
)]
fn wait4(child: Pid) -> io::Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    let mut rusage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to variables of the types that wait4 writes, and live past
        // the call.
        let waited =
            unsafe { libc::wait4(child.as_raw_pid(), &raw mut status, 0, rusage.as_mut_ptr()) };
        if waited != -1 {
            // SAFETY: rusage is plain numbers, so all zeros are valid, too.
            return Ok((ExitStatus::from_raw(status), unsafe {
                rusage.assume_init()
            }));
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn usage(rusage: &libc::rusage, wall: Duration, peak: &Sample, memory_limit_kib: u64) -> Usage {
    let cpu = duration(rusage.ru_utime) + duration(rusage.ru_stime);
    let peak_kib = u64::try_from(rusage.ru_maxrss)
        .unwrap_or(0)
        .max(peak.resident_kib);
    // The floor is asked for only where it matters, since asking takes time.
    let peak_floor_kib = if peak_kib > memory_limit_kib {
        own_peak_kib()
    } else {
        0
    };
    Usage {
        cpu: Some(cpu.max(peak.cpu)),
        wall,
        peak_kib: Some(peak_kib),
        peak_floor_kib,
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

/// The judge's own peak. The kernel begins a child's reading there, since the child shares the
/// judge's memory until it becomes another program.
fn own_peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    process_tree::peak_in(&status).unwrap_or(0)
}
