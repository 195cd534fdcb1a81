// SPDX-License-Identifier: Apache-2.0
//! An interface of the kernel whose cable is this process: what programs send on it arrives here,
//! what is sent here arrives at the interface.
//!
//! The kernel holds 32 frames that this process has not read. When there are more, a sender that
//! looks (as [`crate::PacketLink`] does) is told to offer the frame again; frames of others are
//! lost.

use crate::link::{Arrival, ETHERNET, OpenError, RawLink, Waker};
use crate::sys::{self, Poller};
use ropewalk_wire::htsp::Mac;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, SystemTime};

/// The device that makes interfaces.
const DEVICE: &str = "/dev/net/tun";
/// Frames that the kernel holds for this process.
const QUEUE: libc::c_int = 32;
/// Address of the end on the cable; the interface has one of its own.
const FAR: Mac = Mac([0x02, 0, 0, 0, 0, 0x7a]);

/// The far end of the cable of an interface.
#[derive(Debug)]
pub struct TapLink {
    file: File,
    mtu: usize,
    buffer: Vec<u8>,
    poller: Poller,
}

impl TapLink {
    /// Makes an interface, or takes one of this kind that exists and that nobody holds; switches it
    /// on with this MTU. It goes with the link unless it was there before.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn open(name: &str, mtu: usize) -> Result<Self, OpenError> {
        let mut request = sys::request(name)?;
        let fail = |what| {
            move |source: io::Error| match source.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => OpenError::Admin(name.to_owned()),
                _ => OpenError::System {
                    name: name.to_owned(),
                    what,
                    source,
                },
            }
        };
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK);
        let file = options.open(DEVICE).map_err(fail("open /dev/net/tun"))?;
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        sys::ioctl(file.as_fd(), libc::TUNSETIFF as _, &mut request).map_err(fail("make it"))?;
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0).map_err(fail("set it up"))?;
        request.ifr_ifru.ifru_mtu = mtu as libc::c_int;
        let set = sys::ioctl(socket.as_fd(), libc::SIOCSIFMTU as _, &mut request);
        set.map_err(fail("set its MTU"))?;
        request.ifr_ifru.ifru_metric = QUEUE;
        let set = sys::ioctl(socket.as_fd(), libc::SIOCSIFTXQLEN as _, &mut request);
        set.map_err(fail("set the length of its queue"))?;
        let flags = sys::flags(socket.as_fd(), name)? | libc::IFF_UP;
        request.ifr_ifru.ifru_flags = flags as libc::c_short;
        let set = sys::ioctl(socket.as_fd(), libc::SIOCSIFFLAGS as _, &mut request);
        set.map_err(fail("switch it on"))?;
        Ok(Self {
            file,
            mtu,
            buffer: vec![0; mtu + ETHERNET + 1],
            poller: Poller::new().map_err(fail("make a waker"))?,
        })
    }
}

impl TapLink {
    /// Waits for an arrival at this or the other one, for the waker of this one, or for so long.
    pub(crate) fn wait_for_both(&self, other: &Self, timeout: Duration) -> io::Result<()> {
        let fds = [&self.file, &other.file].map(|file| Some(file.as_fd()));
        self.poller.poll(fds, libc::POLLIN, timeout).map(|_| ())
    }
}

impl RawLink for TapLink {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        let length = match self.file.read(&mut self.buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        take(Arrival::Frame {
            bytes: &self.buffer[..length],
            // A byte more than the longest frame: it has been cut.
            whole: length < self.buffer.len(),
            time: time.unwrap_or_default(),
            outgoing: false,
        });
        Ok(true)
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        for (sent, frame) in frames.iter().enumerate() {
            if let Err(error) = self.file.write(frame) {
                return match error.raw_os_error() {
                    // No room now, or the interface is switched off.
                    Some(libc::EAGAIN | libc::ENOBUFS | libc::EINTR | libc::EIO) => Ok(sent),
                    _ => Err(error),
                };
            }
        }
        Ok(frames.len())
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let said = self.poller.wait(self.file.as_fd(), timeout, blocked);
        said.map(|_| ())
    }

    fn waker(&self) -> Waker {
        self.poller.waker()
    }

    fn line_up(&self) -> bool {
        true
    }

    fn limit(&self) -> usize {
        self.mtu + ETHERNET
    }

    fn mac(&self) -> Mac {
        FAR
    }

    fn is_filling(&self) -> bool {
        false
    }

    fn drops(&self) -> u64 {
        0
    }
}
