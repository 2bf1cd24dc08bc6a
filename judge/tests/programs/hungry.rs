//! Takes memory until somebody objects, and looks busy with something else.

fn main() {
    let mut taken = Vec::new();
    loop {
        taken.push(vec![1_u8; 8 << 20]);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
