//! Where a run takes place: its number, its scratch folder, and the thread that starts it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::launcher::{Launcher, Started, start};
use super::sandbox::Sandbox;
use super::scratch::empty_folder;

/// A place for one run at a time.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) number: usize,
    sandbox: Option<(Launcher, PathBuf)>,
}

impl Place {
    /// A place below this folder, with a sandbox if there is one; and, in words, what the kernel
    /// has no means to keep programs from.
    pub(super) fn new(
        number: usize,
        folder: &Path,
        sandbox: Option<&Sandbox>,
    ) -> io::Result<(Self, Vec<String>)> {
        let Some(sandbox) = sandbox else {
            return Ok((
                Self {
                    number,
                    sandbox: None,
                },
                Vec::new(),
            ));
        };
        let scratch = folder.join(number.to_string());
        fs::create_dir(&scratch)?;
        let (launcher, notes) = Launcher::new(sandbox.clone(), &scratch)?;
        Ok((
            Self {
                number,
                sandbox: Some((launcher, scratch)),
            },
            notes,
        ))
    }

    /// Starts a program, in the sandbox if there is one and it is wanted.
    pub(super) fn start(&self, mut command: Command, is_sandboxed: bool) -> io::Result<Started> {
        match &self.sandbox {
            Some((launcher, scratch)) if is_sandboxed => {
                command.env("TMPDIR", scratch);
                launcher.start(command)
            }
            _ => start(command),
        }
    }

    /// Who starts programs in the sandbox, if there is one.
    pub(super) fn launcher(&self) -> Option<&Launcher> {
        self.sandbox.as_ref().map(|(launcher, _)| launcher)
    }

    /// Removes what a run has left behind.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.sandbox
            .as_ref()
            .map_or(Ok(()), |(_, scratch)| empty_folder(scratch))
    }
}
