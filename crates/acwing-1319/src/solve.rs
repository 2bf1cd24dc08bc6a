//! From the graph and its tokens to the winner.

use std::fmt;

use sg_core::contest::{InputError, Tokens};
use sg_core::dag::{Cycle, Dag};
use sg_core::game::{self, Outcome};

/// Who wins, as the problem wants it printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winner(Outcome);

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Outcome::N => "win",
            Outcome::P => "lose",
        })
    }
}

/// The nodes are numbered from 0 here, and from 1 in the input.
struct Position {
    n_nodes: usize,
    edges: Vec<(usize, usize)>,
    tokens: Vec<usize>,
}

/// Reads a position and names its winner.
pub(crate) fn answer(input: &str) -> Result<Winner, InputError> {
    let mut position = parse(input)?;
    let names = renumber(&mut position);
    winner(&position).map_err(|cycle| cycle_error(&cycle, &names))
}

fn parse(input: &str) -> Result<Position, InputError> {
    let mut input = Tokens::new(input);
    let n_nodes = input.number("the number of nodes", 0..=usize::MAX)?;
    let n_edges = input.number("the number of edges", 0..=usize::MAX)?;
    let n_tokens = input.number("the number of tokens", 0..=usize::MAX)?;
    let mut node = || Ok(input.number("a node", 1..=n_nodes)? - 1);
    let position = Position {
        n_nodes,
        edges: (0..n_edges)
            .map(|_| Ok((node()?, node()?)))
            .collect::<Result<_, _>>()?,
        tokens: (0..n_tokens).map(|_| node()).collect::<Result<_, _>>()?,
    };
    input.end()?;
    Ok(position)
}

fn winner(position: &Position) -> Result<Winner, Cycle> {
    let values = Dag::new(position.n_nodes, &position.edges).values()?;
    let total = game::sum(position.tokens.iter().map(|&node| values[node]));
    Ok(Winner(Outcome::of(total)))
}

/// Leaves out the nodes that nothing mentions, where there are more nodes than could be mentioned,
/// so that the cost depends on the length of the input and not on the number it begins with.
/// Returns the old numbers.
fn renumber(position: &mut Position) -> Vec<usize> {
    let Position {
        n_nodes,
        edges,
        tokens,
    } = position;
    if *n_nodes <= 2 * edges.len() + tokens.len() {
        return (0..*n_nodes).collect();
    }
    let ends = edges.iter().flat_map(|&(from, to)| [from, to]);
    let mut names: Vec<usize> = ends.chain(tokens.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let ends = edges.iter_mut().flat_map(|(from, to)| [from, to]);
    for node in ends.chain(tokens) {
        *node = names.partition_point(|name| name < node);
    }
    *n_nodes = names.len();
    names
}

/// Names the cycle, or the start of a long one.
fn cycle_error(cycle: &Cycle, names: &[usize]) -> InputError {
    const LONGEST: usize = 10;
    let closed = cycle.nodes.iter().chain(cycle.nodes.first());
    let path: Vec<String> = closed
        .take(LONGEST)
        .map(|&node| (names[node] + 1).to_string())
        .collect();
    let rest = if cycle.nodes.len() < LONGEST {
        ""
    } else {
        " -> …"
    };
    InputError::new(&format!(
        "expected no cycle, found {}{rest}",
        path.join(" -> ")
    ))
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::brute;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap().to_string(), expected, "{input}");
    }

    #[track_caller]
    fn check_error(input: &str, expected: &str) {
        assert_eq!(answer(input).unwrap_err().to_string(), expected);
    }

    #[test]
    fn sample() {
        check(
            "6 8 4\n2 1\n2 4\n1 4\n1 5\n4 5\n1 3\n3 5\n3 6\n1 2 4 6\n",
            "win",
        );
    }

    #[test]
    fn edge_cases() {
        check("3 0 2 1 2", "lose");
        check("2 1 2 1 2 1 1", "lose");
        check("2 1 3 1 2 1 1 1", "win");
        check("2 2 1 1 2 1 2 1", "win");
        check("3 2 1 1 2 2 3 1", "lose");
        check("3 2 1 3 2 2 1 3", "lose");
        check("0 0 0", "lose");
    }

    #[test]
    fn the_cost_depends_on_the_length_of_the_input_only() {
        check(
            "18446744073709551615 1 1 18446744073709551615 7 18446744073709551615",
            "win",
        );
        check("1000000000000 2 1 9 8 8 7 9", "lose");
    }

    #[test]
    fn faults_are_told() {
        check_error(
            "2 1 1\n1 3\n1",
            "line 2, token 2: expected a node in 1..=2, found 3",
        );
        check_error(
            "2 1 1\n1 2\n",
            "line 3, token 1: expected a node in 1..=2, found the end of the input",
        );
        check_error(
            "2 0 0\n1",
            "line 2, token 1: expected the end of the input, found 1",
        );
        check_error(
            "3 3 0 1 2 2 3 3 1",
            "expected no cycle, found 1 -> 2 -> 3 -> 1",
        );
        check_error("900 2 0 1 1 800 800", "expected no cycle, found 800 -> 800");
        let chain: String = (1..20)
            .map(|node| format!("{node} {} ", node + 1))
            .collect();
        let error = answer(&format!("20 20 0 {chain} 20 1"))
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("-> …") && error.matches("->").count() == 10,
            "{error}"
        );
    }

    /// All graphs on four nodes with edges from larger to smaller numbers or the other way round,
    /// each with several choices of up to three tokens.
    #[test]
    fn agrees_with_brute_force() {
        let pairs = [(2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (4, 3)];
        let multisets = [
            &[][..],
            &[1],
            &[4],
            &[1, 4],
            &[2, 3],
            &[4, 4],
            &[2, 4, 4],
            &[1, 2, 3],
            &[2, 3, 4],
        ];
        for chosen in 0..1_u32 << pairs.len() {
            for tokens in multisets {
                for is_forward in [false, true] {
                    let edges = (0..pairs.len()).filter(|index| chosen >> index & 1 == 1);
                    let lines: Vec<String> = edges
                        .map(|index| match pairs[index] {
                            (a, b) if is_forward => format!("{b} {a}\n"),
                            (a, b) => format!("{a} {b}\n"),
                        })
                        .collect();
                    let n_tokens = tokens.len();
                    let tokens: String = tokens.iter().map(|token| format!("{token} ")).collect();
                    let input =
                        format!("4 {} {n_tokens}\n{}{tokens}\n", lines.len(), lines.concat());
                    assert_eq!(
                        answer(&input).unwrap().to_string(),
                        brute::answer(&input).unwrap(),
                        "{input}"
                    );
                }
            }
        }
    }
}
