//! Sums of games: who wins, and by which first moves.
//!
//! **Game.** A sum is several games side by side; a move is a move in one of them, and who cannot
//! move in any loses. The games need not be alike, only independent: no move in one may change
//! what can be done in another.
//!
//! **Theorem.** The value of a sum is the nim-sum of the values of its components (Sprague 1935,
//! Grundy 1939). The player to move wins if and only if it is not 0.
//!
//! # Example
//!
//! Nim with piles of 1, 2 and 4 stones: the one winning move leaves 3 in the third pile.
//!
//! ```
//! use sg_core::{game, Nimber};
//!
//! let piles = [1, 2, 4_u64];
//! let total = game::sum(piles.map(Nimber));
//! assert_eq!(game::Outcome::of(total), game::Outcome::N);
//!
//! let components = piles.iter().enumerate().map(|(index, &pile)| (index, Nimber(pile)));
//! let options = |&index: &usize| (0..piles[index]).map(|left| (left, Nimber(left)));
//! let moves: Vec<_> = game::winning_moves(total, components, options).collect();
//! assert_eq!(moves, [(2, 3)]);
//! ```

use crate::Nimber;

/// Who wins a position when both sides play well.
///
/// Beware: some texts use the two letters the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The **p**revious player wins: whoever has to move loses. The value is 0.
    P,
    /// The **n**ext player wins: whoever has to move. The value is not 0.
    N,
}

impl Outcome {
    /// The outcome of a position with this value, under normal play: who cannot move loses.
    #[must_use]
    pub fn of(value: Nimber) -> Self {
        if value == Nimber::ZERO {
            Self::P
        } else {
            Self::N
        }
    }
}

/// The value of a sum of games with these values: their nim-sum. O(k) for `k` games.
pub fn sum(values: impl IntoIterator<Item = Nimber>) -> Nimber {
    values.into_iter().sum()
}

/// All winning first moves of a sum, lazily, as pairs of component and option, in the order in
/// which `components` and `options` give them.
///
/// `total` is the value of the whole sum. `components` gives each component with its value, and
/// `options` each option of a component with its value. Components that are alike may be given
/// once to find each kind of move once; `total` counts them all.
///
/// A move from a component of value `g` to an option of value `h` leaves the sum
/// `total + g + h`. It wins if and only if that is 0, that is, if `h = total + g`. Where `total`
/// is 0, no option is asked for: there is no winning move.
///
/// # Complexity
///
/// O(1) for each option of each component, and no memory.
pub fn winning_moves<Component, Move, Options>(
    total: Nimber,
    components: impl IntoIterator<Item = (Component, Nimber)>,
    options: impl Fn(&Component) -> Options,
) -> impl Iterator<Item = (Component, Move)>
where
    Component: Clone,
    Options: IntoIterator<Item = (Move, Nimber)>,
{
    let components = components
        .into_iter()
        .take_while(move |_| total != Nimber::ZERO);
    components.flat_map(move |(component, value)| {
        let winning = options(&component)
            .into_iter()
            .filter(move |option| option.1 == total + value);
        winning.map(move |(option, _)| (component.clone(), option))
    })
}

#[cfg(test)]
mod tests {
    use super::{Outcome, sum, winning_moves};
    use crate::Nimber;

    /// Who wins Nim, by search alone.
    fn mover_wins(piles: [u64; 3]) -> bool {
        all_moves(piles).any(|(pile, left)| !mover_wins(after(piles, pile, left)))
    }

    fn all_moves(piles: [u64; 3]) -> impl Iterator<Item = (usize, u64)> {
        (0..3).flat_map(move |pile| (0..piles[pile]).map(move |left| (pile, left)))
    }

    fn after(mut piles: [u64; 3], pile: usize, left: u64) -> [u64; 3] {
        piles[pile] = left;
        piles
    }

    #[test]
    fn outcome_and_winning_moves_of_nim_agree_with_search() {
        for code in 0..4_u64.pow(3) {
            let piles = [code / 16, code / 4 % 4, code % 4];
            let total = sum(piles.map(Nimber));
            let expected = if mover_wins(piles) {
                Outcome::N
            } else {
                Outcome::P
            };
            assert_eq!(Outcome::of(total), expected, "{piles:?}");

            let components = piles.into_iter().map(Nimber).enumerate();
            let options = |&pile: &usize| (0..piles[pile]).map(|left| (left, Nimber(left)));
            let found: Vec<_> = winning_moves(total, components, options).collect();
            let winning = |&(pile, left): &(usize, u64)| !mover_wins(after(piles, pile, left));
            let expected: Vec<_> = all_moves(piles).filter(winning).collect();
            assert_eq!(found, expected, "{piles:?}");
        }
    }

    #[test]
    fn a_lost_sum_is_not_even_searched() {
        let never = |_: &()| -> [((), Nimber); 0] { panic!("asked for options") };
        assert_eq!(
            winning_moves(Nimber::ZERO, [((), Nimber(1)); 2], never).count(),
            0
        );
    }

    #[test]
    fn an_option_that_raises_the_value_can_win() {
        // A component of value 1 that may move to 2 (a reversible move), beside a pile of 2.
        let options = |&component: &char| match component {
            'r' => vec![("zero", Nimber(0)), ("two", Nimber(2))],
            _ => vec![("zero", Nimber(0)), ("one", Nimber(1))],
        };
        let moves: Vec<_> =
            winning_moves(Nimber(3), [('r', Nimber(1)), ('p', Nimber(2))], options).collect();
        assert_eq!(moves, [('r', "two"), ('p', "one")]);
    }
}
