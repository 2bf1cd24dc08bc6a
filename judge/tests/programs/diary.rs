//! Uses so much of the processor as its input says, and keeps a diary.
//!
//! The input is a name, milliseconds, how many must have begun before it goes on, and the diary.

use std::fs::{self, OpenOptions};
use std::hint::black_box;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

/// Who must begin, too, may not be running any more, or not yet.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() {
    let input = std::io::read_to_string(std::io::stdin()).unwrap();
    let words: Vec<&str> = input.split_whitespace().collect();
    let [name, milliseconds, n_beginners, diary] = words[..] else { panic!("not four words") };
    let write = |what: &str| {
        let mut file = OpenOptions::new().create(true).append(true).open(diary).unwrap();
        file.write_all(format!("{name} {what}\n").as_bytes()).unwrap();
    };
    write("begins");
    let n_begun = || fs::read_to_string(diary).unwrap().matches("begins").count();
    let n_beginners = n_beginners.parse().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while n_begun() < n_beginners && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    let milliseconds = milliseconds.parse().unwrap();
    while processor_ms() < milliseconds {
        (0..1000).for_each(|i| drop(black_box(i)));
    }
    write("ends");
    println!("done");
}

fn processor_ms() -> i64 {
    let mut time = [0_i64; 2];
    assert_eq!(unsafe { clock_gettime(2, time.as_mut_ptr()) }, 0);
    time[0] * 1000 + time[1] / 1_000_000
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut i64) -> i32;
}
