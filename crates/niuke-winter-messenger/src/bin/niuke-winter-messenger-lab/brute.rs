//! Search over whole strings, for short ones: a string is won if some move leads to a lost one.

use std::collections::BTreeMap;
use std::error::Error;

use sg_core::contest::Tokens;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_games = input.number("the number of strings", 0..=usize::MAX)?;
    let mut known = BTreeMap::new();
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
        let wins = mover_wins(&is_w, &mut known);
        answers.push(if wins { "Yes" } else { "No" });
    }
    input.end()?;
    Ok(answers.join("\n"))
}

fn mover_wins(is_w: &[bool], known: &mut BTreeMap<Vec<bool>, bool>) -> bool {
    if let Some(&wins) = known.get(is_w) {
        return wins;
    }
    let wins = options(is_w)
        .into_iter()
        .any(|option| !mover_wins(&option, known));
    known.insert(is_w.to_vec(), wins);
    wins
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
