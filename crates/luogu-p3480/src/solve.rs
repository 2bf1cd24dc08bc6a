//! From the row of each game to its winner.

use std::fmt;

use sg_core::contest::{InputError, Lines, Tokens, read_counted};
use sg_core::game::Outcome;
use sg_core::{Nimber, staircase};

/// Who wins a game, as the problem wants it printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winner(Outcome);

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Outcome::N => "TAK",
            Outcome::P => "NIE",
        })
    }
}

/// Piles from left to right, none smaller than the one before it.
struct Row(Vec<u64>);

/// Reads the games and names the winner of each.
pub(crate) fn answer(input: &str) -> Result<Lines<Winner>, InputError> {
    let one = |input: &mut Tokens<'_>| Ok(winner(&parse(input)?));
    read_counted(input, "the number of games", one).map(Lines)
}

fn parse(input: &mut Tokens<'_>) -> Result<Row, InputError> {
    let n_piles = input.number("the number of piles", 0..=u64::MAX)?;
    let mut piles: Vec<u64> = Vec::new();
    for _ in 0..n_piles {
        let lowest = piles.last().copied().unwrap_or(0);
        let pile = input.number("a pile", 0..=u64::MAX)?;
        if pile < lowest {
            return Err(input.unexpected(&format!("a pile of at least {lowest}")));
        }
        piles.push(pile);
    }
    Ok(Row(piles))
}

fn winner(row: &Row) -> Winner {
    Winner(Outcome::of(value(row)))
}

/// The value of a row: that of a staircase with the differences between neighbours as its coins.
///
/// Taking pebbles from a pile moves as much from its difference to that of its right neighbour.
/// The last pile has none, so its difference lies on the step next to the ground.
fn value(row: &Row) -> Nimber {
    let from_the_right = row.0.iter().rev();
    let lower_neighbours = from_the_right.clone().skip(1).chain([&0]);
    staircase::value(
        from_the_right
            .zip(lower_neighbours)
            .map(|(pile, lower)| pile - lower),
    )
}

#[cfg(test)]
mod tests {
    use super::{Row, answer, value};
    use crate::brute;
    use sg_core::mex::mex;

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
        check("2\n2\n2 2\n3\n1 2 4\n", &["NIE", "TAK"]);
    }

    #[test]
    fn nothing_to_take_is_lost() {
        check("3\n1\n0\n4\n0 0 0 0\n0\n", &["NIE", "NIE", "NIE"]);
    }

    #[test]
    fn one_pile_is_taken_whole() {
        check("2\n1\n1\n1\n10000\n", &["TAK", "TAK"]);
    }

    #[test]
    fn steps_are_counted_from_the_right() {
        check("3\n2\n0 1\n2\n7 7\n4\n2 2 5 5\n", &["TAK", "NIE", "NIE"]);
    }

    /// Where the number of piles is odd, the first pile counts, and its difference is all of it.
    #[test]
    fn the_first_pile_has_nothing_below_it() {
        check("2\n3\n5 5 5\n3\n1 2 3\n", &["TAK", "NIE"]);
    }

    #[test]
    fn every_game_starts_from_nothing() {
        check(
            "4\n1\n5\n1\n4\n2\n3 3\n3\n1 1 2\n",
            &["TAK", "TAK", "NIE", "NIE"],
        );
    }

    #[test]
    fn lines_mean_nothing() {
        check("2 2 2\n2\n\n3 1\r\n2\t4", &["NIE", "TAK"]);
    }

    #[test]
    fn piles_may_have_any_size_that_the_type_holds() {
        let largest = u64::MAX;
        check(
            &format!("3\n3\n0 0 {largest}\n2\n{largest} {largest}\n3\n1 {largest} {largest}\n"),
            &["TAK", "NIE", "TAK"],
        );
    }

    #[test]
    fn no_games_have_no_answers() {
        check("0\n", &[]);
    }

    #[test]
    fn a_row_that_decreases_is_told() {
        check_error(
            "2\n2\n5 5\n3\n1 4 2\n",
            "line 5, token 3: expected a pile of at least 4, found 2",
        );
        check_error(
            "1\n2\n18446744073709551615 18446744073709551614",
            "line 3, token 2: expected a pile of at least 18446744073709551615, \
             found 18446744073709551614",
        );
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
            "1\n2\n-1 0\n",
            "line 3, token 1: expected a pile in 0..=18446744073709551615, found -1",
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

    /// All rows of up to five piles up to 4, shorter rows first.
    fn small_rows() -> Vec<Vec<u64>> {
        let mut rows = vec![vec![]];
        for length in 1..=5 {
            let shorter = rows.iter().filter(|row| row.len() == length - 1);
            let longer: Vec<Vec<u64>> = shorter
                .flat_map(|row: &Vec<u64>| {
                    let lowest = row.last().copied().unwrap_or(0);
                    (lowest..=4).map(move |pile| [row.as_slice(), &[pile]].concat())
                })
                .collect();
            rows.extend(longer);
        }
        rows
    }

    /// All small rows, as the games of one file.
    #[test]
    fn agrees_with_brute_force() {
        let rows = small_rows();
        let lines = rows.iter().map(|row| {
            let piles: String = row.iter().map(|pile| format!(" {pile}")).collect();
            format!("{}{piles}\n", row.len())
        });
        let input = format!("{}\n{}", rows.len(), lines.collect::<String>());
        let found = answer(&input).unwrap().to_string();
        let expected = brute::answer(&input).unwrap();
        assert_eq!(found.lines().count(), rows.len());
        assert_eq!(expected.lines().count(), rows.len());
        for (row, (found, expected)) in rows.iter().zip(found.lines().zip(expected.lines())) {
            assert_eq!(found, expected, "{row:?}");
        }
    }

    /// Not only who wins: a function that is the mex of its options everywhere is the Grundy
    /// value, by induction over the number of pebbles. A move is tried on the row as it is played.
    #[test]
    fn the_value_is_the_mex_of_the_options() {
        for row in small_rows() {
            let amounts =
                (0..row.len()).flat_map(|pile| (0..row[pile]).map(move |left| (pile, left)));
            let after = amounts.map(|(pile, left)| {
                let mut after = row.clone();
                after[pile] = left;
                after
            });
            let never_decreases =
                |after: &Vec<u64>| after.windows(2).all(|pair| pair[0] <= pair[1]);
            let options = after
                .filter(never_decreases)
                .map(|after| value(&Row(after)));
            assert_eq!(mex(options), value(&Row(row.clone())), "{row:?}");
        }
    }
}
