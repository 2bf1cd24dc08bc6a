//! From the piles of each game to its winner.

use std::fmt;

use sg_core::Nimber;
use sg_core::contest::{InputError, Lines, Tokens, read_counted};
use sg_core::game::{self, Outcome};

/// Who wins a game, as the problem wants it printed.
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

/// The numbers of stones.
struct Piles(Vec<u64>);

/// Reads the games and names the winner of each.
pub(crate) fn answer(input: &str) -> Result<Lines<Winner>, InputError> {
    let one = |input: &mut Tokens<'_>| Ok(winner(&parse(input)?));
    read_counted(input, "the number of games", one).map(Lines)
}

fn parse(input: &mut Tokens<'_>) -> Result<Piles, InputError> {
    let n_piles = input.number("the number of piles", 0..=u64::MAX)?;
    let piles = (0..n_piles).map(|_| input.number("a pile", 0..=u64::MAX));
    Ok(Piles(piles.collect::<Result<_, _>>()?))
}

/// The value of a pile is its size, and that of the game their nim-sum.
fn winner(piles: &Piles) -> Winner {
    let total = game::sum(piles.0.iter().copied().map(Nimber));
    Winner(Outcome::of(total))
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::brute;
    use sg_core::{Nimber, heap};

    #[track_caller]
    fn check(input: &str, expected: &[&str]) {
        assert_eq!(answer(input).unwrap().to_string(), expected.join("\n"));
    }

    #[track_caller]
    fn check_error(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap_err().to_string(), expected);
    }

    #[test]
    fn sample() {
        check("2\n2\n1 1\n2\n1 0\n", &["No", "Yes"]);
    }

    #[test]
    fn nothing_to_take_is_lost() {
        check("3\n1\n0\n3\n0 0 0\n0\n", &["No", "No", "No"]);
    }

    #[test]
    fn every_game_starts_from_nothing() {
        check(
            "4\n1\n5\n1\n5\n2\n3 3\n1\n1\n",
            &["Yes", "Yes", "No", "Yes"],
        );
    }

    #[test]
    fn lines_mean_nothing() {
        check("2 3 1\n2\n\n3 2\r\n7\t8", &["No", "Yes"]);
    }

    #[test]
    fn the_sum_is_binary_without_carry() {
        check("3\n3\n1 2 3\n2\n1 3\n3\n3 5 6\n", &["No", "Yes", "No"]);
    }

    #[test]
    fn piles_may_have_any_size_that_the_type_holds() {
        let largest = u64::MAX;
        check(
            &format!("3\n2\n{largest} {largest}\n2\n{largest} 0\n2\n4294967296 0\n"),
            &["No", "Yes", "Yes"],
        );
    }

    #[test]
    fn no_games_have_no_answers() {
        check("0\n", &[]);
    }

    #[test]
    fn faults_are_told() {
        check_error(
            "",
            "line 1, token 1: expected the number of games in 0..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "2\n1\n1\n",
            "line 4, token 1: expected the number of piles in 0..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "1\n2\n1 x\n",
            "line 3, token 2: expected a pile in 0..=18446744073709551615, found \"x\"",
        );
        check_error(
            "1\n2\n1 -1\n",
            "line 3, token 2: expected a pile in 0..=18446744073709551615, found -1",
        );
        check_error(
            "1\n1\n18446744073709551616\n",
            "line 3, token 1: expected a pile in 0..=18446744073709551615, \
             found 18446744073709551616",
        );
        check_error(
            "1\n2\n1 2 3\n",
            "line 3, token 3: expected the end of the input, found 3",
        );
    }

    #[test]
    fn the_cost_depends_on_the_length_of_the_input_only() {
        check_error(
            "1000000000000000000\n1\n7\n1000000000000000000\n1 2\n",
            "line 6, token 1: expected a pile in 0..=18446744073709551615, \
             found the end of the input",
        );
    }

    /// All lists of up to four piles up to 5, in all orders, as the games of one file.
    #[test]
    fn agrees_with_brute_force() {
        let mut games = vec![vec![]];
        for length in 1..=4 {
            let shorter = games.iter().filter(|game| game.len() == length - 1);
            let longer: Vec<Vec<u64>> = shorter
                .flat_map(|game| (0..=5).map(move |pile| [game.as_slice(), &[pile]].concat()))
                .collect();
            games.extend(longer);
        }
        let lines = games.iter().map(|game| {
            let piles: String = game.iter().map(|pile| format!(" {pile}")).collect();
            format!("{}{piles}\n", game.len())
        });
        let input = format!("{}\n{}", games.len(), lines.collect::<String>());
        let found = answer(&input).unwrap().to_string();
        let expected = brute::answer(&input).unwrap();
        assert_eq!(found.lines().count(), games.len());
        assert_eq!(expected.lines().count(), games.len());
        for (game, (found, expected)) in games.iter().zip(found.lines().zip(expected.lines())) {
            assert_eq!(found, expected, "{game:?}");
        }
    }

    /// The table of all heap games, made for this one: a pile may become any smaller pile.
    #[test]
    fn the_value_of_a_pile_is_its_size() {
        let values = heap::values(200, |pile, options| {
            (0..pile).for_each(|left| options.add([left]));
        });
        assert!(values.into_iter().eq((0..=200).map(Nimber)));
    }
}
