//! What programs need, and nothing must keep them from.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{Error, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;
use std::thread;

use crate::{in_child, told};

pub fn attempt(words: &[&str]) -> Option<Result<()>> {
    let [name, rest @ ..] = words else { return None };
    Some(match *name {
        "reread" => File::open(rest[0]).and_then(|file| starts_with(file, b"reread")),
        "read-rest" => starts_with(std::io::stdin(), b"7777"),
        "own-binary" => {
            env::current_exe().and_then(|path| starts_with(File::open(path)?, b"\x7fELF"))
        }
        "scratch" => use_folder(&env::temp_dir()),
        "spoil-scratch" => spoil(&env::temp_dir()),
        "find-scratch-empty" => find_empty(&env::temp_dir()),
        "child" => in_child(|| true),
        "command" => Command::new("sh").args(["-c", "exit 0"]).status().map(drop),
        "child-killed" => kill_child(),
        "threads" => use_threads(),
        "pipe" => pipe(),
        "pair" => UnixStream::pair().and_then(talk),
        "random" => told(unsafe { getrandom([0_u8; 8].as_mut_ptr(), 8, 0) } as i64).map(drop),
        "memory" => memory(),
        "own-priority" => told(unsafe { setpriority(0, 0, 19) }).map(drop),
        "own-limits" => own_limits(),
        "own-affinity" => told(unsafe { sched_setaffinity(0, 8, &u64::MAX) }).map(drop),
        "memory-file" => told(unsafe { memfd_create(c"own".as_ptr(), 0) }).map(drop),
        _ => return None,
    })
}

fn must(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::other(what.to_owned())) }
}

fn starts_with(mut file: impl Read, expected: &[u8]) -> Result<()> {
    let mut beginning = vec![0; expected.len()];
    file.read_exact(&mut beginning)?;
    must(beginning == expected, "something else is in it")
}

/// All that one may do in a folder of one's own.
fn use_folder(folder: &Path) -> Result<()> {
    let (inner, file) = (folder.join("inner"), folder.join("file"));
    fs::create_dir(&inner)?;
    fs::write(&file, "text")?;
    OpenOptions::new().append(true).open(&file)?.write_all(b" and more")?;
    let moved = inner.join("moved");
    fs::rename(&file, &moved)?;
    fs::hard_link(&moved, folder.join("again"))?;
    symlink(&moved, folder.join("link"))?;
    must(fs::read(folder.join("link"))? == b"text and more", "something else was read")?;
    let opened = OpenOptions::new().read(true).write(true).open(&moved)?;
    let place = unsafe { mmap(null_mut(), 4096, READ_WRITE, SHARED, opened.as_raw_fd(), 0) };
    told(place as i64)?;
    unsafe { place.write(b'T') };
    must(fs::read(&moved)? == b"Text and more", "what was written to memory is not there")?;
    opened.set_len(1)?;
    fs::remove_dir_all(&inner)
}

/// Leaves what is hard to remove.
fn spoil(folder: &Path) -> Result<()> {
    must(fs::read_dir(folder)?.next().is_none(), "it is not empty")?;
    fs::write(folder.join("file"), "text")?;
    fs::create_dir_all(folder.join("a/b/c"))?;
    symlink("/", folder.join("link"))?;
    unsafe { umask(0o777) };
    fs::create_dir(folder.join("locked"))?;
    fs::write(folder.join("secret"), "text")
}

fn find_empty(folder: &Path) -> Result<()> {
    let left: Vec<_> = fs::read_dir(folder)?.flatten().collect();
    must(left.is_empty(), &format!("left: {left:?}"))
}

fn kill_child() -> Result<()> {
    let mut child = Command::new("sleep").arg("600").spawn()?;
    child.kill()?;
    child.wait().map(drop)
}

fn use_threads() -> Result<()> {
    let threads: Vec<_> = (0..8).map(|number| thread::spawn(move || number)).collect();
    let sum: usize = threads.into_iter().filter_map(|thread| thread.join().ok()).sum();
    must(sum == 28, "a thread is missing")
}

fn pipe() -> Result<()> {
    let output = Command::new("echo").arg("word").output()?;
    must(output.stdout == b"word\n", "something else came")
}

fn talk((mut one, mut other): (UnixStream, UnixStream)) -> Result<()> {
    one.write_all(b"word")?;
    drop(one);
    starts_with(&mut other, b"word")
}

fn memory() -> Result<()> {
    let place = unsafe { mmap(null_mut(), 1 << 20, READ_WRITE, SHARED | ANONYMOUS, -1, 0) };
    told(place as i64)?;
    in_child(|| {
        unsafe { place.write(7) };
        true
    })?;
    must(unsafe { place.read() } == 7, "it is not shared")
}

fn own_limits() -> Result<()> {
    let mut limits = [0_u64; 2];
    told(unsafe { getrlimit(FILES, limits.as_mut_ptr()) })?;
    told(unsafe { setrlimit(FILES, limits.as_ptr()) }).map(drop)
}

const READ_WRITE: i32 = 3;
const SHARED: i32 = 1;
const ANONYMOUS: i32 = 0x20;
const FILES: i32 = 7;

extern "C" {
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32, from: i64)
    -> *mut u8;
    fn getrandom(bytes: *mut u8, n: usize, flags: u32) -> isize;
    fn memfd_create(name: *const std::ffi::c_char, flags: u32) -> i32;
    fn setpriority(which: i32, who: i32, priority: i32) -> i32;
    fn sched_setaffinity(pid: i32, size: usize, processors: *const u64) -> i32;
    fn getrlimit(which: i32, limits: *mut u64) -> i32;
    fn setrlimit(which: i32, limits: *const u64) -> i32;
    fn umask(mode: u32) -> u32;
}
