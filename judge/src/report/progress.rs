//! A bar on standard error, for runs that take long enough to wonder.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs are over before anybody could read it.
const DELAY: Duration = Duration::from_millis(500);

/// Shows how many cases are done. It shows nothing where standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    begin: Instant,
    /// Whether it was decided to show it, or never to.
    is_decided: bool,
}

impl Progress {
    pub(super) fn new(n_cases: usize, is_wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(n_cases as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}") {
            bar.set_style(style.progress_chars("=> "));
        }
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            bar,
            begin: Instant::now(),
            is_decided: !is_wanted || is_dumb,
        }
    }

    /// The first case begins now.
    pub(super) fn begin(&mut self) {
        self.begin = Instant::now();
    }

    /// So many cases are done.
    pub(super) fn show(&mut self, n_done: usize) {
        if !self.is_decided && self.begin.elapsed() > DELAY {
            self.is_decided = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(n_done as u64);
    }

    /// Prints something while the bar is out of the way.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
