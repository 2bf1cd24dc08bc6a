//! Attempts to reach others by sockets.

use std::io::{Error, Result};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

use crate::{any, told};

pub fn attempt(words: &[&str]) -> Option<Result<()>> {
    Some(match *words {
        ["tcp", address] => TcpStream::connect(address).map(drop),
        ["udp", address] => UdpSocket::bind("127.0.0.1:0")
            .and_then(|socket| socket.send_to(b"x", address).map(drop)),
        ["listen", address] => TcpListener::bind(address).map(drop),
        ["unix", path] => UnixStream::connect(path).map(drop),
        ["abstract", name] => {
            abstract_name(name).and_then(|name| UnixStream::connect_addr(&name).map(drop))
        }
        ["datagram", path] => {
            UnixDatagram::unbound().and_then(|socket| socket.send_to(b"x", path).map(drop))
        }
        // Two sockets that were made for each other can have other partners, too.
        ["datagram-of-pair", path] => {
            UnixDatagram::pair().and_then(|(socket, _)| socket.send_to(b"x", path).map(drop))
        }
        ["connect-of-pair", path] => {
            UnixDatagram::pair().and_then(|(socket, _)| socket.connect(path))
        }
        ["abstract-of-pair", name] => abstract_name(name).and_then(|name| {
            let (socket, _) = UnixDatagram::pair()?;
            socket.send_to_addr(b"x", &name).map(drop)
        }),
        ["raw-pair"] => pair(UNIX, RAW),
        ["socket-of-any-family"] => any_family(),
        _ => return None,
    })
}

fn abstract_name(name: &str) -> Result<SocketAddr> {
    SocketAddr::from_abstract_name(name)
}

fn pair(family: i32, kind: i32) -> Result<()> {
    let mut files = [0; 2];
    told(unsafe { socketpair(family, kind, 0, files.as_mut_ptr()) }).map(drop)
}

/// Those that there are, whatever their kind.
fn any_family() -> Result<()> {
    let kinds = (1..=5).flat_map(|kind| (0..64).map(move |family| (family, kind)));
    let made = any(kinds, |(family, kind)| told(unsafe { socket(family, kind, 0) }).map(drop));
    made.map_err(|_| Error::from_raw_os_error(crate::EPERM))
}

const UNIX: i32 = 1;
const RAW: i32 = 3;

extern "C" {
    fn socket(family: i32, kind: i32, protocol: i32) -> i32;
    fn socketpair(family: i32, kind: i32, protocol: i32, files: *mut i32) -> i32;
}
