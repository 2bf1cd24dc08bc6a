//! Attempts on other processes: the judge's, and any.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::id;
use std::ptr::{null, null_mut};

use crate::{any, in_child, told};

pub fn attempt(words: &[&str]) -> Option<Result<()>> {
    let [name, rest @ ..] = words else { return None };
    let pid = || rest[0].parse::<i32>().expect("the number of a process");
    Some(match *name {
        // The null signal is sent to nobody, but is refused like all.
        "kill" => send(pid(), 0),
        "kill-threads" => any(threads(pid()), |thread| send(thread, 0)),
        "kill-group" => send(-unsafe { getpgid(pid()) }, 0),
        "kill-anybody" => any(others(), |pid| send(pid, 0)),
        // Nobody dies of this one, either. It is said to be sent whether it reaches anybody or not.
        "kill-everybody" => send(-1, SIGURG),
        "queue" => told(unsafe { sigqueue(pid(), 0, null_mut()) }).map(drop),
        "tgkill" => {
            any(threads(pid()), |thread| told(unsafe { tgkill(pid(), thread, 0) }).map(drop))
        }
        "tkill" => any(threads(pid()), |thread| told(call(TKILL, [thread.into(), 0])).map(drop)),
        "pidfd" => told(call(PIDFD_OPEN, [pid().into(), 0])).and_then(send_to_file),
        "owner" | "owner-by-ioctl" | "owner-of-kind" | "signal-of-file" => {
            file_that_signals(name, pid())
        }
        "trace" => any(threads(pid()), |thread| {
            told(unsafe { ptrace(PTRACE_SEIZE, thread, null_mut(), null_mut()) }).map(drop)
        }),
        "read-memory" => any(threads(pid()), read_memory),
        "open-of-threads" => any(threads(pid()), |thread| {
            File::open(format!("/proc/{}/task/{thread}/{}", pid(), rest[1])).map(drop)
        }),
        "open-of-anybody" => {
            any(others(), |pid| File::open(format!("/proc/{pid}/{}", rest[0])).map(drop))
        }
        "read-of-anybody" => any(others(), |pid| read_a_byte(&format!("/proc/{pid}/{}", rest[0]))),
        "limits" => told(unsafe { prlimit(pid(), RLIMIT_NOFILE, null(), [0_u64; 2].as_mut_ptr()) })
            .map(drop),
        "priority" => {
            told(unsafe { setpriority(PRIO_PROCESS, pid(), getpriority(PRIO_PROCESS, pid())) })
                .map(drop)
        }
        "priority-of-user" => {
            told(unsafe { setpriority(PRIO_USER, 0, getpriority(PRIO_USER, 0)) }).map(drop)
        }
        "affinity" => affinity(pid()),
        "scheduler" => told(unsafe { sched_setscheduler(pid(), 0, &0) }).map(drop),
        "sibling" => clone(CLONE_PARENT),
        "clone-user" => clone(CLONE_NEWUSER),
        "clone3-user" => clone3(CLONE_NEWUSER),
        "unshare-user" => in_child_told(|| unsafe { unshare(CLONE_NEWUSER as i32) }),
        "unshare-mounts" => in_child_told(|| unsafe { unshare(CLONE_NEWNS as i32) }),
        "become" => in_child_told(|| unsafe { setresuid(pid(), pid(), pid()) }),
        "change-root" => in_child_told(|| unsafe { chroot(c"/".as_ptr()) }),
        _ => return None,
    })
}

fn send(pid: i32, signal: i32) -> Result<()> {
    told(unsafe { kill(pid, signal) }).map(drop)
}

fn send_to_file(pidfd: i64) -> Result<()> {
    told(call(PIDFD_SEND_SIGNAL, [pidfd, 0])).map(drop)
}

fn numbers_in(folder: &str) -> Vec<i32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn threads(pid: i32) -> Vec<i32> {
    numbers_in(&format!("/proc/{pid}/task"))
}

fn others() -> Vec<i32> {
    let mut pids = numbers_in("/proc");
    pids.retain(|&pid| pid != id() as i32);
    pids
}

/// Of a file that is not always empty.
fn read_a_byte(path: &str) -> Result<()> {
    match File::open(path)?.read(&mut [0])? {
        0 => Err(Error::from_raw_os_error(crate::EPERM)),
        _ => Ok(()),
    }
}

/// A file that tells somebody by a signal that something comes.
fn file_that_signals(how: &str, pid: i32) -> Result<()> {
    let (socket, _other) = UnixStream::pair()?;
    let file = socket.as_raw_fd();
    let result = match how {
        "owner" => unsafe { fcntl(file, F_SETOWN, pid as usize) },
        "owner-of-kind" => unsafe { fcntl(file, F_SETOWN_EX, [1, pid].as_ptr() as usize) },
        "owner-by-ioctl" => unsafe { ioctl(file, FIOSETOWN, &raw const pid as usize) },
        _ => unsafe { fcntl(file, F_SETSIG, SIGURG as usize) },
    };
    told(result).map(drop)
}

/// Of the first page, where there is nothing: who may read is told so.
fn read_memory(pid: i32) -> Result<()> {
    let mut byte = 0_u8;
    let (here, there) = ([&raw mut byte as usize, 1], [1_usize, 1]);
    let read = unsafe { process_vm_readv(pid, here.as_ptr(), 1, there.as_ptr(), 1, 0) };
    match told(read as i64) {
        Err(error) if error.raw_os_error() != Some(EFAULT) => Err(error),
        _ => Ok(()),
    }
}

fn affinity(pid: i32) -> Result<()> {
    let mut processors = [0_u64; 16];
    let size = size_of_val(&processors);
    told(unsafe { sched_getaffinity(pid, size, processors.as_mut_ptr()) })?;
    told(unsafe { sched_setaffinity(pid, size, processors.as_ptr()) }).map(drop)
}

/// A process made in this way, which ends at once.
fn clone(flag: i64) -> Result<()> {
    ended(call(CLONE, [flag | SIGCHLD, 0]))
}

fn clone3(flag: i64) -> Result<()> {
    let mut arguments = [0_i64; 8];
    (arguments[0], arguments[4]) = (flag, SIGCHLD);
    ended(call(CLONE3, [arguments.as_ptr() as i64, size_of_val(&arguments) as i64]))
}

fn ended(child: i64) -> Result<()> {
    if child == 0 {
        unsafe { crate::_exit(0) };
    }
    told(child)?;
    // Nobody but its parent can wait for it.
    match told(unsafe { crate::waitpid(child as i32, null_mut(), 0) }) {
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// In a child, since it cannot be undone.
fn in_child_told(call: impl FnOnce() -> i32) -> Result<()> {
    in_child(|| call() == 0)
}

fn call(number: i64, [first, second]: [i64; 2]) -> i64 {
    unsafe { syscall(number, first, second, 0, 0, 0) }
}

const SIGCHLD: i64 = 17;
const SIGURG: i32 = 23;
const EFAULT: i32 = 14;
const F_SETOWN: i32 = 8;
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;
const FIOSETOWN: u64 = 0x8901;
const PTRACE_SEIZE: u32 = 0x4206;
const RLIMIT_NOFILE: i32 = 7;
const PRIO_PROCESS: i32 = 0;
const PRIO_USER: i32 = 2;
const CLONE_PARENT: i64 = 0x8000;
const CLONE_NEWNS: i64 = 0x2_0000;
const CLONE_NEWUSER: i64 = 0x1000_0000;
const CLONE: i64 = if cfg!(target_arch = "x86_64") { 56 } else { 220 };
const TKILL: i64 = if cfg!(target_arch = "x86_64") { 200 } else { 130 };
const PIDFD_SEND_SIGNAL: i64 = 424;
const PIDFD_OPEN: i64 = 434;
const CLONE3: i64 = 435;

extern "C" {
    fn syscall(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64) -> i64;
    fn kill(pid: i32, signal: i32) -> i32;
    fn tgkill(pid: i32, thread: i32, signal: i32) -> i32;
    fn sigqueue(pid: i32, signal: i32, value: *mut u8) -> i32;
    fn getpgid(pid: i32) -> i32;
    fn fcntl(file: i32, command: i32, argument: usize) -> i32;
    fn ioctl(file: i32, command: u64, argument: usize) -> i32;
    fn ptrace(request: u32, pid: i32, address: *mut u8, data: *mut u8) -> i64;
    fn process_vm_readv(
        pid: i32,
        here: *const usize,
        n_here: usize,
        there: *const usize,
        n_there: usize,
        flags: usize,
    ) -> isize;
    fn prlimit(pid: i32, which: i32, new: *const u64, old: *mut u64) -> i32;
    fn getpriority(which: i32, who: i32) -> i32;
    fn setpriority(which: i32, who: i32, priority: i32) -> i32;
    fn sched_getaffinity(pid: i32, size: usize, processors: *mut u64) -> i32;
    fn sched_setaffinity(pid: i32, size: usize, processors: *const u64) -> i32;
    fn sched_setscheduler(pid: i32, policy: i32, priority: *const i32) -> i32;
    fn unshare(flags: i32) -> i32;
    fn setresuid(real: i32, effective: i32, saved: i32) -> i32;
    fn chroot(path: *const std::ffi::c_char) -> i32;
}
