//! Says the right thing without reading anything, and something else to standard error.

fn main() {
    eprintln!("note to self");
    println!("3");
}
