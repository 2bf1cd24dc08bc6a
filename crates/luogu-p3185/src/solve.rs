//! From the rows of bottles to their winning first moves.

use std::fmt;

use sg_core::Nimber;
use sg_core::contest::{InputError, Lines, Tokens, read_counted};
use sg_core::{game, heap};

/// One bean out of bottle `from`, and one into each of two later bottles, which may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    from: usize,
    into: [usize; 2],
}

/// What is asked of one row: its smallest winning first move, and the number of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WinningMoves {
    smallest: Option<Move>,
    count: usize,
}

impl fmt::Display for WinningMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.smallest {
            Some(Move { from, into: [a, b] }) => writeln!(f, "{from} {a} {b}")?,
            None => writeln!(f, "-1 -1 -1")?,
        }
        self.count.fmt(f)
    }
}

/// The numbers of beans in the bottles, from bottle 0 on.
struct Row(Vec<u64>);

impl Row {
    /// How many bottles stand behind this one: all that matters to a bean in it.
    fn distance(&self, bottle: usize) -> usize {
        self.0.len() - 1 - bottle
    }

    /// The bottles out of which a bean can be taken.
    fn occupied(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len()).filter(move |&bottle| self.0[bottle] > 0)
    }
}

/// Reads the rows and finds the winning first moves of each.
pub(crate) fn answer(input: &str) -> Result<Lines<WinningMoves>, InputError> {
    let rows = read_counted(input, "the number of rows", parse)?;
    // One table for all rows, and no longer than the beans demand.
    let farthest = |row: &Row| row.occupied().next().map(|bottle| row.distance(bottle));
    let values = bean_values(rows.iter().filter_map(farthest).max().unwrap_or(0));
    let answers = rows.iter().map(|row| winning_moves(row, &values));
    Ok(Lines(answers.collect()))
}

fn parse(input: &mut Tokens<'_>) -> Result<Row, InputError> {
    let n_bottles = input.number("the number of bottles", 0..=usize::MAX)?;
    let beans = (0..n_bottles).map(|_| input.number("a number of beans", 0..=u64::MAX));
    Ok(Row(beans.collect::<Result<_, _>>()?))
}

/// The values of one bean at the distances `0..=farthest`: it becomes two beans, each nearer.
fn bean_values(farthest: usize) -> Vec<Nimber> {
    heap::values(farthest, |distance, options| {
        for farther in 0..distance {
            for nearer in 0..=farther {
                options.add([farther, nearer]);
            }
        }
    })
}

/// The component is a bean, not a bottle. Beans in one bottle are alike, so one of them stands
/// for all in the search for moves, while two of them cancel in the total.
fn winning_moves(row: &Row, values: &[Nimber]) -> WinningMoves {
    let n_bottles = row.0.len();
    let value = |bottle: usize| values[row.distance(bottle)];
    let odd = row.occupied().filter(|&bottle| row.0[bottle] % 2 == 1);
    let total = game::sum(odd.map(value));

    let components = row.occupied().map(|bottle| (bottle, value(bottle)));
    let options = |&from: &usize| {
        let with_first = move |a: usize| (a..n_bottles).map(move |b| ([a, b], value(a) + value(b)));
        (from + 1..n_bottles).flat_map(with_first)
    };
    // In the order of bottles here and there, so the smallest move comes first.
    let mut moves = game::winning_moves(total, components, options);
    let smallest = moves.next().map(|(from, into)| Move { from, into });
    WinningMoves {
        smallest,
        count: usize::from(smallest.is_some()) + moves.count(),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, bean_values};
    use crate::brute;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap().to_string(), expected, "{input}");
    }

    #[track_caller]
    fn check_error(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap_err().to_string(), expected);
    }

    const LOST: &str = "-1 -1 -1\n0";

    #[test]
    fn sample() {
        check("2\n4\n1 0 1 5000\n3\n0 0 1\n", "0 2 3\n1\n-1 -1 -1\n0");
    }

    #[test]
    fn an_empty_bottle_has_no_bean_to_take() {
        check("1 5 0 0 0 1 0", "3 4 4\n1");
        check("1 6 0 0 1 0 0 0", "2 3 3\n3");
        check("1 6 0 1 0 1 0 0", "1 3 5\n1");
    }

    #[test]
    fn both_beans_may_go_into_one_bottle() {
        check("1 2 1 0", "0 1 1\n1");
        check("1 3 1 0 0", "0 1 1\n2");
    }

    #[test]
    fn beans_in_one_bottle_are_alike_and_two_cancel() {
        check("1 2 3 0", "0 1 1\n1");
        check("1 2 2 0", LOST);
        check("1 4 2 2 2 2", LOST);
        // The even bottles have beans to take, and taking one of them can win.
        check("1 4 2 0 1 0", "2 3 3\n1");
        check("1 5 2 2 1 2 0", "0 1 3\n3");
    }

    #[test]
    fn no_moves_at_all() {
        check("1 1 7", LOST);
        check("1 0", LOST);
        check("1 3 0 0 0", LOST);
        check("1 4 0 0 0 18446744073709551615", LOST);
        check("0", "");
    }

    #[test]
    fn counts_of_64_bits() {
        check("1 2 18446744073709551615 18446744073709551615", "0 1 1\n1");
        check("1 2 18446744073709551614 18446744073709551615", LOST);
    }

    #[test]
    fn each_row_is_answered_for_itself() {
        check(
            "4 2 1 0 4 1 0 1 5000 1 9 2 1 0",
            "0 1 1\n1\n0 2 3\n1\n-1 -1 -1\n0\n0 1 1\n1",
        );
    }

    #[test]
    fn empty_bottles_before_the_first_bean_cost_next_to_nothing() {
        let empty = "0 ".repeat(200_000);
        check(&format!("1 200002 {empty} 1 0"), "200000 200001 200001\n1");
    }

    #[test]
    fn faults_are_told() {
        check_error(
            "",
            "line 1, token 1: expected the number of rows in 0..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "1\n1000000000000000000\n1 2\n",
            "line 4, token 1: expected a number of beans in 0..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "1000000000000000000\n1\n1\n",
            "line 4, token 1: expected the number of bottles in 0..=18446744073709551615, \
             found the end of the input",
        );
        check_error(
            "1\n2\n1 x\n",
            "line 3, token 2: expected a number of beans in 0..=18446744073709551615, found \"x\"",
        );
        check_error(
            "1\n2\n-1 0\n",
            "line 3, token 1: expected a number of beans in 0..=18446744073709551615, found -1",
        );
        check_error(
            "1\n2\n18446744073709551616 0\n",
            "line 3, token 1: expected a number of beans in 0..=18446744073709551615, \
             found 18446744073709551616",
        );
        check_error(
            "1\n2\n1 0 5\n",
            "line 3, token 3: expected the end of the input, found 5",
        );
    }

    #[test]
    fn the_first_21_values() {
        let expected = [
            0, 1, 2, 4, 7, 8, 11, 13, 14, 16, 19, 21, 22, 25, 26, 28, 31, 32, 35, 37, 38,
        ];
        assert!(bean_values(20).iter().map(|value| value.0).eq(expected));
    }

    /// The closed form of the README: 0, and then the numbers with an odd number of ones in binary.
    #[test]
    fn the_values_are_the_odious_numbers() {
        let odious = (0_u64..).filter(|number| number.count_ones() % 2 == 1);
        let values = bean_values(150);
        assert_eq!(values[0].0, 0);
        assert!(values[1..].iter().map(|value| value.0).eq(odious.take(150)));
    }

    /// All rows of up to six bottles with up to two beans each.
    #[test]
    fn agrees_with_brute_force() {
        let mut games = Vec::new();
        for (n_bottles, n_counts) in [(0, 1), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (6, 3_u32)] {
            for code in 0..n_counts.pow(n_bottles) {
                let digit = |bottle| format!(" {}", code / n_counts.pow(bottle) % n_counts);
                let beans: String = (0..n_bottles).map(digit).collect();
                games.push(format!("{n_bottles}{beans}\n"));
            }
        }
        let input = format!("{}\n{}", games.len(), games.concat());
        let answer = answer(&input).unwrap().to_string();
        let expected = brute::answer(&input).unwrap();
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
        let (answer, expected) = (lines(&answer), lines(&expected));
        assert_eq!(answer.len(), 2 * games.len());
        for (index, game) in games.iter().enumerate() {
            let both = 2 * index..2 * index + 2;
            assert_eq!(answer[both.clone()], expected[both], "{game}");
        }
    }
}
