//! Says far too much.

fn main() {
    loop {
        println!("3");
    }
}
