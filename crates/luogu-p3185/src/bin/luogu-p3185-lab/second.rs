//! A second method for rows of any size, which shares no code with the solution: the values are
//! not computed from options but by their closed form, and the last bottle of a move is not
//! searched for but looked up.

use std::collections::BTreeMap;
use std::error::Error;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let numbers: Vec<u64> = input
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let mut rest = &numbers[1..];
    let mut lines = Vec::new();
    for _ in 0..numbers[0] {
        let (row, later) = rest[1..].split_at(usize::try_from(rest[0])?);
        rest = later;
        lines.extend(winning_moves(row));
    }
    Ok(lines.join("\n"))
}

/// The two lines that answer one row.
fn winning_moves(row: &[u64]) -> [String; 2] {
    let odious = (1_u64..).filter(|number| number.count_ones() % 2 == 1);
    let mut values: Vec<u64> = [0].into_iter().chain(odious).take(row.len()).collect();
    values.reverse();
    let bottle_of: BTreeMap<u64, usize> = values.iter().copied().zip(0..).collect();
    let total = (0..row.len())
        .filter(|&bottle| row[bottle] % 2 == 1)
        .fold(0, |total, bottle| total ^ values[bottle]);

    let mut smallest = "-1 -1 -1".to_owned();
    let mut count = 0;
    for i in (0..row.len()).filter(|&i| row[i] > 0 && total != 0) {
        for j in i + 1..row.len() {
            let k = bottle_of.get(&(total ^ values[i] ^ values[j]));
            if let Some(k) = k.filter(|&&k| k >= j) {
                count += 1;
                if count == 1 {
                    smallest = format!("{i} {j} {k}");
                }
            }
        }
    }
    [smallest, count.to_string()]
}
