//! Wherever cargo puts a binary, it is found.

use std::process::Command;

use crate::fixture::{Workspace, program_text};

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace
        .solution("elsewhere", &program_text("accepted"))
        .case("elsewhere/1", "1 2", "3");
    workspace
}

#[test]
fn a_target_folder_from_the_environment_is_found() {
    let workspace = workspace();
    let folder = workspace.path().join("another");
    let mut judge = workspace.judge(&["--profile", "dev"]);
    judge.env("CARGO_TARGET_DIR", &folder).assert().code(0);
    assert!(folder.join("debug/elsewhere").is_file());
}

#[test]
fn a_target_and_a_profile_of_the_workspace_are_found() {
    let workspace = workspace();
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let manifest = "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n\
                    [profile.own]\ninherits = \"dev\"\n";
    let config = format!("[build]\ntarget = \"{host}\"\ntarget-dir = \"there\"\n");
    workspace
        .write("Cargo.toml", manifest)
        .write(".cargo/config.toml", config);
    let mut judge = workspace.judge(&["--profile", "own"]);
    judge.env_remove("CARGO_TARGET_DIR").assert().code(0);
    let binary = format!("there/{host}/own/elsewhere");
    assert!(workspace.path().join(binary).is_file());
}
