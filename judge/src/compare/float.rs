//! Numbers that are near enough.

use std::fmt;
use std::str;

use serde::Deserialize;

/// The longest word that is read as a number, in bytes. Every `f64` fits, printed in full: 309
/// digits before the point and 1074 after it. What is longer is text.
pub(super) const LONGEST_NUMBER: usize = 2048;

/// How far a number may be from the expected one, absolutely or, from 1 on, relatively. Finite and
/// not negative; 0 wants the same number, however it is written.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Tolerance(f64);

/// It is never NaN.
impl Eq for Tolerance {}

impl TryFrom<f64> for Tolerance {
    type Error = String;

    fn try_from(tolerance: f64) -> Result<Self, String> {
        if tolerance.is_finite() && tolerance >= 0.0 {
            Ok(Self(tolerance))
        } else {
            Err(format!(
                "a tolerance is a finite number, 0 or larger, not {tolerance:?}"
            ))
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // This form alone writes `1e-6` and `0.5` both as one would.
        write!(f, "{:?}", self.0)
    }
}

impl Tolerance {
    /// Whether a word may stand for the expected one. Two numbers must be near each other, and
    /// everything else must be the same to the letter. NaN equals nothing, itself included.
    pub(crate) fn accepts(self, expected: &[u8], found: &[u8]) -> bool {
        match (number(expected), number(found)) {
            (Some(expected), Some(found)) => self.is_near(expected, found),
            (None, None) => expected == found,
            _ => false,
        }
    }

    fn is_near(self, expected: f64, found: f64) -> bool {
        if expected.is_infinite() || found.is_infinite() {
            // Subtraction would make NaN of these.
            return expected.total_cmp(&found).is_eq();
        }
        (found - expected).abs() <= self.0 * expected.abs().max(1.0)
    }
}

/// The number that a whole word is, as C's `strtod` reads it, but for hexadecimal digits: an
/// optional sign; digits with at most one point, before, among or after them; an optional exponent
/// of `e` or `E`, an optional sign and digits; or `inf`, `infinity` or `nan` in letters of either
/// case. What is too large is infinite.
pub(crate) fn number(word: &[u8]) -> Option<f64> {
    if word.len() > LONGEST_NUMBER {
        return None;
    }
    // Rust's grammar is the same.
    str::from_utf8(word).ok()?.parse().ok()
}

pub(super) fn is_nan(word: &[u8]) -> bool {
    number(word).is_some_and(f64::is_nan)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NUMBER, Tolerance, number};

    fn accepts(tolerance: f64, expected: &str, found: &str) -> bool {
        let tolerance = Tolerance::try_from(tolerance).unwrap();
        tolerance.accepts(expected.as_bytes(), found.as_bytes())
    }

    #[test]
    fn what_is_a_number_and_what_is_not() {
        let numbers = [
            "0", "-0", "+1", "1.", ".5", "-.5e3", "1e5", "1E+5", "1e-05", "007", "1e999", "inf",
            "-INF", "Infinity", "nan", "-NaN",
        ];
        for word in numbers {
            assert!(number(word.as_bytes()).is_some(), "{word}");
        }
        let texts = [
            "", ".", "-", "+-1", "--1", "e5", ".e5", "1e", "1e+", "1e5.0", "1.2.3", "1,5", "0x10",
            "1p3", "1f", "1_000", "in", "infinit", "nan(1)", "١", "1\u{a0}", "Yes",
        ];
        for word in texts {
            assert!(number(word.as_bytes()).is_none(), "{word}");
        }
        assert!(number(b"1\xff").is_none());
    }

    #[test]
    fn a_tolerance_is_absolute_below_one_and_relative_above() {
        assert!(accepts(0.125, "0", "0.125") && accepts(0.125, "0.5", "0.375"));
        assert!(!accepts(0.125, "0", "0.126") && !accepts(0.125, "0", "-0.126"));
        assert!(accepts(0.125, "-8", "-9") && accepts(0.125, "8", "7"));
        assert!(!accepts(0.125, "8", "9.01") && !accepts(0.125, "8", "-8"));
        assert!(accepts(1e-6, "1000000", "1000001") && !accepts(1e-6, "1000000", "1000001.1"));
    }

    #[test]
    fn no_tolerance_wants_the_same_number_however_written() {
        assert!(accepts(0.0, "0.5", "+.50e0") && accepts(0.0, "0", "-0.0"));
        assert!(!accepts(0.0, "0.5", "0.5000000000000001"));
    }

    #[test]
    fn what_is_not_finite_is_only_equal_to_the_same_infinity() {
        for tolerance in [0.0, 1e-6, f64::MAX] {
            assert!(accepts(tolerance, "inf", "Infinity") && accepts(tolerance, "inf", "1e999"));
            assert!(accepts(tolerance, "-inf", "-INF"));
            for (expected, found) in [
                ("inf", "-inf"),
                ("inf", "1e308"),
                ("1e308", "inf"),
                ("nan", "nan"),
                ("nan", "0"),
                ("0", "nan"),
                ("inf", "nan"),
            ] {
                assert!(!accepts(tolerance, expected, found), "{expected} {found}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_compared_as_text() {
        assert!(accepts(1.0, "Yes", "Yes") && accepts(1.0, "0x10", "0x10"));
        assert!(!accepts(1.0, "Yes", "yes") && !accepts(1.0, "0x10", "16"));
        assert!(!accepts(1.0, "1", "one") && !accepts(1.0, "one", "1"));
    }

    #[test]
    fn every_printed_number_fits() {
        for extreme in [f64::MIN, -f64::MIN_POSITIVE, -5e-324] {
            let printed = format!("{extreme:.1074}");
            assert!(printed.len() <= LONGEST_NUMBER);
            assert_eq!(number(printed.as_bytes()), Some(extreme));
        }
        let long = "1".repeat(LONGEST_NUMBER + 1);
        assert!(accepts(1.0, &long, &long) && !accepts(1.0, &long, &format!("{long}.0")));
    }

    #[test]
    fn a_tolerance_is_written_as_one_would() {
        let shown = |tolerance| Tolerance::try_from(tolerance).unwrap().to_string();
        assert_eq!(
            [1e-6, 1e-9, 0.001, 0.5].map(shown),
            ["1e-6", "1e-9", "0.001", "0.5"]
        );
        for bad in [-1.0, -1e-9, f64::NAN, f64::INFINITY] {
            assert!(Tolerance::try_from(bad).is_err(), "{bad}");
        }
    }
}
