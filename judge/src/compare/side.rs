//! One side of a comparison: where it stands, and the text around that place.

use std::io::{self, BufRead, BufReader, Read};

/// How much is kept before and after a difference, in bytes.
const KEPT: usize = 4 * 1024;

/// How much of the expected text is read at a time.
const PIECE: usize = 16 * 1024;

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
    /// What was read, but not compared yet. While there is any, nothing else is read.
    held: Vec<u8>,
    /// Asking a file again and again whether it is still at its end takes time.
    is_over: bool,
}

impl<R: Read> Expected<R> {
    pub(super) fn new(text: R) -> Self {
        let reader = BufReader::with_capacity(PIECE, text);
        Self {
            reader,
            window: Window::new(),
            held: Vec::new(),
            is_over: false,
        }
    }

    /// Some bytes that come next; none at the end.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        if self.is_over {
            return Ok(&[]);
        }
        self.is_over = self.reader.fill_buf()?.is_empty();
        Ok(self.reader.buffer())
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

    /// Reads bytes as long as they are such, but no more than `most`, and does not go on by them
    /// until [`consume_held`](Self::consume_held).
    pub(super) fn hold_while(&mut self, is_such: fn(u8) -> bool, most: usize) -> io::Result<&[u8]> {
        loop {
            let n_free = most - self.held.len();
            let bytes = self.peek()?;
            let bytes = &bytes[..bytes.len().min(n_free)];
            let end = bytes.iter().position(|&byte| !is_such(byte));
            let is_over = end.is_some() || bytes.is_empty();
            let n_such = end.unwrap_or(bytes.len());
            self.held.extend_from_slice(&self.reader.buffer()[..n_such]);
            self.reader.consume(n_such);
            if is_over || self.held.len() == most {
                return Ok(&self.held);
            }
        }
    }

    /// Goes on by the bytes that are held.
    pub(super) fn consume_held(&mut self) {
        self.window.consume(&self.held);
        self.held.clear();
    }

    pub(super) fn into_excerpt(mut self) -> io::Result<Excerpt> {
        let mut ahead = self.held;
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

    /// The line of the place; or, if that was compared to the end of the text, the next one, which
    /// does not exist.
    pub(super) fn first_open_line(&self) -> usize {
        let is_over = self.position == self.text.len() && self.offset_in_line() > 0;
        self.line + usize::from(is_over && !self.is_cut_after)
    }

    /// How many bytes of its line stand before the place, as far as they were kept.
    pub(crate) fn offset_in_line(&self) -> usize {
        let before = self.text[..self.position].iter().rev();
        before.take_while(|&&byte| byte != b'\n').count()
    }

    /// What stands at the place, and after it.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.text[self.position..]
    }

    /// The lines around the place, without their line ends.
    pub(crate) fn lines(&self) -> Vec<Line<'_>> {
        let n_before = self.text[..self.position]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        let mut lines: Vec<&[u8]> = self.text.split(|&byte| byte == b'\n').collect();
        let n_pieces = lines.len();
        if !self.is_cut_after && lines.last().is_some_and(|last| last.is_empty()) {
            // What follows the last line end of a text is not a line.
            lines.pop();
        }
        let line = |(index, text)| Line {
            number: self.line - n_before + index,
            text,
            is_cut_before: index == 0 && self.is_cut_before,
            is_cut_after: index + 1 == n_pieces && self.is_cut_after,
            has_line_end: index + 1 < n_pieces,
        };
        lines.into_iter().enumerate().map(line).collect()
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

    fn lines(excerpt: &Excerpt) -> Vec<(usize, String)> {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        excerpt
            .lines()
            .into_iter()
            .map(|line| (line.number, text(line.text)))
            .collect()
    }

    #[test]
    fn lines_around_the_place_are_numbered() {
        let excerpt = excerpt(&["one\ntwo\nthr"], "ee\nfour\n");
        assert_eq!(
            (excerpt.line(), excerpt.column(), excerpt.offset_in_line()),
            (3, 4, 3)
        );
        let expected = [(1, "one"), (2, "two"), (3, "three"), (4, "four")];
        assert_eq!(
            lines(&excerpt),
            expected.map(|(number, text)| (number, text.to_owned()))
        );
        assert_eq!(excerpt.rest(), b"ee\nfour\n");
    }

    #[test]
    fn the_line_of_a_place_at_the_end_is_compared_if_it_has_begun() {
        assert_eq!(excerpt(&["one\n"], "").first_open_line(), 2);
        assert_eq!(excerpt(&["one"], "").first_open_line(), 2);
        assert_eq!(excerpt(&["one"], "\n").first_open_line(), 1);
        assert_eq!(excerpt(&[], "").first_open_line(), 1);
        assert_eq!(lines(&excerpt(&[], "")), []);
        assert_eq!(lines(&excerpt(&["one\n"], "")), [(1, "one".to_owned())]);
    }

    #[test]
    fn only_the_neighbourhood_of_the_place_is_kept() {
        let line = "0123456789abcde\n";
        let pieces: Vec<&str> = std::iter::repeat_n(line, 10_000).collect();
        let excerpt = excerpt(&pieces, &line.repeat(10_000));
        assert_eq!((excerpt.line(), excerpt.column()), (10_001, 1));
        assert!(excerpt.text.len() <= 3 * KEPT);
        let kept = excerpt.lines();
        assert!(kept[0].is_cut_before && kept[kept.len() - 1].is_cut_after);
        let around: Vec<_> = lines(&excerpt)
            .into_iter()
            .filter(|(n, _)| n.abs_diff(10_001) < 3)
            .collect();
        assert_eq!(around.len(), 5);
        assert!(around.iter().all(|(_, text)| text == "0123456789abcde"));
    }

    #[test]
    fn a_line_longer_than_what_is_kept_is_marked_as_cut() {
        let excerpt = excerpt(&[&"x".repeat(100_000)], &"y".repeat(100_000));
        assert_eq!((excerpt.line(), excerpt.column()), (1, 100_001));
        let lines = excerpt.lines();
        assert!(lines.len() == 1 && lines[0].is_cut_before && lines[0].is_cut_after);
        assert_eq!(excerpt.offset_in_line(), KEPT);
    }
}
