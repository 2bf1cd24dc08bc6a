//! Commits the fault that the first word of its input names.
//!
//! The right answer is so many lines `3` as the second word says, 1 if there is none. What would
//! harm the machine under a judge that does not stop it has a brake of its own.

use std::hint::{black_box, spin_loop};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// As long as anything here sleeps.
const FOR_EVER: Duration = Duration::from_secs(600);

/// The brake of a bomb: it ends after so long, and starts no more than so many.
const FUSE: Duration = Duration::from_secs(5);
const LARGEST_BOMB: usize = 2000;
/// Twice as many as the generation before are in each; all together are no more than the largest.
const LAST_GENERATION: u32 = 10;

pub fn main() {
    if let [_, generation, end] = &std::env::args().collect::<Vec<_>>()[..] {
        let number = "a number";
        return hide_and_multiply(generation.parse().expect(number), end.parse().expect(number));
    }
    let (fault, n_lines) = first_words();
    let words: Vec<&str> = fault.split('-').collect();
    let milliseconds = || words[2].parse().expect("a number of milliseconds");
    match words[..] {
        ["writes", ..] => answer_before_reading(n_lines),
        ["time", "ms", _] => burn(milliseconds()),
        ["threads", "ms", _] => burn_in_two_threads(milliseconds()),
        ["child", "ms", _] => wait_for(child(|| burn(milliseconds()))),
        ["children", "ms", _] => {
            // Two that it waits for, and two that are without a parent when they end.
            for _ in 0..2 {
                wait_for(child(|| burn(milliseconds())));
                wait_for(child(|| drop(child(|| burn(milliseconds())))));
            }
            let time = Duration::from_millis(milliseconds() as u64);
            thread::sleep(8 * time);
        }
        ["children", "ignored"] => {
            unsafe { signal_action(SIGCHLD, SIG_IGN) };
            for _ in 0..4 {
                child(|| burn(90));
                // Until it has ended, since there is nobody to wait for then.
                unsafe { waitpid(-1, null_mut(), 0) };
            }
        }
        ["end", ..] => end(words[1]),
        ["stay", ..] => stay(words[1]),
        ["leave", ..] => leave(words[1]),
        ["memory", ..] => use_memory(words[1]),
        ["bomb", ..] => bomb(words[1]),
        ["answer", ..] => answer(words[1]),
        _ => panic!("unknown fault {fault}"),
    }
    if words[0] != "answer" && words[0] != "writes" {
        println!("3");
    }
}

/// The name of the fault and the number of lines, read without reading the lines behind.
fn first_words() -> (String, usize) {
    let mut line = Vec::new();
    let mut byte = [0];
    while unsafe { read(0, byte.as_mut_ptr(), 1) } == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).expect("a line of text");
    let mut words = line.split(' ');
    let fault = words.next().unwrap_or_default().to_owned();
    (fault, words.next().map_or(1, |word| word.parse().expect("a number of lines")))
}

fn answer_before_reading(n_lines: usize) {
    std::io::stdout().write_all(&b"3\n".repeat(n_lines)).expect("somebody reads");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("there is an input");
}

fn answer(how: &str) {
    match how {
        "right" => println!("3"),
        "wrong" => println!("4"),
        "nothing" => {}
        "endless" => loop {
            println!("3");
        },
        "bytewise" => {
            for _ in 0..10_000 {
                let written = unsafe { (write(1, b"3".as_ptr(), 1), write(1, b"\n".as_ptr(), 1)) };
                assert_eq!(written, (1, 1));
            }
        }
        "noisy" => {
            std::io::stderr().write_all(&b"hint\n".repeat(600_000)).expect("somebody reads");
            println!("3");
        }
        "overflowing" => {
            // Right only if it goes unnoticed.
            println!("{}", black_box(254_u8) + black_box(5));
        }
        "retiring" => {
            println!("3");
            unsafe { (close(1), close(2)) };
            thread::sleep(Duration::from_millis(50));
        }
        _ => panic!("unknown answer {how}"),
    }
}

/// Says the right thing, and fails.
fn end(how: &str) {
    println!("3");
    match how {
        "panic" => panic!("on purpose"),
        "abort" => std::process::abort(),
        "code" => std::process::exit(3),
        "segv" => unsafe { null_mut::<u8>().write_volatile(1) },
        "group" => drop(unsafe { kill(0, SIGKILL) }),
        _ => panic!("unknown end {how}"),
    }
}

/// Never comes to an end, at least not soon.
fn stay(how: &str) {
    match how {
        "asleep" => sleep(),
        "stopped" => unsafe {
            (close(1), close(2));
            kill(std::process::id() as i32, SIGSTOP);
        },
        "deaf" => {
            for signal in 1..32 {
                unsafe { signal_action(signal, SIG_IGN) };
            }
            spin();
        }
        "family" => {
            child(|| {
                child(|| spin());
                sleep();
            });
            sleep();
        }
        "emigrant" => {
            // In the group of its child, it is not in that which the judge made for it.
            let other = child(|| sleep());
            unsafe { (setpgid(other, other), setpgid(0, other)) };
            spin();
        }
        _ => panic!("unknown stay {how}"),
    }
}

/// Leaves something behind.
fn leave(what: &str) {
    match what {
        "child" => drop(child(|| sleep())),
        "chatterbox" => drop(child(|| loop {
            unsafe { write(2, b"hint\n".as_ptr(), 5) };
        })),
        "grandchild" => wait_for(child(|| {
            child(|| sleep());
        })),
        "session" => wait_for(child(|| {
            child(|| {
                unsafe { setsid() };
                sleep();
            });
        })),
        "mayflies" => {
            let last = map(4096, PROT_READ_WRITE, MAP_SHARED | MAP_ANONYMOUS).cast::<AtomicI32>();
            // Zeros are a valid number, and it is never unmapped.
            let last: &'static AtomicI32 = unsafe { &*last };
            for _ in 0..1000 {
                wait_for(child(|| last.store(child(|| {}), Ordering::SeqCst)));
            }
            // Until it is dead and buried.
            while unsafe { kill(last.load(Ordering::SeqCst), 0) } == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        "dead" => {
            let child = child(|| {});
            let options = WEXITED | WNOWAIT;
            assert_eq!(unsafe { waitid(P_PID, child, null_mut(), options) }, 0);
        }
        _ => panic!("unknown leaving {what}"),
    }
}

fn use_memory(how: &str) {
    match how {
        "touched" => {
            touch(300);
            sleep();
        }
        "small" => {
            touch(20);
            sleep();
        }
        "child" => wait_for(child(|| {
            touch(300);
            sleep();
        })),
        "creeping" => loop {
            touch(8);
            thread::sleep(Duration::from_millis(5));
        },
        "reserved" => {
            map(10 << 30, PROT_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
        }
        "stack" => assert_eq!(recurse(100), 100),
        _ => panic!("unknown memory {how}"),
    }
}

/// Takes a MiB of the stack for each level.
fn recurse(n_levels: usize) -> usize {
    let frame = black_box([1_u8; 1 << 20]);
    if n_levels == 0 {
        return 0;
    }
    recurse(n_levels - 1) + usize::from(frame[n_levels])
}

fn touch(n_mib: usize) {
    black_box(vec![1_u8; n_mib << 20].leak());
}

/// Starts more and more, until it is stopped or the fuse has burnt down.
fn bomb(kind: &str) {
    let count = map(4096, PROT_READ_WRITE, MAP_SHARED | MAP_ANONYMOUS).cast::<AtomicUsize>();
    // Zeros are a valid counter, and it is never unmapped.
    let count: &'static AtomicUsize = unsafe { &*count };
    let begin = Instant::now();
    let may_go_on =
        move || begin.elapsed() < FUSE && count.fetch_add(1, Ordering::SeqCst) < LARGEST_BOMB;
    let wait = move || thread::sleep(FUSE.saturating_sub(begin.elapsed()));
    match kind {
        "thread" => {
            while may_go_on() && thread::Builder::new().stack_size(64 << 10).spawn(wait).is_ok() {}
        }
        "fork" | "session" => {
            while may_go_on() {
                if unsafe { fork() } == 0 && kind == "session" {
                    unsafe { setsid() };
                }
            }
        }
        // Two children each, and then it ends itself: no parent stays to be found by.
        "orphan" => drop(child(move || multiply(&may_go_on, &wait))),
        "hidden" => {
            let end = SystemTime::now() + FUSE;
            let end = end.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
            child(|| hide_and_multiply(1, end.as_secs()));
        }
        _ => panic!("unknown bomb {kind}"),
    }
    wait();
}

fn multiply(may_go_on: &dyn Fn() -> bool, wait: &dyn Fn()) {
    for _ in 0..2 {
        if !may_go_on() {
            return wait();
        }
        child(|| multiply(may_go_on, wait));
    }
}

/// The same, and every one of them leaves its session, its environment and its own program behind.
fn hide_and_multiply(generation: u32, end: u64) {
    let time_left = || {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        Duration::from_secs(end).saturating_sub(now)
    };
    if generation == LAST_GENERATION {
        return thread::sleep(time_left());
    }
    for _ in 0..2 {
        if !time_left().is_zero() && unsafe { fork() } == 0 {
            unsafe { setsid() };
            let arguments = [(generation + 1).to_string(), end.to_string()];
            Command::new("/proc/self/exe").args(arguments).env_clear().exec();
            unsafe { _exit(1) };
        }
    }
}

fn sleep() {
    thread::sleep(FOR_EVER);
}

fn spin() {
    loop {
        spin_loop();
    }
}

/// Uses so much of the processor, by the clock of this process alone.
fn burn(milliseconds: i64) {
    while processor_ms() < milliseconds {
        for i in 0..1000 {
            black_box(i);
        }
    }
}

fn burn_in_two_threads(milliseconds: i64) {
    thread::scope(|scope| {
        for _ in 0..2 {
            // The clock is that of both together.
            scope.spawn(|| burn(2 * milliseconds));
        }
    });
}

fn processor_ms() -> i64 {
    let mut time = [0_i64; 2];
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, time.as_mut_ptr()) }, 0);
    time[0] * 1000 + time[1] / 1_000_000
}

/// A child that does this and ends.
fn child(work: impl FnOnce()) -> i32 {
    let pid = unsafe { fork() };
    assert!(pid >= 0, "cannot fork");
    if pid == 0 {
        work();
        unsafe { _exit(0) };
    }
    pid
}

fn wait_for(pid: i32) {
    assert_eq!(unsafe { waitpid(pid, null_mut(), 0) }, pid);
}

fn map(size: usize, protection: i32, flags: i32) -> *mut u8 {
    let place = unsafe { mmap(null_mut(), size, protection, flags, -1, 0) };
    assert_ne!(place as isize, -1, "no memory");
    place
}

const P_PID: i32 = 1;
const WEXITED: i32 = 4;
const WNOWAIT: i32 = 0x0100_0000;
const SIGKILL: i32 = 9;
const SIGCHLD: i32 = 17;
const SIGSTOP: i32 = 19;
const SIG_IGN: usize = 1;
const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
const PROT_READ_WRITE: i32 = 3;
const MAP_SHARED: i32 = 1;
const MAP_PRIVATE: i32 = 2;
const MAP_ANONYMOUS: i32 = 0x20;
const MAP_NORESERVE: i32 = 0x4000;

extern "C" {
    fn read(file: i32, bytes: *mut u8, n: usize) -> isize;
    fn write(file: i32, bytes: *const u8, n: usize) -> isize;
    fn close(file: i32) -> i32;
    fn fork() -> i32;
    fn _exit(code: i32) -> !;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn waitid(kind: i32, id: i32, information: *mut u8, options: i32) -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn setsid() -> i32;
    fn setpgid(pid: i32, group: i32) -> i32;
    #[link_name = "signal"]
    fn signal_action(signal: i32, action: usize) -> usize;
    fn clock_gettime(clock: i32, time: *mut i64) -> i32;
    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32, from: i64)
        -> *mut u8;
}
