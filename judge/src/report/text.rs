//! Bytes made fit to be printed, and figures made fit to be read.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// A text in which every byte can be seen and none can move the cursor. Blanks at its end are
/// shown as `·` and `→`, a carriage return as `␍`.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let n_blank = bytes
        .iter()
        .rev()
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count();
    let (text, blanks) = bytes.split_at(bytes.len() - n_blank);
    let mut shown = String::with_capacity(bytes.len());
    for chunk in text.utf8_chunks() {
        chunk
            .valid()
            .chars()
            .for_each(|c| push_visible(&mut shown, c));
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown.extend(
        blanks
            .iter()
            .map(|&byte| if byte == b' ' { '·' } else { '→' }),
    );
    shown
}

/// Like [`visible`], with the ends of lines as they are.
pub(super) fn visible_lines(bytes: &[u8]) -> String {
    let lines = bytes.trim_ascii_end().split(|&byte| byte == b'\n');
    let lines: Vec<String> = lines.map(visible).collect();
    lines.join("\n")
}

/// A path as seen from a folder, if it is in there.
pub(super) fn path_from(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    visible(path.as_os_str().as_encoded_bytes())
}

fn push_visible(shown: &mut String, c: char) {
    match c {
        '\t' => shown.push('→'),
        '\r' => shown.push('␍'),
        '"' | '\'' | '\\' => shown.push(c),
        c => shown.extend(c.escape_debug()),
    }
}

/// At most `width` characters of a text, with the one at `place` among them and an ellipsis where
/// something was left out.
pub(super) fn crop(text: &str, place: usize, width: usize) -> String {
    let n_chars = text.chars().count();
    if n_chars <= width {
        return text.to_owned();
    }
    let inner = width.saturating_sub(2).max(1);
    let start = place.saturating_sub(inner / 2).min(n_chars - inner);
    let before = if start > 0 { "…" } else { "" };
    let after = if start + inner < n_chars { "…" } else { "" };
    let middle: String = text.chars().skip(start).take(inner).collect();
    format!("{before}{middle}{after}")
}

/// A time in three digits or so.
pub(super) fn time(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    if milliseconds < 9.95 {
        format!("{milliseconds:.1} ms")
    } else if milliseconds < 9999.5 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{:.1} s", milliseconds / 1000.0)
    }
}

/// Memory in three digits or so.
pub(super) fn memory(kib: u64) -> String {
    // No memory is so large that the digits matter that this loses.
    let mib = Duration::from_millis(kib).as_secs_f64() * 1000.0 / 1024.0;
    if mib < 9.95 {
        format!("{mib:.1} MiB")
    } else {
        format!("{mib:.0} MiB")
    }
}

/// `1 case`, `2 cases`.
pub(super) fn count(n: usize, singular: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {singular}{plural}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{count, crop, memory, time, visible};

    #[test]
    fn every_byte_can_be_seen() {
        assert_eq!(visible(b"a b  \t"), "a b··→");
        assert_eq!(visible(b"a\tb\r"), "a→b␍");
        assert_eq!(visible("é'\"\\".as_bytes()), "é'\"\\");
        assert_eq!(visible(b"\0\x1b[2J\xff\xfe"), "\\0\\u{1b}[2J\\xff\\xfe");
        assert_eq!(visible("\u{202e}x".as_bytes()), "\\u{202e}x");
        for byte in 0..=u8::MAX {
            assert!(
                !visible(&[b'a', byte, b'a']).contains(char::is_control),
                "{byte}"
            );
        }
    }

    #[test]
    fn a_crop_holds_its_place() {
        assert_eq!(crop("short", 0, 5), "short");
        let text = "0123456789abcdefghij";
        assert_eq!(crop(text, 0, 10), "01234567…");
        assert_eq!(crop(text, 10, 10), "…6789abcd…");
        assert_eq!(crop(text, 19, 10), "…cdefghij");
        assert_eq!(crop(text, 99, 10), "…cdefghij");
        assert_eq!(crop("éèéèéè", 3, 5), "…éèé…");
        assert_eq!(crop(text, 0, 0), "0…");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(time(Duration::from_micros(940)), "0.9 ms");
        assert_eq!(time(Duration::from_micros(12_400)), "12 ms");
        assert_eq!(time(Duration::from_millis(1003)), "1003 ms");
        assert_eq!(time(Duration::from_millis(12_340)), "12.3 s");
        assert_eq!(memory(2012), "2.0 MiB");
        assert_eq!(memory(300 * 1024), "300 MiB");
        assert_eq!(
            (count(1, "case"), count(0, "case")),
            ("1 case".to_owned(), "0 cases".to_owned())
        );
    }
}
