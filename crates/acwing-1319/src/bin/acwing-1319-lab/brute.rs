//! Search over whole positions, for small graphs: a position is won if some move leads to a lost
//! one.

use std::collections::BTreeMap;
use std::error::Error;

use sg_core::contest::Tokens;

/// `edges` as (from, to); a position is the sorted list of the nodes with tokens.
pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let mut input = Tokens::new(input);
    let n_nodes = input.number("the number of nodes", 0..=usize::MAX)?;
    let n_edges = input.number("the number of edges", 0..=usize::MAX)?;
    let n_tokens = input.number("the number of tokens", 0..=usize::MAX)?;
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for _ in 0..n_edges {
        edges.push((
            input.number("a node", 1..=n_nodes)?,
            input.number("a node", 1..=n_nodes)?,
        ));
    }
    let mut tokens: Vec<usize> = Vec::new();
    for _ in 0..n_tokens {
        tokens.push(input.number("a node", 1..=n_nodes)?);
    }
    input.end()?;
    tokens.sort_unstable();
    let wins = mover_wins(&tokens, &edges, &mut BTreeMap::new());
    Ok(if wins { "win" } else { "lose" }.to_owned())
}

fn mover_wins(
    tokens: &[usize],
    edges: &[(usize, usize)],
    known: &mut BTreeMap<Vec<usize>, bool>,
) -> bool {
    if let Some(&wins) = known.get(tokens) {
        return wins;
    }
    let wins = (0..tokens.len()).any(|token| {
        edges
            .iter()
            .filter(|edge| edge.0 == tokens[token])
            .any(|&(_, to)| {
                let mut after = tokens.to_vec();
                after[token] = to;
                after.sort_unstable();
                !mover_wins(&after, edges, known)
            })
    });
    known.insert(tokens.to_vec(), wins);
    wins
}
