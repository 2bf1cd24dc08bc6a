//! From the strings to the winners.

use std::fmt;

use sg_core::Nimber;
use sg_core::contest::{InputError, Lines, Tokens, read_counted};
use sg_core::game::{self, Outcome};

/// Who wins, as the problem wants it printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winner(Outcome);

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Outcome::N => "Yes",
            Outcome::P => "No",
        })
    }
}

/// A letter as a coin: `w` shows heads, `b` shows tails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coin {
    Heads,
    Tails,
}

/// Reads the strings and names the winner of each.
pub(crate) fn answer(input: &str) -> Result<Lines<Winner>, InputError> {
    let one = |input: &mut Tokens<'_>| Ok(winner(&parse(input)?));
    read_counted(input, "the number of strings", one).map(Lines)
}

fn parse(input: &mut Tokens<'_>) -> Result<Vec<Coin>, InputError> {
    let n_letters = input.number("the number of letters", 1..=usize::MAX)?;
    let string = input.word("a string of w and b")?;
    let coins: Vec<Coin> = (1..)
        .zip(string.chars())
        .map(|(position, letter)| match letter {
            'w' => Ok(Coin::Heads),
            'b' => Ok(Coin::Tails),
            _ => Err(input.fault(&format!(
                "expected w or b as letter {position}, found {letter:?}"
            ))),
        })
        .collect::<Result<_, _>>()?;
    if coins.len() != n_letters {
        let found = coins.len();
        return Err(input.fault(&format!("expected {n_letters} letters, found {found}")));
    }
    Ok(coins)
}

fn winner(coins: &[Coin]) -> Winner {
    let heads = (1..).zip(coins).filter(|&(_, &coin)| coin == Coin::Heads);
    let total = game::sum(heads.map(|(position, _)| value(position)));
    Winner(Outcome::of(total))
}

/// The value of a string whose only `w` is at this position, counted from 1.
///
/// At position `n` it is the mex of the values further left. If a `w` at position 1 could not be
/// turned alone, it would be `n - 1` everywhere; so, the first two values change places.
fn value(position: u64) -> Nimber {
    Nimber(match position {
        1 => 1,
        2 => 0,
        _ => position - 1,
    })
}

#[cfg(test)]
mod tests {
    use super::{answer, value};
    use crate::brute;
    use sg_core::coins;

    #[track_caller]
    fn check(strings: &str, expected: &str) {
        let games: Vec<String> = strings
            .split_whitespace()
            .map(|string| format!("{}\n{string}\n", string.len()))
            .collect();
        let input = format!("{}\n{}", games.len(), games.concat());
        let printed = answer(&input).unwrap().to_string();
        assert_eq!(printed.replace('\n', " "), expected, "{strings}");
    }

    #[track_caller]
    fn check_error(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap_err().to_string(), expected);
    }

    #[test]
    fn checked_examples() {
        check("w bw bbw", "Yes No Yes");
        check("wbww wbwwb bbbbbbbbbb", "No No No");
    }

    #[test]
    fn position_1_is_the_leftmost_letter() {
        check("wb bw wbb bbw wbbb bbbw", "Yes No Yes Yes Yes Yes");
        check("bwbb bbwb wbww wwbw", "No Yes No Yes");
    }

    #[test]
    fn only_at_position_1_is_nothing_else_flipped() {
        check("bw bwb bwbbbb", "No No No");
    }

    #[test]
    fn a_w_may_be_flipped_back() {
        // The only winning move from wbw: turn both to b.
        check("ww wbw", "Yes Yes");
    }

    #[test]
    fn each_string_is_answered_for_itself() {
        check("w w w bw w", "Yes Yes Yes No Yes");
        check("", "");
    }

    #[test]
    fn long_strings() {
        let b = "b".repeat(99_999);
        check(&format!("{b}w {b}b w{b}"), "Yes No Yes");
        // Four neighbours from an odd position on: (4 m) ^ (4 m + 1) ^ (4 m + 2) ^ (4 m + 3) = 0.
        let w = "w".repeat(100_000);
        check(&format!("{w} {w}w"), "No Yes");
    }

    #[test]
    fn faults_are_told() {
        check_error(
            "1\n3\nwxb\n",
            "line 3, token 1: expected w or b as letter 2, found 'x'",
        );
        check_error(
            "1\n3\nwbW\n",
            "line 3, token 1: expected w or b as letter 3, found 'W'",
        );
        check_error(
            "2\n1\nw\n2\nwö\n",
            "line 5, token 1: expected w or b as letter 2, found 'ö'",
        );
        check_error("1\n3\nwb\n", "line 3, token 1: expected 3 letters, found 2");
        check_error(
            "1\n1000000000000000000\nwwbb\n",
            "line 3, token 1: expected 1000000000000000000 letters, found 4",
        );
        check_error(
            "1\n2\nw b\n",
            "line 3, token 1: expected 2 letters, found 1",
        );
        check_error(
            "1\n1\nw b\n",
            "line 3, token 2: expected the end of the input, found \"b\"",
        );
        check_error(
            "1\n3\n",
            "line 3, token 1: expected a string of w and b, found the end of the input",
        );
        check_error(
            "1000000000000000000\n1\nw\n",
            "line 4, token 1: expected the number of letters in 1..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "1\n0\n\n",
            "line 2, token 1: expected the number of letters in 1..=18446744073709551615, found 0",
        );
        check_error(
            "w\n",
            "line 1, token 1: expected the number of strings in 0..=18446744073709551615, \
             found \"w\"",
        );
    }

    #[test]
    fn the_closed_form_agrees_with_the_theory_of_coins() {
        let by_theory = coins::values(300, |coin, moves| {
            if coin == 1 {
                moves.add([]);
            }
            for other in 1..coin {
                moves.add([other]);
            }
        });
        assert!(by_theory.into_iter().eq((1..=300).map(value)));
    }

    /// All strings of length `n_letters`: bit `position - 1` of the code set means `w`.
    fn all_strings(n_letters: usize) -> Vec<String> {
        let letter = |is_w| if is_w { 'w' } else { 'b' };
        (0..1_u32 << n_letters)
            .map(|code| {
                (0..n_letters)
                    .map(|bit| letter(code >> bit & 1 == 1))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn agrees_with_brute_force() {
        let n_lost = [1, 2, 2, 4, 4, 8, 16, 32, 32, 64];
        for (n_letters, n_lost) in (1..).zip(n_lost) {
            let strings = all_strings(n_letters);
            let games = strings
                .iter()
                .map(|string| format!("{n_letters} {string}\n"));
            let input = format!("{} {}", strings.len(), games.collect::<String>());
            let found = answer(&input).unwrap().to_string();
            let expected = brute::answer(&input).unwrap();
            for ((string, found), expected) in
                strings.iter().zip(found.lines()).zip(expected.lines())
            {
                assert_eq!(found, expected, "{string}");
            }
            assert_eq!(found.lines().count(), strings.len());
            assert_eq!(found.lines().filter(|&line| line == "No").count(), n_lost);
        }
    }
}
