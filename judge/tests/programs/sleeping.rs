//! Takes no time of the processor, and all on the clock.

fn main() {
    std::thread::sleep(std::time::Duration::from_secs(600));
}
