//! Coin turning games.
//!
//! **Game.** Coins lie in a row, numbered from 1. A move turns some coins, as the rules say, and
//! the rightmost of those turned must go from heads to tails. Who cannot move loses.
//!
//! **Theorem.** Every coin that shows heads is a game of its own: the value of a position is the
//! nim-sum, over its heads, of the value of the position with that one head alone (Lenstra 1977;
//! *Winning Ways*, chapter 14). The value of coin `n` is the mex, over the moves that turn it as
//! their rightmost, of the nim-sum of the values of the other coins turned.
//!
//! **Proof sketch.** Two heads in the same place cancel: the second player answers each move on
//! one by the same move on the other. So turning a coin from heads to tails or from tails to heads
//! is, in either case, adding a head there, and a move on a head replaces it by heads further left.
//!
//! # Example
//!
//! Mock Turtles: turn one, two or three coins. The values are the odious numbers, those with an
//! odd number of ones in binary.
//!
//! ```
//! use sg_core::{coins, Nimber};
//!
//! let mock_turtles = coins::values(5, |coin, moves| {
//!     moves.add([]);
//!     for second in 1..coin {
//!         moves.add([second]);
//!         for third in 1..second {
//!             moves.add([second, third]);
//!         }
//!     }
//! });
//! assert_eq!(mock_turtles, [1, 2, 4, 7, 8].map(Nimber));
//! ```

use crate::Nimber;
use crate::heap::{self, Options};

/// The values of single heads on the coins `1..=n_coins`, the value of coin 1 first.
///
/// `rule` is called once for each coin, from left to right, and adds for each move that turns this
/// coin as its rightmost the *other* coins that it turns. To the theorem, these are the smaller
/// heaps that a heap is replaced by.
///
/// # Panics
///
/// If a move turns a coin that is not left of the rightmost, or a coin 0.
///
/// # Complexity
///
/// O(k) time for moves that turn k coins in all, and O(`n_coins` + v) memory where v is the largest
/// value. A value is at most the number of moves that its coin has.
pub fn values(n_coins: usize, rule: impl Fn(usize, &mut Moves<'_, '_>)) -> Vec<Nimber> {
    let mut values = heap::values(n_coins, |coin, options| {
        if coin > 0 {
            rule(coin, &mut Moves { options });
        }
    });
    values.remove(0);
    values
}

/// Where the rule of a coin turning game puts the moves of a coin.
#[derive(Debug)]
pub struct Moves<'a, 'b> {
    options: &'a mut Options<'b>,
}

impl Moves<'_, '_> {
    /// Adds the move that turns, together with the rightmost coin, exactly these others.
    ///
    /// # Panics
    ///
    /// If one of `others` is 0 or not left of the rightmost coin.
    pub fn add(&mut self, others: impl IntoIterator<Item = usize>) {
        let is_coin = |&coin: &usize| assert!(coin > 0, "coins are numbered from 1");
        self.options.add(others.into_iter().inspect(is_coin));
    }
}

#[cfg(test)]
mod tests {
    use super::{Moves, values};
    use crate::{Nimber, mex::mex};

    type Rule = fn(usize) -> Vec<Vec<usize>>;

    const TURNING_TURTLES: Rule = |coin| {
        let alone = vec![vec![]];
        alone
            .into_iter()
            .chain((1..coin).map(|other| vec![other]))
            .collect()
    };
    const TWINS: Rule = |coin| (1..coin).map(|other| vec![other]).collect();
    const RULER: Rule = |coin| (1..=coin).map(|first| (first..coin).collect()).collect();

    fn values_of(n_coins: usize, rule: Rule) -> Vec<Nimber> {
        values(n_coins, |coin, moves: &mut Moves<'_, '_>| {
            rule(coin).into_iter().for_each(|others| moves.add(others));
        })
    }

    /// The values of all positions of `n_coins` coins (bit `n - 1` set: coin `n` shows heads),
    /// by the definition: a move clears the bit of its rightmost coin, so smaller numbers first.
    fn by_definition(n_coins: usize, rule: Rule) -> Vec<Nimber> {
        let mut all: Vec<Nimber> = Vec::new();
        for position in 0..1_usize << n_coins {
            let heads = (1..=n_coins).filter(|coin| position >> (coin - 1) & 1 == 1);
            let moves =
                heads.flat_map(|coin| rule(coin).into_iter().map(move |others| (coin, others)));
            let turned = |(coin, others): (usize, Vec<usize>)| {
                let flips = others
                    .into_iter()
                    .fold(1 << (coin - 1), |bits, other| bits ^ 1 << (other - 1));
                all[position ^ flips]
            };
            let value = mex(moves.map(turned));
            all.push(value);
        }
        all
    }

    #[test]
    fn every_position_is_the_sum_of_its_heads() {
        for rule in [TURNING_TURTLES, TWINS, RULER] {
            let single = values_of(8, rule);
            for (position, value) in by_definition(8, rule).into_iter().enumerate() {
                let heads = (0..8).filter(|coin| position >> coin & 1 == 1);
                assert_eq!(
                    heads.map(|coin| single[coin]).sum::<Nimber>(),
                    value,
                    "{position:b}"
                );
            }
        }
    }

    /// Published closed forms: *Winning Ways*, chapter 14.
    #[test]
    fn published_values() {
        let expect = |rule, closed_form: fn(u64) -> u64| {
            assert!(
                values_of(64, rule)
                    .into_iter()
                    .eq((1..=64).map(closed_form).map(Nimber))
            );
        };
        expect(TURNING_TURTLES, |coin| coin);
        expect(TWINS, |coin| coin - 1);
        expect(RULER, |coin| 1 << coin.trailing_zeros());
    }

    #[test]
    fn coins_that_are_not_to_the_left_are_refused() {
        let refused = |others: &'static [usize]| {
            let values = || values(3, |_, moves| moves.add(others.iter().copied()));
            assert!(std::panic::catch_unwind(values).is_err(), "{others:?}");
        };
        refused(&[3]);
        refused(&[0]);
    }
}
