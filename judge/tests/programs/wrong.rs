//! Adds one too many.

fn main() {
    let input = std::io::read_to_string(std::io::stdin()).unwrap();
    let total: i64 = input.split_whitespace().map(|word| word.parse::<i64>().unwrap()).sum();
    println!("{}", total + 1);
}
