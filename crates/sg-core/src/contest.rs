//! Reading a contest's input and running a solution: the only module that does input and output.
//!
//! A solution is a pure function from the text of the input to something that can be printed.
//! [`Tokens`] reads the text and says of each fault where it is and what was expected; [`run`]
//! connects the function to the standard streams.
//!
//! # Example
//!
//! ```
//! use sg_core::contest::{InputError, Tokens};
//!
//! fn total(input: &str) -> Result<u64, InputError> {
//!     let mut tokens = Tokens::new(input);
//!     let n_piles: usize = tokens.number("the number of piles", 0..=usize::MAX)?;
//!     let piles: Vec<u64> = (0..n_piles)
//!         .map(|_| tokens.number("a pile", 0..=1000))
//!         .collect::<Result<_, _>>()?;
//!     tokens.end()?;
//!     Ok(piles.iter().sum())
//! }
//!
//! assert_eq!(total("3\n1 2 3\n"), Ok(6));
//! assert_eq!(
//!     total("3\n1 2 x\n").unwrap_err().to_string(),
//!     "line 2, token 3: expected a pile in 0..=1000, found \"x\""
//! );
//! ```

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, BufWriter, Read, Write};
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::str::FromStr;

/// The words of an input, read one after the other, whatever white space stands between them.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    input: &'a str,
    /// The first byte that was not read yet.
    position: usize,
    /// Where the last token begins.
    last: usize,
}

impl<'a> Tokens<'a> {
    /// All tokens of `input`.
    #[must_use]
    pub const fn new(input: &'a str) -> Self {
        Self {
            input,
            position: 0,
            last: 0,
        }
    }

    /// The next token, as it stands.
    ///
    /// # Errors
    ///
    /// If there is none. `expected` says in the message what should have been there.
    pub fn word(&mut self, expected: &str) -> Result<&'a str, InputError> {
        self.next().ok_or_else(|| self.missing(expected))
    }

    /// The next token as a number.
    ///
    /// # Errors
    ///
    /// If there is none, if it is not a number, or not one in `range`. `expected` says in the
    /// message what should have been there; the range is added to it.
    pub fn number<T>(&mut self, expected: &str, range: RangeInclusive<T>) -> Result<T, InputError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let describe = || format!("{expected} in {}..={}", range.start(), range.end());
        match self.next().map(str::parse) {
            Some(Ok(number)) if range.contains(&number) => Ok(number),
            Some(_) => Err(self.unexpected(&describe())),
            None => Err(self.missing(&describe())),
        }
    }

    /// Nothing may be left.
    ///
    /// # Errors
    ///
    /// If there is another token.
    pub fn end(&mut self) -> Result<(), InputError> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the input")),
        }
    }

    fn missing(&self, expected: &str) -> InputError {
        InputError {
            place: Some(Place::of(self.input, self.input.len())),
            what: format!("expected {expected}, found the end of the input"),
        }
    }

    /// The error that says that the last token is not what was expected.
    #[must_use]
    pub fn unexpected(&self, expected: &str) -> InputError {
        let rest = &self.input[self.last..];
        let token = rest.split_ascii_whitespace().next().unwrap_or(rest);
        self.fault(&format!("expected {expected}, found {}", Shown(token)))
    }

    /// An error of any other kind, at the last token.
    #[must_use]
    pub fn fault(&self, what: &str) -> InputError {
        InputError {
            place: Some(Place::of(self.input, self.last)),
            what: what.to_owned(),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.input.as_bytes();
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let start = self.position
            + bytes[self.position..]
                .iter()
                .position(|byte| !is_blank(byte))?;
        let length = bytes[start..]
            .iter()
            .position(is_blank)
            .unwrap_or(bytes.len() - start);
        self.last = start;
        self.position = start + length;
        Some(&self.input[start..self.position])
    }
}

/// Reads an input that consists of a count and of as many things, such as the games of a file.
///
/// # Errors
///
/// If the count is missing or no number (`count` says in the message what it counts), if `read_one`
/// fails, or if anything is left over. Nothing is allocated before the things have come.
///
/// # Example
///
/// ```
/// use sg_core::contest::{read_counted, Tokens};
///
/// let read_pile = |input: &mut Tokens<'_>| input.number("a pile", 0..=9_u8);
/// assert_eq!(read_counted("2\n5 7\n", "the number of piles", read_pile), Ok(vec![5, 7]));
/// ```
pub fn read_counted<T>(
    input: &str,
    count: &str,
    mut read_one: impl FnMut(&mut Tokens<'_>) -> Result<T, InputError>,
) -> Result<Vec<T>, InputError> {
    let mut tokens = Tokens::new(input);
    let n_things = tokens.number(count, 0..=u64::MAX)?;
    let things = (0..n_things)
        .map(|_| read_one(&mut tokens))
        .collect::<Result<_, _>>()?;
    tokens.end()?;
    Ok(things)
}

/// What is wrong with an input, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    place: Option<Place>,
    what: String,
}

impl InputError {
    /// A fault of the input as a whole.
    #[must_use]
    pub fn new(what: &str) -> Self {
        Self {
            place: None,
            what: what.to_owned(),
        }
    }

    /// Where the fault is, unless it is one of the input as a whole.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.place
    }
}

impl Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "line {}, token {}: ", place.line, place.token)?;
        }
        f.write_str(&self.what)
    }
}

impl Error for InputError {}

/// A place in an input; all three are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The token within the line.
    pub token: usize,
    /// The byte within the line.
    pub column: usize,
}

impl Place {
    /// Counted only when there is a fault to report, so that reading stays fast.
    fn of(input: &str, position: usize) -> Self {
        let before = &input[..position];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            token: before[line_start..].split_ascii_whitespace().count() + 1,
            column: position - line_start + 1,
        }
    }
}

/// A token as messages show it: numbers plainly, all else in quotes with strange characters
/// escaped, and cut where it is long.
struct Shown<'a>(&'a str);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 32;
        let start: String = self.0.chars().take(LONGEST).collect();
        let digits = start.strip_prefix('-').unwrap_or(&start);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            f.write_str(&start)?;
        } else {
            write!(f, "{start:?}")?;
        }
        f.write_str(if start.len() < self.0.len() {
            "…"
        } else {
            ""
        })
    }
}

/// Answers that are printed one below the other, such as those to the games of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines<T>(pub Vec<T>);

impl<T: Display> Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for answer in &self.0 {
            write!(f, "{separator}{answer}")?;
            separator = "\n";
        }
        Ok(())
    }
}

/// Reads standard input, answers it, and prints the answer on standard output.
///
/// An input with a fault is one line on standard error, `input: …`, nothing on standard output,
/// and exit code 2.
pub fn run<A: Display, E: Display>(answer: impl FnOnce(&str) -> Result<A, E>) -> ExitCode {
    let printed = read_input().and_then(|input| {
        let answer = answer(&input).map_err(|error| format!("input: {error}"))?;
        print(&answer).map_err(|error| format!("output: {error}"))
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

/// A program of a laboratory: from the text of an input to the text of its answer.
pub type Program = fn(&str) -> Result<String, Box<dyn Error>>;

/// Runs the program that the command line names, like [`run`].
///
/// This is the `main` of a binary that holds several programs for the same input, such as the
/// brute force of a problem. A command line that names none of them is one line on standard error
/// that lists them, and exit code 2.
#[must_use]
pub fn run_one_of(programs: &[(&str, Program)]) -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let name = arguments.join(" ");
    match programs.iter().find(|program| program.0 == name) {
        Some((_, program)) => run(program),
        None => {
            let names: Vec<&str> = programs.iter().map(|program| program.0).collect();
            fail(&format!(
                "arguments: expected one of: {}; found {name:?}",
                names.join(", ")
            ))
        }
    }
}

fn read_input() -> Result<String, String> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("input: {error}"))?;
    String::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let place = Place::of(&String::from_utf8_lossy(valid), valid.len());
        let what = format!("expected text in UTF-8, found byte 0x{:02x}", rest[0]);
        format!(
            "input: {}",
            InputError {
                place: Some(place),
                what
            }
        )
    })
}

fn print(answer: &impl Display) -> io::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    writeln!(output, "{answer}")?;
    output.flush()
}

fn fail(message: &str) -> ExitCode {
    // Nothing is left to tell it to if standard error is closed, too.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::{InputError, Lines, Place, Tokens, read_counted};

    #[track_caller]
    fn check_error<T: std::fmt::Debug>(result: Result<T, InputError>, expected: &str) {
        assert_eq!(result.unwrap_err().to_string(), expected);
    }

    #[test]
    fn any_white_space_separates() {
        let tokens: Vec<&str> = Tokens::new("\t a\r\n\n  b c\x0c").collect();
        assert_eq!(tokens, ["a", "b", "c"]);
        assert_eq!(Tokens::new(" \n").next(), None);
        assert_eq!(Tokens::new("").next(), None);
    }

    #[test]
    fn a_number_out_of_range_is_told_with_its_place() {
        let mut tokens = Tokens::new("1 2\n\n  3 9 4");
        for expected in 1..=3_u32 {
            assert_eq!(tokens.number("a node", 1..=6), Ok(expected));
        }
        let error = tokens.number("a node", 1..=6_u32).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3, token 2: expected a node in 1..=6, found 9"
        );
        assert_eq!(
            error.place(),
            Some(Place {
                line: 3,
                token: 2,
                column: 5
            })
        );
    }

    #[test]
    fn a_number_that_no_type_holds_is_out_of_range() {
        check_error(
            Tokens::new("4294967296").number("a pile", 0..=u32::MAX),
            "line 1, token 1: expected a pile in 0..=4294967295, found 4294967296",
        );
        check_error(
            Tokens::new("-1").number("a pile", 0..=u32::MAX),
            "line 1, token 1: expected a pile in 0..=4294967295, found -1",
        );
        assert_eq!(
            Tokens::new("18446744073709551615").number("", 0..=u64::MAX),
            Ok(u64::MAX)
        );
    }

    #[test]
    fn a_word_for_a_number_is_quoted_and_cut() {
        check_error(
            Tokens::new("no\u{7}").number("a pile", 0..=9),
            r#"line 1, token 1: expected a pile in 0..=9, found "no\u{7}""#,
        );
        check_error(
            Tokens::new(&"é".repeat(40)).number("a pile", 0..=9),
            &format!(
                "line 1, token 1: expected a pile in 0..=9, found \"{}\"…",
                "é".repeat(32)
            ),
        );
        check_error(
            Tokens::new(&"7".repeat(40)).number("a pile", 0..=9),
            &format!(
                "line 1, token 1: expected a pile in 0..=9, found {}…",
                "7".repeat(32)
            ),
        );
        check_error(
            Tokens::new("-").number("a pile", 0..=9),
            r#"line 1, token 1: expected a pile in 0..=9, found "-""#,
        );
    }

    #[test]
    fn a_missing_token_is_told_at_the_end() {
        let mut tokens = Tokens::new("5\n7 ");
        assert_eq!(tokens.number("a pile", 0..=9), Ok(5));
        assert_eq!(tokens.word("a row"), Ok("7"));
        check_error(
            tokens.word("a row"),
            "line 2, token 2: expected a row, found the end of the input",
        );
        check_error(
            tokens.number("a pile", 0..=9),
            "line 2, token 2: expected a pile in 0..=9, found the end of the input",
        );
        check_error(
            Tokens::new("").word("a row"),
            "line 1, token 1: expected a row, found the end of the input",
        );
    }

    #[test]
    fn what_is_left_over_is_told() {
        let mut tokens = Tokens::new("5\n0 1\n");
        assert_eq!(tokens.number("a pile", 0..=9), Ok(5));
        check_error(
            tokens.end(),
            "line 2, token 1: expected the end of the input, found 0",
        );
        assert_eq!(Tokens::new(" \r\n").end(), Ok(()));
    }

    #[test]
    fn what_is_counted_must_be_there_and_no_more() {
        let read = |input| {
            read_counted(input, "the number of piles", |input| {
                input.number("a pile", 0..=9_u8)
            })
        };
        assert_eq!(read("2 5 7"), Ok(vec![5, 7]));
        assert_eq!(read("0"), Ok(vec![]));
        check_error(
            read("1000000000000000000 5"),
            "line 1, token 3: expected a pile in 0..=9, found the end of the input",
        );
        check_error(
            read("1 5 7"),
            "line 1, token 3: expected the end of the input, found 7",
        );
        check_error(
            read(""),
            "line 1, token 1: expected the number of piles in \
            0..=18446744073709551615, found the end of the input",
        );
    }

    #[test]
    fn lines_stand_one_below_the_other() {
        assert_eq!(Lines(vec![1, 2, 3]).to_string(), "1\n2\n3");
        assert_eq!(Lines::<u8>(vec![]).to_string(), "");
    }

    #[test]
    fn other_faults_point_at_the_last_token_or_nowhere() {
        let mut tokens = Tokens::new("5 4\n");
        assert_eq!(tokens.by_ref().count(), 2);
        check_error::<()>(
            Err(tokens.fault("not sorted")),
            "line 1, token 2: not sorted",
        );
        check_error::<()>(Err(InputError::new("no games")), "no games");
        assert_eq!(InputError::new("no games").place(), None);
    }
}
