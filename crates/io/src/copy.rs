// SPDX-License-Identifier: Apache-2.0
//! A file over a plain TCP connection, and nothing else: what the kernel takes for it, beside which
//! a transfer is measured.

use crate::measure::thread_cpu;
use std::fs::File;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

/// Bytes that one call may take out of the connection: they stay in the cache until they are
/// written.
const GULP: usize = 1 << 18;

/// What a copy took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Copied {
    /// Until both ends were done.
    pub seconds: f64,
    /// Processor time of the thread that sends, the kernel's included.
    pub send_cpu_seconds: f64,
    /// Of the one that receives.
    pub recv_cpu_seconds: f64,
}

/// Copies a file over the loopback interface: `sendfile` at one end, `recv` and `write` into a file
/// that has its length already at the other, a thread each. Nothing is checked, and nothing waits
/// for the disk.
///
/// # Errors
/// A file or a socket fails.
pub fn over_tcp(from: &Path, to: &Path) -> io::Result<Copied> {
    carry(File::open(from)?, Some(File::create_new(to)?))
}

/// The same into one piece of memory, over and over: what TCP alone takes.
///
/// # Errors
/// The file or a socket fails.
pub fn into_memory(from: &Path) -> io::Result<Copied> {
    carry(File::open(from)?, None)
}

fn carry(from: File, to: Option<File>) -> io::Result<Copied> {
    let bytes = from.metadata()?.len();
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let begun = Instant::now();
    let out = TcpStream::connect(listener.local_addr()?)?;
    let into = listener.accept()?.0;
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || send(&from, bytes, &out));
        let recv_cpu_seconds = receive(into, to.as_ref(), bytes)?;
        let sent = sender.join();
        let send_cpu_seconds = sent.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        drop(to);
        Ok(Copied {
            seconds: begun.elapsed().as_secs_f64(),
            send_cpu_seconds,
            recv_cpu_seconds,
        })
    })
}

/// Processor time that it took.
fn send(file: &File, mut left: u64, socket: &TcpStream) -> io::Result<f64> {
    while left > 0 {
        let most = left.min(1 << 30) as usize;
        let (to, from) = (socket.as_raw_fd(), file.as_raw_fd());
        // SAFETY: takes numbers; without a place the kernel reads on in the file.
        let said = unsafe { libc::sendfile(to, from, std::ptr::null_mut(), most) };
        match u64::try_from(said) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => left -= count,
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
        }
    }
    Ok(thread_cpu())
}

/// Processor time that it took.
fn receive(mut socket: TcpStream, file: Option<&File>, bytes: u64) -> io::Result<f64> {
    let used = thread_cpu();
    file.map_or(Ok(()), |file| file.set_len(bytes))?;
    let (mut gulp, mut place) = (vec![0; GULP], 0);
    while place < bytes {
        let count = socket.read(&mut gulp)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(file) = file {
            file.write_all_at(&gulp[..count], place)?;
        }
        place += count as u64;
    }
    Ok(thread_cpu() - used)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// Files that are removed at the end.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_arrives_whole() {
        let name = format!("ropewalk-copy-{}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        std::fs::create_dir(&folder.0).unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.0.join(name));
        let bytes: Vec<u8> = (0..3_000_001u32).map(|at| (at ^ at >> 9) as u8).collect();
        for length in [0, 1, bytes.len()] {
            std::fs::write(&from, &bytes[..length]).unwrap();
            assert!(into_memory(&from).unwrap().seconds > 0.0);
            let copied = over_tcp(&from, &to).unwrap();
            assert!(std::fs::read(&to).unwrap() == bytes[..length]);
            assert!(copied.seconds > 0.0);
            // An empty file may take less than the kernel counts.
            assert!(length <= 1 || copied.recv_cpu_seconds > 0.0, "{copied:?}");
            over_tcp(&from, &to).expect_err("it is there already");
            std::fs::remove_file(&to).unwrap();
        }
        over_tcp(&to, &from).expect_err("there is none");
        into_memory(&to).expect_err("nor is one here");
    }
}
