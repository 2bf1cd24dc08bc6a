//! Staircase Nim.
//!
//! **Game.** Coins lie on the steps of a staircase. A move takes one or more coins from one step
//! to the step below; from step 1 they go to the ground, step 0, and are out of the game. Who
//! cannot move loses.
//!
//! **Theorem.** The value of a position is the nim-sum of the numbers of coins on the *odd* steps
//! (Sprague 1937; see Ferguson, *Game Theory*, part I).
//!
//! **Proof sketch.** A move from an odd step takes coins out of it, as from a Nim pile. A move
//! from an even step adds coins to the odd step below. So every move changes exactly one odd
//! step, and the value with it; and from an odd step every smaller number is reached. Hence the
//! nim-sum of the odd steps is never among the options, and every smaller number is: it is their
//! mex.
//!
//! # Example
//!
//! ```
//! use sg_core::{staircase, Nimber};
//!
//! // 3 coins on step 1, 5 on step 2, 1 on step 3.
//! assert_eq!(staircase::value([3, 5, 1]), Nimber(3 ^ 1));
//! ```

use crate::Nimber;

/// The value of a staircase with these numbers of coins on the steps 1, 2, 3, …
///
/// Mind where the counting starts: the first number is the step next to the ground.
///
/// # Complexity
///
/// O(n) for n steps.
pub fn value(coins: impl IntoIterator<Item = u64>) -> Nimber {
    coins.into_iter().step_by(2).map(Nimber).sum()
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::{Nimber, mex::mex};

    fn after_all_moves(coins: [u64; 4]) -> impl Iterator<Item = [u64; 4]> {
        let amounts = move |step: usize| (1..=coins[step]).map(move |amount| (step, amount));
        (0..4).flat_map(amounts).map(move |(step, amount)| {
            let mut after = coins;
            after[step] -= amount;
            if step > 0 {
                after[step - 1] += amount;
            }
            after
        })
    }

    /// A function that is the mex of its options everywhere is the Grundy value, by induction over
    /// the height of all coins together. Here: everywhere up to four coins on each of four steps.
    #[test]
    fn the_value_is_the_mex_of_the_options() {
        for code in 0..5_u64.pow(4) {
            let coins = [code / 125, code / 25 % 5, code / 5 % 5, code % 5];
            assert_eq!(
                value(coins),
                mex(after_all_moves(coins).map(value)),
                "{coins:?}"
            );
        }
    }

    #[test]
    fn no_steps_no_value() {
        assert_eq!(value([]), Nimber::ZERO);
        assert_eq!(value([7]), Nimber(7));
    }
}
