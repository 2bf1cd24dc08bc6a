//! Nimbers: the values of impartial games.
//!
//! **Game.** A Nim pile of `n` stones, from which a player takes one or more; its value is the
//! nimber `n`.
//!
//! **Theorem.** Every position of an impartial game behaves, in every sum, like one Nim pile; the
//! size of that pile is its Grundy value (Sprague 1935, Grundy 1939). The value of a sum of games
//! is the nim-sum of their values (for Nim itself: Bouton 1901).
//!
//! # Example
//!
//! ```
//! use sg_core::Nimber;
//!
//! // Piles of 1, 2 and 3 stones: whoever moves loses.
//! assert_eq!(Nimber(1) + Nimber(2) + Nimber(3), Nimber::ZERO);
//! ```

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A Grundy value: the size of the Nim pile that a position behaves like.
///
/// A type of its own, so that it cannot be added as an integer by mistake: `+` is the nim-sum, and
/// there is no `-`, since every nimber is its own negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nimber(pub u64);

impl Nimber {
    /// The value of a position without moves, and of every position that the mover loses.
    pub const ZERO: Self = Self(0);

    /// The nim-sum: binary addition without carry, in O(1).
    #[must_use]
    pub const fn nim_sum(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Add for Nimber {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.nim_sum(other)
    }
}

impl AddAssign for Nimber {
    fn add_assign(&mut self, other: Self) {
        *self = self.nim_sum(other);
    }
}

impl Sum for Nimber {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Self::nim_sum)
    }
}

impl fmt::Display for Nimber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Nimber;

    #[test]
    fn nimbers_up_to_255_are_a_group_in_which_each_is_its_own_negative() {
        for a in (0..256).map(Nimber) {
            assert_eq!(a + Nimber::ZERO, a);
            assert_eq!(a + a, Nimber::ZERO);
            for b in (0..256).map(Nimber) {
                assert_eq!(a + b, b + a);
                assert_eq!((a + b) + b, a);
                assert!((a + b).0 < 256);
            }
        }
    }

    #[test]
    fn sum_is_repeated_addition() {
        assert_eq!([].into_iter().sum::<Nimber>(), Nimber::ZERO);
        let mut total = Nimber(9);
        total += Nimber(4);
        assert_eq!([9, 4].into_iter().map(Nimber).sum::<Nimber>(), total);
        assert_eq!(total, Nimber(13));
    }

    #[test]
    fn the_largest_nimber_is_no_special_case() {
        assert_eq!(Nimber(u64::MAX) + Nimber(1), Nimber(u64::MAX - 1));
    }

    #[test]
    fn prints_as_a_number() {
        assert_eq!(format!("[{:>3}]", Nimber(7)), "[  7]");
    }
}
