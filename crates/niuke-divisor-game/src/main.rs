#![doc = include_str!("../README.md")]

#[cfg(test)]
#[path = "bin/niuke-divisor-game-lab/brute.rs"]
mod brute;
mod divisors;
mod solve;

use std::process::ExitCode;

fn main() -> ExitCode {
    sg_core::contest::run(solve::answer)
}
