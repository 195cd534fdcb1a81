// SPDX-License-Identifier: Apache-2.0
//! Remote memory for programs in C: `include/ropewalk_rdma.h`, which says what each function does.

use crate::call::{self, Refusal, error, guarded, lock};
use ropewalk_rdma::mapped::{Area, Layout, Mapped, Shared};
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{
    Back, Buffer, Class, Engine, Error, Notify, Options, Page, Remote, Rights, Start, Transfer,
    Window,
};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Something is wrong, see [`rw_rdma_error`].
pub const RW_RDMA_ERROR: c_int = call::ERROR;
/// The transfer has ended badly.
pub const RW_RDMA_FAILED: c_int = -2;
/// Other nodes may read a window.
pub const RW_RDMA_READ: c_int = 1;
/// Other nodes may write to a window.
pub const RW_RDMA_WRITE: c_int = 2;

/// An engine.
#[derive(Debug)]
pub struct rw_rdma(Engine);

/// A page.
#[derive(Debug)]
pub struct rw_rdma_page(Page);

/// A window.
#[derive(Debug)]
pub struct rw_rdma_window(Window);

/// A buffer; a read has it meanwhile.
#[derive(Debug)]
pub struct rw_rdma_buffer(Arc<Mutex<Place>>);

#[derive(Debug)]
enum Place {
    Here(Arc<Buffer>),
    /// A read fills it.
    Away,
    /// Its read has failed.
    Gone,
}

/// A transfer.
#[derive(Debug)]
pub struct rw_rdma_transfer(Mutex<Handle>, c_int);

#[derive(Debug)]
enum Handle {
    Sent(Transfer),
    Read(Transfer<Buffer>, Arc<Mutex<Place>>),
    Done,
    Failed(Error),
}

/// A place in a file.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_area {
    /// The file.
    pub path: *const c_char,
    /// First byte.
    pub offset: u64,
    /// Map of a UIO device, or -1.
    pub map: i32,
}

/// Where an engine is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_layout {
    /// Registers.
    pub registers: rw_rdma_area,
    /// Port.
    pub port: rw_rdma_area,
    /// Memory, if its path is not null.
    pub memory: rw_rdma_area,
    /// Bytes of it.
    pub memory_bytes: u64,
    /// Its first byte, as the engine sees it.
    pub memory_address: u64,
    /// Pages.
    pub pages: u8,
    /// Loads of 16 bytes arrive as one.
    pub wide: u8,
    /// Map the memory uncached.
    pub uncached: u8,
}

/// Who an engine is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_start {
    /// Number of the node.
    pub node: u16,
    /// Which life.
    pub epoch: u8,
    /// Repetitions, or 0.
    pub retries: u8,
    /// Cycles, or 0.
    pub timeout: u32,
    /// Units of 16384 cycles, or 0.
    pub read_timeout: u32,
}

/// How a transfer is carried out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct rw_rdma_options {
    /// Class.
    pub rw_class: u8,
    /// Within the class.
    pub priority: u8,
    /// 0, 1, or 2 with a value.
    pub notify: u8,
    /// For the network.
    pub qos: u32,
    /// Where 8 bytes are written.
    pub notify_at: u64,
    /// Which.
    pub notify_value: u64,
}

/// What stands behind a pointer.
///
/// # Safety
/// The pointer is null, or one that this library gave and that has not been closed.
unsafe fn behind<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refusal> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| Refusal::new(format!("{name} is NULL")))
}

/// Puts a thing where the caller wants it.
///
/// # Safety
/// The place is null or a place for a pointer.
unsafe fn give<T>(
    result: *mut *mut T,
    make: impl FnOnce() -> Result<T, Refusal>,
) -> Result<c_int, Refusal> {
    if result.is_null() {
        return error("result is NULL");
    }
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: as promised by the caller.
    unsafe { *result = made };
    Ok(0)
}

/// Drops what this library gave.
///
/// # Safety
/// As [`behind`]; nobody uses it any more.
unsafe fn close<T>(pointer: *mut T) -> c_int {
    guarded(|| {
        if !pointer.is_null() {
            // SAFETY: as promised by the caller; it came out of a box.
            drop(unsafe { Box::from_raw(pointer) });
        }
        Ok(0)
    })
}

fn ms(time: u32) -> Duration {
    Duration::from_millis(time.into())
}

fn remote(address: u64) -> Result<Remote, Error> {
    Remote::new((address >> 48) as u16, address & ((1 << 48) - 1))
}

fn number(remote: Remote) -> u64 {
    u64::from(remote.node()) << 48 | remote.address()
}

/// # Safety
/// As in C: null or options.
unsafe fn options(pointer: *const rw_rdma_options) -> Result<Options, Refusal> {
    // SAFETY: as promised by the caller.
    let Some(it) = (unsafe { pointer.as_ref() }) else {
        return Ok(Options::default());
    };
    let class = match it.rw_class {
        0 => Class::Small,
        1 => Class::OnePath,
        2 => Class::FourPaths,
        other => return Err(Refusal::new(format!("class {other}: accepted are 0 to 2"))),
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
        class,
        priority: it.priority,
        qos: it.qos,
        notify,
    })
}

/// # Safety
/// As in C: an area with a string.
unsafe fn area(it: &rw_rdma_area) -> Result<Area, Refusal> {
    if it.path.is_null() {
        return error("path is NULL");
    }
    // SAFETY: as promised by the caller.
    let path = unsafe { CStr::from_ptr(it.path) }.to_string_lossy();
    Ok(match it.map {
        -1 => Area::file(path.as_ref(), it.offset),
        map => {
            let odd = |_| Refusal::new(format!("map {map}: accepted are -1 to 255"));
            Area::uio(path.as_ref(), u8::try_from(map).map_err(odd)?, it.offset)
        }
    })
}

/// Maps and starts an engine.
///
/// # Safety
/// As in C: a layout with strings, a start, and a place for the result.
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
            Ok(rw_rdma(Engine::start(device, &start, ms(timeout_ms))?))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Two models in this process.
///
/// # Safety
/// As in C: places for the results.
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
            Engine::start(network.node(node), &start, Duration::ZERO).map(rw_rdma)
        };
        let (one, two) = (start(0)?, start(1)?);
        // SAFETY: as promised by the caller.
        unsafe {
            give(first, || Ok(one))?;
            give(second, || Ok(two))
        }
    })
}

/// Closes an engine.
///
/// # Safety
/// As in C: a live engine, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_close(engine: *mut rw_rdma) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(engine) }
}

/// Opens a page.
///
/// # Safety
/// As in C: a live engine, and a place for the result.
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
        let make = || Ok(rw_rdma_page(engine.0.open(page, ms(timeout_ms))?));
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Closes a page.
///
/// # Safety
/// As in C: a live page, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_page_close(page: *mut rw_rdma_page) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(page) }
}

/// Registers a window.
///
/// # Safety
/// As in C: a live page, and a place for the result.
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
/// As in C: a live window, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_window_close(window: *mut rw_rdma_window) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(window) }
}

/// Takes a buffer out of a window.
///
/// # Safety
/// As in C: a live window, and a place for the result.
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
        let make = || {
            let buffer = Arc::new(window.0.buffer(bytes, align)?);
            Ok(rw_rdma_buffer(Arc::new(Mutex::new(Place::Here(buffer)))))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Gives a buffer back.
///
/// # Safety
/// As in C: a live buffer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_close(buffer: *mut rw_rdma_buffer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(buffer) }
}

impl Place {
    fn here(&mut self) -> Result<&mut Arc<Buffer>, Refusal> {
        match self {
            Self::Here(buffer) => Ok(buffer),
            Self::Away => Err(Refusal::new(
                "a read fills this buffer: accepted is after its end",
            )),
            Self::Gone => Err(Refusal::new(
                "the read into this buffer has failed, and may be written still: accepted is another buffer",
            )),
        }
    }
}

/// A byte of a buffer, as other nodes name it.
///
/// # Safety
/// As in C: a live buffer, and a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_buffer_address(
    buffer: *mut rw_rdma_buffer,
    at: u64,
    result: *mut u64,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let buffer = unsafe { behind(buffer, "buffer") }?;
        let address = number(lock(&buffer.0).here()?.address(at)?);
        if result.is_null() {
            return error("address is NULL");
        }
        // SAFETY: as promised by the caller.
        unsafe { *result = address };
        Ok(0)
    })
}

/// Copies into a buffer.
///
/// # Safety
/// As in C: a live buffer, and `count` bytes.
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
        match Arc::get_mut(lock(&buffer.0).here()?) {
            Some(buffer) => buffer.write(at, bytes)?,
            None => return error("a transfer sends this buffer: accepted is after its end"),
        }
        Ok(0)
    })
}

/// # Safety
/// `count` bytes are there.
unsafe fn slice<'a>(bytes: *const c_void, count: usize) -> Result<&'a [u8], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    if bytes.is_null() {
        return error("bytes is NULL");
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { std::slice::from_raw_parts(bytes.cast(), count) })
}

/// Copies out of a buffer.
///
/// # Safety
/// As in C: a live buffer, and room for `count` bytes.
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
        let mut place = lock(&buffer.0);
        let buffer = place.here()?;
        if count as u64 > buffer.size() {
            let size = buffer.size();
            return error(&format!("{count} bytes: accepted are 0 to {size}"));
        }
        let mut copy = vec![0; count];
        buffer.read(at, &mut copy)?;
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

fn handle(handle: Handle) -> rw_rdma_transfer {
    let channel = match &handle {
        Handle::Sent(transfer) => transfer.channel(),
        Handle::Read(transfer, _) => transfer.channel(),
        _ => 0,
    };
    rw_rdma_transfer(Mutex::new(handle), channel.into())
}

/// Writes a buffer to another node.
///
/// # Safety
/// As in C: a live page and buffer, null or options, and a place for the result.
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
            Ok(handle(Handle::Sent(sent)))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Reads from another node into a buffer.
///
/// # Safety
/// As in C: a live page and buffer, null or options, and a place for the result.
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
                Ok(read) => Ok(handle(Handle::Read(read, Arc::clone(&target.0)))),
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

/// Sends 1 to 32 bytes.
///
/// # Safety
/// As in C: a live page, `count` bytes, null or options, and a place for the result.
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
            Ok(handle(Handle::Sent(sent)))
        };
        // SAFETY: as promised by the caller.
        unsafe { give(result, make) }
    })
}

/// Reads the states of all channels.
///
/// # Safety
/// As in C: a live page, and null or a place for the result.
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

/// The channel of a transfer.
///
/// # Safety
/// As in C: a live transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_channel(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    guarded(|| Ok(unsafe { behind(transfer, "transfer") }?.1))
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

/// # Safety
/// As [`behind`].
unsafe fn look(transfer: *mut rw_rdma_transfer, how: Look) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let transfer = unsafe { behind(transfer, "transfer") }?;
        let mut handle = lock(&transfer.0);
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
            Ok(Some(())) => {
                *handle = Handle::Done;
                Ok(1)
            }
            Ok(None) => Ok(0),
            Err(error @ (Error::Failed { .. } | Error::Lost { .. })) => {
                let text = error.to_string();
                *handle = Handle::Failed(error);
                Err(Refusal::with(RW_RDMA_FAILED, text))
            }
            Err(error) => Err(error.into()),
        }
    })
}

/// The end of a transfer, as far as it was read.
///
/// # Safety
/// As in C: a live transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_take(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { look(transfer, Look::Take) }
}

/// The end of a transfer, with a read of its channel.
///
/// # Safety
/// As in C: a live transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_poll(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { look(transfer, Look::Poll) }
}

/// The end of a transfer, after so long at most.
///
/// # Safety
/// As in C: a live transfer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_wait(transfer: *mut rw_rdma_transfer, timeout_ms: u32) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { look(transfer, Look::Wait(ms(timeout_ms))) }
}

/// Frees the handle of a transfer.
///
/// # Safety
/// As in C: a live transfer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_release(transfer: *mut rw_rdma_transfer) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { close(transfer) }
}

/// What was wrong last, in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn rw_rdma_error() -> *const c_char {
    call::last_error()
}
