//! From the piles to the number of winning first moves.

use sg_core::contest::{InputError, Tokens};
use sg_core::{Nimber, game};

use crate::divisors::Divisors;

/// Piles of one size: whatever wins on one of them wins on each.
#[derive(Clone, Copy, Debug)]
struct Kind {
    size: u64,
    n_piles: u64,
}

/// Reads the piles and counts the winning first moves.
pub(crate) fn answer(input: &str) -> Result<u64, InputError> {
    Ok(n_winning_moves(parse(input)?))
}

fn parse(input: &str) -> Result<Vec<u64>, InputError> {
    let mut input = Tokens::new(input);
    let n_piles = input.number("the number of piles", 0..=usize::MAX)?;
    let piles = (0..n_piles)
        .map(|_| input.number("a pile", 1..=u64::MAX))
        .collect::<Result<_, _>>()?;
    input.end()?;
    Ok(piles)
}

/// No number below 2^64 has more than 184320 divisors, so no memory holds enough piles for the
/// sum to overflow.
fn n_winning_moves(piles: Vec<u64>) -> u64 {
    let total = game::sum(piles.iter().map(|&pile| value(pile)));
    let kinds = kinds(piles);
    let divisors = divisors_for(&kinds);
    let components = kinds.iter().map(|&kind| (kind, value(kind.size)));
    let options = |kind: &Kind| {
        let size = kind.size;
        let moves = moves_to(total + value(size), size, &divisors);
        moves
            .into_iter()
            .map(move |taken| (taken, value(size - taken)))
    };
    game::winning_moves(total, components, options)
        .map(|(kind, _)| kind.n_piles)
        .sum()
}

/// The value of a pile: how often it can be halved, plus one, and 0 for an empty pile.
fn value(pile: u64) -> Nimber {
    match pile {
        0 => Nimber::ZERO,
        _ => Nimber(u64::from(pile.trailing_zeros()) + 1),
    }
}

/// What may be taken from a pile of `size` to leave a value of `target`: all its divisors, unless
/// the answer is plain without them. A large pile takes long to factor.
fn moves_to(target: Nimber, size: u64, divisors: &Divisors) -> Vec<u64> {
    let n_bits = u64::from(u64::BITS - size.leading_zeros());
    match target {
        // Only the empty pile has this value.
        Nimber::ZERO => vec![size],
        // No number of so few bits has this value.
        Nimber(high) if high > n_bits => vec![],
        _ => divisors.of(size),
    }
}

/// The sizes that occur, in increasing order.
fn kinds(mut piles: Vec<u64>) -> Vec<Kind> {
    piles.sort_unstable();
    let mut kinds: Vec<Kind> = Vec::new();
    for size in piles {
        match kinds.last_mut() {
            Some(kind) if kind.size == size => kind.n_piles += 1,
            _ => kinds.push(Kind { size, n_piles: 1 }),
        }
    }
    kinds
}

/// A table for the divisors of these sizes, but none that takes longer to make than it saves.
fn divisors_for(kinds: &[Kind]) -> Divisors {
    const NUMBERS_A_KIND: u64 = 8;
    let largest = kinds.last().map_or(0, |kind| kind.size);
    let limit = largest.min(NUMBERS_A_KIND * kinds.len() as u64);
    Divisors::with_table_up_to(u32::try_from(limit).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Kind, answer, kinds, value};
    use crate::brute;
    use sg_core::heap;

    #[track_caller]
    fn check(input: &str, expected: u64) {
        assert_eq!(answer(input), Ok(expected), "{input}");
    }

    #[track_caller]
    fn check_error(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap_err().to_string(), expected);
    }

    #[track_caller]
    fn check_by_search(piles: &[u64]) {
        let words: Vec<String> = piles.iter().map(u64::to_string).collect();
        let input = format!("{}\n{}\n", piles.len(), words.join(" "));
        let found = answer(&input).unwrap().to_string();
        assert_eq!(found, brute::answer(&input).unwrap(), "{input}");
    }

    #[test]
    fn sample() {
        check("10\n47 18 9 36 10 1 13 19 29 1\n", 7);
    }

    #[test]
    fn a_divisor_that_is_its_own_partner_counts_once() {
        check("2 9 2", 2);
        check("2 25 4", 2);
    }

    #[test]
    fn equal_piles_count_separately() {
        check("3 100000 100000 100000", 3);
        check("4 3 2 3 3", 4);
    }

    #[test]
    fn a_whole_pile_may_be_taken() {
        check("1 1", 1);
        check("1 4", 1);
        check("3 1 2 3", 1);
    }

    /// 6 stones (value 2) beside 3 (value 1): from 3, taking 1 leaves 2 (value 2).
    #[test]
    fn a_move_that_raises_the_value_of_its_pile_can_win() {
        check("2 3 6", 3);
        check("2 3 2", 2);
    }

    #[test]
    fn no_move_wins_a_lost_position() {
        check("2 5 3", 0);
        check("2 1048576 3145728", 0);
        check("0", 0);
    }

    #[test]
    fn sizes_of_64_bits() {
        check("1 18446744073709551615", 1);
        check("2 9223372036854775808 1", 1);
        check("2 897612484786617600 1", 11_520);
        // A prime; one move leaves 10^12 + 38.
        check("2 1000000000039 2", 2);
    }

    /// Each pile of the large size has 11520 winning moves.
    #[test]
    fn the_answer_may_need_more_than_32_bits() {
        let n_piles = 400_001;
        let mut piles = vec![897_612_484_786_617_600; n_piles];
        piles.push(1);
        assert_eq!(super::n_winning_moves(piles), 400_001 * 11_520);
    }

    #[test]
    fn faults_are_told() {
        const COUNT: &str = "expected the number of piles in 0..=18446744073709551615, found";
        const PILE: &str = "expected a pile in 1..=18446744073709551615, found";
        check_error("2\n3 0", &format!("line 2, token 2: {PILE} 0"));
        check_error("2\n3 x", &format!("line 2, token 2: {PILE} \"x\""));
        check_error(
            "1 18446744073709551616",
            &format!("line 1, token 2: {PILE} 18446744073709551616"),
        );
        check_error(
            "1000000000000000000\n3 4\n",
            &format!("line 3, token 1: {PILE} the end of the input"),
        );
        check_error("-1 3", &format!("line 1, token 1: {COUNT} -1"));
        check_error(
            "",
            &format!("line 1, token 1: {COUNT} the end of the input"),
        );
        check_error(
            "1\n3\n4",
            "line 3, token 1: expected the end of the input, found 4",
        );
    }

    /// The closed form is what the general table of heap games finds.
    #[test]
    fn values_are_those_of_the_game() {
        let table = heap::values(3000, |pile, options| {
            let divisors = (1..=pile).filter(|taken| pile % taken == 0);
            divisors.for_each(|taken| options.add([pile - taken]));
        });
        assert!(
            (0..)
                .map(value)
                .zip(table)
                .all(|(closed, found)| closed == found)
        );
    }

    #[test]
    fn kinds_are_sorted_and_counted() {
        let kinds = kinds(vec![4, 9, 4, 1, 4]);
        let pairs: Vec<_> = kinds
            .iter()
            .map(|&Kind { size, n_piles }| (size, n_piles))
            .collect();
        assert_eq!(pairs, [(1, 1), (4, 3), (9, 1)]);
    }

    /// All positions of `n_piles` piles of up to `largest` stones, from large to small.
    fn positions(n_piles: usize, largest: u64) -> Vec<Vec<u64>> {
        if n_piles == 0 {
            return vec![vec![]];
        }
        let shorter = positions(n_piles - 1, largest);
        let longer = |piles: Vec<u64>| {
            let last = piles.last().copied().unwrap_or(largest);
            (1..=last).map(move |pile| [piles.as_slice(), &[pile]].concat())
        };
        shorter.into_iter().flat_map(longer).collect()
    }

    #[test]
    fn agrees_with_brute_force() {
        for (n_piles, largest) in [(0, 1), (1, 60), (2, 36), (3, 12), (4, 7), (5, 5)] {
            for mut piles in positions(n_piles, largest) {
                check_by_search(&piles);
                piles.rotate_left(n_piles / 2);
                check_by_search(&piles);
            }
        }
    }
}
