//! The judge as its users meet it: whole processes on whole workspaces.
//!
//! Most tests judge commands of a Unix shell.

#[cfg(unix)]
mod command_line;
#[cfg(target_os = "linux")]
mod company;
#[cfg(unix)]
mod comparison;
#[cfg(target_os = "linux")]
mod endings;
#[cfg(unix)]
mod fixture;
#[cfg(target_os = "linux")]
mod isolation;
#[cfg(unix)]
mod junit;
#[cfg(unix)]
mod reports;
mod repository;
#[cfg(unix)]
mod shares;
mod solutions;
#[cfg(target_os = "linux")]
mod survival;
#[cfg(unix)]
mod verdicts;
