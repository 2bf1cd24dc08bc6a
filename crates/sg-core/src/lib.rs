#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod brute;
pub mod coins;
pub mod contest;
pub mod dag;
pub mod game;
pub mod heap;
pub mod mex;
pub mod nimber;
pub mod staircase;

pub use nimber::Nimber;
