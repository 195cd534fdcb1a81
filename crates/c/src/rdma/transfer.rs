// SPDX-License-Identifier: Apache-2.0
//! Transfers: posted, waited for.

use super::{RW_RDMA_FAILED, options, remote, rw_rdma_buffer, rw_rdma_options, rw_rdma_page};
use crate::call::{Limit, Refusal, behind, close, give, guarded, last_error, slice};
use ropewalk_rdma::lent::{LentError, Posted};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A transfer under way, or over.
#[derive(Debug)]
pub struct rw_rdma_transfer(Posted, Arc<AtomicBool>);

fn handle(page: &rw_rdma_page, posted: Posted) -> rw_rdma_transfer {
    rw_rdma_transfer(posted, Arc::clone(&page.1))
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
            let sent = Posted::write(&page.0, (&source.0, at), size, remote(to)?, &how)?;
            Ok(handle(page, sent))
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
            let read = Posted::read(&page.0, remote(from)?, size, (&target.0, at), &how)?;
            Ok(handle(page, read))
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
            Ok(handle(page, sent.into()))
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
    guarded(|| Ok(unsafe { behind(transfer, "transfer") }?.0.channel().into()))
}

fn refusal(error: LentError) -> Refusal {
    match error.is_end() {
        true => Refusal::with(RW_RDMA_FAILED, error.to_string()),
        false => error.into(),
    }
}

/// # Safety
/// As [`behind`].
unsafe fn look(
    transfer: *mut rw_rdma_transfer,
    how: impl Fn(&rw_rdma_transfer) -> Result<bool, Refusal>,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        how(unsafe { behind(transfer, "transfer") }?).map(c_int::from)
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
    unsafe { look(transfer, |it| it.0.take().map_err(refusal)) }
}

/// As rw_rdma_take(), with a read of its channel.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_poll(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { look(transfer, |it| it.0.poll().map_err(refusal)) }
}

/// As rw_rdma_poll(), again and again, `timeout_ms` milliseconds at most.
///
/// # Safety
/// `transfer` was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_wait(transfer: *mut rw_rdma_transfer, timeout_ms: u32) -> c_int {
    let wait = |it: &rw_rdma_transfer| {
        let limit = Limit::new(timeout_ms, &it.1);
        let over = limit.until(|most| Ok(it.0.wait(most).map_err(refusal)?.then_some(())))?;
        Ok(over.is_some())
    };
    // SAFETY: as promised by the caller.
    unsafe { look(transfer, wait) }
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
