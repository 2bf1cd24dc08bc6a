//! Judge.
fn main() {}
