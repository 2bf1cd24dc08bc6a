//! Folders that belong to runs, and that are emptied whatever a run has left in them.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Removes all that is in a folder.
///
/// # Errors
///
/// If something is still there.
pub(super) fn empty_folder(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        remove(&entry?.path());
    }
    if fs::read_dir(folder)?.next().is_none() {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "cannot empty {}",
            folder.display()
        )))
    }
}

/// Removes a folder with all that is in it, as far as that can be done.
pub(super) fn remove_folder(folder: &Path) {
    remove(folder);
}

fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    if removed.is_err() && path.exists() {
        // Folders that nobody may enter, or more of them in each other than files may be open.
        for (program, arguments) in [("chmod", ["-R", "u+rwx"]), ("rm", ["-r", "-f"])] {
            let mut command = Command::new(program);
            command
                .args(arguments)
                .arg("--")
                .arg(path)
                .stdin(Stdio::null());
            let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}
