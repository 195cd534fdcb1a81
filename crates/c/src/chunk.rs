// SPDX-License-Identifier: Apache-2.0
//! Files from host to host: what `ropewalk send` and `ropewalk recv` do, and with them.

use crate::call::{Refusal, behind, close, error, give, guarded, ms, text};
use crate::common::RW_CANCELLED;
use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::job::{
    Job, JobError, Order, admit, credentials, own_address, parity,
};
use ropewalk_chunk::transfer::source::Selection;
use ropewalk_chunk::transfer::start::PORT;
use ropewalk_io::lane::network::Udp;
use ropewalk_wire::chunk::handshake::KeyPair;
use ropewalk_wire::chunk::handshake::auth::to_hex;
use std::ffi::{c_char, c_int};
use std::path::PathBuf;
use std::time::Duration;

/// The transfer has failed; rw_error() says how.
pub const RW_CHUNK_FAILED: c_int = -2;
/// Room for a code with its end, "1234-5678".
pub const RW_CHUNK_CODE: usize = 10;
/// Room for a key with its end, 64 hexadecimal digits.
pub const RW_CHUNK_KEY: usize = 65;
/// Room for an address with its end.
pub const RW_CHUNK_ADDRESS: usize = 64;

/// Longest time without progress unless another one is named.
const PATIENCE: Duration = Duration::from_secs(60);

/// A transfer of files, which runs by itself until it ends or is cancelled. Different threads may
/// use the same transfer at the same time, but for rw_chunk_close().
pub struct rw_chunk(Job);

/// A lane.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_chunk_lane {
    /// Own address, "ADDRESS" or "ADDRESS:PORT"; NULL: any.
    pub local: *const c_char,
    /// The receiver, "HOST" or "HOST:PORT", port 7425 unless it is named.
    pub peer: *const c_char,
}

/// How to send. One of `code`, `key` with `peer_key`, and `trusted` is needed; NULL or zero
/// elsewhere stands for the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_chunk_send_config {
    /// Lanes to the receiver, 1 to 16.
    pub lanes: *const rw_chunk_lane,
    /// How many.
    pub lane_count: usize,
    /// Code that the receiver shows.
    pub code: *const c_char,
    /// Own key, 64 hexadecimal digits.
    pub key: *const c_char,
    /// Public key of the receiver.
    pub peer_key: *const c_char,
    /// 1: nobody proves who he is, and nothing is encrypted.
    pub trusted: u8,
    /// 1: each lane carries chunks of its own, which suits lanes that are equal; default: all lanes
    /// carry each chunk.
    pub stable: u8,
    /// Reed-Solomon code of each sub-packet, which mends this many bytes of each of its 64
    /// codewords.
    pub mend: u8,
    /// 1: files of which the receiver has older ones are sent whole; default: what these do not
    /// have.
    pub no_delta: u8,
    /// 1: files and directories keep their extended attributes of the user (user.*).
    pub xattrs: u8,
    /// Sub-packets after which parity follows; 0: none.
    pub erasure_data: u16,
    /// Sub-packets of this parity: as many may be lost.
    pub erasure_parity: u16,
    /// Longest time without progress after which it fails, milliseconds; default 60000.
    pub patience_ms: u32,
    /// Most bits per second of all lanes together.
    pub rate: u64,
}

/// How to receive. NULL or zero stands for the default: a sender has to know the code of
/// rw_chunk_code().
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_chunk_recv_config {
    /// Address to wait at, "ADDRESS" or "ADDRESS:PORT", port 0 for any; default: port 7425 of every
    /// address of the host.
    pub listen: *const c_char,
    /// Own key, 64 hexadecimal digits.
    pub key: *const c_char,
    /// Public keys of the senders that are admitted, with blanks between.
    pub allow: *const c_char,
    /// 1: anybody is admitted, and nothing is encrypted.
    pub trusted: u8,
}

/// How far a transfer is. What only the other side knows is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_chunk_stats {
    /// Bytes of all files; of a sender.
    pub total: u64,
    /// Bytes that were sent or need not be; of a receiver: that were written.
    pub done: u64,
    /// Of these, bytes that the receiver had already, or zeros; of a sender.
    pub spared: u64,
    /// Files in place; of a receiver.
    pub files: u64,
    /// Sub-packets that were lost on their way; of a sender.
    pub lost: u64,
    /// Sub-packets that were sent again; of a sender.
    pub resent: u64,
    /// Attempts that ended early.
    pub broken: u64,
}

fn refusal(error: JobError) -> Refusal {
    let code = match error {
        JobError::Cancelled => RW_CANCELLED,
        JobError::Failed(_) => RW_CHUNK_FAILED,
    };
    Refusal::with(code, error.to_string())
}

/// A text and the one that belongs to it.
///
/// # Safety
/// Each is null or a string.
unsafe fn pair<'a>(
    (key, name): (*const c_char, &str),
    (others, other_name): (*const c_char, &str),
) -> Result<Option<(&'a str, &'a str)>, Refusal> {
    // SAFETY: as promised by the caller.
    match unsafe { (text(key, name)?, text(others, other_name)?) } {
        (Some(key), Some(others)) => Ok(Some((key, others))),
        (None, None) => Ok(None),
        _ => error(&format!(
            "{name} or {other_name} alone: accepted are both or none"
        )),
    }
}

/// Starts to send a file or a directory, and does not wait: rw_chunk_wait() does. A transfer that
/// is interrupted goes on where it was when it is started again.
///
/// # Safety
/// `path` is a string, `config` has strings and lanes, `result` is a place for the transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_send(
    path: *const c_char,
    config: *const rw_chunk_send_config,
    result: *mut *mut rw_chunk,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (path, config) = unsafe { (text(path, "path")?, behind(config, "config")?) };
        let Some(path) = path else {
            return error("path is NULL");
        };
        if config.lanes.is_null() || !(1..=16).contains(&config.lane_count) {
            let count = config.lane_count;
            return error(&format!("{count} lanes: accepted are 1 to 16"));
        }
        // SAFETY: as promised by the caller.
        let given = unsafe { std::slice::from_raw_parts(config.lanes, config.lane_count) };
        let mut lanes = Vec::new();
        for lane in given {
            // SAFETY: as promised by the caller.
            let (local, peer) = unsafe { (text(lane.local, "local")?, text(lane.peer, "peer")?) };
            let Some(peer) = peer else {
                return error("peer is NULL");
            };
            let local = local.map(|it| own_address(it, 0)).transpose()?;
            lanes.push((local, peer.to_owned()));
        }
        // SAFETY: as promised by the caller.
        let (code, key) = unsafe {
            let key = pair((config.key, "key"), (config.peer_key, "peer_key"))?;
            (text(config.code, "code")?, key)
        };
        let order = Order {
            lanes,
            arrangement: match config.stable {
                0 => Arrangement::LowLatency,
                _ => Arrangement::Stable,
            },
            fec: parity(config.mend, (config.erasure_data, config.erasure_parity))?,
            rate: (config.rate > 0).then_some(config.rate),
            timeout: match config.patience_ms {
                0 => PATIENCE,
                time => ms(time),
            },
            credentials: credentials(code, key, config.trusted != 0)?,
            delta: config.no_delta == 0,
        };
        let selection = Selection {
            paths: vec![PathBuf::from(path)],
            xattrs: config.xattrs != 0,
            ..Selection::default()
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, || Ok(rw_chunk(Job::send(Udp, order, selection)?))) }
    })
}

/// Starts to wait for a sender and puts what it sends into a directory; does not wait itself. It
/// ends with one transfer; a sender that goes may come again.
///
/// # Safety
/// `directory` is a string, `config` NULL or one with strings, `result` a place for the transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_recv(
    directory: *const c_char,
    config: *const rw_chunk_recv_config,
    result: *mut *mut rw_chunk,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (directory, config) = unsafe { (text(directory, "directory")?, config.as_ref()) };
        let Some(directory) = directory else {
            return error("directory is NULL");
        };
        let (mut listen, mut admitted) = ("[::]", admit(None, false)?);
        if let Some(config) = config {
            // SAFETY: as promised by the caller.
            let (given, key) = unsafe {
                let key = pair((config.key, "key"), (config.allow, "allow"))?;
                (text(config.listen, "listen")?, key)
            };
            listen = given.unwrap_or(listen);
            admitted = admit(key, config.trusted != 0)?;
        }
        let local = own_address(listen, PORT)?;
        let make = || {
            let job = Job::receive(Udp, local, admitted, PathBuf::from(directory))?;
            Ok(rw_chunk(job))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Waits until the transfer has ended, `timeout_ms` milliseconds at most. 1: all files are in place
/// at the receiver, compared by hash; 0: it goes on; RW_CANCELLED; RW_CHUNK_FAILED. The answer
/// stays the same.
///
/// # Safety
/// `transfer` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_wait(transfer: *mut rw_chunk, timeout_ms: u32) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        match transfer.0.wait(ms(timeout_ms)) {
            None => Ok(0),
            Some(Ok(())) => Ok(1),
            Some(Err(error)) => Err(refusal(error)),
        }
    })
}

/// How far the transfer is. Does not wait.
///
/// # Safety
/// `transfer` is open, `stats` is a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_stats(
    transfer: *mut rw_chunk,
    stats: *mut rw_chunk_stats,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        if stats.is_null() {
            return error("stats is NULL");
        }
        let now = transfer.0.status();
        let told = rw_chunk_stats {
            total: now.total,
            done: now.done,
            spared: now.spared,
            files: now.files,
            lost: now.lost,
            resent: now.resent,
            broken: now.broken,
        };
        // SAFETY: as promised by the caller.
        unsafe { *stats = told };
        Ok(0)
    })
}

/// Copies a text with its end.
///
/// # Safety
/// The place is null or has the room.
unsafe fn put(text: &str, place: *mut c_char, room: usize) -> Result<c_int, Refusal> {
    if place.is_null() || text.len() >= room {
        let needed = text.len() + 1;
        return error(&format!(
            "room for {room} bytes: accepted are {needed} or more"
        ));
    }
    // SAFETY: as promised by the caller; the text and its end fit.
    unsafe {
        place
            .cast::<u8>()
            .copy_from_nonoverlapping(text.as_ptr(), text.len());
        *place.add(text.len()) = 0;
    }
    Ok(1)
}

/// The code that a receiver shows and a sender has to know: 1, or 0 if there is none within
/// `timeout_ms` milliseconds. After wrong ones there is another one.
///
/// # Safety
/// `transfer` is open, `code` has room for RW_CHUNK_CODE bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_code(
    transfer: *mut rw_chunk,
    timeout_ms: u32,
    code: *mut c_char,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        match transfer.0.wait_code(ms(timeout_ms)) {
            // SAFETY: as promised by the caller.
            Some(it) => unsafe { put(&it.to_string(), code, RW_CHUNK_CODE) },
            None => Ok(0),
        }
    })
}

/// The address at which a receiver waits, "ADDRESS:PORT": 1; or 0, of a sender. Does not wait.
///
/// # Safety
/// `transfer` is open, `address` has room for RW_CHUNK_ADDRESS bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_address(transfer: *mut rw_chunk, address: *mut c_char) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        match transfer.0.status().local {
            // SAFETY: as promised by the caller.
            Some(local) => unsafe { put(&local.to_string(), address, RW_CHUNK_ADDRESS) },
            None => Ok(0),
        }
    })
}

/// Makes a key: the private part, which nobody else may read, and the public part for the other
/// end. 1.
///
/// # Safety
/// Both have room for RW_CHUNK_KEY bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_key(key: *mut c_char, public_key: *mut c_char) -> c_int {
    guarded(|| {
        let pair = KeyPair::random()?;
        // SAFETY: as promised by the caller.
        unsafe {
            put(&to_hex(pair.private_bytes()), key, RW_CHUNK_KEY)?;
            put(&pair.public.to_string(), public_key, RW_CHUNK_KEY)
        }
    })
}

/// Ends the transfer soon; the other end is told. rw_chunk_wait() says RW_CANCELLED when it has
/// ended. Does not wait.
///
/// # Safety
/// `transfer` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_cancel(transfer: *mut rw_chunk) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        unsafe { behind(transfer, "transfer") }?.0.cancel();
        Ok(0)
    })
}

/// Frees a transfer; one under way is cancelled. Does not wait.
///
/// # Safety
/// `transfer` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_chunk_close(transfer: *mut rw_chunk) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(transfer) }
}
