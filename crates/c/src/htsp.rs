// SPDX-License-Identifier: Apache-2.0
//! Ends of HTSP links for programs in C: `include/ropewalk_htsp.h`, which says what each function does.

use crate::call::{self, Refusal, error, guarded, lock};
use ropewalk_io::htsp::{Backend, Host, Reader, SendError, Settings, Writer};
use ropewalk_wire::htsp::{Last, Piece};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Something is wrong, see [`rw_htsp_error`].
pub const RW_HTSP_ERROR: c_int = call::ERROR;
/// The end has stopped.
pub const RW_HTSP_CLOSED: c_int = -2;

/// By a packet socket.
pub const RW_HTSP_PACKET: u8 = 0;
/// By an AF_XDP socket.
pub const RW_HTSP_XDP: u8 = 1;

/// What a channel has received, and the place up to which its user has taken it.
#[derive(Debug)]
struct Inbox {
    reader: Reader,
    piece: Option<(Piece, usize)>,
}

/// One end.
#[derive(Debug)]
pub struct rw_htsp {
    host: Mutex<Host>,
    writers: Vec<Mutex<Writer>>,
    inboxes: Vec<Mutex<Inbox>>,
}

/// What an end is to be like; zero stands for the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_config {
    /// As Ethernet reads it.
    pub ethertype: u16,
    /// Longest payload of a frame.
    pub burst: u32,
    /// Longest time without a good frame of the peer.
    pub alive_ms: u32,
    /// Time without a frame of the peer from which on it is sent nothing but headers.
    pub silence_ms: u32,
    /// [`RW_HTSP_PACKET`] or [`RW_HTSP_XDP`].
    pub backend: u8,
    /// Most bits per second.
    pub rate: f64,
}

/// Some bytes of a user frame, or its end.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_piece {
    /// How many.
    pub bytes: usize,
    /// First of its frame.
    pub start: u8,
    /// Last of its frame.
    pub end: u8,
    /// The frame ends in error.
    pub error: u8,
}

/// State and counters.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_stats {
    /// Good frames of the peer come.
    pub link_up: u8,
    /// The peer takes data.
    pub peer_ready: u8,
    /// User frames sent.
    pub frames_sent: u64,
    /// User frames given up in the middle.
    pub frames_cut: u64,
    /// User frames received well.
    pub frames_good: u64,
    /// User frames received in error.
    pub frames_bad: u64,
    /// Frames of the link that are missing.
    pub lost: u64,
    /// User frames that did not fit a buffer.
    pub overflows: u64,
    /// Times that the receive ring was full.
    pub ring_overflows: u64,
}

/// The end behind a pointer.
///
/// # Safety
/// The pointer is null, or one that [`rw_htsp_open`] gave and that has not been closed.
unsafe fn end<'a>(pointer: *mut rw_htsp) -> Result<&'a rw_htsp, Refusal> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| Refusal::new("end is NULL"))
}

fn lane<T>(lanes: &[Mutex<T>], channel: u8) -> Result<MutexGuard<'_, T>, Refusal> {
    match lanes.get(usize::from(channel)) {
        Some(lane) => Ok(lock(lane)),
        None => error(&format!(
            "channel {channel}: accepted are 0 to {}",
            lanes.len() - 1
        )),
    }
}

/// Opens an interface.
///
/// # Safety
/// As in C: a string, a configuration or null, and a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_open(
    interface: *const c_char,
    config: *const rw_htsp_config,
    result: *mut *mut rw_htsp,
) -> c_int {
    guarded(|| {
        if interface.is_null() || result.is_null() {
            return error("interface or end is NULL");
        }
        // SAFETY: as promised by the caller.
        let (name, config) = unsafe { (CStr::from_ptr(interface), config.as_ref()) };
        let mut settings = Settings::default();
        if let Some(config) = config {
            if config.ethertype != 0 {
                settings.ethertype = config.ethertype;
            }
            if config.burst != 0 {
                settings.burst = config.burst as usize;
            }
            if config.alive_ms != 0 {
                settings.alive = Duration::from_millis(config.alive_ms.into());
            }
            if config.silence_ms != 0 {
                settings.silence = Duration::from_millis(config.silence_ms.into());
            }
            settings.backend = match config.backend {
                RW_HTSP_PACKET => Backend::Packet,
                RW_HTSP_XDP => Backend::Xdp,
                other => {
                    return error(&format!(
                        "backend {other}: accepted are {RW_HTSP_PACKET} and {RW_HTSP_XDP}"
                    ));
                }
            };
            settings.rate = (config.rate > 0.0).then_some(config.rate);
        }
        let link = settings.open(&name.to_string_lossy())?;
        let mut host = Host::start(link, &settings, None)?;
        let channels = 0..settings.channels;
        let writers = channels
            .clone()
            .filter_map(|it| host.writer(it))
            .map(Mutex::new);
        let writers = writers.collect();
        let readers = channels.filter_map(|it| host.reader(it));
        let inboxes = readers
            .map(|reader| {
                Mutex::new(Inbox {
                    reader,
                    piece: None,
                })
            })
            .collect();
        let host = Mutex::new(host);
        let end = Box::new(rw_htsp {
            host,
            writers,
            inboxes,
        });
        // SAFETY: as promised by the caller.
        unsafe { *result = Box::into_raw(end) };
        Ok(0)
    })
}

/// Sends bytes of a user frame.
///
/// # Safety
/// As in C: a live end, `count` bytes, and a place for the number of those sent, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_send(
    pointer: *mut rw_htsp,
    channel: u8,
    bytes: *const c_void,
    count: usize,
    last: c_int,
    timeout_ms: u32,
    sent: *mut usize,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { end(pointer) }?;
        let last = match last {
            0 => Last::No,
            1 => Last::Yes,
            2 => Last::Error,
            _ => return error(&format!("last {last}: accepted are 0 to 2")),
        };
        if bytes.is_null() || count == 0 {
            return error("0 bytes: accepted are 1 byte or more");
        }
        // SAFETY: as promised by the caller.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), count) };
        let timeout = Duration::from_millis(timeout_ms.into());
        match lane(&end.writers, channel)?.send_within(bytes, last, timeout) {
            Ok(taken) => {
                // SAFETY: as promised by the caller.
                if let Some(sent) = unsafe { sent.as_mut() } {
                    *sent = taken;
                }
                Ok((taken == count).into())
            }
            Err(SendError::Closed) => Err(Refusal::silent(RW_HTSP_CLOSED)),
            Err(other) => Err(other.into()),
        }
    })
}

/// Receives a piece, or a part of it.
///
/// # Safety
/// As in C: a live end, `room` bytes, and a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_recv(
    pointer: *mut rw_htsp,
    channel: u8,
    bytes: *mut c_void,
    room: usize,
    timeout_ms: u32,
    result: *mut rw_htsp_piece,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { end(pointer) }?;
        if bytes.is_null() || room == 0 || result.is_null() {
            return error(
                "room for 0 bytes, or no place for the piece: accepted are 1 byte or more",
            );
        }
        let mut inbox = lane(&end.inboxes, channel)?;
        let timeout = Duration::from_millis(timeout_ms.into());
        let (piece, begin) = match inbox.piece.take() {
            Some(rest) => rest,
            None => match inbox.reader.recv(timeout) {
                Ok(Some(piece)) => (piece, 0),
                Ok(None) => return Ok(0),
                Err(_) => return Err(Refusal::silent(RW_HTSP_CLOSED)),
            },
        };
        let part = &piece.bytes[begin..];
        let count = part.len().min(room);
        // SAFETY: as promised by the caller; `count` is not more than either side has.
        unsafe {
            bytes
                .cast::<u8>()
                .copy_from_nonoverlapping(part.as_ptr(), count)
        };
        let rest = count < part.len();
        let told = rw_htsp_piece {
            bytes: count,
            start: (piece.start && begin == 0).into(),
            end: (piece.end && !rest).into(),
            error: (piece.error && !rest).into(),
        };
        // SAFETY: as promised by the caller.
        unsafe { *result = told };
        if rest {
            inbox.piece = Some((piece, begin + count));
        }
        Ok(1)
    })
}

/// Waits until all that was sent is on the line.
///
/// # Safety
/// As in C: a live end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_flush(pointer: *mut rw_htsp, timeout_ms: u32) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { end(pointer) }?;
        let timeout = Duration::from_millis(timeout_ms.into());
        // Others may look at the counters meanwhile.
        let flushing = lock(&end.host).flushing();
        Ok(flushing.wait(timeout).into())
    })
}

/// State and counters.
///
/// # Safety
/// As in C: a live end, and a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_stats(pointer: *mut rw_htsp, result: *mut rw_htsp_stats) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { end(pointer) }?;
        if result.is_null() {
            return error("stats is NULL");
        }
        let stats = lock(&end.host).stats();
        let told = rw_htsp_stats {
            link_up: stats.link_up.into(),
            peer_ready: stats.peer_ready.into(),
            frames_sent: stats.sum(|it| it.tx.frames),
            frames_cut: stats.sum(|it| it.tx.cut),
            frames_good: stats.sum(|it| it.rx.frames),
            frames_bad: stats.sum(|it| it.rx.errors),
            lost: stats.rx.lost,
            overflows: stats.sum(|it| it.overflows),
            ring_overflows: stats.gaps,
        };
        // SAFETY: as promised by the caller.
        unsafe { *result = told };
        Ok(0)
    })
}

/// Stops an end and frees it.
///
/// # Safety
/// As in C: a live end, which nobody uses any more; or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_close(pointer: *mut rw_htsp) -> c_int {
    guarded(|| {
        if pointer.is_null() {
            return Ok(0);
        }
        // SAFETY: as promised by the caller; it came out of a box.
        let end = unsafe { Box::from_raw(pointer) };
        let host = end
            .host
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        host.close()?;
        Ok(0)
    })
}

/// What was wrong last, in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn rw_htsp_error() -> *const c_char {
    call::last_error()
}
