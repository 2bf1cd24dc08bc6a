//! The lines around a first difference, side against side.

use std::time::Duration;

use similar::{Algorithm, TextDiff};

use super::text::{crop, visible};
use crate::compare::{Difference, Excerpt, Line, Rule, Tolerance, is_white};

/// How many lines are shown before the first that differs.
const BEFORE: usize = 2;

/// How many lines of each side are looked at from the first that differs.
const AFTER: usize = 7;

/// A line of a diff, with its number on each side that it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiffLine {
    pub(super) tag: Tag,
    pub(super) expected_number: Option<usize>,
    pub(super) found_number: Option<usize>,
    pub(super) text: String,
}

/// Which side a line stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Both,
    Expected,
    Found,
}

/// The lines around a difference, each at most `width` characters wide.
///
/// What was compared before is the same by the rule, if not to the letter, so it is taken from the
/// output as it is. Only what follows is diffed.
pub(super) fn lines(difference: &Difference, width: usize) -> Vec<DiffLine> {
    let Difference {
        rule,
        expected,
        found,
    } = difference;
    let rule = *rule;
    let (first_expected, first_found) = difference.first_lines();
    let before = found
        .lines()
        .into_iter()
        .filter(|line| line.number < first_found);
    let before = before.skip_while(|line| line.number + BEFORE < first_found);
    let mut shown: Vec<DiffLine> = before
        .map(|line| DiffLine {
            tag: Tag::Both,
            // By words, the sides may have come here by different lines.
            expected_number: goes_by_lines(rule).then_some(line.number),
            found_number: Some(line.number),
            text: show(&line, found, rule, width),
        })
        .collect();
    let old = lines_from(first_expected, expected, rule, width);
    let mut new = lines_from(first_found, found, rule, width);
    if let Rule::Float(tolerance) = rule {
        liken(&old, &mut new, tolerance);
    }
    for (old_index, new_index) in align(&old, &new) {
        let old_line = old_index.map(|index| &old[index]);
        let new_line = new_index.map(|index| &new[index]);
        let tag = match (old_line, new_line) {
            (Some(_), Some(_)) => Tag::Both,
            (Some(_), None) => Tag::Expected,
            (None, _) => Tag::Found,
        };
        shown.extend(new_line.or(old_line).map(|line| DiffLine {
            tag,
            expected_number: old_line.map(|line| line.number),
            found_number: new_line.map(|line| line.number),
            text: line.text.clone(),
        }));
    }
    shown
}

const fn goes_by_lines(rule: Rule) -> bool {
    matches!(rule, Rule::Lines | Rule::Exact)
}

/// Gives every line of the output the meaning of an expected one that it is near enough to, if
/// there is one: that with the same index, else the first. The others, which may hold NaN, get a
/// meaning that no expected line has.
fn liken(old: &[SideLine], new: &mut [SideLine], tolerance: Tolerance) {
    let is_near = |old: &SideLine, new: &SideLine| {
        let (expected, found) = (old.meaning.split(' '), new.meaning.split(' '));
        let mut pairs = expected.clone().zip(found.clone());
        expected.count() == found.count()
            && pairs
                .all(|(expected, found)| tolerance.accepts(expected.as_bytes(), found.as_bytes()))
    };
    for (index, line) in new.iter_mut().enumerate() {
        let candidates = old.get(index).into_iter().chain(old);
        let near = candidates.into_iter().find(|old| is_near(old, line));
        line.meaning =
            near.map_or_else(|| format!("{}\n", line.meaning), |old| old.meaning.clone());
    }
}

/// Which line of one side stands beside which of the other.
type Alignment = Vec<(Option<usize>, Option<usize>)>;

/// The shortest edit shows best where a line is missing. But most outputs answer one question a
/// line, often by one of two words; then an edit pairs answers to different questions, and to hold
/// each line against the one with the same number says more. That is done unless the edit finds
/// more than twice as many equal lines.
fn align(old: &[SideLine], new: &[SideLine]) -> Alignment {
    let edit = align_by_edit(&meanings(old), &meanings(new));
    let n_equal = edit
        .iter()
        .filter(|pair| matches!(pair, (Some(_), Some(_))))
        .count();
    let is_equal = |index: &usize| old[*index].meaning == new[*index].meaning;
    let n_common = old.len().min(new.len());
    if (0..n_common).filter(is_equal).count() * 2 < n_equal {
        return edit;
    }
    let pair = |index| match (old.get(index), new.get(index)) {
        (Some(_), Some(_)) if is_equal(&index) => vec![(Some(index), Some(index))],
        (old, new) => {
            let (old, new) = (
                old.map(|_| (Some(index), None)),
                new.map(|_| (None, Some(index))),
            );
            old.into_iter().chain(new).collect()
        }
    };
    (0..old.len().max(new.len())).flat_map(pair).collect()
}

fn align_by_edit(old: &[&str], new: &[&str]) -> Alignment {
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .timeout(Duration::from_millis(100))
        .diff_slices(old, new);
    diff.iter_all_changes()
        .map(|change| (change.old_index(), change.new_index()))
        .collect()
}

/// A line of one side: what the rule sees of it, and what is shown.
struct SideLine {
    number: usize,
    meaning: String,
    text: String,
}

/// The lines of one side from this one on.
fn lines_from(first: usize, side: &Excerpt, rule: Rule, width: usize) -> Vec<SideLine> {
    let lines = side
        .lines()
        .into_iter()
        .filter(|line| line.number >= first)
        .take(AFTER);
    let side_line = |line: Line<'_>| SideLine {
        number: line.number,
        meaning: meaning(&line, rule),
        text: show(&line, side, rule, width),
    };
    lines.map(side_line).collect()
}

fn meanings(lines: &[SideLine]) -> Vec<&str> {
    lines.iter().map(|line| line.meaning.as_str()).collect()
}

fn meaning(line: &Line<'_>, rule: Rule) -> String {
    let words = || {
        line.text
            .split(|&byte| is_white(byte))
            .filter(|word| !word.is_empty())
    };
    match rule {
        Rule::Exact => format!("{}{}", visible(line.text), line_end(line)),
        Rule::Tokens | Rule::Float(_) => visible(&words().collect::<Vec<_>>().join(&b' ')),
        Rule::Lines => {
            let n_blank = line
                .text
                .iter()
                .rev()
                .take_while(|&&byte| is_white(byte))
                .count();
            visible(&line.text[..line.text.len() - n_blank])
        }
    }
}

/// The mark of a line end, for where that may be the difference.
const fn line_end(line: &Line<'_>) -> &'static str {
    if line.has_line_end { "␊" } else { "" }
}

/// A line as it stands, around the place of the difference if that is in it.
pub(super) fn show(line: &Line<'_>, side: &Excerpt, rule: Rule, width: usize) -> String {
    let cut = |is_cut| if is_cut { "…" } else { "" };
    let place = if line.number == side.line() {
        side.offset_in_line()
    } else {
        0
    };
    let text_before = visible(&line.text[..place.min(line.text.len())]);
    let place = cut(line.is_cut_before)
        .chars()
        .chain(text_before.chars())
        .count();
    let text = [
        cut(line.is_cut_before),
        &visible(line.text),
        if rule == Rule::Exact {
            line_end(line)
        } else {
            ""
        },
        cut(line.is_cut_after),
    ];
    crop(&text.concat(), place, width)
}

#[cfg(test)]
mod tests {
    use super::{Tag, lines};
    use crate::compare::{Comparator, Comparison, Rule, Tolerance};

    fn diff(rule: Rule, expected: &[u8], found: &[u8], width: usize) -> Vec<String> {
        let mut comparator = Comparator::new(rule, expected);
        comparator.feed(found).unwrap();
        let Comparison::Different(difference) = comparator.finish().unwrap() else {
            return Vec::new();
        };
        let sign = |tag| match tag {
            Tag::Both => ' ',
            Tag::Expected => '-',
            Tag::Found => '+',
        };
        lines(&difference, width)
            .iter()
            .map(|line| format!("{}{}", sign(line.tag), line.text))
            .collect()
    }

    #[test]
    fn the_lines_around_are_shown() {
        let shown = diff(
            Rule::Lines,
            b"1\n2\n3\n4\n5\n6\n",
            b"1\n2\n3\n9\n5\n6\n",
            80,
        );
        assert_eq!(shown, [" 2", " 3", "-4", "+9", " 5", " 6"]);
    }

    #[test]
    fn what_the_rule_does_not_see_is_no_difference() {
        let shown = diff(Rule::Lines, b"1 \r\n2\n3\n4\n", b"1\n2\nx\n4\r\n", 80);
        assert_eq!(shown, [" 1", " 2", "-3", "+x", " 4␍"]);
        let shown = diff(Rule::Tokens, b"0\n1 2\n", b"9\n1  2\x0b\n", 80);
        assert_eq!(shown, ["-0", "+9", " 1  2\\u{b}"]);
    }

    #[test]
    fn numbers_that_are_near_enough_are_no_difference() {
        let rule = Rule::Float(Tolerance::try_from(0.1).unwrap());
        let shown = diff(rule, b"1\n2\n3 x\nnan\n", b"1.5\n2.1\n3.0  x\nnan\n", 80);
        assert_eq!(shown, ["-1", "+1.5", " 2.1", " 3.0  x", "-nan", "+nan"]);
        let shown = diff(rule, b"1\n2\n3\n4\n", b"1\n3.0\n4.1\n", 80);
        assert_eq!(shown, [" 1", "-2", " 3.0", " 4.1"]);
    }

    #[test]
    fn answers_are_held_against_those_to_the_same_question() {
        let shown = diff(Rule::Lines, b"Y\nY\nN\nY\n", b"N\nY\nY\nY\n", 80);
        assert_eq!(shown, ["-Y", "+N", " Y", "-N", "+Y", " Y"]);
    }

    #[test]
    fn a_line_too_many_or_too_few_does_not_shift_the_others() {
        let shown = diff(Rule::Lines, b"1\n2\n3\n4\n", b"0\n1\n2\n3\n4\n", 80);
        assert_eq!(shown, ["+0", " 1", " 2", " 3", " 4"]);
        let shown = diff(Rule::Lines, b"1\n2\n3\n4\n", b"1\n3\n4\n", 80);
        assert_eq!(shown, [" 1", "-2", " 3", " 4"]);
    }

    #[test]
    fn a_missing_or_additional_end_is_shown() {
        assert_eq!(diff(Rule::Lines, b"1\n2\n", b"1\n", 80), [" 1", "-2"]);
        assert_eq!(diff(Rule::Lines, b"1\n", b"1\n2\n", 80), [" 1", "+2"]);
        assert_eq!(diff(Rule::Lines, b"1\n", b"", 80), ["-1"]);
        assert_eq!(diff(Rule::Lines, b"", b"1\n", 80), ["+1"]);
        assert_eq!(diff(Rule::Exact, b"1\n", b"1", 80), ["-1␊", "+1"]);
        assert_eq!(diff(Rule::Exact, b"1 \n", b"1\n", 80), ["-1·␊", "+1␊"]);
        assert_eq!(diff(Rule::Lines, b"5", b"5\n5\n", 80), [" 5", "+5"]);
        assert_eq!(diff(Rule::Lines, b"5\n5\n", b"5", 80), [" 5", "-5"]);
        assert_eq!(diff(Rule::Lines, b"5\n7\n", b"5", 80), [" 5", "-7"]);
        assert_eq!(
            diff(Rule::Tokens, b"1 2 3", b"1\n2\n3\n4\n", 80),
            [" 2", " 3", "+4"]
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let expected = format!("{}5{}", "1".repeat(50_000), "1".repeat(50_000));
        let found = format!("{}6{}", "1".repeat(50_000), "1".repeat(50_000));
        let shown = diff(Rule::Lines, expected.as_bytes(), found.as_bytes(), 21);
        assert_eq!(shown, ["-…1111111115111111111…", "+…1111111116111111111…"]);
    }

    #[test]
    fn any_difference_fits_a_screen() {
        let expected: String = (0..100_000).map(|line| format!("{line}\n")).collect();
        let found: String = (0..100_000)
            .map(|line| format!("{}\n", line * 7 + 1))
            .collect();
        let shown = diff(Rule::Lines, expected.as_bytes(), found.as_bytes(), 80);
        assert!(shown.len() <= 16, "{}", shown.len());
    }

    #[test]
    fn bytes_of_any_kind_can_be_printed() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        for rule in [Rule::Lines, Rule::Tokens, Rule::Exact] {
            let shown = diff(rule, b"x", &all, 400).concat();
            assert!(!shown.contains(char::is_control), "{shown}");
        }
    }
}
