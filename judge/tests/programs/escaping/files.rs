//! Attempts on files.

use std::ffi::{CString, c_char};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::{any, told};

pub fn attempt(words: &[&str]) -> Option<Result<()>> {
    Some(match *words {
        ["open", path] => File::open(path).map(drop),
        ["read", path] => File::open(path).and_then(|mut file| file.read(&mut [0]).map(drop)),
        ["list", path] => fs::read_dir(path).map(drop),
        ["write", path] => open_to_write(path).and_then(|mut file| file.write_all(b"x")),
        ["empty", path] => OpenOptions::new().write(true).truncate(true).open(path).map(drop),
        ["truncate", path] => call_with_path(path, |path| unsafe { truncate(path, 0) }),
        ["create", path] => create(path),
        ["mkdir", path] => fs::create_dir(path),
        ["rmdir", path] => fs::remove_dir(path),
        ["unlink", path] => fs::remove_file(path),
        ["rename", from, to] => fs::rename(from, to),
        ["link", from, to] => fs::hard_link(from, to),
        ["symlink", from, to] => symlink(from, to),
        ["read-by-link", path, link] => symlink(path, link).and_then(|()| fs::read(link).map(drop)),
        ["fifo", path] => call_with_path(path, |path| unsafe { mkfifo(path, 0o600) }),
        ["chmod", path] => fs::metadata(path)
            .and_then(|metadata| fs::set_permissions(path, metadata.permissions())),
        ["chown", path] => chown(path, None, None),
        ["touch", path] => {
            File::open(path).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))
        }
        ["label", path] => call_with_path(path, |path| unsafe {
            setxattr(path, c"user.escape".as_ptr(), c"x".as_ptr(), 1, 0)
        }),
        ["write-stdin"] => told(unsafe { write(0, b"x".as_ptr(), 1) } as i64).map(drop),
        ["truncate-stdin"] => told(unsafe { ftruncate(0, 0) }).map(drop),
        ["map-stdin"] => map_stdin(),
        ["list-neighbour"] => neighbour().and_then(|folder| fs::read_dir(folder).map(drop)),
        ["create-at-neighbour"] => neighbour().and_then(|folder| create(&folder.join("escape"))),
        _ => return None,
    })
}

fn open_to_write(path: &str) -> Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// A new file that does not stay.
fn create(path: impl AsRef<Path>) -> Result<()> {
    File::create_new(&path).and_then(|_| fs::remove_file(path))
}

fn call_with_path(path: &str, call: impl Fn(*const c_char) -> i32) -> Result<()> {
    let path = CString::new(path)?;
    told(call(path.as_ptr())).map(drop)
}

/// By memory that is shared with the file, of which there may be another opening.
fn map_stdin() -> Result<()> {
    let stdin = OpenOptions::new().read(true).write(true).open("/dev/stdin");
    let files = [stdin.as_ref().map_or(0, AsRawFd::as_raw_fd), 0];
    any(files, |file| {
        let place = unsafe { mmap(null_mut(), 4096, PROT_READ_WRITE, MAP_SHARED, file, 0) };
        told(place as i64).map(drop)
    })
}

/// The scratch folder of another run, once there is one.
fn neighbour() -> Result<PathBuf> {
    let own = std::env::temp_dir();
    let deadline = Instant::now() + Duration::from_secs(3);
    while Instant::now() < deadline {
        let folders = (0..8).map(|number| own.with_file_name(number.to_string()));
        let mut others = folders.filter(|folder| *folder != own && folder.exists());
        if let Some(other) = others.next() {
            return Ok(other);
        }
        thread::sleep(Duration::from_millis(5));
    }
    Err(ErrorKind::NotFound.into())
}

const PROT_READ_WRITE: i32 = 3;
const MAP_SHARED: i32 = 1;

extern "C" {
    fn write(file: i32, bytes: *const u8, n: usize) -> isize;
    fn truncate(path: *const c_char, size: i64) -> i32;
    fn ftruncate(file: i32, size: i64) -> i32;
    fn mkfifo(path: *const c_char, mode: u32) -> i32;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32, from: i64)
    -> *mut u8;
    fn setxattr(
        path: *const c_char,
        name: *const c_char,
        value: *const c_char,
        size: usize,
        flags: i32,
    ) -> i32;
}
