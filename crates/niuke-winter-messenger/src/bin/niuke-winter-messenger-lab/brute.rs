//! Search over whole strings, for short ones.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_games = input.number("the number of strings", 0..=usize::MAX)?;
    let mut search = Search::new(|is_w: &Vec<bool>| options(is_w));
    let mut answers = Vec::new();
    for _ in 0..n_games {
        let n_letters: usize = input.number("the number of letters", 1..=usize::MAX)?;
        let string = input.word("a string of w and b")?;
        let is_w: Vec<bool> = string.bytes().map(|letter| letter == b'w').collect();
        if string.len() != n_letters || string.bytes().any(|letter| !b"wb".contains(&letter)) {
            return Err(input
                .unexpected(&format!("{n_letters} letters w or b"))
                .into());
        }
        answers.push(if search.mover_wins(&is_w) {
            "Yes"
        } else {
            "No"
        });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

/// The strings that one move leads to.
fn options(is_w: &[bool]) -> Vec<Vec<bool>> {
    let mut options = Vec::new();
    for place in (0..is_w.len()).filter(|&place| is_w[place]) {
        let mut after = is_w.to_vec();
        after[place] = false;
        if place == 0 {
            options.push(after);
            continue;
        }
        for other in 0..place {
            let mut after = after.clone();
            after[other] = !after[other];
            options.push(after);
        }
    }
    options
}
