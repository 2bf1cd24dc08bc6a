//! Does not compile.

fn main() {
    let total: i64 = "three";
}
