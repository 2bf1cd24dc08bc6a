//! A second method for piles of any size, which shares no code with the solution: the piles are
//! written one below the other in binary, and a game is lost if every column has an even number
//! of ones.

use std::error::Error;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut numbers = input.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next().ok_or("the input is too short");
    let mut answers = Vec::new();
    for _ in 0..next()?? {
        let mut ones_in_column = [0_u64; 64];
        for _ in 0..next()?? {
            let pile = next()??;
            for (column, ones) in ones_in_column.iter_mut().enumerate() {
                *ones += pile >> column & 1;
            }
        }
        let is_lost = ones_in_column.iter().all(|ones| ones % 2 == 0);
        answers.push(if is_lost { "No" } else { "Yes" });
    }
    Ok(answers.join("\n"))
}
