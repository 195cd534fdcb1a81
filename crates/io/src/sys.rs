// SPDX-License-Identifier: Apache-2.0
//! Calls to the kernel that more than one kind of link needs.

use crate::link::{OpenError, Waker};
use ropewalk_wire::htsp::Mac;
use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time after which a frame is offered again that was not taken.
const RETRY: Duration = Duration::from_micros(50);

/// What the kernel said to the last call: `Ok` unless it is negative.
pub(crate) fn check(said: i32) -> io::Result<i32> {
    if said < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(said)
    }
}

/// A new socket.
pub(crate) fn socket(domain: i32, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    // SAFETY: takes three numbers.
    let fd = check(unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, protocol) })?;
    // SAFETY: a new descriptor, which nobody else has.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sets an option of a socket.
pub(crate) fn set_option<T>(fd: &impl AsFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    let size = size_of::<T>() as libc::socklen_t;
    let value = std::ptr::from_ref(value).cast();
    // SAFETY: `value` points to `size` bytes, which the kernel reads.
    check(unsafe { libc::setsockopt(fd.as_fd().as_raw_fd(), level, option, value, size) })?;
    Ok(())
}

/// Asks for an option of a socket. `T` is made of integers.
pub(crate) fn option<T: Copy>(
    fd: &impl AsFd,
    level: i32,
    option: i32,
    mut value: T,
) -> io::Result<T> {
    let mut size = size_of::<T>() as libc::socklen_t;
    let place = std::ptr::from_mut(&mut value).cast();
    // SAFETY: the kernel writes at most `size` bytes there.
    check(unsafe { libc::getsockopt(fd.as_fd().as_raw_fd(), level, option, place, &mut size) })?;
    Ok(value)
}

/// Asks for a send buffer, past the limit of the system if that is permitted. A note tells if it is
/// smaller.
pub(crate) fn send_buffer(fd: &impl AsFd, bytes: usize, notes: &mut Vec<String>) {
    let options = (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF);
    buffer(fd, options, ("send", "net.core.wmem_max"), bytes, notes);
}

/// Asks for a receive buffer, past the limit of the system if that is permitted. A note tells if it
/// is smaller.
pub(crate) fn receive_buffer(fd: &impl AsFd, bytes: usize, notes: &mut Vec<String>) {
    let options = (libc::SO_RCVBUFFORCE, libc::SO_RCVBUF);
    buffer(fd, options, ("receive", "net.core.rmem_max"), bytes, notes);
}

/// Asks for a buffer by one of two options. `names` are its own and that of its limit.
fn buffer(
    fd: &impl AsFd,
    (force, plain): (i32, i32),
    (name, limit): (&str, &str),
    bytes: usize,
    notes: &mut Vec<String>,
) {
    // The kernel doubles what it is asked for, for its own needs, and says so.
    let bytes = bytes.min(i32::MAX as usize / 2) as libc::c_int;
    if set_option(fd, libc::SOL_SOCKET, force, &bytes).is_ok() {
        return;
    }
    let _ = set_option(fd, libc::SOL_SOCKET, plain, &bytes);
    let got = option(fd, libc::SOL_SOCKET, plain, 0).unwrap_or(0) / 2;
    if got < bytes {
        notes.push(format!(
            "{name} buffer of {got} bytes instead of {bytes}: 'sysctl -w {limit}={bytes}' or the capability cap_net_admin \
             gives all of it"
        ));
    }
}

/// An instruction of a packet filter that jumps nowhere, or `jf` instructions further if a
/// comparison fails.
pub(crate) fn filter_op(code: u32, jf: u8, k: u32) -> libc::sock_filter {
    let code = code as u16;
    libc::sock_filter { code, jt: 0, jf, k }
}

/// Lets only what a program accepts into a socket.
pub(crate) fn filter(fd: &impl AsFd, program: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_ptr().cast_mut(),
    };
    set_option(fd, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

/// A name of an interface, in a request that is zero otherwise.
pub(crate) fn request(name: &str) -> Result<libc::ifreq, OpenError> {
    let bytes = name.as_bytes();
    let odd = |&byte: &u8| byte == 0 || byte == b'/' || byte.is_ascii_whitespace();
    if bytes.is_empty() || bytes.len() >= libc::IFNAMSIZ || bytes.iter().any(odd) {
        return Err(OpenError::Name(name.to_owned()));
    }
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, &byte) in request.ifr_name.iter_mut().zip(bytes) {
        *place = byte as libc::c_char;
    }
    Ok(request)
}

/// A request about an interface.
pub(crate) fn ioctl(
    fd: BorrowedFd,
    what: libc::c_ulong,
    request: &mut libc::ifreq,
) -> io::Result<()> {
    // SAFETY: every `what` that is used here reads and writes one `ifreq`, and what it points to.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), what as _, std::ptr::from_mut(request)) })?;
    Ok(())
}

/// What an interface is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interface {
    pub index: i32,
    pub mtu: usize,
    pub mac: Mac,
}

/// Looks an interface up.
pub(crate) fn interface(fd: BorrowedFd, name: &str) -> Result<Interface, OpenError> {
    let mut ask = request(name)?;
    let fail = |what, source| {
        let name = name.to_owned();
        Err(OpenError::System { name, what, source })
    };
    let terminated = CString::new(name).map_err(|_| OpenError::Name(name.to_owned()))?;
    // SAFETY: a C string.
    let index = unsafe { libc::if_nametoindex(terminated.as_ptr()) };
    if index == 0 {
        return Err(OpenError::Missing(name.to_owned()));
    }
    if let Err(error) = ioctl(fd, libc::SIOCGIFHWADDR as _, &mut ask) {
        return fail("ask for its address", error);
    }
    // SAFETY: the kernel has filled in the address.
    let address = unsafe { ask.ifr_ifru.ifru_hwaddr };
    if address.sa_family != libc::ARPHRD_ETHER {
        return Err(OpenError::NotEthernet(name.to_owned()));
    }
    let mac = Mac(std::array::from_fn(|i| address.sa_data[i] as u8));
    if let Err(error) = ioctl(fd, libc::SIOCGIFMTU as _, &mut ask) {
        return fail("ask for its MTU", error);
    }
    // SAFETY: the kernel has filled in the MTU.
    let mtu = unsafe { ask.ifr_ifru.ifru_mtu };
    Ok(Interface {
        index: index as i32,
        mtu: usize::try_from(mtu).unwrap_or(0),
        mac,
    })
}

/// The flags of an interface, such as `IFF_UP`.
pub(crate) fn flags(fd: BorrowedFd, name: &str) -> Result<i32, OpenError> {
    let mut ask = request(name)?;
    match ioctl(fd, libc::SIOCGIFFLAGS as _, &mut ask) {
        // SAFETY: the kernel has filled in the flags.
        Ok(()) => Ok(i32::from(unsafe { ask.ifr_ifru.ifru_flags })),
        Err(source) => Err(OpenError::System {
            name: name.to_owned(),
            what: "ask for its state",
            source,
        }),
    }
}

/// Whether an interface is switched on and has a line.
pub(crate) fn line_up(fd: BorrowedFd, name: &str) -> bool {
    let wanted = libc::IFF_UP | libc::IFF_RUNNING;
    flags(fd, name).is_ok_and(|flags| flags & wanted == wanted)
}

/// Queues into which an interface sorts what arrives; 1 if it does not say.
pub(crate) fn queues(fd: BorrowedFd, name: &str) -> Result<u32, OpenError> {
    // See `ethtool_channels`: the command, four upper limits, receive, send, other, both.
    const GET_CHANNELS: u32 = 0x3c;
    let mut words = [GET_CHANNELS, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut ask = request(name)?;
    ask.ifr_ifru.ifru_data = words.as_mut_ptr().cast();
    let asked = ioctl(fd, libc::SIOCETHTOOL as _, &mut ask);
    Ok(asked.map_or(1, |()| words[5] + words[8]))
}

/// Waits for a descriptor or for a waker.
#[derive(Debug)]
pub(crate) struct Poller {
    read: UnixStream,
    write: Arc<UnixStream>,
    /// A byte is on its way.
    rung: Arc<AtomicBool>,
}

impl Poller {
    pub(crate) fn new() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        write.set_nonblocking(true)?;
        Ok(Self {
            read,
            write: Arc::new(write),
            rung: Arc::default(),
        })
    }

    pub(crate) fn waker(&self) -> Waker {
        let (write, rung) = (Arc::clone(&self.write), Arc::clone(&self.rung));
        Arc::new(move || {
            if !rung.swap(true, Ordering::AcqRel) {
                // It cannot be full: it holds one byte at most.
                let _ = (&*write).write(&[0]);
            }
        })
    }

    /// Waits until `fd` can be read or has an error, or the waker is called, or for so long; not
    /// long if `blocked`, as the kernel calls a packet socket writable whether its interface takes
    /// frames or not. Says whether it was the first.
    pub(crate) fn wait(
        &self,
        fd: BorrowedFd,
        timeout: Duration,
        blocked: bool,
    ) -> io::Result<bool> {
        let timeout = if blocked { timeout.min(RETRY) } else { timeout };
        self.poll([Some(fd)], libc::POLLIN, timeout)
    }

    /// Waits for events of any of `fds`, as far as there are some, or for the waker, or for so
    /// long, and says whether it was one of the former.
    pub(crate) fn poll<const N: usize>(
        &self,
        fds: [Option<BorrowedFd>; N],
        events: i16,
        timeout: Duration,
    ) -> io::Result<bool> {
        let entry = |fd: Option<BorrowedFd>, events| libc::pollfd {
            // The kernel passes over negative ones.
            fd: fd.map_or(-1, |fd| fd.as_raw_fd()),
            events,
            revents: 0,
        };
        let mut own = entry(Some(self.read.as_fd()), libc::POLLIN);
        let others = fds.map(|fd| entry(fd, events));
        let mut entries: Vec<_> = std::iter::once(own).chain(others).collect();
        let time = libc::timespec {
            tv_sec: timeout.as_secs().min(3600) as libc::time_t,
            tv_nsec: timeout.subsec_nanos().into(),
        };
        let (place, count) = (entries.as_mut_ptr(), entries.len() as libc::nfds_t);
        // SAFETY: `count` entries, a time, and no mask of signals.
        let said = unsafe { libc::ppoll(place, count, &time, std::ptr::null()) };
        let ready = match check(said) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            said => said.is_ok_and(|count| count > 0),
        };
        own = entries[0];
        if own.revents != 0 {
            let _ = (&self.read).read(&mut [0; 8]);
            // A swap, and not a store: what the caller looks at next must not be read before others
            // can see it.
            self.rung.swap(false, Ordering::AcqRel);
        }
        Ok(ready)
    }
}
