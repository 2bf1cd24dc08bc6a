//! What all runs of a judge share.

use std::fs::Permissions;
use std::io;
use std::mem;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, getpid, getrlimit, set_child_subreaper,
    set_dumpable_behavior, setrlimit,
};
use tempfile::{NamedTempFile, TempDir};

use super::guard::Guard;
use super::mark::{Mark, NO_RUN};
use super::orphans;
use super::place::Place;
use super::precedence::{Warden, most_tasks_of_user};
use super::sandbox::Sandbox;
use super::scratch::empty_folder;
use crate::execute::Setup;
use crate::interrupt::Interrupt;

/// How many files a worker has open at a time, and how many the judge has besides.
const FILES_OF_WORKER: u64 = 12;
const OTHER_FILES: u64 = 64;

/// What all runs of the judge share. What they leave behind ends with it.
#[derive(Debug)]
pub(crate) struct Session {
    interrupt: Interrupt,
    sandbox: Option<Sandbox>,
    notes: Vec<String>,
    /// Places where nothing runs at the moment.
    free: Mutex<Vec<Place>>,
    n_places: AtomicUsize,
    guard: Option<Guard>,
    most_tasks_of_user: u64,
    warden: Warden,
    folder: TempDir,
}

impl Session {
    /// Prepares this process for running programs.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn new(interrupt: Interrupt, setup: &Setup<'_>) -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        set_limit(Resource::Stack, |limit| limit.maximum)?;
        set_limit(Resource::Core, |_| Some(0))?;
        // No program goes before the judge.
        set_limit(Resource::Rtprio, |_| Some(0))?;
        allow_open_files(FILES_OF_WORKER * setup.n_workers as u64 + OTHER_FILES)?;
        keep_descriptors_to_oneself();
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new()
            .prefix("judge-")
            .permissions(private)
            .tempdir()?;
        let guard = setup
            .guard
            .map(|command| Guard::new(command, folder.path()))
            .transpose()?;
        if let Some(guard) = &guard {
            orphans::spare(guard.pid());
        }
        // Not earlier, since the guard is not one of those that it ends.
        Mark::new(NO_RUN).put_on(None);
        let sandbox = setup.hidden.map(|hidden| {
            // Nor does a run see what another one writes.
            let own = folder.path().canonicalize();
            let own = own.unwrap_or_else(|_| folder.path().to_owned());
            let outsider = guard.as_ref().map(Guard::pid);
            Sandbox::new(&[hidden, &[own]].concat(), outsider)
        });
        if sandbox.is_some() {
            // A program must not look into the memory of the judge, by its threads for example
            // that are in the same sandbox.
            set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        }
        let (first, notes) = Place::new(0, folder.path(), sandbox.as_ref())?;
        Ok(Self {
            interrupt,
            sandbox,
            notes,
            free: Mutex::new(vec![first]),
            n_places: AtomicUsize::new(1),
            guard,
            most_tasks_of_user: most_tasks_of_user(setup.n_workers),
            warden: Warden::new()?,
            folder,
        })
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// What the user should know of what the system cannot do: a sentence each.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A file that no program in a sandbox sees, and that is gone with the judge however that ends.
    pub(crate) fn temporary_file(&self) -> io::Result<NamedTempFile> {
        NamedTempFile::new_in(&self.folder)
    }

    pub(super) const fn most_tasks_of_user(&self) -> u64 {
        self.most_tasks_of_user
    }

    /// A place where nothing runs, a new one if need be.
    pub(super) fn take_place(&self) -> io::Result<Place> {
        if let Some(place) = self.free().pop() {
            return Ok(place);
        }
        let number = self.n_places.fetch_add(1, Ordering::Relaxed);
        Place::new(number, self.folder.path(), self.sandbox.as_ref()).map(|(place, _)| place)
    }

    /// A run is over. Its place is used again unless it cannot be cleared.
    pub(super) fn give_back(&self, place: Place) {
        if place.clear().is_ok() {
            self.free().push(place);
        }
    }

    /// Whether some program has started very many others.
    pub(super) fn is_crowded(&self) -> bool {
        self.warden.is_crowded()
    }

    /// Whether there is a sandbox, as far as the system has the means.
    pub(super) const fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Tells the guard, if there is one, which process group a run has.
    pub(super) fn note_group(&self, place: usize, group: Option<Pid>) {
        if let Some(guard) = &self.guard {
            // It knows most by their mark without it.
            let _ = guard.note(place, group);
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Place>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // First the threads that start programs, so that all that is left has the judge itself as
        // its parent.
        drop(mem::take(&mut *self.free()));
        orphans::end_all();
        // What it is dropped with gives up on folders that nobody may enter.
        let _ = empty_folder(self.folder.path());
    }
}

/// Sets a limit that programs inherit, given what it is.
fn set_limit(resource: Resource, to: impl Fn(&Rlimit) -> Option<u64>) -> io::Result<()> {
    let limit = getrlimit(resource);
    let current = to(&limit);
    Ok(setrlimit(resource, Rlimit { current, ..limit })?)
}

/// Raises the limit of open files where it is lower than this and may be raised.
fn allow_open_files(n_files: u64) -> io::Result<()> {
    let files = getrlimit(Resource::Nofile);
    if files.current.is_some_and(|current| current < n_files) {
        let most = files.maximum.unwrap_or(n_files);
        set_limit(Resource::Nofile, |_| Some(n_files.min(most)))?;
    }
    Ok(())
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
