//! Search over whole positions, for small piles: a position is won if some move leads to a lost
//! one.

use std::collections::BTreeMap;
use std::error::Error;

use sg_core::contest::Tokens;

/// A position is the sorted list of its piles; what is known of one serves all games.
pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let mut known = BTreeMap::new();
    let mut answers = Vec::new();
    for _ in 0..input.number("the number of games", 0..=u64::MAX)? {
        let mut piles: Vec<u64> = Vec::new();
        for _ in 0..input.number("the number of piles", 0..=u64::MAX)? {
            piles.push(input.number("a pile", 0..=u64::MAX)?);
        }
        piles.sort_unstable();
        let wins = mover_wins(&piles, &mut known);
        answers.push(if wins { "Yes" } else { "No" });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

fn mover_wins(piles: &[u64], known: &mut BTreeMap<Vec<u64>, bool>) -> bool {
    if let Some(&wins) = known.get(piles) {
        return wins;
    }
    let wins = (0..piles.len()).any(|pile| {
        (0..piles[pile]).any(|left| {
            let mut after = piles.to_vec();
            after[pile] = left;
            after.sort_unstable();
            !mover_wins(&after, known)
        })
    });
    known.insert(piles.to_vec(), wins);
    wins
}
