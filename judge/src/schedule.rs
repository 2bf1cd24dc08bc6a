//! Many jobs on few workers, with the results in the order of the jobs.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, mpsc};
use std::thread;

/// What the receiver of a result says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

/// Does `n_jobs` jobs, `n_workers` at a time, and hands each result to `receive` on the calling
/// thread, in the order of the jobs, whichever ends first.
///
/// Once `receive` says stop, or fails, no further job begins and no further result is handed on;
/// so the outcome does not depend on how many workers there are.
///
/// # Errors
///
/// The first error of `receive`.
pub(crate) fn in_order<T: Send, E>(
    n_jobs: usize,
    n_workers: NonZeroUsize,
    work: impl Fn(usize) -> T + Sync,
    mut receive: impl FnMut(usize, T) -> Result<Next, E>,
) -> Result<(), E> {
    let next_job = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..n_workers.get().min(n_jobs) {
            let (sender, next_job, work) = (sender.clone(), &next_job, &work);
            scope.spawn(move || {
                loop {
                    let job = next_job.fetch_add(1, Ordering::Relaxed);
                    // The receiver is gone once it wants no more.
                    if job >= n_jobs || sender.send((job, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut awaited = 0;
        for (job, result) in results {
            early.insert(job, result);
            while let Some(result) = early.remove(&awaited) {
                if receive(awaited, result)? == Next::Stop {
                    // All that is running ends, and its results go nowhere.
                    next_job.store(n_jobs, Ordering::Relaxed);
                    return Ok(());
                }
                awaited += 1;
            }
        }
        Ok(())
    })
}

/// Lets many work at a time, or one alone.
#[derive(Debug, Default)]
pub(crate) struct Company {
    /// Held for reading by those who work, and for writing by the one who works alone.
    floor: RwLock<()>,
    n_working: AtomicUsize,
    n_begun: AtomicUsize,
}

impl Company {
    /// Works beside others, and says whether there were any at some time.
    pub(crate) fn beside_others<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let _guard = self.floor.read().unwrap_or_else(PoisonError::into_inner);
        let n_begun = self.n_begun.fetch_add(1, Ordering::SeqCst) + 1;
        let had_company = self.n_working.fetch_add(1, Ordering::SeqCst) > 0;
        let result = work();
        self.n_working.fetch_sub(1, Ordering::SeqCst);
        let got_company = self.n_begun.load(Ordering::SeqCst) > n_begun;
        (result, had_company || got_company)
    }

    /// Waits until nobody works, and works while all others wait.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _guard = self.floor.write().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::{Company, Next, in_order};

    fn workers(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    /// Later jobs take less time, so they end in the wrong order.
    fn square_slowly(job: usize) -> usize {
        thread::sleep(Duration::from_micros(500 * (20 - job as u64)));
        job * job
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for n_workers in [1, 2, 8, 100] {
            let mut results = Vec::new();
            let received = in_order(20, workers(n_workers), square_slowly, |job, result| {
                results.push((job, result));
                Ok::<_, ()>(Next::GoOn)
            });
            assert_eq!(received, Ok(()));
            assert!(results.into_iter().eq((0..20).map(|job| (job, job * job))));
        }
    }

    #[test]
    fn nothing_comes_after_a_stop_or_an_error() {
        for n_workers in [1, 4] {
            let begun = AtomicUsize::new(0);
            let work = |job| {
                begun.fetch_add(1, Ordering::Relaxed);
                square_slowly(job)
            };
            let mut n_received = 0;
            let received = in_order(20, workers(n_workers), work, |job, _| {
                n_received += 1;
                Ok::<_, ()>(if job == 3 { Next::Stop } else { Next::GoOn })
            });
            assert_eq!((received, n_received), (Ok(()), 4));
            assert!(begun.load(Ordering::Relaxed) < 20);
            let failed = in_order(20, workers(n_workers), square_slowly, |job, _| {
                if job == 3 {
                    Err("full")
                } else {
                    Ok(Next::GoOn)
                }
            });
            assert_eq!(failed, Err("full"));
        }
    }

    #[test]
    fn no_jobs_no_results() {
        let never = |_: usize, (): ()| -> Result<Next, ()> { panic!("a result of no job") };
        assert_eq!(in_order(0, workers(4), |_| (), never), Ok(()));
    }

    #[test]
    fn alone_means_alone() {
        let company = Company::default();
        let n_working = AtomicUsize::new(0);
        let work = |is_alone: bool| {
            let before = n_working.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
            let after = n_working.fetch_sub(1, Ordering::SeqCst);
            assert!(!is_alone || (before, after) == (0, 1));
        };
        let job = |job: usize| {
            company.beside_others(|| work(false));
            if job.is_multiple_of(3) {
                company.alone(|| work(true));
            }
        };
        let go_on = |_, ()| Ok::<_, ()>(Next::GoOn);
        assert_eq!(in_order(30, workers(4), job, go_on), Ok(()));
    }

    #[test]
    fn company_is_noticed_whoever_comes_first() {
        let company = Company::default();
        assert_eq!(company.beside_others(|| 7), (7, false));
        let guest = || company.beside_others(|| ()).1;
        assert_eq!(company.beside_others(guest), (true, true));
        assert_eq!(company.beside_others(|| 7), (7, false));
    }
}
