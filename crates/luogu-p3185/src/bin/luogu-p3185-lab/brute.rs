//! Search over whole rows, for few bottles and few beans.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

/// A bottle may hold more beans than the input can say: play adds to them.
type Row = Vec<u128>;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_games = input.number("the number of rows", 0..=usize::MAX)?;
    let mut search =
        Search::new(|row: &Row| moves(row).into_iter().map(after(row)).collect::<Vec<_>>());
    let mut answers = Vec::new();
    for _ in 0..n_games {
        let n_bottles = input.number("the number of bottles", 0..=usize::MAX)?;
        let mut row: Row = (0..n_bottles)
            .map(|_| input.number("a number of beans", 0..=u128::from(u64::MAX)))
            .collect::<Result<_, _>>()?;
        // Beans in the last bottle stay there for ever: a row is what stands before it.
        row.pop();
        let mut winning = moves(&row);
        winning.retain(|&bottles| !search.mover_wins(&after(&row)(bottles)));
        let smallest = match winning.iter().min() {
            Some([i, j, k]) => format!("{i} {j} {k}"),
            None => "-1 -1 -1".to_owned(),
        };
        answers.push(format!("{smallest}\n{}", winning.len()));
    }
    input.end()?;
    Ok(answers.join("\n"))
}

/// All legal moves, as the bottle that loses a bean and the two that get one.
fn moves(row: &[u128]) -> Vec<[usize; 3]> {
    let last = row.len();
    let mut moves = Vec::new();
    for i in (0..row.len()).filter(|&i| row[i] > 0) {
        for j in i + 1..=last {
            for k in j..=last {
                moves.push([i, j, k]);
            }
        }
    }
    moves
}

fn after(row: &[u128]) -> impl Fn([usize; 3]) -> Row + '_ {
    move |[i, j, k]| {
        let mut after = row.to_vec();
        after[i] -= 1;
        for bottle in [j, k] {
            if let Some(beans) = after.get_mut(bottle) {
                *beans += 1;
            }
        }
        after
    }
}
