//! Games given as an explicit graph.
//!
//! **Game.** A token stands on a node of a directed graph without cycles; a move takes it along one
//! edge; who cannot move loses.
//!
//! **Theorem.** The value of a node is the mex of the values of the nodes that its edges lead to
//! (Sprague 1935, Grundy 1939). In a topological order every edge leads forward, so one pass from
//! the back knows the options' values before it needs them.
//!
//! # Example
//!
//! The edges of node 0 lead to 1 and 2, those of node 1 to 2.
//!
//! ```
//! use sg_core::{dag::Dag, Nimber};
//!
//! let values = Dag::new(3, &[(0, 1), (0, 2), (1, 2)]).values();
//! assert_eq!(values, Ok(vec![Nimber(2), Nimber(1), Nimber(0)]));
//!
//! let cycle = Dag::new(3, &[(0, 1), (1, 2), (2, 1)]).values().unwrap_err();
//! assert_eq!(cycle.nodes, [1, 2]);
//! ```

use crate::Nimber;
use crate::mex::Marks;

/// A directed graph with nodes numbered from 0, stored as compressed rows: 8 bytes a node and 4
/// an edge. Parallel edges are allowed; they are one option.
#[derive(Clone, Debug)]
pub struct Dag {
    /// The options of `node` are `targets[row_starts[node]..row_starts[node + 1]]`.
    row_starts: Vec<usize>,
    /// Half as wide as `usize`, since memory is what large graphs wait for.
    targets: Vec<u32>,
}

/// A proof that a graph is not acyclic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// At least one node; an edge leads from each to the next, and from the last to the first.
    pub nodes: Vec<usize>,
}

impl Dag {
    /// The graph with nodes `0..n_nodes` and these edges, each as (from, to), in any order.
    ///
    /// Whether it is acyclic is found out by [`values`](Self::values).
    ///
    /// # Panics
    ///
    /// If an edge has an end outside `0..n_nodes`, or leads to a node above 2^32 - 1.
    ///
    /// # Complexity
    ///
    /// O(n + m) for n nodes and m edges.
    #[must_use]
    pub fn new(n_nodes: usize, edges: &[(usize, usize)]) -> Self {
        // A counting sort by the first end: count, sum up, and put in place from the back.
        let mut row_starts = vec![0; n_nodes + 1];
        for &(from, to) in edges {
            assert!(
                from < n_nodes && to < n_nodes,
                "edge {from} -> {to} in a graph of {n_nodes} nodes"
            );
            row_starts[from] += 1;
        }
        let mut end = 0;
        for start in &mut row_starts {
            end += *start;
            *start = end;
        }
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges.iter().rev() {
            let start = &mut row_starts[from];
            *start -= 1;
            targets[*start] = narrow(to);
        }
        Self {
            row_starts,
            targets,
        }
    }

    /// The nodes that the edges of `node` lead to, in the order in which the edges were given.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    #[must_use]
    pub fn options(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let row = self.row_starts[node]..self.row_starts[node + 1];
        self.targets[row].iter().map(|&option| option as usize)
    }

    /// The Grundy values of all nodes.
    ///
    /// # Errors
    ///
    /// If the graph has a cycle, one as a witness. Self-loops are cycles.
    ///
    /// # Complexity
    ///
    /// O(n + m) time and O(n) memory for n nodes and m edges, without recursion: a chain of any
    /// length is no danger to the stack.
    pub fn values(&self) -> Result<Vec<Nimber>, Cycle> {
        let order = self.topological_order()?;
        let mut values = vec![Nimber::ZERO; order.len()];
        let mut marks = Marks::new();
        for &node in order.iter().rev() {
            marks.clear();
            for option in self.options(node as usize) {
                marks.insert(values[option]);
            }
            values[node as usize] = marks.mex();
        }
        Ok(values)
    }

    fn n_nodes(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// All nodes, each before its options (Kahn 1962).
    fn topological_order(&self) -> Result<Vec<u32>, Cycle> {
        let mut n_edges_in = vec![0_usize; self.n_nodes()];
        for &option in &self.targets {
            n_edges_in[option as usize] += 1;
        }
        let is_source = |&node: &usize| n_edges_in[node] == 0;
        let mut order: Vec<u32> = (0..self.n_nodes()).filter(is_source).map(narrow).collect();
        let mut n_done = 0;
        while let Some(&node) = order.get(n_done) {
            n_done += 1;
            for option in self.options(node as usize) {
                n_edges_in[option] -= 1;
                if n_edges_in[option] == 0 {
                    order.push(narrow(option));
                }
            }
        }
        if order.len() == self.n_nodes() {
            Ok(order)
        } else {
            Err(self.cycle_among(|node| n_edges_in[node] > 0))
        }
    }

    /// A cycle among the nodes that have an edge in from one of them.
    ///
    /// Going back along such edges never ends, so it comes to a node for the second time.
    fn cycle_among(&self, is_left: impl Fn(usize) -> bool) -> Cycle {
        let mut predecessor = vec![0; self.n_nodes()];
        let mut node = 0;
        for from in (0..self.n_nodes()).filter(|&from| is_left(from)) {
            for to in self.options(from) {
                predecessor[to] = from;
            }
            node = from;
        }
        let mut is_visited = vec![false; self.n_nodes()];
        while !is_visited[node] {
            is_visited[node] = true;
            node = predecessor[node];
        }
        let last = node;
        let mut nodes = vec![last];
        node = predecessor[last];
        while node != last {
            nodes.push(node);
            node = predecessor[node];
        }
        nodes.reverse();
        Cycle { nodes }
    }
}

fn narrow(node: usize) -> u32 {
    u32::try_from(node).unwrap_or_else(|_| panic!("node {node} in a graph of at most 2^32"))
}

#[cfg(test)]
mod tests {
    use super::{Cycle, Dag};
    use crate::Nimber;

    fn values(n_nodes: usize, edges: &[(usize, usize)]) -> Result<Vec<u64>, Cycle> {
        let values = Dag::new(n_nodes, edges).values()?;
        Ok(values.into_iter().map(|value| value.0).collect())
    }

    /// Whether the player to move wins with a token on `node` and a Nim pile beside it, by search
    /// over both.
    fn mover_wins(dag: &Dag, node: usize, pile: u64) -> bool {
        dag.options(node).any(|to| !mover_wins(dag, to, pile))
            || (0..pile).any(|left| !mover_wins(dag, node, left))
    }

    /// All graphs on four nodes whose edges lead from a smaller to a larger number, under all
    /// relabellings by a rotation: the value of a node is the one pile beside which it is lost.
    #[test]
    fn every_graph_on_four_nodes_has_the_values_that_search_finds() {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for chosen in 0..1 << pairs.len() {
            for shift in 0..4 {
                let is_chosen = |index: &usize| chosen >> index & 1 == 1;
                let edges: Vec<(usize, usize)> = (0..pairs.len())
                    .filter(is_chosen)
                    .map(|index| ((pairs[index].0 + shift) % 4, (pairs[index].1 + shift) % 4))
                    .collect();
                let dag = Dag::new(4, &edges);
                for (node, value) in (0..4).zip(dag.values().unwrap()) {
                    for pile in 0..5 {
                        let is_lost = !mover_wins(&dag, node, pile);
                        assert_eq!(is_lost, Nimber(pile) == value, "{edges:?}, node {node}");
                    }
                }
            }
        }
    }

    /// All graphs on three nodes, self-loops included: a witness is a cycle, and there is one
    /// exactly where some node can reach itself.
    #[test]
    fn every_graph_on_three_nodes_has_values_or_a_true_witness() {
        for chosen in 0..1_u32 << 9 {
            let is_edge = |from: usize, to: usize| chosen >> (3 * from + to) & 1 == 1;
            let pairs = (0..9).map(|pair| (pair / 3, pair % 3));
            let edges: Vec<_> = pairs.filter(|&(from, to)| is_edge(from, to)).collect();
            // All nodes that one more edge leads to, as bits.
            let one_step = |reached: u32| {
                let is_next =
                    |to: &usize| (0..3).any(|from| reached >> from & 1 == 1 && is_edge(from, *to));
                (0..3).filter(is_next).map(|to| 1 << to).sum::<u32>()
            };
            let reaches_itself = |node: usize| {
                let mut reached = 1 << node;
                (0..3).any(|_| {
                    reached = one_step(reached);
                    reached >> node & 1 == 1
                })
            };
            match values(3, &edges) {
                Ok(_) => assert!(!(0..3).any(reaches_itself), "{edges:?}"),
                Err(Cycle { nodes }) => {
                    let next = nodes.iter().cycle().skip(1);
                    assert!(!nodes.is_empty(), "{edges:?}");
                    assert!(nodes.iter().zip(next).all(|(&from, &to)| is_edge(from, to)));
                }
            }
        }
    }

    #[test]
    fn parallel_edges_are_one_option() {
        assert_eq!(values(2, &[(0, 1), (0, 1), (0, 1)]), Ok(vec![1, 0]));
    }

    #[test]
    fn options_keep_the_order_of_the_edges() {
        let dag = Dag::new(4, &[(2, 3), (0, 3), (2, 1), (0, 1), (2, 3)]);
        assert!(dag.options(0).eq([3, 1]));
        assert!(dag.options(1).eq([]));
        assert!(dag.options(2).eq([3, 1, 3]));
        assert!(dag.options(3).eq([]));
    }

    #[test]
    fn no_nodes_no_values() {
        assert_eq!(values(0, &[]), Ok(vec![]));
        assert_eq!(values(2, &[]), Ok(vec![0, 0]));
    }

    /// In a tournament every node has all later ones as options: the values go up by one.
    #[test]
    fn values_grow_as_large_as_the_options_allow() {
        let edges: Vec<_> = (0..110)
            .flat_map(|to| (to + 1..110).map(move |from| (from, to)))
            .collect();
        assert_eq!(values(110, &edges), Ok((0..110).collect()));
    }

    #[test]
    fn a_chain_of_a_million_nodes_fits_a_small_stack() {
        let chain = || {
            let edges: Vec<_> = (1..1_000_000).map(|node| (node, node - 1)).collect();
            let values = values(1_000_000, &edges).unwrap();
            assert!(
                values
                    .iter()
                    .zip([0, 1].iter().cycle())
                    .all(|(value, parity)| value == parity)
            );
            let closed: Vec<_> = edges.into_iter().chain([(0, 999_999)]).collect();
            assert_eq!(
                Dag::new(1_000_000, &closed)
                    .values()
                    .unwrap_err()
                    .nodes
                    .len(),
                1_000_000
            );
        };
        let small_stack = std::thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(chain);
        small_stack.unwrap().join().unwrap();
    }
}
