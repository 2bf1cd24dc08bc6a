//! Never comes to an end.

fn main() {
    let mut n = 1_u64;
    while n != 0 {
        n = std::hint::black_box(n | 1).wrapping_mul(3);
    }
}
