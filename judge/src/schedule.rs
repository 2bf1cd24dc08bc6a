//! Many jobs on few workers, with the results in the order of the jobs.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// How often the caller hears of it if nothing happens.
const PULSE: Duration = Duration::from_millis(100);

/// What the receiver is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News<T> {
    /// This comes now and then: how many jobs are done, in whichever order.
    Done(usize),
    /// This comes in the order of the jobs: a job and its result.
    Result(usize, T),
}

/// What the receiver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

/// Does `n_jobs` jobs, `n_workers` at a time, and hands each result to `receive` on the calling
/// thread, in the order of the jobs, whichever ends first.
///
/// Once `receive` says stop, or fails, no further job begins and no further result is handed on;
/// so the outcome does not depend on how many workers there are. There are fewer of them if the
/// system does not allow for so many threads.
///
/// # Errors
///
/// The first error of `receive`, or that there cannot be even one more thread.
pub(crate) fn in_order<T: Send, E: From<io::Error>>(
    n_jobs: usize,
    n_workers: NonZeroUsize,
    work: impl Fn(usize) -> T + Sync,
    mut receive: impl FnMut(News<T>) -> Result<Next, E>,
) -> Result<(), E> {
    let next_job = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let run_worker = |sender: Sender<(usize, T)>| {
        loop {
            let job = next_job.fetch_add(1, Ordering::Relaxed);
            // The receiver is gone once it wants no more.
            if job >= n_jobs || sender.send((job, work(job))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for index in 0..n_workers.get().min(n_jobs) {
            let worker = thread::Builder::new();
            let (sender, run_worker) = (sender.clone(), &run_worker);
            let spawned = worker.spawn_scoped(scope, move || run_worker(sender));
            match spawned {
                Err(error) if index == 0 => return Err(error.into()),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        let received = receive_all(&results, &mut receive);
        // What is running may end, but nothing begins any more.
        next_job.store(n_jobs, Ordering::Relaxed);
        drop(results);
        received
    })
}

/// Receives what workers send, and puts it in order.
fn receive_all<T, E>(
    results: &Receiver<(usize, T)>,
    receive: &mut impl FnMut(News<T>) -> Result<Next, E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let (mut awaited, mut n_done) = (0, 0);
    loop {
        match results.recv_timeout(PULSE) {
            Ok((job, result)) => {
                n_done += 1;
                early.insert(job, result);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        receive(News::Done(n_done))?;
        while let Some(result) = early.remove(&awaited) {
            if receive(News::Result(awaited, result))? == Next::Stop {
                return Ok(());
            }
            awaited += 1;
        }
    }
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
        // In this order: of two who come at once, each sees the other work or begin.
        let n_before = self.n_begun.load(Ordering::SeqCst);
        let had_company = self.n_working.fetch_add(1, Ordering::SeqCst) > 0;
        self.n_begun.fetch_add(1, Ordering::SeqCst);
        let result = work();
        let got_company = self.n_begun.load(Ordering::SeqCst) > n_before + 1;
        self.n_working.fetch_sub(1, Ordering::SeqCst);
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
    use std::io;
    use std::num::NonZeroUsize;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::{Company, News, Next, in_order};

    fn workers(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    /// Later jobs take less time, so they end in the wrong order.
    fn square_slowly(job: usize) -> usize {
        thread::sleep(Duration::from_micros(500 * (20 - job as u64)));
        job * job
    }

    /// A receiver that collects results, and stops or fails after some of them.
    fn collect<T>(
        results: &mut Vec<(usize, T)>,
        last: usize,
        at_last: fn() -> io::Result<Next>,
    ) -> impl FnMut(News<T>) -> io::Result<Next> + '_ {
        move |news| {
            let News::Result(job, result) = news else {
                return Ok(Next::GoOn);
            };
            results.push((job, result));
            if job == last {
                at_last()
            } else {
                Ok(Next::GoOn)
            }
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for n_workers in [1, 2, 8, 100] {
            let mut results = Vec::new();
            let receive = collect(&mut results, 99, || Ok(Next::GoOn));
            in_order(20, workers(n_workers), square_slowly, receive).unwrap();
            assert!(results.into_iter().eq((0..20).map(|job| (job, job * job))));
        }
    }

    #[test]
    fn nothing_comes_after_a_stop_or_an_error() {
        let ends: [fn() -> io::Result<Next>; 2] =
            [|| Ok(Next::Stop), || Err(io::ErrorKind::StorageFull.into())];
        for n_workers in [1, 4] {
            for at_last in ends {
                let begun = AtomicUsize::new(0);
                let work = |job| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    square_slowly(job)
                };
                let mut results = Vec::new();
                let receive = collect(&mut results, 3, at_last);
                let received = in_order(20, workers(n_workers), work, receive);
                assert_eq!(received.is_ok(), at_last().is_ok());
                assert_eq!(results.len(), 4);
                assert!(begun.load(Ordering::Relaxed) < 20);
            }
        }
    }

    #[test]
    fn no_jobs_no_results() {
        let never = |_: News<()>| -> io::Result<Next> { panic!("news of no job") };
        in_order(0, workers(4), |_| (), never).unwrap();
    }

    #[test]
    fn what_is_done_is_told_while_a_result_is_awaited() {
        let work = |job| thread::sleep(Duration::from_millis(if job == 0 { 400 } else { 0 }));
        let mut told = Vec::new();
        let receive = |news| {
            told.push(news);
            io::Result::Ok(Next::GoOn)
        };
        in_order(5, workers(2), work, receive).unwrap();
        let first_result = told
            .iter()
            .position(|news| *news == News::Result(0, ()))
            .unwrap();
        assert!(told[..first_result].contains(&News::Done(4)), "{told:?}");
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
        in_order(30, workers(4), job, |_| io::Result::Ok(Next::GoOn)).unwrap();
    }

    #[test]
    fn company_is_noticed_whoever_comes_first() {
        let company = Company::default();
        assert_eq!(company.beside_others(|| 7), (7, false));
        let guest = || company.beside_others(|| ()).1;
        assert_eq!(company.beside_others(guest), (true, true));
        assert_eq!(company.beside_others(|| 7), (7, false));
        let meet = |start: &Barrier, end: &Barrier| {
            start.wait();
            company.beside_others(|| end.wait()).1
        };
        for _ in 0..2000 {
            let (start, end) = (Barrier::new(2), Barrier::new(2));
            let both = thread::scope(|scope| {
                let other = scope.spawn(|| meet(&start, &end));
                (meet(&start, &end), other.join().unwrap())
            });
            assert_eq!(both, (true, true));
        }
    }
}
