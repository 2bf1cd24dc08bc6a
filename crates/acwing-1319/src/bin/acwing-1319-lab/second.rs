//! A second method for graphs of any size, which shares no code with the solution: nodes are
//! valued from the sinks backwards, as soon as all their successors are.

use std::collections::BTreeSet;
use std::error::Error;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let numbers: Vec<usize> = input
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let (n_nodes, n_edges) = (numbers[0], numbers[1]);
    let mut successors = vec![BTreeSet::new(); n_nodes + 1];
    let mut predecessors = vec![BTreeSet::new(); n_nodes + 1];
    for edge in numbers[3..3 + 2 * n_edges].chunks(2) {
        successors[edge[0]].insert(edge[1]);
        predecessors[edge[1]].insert(edge[0]);
    }
    let mut unvalued: Vec<usize> = successors.iter().map(BTreeSet::len).collect();
    let mut ready: Vec<usize> = (1..=n_nodes).filter(|&node| unvalued[node] == 0).collect();
    let mut values = vec![0; n_nodes + 1];
    while let Some(node) = ready.pop() {
        let taken: BTreeSet<usize> = successors[node].iter().map(|&next| values[next]).collect();
        values[node] = (0..)
            .zip(&taken)
            .take_while(|(free, &value)| *free == value)
            .count();
        for &previous in &predecessors[node] {
            unvalued[previous] -= 1;
            if unvalued[previous] == 0 {
                ready.push(previous);
            }
        }
    }
    let total = numbers[3 + 2 * n_edges..]
        .iter()
        .fold(0, |total, &node| total ^ values[node]);
    Ok(if total == 0 { "lose" } else { "win" }.to_owned())
}
