// SPDX-License-Identifier: Apache-2.0
//! Transfers: posted, waited for.

use super::{
    Place, RW_RDMA_FAILED, options, remote, rw_rdma_buffer, rw_rdma_options, rw_rdma_page,
};
use crate::call::{Limit, Refusal, behind, close, error, give, guarded, last_error, lock, slice};
use ropewalk_rdma::{Back, Buffer, Error, Transfer};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A transfer under way, or over.
#[derive(Debug)]
pub struct rw_rdma_transfer {
    handle: Mutex<Handle>,
    channel: c_int,
    cancelled: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Handle {
    Sent(Transfer),
    Read(Transfer<Buffer>, Arc<Mutex<Place>>),
    Done,
    Failed(Error),
}

fn handle(page: &rw_rdma_page, handle: Handle) -> rw_rdma_transfer {
    let channel = match &handle {
        Handle::Sent(transfer) => transfer.channel(),
        Handle::Read(transfer, _) => transfer.channel(),
        _ => 0,
    };
    rw_rdma_transfer {
        handle: Mutex::new(handle),
        channel: channel.into(),
        cancelled: Arc::clone(&page.1),
    }
}

/// Posts a write of `size` bytes of a buffer, from byte `at` on, to another node. The buffer cannot
/// be written meanwhile.
///
/// # Safety
/// `page` and the buffer are open, `how` is NULL or options, `result` is a place for the transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_write(
    page: *mut rw_rdma_page,
    source: *mut rw_rdma_buffer,
    at: u64,
    size: u32,
    to: u64,
    how: *const rw_rdma_options,
    result: *mut *mut rw_rdma_transfer,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (page, source) = unsafe { (behind(page, "page")?, behind(source, "source")?) };
        // SAFETY: as promised by the caller.
        let how = unsafe { options(how) }?;
        let make = || {
            let range = at..at.saturating_add(size.into());
            let mut place = lock(&source.0);
            let sent = page.0.write(place.here()?, range, remote(to)?, &how)?;
            Ok(handle(page, Handle::Sent(sent)))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Posts a read of `size` bytes from another node into a buffer, from byte `at` on. The buffer is
/// the engine's until the end of the transfer was seen; if it has failed, or is released before,
/// for ever.
///
/// # Safety
/// `page` and the buffer are open, `how` is NULL or options, `result` is a place for the transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_read(
    page: *mut rw_rdma_page,
    from: u64,
    size: u32,
    target: *mut rw_rdma_buffer,
    at: u64,
    how: *const rw_rdma_options,
    result: *mut *mut rw_rdma_transfer,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (page, target) = unsafe { (behind(page, "page")?, behind(target, "target")?) };
        // SAFETY: as promised by the caller.
        let how = unsafe { options(how) }?;
        let make = || {
            let from = remote(from)?;
            let mut place = lock(&target.0);
            place.here()?;
            let Place::Here(shared) = std::mem::replace(&mut *place, Place::Away) else {
                return error("internal error, please report it");
            };
            let buffer = match Arc::try_unwrap(shared) {
                Ok(buffer) => buffer,
                Err(shared) => {
                    *place = Place::Here(shared);
                    return error("a transfer sends this buffer: accepted is after its end");
                }
            };
            match page.0.read(from, size, buffer, at, &how) {
                Ok(read) => Ok(handle(page, Handle::Read(read, Arc::clone(&target.0)))),
                Err(refused) => {
                    *place = match refused.buffer {
                        Some(buffer) => Place::Here(Arc::new(buffer)),
                        None => Place::Gone,
                    };
                    Err(refused.error.into())
                }
            }
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Posts a message of 1 to 32 bytes.
///
/// # Safety
/// `page` is open, `bytes` has `count` bytes, `how` is NULL or options, `result` is a place for the
/// transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_inline(
    page: *mut rw_rdma_page,
    bytes: *const c_void,
    count: usize,
    to: u64,
    how: *const rw_rdma_options,
    result: *mut *mut rw_rdma_transfer,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let page = unsafe { behind(page, "page") }?;
        // SAFETY: as promised by the caller.
        let (bytes, how) = unsafe { (slice(bytes, count)?, options(how)?) };
        let make = || {
            let sent = page.0.inline(bytes, remote(to)?, &how)?;
            Ok(handle(page, Handle::Sent(sent)))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Reads the states of all channels of a page: a bit in `over` for each that has ended and whose
/// transfer has not said so.
///
/// # Safety
/// `page` is open, `over` is NULL or a place for the bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_collect(page: *mut rw_rdma_page, over: *mut u64) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let page = unsafe { behind(page, "page") }?;
        let bits = page.0.collect()?;
        if !over.is_null() {
            // SAFETY: as promised by the caller.
            unsafe { *over = bits };
        }
        Ok(0)
    })
}

/// The channel of a transfer, 0 to 63.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_channel(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    guarded(|| Ok(unsafe { behind(transfer, "transfer") }?.channel))
}

/// How the end of a transfer is looked for.
#[derive(Clone, Copy)]
enum Look {
    Take,
    Poll,
    Wait(Duration),
}

impl Look {
    fn at<T: Back>(self, transfer: &mut Transfer<T>) -> Result<Option<T>, Error> {
        match self {
            Self::Take => transfer.take(),
            Self::Poll => transfer.poll(),
            Self::Wait(time) => match transfer.wait(time) {
                Err(Error::Deadline { .. }) => Ok(None),
                other => other.map(Some),
            },
        }
    }
}

/// Looks once: whether it is over.
fn look(transfer: &rw_rdma_transfer, how: Look) -> Result<Option<()>, Refusal> {
    let mut handle = lock(&transfer.handle);
    let end = match &mut *handle {
        Handle::Sent(sent) => how.at(sent),
        Handle::Read(read, place) => match how.at(read) {
            Ok(Some(buffer)) => {
                *lock(place) = Place::Here(Arc::new(buffer));
                Ok(Some(()))
            }
            Ok(None) => Ok(None),
            Err(error @ (Error::Failed { .. } | Error::Lost { .. })) => {
                *lock(place) = Place::Gone;
                Err(error)
            }
            Err(error) => Err(error),
        },
        Handle::Done => Ok(Some(())),
        Handle::Failed(error) => Err(error.clone()),
    };
    match end {
        Ok(Some(())) => *handle = Handle::Done,
        Ok(None) => return Ok(None),
        Err(error @ (Error::Failed { .. } | Error::Lost { .. })) => {
            let text = error.to_string();
            *handle = Handle::Failed(error);
            return Err(Refusal::with(RW_RDMA_FAILED, text));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Some(()))
}

/// # Safety
/// As [`behind`].
unsafe fn looked(transfer: *mut rw_rdma_transfer, how: Look) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        Ok(look(transfer, how)?.is_some().into())
    })
}

/// 1: the transfer is done; 0: it is under way, as far as was read until now. Once it has ended the
/// answer stays the same.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_take(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { looked(transfer, Look::Take) }
}

/// As rw_rdma_take(), with a read of its channel.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_poll(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { looked(transfer, Look::Poll) }
}

/// As rw_rdma_poll(), again and again, `timeout_ms` milliseconds at most.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_wait(transfer: *mut rw_rdma_transfer, timeout_ms: u32) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        let limit = Limit::new(timeout_ms, &transfer.cancelled);
        let over = limit.until(|most| look(transfer, Look::Wait(most)))?;
        Ok(over.is_some().into())
    })
}

/// Frees the handle of a transfer; if it is under way it goes on.
///
/// # Safety
/// `transfer` was not released, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_release(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(transfer) }
}

/// As rw_error().
#[unsafe(no_mangle)]
pub extern "C" fn rw_rdma_error() -> *const c_char {
    last_error()
}
