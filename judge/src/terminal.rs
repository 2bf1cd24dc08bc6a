//! What the judge knows of the place it speaks to.

use std::borrow::Cow;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};

use crate::cli::Color;

/// Standard output, which drops colors where they are not wanted.
pub(crate) type Stdout = AutoStream<io::Stdout>;

/// How wide a line may be where nobody knows how wide the terminal is.
const USUAL_WIDTH: usize = 100;

pub(crate) fn stdout(color: Color) -> Stdout {
    AutoStream::new(io::stdout(), choice(color))
}

/// Standard error, which drops colors where they are not wanted.
pub(crate) fn stderr(color: Color) -> AutoStream<io::Stderr> {
    AutoStream::new(io::stderr(), choice(color))
}

pub(crate) fn wants_color(color: Color) -> bool {
    stdout(color).current_choice() != ColorChoice::Never
}

/// What was typed, else what the environment says: `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `CI`
/// and `TERM` are left to the stream, and `CARGO_TERM_COLOR` fills in where these are silent.
fn choice(color: Color) -> ColorChoice {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    match color {
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
        Color::Auto if is_set("NO_COLOR") || is_set("CLICOLOR_FORCE") => ColorChoice::Auto,
        Color::Auto => match env::var("CARGO_TERM_COLOR").as_deref() {
            Ok("always") => ColorChoice::Always,
            Ok("never") => ColorChoice::Never,
            _ => ColorChoice::Auto,
        },
    }
}

/// How many characters fit in a line.
pub(crate) fn width() -> usize {
    let terminal = console::Term::stdout().size_checked();
    terminal.map_or(USUAL_WIDTH, |(_, columns)| usize::from(columns))
}

/// The folder from which GitHub Actions names files, where that is who reads the output: the root
/// of a judge that it does not tell.
pub(crate) fn annotated_workspace(root: &Path) -> Option<PathBuf> {
    let is_there = env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let workspace = || env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    is_there.then(|| workspace().unwrap_or_else(|| root.to_owned()))
}

/// How this judge was called, as one would type it.
pub(crate) fn own_command() -> String {
    if env::var_os("CARGO").is_some() {
        return "cargo run -p judge --".to_owned();
    }
    let name = env::args_os().next().unwrap_or_else(|| "judge".into());
    shell_quoted(&name.to_string_lossy())
}

/// A word as one would type it in a shell. What no shell takes, a NUL, is left as it is.
pub(crate) fn shell_quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}
