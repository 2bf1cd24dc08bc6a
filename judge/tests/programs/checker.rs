// A checker that does what the input says; of anything else, whether output and answer are equal.

use std::fs;
use std::process::{abort, exit, Command};
use std::time::{Duration, Instant};

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    assert_eq!(paths.len(), 3);
    let [input, output, answer] = [0, 1, 2].map(|index| fs::read(&paths[index]).unwrap());
    let (order, rest) = split(&input);
    match order {
        b"exit" => {
            let (code, message) = split(rest);
            say(message);
            exit(String::from_utf8_lossy(code).trim().parse().unwrap());
        }
        b"panic" => panic!("on order"),
        b"abort" => abort(),
        b"flood" => loop {
            println!("more and more");
        },
        b"shout" => {
            say(&vec![b'a'; 1 << 20]);
            exit(1);
        }
        b"whisper" => {
            println!("{}", String::from_utf8_lossy(rest));
            exit(1);
        }
        b"work" => {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(300) {}
        }
        b"leave" => drop(sleep(rest).spawn().unwrap()),
        b"wait" => drop(sleep(rest).status().unwrap()),
        _ => exit(i32::from(output != answer)),
    }
}

/// The first word, and what follows the blank after it.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let place = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
    (&text[..place], &text[(place + 1).min(text.len())..])
}

fn say(message: &[u8]) {
    use std::io::Write;
    std::io::stderr().write_all(message).unwrap();
}

fn sleep(seconds: &[u8]) -> Command {
    let mut command = Command::new("sleep");
    command.arg(String::from_utf8_lossy(seconds).trim());
    command
}
