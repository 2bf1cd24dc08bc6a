//! Game search by the definition alone, to hold everything else against.
//!
//! **Definition.** Under normal play a position is won for the player to move if and only if some
//! move leads to a position that is lost for the player to move. A position without moves is lost.
//!
//! No theory stands behind this search, no values and no sums: it knows only what a position is
//! and what its options are. So it is slow, and right.
//!
//! # Example
//!
//! Nim, a position being the sorted list of its piles:
//!
//! ```
//! use sg_core::brute::Search;
//!
//! let mut nim = Search::new(|piles: &Vec<u64>| {
//!     let mut options = Vec::new();
//!     for (index, &pile) in piles.iter().enumerate() {
//!         for left in 0..pile {
//!             let mut option = piles.clone();
//!             option[index] = left;
//!             option.sort_unstable();
//!             options.push(option);
//!         }
//!     }
//!     options
//! });
//! assert!(!nim.mover_wins(&vec![1, 2, 3]));
//! assert!(nim.mover_wins(&vec![1, 2, 4]));
//! ```

use std::collections::BTreeMap;

/// A search that remembers what it has found out, for as many positions as are asked about.
#[derive(Clone, Debug)]
pub struct Search<Position, Options> {
    options: Options,
    known: BTreeMap<Position, bool>,
}

impl<Position, Options, Moves> Search<Position, Options>
where
    Position: Clone + Ord,
    Options: Fn(&Position) -> Moves,
    Moves: IntoIterator<Item = Position>,
{
    /// A search in the game in which these are the options of a position.
    ///
    /// Positions that are the same for the game should be equal (piles sorted, say): that saves
    /// time and memory.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            known: BTreeMap::new(),
        }
    }

    /// Whether the player to move wins.
    ///
    /// # Complexity
    ///
    /// Each position that can be reached is looked at once, in O(options · log positions), and
    /// remembered. The recursion is as deep as the longest play, and endless if play can be.
    pub fn mover_wins(&mut self, position: &Position) -> bool {
        if let Some(&wins) = self.known.get(position) {
            return wins;
        }
        let mut options = (self.options)(position).into_iter();
        let wins = options.any(|option| !self.mover_wins(&option));
        self.known.insert(position.clone(), wins);
        wins
    }
}

#[cfg(test)]
mod tests {
    use super::Search;

    #[test]
    fn a_position_without_moves_is_lost() {
        assert!(!Search::new(|_: &u8| []).mover_wins(&7));
    }

    /// Take 1, 3 or 4: lost are exactly the multiples of 7 and those plus 2.
    #[test]
    fn a_subtraction_game_has_its_known_losses() {
        let options = |heap: &u64| {
            [1, 3, 4].into_iter().filter_map({
                let heap = *heap;
                move |taken| heap.checked_sub(taken)
            })
        };
        let mut search = Search::new(options);
        for heap in (0..200).rev() {
            assert_eq!(
                search.mover_wins(&heap),
                ![0, 2].contains(&(heap % 7)),
                "{heap}"
            );
        }
    }

    #[test]
    fn every_position_is_looked_at_once() {
        let n_asked = std::cell::Cell::new(0);
        let mut search = Search::new(|&heap: &u64| {
            n_asked.set(n_asked.get() + 1);
            (0..heap).rev()
        });
        assert!(search.mover_wins(&20));
        assert!(search.mover_wins(&15));
        assert!(!search.mover_wins(&0));
        assert_eq!(n_asked.get(), 21);
    }
}
