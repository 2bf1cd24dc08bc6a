//! Says the right thing, and fails.

fn main() {
    println!("3");
    panic!("on purpose");
}
