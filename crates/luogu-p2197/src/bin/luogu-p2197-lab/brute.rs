//! Search over whole positions, for small piles.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let mut search = Search::new(|piles: &Vec<u64>| options(piles));
    let mut answers = Vec::new();
    for _ in 0..input.number("the number of games", 0..=u64::MAX)? {
        let mut piles: Vec<u64> = Vec::new();
        for _ in 0..input.number("the number of piles", 0..=u64::MAX)? {
            piles.push(input.number("a pile", 0..=u64::MAX)?);
        }
        piles.sort_unstable();
        answers.push(if search.mover_wins(&piles) {
            "Yes"
        } else {
            "No"
        });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

/// A position is the sorted list of its piles.
fn options(piles: &[u64]) -> Vec<Vec<u64>> {
    let mut options = Vec::new();
    for (index, &pile) in piles.iter().enumerate() {
        for left in 0..pile {
            let mut option = piles.to_vec();
            option[index] = left;
            option.sort_unstable();
            options.push(option);
        }
    }
    options
}
