//! The minimum excluded value.
//!
//! **Theorem.** The value of a position is the mex of the values of its options: the smallest
//! number that is not among them (Sprague 1935, Grundy 1939). A position without options has the
//! mex of nothing, 0.
//!
//! The mex is that of a *set*: a value that occurs twice counts once, and values above a gap do
//! not count at all.
//!
//! # Example
//!
//! ```
//! use sg_core::{mex::mex, Nimber};
//!
//! assert_eq!(mex([0, 1, 1, 4].map(Nimber)), Nimber(2));
//! assert_eq!(mex([]), Nimber(0));
//! ```

use crate::Nimber;

/// The smallest nimber that is not among `values`.
///
/// `k` values have a mex of at most `k`, so larger ones are passed over, however large.
///
/// # Complexity
///
/// O(k) time and memory for `k` values. Where many are computed in a row, [`Marks`] allocates
/// once.
pub fn mex(values: impl IntoIterator<Item = Nimber>) -> Nimber {
    let values: Vec<Nimber> = values.into_iter().collect();
    let mut marks = Marks::new();
    for &value in values.iter().filter(|value| value.0 <= values.len() as u64) {
        marks.insert(value);
    }
    marks.mex()
}

/// A set of nimbers that is made to be filled, asked for its mex, and emptied, many times over.
///
/// Each slot holds the number of the round in which its value was last inserted, and no slot has
/// the number of a round to come. So emptying is one addition, whatever the set held.
///
/// # Complexity
///
/// [`clear`](Self::clear) is O(1), but for one time in 2^32; [`mex`](Self::mex) is O(mex + 1);
/// [`insert`](Self::insert) is O(1), and makes the slots up to a value the first time that it is
/// larger than all before. The memory is 4 bytes for each number up to the largest value ever
/// inserted: this is for values of positions, which are at most the number of their options, and
/// not for Nim piles of any size.
///
/// # Example
///
/// ```
/// use sg_core::{mex::Marks, Nimber};
///
/// let mut marks = Marks::new();
/// marks.insert(Nimber(0));
/// assert_eq!(marks.mex(), Nimber(1));
/// marks.clear();
/// assert_eq!(marks.mex(), Nimber(0));
/// ```
#[derive(Clone, Debug)]
pub struct Marks {
    round_of: Vec<u32>,
    round: u32,
}

impl Marks {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        // Not round 0: that is what a new slot holds, and it would look inserted.
        Self {
            round_of: Vec::new(),
            round: 1,
        }
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        if self.round == u32::MAX {
            self.round_of.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Adds a value; adding it again changes nothing.
    ///
    /// # Panics
    ///
    /// If there is not enough memory for a slot for each number up to `value`.
    pub fn insert(&mut self, value: Nimber) {
        let slot = usize::try_from(value.0).unwrap_or(usize::MAX);
        if slot >= self.round_of.len() {
            self.round_of.resize(slot.saturating_add(1), 0);
        }
        self.round_of[slot] = self.round;
    }

    /// The smallest nimber that is not in the set.
    #[must_use]
    pub fn mex(&self) -> Nimber {
        let is_free = |&round: &u32| round != self.round;
        let smallest = self.round_of.iter().position(is_free);
        Nimber(smallest.unwrap_or(self.round_of.len()) as u64)
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{Marks, mex};
    use crate::Nimber;

    /// The definition, word for word.
    fn by_definition(values: &[u64]) -> u64 {
        (0..).find(|candidate| !values.contains(candidate)).unwrap()
    }

    #[track_caller]
    fn check(values: &[u64], marks: &mut Marks) {
        let expected = Nimber(by_definition(values));
        let nimbers = values.iter().copied().map(Nimber);
        assert_eq!(mex(nimbers.clone()), expected, "{values:?}");
        marks.clear();
        nimbers.for_each(|value| marks.insert(value));
        assert_eq!(marks.mex(), expected, "{values:?}");
    }

    /// All lists of up to five values up to 6, in all orders and with repetition, one after the
    /// other in one mark array.
    #[test]
    fn every_short_list_has_the_mex_of_the_definition() {
        let mut marks = Marks::new();
        let mut lists = vec![vec![]];
        for _ in 0..=5 {
            for list in &lists {
                check(list, &mut marks);
            }
            let longer =
                |list: Vec<u64>| (0..7).map(move |last| [list.as_slice(), &[last]].concat());
            lists = lists.into_iter().flat_map(longer).collect();
        }
    }

    #[test]
    fn huge_values_are_passed_over() {
        assert_eq!(mex([0, u64::MAX, 1, 1 << 60].map(Nimber)), Nimber(2));
    }

    #[test]
    fn a_new_set_is_empty_even_before_the_first_clear() {
        let mut marks = Marks::default();
        assert_eq!(marks.mex(), Nimber(0));
        marks.insert(Nimber(1));
        assert_eq!(marks.mex(), Nimber(0));
        marks.insert(Nimber(0));
        assert_eq!(marks.mex(), Nimber(2));
    }

    #[test]
    fn marks_of_old_rounds_stay_dead_when_the_round_numbers_start_again() {
        let mut marks = Marks::new();
        marks.insert(Nimber(0));
        marks.round = u32::MAX;
        marks.insert(Nimber(1));
        marks.clear();
        assert_eq!(marks.round, 1);
        assert_eq!(marks.mex(), Nimber(0));
        marks.insert(Nimber(0));
        assert_eq!(marks.mex(), Nimber(1));
    }
}
