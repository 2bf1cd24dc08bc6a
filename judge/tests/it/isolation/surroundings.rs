//! What a program may be tempted by: things of the test's own, outside of the workspace.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use tempfile::TempDir;

/// Files, sockets, a process, and what the kernel keeps by number.
pub(super) struct Surroundings {
    pub(super) folder: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    /// Open as long as the others.
    _sockets: (UnixListener, UnixListener, UnixDatagram, UnixDatagram),
    witness: Child,
    kept: Vec<Kept>,
}

impl Surroundings {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let files = [
            ("file", ""),
            ("spare", ""),
            ("linked.in", "random\n"),
            ("linked.out", "done\n"),
        ];
        for (file, text) in files {
            fs::write(path.join(file), text).unwrap();
        }
        for inner in ["folder", "empty"] {
            fs::create_dir(path.join(inner)).unwrap();
        }
        let sockets = (
            UnixListener::bind(path.join("stream")).unwrap(),
            UnixListener::bind_addr(&abstract_name("stream")).unwrap(),
            UnixDatagram::bind(path.join("datagrams")).unwrap(),
            UnixDatagram::bind_addr(&abstract_name("datagrams")).unwrap(),
        );
        let mut witness = Command::new("sleep");
        Self {
            folder,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _sockets: sockets,
            witness: witness.arg("3607.5").process_group(0).spawn().unwrap(),
            kept: KINDS.into_iter().filter_map(Kept::new).collect(),
        }
    }

    /// Names and what they stand for; without those of what cannot be made here.
    pub(super) fn names(&self) -> Vec<(&'static str, String)> {
        let mut names = vec![
            ("$OUTSIDE", self.folder.path().display().to_string()),
            ("$TCP", self.tcp.local_addr().unwrap().to_string()),
            ("$UDP", self.udp.local_addr().unwrap().to_string()),
            ("$ABSTRACT", full_name("stream")),
            ("$DATAGRAMS", full_name("datagrams")),
            ("$WITNESS", self.witness.id().to_string()),
        ];
        names.extend(
            self.kept
                .iter()
                .map(|kept| (kept.kind.name, kept.number.clone())),
        );
        names
    }

    /// All that is there and could be changed.
    pub(super) fn state(&self) -> BTreeMap<PathBuf, String> {
        state(self.folder.path())
    }

    pub(super) fn is_witness_alive(&mut self) -> bool {
        self.witness.try_wait().unwrap().is_none()
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        let _ = self.witness.kill();
        let _ = self.witness.wait();
    }
}

/// What stands in a folder: of each file what is in it, who may do what, and when it changed.
pub(super) fn state(folder: &Path) -> BTreeMap<PathBuf, String> {
    let entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    let state = |entry: &walkdir::DirEntry| {
        let metadata = entry.metadata().unwrap();
        let text = metadata.is_file().then(|| fs::read(entry.path()).unwrap());
        let changed = (metadata.mtime(), metadata.ctime(), metadata.nlink());
        format!("{:o} {changed:?} {text:?}", metadata.mode())
    };
    entries
        .map(|entry| (entry.path().to_owned(), state(&entry)))
        .collect()
}

/// One of the test's own, whatever else goes on.
fn full_name(name: &str) -> String {
    format!("isolation-{}-{name}", std::process::id())
}

fn abstract_name(name: &str) -> SocketAddr {
    SocketAddr::from_abstract_name(full_name(name)).unwrap()
}

/// What the kernel keeps until somebody removes it, and the options of `ipcmk` and `ipcrm` for it.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    make: &'static [&'static str],
    remove: &'static str,
}

pub(super) const KINDS: [Kind; 3] = [
    Kind {
        name: "$MEMORY",
        make: &["-M", "4096"],
        remove: "-m",
    },
    Kind {
        name: "$SEMAPHORE",
        make: &["-S", "1"],
        remove: "-s",
    },
    Kind {
        name: "$QUEUE",
        make: &["-Q"],
        remove: "-q",
    },
];

struct Kept {
    kind: Kind,
    number: String,
}

impl Kept {
    /// None where the kernel has no such thing, or nobody can make it.
    fn new(kind: Kind) -> Option<Self> {
        let output = Command::new("ipcmk").args(kind.make).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let number = text.split_whitespace().last()?.to_owned();
        Some(Self { kind, number })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = Command::new("ipcrm")
            .args([self.kind.remove, &self.number])
            .status();
    }
}
