//! Builds every solution, runs it on every case of its problem, and says what is wrong.
//!
//! Arguments in, exit code out. What happens in between stands in `run`, step by step.

mod checker;
mod cli;
mod compare;
mod compile;
mod court;
mod discover;
mod error;
mod examine;
mod execute;
mod interrupt;
mod name;
mod record;
mod replace;
mod report;
mod run;
mod schedule;
mod select;
mod selection;
mod terminal;
mod verdict;

use std::env;
use std::error::Error as _;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use cli::{Cli, Command};
use error::Error;
use report::Exit;

fn main() -> ExitCode {
    let cli = match cli::parse(env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to standard output; if that is closed, nobody wanted it.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Unable.code()));
        }
    };
    let exit = dispatch(&cli).unwrap_or_else(|error| {
        tell(&error);
        Exit::Unable
    });
    ExitCode::from(exit.code())
}

fn dispatch(cli: &Cli) -> Result<Exit, Error> {
    match &cli.command {
        Command::Run(arguments) => run::run(&cli.common, arguments),
        Command::List => run::list(&cli.common),
        Command::Guard(arguments) => execute::keep_guard(&arguments.folder, arguments.judge)
            .map(|()| Exit::AllAccepted)
            .map_err(|source| Error::SetUp { source }),
    }
}

/// One line for an error and its causes. A reader that went away is told nothing.
fn tell(error: &Error) {
    if matches!(error, Error::Report { source } if source.kind() == ErrorKind::BrokenPipe) {
        return;
    }
    let mut line = format!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(&format!(": {error}"));
        cause = error.source();
    }
    // What was typed is part of it, and may hold anything.
    let _ = writeln!(io::stderr(), "{}", report::visible(line.as_bytes()));
}
