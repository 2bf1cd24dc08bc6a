//! Leaves the process group that it was given, and never comes to an end.

use std::os::unix::process::CommandExt;
use std::process::Command;

unsafe extern "C" {
    fn setpgid(process: i32, group: i32) -> i32;
}

fn main() {
    let child = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    // SAFETY: it takes two numbers and gives one.
    assert_eq!(unsafe { setpgid(0, child.id() as i32) }, 0);
    loop {
        std::hint::spin_loop();
    }
}
