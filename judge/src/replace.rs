//! Files that are written as a whole, so that nobody ever finds half of one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What a new file may be used for, as far as the user's mask lets it.
#[cfg(unix)]
const USUAL_MODE: u32 = 0o666;

/// A file that is going to be written. Until then, what stands there stays.
#[derive(Debug)]
pub(crate) enum Replacement {
    /// A file beside the one that it will replace.
    Beside(NamedTempFile, PathBuf),
    /// What is no file, such as a pipe or `/dev/stdout`, and is written to as it is.
    Direct(File),
}

impl Replacement {
    /// Finds out whether there can be a file at `path`, which is not touched yet.
    ///
    /// # Errors
    ///
    /// If it is a folder, or cannot be written.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        // What a descriptor leads to is written behind what stands there.
        let descriptors = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
        if descriptors.iter().any(|start| path.starts_with(start)) {
            return File::options().append(true).open(path).map(Self::Direct);
        }
        let mut permissions = None;
        let target = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return File::create(path).map(Self::Direct),
            // A link stays one.
            Ok(metadata) => {
                permissions = Some(metadata.permissions());
                fs::canonicalize(path)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
                Ok(to) => path.parent().unwrap_or(path).join(to),
                Err(_) => path.to_owned(),
            },
            Err(error) => return Err(error),
        };
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(USUAL_MODE));
        let file = builder.prefix(".judge-").tempfile_in(folder);
        // Its own name would be no help to the user.
        let file = file.map_err(|error| io::Error::from(error.kind()))?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self::Beside(file, target))
    }

    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// If the system refuses; then what stood there still does.
    pub(crate) fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Direct(mut file) => file.write_all(bytes),
            Self::Beside(mut file, target) => {
                file.write_all(bytes)?;
                file.persist(target)?;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;

    use super::Replacement;

    #[test]
    fn what_stands_there_stays_until_the_new_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(&path, "old").unwrap();
        let replacement = Replacement::new(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        replacement.write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        drop(Replacement::new(&path).unwrap());
        let n_files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(n_files, 1, "what was not written is gone");
    }

    #[test]
    fn a_place_where_no_file_can_be_is_an_error_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let kind = |path| Replacement::new(path).unwrap_err().kind();
        assert_eq!(kind(folder.path()), ErrorKind::IsADirectory);
        assert_eq!(
            kind(&folder.path().join("none/report")),
            ErrorKind::NotFound
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_stays_so() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        let mode = || fs::metadata(file.path()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        Replacement::new(file.path()).unwrap().write(b"").unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink("target", &link).unwrap();
        for text in ["new", "newer"] {
            Replacement::new(&link)
                .unwrap()
                .write(text.as_bytes())
                .unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            // The second time it leads nowhere.
            if text == "new" {
                fs::remove_file(&target).unwrap();
            }
        }
        let device = Replacement::new("/dev/null".as_ref()).unwrap();
        device.write(b"new").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
