//! All divisors of a number, for many numbers: small factors from a table, large ones by trial.

/// The divisors of any number, with a table that makes those of small numbers cheap.
pub(crate) struct Divisors {
    /// The smallest prime factor of each number. 0 and 1 have none; nothing asks for it.
    smallest_factor: Vec<u32>,
}

impl Divisors {
    /// With a table of the numbers up to `limit`: 4 bytes and O(log log limit) time for each.
    pub(crate) fn with_table_up_to(limit: u32) -> Self {
        let mut smallest_factor: Vec<u32> = (0..=limit).collect();
        for prime in (2..=limit).take_while(|prime| *prime <= limit / prime) {
            if smallest_factor[prime as usize] != prime {
                continue;
            }
            // Smaller multiples have a smaller prime factor.
            for multiple in (prime * prime..=limit).step_by(prime as usize) {
                let factor = &mut smallest_factor[multiple as usize];
                *factor = prime.min(*factor);
            }
        }
        Self { smallest_factor }
    }

    /// The divisors of a number from 1 on, each once, in no particular order.
    ///
    /// The prime factors come one after the other, from small to large. A new one multiplies all
    /// divisors so far; one that comes again multiplies those that it made the last time.
    pub(crate) fn of(&self, number: u64) -> Vec<u64> {
        // Room for as many as most numbers have: growing costs more than finding them.
        let mut divisors = Vec::with_capacity(32);
        divisors.push(1);
        let mut n_multiplied = 1;
        let mut prime = 2;
        let mut rest = number;
        while rest > 1 {
            let factor = self.smallest_factor(rest, prime);
            if factor != prime {
                prime = factor;
                n_multiplied = divisors.len();
            }
            for index in divisors.len() - n_multiplied..divisors.len() {
                divisors.push(divisors[index] * prime);
            }
            rest /= prime;
        }
        divisors
    }

    /// The smallest prime factor of a number from 2 on that has none below the prime `first`.
    fn smallest_factor(&self, number: u64, first: u64) -> u64 {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(&factor) = self.smallest_factor.get(index) {
            return factor.into();
        }
        let mut candidate = first;
        while candidate <= number / candidate {
            if number % candidate == 0 {
                return candidate;
            }
            // From 2 to 3, and from there on to odd numbers only.
            candidate += 1 + candidate % 2;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::Divisors;

    fn sorted(divisors: &Divisors, number: u64) -> Vec<u64> {
        let mut divisors = divisors.of(number);
        divisors.sort_unstable();
        divisors
    }

    #[test]
    fn small_numbers_have_the_divisors_of_the_definition_whatever_the_table() {
        let tables = [0, 1, 2, 3, 4, 9, 25, 120, 1000].map(Divisors::with_table_up_to);
        for number in 1..=1000 {
            let is_divisor = |divisor: &u64| number % divisor == 0;
            let expected: Vec<u64> = (1..=number).filter(is_divisor).collect();
            for table in &tables {
                assert_eq!(sorted(table, number), expected, "{number}");
            }
        }
    }

    #[test]
    fn large_numbers_are_no_special_case() {
        let divisors = Divisors::with_table_up_to(1000);
        assert_eq!(
            sorted(&divisors, 1 << 63),
            (0..64).map(|twos| 1 << twos).collect::<Vec<u64>>()
        );
        assert_eq!(divisors.of(18_401_055_938_125_660_800).len(), 184_320);
        // 3 * 5 * 17 * 257 * 641 * 65537 * 6700417
        assert_eq!(divisors.of(u64::MAX).len(), 1 << 7);
        assert_eq!(sorted(&divisors, 1_000_000_000_039), [1, 1_000_000_000_039]);
        let square = 1_000_003 * 1_000_003;
        assert_eq!(sorted(&divisors, square), [1, 1_000_003, square]);
    }
}
