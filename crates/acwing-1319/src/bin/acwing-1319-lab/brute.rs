//! Search over whole positions, for small graphs.

use std::error::Error;

use sg_core::brute::Search;
use sg_core::contest::Tokens;

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
    let wins = Search::new(|tokens: &Vec<usize>| options(tokens, &edges)).mover_wins(&tokens);
    Ok(if wins { "win" } else { "lose" }.to_owned())
}

/// A position is the sorted list of the nodes with tokens.
fn options(tokens: &[usize], edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut options = Vec::new();
    for (token, &node) in tokens.iter().enumerate() {
        for &(_, to) in edges.iter().filter(|edge| edge.0 == node) {
            let mut option = tokens.to_vec();
            option[token] = to;
            option.sort_unstable();
            options.push(option);
        }
    }
    options
}
