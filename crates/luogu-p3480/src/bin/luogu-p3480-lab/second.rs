//! A second method for piles of any size, which shares no code with the solution: it goes through
//! the row from the left and keeps the value of the part that it has seen, and of that part
//! without its last pile.
//!
//! A further pile turns the steps that counted into such that do not, and the other way round. So
//! the value with it is its height above the last pile, xor the value without that last pile.

use std::error::Error;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut numbers = input.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next().ok_or("the input is too short");
    let mut answers = Vec::new();
    for _ in 0..next()?? {
        let (mut value, mut value_without_last) = (0, 0);
        let mut last = 0;
        for _ in 0..next()?? {
            let pile = next()??;
            let longer = (pile - last) ^ value_without_last;
            value_without_last = value;
            value = longer;
            last = pile;
        }
        answers.push(if value == 0 { "NIE" } else { "TAK" });
    }
    Ok(answers.join("\n"))
}
