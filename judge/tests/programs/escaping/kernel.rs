//! Attempts to get at what the kernel keeps, and to call it by side doors.

use std::ffi::{CStr, c_char};
use std::fs::OpenOptions;
use std::io::Result;
use std::os::fd::AsRawFd;
use std::ptr::{null, null_mut};

use crate::{in_child, told};

pub fn attempt(words: &[&str]) -> Option<Result<()>> {
    let [name, rest @ ..] = words else { return None };
    let number = || rest[0].parse::<i32>().expect("a number");
    Some(match *name {
        "ring" => told(call(IO_URING_SETUP, [1, [0_u64; 15].as_mut_ptr() as i64])).map(drop),
        "add-key" => add_key(),
        "keyring" => told(call(KEYCTL, [KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING])).map(drop),
        "shared-file" => shared_file(),
        "make-memory" => told(unsafe { shmget(0, 4096, 0o600) }).map(drop),
        "attach-memory" => told(unsafe { shmat(number(), null(), 0) } as i64).map(drop),
        "remove-memory" => told(unsafe { shmctl(number(), IPC_RMID, null_mut()) }).map(drop),
        "make-semaphore" => told(unsafe { semget(0, 1, 0o600) }).map(drop),
        // Up by one.
        "raise-semaphore" => told(unsafe { semop(number(), [0_i16, 1, 0].as_ptr(), 1) }).map(drop),
        "remove-semaphore" => told(unsafe { semctl(number(), 0, IPC_RMID) }).map(drop),
        "make-queue" => told(unsafe { msgget(0, 0o600) }).map(drop),
        "send-to-queue" => told(unsafe { msgsnd(number(), [1_u64, 0].as_ptr(), 1, 0) }).map(drop),
        "take-from-queue" => {
            let place = [0_u64; 2].as_mut_ptr();
            told(unsafe { msgrcv(number(), place, 8, 0, IPC_NOWAIT) } as i64).map(drop)
        }
        "remove-queue" => told(unsafe { msgctl(number(), IPC_RMID, null_mut()) }).map(drop),
        "named-queue" => named_queue(),
        "mount" => mount_over(rest[0]),
        "type-for-user" => type_for_user(),
        "other-numbers" => in_child(by_other_number),
        "old-door" => in_child(by_old_door),
        _ => return None,
    })
}

fn add_key() -> Result<()> {
    let (kind, name) = (c"user".as_ptr() as i64, c"escape".as_ptr() as i64);
    let value = c"x".as_ptr() as i64;
    let key = unsafe { syscall(ADD_KEY, kind, name, value, 1, KEY_SPEC_PROCESS_KEYRING) };
    told(key).map(drop)
}

const NAME: &CStr = c"/escape-of-a-judged-program";

fn shared_file() -> Result<()> {
    told(unsafe { shm_open(NAME.as_ptr(), O_CREAT_RDWR, 0o600) })?;
    told(unsafe { shm_unlink(NAME.as_ptr()) }).map(drop)
}

fn named_queue() -> Result<()> {
    told(unsafe { mq_open(NAME.as_ptr(), O_CREAT_RDWR, 0o600, null()) })?;
    told(unsafe { mq_unlink(NAME.as_ptr()) }).map(drop)
}

/// Only over what is the program's own, and not for long.
fn mount_over(folder: &str) -> Result<()> {
    let folder = std::ffi::CString::new(folder)?;
    let (kind, place) = (c"tmpfs".as_ptr(), folder.as_ptr());
    told(unsafe { mount(kind, place, kind, 0, null()) })?;
    told(unsafe { umount(place) }).map(drop)
}

/// Puts a blank among what the user types.
fn type_for_user() -> Result<()> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    told(unsafe { ioctl(terminal.as_raw_fd(), TIOCSTI, c" ".as_ptr() as usize) }).map(drop)
}

/// Some kernels know every call by a second number. If it does not end this process, nothing else
/// may look at it.
#[cfg(target_arch = "x86_64")]
fn by_other_number() -> bool {
    call(0x4000_0000 | 39, [0; 2]) > 0
}

/// As programs of 32 bits call the kernel.
#[cfg(target_arch = "x86_64")]
fn by_old_door() -> bool {
    let mut number = 20_i64;
    unsafe {
        std::arch::asm!(
            "int 0x80",
            inout("rax") number,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    number > 0
}

#[cfg(not(target_arch = "x86_64"))]
fn by_other_number() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn by_old_door() -> bool {
    false
}

fn call(number: i64, [first, second]: [i64; 2]) -> i64 {
    unsafe { syscall(number, first, second, 0, 0, 0) }
}

const IO_URING_SETUP: i64 = 425;
const ADD_KEY: i64 = if cfg!(target_arch = "x86_64") { 248 } else { 217 };
const KEYCTL: i64 = if cfg!(target_arch = "x86_64") { 250 } else { 219 };
const KEYCTL_GET_KEYRING_ID: i64 = 0;
const KEY_SPEC_PROCESS_KEYRING: i64 = -2;
const KEY_SPEC_USER_KEYRING: i64 = -4;
const O_CREAT_RDWR: i32 = 0o102;
const IPC_RMID: i32 = 0;
const IPC_NOWAIT: i32 = 0o4000;
const TIOCSTI: u64 = 0x5412;

extern "C" {
    fn syscall(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64) -> i64;
    fn shm_open(name: *const c_char, flags: i32, mode: u32) -> i32;
    fn shm_unlink(name: *const c_char) -> i32;
    fn mq_open(name: *const c_char, flags: i32, mode: u32, attributes: *const u8) -> i32;
    fn mq_unlink(name: *const c_char) -> i32;
    fn shmget(key: i32, size: usize, flags: i32) -> i32;
    fn shmat(id: i32, place: *const u8, flags: i32) -> isize;
    fn shmctl(id: i32, command: i32, buffer: *mut u8) -> i32;
    fn semget(key: i32, n: i32, flags: i32) -> i32;
    fn semop(id: i32, operations: *const i16, n: usize) -> i32;
    fn semctl(id: i32, which: i32, command: i32, ...) -> i32;
    fn msgget(key: i32, flags: i32) -> i32;
    fn msgsnd(id: i32, message: *const u64, size: usize, flags: i32) -> i32;
    fn msgrcv(id: i32, message: *mut u64, size: usize, kind: i64, flags: i32) -> isize;
    fn msgctl(id: i32, command: i32, buffer: *mut u8) -> i32;
    fn mount(
        from: *const c_char,
        to: *const c_char,
        kind: *const c_char,
        flags: u64,
        data: *const u8,
    ) -> i32;
    fn umount(place: *const c_char) -> i32;
    fn ioctl(file: i32, command: u64, argument: usize) -> i32;
}
