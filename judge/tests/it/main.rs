//! The judge as its users meet it: whole processes on whole workspaces.

mod command_line;
mod endings;
mod fixture;
mod reports;
mod repository;
mod solutions;
mod verdicts;
