//! A second method for piles of any size, which shares no code with the solution.
//!
//! Up to 10^5 stones, a sieve over the multiples gives the divisors, and the mex its definition.
//! Above, the divisors are a set that grows by one prime factor after the other, and the value is
//! found by halving; that this is the mex is what the README proves.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

const LARGEST_IN_TABLES: usize = 100_000;

pub(crate) fn answer(input: &str) -> Result<String, Box<dyn Error>> {
    let numbers: Vec<usize> = input
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let piles = &numbers[1..];
    let divisors = divisors_by_sieve();
    let values = values_by_mex(&divisors);
    let value = |pile: usize| {
        let from_table = values.get(pile).copied();
        from_table.unwrap_or_else(|| halvings(pile) + 1)
    };
    let divisors_of = |pile: usize| {
        let from_table = divisors.get(pile).cloned();
        from_table.unwrap_or_else(|| divisors_by_trial(pile))
    };
    let total = piles.iter().fold(0, |total, &pile| total ^ value(pile));
    let n_winning = |pile: usize| {
        let is_winning = |&taken: &usize| total ^ value(pile) ^ value(pile - taken) == 0;
        divisors_of(pile).into_iter().filter(is_winning).count()
    };
    let mut known = BTreeMap::new();
    let counts = piles
        .iter()
        .map(|&pile| *known.entry(pile).or_insert_with(|| n_winning(pile)));
    Ok(counts.sum::<usize>().to_string())
}

fn divisors_by_sieve() -> Vec<Vec<usize>> {
    let mut divisors = vec![vec![]; LARGEST_IN_TABLES + 1];
    for divisor in 1..=LARGEST_IN_TABLES {
        for multiple in (divisor..=LARGEST_IN_TABLES).step_by(divisor) {
            divisors[multiple].push(divisor);
        }
    }
    divisors
}

fn values_by_mex(divisors: &[Vec<usize>]) -> Vec<usize> {
    let mut values: Vec<usize> = Vec::new();
    for (pile, divisors) in divisors.iter().enumerate() {
        let options: BTreeSet<usize> = divisors.iter().map(|taken| values[pile - taken]).collect();
        values.push((0..).take_while(|value| options.contains(value)).count());
    }
    values
}

fn divisors_by_trial(number: usize) -> Vec<usize> {
    let mut divisors = BTreeSet::from([1]);
    let mut rest = number;
    let mut factor = 2;
    while rest > 1 {
        if factor > rest / factor {
            factor = rest;
        }
        if rest % factor == 0 {
            rest /= factor;
            let more: Vec<usize> = divisors.iter().map(|divisor| divisor * factor).collect();
            divisors.extend(more);
        } else {
            factor += 1;
        }
    }
    divisors.into_iter().collect()
}

fn halvings(mut number: usize) -> usize {
    let mut n_halvings = 0;
    while number % 2 == 0 {
        number /= 2;
        n_halvings += 1;
    }
    n_halvings
}
