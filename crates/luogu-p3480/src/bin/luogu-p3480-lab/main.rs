//! What is only for trying the solution and its data: other ways to the same answers.

mod brute;
mod second;

use std::process::ExitCode;

fn main() -> ExitCode {
    sg_core::contest::run_one_of(&[("brute", brute::answer), ("second", second::answer)])
}
