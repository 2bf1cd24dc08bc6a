//! Search over whole positions, for small piles: a move wins if it leads to a lost position.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_piles = input.number("the number of piles", 0..=usize::MAX)?;
    let mut piles: Vec<u64> = Vec::new();
    for _ in 0..n_piles {
        piles.push(input.number("a pile", 1..=u64::MAX)?);
    }
    input.end()?;
    let mut search = Search::new(|piles: &Vec<u64>| options(piles));
    let is_winning = |option: &Vec<u64>| !search.mover_wins(option);
    Ok(options(&piles)
        .into_iter()
        .filter(is_winning)
        .count()
        .to_string())
}

/// A position is the sorted list of the piles that are not empty.
fn options(piles: &[u64]) -> Vec<Vec<u64>> {
    let mut options = Vec::new();
    for (index, &pile) in piles.iter().enumerate() {
        for taken in (1..=pile).filter(|taken| pile % taken == 0) {
            let mut option = piles.to_vec();
            option[index] -= taken;
            option.retain(|&pile| pile > 0);
            option.sort_unstable();
            options.push(option);
        }
    }
    options
}
