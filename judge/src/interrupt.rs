//! The user wants the judge to end: Ctrl-C, or a signal that asks for it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first signal that asks the judge to end, and never reset.
#[derive(Debug)]
pub(crate) struct Interrupt {
    is_set: Arc<AtomicBool>,
    /// Readable once the interrupt is set. Nobody reads it, so it wakes all who wait.
    #[cfg(unix)]
    wake: std::os::unix::net::UnixStream,
}

impl Interrupt {
    /// Takes over the signals of this process, but for those that whoever started it wanted to be
    /// ignored, as `nohup` does.
    #[cfg(unix)]
    pub(crate) fn install() -> io::Result<Self> {
        use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        let is_set = Arc::new(AtomicBool::new(false));
        let (wake, waker) = std::os::unix::net::UnixStream::pair()?;
        let ignored = ignored_signals();
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if ignored >> (signal - 1) & 1 == 0 {
                // In this order, so that whoever is woken finds it set.
                signal_hook::flag::register(signal, Arc::clone(&is_set))?;
                signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
            }
        }
        // If it were ignored, children could not be waited for. So somebody listens, to no end.
        signal_hook::flag::register(SIGCHLD, Arc::new(AtomicBool::new(false)))?;
        Ok(Self { is_set, wake })
    }

    /// Signals keep their meaning here: they end the judge.
    #[cfg(not(unix))]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the same contract as on other systems"
    )]
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            is_set: Arc::new(AtomicBool::new(false)),
        })
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    /// Sets it from within: nobody wants to know any more what is still being found out.
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        // What is shut down counts as readable. It fails only if that was done before.
        #[cfg(unix)]
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
    }

    /// Something that can be polled: it is readable once the interrupt is set.
    #[cfg(unix)]
    pub(crate) fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.wake)
    }

    /// Reads from `pipe` until its end or until the interrupt is set, whichever comes first.
    #[cfg(unix)]
    pub(crate) fn read_until_set<'a, R: Read + std::os::fd::AsFd + 'a>(
        &'a self,
        pipe: R,
    ) -> impl Read + 'a {
        UntilSet {
            interrupt: self,
            pipe,
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn read_until_set<'a, R: Read + 'a>(&'a self, pipe: R) -> impl Read + 'a {
        pipe
    }
}

/// The signals that are ignored, as bits from signal 1 on; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(unix)]
struct UntilSet<'a, R> {
    interrupt: &'a Interrupt,
    pipe: R,
}

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for UntilSet<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, poll};
        let mut fds = [
            PollFd::from_borrowed_fd(self.interrupt.as_fd(), PollFlags::IN),
            PollFd::new(&self.pipe, PollFlags::IN),
        ];
        rustix::io::retry_on_intr(|| poll(&mut fds, None))?;
        if self.interrupt.is_set() {
            Ok(0)
        } else {
            self.pipe.read(buffer)
        }
    }
}
