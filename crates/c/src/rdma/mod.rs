// SPDX-License-Identifier: Apache-2.0
//! Remote memory by the RDMA engine. What each thing promises is in docs/src/rdma-host.md.

mod service;
mod transfer;

pub use service::*;
pub use transfer::*;

use crate::call::{Limit, Refusal, behind, close, error, give, guarded, ms, slice, text};
use ropewalk_rdma::lent::Lent;
use ropewalk_rdma::mapped::{Area, Layout, Mapped, Shared};
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{Class, Engine, Error, Notify, Options, Page, Remote, Rights, Start, Window};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// As RW_ERROR.
pub const RW_RDMA_ERROR: c_int = -1;
/// The transfer has failed; rw_error() says how.
pub const RW_RDMA_FAILED: c_int = -2;
/// Other nodes may read a window.
pub const RW_RDMA_READ: c_int = 1;
/// Other nodes may write to a window.
pub const RW_RDMA_WRITE: c_int = 2;
/// A class: before all others; messages are of it.
pub const RW_RDMA_SMALL: u8 = 0;
/// A class: one flow, one path.
pub const RW_RDMA_ONE_PATH: u8 = 1;
/// A class: four flows.
pub const RW_RDMA_FOUR_PATHS: u8 = 2;

/// An engine. It has pages, each with memory windows and 64 channels; a transfer takes a channel
/// until its end was seen.
///
/// Different threads may use the same things of it at the same time, but for those that are closed
/// or released. What was opened is closed in any order: a window stays registered until it and its
/// buffers are closed, and the memory of a buffer is kept while a transfer uses it.
#[derive(Debug)]
pub struct rw_rdma(Engine, Arc<AtomicBool>);

/// A page of an engine.
#[derive(Debug)]
pub struct rw_rdma_page(Page, Arc<AtomicBool>);

/// Memory that is registered.
#[derive(Debug)]
pub struct rw_rdma_window(Window);

/// A part of a window; a read has it meanwhile.
#[derive(Debug)]
pub struct rw_rdma_buffer(Lent);

/// A place in a file that can be mapped.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_area {
    /// A BAR, /dev/uioN, an ordinary file.
    pub path: *const c_char,
    /// First byte.
    pub offset: u64,
    /// Which map of /dev/uioN; -1 for all other files.
    pub map: i32,
}

/// Where an engine is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_layout {
    /// 8192 bytes of registers.
    pub registers: rw_rdma_area,
    /// 8192 bytes for each page.
    pub port: rw_rdma_area,
    /// Memory that is shared with the engine; path NULL if there is none.
    pub memory: rw_rdma_area,
    /// Bytes of this memory.
    pub memory_bytes: u64,
    /// Its first byte, as the engine sees it.
    pub memory_address: u64,
    /// Pages that the engine was built with.
    pub pages: u8,
    /// 1: loads of 16 bytes arrive as one, and the port has 128 bits or more.
    pub wide: u8,
    /// 1: open the memory with O_SYNC, for which drivers map it uncached.
    pub uncached: u8,
}

/// Who an engine is, and its limits. Zero in the last three places leaves what is there.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_start {
    /// Number of the node.
    pub node: u16,
    /// Epoch: one more than before the last reset, modulo 16.
    pub epoch: u8,
    /// How often a block is sent again, 1 to 15.
    pub retries: u8,
    /// Cycles from a block to its answer.
    pub timeout: u32,
    /// Units of 16384 cycles for a read.
    pub read_timeout: u32,
}

/// How a transfer is carried out. NULL or all zero: class small, first priority, QoS 0, no
/// notification.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_options {
    /// RW_RDMA_SMALL, RW_RDMA_ONE_PATH or RW_RDMA_FOUR_PATHS.
    pub rw_class: u8,
    /// Within the class, 0 first.
    pub priority: u8,
    /// 1: 8 bytes are written to notify_at; 2: these are notify_value, writes only.
    pub notify: u8,
    /// For the network, below 2^22.
    pub qos: u32,
    /// Node in bits 63:48, byte in 47:0.
    pub notify_at: u64,
    /// The 8 bytes.
    pub notify_value: u64,
}

fn remote(address: u64) -> Result<Remote, Error> {
    Remote::new((address >> 48) as u16, address & ((1 << 48) - 1))
}

fn number(remote: Remote) -> u64 {
    u64::from(remote.node()) << 48 | remote.address()
}

fn class(number: u8) -> Result<Class, Refusal> {
    match number {
        0 => Ok(Class::Small),
        1 => Ok(Class::OnePath),
        2 => Ok(Class::FourPaths),
        other => error(&format!("class {other}: accepted are 0 to 2")),
    }
}

/// # Safety
/// The pointer is null or to options.
unsafe fn options(pointer: *const rw_rdma_options) -> Result<Options, Refusal> {
    // SAFETY: as promised by the caller.
    let Some(it) = (unsafe { pointer.as_ref() }) else {
        return Ok(Options::default());
    };
    let notify = match it.notify {
        0 => None,
        1 | 2 => Some(Notify {
            at: remote(it.notify_at)?,
            value: (it.notify == 2).then_some(it.notify_value),
        }),
        other => return Err(Refusal::new(format!("notify {other}: accepted are 0 to 2"))),
    };
    Ok(Options {
        class: class(it.rw_class)?,
        priority: it.priority,
        qos: it.qos,
        notify,
    })
}

/// # Safety
/// The path is a string.
unsafe fn area(it: &rw_rdma_area) -> Result<Area, Refusal> {
    // SAFETY: as promised by the caller.
    let Some(path) = unsafe { text(it.path, "path") }? else {
        return error("path is NULL");
    };
    Ok(match it.map {
        -1 => Area::file(path, it.offset),
        map => {
            let odd = |_| Refusal::new(format!("map {map}: accepted are -1 to 255"));
            Area::uio(path, u8::try_from(map).map_err(odd)?, it.offset)
        }
    })
}

/// Maps and starts an engine, within `timeout_ms` milliseconds.
///
/// # Safety
/// `layout` has strings, `start` is one, `result` a place for the engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_map(
    layout: *const rw_rdma_layout,
    start: *const rw_rdma_start,
    timeout_ms: u32,
    result: *mut *mut rw_rdma,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (it, start) = unsafe { (behind(layout, "layout")?, behind(start, "start")?) };
        // SAFETY: as promised by the caller.
        let (registers, port) = unsafe { (area(&it.registers)?, area(&it.port)?) };
        let memory = if it.memory.path.is_null() {
            None
        } else {
            Some(Shared {
                // SAFETY: as promised by the caller.
                area: unsafe { area(&it.memory) }?,
                bytes: it.memory_bytes,
                address: it.memory_address,
                uncached: it.uncached != 0,
            })
        };
        let layout = Layout {
            registers,
            port,
            pages: it.pages,
            wide: it.wide != 0,
            memory,
        };
        let start = Start {
            node: start.node,
            epoch: start.epoch,
            timeout: (start.timeout != 0).then_some(start.timeout),
            retries: (start.retries != 0).then_some(start.retries),
            read_timeout: (start.read_timeout != 0).then_some(start.read_timeout),
            ..Start::default()
        };
        let make = || {
            let device = Mapped::open(&layout)?;
            let engine = Engine::start(device, &start, ms(timeout_ms))?;
            Ok(rw_rdma(engine, Arc::default()))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Two models in this process, nodes 0 and 1, each with `memory` bytes: for tests.
///
/// # Safety
/// `first` and `second` are places for the engines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_models(
    memory: usize,
    first: *mut *mut rw_rdma,
    second: *mut *mut rw_rdma,
) -> c_int {
    guarded(|| {
        if first.is_null() || second.is_null() {
            return error("result is NULL");
        }
        let network = Network::new(2, memory);
        let start = |node| {
            let start = Start {
                node,
                ..Start::default()
            };
            let engine = Engine::start(network.node(node), &start, Duration::ZERO);
            engine.map(|engine| rw_rdma(engine, Arc::default()))
        };
        let (one, two) = (start(0)?, start(1)?);
        // SAFETY: as promised by the caller.
        unsafe {
            give(first, || Ok(one))?;
            give(second, || Ok(two))
        }
    })
}

/// Calls that wait on this engine, its pages and their transfers, now or later, return
/// RW_CANCELLED; the transfers go on. Does not wait.
///
/// # Safety
/// `engine` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_cancel(engine: *mut rw_rdma) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        engine.1.store(true, Ordering::Relaxed);
        Ok(0)
    })
}

/// Closes an engine.
///
/// # Safety
/// `engine` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_close(engine: *mut rw_rdma) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(engine) }
}

/// Opens a page for this owner alone; waits for transfers of an earlier owner, `timeout_ms`
/// milliseconds at most.
///
/// # Safety
/// `engine` is open, `result` is a place for the page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_page_open(
    engine: *mut rw_rdma,
    page: u8,
    timeout_ms: u32,
    result: *mut *mut rw_rdma_page,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        let make = || {
            let limit = Limit::new(timeout_ms, &engine.1);
            let mut late = None;
            let opened = limit.until(|most| match engine.0.open(page, most) {
                Ok(page) => Ok(Some(page)),
                Err(Error::Deadline { what, .. }) => {
                    late = Some(what);
                    Ok(None)
                }
                Err(error) => Err(error.into()),
            })?;
            let (what, time) = (late.unwrap_or_default(), ms(timeout_ms));
            let page = opened.ok_or(Error::Deadline { what, time })?;
            Ok(rw_rdma_page(page, Arc::clone(&engine.1)))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Closes a page; its transfers go on.
///
/// # Safety
/// `page` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_page_close(page: *mut rw_rdma_page) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(page) }
}

/// Registers memory; `rights` are RW_RDMA_READ, RW_RDMA_WRITE or both.
///
/// # Safety
/// `page` is open, `result` is a place for the window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_window_open(
    page: *mut rw_rdma_page,
    bytes: u64,
    rights: c_int,
    result: *mut *mut rw_rdma_window,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let page = unsafe { behind(page, "page") }?;
        if rights & !(RW_RDMA_READ | RW_RDMA_WRITE) != 0 {
            return error(&format!("rights {rights}: accepted are 1 to 3"));
        }
        let (read, write) = (rights & RW_RDMA_READ != 0, rights & RW_RDMA_WRITE != 0);
        let rights = Rights::new(read, write)?;
        let make = || Ok(rw_rdma_window(page.0.window(bytes, rights)?));
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Closes a window.
///
/// # Safety
/// `window` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_window_close(window: *mut rw_rdma_window) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(window) }
}

/// A part of a window, from a multiple of `align` on, a power of two.
///
/// # Safety
/// `window` is open, `result` is a place for the buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_open(
    window: *mut rw_rdma_window,
    bytes: u64,
    align: u64,
    result: *mut *mut rw_rdma_buffer,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let window = unsafe { behind(window, "window") }?;
        if !align.is_power_of_two() {
            return error(&format!("align {align}: accepted are powers of two"));
        }
        let make = || Ok(rw_rdma_buffer(window.0.buffer(bytes, align)?.into()));
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Gives a buffer back.
///
/// # Safety
/// `buffer` is open, and no thread uses it any more; or it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_close(buffer: *mut rw_rdma_buffer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(buffer) }
}

/// A byte of a buffer as other nodes name it: node in bits 63:48, byte in 47:0.
///
/// # Safety
/// `buffer` is open, `result` is a place for the address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_address(
    buffer: *mut rw_rdma_buffer,
    at: u64,
    result: *mut u64,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let buffer = unsafe { behind(buffer, "buffer") }?;
        let address = number(buffer.0.address(at)?);
        if result.is_null() {
            return error("address is NULL");
        }
        // SAFETY: as promised by the caller.
        unsafe { *result = address };
        Ok(0)
    })
}

/// Copies into a buffer, unless a transfer uses it.
///
/// # Safety
/// `buffer` is open, `bytes` has `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_put(
    buffer: *mut rw_rdma_buffer,
    at: u64,
    bytes: *const c_void,
    count: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let buffer = unsafe { behind(buffer, "buffer") }?;
        // SAFETY: as promised by the caller.
        let bytes = unsafe { slice(bytes, count) }?;
        buffer.0.put(at, bytes)?;
        Ok(0)
    })
}

/// Copies out of a buffer, unless a read fills it.
///
/// # Safety
/// `buffer` is open, `bytes` has room for `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_get(
    buffer: *mut rw_rdma_buffer,
    at: u64,
    bytes: *mut c_void,
    count: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let buffer = unsafe { behind(buffer, "buffer") }?;
        let copy = buffer.0.get(at, count as u64)?;
        if count > 0 && bytes.is_null() {
            return error("bytes is NULL");
        }
        if count > 0 {
            // SAFETY: as promised by the caller; the copy is our own.
            unsafe {
                bytes
                    .cast::<u8>()
                    .copy_from_nonoverlapping(copy.as_ptr(), count)
            };
        }
        Ok(0)
    })
}
