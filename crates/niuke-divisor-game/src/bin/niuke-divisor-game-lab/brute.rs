//! Search over whole positions, for small piles: a move wins if it leads to a lost position.

use std::collections::BTreeMap;
use std::error::Error;

use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_piles = input.number("the number of piles", 0..=usize::MAX)?;
    let mut piles: Vec<u64> = Vec::new();
    for _ in 0..n_piles {
        piles.push(input.number("a pile", 1..=u64::MAX)?);
    }
    input.end()?;
    let mut known = BTreeMap::new();
    let after = after_all_moves(&piles);
    let winning = after.filter(|after| !mover_wins(after, &mut known));
    Ok(winning.count().to_string())
}

/// A position is the sorted list of the piles that are not empty.
fn mover_wins(piles: &[u64], known: &mut BTreeMap<Vec<u64>, bool>) -> bool {
    if let Some(&wins) = known.get(piles) {
        return wins;
    }
    let wins = after_all_moves(piles).any(|after| !mover_wins(&after, known));
    known.insert(piles.to_vec(), wins);
    wins
}

fn after_all_moves(piles: &[u64]) -> impl Iterator<Item = Vec<u64>> + '_ {
    let moves = |pile: usize| (1..=piles[pile]).map(move |taken| (pile, taken));
    let legal = (0..piles.len())
        .flat_map(moves)
        .filter(|&(pile, taken)| piles[pile] % taken == 0);
    legal.map(|(pile, taken)| {
        let mut after = piles.to_vec();
        after[pile] -= taken;
        after.retain(|&pile| pile > 0);
        after.sort_unstable();
        after
    })
}
