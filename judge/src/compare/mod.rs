//! Whether an output is the expected one, and the first difference if not.
//!
//! The output arrives in pieces and the expected text is read alongside, so neither is ever held:
//! a comparison needs the same few kilobytes for any size.

mod float;
mod side;

use std::io::{self, Read};

use float::{LONGEST_NUMBER, is_nan};
pub(crate) use float::{Tolerance, number};
pub(crate) use side::{Excerpt, Line};
use side::{Expected, Window};

/// How an output is compared with the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Line by line; blanks at line ends and empty lines at the end do not count.
    #[default]
    Lines,
    /// Word by word; white space only separates.
    Tokens,
    /// Byte by byte.
    Exact,
    /// Word by word, but numbers need only be near the expected ones.
    Float(Tolerance),
}

/// What came out of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Different(Box<Difference>),
}

/// The first difference, with the text around it on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What made it one.
    pub(crate) rule: Rule,
    pub(crate) expected: Excerpt,
    pub(crate) found: Excerpt,
}

impl Difference {
    /// The first line of each side, expected and found, that is not the same as on the other.
    ///
    /// By lines and by bytes it has the same number on both sides; by words the sides may have
    /// come to their places by different lines.
    pub(crate) fn first_lines(&self) -> (usize, usize) {
        let (expected, found) = (
            self.expected.first_open_line(),
            self.found.first_open_line(),
        );
        match self.rule {
            Rule::Lines | Rule::Exact => (expected.min(found), expected.min(found)),
            Rule::Tokens | Rule::Float(_) => (expected, found),
        }
    }

    /// Where in the output the difference is: line and column, counted from 1.
    pub(crate) fn place(&self) -> (usize, usize) {
        if matches!(self.rule, Rule::Tokens | Rule::Float(_)) {
            return (self.found.line(), self.found.column());
        }
        let (_, line) = self.first_lines();
        // Where the output is over, the next line would begin.
        (
            line,
            if self.found.line() == line {
                self.found.column()
            } else {
                1
            },
        )
    }
}

/// Compares what is fed to it with an expected text.
pub(crate) struct Comparator<R> {
    rule: Rule,
    expected: Expected<R>,
    found: Window,
    /// `float`: what has come of the word that the output is in.
    word: Vec<u8>,
    state: State,
}

/// Where the comparison stands. Unless it says otherwise, both sides are at matching places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Equal so far.
    Equal,
    /// `lines`: the expected line is over, and the output may only add blanks to it.
    LineOver,
    /// `lines`: the expected text is over, and the output may only add empty lines.
    TextOver,
    /// `tokens` and `float`: the output is between two words.
    BetweenWords,
    /// `float`: the output is in a word, and both sides stand before it until it is over.
    InWord,
    /// Nothing that comes can make it right.
    Different,
}

impl<R: Read> Comparator<R> {
    pub(crate) fn new(rule: Rule, expected: R) -> Self {
        let state = match rule {
            Rule::Tokens | Rule::Float(_) => State::BetweenWords,
            Rule::Lines | Rule::Exact => State::Equal,
        };
        Self {
            rule,
            expected: Expected::new(expected),
            found: Window::new(),
            word: Vec::new(),
            state,
        }
    }

    /// Takes the next piece of the output.
    ///
    /// # Errors
    ///
    /// If the expected text cannot be read.
    pub(crate) fn feed(&mut self, mut output: &[u8]) -> io::Result<()> {
        while !output.is_empty() && self.state != State::Different {
            let n_taken = match self.skip_equal(output)? {
                0 => self.skip_idle(output),
                n_equal => n_equal,
            };
            let n_taken = match n_taken {
                0 => self.step(output)?,
                n_skipped => n_skipped,
            };
            output = &output[n_taken..];
        }
        self.found.look_ahead(output);
        Ok(())
    }

    /// The output is over.
    ///
    /// # Errors
    ///
    /// If the expected text cannot be read.
    pub(crate) fn finish(mut self) -> io::Result<Comparison> {
        if let (State::InWord, Rule::Float(tolerance)) = (self.state, self.rule) {
            self.compare_word(tolerance)?;
        }
        if self.state != State::Different && self.is_complete()? {
            return Ok(Comparison::Same);
        }
        Ok(Comparison::Different(Box::new(Difference {
            rule: self.rule,
            expected: self.expected.into_excerpt()?,
            found: self.found.into_excerpt(),
        })))
    }

    /// Passes over bytes that are the same on both sides, many at a time. That changes nothing
    /// under any rule, as long as both sides are at matching places.
    fn skip_equal(&mut self, output: &[u8]) -> io::Result<usize> {
        if !matches!(self.state, State::Equal | State::BetweenWords) {
            return Ok(0);
        }
        let expected = self.expected.peek()?;
        let length = expected.len().min(output.len());
        let is_equal = expected[..length] == output[..length];
        let n_equal = if is_equal {
            length
        } else {
            expected
                .iter()
                .zip(output)
                .take_while(|(expected, found)| expected == found)
                .count()
        };
        let n_equal = match (self.rule, self.state) {
            (Rule::Float(_), State::BetweenWords) => n_in_whole_words(&output[..n_equal]),
            (Rule::Float(_), _) => n_in_first_word(&output[..n_equal]),
            _ => n_equal,
        };
        if let Some(last) = output[..n_equal].last() {
            if self.rule == Rule::Tokens {
                self.state = if is_white(*last) {
                    State::BetweenWords
                } else {
                    State::Equal
                };
            }
            self.expected.consume(n_equal);
            self.found.consume(&output[..n_equal]);
        }
        Ok(n_equal)
    }

    /// Passes over bytes that change nothing, wherever the other side stands.
    fn skip_idle(&mut self, output: &[u8]) -> usize {
        let is_idle = match self.state {
            State::LineOver => is_blank,
            State::TextOver | State::BetweenWords => is_white,
            State::Equal | State::InWord | State::Different => return 0,
        };
        let n_idle = output.iter().take_while(|&&byte| is_idle(byte)).count();
        self.found.consume(&output[..n_idle]);
        n_idle
    }

    /// Takes the next byte of the output, or the next word, that is not simply the same on the
    /// other side, and says how many bytes that were.
    fn step(&mut self, output: &[u8]) -> io::Result<usize> {
        let byte = output[0];
        self.state = match (self.rule, self.state) {
            (Rule::Exact, _) => State::Different,
            (Rule::Lines, _) => self.step_in_lines(byte)?,
            // A word too long for a number is compared like any other.
            (Rule::Tokens, _) | (Rule::Float(_), State::Equal) => self.step_in_tokens(byte)?,
            (Rule::Float(tolerance), _) => return self.step_in_numbers(output, tolerance),
        };
        if self.state == State::Different {
            return Ok(0);
        }
        self.found.consume(&[byte]);
        Ok(1)
    }

    /// Takes what there is of a word, and compares it if that is all of it.
    fn step_in_numbers(&mut self, output: &[u8], tolerance: Tolerance) -> io::Result<usize> {
        let n_free = LONGEST_NUMBER + 1 - self.word.len();
        let n_taken = n_in_first_word(&output[..output.len().min(n_free)]);
        self.word.extend_from_slice(&output[..n_taken]);
        self.state = State::InWord;
        if n_taken < output.len() || self.word.len() > LONGEST_NUMBER {
            self.compare_word(tolerance)?;
        }
        Ok(n_taken)
    }

    /// Holds the word of the output against the next of the expected ones. If it is longer than a
    /// number, only the beginning of both is compared.
    fn compare_word(&mut self, tolerance: Tolerance) -> io::Result<()> {
        self.expected.skip_while(is_white)?;
        let is_printed = |byte| !is_white(byte);
        let expected = self.expected.hold_while(is_printed, LONGEST_NUMBER + 1)?;
        if tolerance.accepts(expected, &self.word) {
            self.expected.consume_held();
            self.found.consume(&self.word);
            self.state = if self.word.len() > LONGEST_NUMBER {
                State::Equal
            } else {
                State::BetweenWords
            };
        } else {
            self.found.look_ahead(&self.word);
            self.state = State::Different;
        }
        self.word.clear();
        Ok(())
    }

    fn step_in_tokens(&mut self, byte: u8) -> io::Result<State> {
        if is_white(byte) {
            let is_over = self.expected.next_byte()?.is_none_or(is_white);
            let was_between = self.state == State::BetweenWords;
            return Ok(if is_over || was_between {
                State::BetweenWords
            } else {
                State::Different
            });
        }
        let is_word_next =
            self.state == State::BetweenWords && self.expected.skip_while(is_white)? > 0;
        if is_word_next && self.expected.next_byte()? == Some(byte) {
            self.expected.consume(1);
            return Ok(State::Equal);
        }
        Ok(State::Different)
    }

    fn step_in_lines(&mut self, byte: u8) -> io::Result<State> {
        if !is_white(byte) {
            return Ok(State::Different);
        }
        if self.state == State::TextOver {
            return Ok(State::TextOver);
        }
        // The output's line is over, or this is a blank that must be one at its end: either way
        // nothing may be left of the expected line but blanks.
        self.expected.skip_while(is_blank)?;
        Ok(match (self.expected.next_byte()?, byte) {
            (Some(b'\n'), b'\n') => {
                self.expected.consume(1);
                State::Equal
            }
            (None, b'\n') => State::TextOver,
            (Some(b'\n') | None, _) => State::LineOver,
            _ => State::Different,
        })
    }

    /// Whether the expected text may end where the output did.
    fn is_complete(&mut self) -> io::Result<bool> {
        let goes_by_words = matches!(self.rule, Rule::Tokens | Rule::Float(_));
        let in_word = goes_by_words && self.state == State::Equal;
        if in_word
            && self
                .expected
                .next_byte()?
                .is_some_and(|byte| !is_white(byte))
        {
            return Ok(false);
        }
        if self.rule != Rule::Exact {
            self.expected.skip_while(is_white)?;
        }
        Ok(self.expected.next_byte()?.is_none())
    }
}

/// How many bytes stand before the first white space.
fn n_in_first_word(text: &[u8]) -> usize {
    let end = text.iter().position(|&byte| is_white(byte));
    end.unwrap_or(text.len())
}

/// How many bytes go up to the last white space, or to the first NaN, since that does not equal
/// itself.
fn n_in_whole_words(text: &[u8]) -> usize {
    let end = text.iter().rposition(|&byte| is_white(byte));
    let text = &text[..end.map_or(0, |last| last + 1)];
    if !text.contains(&b'n') && !text.contains(&b'N') {
        return text.len();
    }
    let mut n_bytes = 0;
    for word in text.split_inclusive(|&byte| is_white(byte)) {
        if is_nan(&word[..word.len() - 1]) {
            break;
        }
        n_bytes += word.len();
    }
    n_bytes
}

/// White space within a line.
fn is_blank(byte: u8) -> bool {
    is_white(byte) && byte != b'\n'
}

/// What C's `isspace` says, which judges and `scanf` go by.
pub(crate) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use std::str;

    use super::{Comparator, Comparison, Rule, Tolerance};

    const ALL: [Rule; 3] = [Rule::Lines, Rule::Tokens, Rule::Exact];

    fn compare(rule: Rule, expected: &[u8], pieces: &[&[u8]]) -> Comparison {
        let mut comparator = Comparator::new(rule, expected);
        pieces
            .iter()
            .for_each(|piece| comparator.feed(piece).unwrap());
        comparator.finish().unwrap()
    }

    /// In one piece, and byte by byte.
    fn is_same(rule: Rule, expected: &[u8], found: &[u8]) -> bool {
        let whole = compare(rule, expected, &[found]);
        let bytes: Vec<&[u8]> = found.chunks(1).collect();
        assert_eq!(
            whole,
            compare(rule, expected, &bytes),
            "{rule:?}, {expected:?}, {found:?}"
        );
        whole == Comparison::Same
    }

    /// Each line: an expected text, an output, and whether it is right by lines, tokens, bytes.
    #[test]
    fn table() {
        let table: &[(&str, &str, [bool; 3])] = &[
            ("a\n", "a\n", [true, true, true]),
            ("a\n", "a", [true, true, false]),
            ("a", "a\n\n\n", [true, true, false]),
            ("a\r\n", "a\n", [true, true, false]),
            ("a\nb\n", "a\r\nb\r\n", [true, true, false]),
            ("a \t\nb\n", "a\nb", [true, true, false]),
            ("a\nb\n", "a \t\nb  \n \n", [true, true, false]),
            ("a  b\n", "a b\n", [false, true, false]),
            ("a\tb\n", "a b\n", [false, true, false]),
            ("a b\n", "ab\n", [false, false, false]),
            ("ab\n", "a b\n", [false, false, false]),
            ("a\nb\n", "a b\n", [false, true, false]),
            ("a b\n", "a\nb\n", [false, true, false]),
            (" a\n", "a\n", [false, true, false]),
            ("a\n", " a\n", [false, true, false]),
            ("\na\n", "a\n", [false, true, false]),
            ("a\n\nb\n", "a\nb\n", [false, true, false]),
            ("a\nb\n", "a\n\nb\n", [false, true, false]),
            ("a\n\n", "a\n\nb", [false, false, false]),
            ("a\n", "a\n\n b", [false, false, false]),
            ("a\n", "", [false, false, false]),
            ("", "a\n", [false, false, false]),
            ("", "", [true, true, true]),
            ("", "\n", [true, true, false]),
            (" \n", "", [true, true, false]),
            ("", " \r\n\n", [true, true, false]),
            ("a\n", "A\n", [false, false, false]),
            ("12\n", "1\n2\n", [false, false, false]),
            ("1\n2\n", "12\n", [false, false, false]),
            ("a b", "a  ", [false, false, false]),
            ("a  ", "a b", [false, false, false]),
            ("a", "ab", [false, false, false]),
            ("ab", "a", [false, false, false]),
            ("a\rb", "ab", [false, false, false]),
            ("a\u{b}b\n", "a\u{c}b\n", [false, true, false]),
            ("a \u{b}\n", "a\n", [true, true, false]),
            ("é\n", "é\r\n", [true, true, false]),
        ];
        for (expected, found, right) in table {
            for (rule, right) in ALL.into_iter().zip(right) {
                let is_same = is_same(rule, expected.as_bytes(), found.as_bytes());
                assert_eq!(is_same, *right, "{rule:?}: {expected:?} and {found:?}");
            }
        }
    }

    /// What the three rules mean, said on whole texts.
    fn by_definition(rule: Rule, text: &[u8]) -> Vec<Vec<u8>> {
        let split = |is_end: fn(&u8) -> bool| text.split(is_end).map(<[u8]>::to_vec);
        match rule {
            Rule::Exact => vec![text.to_vec()],
            Rule::Tokens | Rule::Float(_) => split(|&byte| super::is_white(byte))
                .filter(|word| !word.is_empty())
                .collect(),
            Rule::Lines => {
                let trimmed = |line: Vec<u8>| {
                    let length = line
                        .iter()
                        .rposition(|&byte| !super::is_white(byte))
                        .map_or(0, |last| last + 1);
                    line[..length].to_vec()
                };
                let mut lines: Vec<Vec<u8>> = split(|&byte| byte == b'\n').map(trimmed).collect();
                while lines.last().is_some_and(Vec::is_empty) {
                    lines.pop();
                }
                lines
            }
        }
    }

    /// All texts of up to so many of these bytes.
    fn short_texts(alphabet: &[u8], longest: usize) -> Vec<Vec<u8>> {
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        let mut start = 0;
        for _ in 0..longest {
            let end = texts.len();
            for index in start..end {
                let longer = alphabet
                    .iter()
                    .map(|&byte| [&texts[index][..], &[byte]].concat());
                let longer: Vec<_> = longer.collect();
                texts.extend(longer);
            }
            start = end;
        }
        texts
    }

    /// All pairs of texts of up to four bytes over letters, a blank, a CR and a line end.
    #[test]
    fn every_pair_of_short_texts_is_judged_as_defined() {
        let texts = short_texts(b"ab \r\n", 4);
        for rule in ALL {
            let meanings: Vec<_> = texts.iter().map(|text| by_definition(rule, text)).collect();
            for (expected, meant) in texts.iter().zip(&meanings) {
                for (found, said) in texts.iter().zip(&meanings) {
                    let comparison = compare(rule, expected, &[found]);
                    assert_eq!(
                        comparison == Comparison::Same,
                        meant == said,
                        "{rule:?}: {:?} and {:?}",
                        String::from_utf8_lossy(expected),
                        String::from_utf8_lossy(found)
                    );
                }
            }
        }
    }

    fn float(tolerance: f64) -> Rule {
        Rule::Float(Tolerance::try_from(tolerance).unwrap())
    }

    /// What `float` means, said on whole texts that hold no infinity.
    fn is_near_by_definition(tolerance: f64, expected: &[Vec<u8>], found: &[Vec<u8>]) -> bool {
        let number = |word: &[u8]| str::from_utf8(word).unwrap().parse::<f64>().ok();
        let is_near =
            |(expected, found): (&Vec<u8>, &Vec<u8>)| match (number(expected), number(found)) {
                (Some(a), Some(b)) => (a - b).abs() <= tolerance * a.abs().max(1.0),
                (None, None) => expected == found,
                _ => false,
            };
        expected.len() == found.len() && expected.iter().zip(found).all(is_near)
    }

    /// All pairs of these texts, each output in one piece and split at every place.
    #[track_caller]
    fn check_float_as_defined(texts: &[Vec<u8>]) {
        let (tolerance, mut n_same) = (0.25, 0);
        let rule = float(tolerance);
        let meanings: Vec<_> = texts.iter().map(|text| by_definition(rule, text)).collect();
        for (expected, meant) in texts.iter().zip(&meanings) {
            for (found, said) in texts.iter().zip(&meanings) {
                let is_same = is_near_by_definition(tolerance, meant, said);
                n_same += usize::from(is_same);
                for place in 0..=found.len() {
                    let (a, b) = found.split_at(place);
                    assert_eq!(
                        compare(rule, expected, &[a, b]) == Comparison::Same,
                        is_same,
                        "{:?} and {:?}, split at {place}",
                        String::from_utf8_lossy(expected),
                        String::from_utf8_lossy(found)
                    );
                }
            }
        }
        assert!(n_same > texts.len());
    }

    #[test]
    fn every_pair_of_short_texts_is_as_near_as_defined() {
        check_float_as_defined(&short_texts(b"15.-e \n", 3));
        check_float_as_defined(&short_texts(b"na \n", 4));
    }

    /// Longer ones that are put together from words and white space.
    #[test]
    fn every_pair_of_few_words_is_as_near_as_defined() {
        let words = [
            "", "0", "0.2", "-.2e0", "2", "2.5", "-2.5", "NaN", "x", "2.5x",
        ];
        let mut texts = Vec::new();
        for first in words {
            for second in words {
                for (between, after) in [(" ", ""), ("\n", "\n"), ("\t\n", " \n\n")] {
                    texts.push([first, between, second, after].concat().into_bytes());
                }
            }
        }
        check_float_as_defined(&texts);
    }

    /// In pieces of several sizes. So far from the beginning, how much is kept depends on them.
    #[track_caller]
    fn check_near(expected: &str, found: &str, is_near: bool) {
        for size in [1, 7, 1000, 1 << 20] {
            let pieces: Vec<&[u8]> = found.as_bytes().chunks(size).collect();
            let comparison = compare(float(0.1), expected.as_bytes(), &pieces);
            assert_eq!(
                comparison == Comparison::Same,
                is_near,
                "in pieces of {size}"
            );
        }
    }

    #[test]
    fn a_word_too_long_for_a_number_must_be_the_same() {
        let long = "1".repeat(3 * super::LONGEST_NUMBER);
        let right = format!("{long}\n2 {long} 3.0\n");
        check_near(&format!("{long}\n2.0 {long} 3\n"), &right, true);
        for wrong in [
            format!("{long}\n2 {long}1 3\n"),
            format!("{long}\n2 {long}. 3\n"),
            format!("{long}\n2 {} 3\n", &long[1..]),
            format!("{long}\n2 {long} nan\n"),
            format!("2{long}\n2 {long} 3\n"),
            format!("{long}\n2 {long}"),
        ] {
            check_near(&right, &wrong, false);
            check_near(&wrong, &right, false);
        }
        let longest = super::LONGEST_NUMBER;
        for length in longest - 3..=longest + 2 {
            let word = "0".repeat(length);
            check_near(&word, &word, true);
            check_near(
                &format!("{word} 5"),
                &format!("{word}.0 5"),
                length + 2 <= longest,
            );
        }
    }

    #[test]
    fn many_numbers_are_compared_in_pieces_of_any_size() {
        let expected: String = (0..50_000).map(|number| format!("{number}.5\n")).collect();
        let found = expected.replace("7.5\n", "7.50000001 \n");
        let wrong = found.replace("\n49990.5", "\n49990.6");
        for size in [1, 7, 4096, 1 << 20] {
            let pieces: Vec<&[u8]> = found.as_bytes().chunks(size).collect();
            let rule = float(1e-6);
            assert_eq!(
                compare(rule, expected.as_bytes(), &pieces),
                Comparison::Same
            );
            let pieces: Vec<&[u8]> = wrong.as_bytes().chunks(size).collect();
            let Comparison::Different(difference) = compare(rule, expected.as_bytes(), &pieces)
            else {
                panic!("49990.6 is not 49990.5");
            };
            assert_eq!(difference.place(), (49_991, 1));
        }
    }

    #[test]
    fn every_byte_is_equal_to_itself_alone() {
        let is_printed = |byte: &u8| !super::is_white(*byte);
        for a in (0..=u8::MAX).filter(is_printed) {
            for b in (0..=u8::MAX).filter(is_printed) {
                for rule in ALL {
                    assert_eq!(is_same(rule, &[a], &[b]), a == b, "{rule:?}: {a} and {b}");
                }
            }
        }
    }

    /// In one piece, and byte by byte.
    #[track_caller]
    fn check_place(rule: Rule, expected: &str, found: &str, place: (usize, usize)) {
        let pieces: Vec<&[u8]> = found.as_bytes().chunks(1).collect();
        for pieces in [vec![found.as_bytes()], pieces] {
            let Comparison::Different(difference) = compare(rule, expected.as_bytes(), &pieces)
            else {
                panic!("{expected:?} and {found:?} are the same");
            };
            assert_eq!(
                difference.place(),
                place,
                "{rule:?}: {expected:?}, {found:?}"
            );
        }
    }

    #[test]
    fn the_first_difference_has_line_and_column() {
        check_place(Rule::Lines, "a\nbc\n", "a\nbd\n", (2, 2));
        check_place(Rule::Lines, "a  \nbc\n", "a\nbd\n", (2, 2));
        check_place(Rule::Lines, "a\nb\n", "a\n", (2, 1));
        check_place(Rule::Lines, "a\nb\n", "a", (2, 1));
        check_place(Rule::Lines, "a\n", "a\nb\n", (2, 1));
        check_place(Rule::Lines, "a", "a\nb\n", (2, 1));
        check_place(Rule::Lines, "a\n\n\nb", "a", (2, 1));
        check_place(Rule::Lines, "ab", "a", (1, 2));
        check_place(Rule::Lines, "a", "ab", (1, 2));
        check_place(Rule::Lines, "", "x", (1, 1));
        check_place(Rule::Lines, "x", "", (1, 1));
        check_place(Rule::Tokens, "a b\n", "a\nc\n", (2, 1));
        check_place(Rule::Tokens, "1 2 3", "1\n2\n3\n4\n", (4, 1));
        check_place(float(0.1), "1 2.5\n3", "1.0\n2.8\n", (2, 1));
        check_place(float(0.1), "1 2.5\n", "1 2.5 3", (1, 7));
        check_place(float(0.1), "1 2.5\n3\n", "1 2.5\n", (2, 1));
        check_place(float(0.1), "x nan\n", "x nan\n", (1, 3));
        check_place(Rule::Exact, "a\n", "a", (1, 2));
        check_place(Rule::Exact, "a", "a\n", (1, 2));
        check_place(Rule::Exact, "a\nb", "a\r\nb", (1, 2));
    }

    /// Far more than any buffer, so that both sides are refilled at different places.
    #[test]
    fn long_texts_are_compared_in_pieces_of_any_size() {
        let expected: String = (0..100_000).map(|number| format!("{number} \n")).collect();
        let found: String = (0..100_000).map(|number| format!("{number}\r\n")).collect();
        let wrong = found.replace("99990\r", "99990 1\r");
        for size in [1, 7, 4096, 1 << 20] {
            let pieces: Vec<&[u8]> = found.as_bytes().chunks(size).collect();
            assert_eq!(
                compare(Rule::Lines, expected.as_bytes(), &pieces),
                Comparison::Same
            );
            let pieces: Vec<&[u8]> = wrong.as_bytes().chunks(size).collect();
            let Comparison::Different(difference) =
                compare(Rule::Lines, expected.as_bytes(), &pieces)
            else {
                panic!("99990 1 is not 99990");
            };
            assert_eq!(difference.place(), (99_991, 7));
        }
    }
}
