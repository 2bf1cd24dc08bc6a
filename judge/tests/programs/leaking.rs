//! Says the right thing, and leaves a process behind that holds its output open.

fn main() {
    std::process::Command::new("sleep").arg("600").spawn().unwrap();
    println!("3");
}
