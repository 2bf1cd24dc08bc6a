//! What a program may be tempted by: things of the test's own, outside of the workspace.

use std::collections::BTreeMap;
use std::fs;
use std::io;
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
    sockets: Sockets,
    witness: Child,
    kept: Vec<Kept>,
}

impl Surroundings {
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
        for (file, text) in [
            ("file", ""),
            ("spare", ""),
            ("linked.in", "random\n"),
            ("linked.out", "done\n"),
        ] {
            fs::write(path.join(file), text)?;
        }
        for inner in ["folder", "empty"] {
            fs::create_dir(path.join(inner))?;
        }
        let sockets = Sockets::new(path)?;
        let mut witness = Command::new("sleep");
        let witness = witness.arg("3607.5").process_group(0).spawn()?;
        let kept = KINDS.into_iter().filter_map(Kept::new).collect();
        Ok(Self {
            folder,
            sockets,
            witness,
            kept,
        })
    }

    /// Names and what they stand for; without those of what cannot be made here.
    pub(super) fn names(&self) -> io::Result<Vec<(&'static str, String)>> {
        let mut names = vec![
            ("$OUTSIDE", self.folder.path().display().to_string()),
            ("$TCP", self.sockets.tcp.local_addr()?.to_string()),
            ("$UDP", self.sockets.udp.local_addr()?.to_string()),
            ("$ABSTRACT", full_name("stream")),
            ("$DATAGRAMS", full_name("datagrams")),
            ("$WITNESS", self.witness.id().to_string()),
        ];
        let kept = self.kept.iter();
        names.extend(kept.map(|kept| (kept.kind.name, kept.number.clone())));
        Ok(names)
    }

    /// All that is there and could be changed.
    pub(super) fn state(&self) -> BTreeMap<PathBuf, String> {
        state(self.folder.path())
    }

    pub(super) fn is_witness_alive(&mut self) -> bool {
        matches!(self.witness.try_wait(), Ok(None))
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
        let metadata = entry.metadata();
        let metadata = metadata.map(|of| (of.mode(), of.mtime(), of.ctime(), of.nlink()));
        // Not of sockets, which cannot be read.
        let text = fs::read(entry.path()).ok();
        format!("{metadata:?} {text:?}")
    };
    entries
        .map(|entry| (entry.path().to_owned(), state(&entry)))
        .collect()
}

/// Sockets that listen, of each kind one.
struct Sockets {
    tcp: TcpListener,
    udp: UdpSocket,
    _others: (UnixListener, UnixListener, UnixDatagram, UnixDatagram),
}

impl Sockets {
    fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            tcp: TcpListener::bind("127.0.0.1:0")?,
            udp: UdpSocket::bind("127.0.0.1:0")?,
            _others: (
                UnixListener::bind(folder.join("stream"))?,
                UnixListener::bind_addr(&abstract_name("stream")?)?,
                UnixDatagram::bind(folder.join("datagrams"))?,
                UnixDatagram::bind_addr(&abstract_name("datagrams")?)?,
            ),
        })
    }
}

/// One of the test's own, whatever else goes on.
fn full_name(name: &str) -> String {
    format!("isolation-{}-{name}", std::process::id())
}

fn abstract_name(name: &str) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(full_name(name))
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
