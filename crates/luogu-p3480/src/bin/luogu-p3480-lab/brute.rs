//! Search over whole positions, for small piles.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let mut search = Search::new(|row: &Vec<u64>| options(row));
    let mut answers = Vec::new();
    for _ in 0..input.number("the number of games", 0..=u64::MAX)? {
        let mut row: Vec<u64> = Vec::new();
        for _ in 0..input.number("the number of piles", 0..=u64::MAX)? {
            let lowest = row.last().copied().unwrap_or(0);
            row.push(input.number("a pile", lowest..=u64::MAX)?);
        }
        answers.push(if search.mover_wins(&row) {
            "TAK"
        } else {
            "NIE"
        });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

/// A position is the row as it is played.
fn options(row: &[u64]) -> Vec<Vec<u64>> {
    let mut options = Vec::new();
    let mut lowest = 0;
    for (index, &pile) in row.iter().enumerate() {
        for left in lowest..pile {
            let mut option = row.to_vec();
            option[index] = left;
            options.push(option);
        }
        lowest = pile;
    }
    options
}
