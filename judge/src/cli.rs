//! What was typed, and what it means.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::report::Again;
use crate::select::Partition;
use crate::terminal::shell_quoted;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// The cargo profile that solutions are built with.
pub(crate) const DEFAULT_PROFILE: &str = "contest";

/// Verifies every solution against every case of its problem.
///
/// `judge [FILTER]...` is short for `judge run [FILTER]...`; `judge run --help` has its options.
#[derive(Debug, Parser)]
#[command(name = "judge", version, after_help = EXIT_CODES, args_override_self = true)]
#[command(override_usage = "judge [run] [OPTIONS] [FILTER]...\n       judge list [OPTIONS]")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str = "\
Exit codes: 0 all is accepted; 1 something was judged and is not, or lacks its partner;
2 the judge could not do its work; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the solutions, run them on their cases, and say what is wrong
    #[command(after_help = EXIT_CODES, args_override_self = true)]
    Run(RunArguments),
    /// Show the problems and how many cases each has
    List,
    /// Wait for the end of a judge, and end what it has left: the judge calls this itself
    #[command(hide = true, name = GUARD)]
    Guard(GuardArguments),
}

/// The command by which a judge starts its guard.
pub(crate) const GUARD: &str = "guard-a-judge";

#[derive(Debug, Args)]
pub(crate) struct GuardArguments {
    /// The folder of the judge's runs
    pub(crate) folder: PathBuf,
    /// The number of the judge's process
    pub(crate) judge: u32,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The folder that holds problems/ and crates/ [default: the one around the current folder]
    #[arg(long, global = true, display_order = 101, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// When to use colors; `auto` asks the terminal and the environment
    #[arg(
        long,
        global = true,
        display_order = 102,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub(crate) color: Color,
    /// Show each case, and every failure in full
    #[arg(
        short,
        long,
        global = true,
        display_order = 103,
        conflicts_with = "quiet"
    )]
    pub(crate) verbose: bool,
    /// Show only what is not accepted, and the last line
    #[arg(short, long, global = true, display_order = 104)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Only what contains FILTER in `<id>` or `<id>/<case>` [default: everything]
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// FILTER is a whole `<id>` or `<id>/<case>`
    #[arg(long)]
    pub(crate) exact: bool,
    /// Judge this command instead of the crate's binary; it is split as a shell splits words
    #[arg(long, value_name = "COMMAND", value_parser = split_command)]
    pub(crate) exec: Option<CommandLine>,
    /// Runs at a time [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// CPU time for each run; on the clock it has three times that plus a second [default: the
    /// problem's, else 1]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time_limit: Option<Duration>,
    /// Peak of resident memory of each run [default: the problem's, else 256]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memory_limit: Option<u32>,
    /// Output of each run [default: 64 KiB plus twice the expected size]
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) output_limit: Option<u32>,
    /// Do not isolate the programs: they can read and write what you can
    #[arg(long)]
    pub(crate) no_sandbox: bool,
    /// Stop at the first case that is not AC
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Cargo profile of the solutions
    #[arg(long, value_name = "NAME", default_value = DEFAULT_PROFILE)]
    pub(crate) profile: String,
    /// Only the K-th of N equal shares of the cases, for several machines
    #[arg(long, value_name = "K/N")]
    pub(crate) partition: Option<Partition>,
    /// Only what is not known to be accepted from the last time, by the same --exec if there is one
    #[arg(short = 'R', long)]
    pub(crate) rerun: bool,
    /// Write the report as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) message_format: MessageFormat,
}

impl RunArguments {
    /// The command that judges as this one does: with all options that bear on a verdict.
    pub(crate) fn again(&self, common: &Common, own_command: &str) -> Again {
        let profile = Some(&self.profile).filter(|profile| *profile != DEFAULT_PROFILE);
        let options = [
            (
                "--root",
                common.root.as_ref().map(|root| root.display().to_string()),
            ),
            (
                "--exec",
                self.exec.as_ref().map(|command| command.text.clone()),
            ),
            (
                "--time-limit",
                self.time_limit.map(|limit| limit.as_secs_f64().to_string()),
            ),
            (
                "--memory-limit",
                self.memory_limit.map(|limit| limit.to_string()),
            ),
            (
                "--output-limit",
                self.output_limit.map(|limit| limit.to_string()),
            ),
            ("--profile", profile.cloned()),
        ];
        let mut command = own_command.to_owned();
        if self.no_sandbox {
            command.push_str(" --no-sandbox");
        }
        for (name, value) in options {
            if let Some(value) = value {
                command.push_str(&format!(" {name} {}", shell_quoted(&value)));
            }
        }
        Again {
            command,
            commands: command_names(),
        }
    }
}

/// A command as it was typed, and its words: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) text: String,
    pub(crate) words: Vec<OsString>,
}

fn split_command(text: &str) -> Result<CommandLine, String> {
    let words = shlex::split(text).ok_or("a quote or a backslash in it has no end")?;
    if words.first().is_none_or(String::is_empty) {
        return Err("it names no program".to_owned());
    }
    let words = words.into_iter().map(OsString::from).collect();
    Ok(CommandLine {
        text: text.to_owned(),
        words,
    })
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    // A bound that no run reaches, and that leaves room to calculate with.
    const MOST: f64 = 1e6;
    let seconds: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if !(0.001..=MOST).contains(&seconds) {
        return Err(format!("it is not in 0.001..={MOST}"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Reads a command line, its first word being the name of the program.
///
/// # Errors
///
/// If it has a fault, or asks for help; the error can be printed and has an exit code.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_about_all = |word: &OsString| {
        ["-h", "--help", "-V", "--version"]
            .into_iter()
            .any(|option| word == option)
    };
    if arguments.get(1).is_some_and(is_about_all) {
        return Cli::try_parse_from(arguments);
    }
    let command = match position_of_first_word(&arguments) {
        Some(position) if is_command(&arguments[position]) => arguments.remove(position),
        _ => OsString::from("run"),
    };
    arguments.insert(1.min(arguments.len()), command);
    Cli::try_parse_from(arguments)
}

/// Where the first word stands that is neither an option nor the value of one, such as `list` in
/// `judge --root there list`.
fn position_of_first_word(arguments: &[OsString]) -> Option<usize> {
    let command = Cli::command();
    let run = command.find_subcommand("run")?;
    let options: Vec<_> = command.get_arguments().chain(run.get_arguments()).collect();
    let has_separate_value = |word: &str| {
        options
            .iter()
            .filter(|option| option.get_action().takes_values())
            .any(|option| {
                let is_long = option
                    .get_long()
                    .is_some_and(|long| word == format!("--{long}"));
                is_long
                    || option
                        .get_short()
                        .is_some_and(|short| word == format!("-{short}"))
            })
    };
    let mut position = 1;
    loop {
        let word = arguments.get(position)?.to_string_lossy();
        if word == "--" {
            return None;
        } else if !word.starts_with('-') {
            return Some(position);
        }
        position += if has_separate_value(&word) { 2 } else { 1 };
    }
}

fn is_command(word: &OsString) -> bool {
    command_names().iter().any(|name| word == name.as_str())
}

/// All words that are commands.
fn command_names() -> Vec<String> {
    let command = Cli::command();
    let names = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    names.chain(["help".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use clap::CommandFactory;

    use super::{Cli, Command, RunArguments, parse, parse_seconds, split_command};

    fn parse_line(line: &str) -> Result<Cli, clap::Error> {
        parse(
            line.split(' ')
                .filter(|word| !word.is_empty())
                .map(OsString::from),
        )
    }

    fn run_arguments(line: &str) -> RunArguments {
        match parse_line(line).unwrap().command {
            Command::Run(arguments) => arguments,
            _ => panic!("{line} is a run"),
        }
    }

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_goes_without_saying() {
        for line in [
            "judge nim -j 2",
            "judge run nim -j 2",
            "judge -j 2 nim",
            "judge -j 2 run nim",
            "judge -j2 -- nim",
        ] {
            let arguments = run_arguments(line);
            assert_eq!(arguments.filters, ["nim"], "{line}");
            assert_eq!(arguments.jobs.unwrap().get(), 2, "{line}");
        }
        assert_eq!(run_arguments("judge -j 3 nim -j 2").jobs.unwrap().get(), 2);
        assert!(run_arguments("judge").filters.is_empty());
        assert_eq!(run_arguments("judge nim list").filters, ["nim", "list"]);
        assert_eq!(run_arguments("judge run list").filters, ["list"]);
        assert_eq!(run_arguments("judge -j 2 -- list").filters, ["list"]);
        assert_eq!(
            run_arguments("judge --exact nim list").filters,
            ["nim", "list"]
        );
    }

    #[test]
    fn options_may_stand_before_the_command() {
        for line in [
            "judge list",
            "judge list --root x",
            "judge --root x list",
            "judge -v list",
        ] {
            assert!(
                matches!(parse_line(line).unwrap().command, Command::List),
                "{line}"
            );
        }
        assert!(parse_line("judge -j 2 list").is_err());
    }

    #[test]
    fn help_and_faults_have_their_exit_codes() {
        assert_eq!(parse_line("judge --help").unwrap_err().exit_code(), 0);
        assert_eq!(parse_line("judge -V").unwrap_err().exit_code(), 0);
        assert_eq!(parse_line("judge run -h").unwrap_err().exit_code(), 0);
        for line in [
            "judge --nonsense",
            "judge -j 0",
            "judge -j x",
            "judge --time-limit 0",
            "judge --memory-limit 0",
            "judge --output-limit 0",
            "judge --message-format xml",
            "judge --partition 0/2",
            "judge --partition 3/2",
            "judge --partition 1",
            "judge --partition 1/0",
            "judge --partition -1/2",
            "judge --partition 1/99999999999999999999",
            "judge -v -q",
        ] {
            assert_eq!(parse_line(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn seconds_may_have_a_fraction_but_not_be_endless() {
        assert_eq!(parse_seconds("2.9"), Ok(Duration::from_millis(2900)));
        for text in ["0", "-1", "nan", "inf", "1e99", "1s", ""] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn commands_are_split_as_a_shell_splits() {
        let words = |text| split_command(text).map(|command| command.words);
        assert_eq!(
            words("python3 'a b.py' -O"),
            Ok(["python3", "a b.py", "-O"].map(OsString::from).to_vec())
        );
        for text in ["", "  ", "'a", "a\\", "'' x"] {
            assert!(words(text).is_err(), "{text:?}");
        }
    }
}
