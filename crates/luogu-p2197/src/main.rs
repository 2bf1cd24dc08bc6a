#![doc = include_str!("../README.md")]

#[cfg(test)]
#[path = "bin/luogu-p2197-lab/brute.rs"]
mod brute;
mod solve;

use std::process::ExitCode;

fn main() -> ExitCode {
    sg_core::contest::run(solve::answer)
}
