//! One side of a comparison: where it stands, and the text around that place.

use std::io::{self, BufRead, BufReader, Read};

/// How much is kept before and after a difference, in bytes.
const KEPT: usize = 4 * 1024;

/// The place up to which a text was compared, and the end of what was.
#[derive(Debug)]
pub(super) struct Window {
    /// Counted from 1.
    line: usize,
    /// Counted from 1, in bytes.
    column: usize,
    /// The last bytes that were compared, then the first that were not.
    text: Vec<u8>,
    /// Where in `text` the comparison stands.
    position: usize,
    is_cut_before: bool,
    is_cut_after: bool,
}

impl Window {
    pub(super) const fn new() -> Self {
        let text = Vec::new();
        Self {
            line: 1,
            column: 1,
            text,
            position: 0,
            is_cut_before: false,
            is_cut_after: false,
        }
    }

    /// These bytes were compared.
    pub(super) fn consume(&mut self, bytes: &[u8]) {
        match bytes.iter().rposition(|&byte| byte == b'\n') {
            None => self.column += bytes.len(),
            Some(last) => {
                self.line += bytes.iter().filter(|&&byte| byte == b'\n').count();
                self.column = bytes.len() - last;
            }
        }
        let kept = &bytes[bytes.len().saturating_sub(KEPT)..];
        // Trimmed only now and then, so that going byte by byte stays cheap.
        if self.text.len() + bytes.len() > 2 * KEPT {
            let n_old = (KEPT - kept.len()).min(self.text.len());
            self.text.drain(..self.text.len() - n_old);
            self.is_cut_before = true;
            self.text.extend_from_slice(kept);
        } else {
            self.text.extend_from_slice(bytes);
        }
        self.position = self.text.len();
    }

    /// These bytes come after the difference.
    pub(super) fn look_ahead(&mut self, bytes: &[u8]) {
        let n_free = (self.position + KEPT).saturating_sub(self.text.len());
        self.is_cut_after |= bytes.len() > n_free;
        self.text
            .extend_from_slice(&bytes[..bytes.len().min(n_free)]);
    }

    pub(super) fn into_excerpt(self) -> Excerpt {
        Excerpt {
            line: self.line,
            column: self.column,
            text: self.text,
            position: self.position,
            is_cut_before: self.is_cut_before,
            is_cut_after: self.is_cut_after,
        }
    }
}

/// The expected text, read as far as it was compared.
#[derive(Debug)]
pub(super) struct Expected<R> {
    reader: BufReader<R>,
    window: Window,
}

impl<R: Read> Expected<R> {
    pub(super) fn new(text: R) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, text),
            window: Window::new(),
        }
    }

    /// Some bytes that come next; none at the end.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    pub(super) fn next_byte(&mut self) -> io::Result<Option<u8>> {
        Ok(self.peek()?.first().copied())
    }

    /// Goes on by bytes that were seen by [`peek`](Self::peek).
    pub(super) fn consume(&mut self, n_bytes: usize) {
        self.window.consume(&self.reader.buffer()[..n_bytes]);
        self.reader.consume(n_bytes);
    }

    /// Goes on over all bytes that are such, and says how many.
    pub(super) fn skip_while(&mut self, is_such: fn(u8) -> bool) -> io::Result<usize> {
        let mut n_skipped = 0;
        loop {
            let bytes = self.peek()?;
            let n_such = bytes.iter().take_while(|&&byte| is_such(byte)).count();
            let is_over = n_such < bytes.len() || bytes.is_empty();
            self.consume(n_such);
            n_skipped += n_such;
            if is_over {
                return Ok(n_skipped);
            }
        }
    }

    pub(super) fn into_excerpt(mut self) -> io::Result<Excerpt> {
        let mut ahead = Vec::new();
        self.reader.take(KEPT as u64 + 1).read_to_end(&mut ahead)?;
        self.window.look_ahead(&ahead);
        Ok(self.window.into_excerpt())
    }
}

/// The text around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    line: usize,
    column: usize,
    text: Vec<u8>,
    position: usize,
    is_cut_before: bool,
    is_cut_after: bool,
}

impl Excerpt {
    /// The line of the place, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// The column of the place, counted from 1 in bytes.
    pub(crate) fn column(&self) -> usize {
        self.column
    }

    /// Whether nothing stands at the place: no line begins there, and none goes on.
    pub(crate) fn is_over(&self) -> bool {
        self.position == self.text.len() && self.offset_in_line() == 0
    }

    /// The lines around the place, from at most `n_before` lines before to at most `n_after`
    /// after, without their line ends, each with its number.
    pub(crate) fn lines(&self, n_before: usize, n_after: usize) -> Vec<Line<'_>> {
        let n_line_ends = self.text[..self.position]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        let mut lines: Vec<&[u8]> = self.text.split(|&byte| byte == b'\n').collect();
        let n_pieces = lines.len();
        if !self.is_cut_after
            && lines.last().is_some_and(|last| last.is_empty())
            && n_line_ends + 1 < lines.len()
        {
            // What follows the last line end of a text is not a line.
            lines.pop();
        }
        let with_place = lines.into_iter().enumerate().map(|(index, text)| Line {
            number: self.line - n_line_ends + index,
            text,
            is_cut_before: index == 0 && self.is_cut_before,
            is_cut_after: index + 1 == n_pieces && self.is_cut_after,
            has_line_end: index + 1 < n_pieces,
        });
        let shown = n_line_ends.saturating_sub(n_before)..=n_line_ends.saturating_add(n_after);
        with_place
            .skip(*shown.start())
            .take(shown.end() - shown.start() + 1)
            .collect()
    }

    /// The line of the place.
    pub(crate) fn line_of_place(&self) -> Option<Line<'_>> {
        self.lines(0, 0).into_iter().next()
    }

    /// How many bytes of its line stand before the place, as far as they were kept.
    pub(crate) fn offset_in_line(&self) -> usize {
        self.text[..self.position]
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count()
    }
}

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a [u8],
    pub(crate) is_cut_before: bool,
    pub(crate) is_cut_after: bool,
    pub(crate) has_line_end: bool,
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, KEPT, Window};

    fn excerpt(compared: &[&str], ahead: &str) -> Excerpt {
        let mut window = Window::new();
        compared
            .iter()
            .for_each(|bytes| window.consume(bytes.as_bytes()));
        window.look_ahead(ahead.as_bytes());
        window.into_excerpt()
    }

    fn lines(excerpt: &Excerpt, n_before: usize, n_after: usize) -> Vec<(usize, String)> {
        let lines = excerpt.lines(n_before, n_after).into_iter();
        lines
            .map(|line| (line.number, String::from_utf8_lossy(line.text).into_owned()))
            .collect()
    }

    #[test]
    fn lines_around_the_place_are_numbered() {
        let excerpt = excerpt(&["one\ntwo\nthr"], "ee\nfour\nfive\n");
        assert_eq!(
            (excerpt.line(), excerpt.column(), excerpt.offset_in_line()),
            (3, 4, 3)
        );
        let expected =
            [(2, "two"), (3, "three"), (4, "four")].map(|(number, text)| (number, text.to_owned()));
        assert_eq!(lines(&excerpt, 1, 1), expected);
        assert_eq!(lines(&excerpt, 9, 9).len(), 5);
        assert_eq!(excerpt.line_of_place().unwrap().text, b"three");
    }

    #[test]
    fn at_the_end_of_a_text_there_is_an_empty_line() {
        let excerpt = excerpt(&["one\n"], "");
        assert!(excerpt.is_over());
        assert_eq!(lines(&excerpt, 0, 0), [(2, String::new())]);
    }

    #[test]
    fn only_the_neighbourhood_of_the_place_is_kept() {
        let line = "0123456789abcde\n";
        let pieces: Vec<&str> = std::iter::repeat_n(line, 10_000).collect();
        let excerpt = excerpt(&pieces, &line.repeat(10_000));
        assert_eq!((excerpt.line(), excerpt.column()), (10_001, 1));
        assert!(excerpt.text.len() <= 3 * KEPT);
        assert!(excerpt.is_cut_before && excerpt.is_cut_after);
        let lines = lines(&excerpt, 2, 2);
        assert_eq!(
            lines.iter().map(|line| line.0).collect::<Vec<_>>(),
            [9_999, 10_000, 10_001, 10_002, 10_003]
        );
        assert!(lines.iter().all(|(_, text)| text == "0123456789abcde"));
    }

    #[test]
    fn a_line_longer_than_what_is_kept_is_marked_as_cut() {
        let excerpt = excerpt(&[&"x".repeat(100_000)], &"y".repeat(100_000));
        assert_eq!((excerpt.line(), excerpt.column()), (1, 100_001));
        let line = excerpt.line_of_place().unwrap();
        assert!(line.is_cut_before && line.is_cut_after);
        assert_eq!(excerpt.offset_in_line(), KEPT);
    }
}
