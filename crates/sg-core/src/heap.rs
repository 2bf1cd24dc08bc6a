//! Heap games: take from a heap, split it, or both.
//!
//! **Game.** A position is a number of heaps. A move replaces one heap by smaller heaps, or by
//! none, as the rules allow for its size; who cannot move loses.
//!
//! **Theorem.** Heaps are independent, so a position's value is the nim-sum of its heaps' values;
//! and the value of a heap is the mex, over its options, of the nim-sum of the heaps that the
//! option leaves (Sprague 1935, Grundy 1939; for taking and breaking, Guy and Smith 1956).
//!
//! # Example
//!
//! Kayles: knock down one pin or two neighbours, and what is left stands in two rows.
//!
//! ```
//! use sg_core::{heap, Nimber};
//!
//! let kayles = heap::values(8, |row, options| {
//!     for left in 0..row {
//!         options.add([left, row - 1 - left]);
//!     }
//!     for left in 0..row.saturating_sub(1) {
//!         options.add([left, row - 2 - left]);
//!     }
//! });
//! assert_eq!(kayles, [0, 1, 2, 3, 1, 4, 3, 2, 1].map(Nimber));
//! ```

use crate::Nimber;
use crate::mex::Marks;

/// The values of the heaps `0..=largest`.
///
/// `rule` is called once for each heap, from small to large, and adds all options of that heap.
///
/// # Panics
///
/// If an option has a heap that is not smaller than the one moved from.
///
/// # Complexity
///
/// O(k) time for options that leave k heaps in all, and O(`largest` + v) memory where v is the
/// largest value. A value is at most the number of options that its heap has.
pub fn values(largest: usize, rule: impl Fn(usize, &mut Options<'_>)) -> Vec<Nimber> {
    let mut values = Vec::with_capacity(largest.saturating_add(1));
    let mut marks = Marks::new();
    for heap in 0..=largest {
        marks.clear();
        rule(
            heap,
            &mut Options {
                smaller: &values,
                marks: &mut marks,
            },
        );
        values.push(marks.mex());
    }
    values
}

/// Where the rule of a heap game puts the options of a heap.
#[derive(Debug)]
pub struct Options<'a> {
    smaller: &'a [Nimber],
    marks: &'a mut Marks,
}

impl Options<'_> {
    /// Adds the option that leaves these heaps. An option may be added more than once.
    ///
    /// # Panics
    ///
    /// If one of `heaps` is not smaller than the heap moved from.
    pub fn add(&mut self, heaps: impl IntoIterator<Item = usize>) {
        let from = self.smaller.len();
        let value_of = |heap: usize| {
            assert!(
                heap < from,
                "a move from heap {from} leaves heap {heap}, which is not smaller"
            );
            self.smaller[heap]
        };
        self.marks.insert(heaps.into_iter().map(value_of).sum());
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, values};
    use crate::brute::Search;

    type Rule = fn(usize) -> Vec<Vec<usize>>;

    /// The options of a position, which is the sorted list of its heaps.
    fn options(position: &[usize], rule: Rule) -> Vec<Vec<usize>> {
        let mut options = Vec::new();
        for (index, &heap) in position.iter().enumerate() {
            for left in rule(heap) {
                let rest = [&position[..index], &position[index + 1..]].concat();
                let mut option = [rest, left].concat();
                option.sort_unstable();
                options.push(option);
            }
        }
        options
    }

    /// Two heaps are lost together if and only if their values are equal.
    fn check_by_search(largest: usize, rule: Rule) {
        let values = values(largest, |heap, options| {
            rule(heap)
                .into_iter()
                .for_each(|option| options.add(option));
        });
        let mut search = Search::new(|position: &Vec<usize>| options(position, rule));
        for a in 0..=largest {
            for b in a..=largest {
                let is_lost = !search.mover_wins(&vec![a, b]);
                assert_eq!(is_lost, values[a] == values[b], "heaps {a} and {b}");
            }
        }
    }

    #[test]
    fn nim_agrees_with_search() {
        check_by_search(6, |heap| (0..heap).map(|left| vec![left]).collect());
    }

    #[test]
    fn grundys_game_agrees_with_search() {
        check_by_search(11, |heap| {
            (1..(heap + 1) / 2)
                .map(|part| vec![part, heap - part])
                .collect()
        });
    }

    #[test]
    fn splitting_into_three_agrees_with_search() {
        let rule: Rule = |heap| {
            let parts = |a: usize| (a..heap).map(move |b| (a, b));
            let pairs = (1..heap).flat_map(parts).filter(|(a, b)| a + b < heap);
            pairs.map(|(a, b)| vec![a, b, heap - a - b]).collect()
        };
        check_by_search(10, rule);
    }

    /// Published values: OEIS A002188 (Grundy's game) and *Winning Ways*, chapter 4 (Lasker's Nim).
    #[test]
    fn published_values() {
        let grundys_game = |heap: usize, options: &mut Options<'_>| {
            (1..(heap + 1) / 2).for_each(|part| options.add([part, heap - part]));
        };
        let expected = [
            0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0,
        ];
        assert!(
            values(20, grundys_game)
                .iter()
                .map(|value| value.0)
                .eq(expected)
        );

        let laskers_nim = |heap: usize, options: &mut Options<'_>| {
            (0..heap).for_each(|left| options.add([left]));
            (1..heap).for_each(|part| options.add([part, heap - part]));
        };
        let expected = [0, 1, 2, 4, 3, 5, 6, 8, 7, 9, 10, 12, 11];
        assert!(
            values(12, laskers_nim)
                .iter()
                .map(|value| value.0)
                .eq(expected)
        );
    }

    #[test]
    fn a_heap_without_options_is_worth_nothing() {
        assert!(values(3, |_, _| {}).iter().map(|value| value.0).eq([0; 4]));
    }

    #[test]
    fn an_option_may_leave_no_heap_at_all() {
        let take_all = |heap: usize, options: &mut Options<'_>| {
            if heap > 0 {
                options.add([]);
            }
        };
        assert!(
            values(3, take_all)
                .iter()
                .map(|value| value.0)
                .eq([0, 1, 1, 1])
        );
    }

    #[test]
    fn a_move_to_a_heap_that_is_not_smaller_is_refused() {
        let endless = || values(3, |heap, options| options.add([heap]));
        assert!(std::panic::catch_unwind(endless).is_err());
    }
}
