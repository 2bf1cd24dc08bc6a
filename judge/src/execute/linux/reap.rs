//! Children that have ended.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Pid;

/// A child that has ended and been waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dead {
    pub(super) status: ExitStatus,
    /// User and system time, that of its own children included if it waited for them.
    pub(super) cpu: Duration,
    /// The largest resident memory of one of them. The kernel begins it at the judge's own peak,
    /// since a child shares the judge's memory until it becomes another program.
    pub(super) peak_kib: u64,
}

/// Waits for a child if it has ended; none if it has not.
///
/// # Errors
///
/// If there is no such child.
#[expect(
    unsafe_code,
    reason = "the standard library's wait does not tell what one child has used"
)]
pub(super) fn reap(child: Pid) -> io::Result<Option<Dead>> {
    let (pid, mut status) = (child.as_raw_pid(), 0);
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to variables of the types that wait4 writes, and live past the
    // call.
    match unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, used.as_mut_ptr()) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        _ => {
            // SAFETY: rusage is plain numbers, so all zeros are valid, too.
            let used = unsafe { used.assume_init() };
            Ok(Some(Dead {
                status: ExitStatus::from_raw(status),
                cpu: duration(used.ru_utime) + duration(used.ru_stime),
                peak_kib: u64::try_from(used.ru_maxrss).unwrap_or(0),
            }))
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}
