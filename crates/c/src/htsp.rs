// SPDX-License-Identifier: Apache-2.0
//! One end of an HTSP link on a network interface.

use crate::call::{self, Limit, Refusal, behind, error, give, guarded, ms, text};
use parking_lot::Mutex;
use ropewalk_io::htsp::{Backend, Host, OpCodes, Reader, SendError, Settings, Writer};
use ropewalk_wire::htsp::frame::Word;
use ropewalk_wire::htsp::{Last, Piece, Tuser};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// As RW_ERROR.
pub const RW_HTSP_ERROR: c_int = -1;
/// The end has stopped, because its interface has failed.
pub const RW_HTSP_CLOSED: c_int = -2;

/// Of bytes that are sent: more of their user frame will follow.
pub const RW_HTSP_MORE: c_int = 0;
/// Of bytes that are sent: with them the user frame is complete.
pub const RW_HTSP_LAST: c_int = 1;
/// Of bytes that are sent: with them the user frame ends in error, and is to be taken for bad.
pub const RW_HTSP_LAST_BAD: c_int = 2;

/// Bytes of an op-code, and of user data.
pub const RW_HTSP_WORD: usize = 16;

/// An end uses a packet socket, which every interface has; the default.
pub const RW_HTSP_PACKET: u8 = 0;
/// An end uses an AF_XDP socket: less work for each frame, if the driver of the interface supports
/// it.
pub const RW_HTSP_XDP: u8 = 1;

/// What a channel has received, and the place up to which its user has taken it.
#[derive(Debug)]
struct Inbox {
    reader: Reader,
    piece: Option<(Piece, usize)>,
}

/// One end of an HTSP link. Different threads may use the same end at the same time; those that
/// send on the same channel, or receive on it, wait for each other, each no longer than its own
/// limit.
#[derive(Debug)]
pub struct rw_htsp {
    host: Mutex<Host>,
    writers: Vec<Mutex<Writer>>,
    inboxes: Vec<Mutex<Inbox>>,
    opcodes: Mutex<OpCodes>,
    cancelled: AtomicBool,
}

/// What an end is to be like. Zero in any place stands for the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_config {
    /// EtherType; default 0x0111.
    pub ethertype: u16,
    /// Longest payload of a frame, a multiple of 64 up to 8192, the default; less if the MTU asks
    /// for it.
    pub burst: u32,
    /// Longest time without a good frame of the peer, milliseconds; default 85.
    pub alive_ms: u32,
    /// A peer that has not been heard for this time, milliseconds, is sent nothing but headers;
    /// default 4.
    pub silence_ms: u32,
    /// RW_HTSP_PACKET or RW_HTSP_XDP.
    pub backend: u8,
    /// Most bits per second; default: no limit.
    pub rate: f64,
}

/// Some bytes of a user frame, or its end. The bytes of a frame that ends with `error` are not to
/// be relied on.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_piece {
    /// Received; may be 0 with `end`.
    pub bytes: usize,
    /// 1: first of its frame.
    pub start: u8,
    /// 1: last of its frame.
    pub end: u8,
    /// 1: the frame ends in error.
    pub error: u8,
    /// With `start`: TUSER of its first beat, 0 from a peer that sends none.
    pub tuser_first: u8,
    /// With `end`: TUSER of its last beat, 7 bits.
    pub tuser_last: u8,
}

/// What goes with bytes of a user frame.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_marks {
    /// RW_HTSP_MORE, RW_HTSP_LAST or RW_HTSP_LAST_BAD.
    pub last: c_int,
    /// TUSER of the first beat of the frame; counts if the bytes start it.
    pub tuser_first: u8,
    /// TUSER of its last beat, 7 bits; counts if they end it.
    pub tuser_last: u8,
}

/// State and counters of an end, all channels together.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_htsp_stats {
    /// 1: good frames of the peer arrive.
    pub link_up: u8,
    /// 1: the peer takes data.
    pub peer_ready: u8,
    /// User frames sent.
    pub frames_sent: u64,
    /// User frames that were aborted on their way out, because the peer went.
    pub frames_cut: u64,
    /// User frames received well.
    pub frames_good: u64,
    /// User frames received in error.
    pub frames_bad: u64,
    /// Frames of the link that are missing.
    pub lost: u64,
    /// User frames that did not fit a buffer.
    pub overflows: u64,
    /// Times that the receive ring was full; each took the link down.
    pub ring_overflows: u64,
}

fn lane<T>(lanes: &[Mutex<T>], channel: u8) -> Result<&Mutex<T>, Refusal> {
    lanes.get(usize::from(channel)).ok_or_else(|| {
        let last = lanes.len() - 1;
        Refusal::new(format!("channel {channel}: accepted are 0 to {last}"))
    })
}

/// RW_HTSP_WORD bytes of the caller.
///
/// # Safety
/// `bytes` is NULL or has as many.
unsafe fn word(bytes: *const c_void, name: &str) -> Result<Word, Refusal> {
    if bytes.is_null() {
        return error(&format!("{name} is NULL"));
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { bytes.cast::<Word>().read_unaligned() })
}

fn closed() -> Refusal {
    Refusal::with(RW_HTSP_CLOSED, "the end of the link has stopped")
}

fn settings(config: &rw_htsp_config) -> Result<Settings, Refusal> {
    let mut settings = Settings::default();
    if config.ethertype != 0 {
        settings.ethertype = config.ethertype;
    }
    if config.burst != 0 {
        settings.burst = config.burst as usize;
    }
    if config.alive_ms != 0 {
        settings.alive = ms(config.alive_ms);
    }
    if config.silence_ms != 0 {
        settings.silence = ms(config.silence_ms);
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
    Ok(settings)
}

/// Opens an interface. Does not wait for the peer.
///
/// # Safety
/// `interface` is a string, `config` NULL or a configuration, `end` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_open(
    interface: *const c_char,
    config: *const rw_htsp_config,
    end: *mut *mut rw_htsp,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (name, config) = unsafe { (text(interface, "interface")?, config.as_ref()) };
        let Some(name) = name.filter(|_| !end.is_null()) else {
            return error("interface or end is NULL");
        };
        let settings = config.map_or_else(|| Ok(Settings::default()), settings)?;
        let mut host = Host::start(settings.open(name)?, &settings, None)?;
        let channels = 0..settings.channels;
        let writers = channels.clone().filter_map(|it| host.writer(it));
        let writers = writers.map(Mutex::new).collect();
        let readers = channels.filter_map(|it| host.reader(it));
        let inbox = |reader| {
            let piece = None;
            Mutex::new(Inbox { reader, piece })
        };
        let inboxes = readers.map(inbox).collect();
        let Some(opcodes) = host.opcodes() else {
            return error("the op-codes of a new end are taken");
        };
        let opened = rw_htsp {
            opcodes: Mutex::new(opcodes),
            host: Mutex::new(host),
            writers,
            inboxes,
            cancelled: AtomicBool::new(false),
        };
        // SAFETY: as promised by the caller.
        unsafe { give(end, || Ok(opened)) }
    })
}

/// Sends 1 byte or more of a user frame; waits while the channel has no room, `timeout_ms`
/// milliseconds at most. 1: all were taken; 0: some were not, and another call sends the rest.
/// `*sent` says how many were taken, also when it was cancelled. `last` is RW_HTSP_MORE,
/// RW_HTSP_LAST or RW_HTSP_LAST_BAD and counts with the last byte.
///
/// # Safety
/// `end` is open, `bytes` has `count` bytes, `sent` is NULL or a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_send(
    end: *mut rw_htsp,
    channel: u8,
    bytes: *const c_void,
    count: usize,
    last: c_int,
    timeout_ms: u32,
    sent: *mut usize,
) -> c_int {
    let marks = rw_htsp_marks {
        last,
        tuser_first: 0,
        tuser_last: 0,
    };
    // SAFETY: as promised by the caller.
    unsafe { rw_htsp_send_tuser(end, channel, bytes, count, marks, timeout_ms, sent) }
}

/// As rw_htsp_send, with TUSER of the user frame, for a peer that takes it.
///
/// # Safety
/// As rw_htsp_send.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_send_tuser(
    end: *mut rw_htsp,
    channel: u8,
    bytes: *const c_void,
    count: usize,
    marks: rw_htsp_marks,
    timeout_ms: u32,
    sent: *mut usize,
) -> c_int {
    guarded(|| {
        let rw_htsp_marks {
            last,
            tuser_first,
            tuser_last,
        } = marks;
        if tuser_last > 127 {
            return error(&format!("tuser_last {tuser_last}: accepted are 0 to 127"));
        }
        let tuser = Tuser {
            first: tuser_first,
            last: tuser_last,
        };
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        let last = match last {
            RW_HTSP_MORE => Last::No,
            RW_HTSP_LAST => Last::Yes,
            RW_HTSP_LAST_BAD => Last::Error,
            _ => return error(&format!("last {last}: accepted are 0 to 2")),
        };
        if bytes.is_null() || count == 0 {
            return error("0 bytes: accepted are 1 byte or more");
        }
        // SAFETY: as promised by the caller.
        let bytes = unsafe { call::slice(bytes, count) }?;
        let limit = Limit::new(timeout_ms, &end.cancelled);
        let mut taken = 0;
        let mut run = || {
            let Some(mut writer) = limit.lock(lane(&end.writers, channel)?)? else {
                return Ok(None);
            };
            limit.until(
                |most| match writer.send_tuser(&bytes[taken..], last, tuser, most) {
                    Ok(more) => {
                        taken += more;
                        Ok((taken == count).then_some(()))
                    }
                    Err(SendError::Closed) => Err(closed()),
                    Err(other) => Err(other.into()),
                },
            )
        };
        let said = run();
        // SAFETY: as promised by the caller.
        if let Some(sent) = unsafe { sent.as_mut() } {
            *sent = taken;
        }
        Ok(said?.is_some().into())
    })
}

/// Receives at most `room` bytes, 1 or more: 1 and a piece, or 0 if nothing arrives within
/// `timeout_ms` milliseconds.
///
/// # Safety
/// `end` is open, `bytes` has room for `room` bytes, `piece` is a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_recv(
    end: *mut rw_htsp,
    channel: u8,
    bytes: *mut c_void,
    room: usize,
    timeout_ms: u32,
    piece: *mut rw_htsp_piece,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        if bytes.is_null() || room == 0 || piece.is_null() {
            return error(
                "room for 0 bytes, or no place for the piece: accepted are 1 byte or more",
            );
        }
        let limit = Limit::new(timeout_ms, &end.cancelled);
        let Some(mut inbox) = limit.lock(lane(&end.inboxes, channel)?)? else {
            return Ok(0);
        };
        let found = match inbox.piece.take() {
            Some(rest) => Some(rest),
            None => limit.until(|most| match inbox.reader.recv(most) {
                Ok(piece) => Ok(piece.map(|piece| (piece, 0))),
                Err(_) => Err(closed()),
            })?,
        };
        let Some((found, begin)) = found else {
            return Ok(0);
        };
        let part = &found.bytes[begin..];
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
            start: (found.start && begin == 0).into(),
            end: (found.end && !rest).into(),
            error: (found.error && !rest).into(),
            tuser_first: if begin == 0 { found.tuser.first } else { 0 },
            tuser_last: if rest { 0 } else { found.tuser.last },
        };
        // SAFETY: as promised by the caller.
        unsafe { *piece = told };
        if rest {
            inbox.piece = Some((found, begin + count));
        }
        Ok(1)
    })
}

/// Sends an op-code of RW_HTSP_WORD bytes with one of the next headers, behind those of before;
/// does not wait. It arrives once or, if its frame is lost, never. 1.
///
/// # Safety
/// `end` is open, `opcode` has RW_HTSP_WORD bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_send_opcode(end: *mut rw_htsp, opcode: *const c_void) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (end, opcode) = unsafe { (behind(end, "end")?, word(opcode, "opcode")?) };
        end.host.lock().send_opcode(opcode);
        Ok(1)
    })
}

/// Receives the next op-code of the peer, RW_HTSP_WORD bytes: 1, or 0 if none comes within
/// `timeout_ms` milliseconds. 4096 wait at most; what comes beyond is lost.
///
/// # Safety
/// `end` is open, `opcode` has room for RW_HTSP_WORD bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_recv_opcode(
    end: *mut rw_htsp,
    opcode: *mut c_void,
    timeout_ms: u32,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        if opcode.is_null() {
            return error("opcode is NULL");
        }
        let limit = Limit::new(timeout_ms, &end.cancelled);
        let Some(opcodes) = limit.lock(&end.opcodes)? else {
            return Ok(0);
        };
        let Some(found) = limit.until(|most| opcodes.recv(most).map_err(|_| closed()))? else {
            return Ok(0);
        };
        // SAFETY: as promised by the caller.
        unsafe { opcode.cast::<Word>().write_unaligned(found) };
        Ok(1)
    })
}

/// What every header carries from now on, RW_HTSP_WORD bytes; zeros in the beginning. 1.
///
/// # Safety
/// `end` is open, `data` has RW_HTSP_WORD bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_set_user_data(end: *mut rw_htsp, data: *const c_void) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (end, data) = unsafe { (behind(end, "end")?, word(data, "data")?) };
        end.host.lock().set_user_data(data);
        Ok(1)
    })
}

/// What the headers of the peer carried last, RW_HTSP_WORD bytes, a few milliseconds old; zeros if
/// none has come. 1.
///
/// # Safety
/// `end` is open, `data` has room for RW_HTSP_WORD bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_peer_user_data(end: *mut rw_htsp, data: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        if data.is_null() {
            return error("data is NULL");
        }
        let said = end.host.lock().stats().peer_user_data;
        // SAFETY: as promised by the caller.
        unsafe { data.cast::<Word>().write_unaligned(said) };
        Ok(1)
    })
}

/// Waits until all that was sent is on the line: 1, or 0 if it is not within `timeout_ms`
/// milliseconds.
///
/// # Safety
/// `end` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_flush(end: *mut rw_htsp, timeout_ms: u32) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        // Others may read the counters meanwhile.
        let flushing = end.host.lock().flushing();
        let flushed = Limit::new(timeout_ms, &end.cancelled).until(|most| {
            match (flushing.wait(most), end.host.lock().is_running()) {
                (true, _) => Ok(Some(())),
                (false, true) => Ok(None),
                (false, false) => Err(closed()),
            }
        });
        Ok(flushed?.is_some().into())
    })
}

/// State and counters, a few milliseconds old. Does not wait.
///
/// # Safety
/// `end` is open, `stats` is a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_stats(end: *mut rw_htsp, stats: *mut rw_htsp_stats) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        if stats.is_null() {
            return error("stats is NULL");
        }
        let now = end.host.lock().stats();
        let told = rw_htsp_stats {
            link_up: now.link_up.into(),
            peer_ready: now.peer_ready.into(),
            frames_sent: now.sum(|it| it.tx.frames),
            frames_cut: now.sum(|it| it.tx.cut),
            frames_good: now.sum(|it| it.rx.frames),
            frames_bad: now.sum(|it| it.rx.errors),
            lost: now.rx.lost,
            overflows: now.sum(|it| it.overflows),
            ring_overflows: now.gaps,
        };
        // SAFETY: as promised by the caller.
        unsafe { *stats = told };
        Ok(0)
    })
}

/// Calls that wait on this end, now or later, return RW_CANCELLED: those of other threads, so that
/// they can be joined before rw_htsp_close(). Does not wait.
///
/// # Safety
/// `end` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_cancel(end: *mut rw_htsp) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let end = unsafe { behind(end, "end") }?;
        end.cancelled.store(true, Ordering::Relaxed);
        Ok(0)
    })
}

/// Stops the end and frees it; some 20 milliseconds. What is not on the line is lost:
/// rw_htsp_flush() before.
///
/// # Safety
/// `end` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_htsp_close(end: *mut rw_htsp) -> c_int {
    guarded(|| {
        if end.is_null() {
            return Ok(0);
        }
        // SAFETY: as promised by the caller; it came out of a box.
        let end = unsafe { Box::from_raw(end) };
        let host = end.host.into_inner();
        host.close()?;
        Ok(0)
    })
}

/// As rw_error().
#[unsafe(no_mangle)]
pub extern "C" fn rw_htsp_error() -> *const c_char {
    call::last_error()
}
