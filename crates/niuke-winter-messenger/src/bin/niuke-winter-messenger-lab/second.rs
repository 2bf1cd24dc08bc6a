//! A second method for strings of any length, which shares no code with the solution: the value of
//! each position is the smallest that no position further left has, found by going on from the one
//! found before.

use std::collections::BTreeSet;
use std::error::Error;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let words: Vec<&str> = input.split_whitespace().collect();
    let strings: Vec<&str> = words[1..].iter().copied().skip(1).step_by(2).collect();
    if strings.len() != words[0].parse::<usize>()? {
        return Err("the number of strings is wrong".into());
    }
    let longest = strings.iter().map(|string| string.len()).max().unwrap_or(0);
    let values = values(longest);
    let winner = |string: &&str| {
        let letters = string.chars().zip(&values);
        let total = letters.fold(0, |total, (letter, value)| match letter {
            'w' => total ^ value,
            _ => total,
        });
        if total == 0 { "No" } else { "Yes" }
    };
    Ok(strings.iter().map(winner).collect::<Vec<_>>().join("\n"))
}

/// The values of a single `w` at the positions from 1 to `n_positions`.
fn values(n_positions: usize) -> Vec<usize> {
    // The string without any `w` is what position 1 alone can be turned to.
    let mut values = vec![1];
    let mut further_left = BTreeSet::from([1]);
    // The set only grows, so what is free for a position was free for all before it.
    let mut free = 0;
    while values.len() < n_positions {
        while further_left.contains(&free) {
            free += 1;
        }
        values.push(free);
        further_left.insert(free);
    }
    values
}
