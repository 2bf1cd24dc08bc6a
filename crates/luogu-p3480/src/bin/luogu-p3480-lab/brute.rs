//! Search over whole positions, for small piles: a position is won if some move leads to a lost
//! one.

use std::collections::BTreeMap;
use std::error::Error;

use sg_core::contest::Tokens;

/// A position is the row as it is played; what is known of one serves all games.
pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let mut known = BTreeMap::new();
    let mut answers = Vec::new();
    for _ in 0..input.number("the number of games", 0..=u64::MAX)? {
        let mut row: Vec<u64> = Vec::new();
        for _ in 0..input.number("the number of piles", 0..=u64::MAX)? {
            let lowest = row.last().copied().unwrap_or(0);
            row.push(input.number("a pile", lowest..=u64::MAX)?);
        }
        let wins = mover_wins(&row, &mut known);
        answers.push(if wins { "TAK" } else { "NIE" });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

fn mover_wins(row: &[u64], known: &mut BTreeMap<Vec<u64>, bool>) -> bool {
    if let Some(&wins) = known.get(row) {
        return wins;
    }
    let wins = (0..row.len()).any(|pile| {
        let lowest = if pile == 0 { 0 } else { row[pile - 1] };
        (lowest..row[pile]).any(|left| {
            let mut after = row.to_vec();
            after[pile] = left;
            !mover_wins(&after, known)
        })
    });
    known.insert(row.to_vec(), wins);
    wins
}
