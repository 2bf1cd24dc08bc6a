//! Right only if an overflow goes unnoticed.

fn main() {
    let input = std::io::read_to_string(std::io::stdin()).unwrap();
    let first: u8 = input.split_whitespace().next().unwrap().parse().unwrap();
    let overflown = (first + 254) + first;
    println!("{}", u32::from(overflown) + 3);
}
