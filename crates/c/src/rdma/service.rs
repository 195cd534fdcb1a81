// SPDX-License-Identifier: Apache-2.0
//! Quality of service: how classes share the line, how fast a page may send, how marks of the
//! network act.

use super::{class, rw_rdma, rw_rdma_page};
use crate::call::{Refusal, behind, error, guarded};
use ropewalk_rdma::{Congestion, Rate, Service, Weights};
use std::ffi::c_int;

/// How the classes of all pages share the line. All zero: a class sends only while those in front
/// of it have nothing: small, one path, four paths.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct rw_rdma_service {
    /// 1: of classes that have something to send all the time each sends its weight over the sum of
    /// theirs, in bytes; messages go first in any case.
    pub weighted: u8,
    /// RW_RDMA_SMALL, RW_RDMA_ONE_PATH, RW_RDMA_FOUR_PATHS: 1 to 16 each, if weighted is 1.
    pub weights: [u8; 3],
}

/// # Safety
/// `pointer` is NULL or a place.
unsafe fn put<T>(pointer: *mut T, value: T) -> Result<c_int, Refusal> {
    if pointer.is_null() {
        return error("result is NULL");
    }
    // SAFETY: as promised by the caller.
    unsafe { pointer.write(value) };
    Ok(0)
}

/// How the classes share the line now.
///
/// # Safety
/// `engine` is open, `result` is a place for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_get_service(
    engine: *mut rw_rdma,
    result: *mut rw_rdma_service,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        let service = match engine.0.service()? {
            Service::Strict => rw_rdma_service::default(),
            Service::Weighted(it) => rw_rdma_service {
                weighted: 1,
                weights: [it.small, it.one_path, it.four_paths],
            },
        };
        // SAFETY: as promised by the caller.
        unsafe { put(result, service) }
    })
}

/// Sets how the classes share the line, from the next block on.
///
/// # Safety
/// `engine` is open, `service` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_set_service(
    engine: *mut rw_rdma,
    service: *const rw_rdma_service,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (engine, it) = unsafe { (behind(engine, "engine")?, behind(service, "service")?) };
        let [small, one_path, four_paths] = it.weights;
        let service = match it.weighted {
            0 => Service::Strict,
            1 => Service::Weighted(Weights {
                small,
                one_path,
                four_paths,
            }),
            other => return error(&format!("weighted {other}: accepted are 0 and 1")),
        };
        engine.0.set_service(service)?;
        Ok(0)
    })
}

/// How marks of the network act on the rate to the node that an answer with one comes from. fall 0:
/// they do nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct rw_rdma_congestion {
    /// A rate falls by 1 / 2^fall of it, once in a round trip; 1 to 7.
    pub fall: u8,
    /// The full rate falls to 1 / 2^first of it; 1 to 7.
    pub first: u8,
    /// What a rate rises by in 1024 cycles, in 32768ths of the full one; from 1 on.
    pub increase: u16,
}

/// How marks of the network act now.
///
/// # Safety
/// `engine` is open, `result` is a place for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_get_congestion(
    engine: *mut rw_rdma,
    result: *mut rw_rdma_congestion,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        let found = engine.0.congestion()?;
        let congestion = found.map_or_else(rw_rdma_congestion::default, |it| rw_rdma_congestion {
            fall: it.fall,
            first: it.first,
            increase: it.increase,
        });
        // SAFETY: as promised by the caller.
        unsafe { put(result, congestion) }
    })
}

/// Sets how marks of the network act, for all nodes, from the next answer on.
///
/// # Safety
/// `engine` is open, `congestion` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_set_congestion(
    engine: *mut rw_rdma,
    congestion: *const rw_rdma_congestion,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let (engine, it) =
            unsafe { (behind(engine, "engine")?, behind(congestion, "congestion")?) };
        let congestion = (it.fall != 0).then_some(Congestion {
            fall: it.fall,
            first: it.first,
            increase: it.increase,
        });
        engine.0.set_congestion(congestion)?;
        Ok(0)
    })
}

/// Whether cut-through writes are on: 1, or 0.
///
/// # Safety
/// `engine` is open, `result` is a place for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_get_cut_through(engine: *mut rw_rdma, result: *mut u8) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        let on = engine.0.cut_through()?;
        // SAFETY: as promised by the caller.
        unsafe { put(result, on.into()) }
    })
}

/// 1: payload of other nodes is written as it arrives, once the header of its packet is checked, so
/// that a reader of the window may see damaged bytes until the transfer has ended. 0: nothing is
/// written before all of its packet is checked. An engine that was built without cut-through, or
/// with packed framing, always does so.
///
/// # Safety
/// `engine` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_set_cut_through(engine: *mut rw_rdma, on: u8) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let engine = unsafe { behind(engine, "engine") }?;
        engine.0.set_cut_through(on != 0)?;
        Ok(0)
    })
}

/// How fast the transfers of a page in a class may send, all together: sixteenths of a cycle for
/// each 64 bytes; 0: no limit.
///
/// # Safety
/// `page` is open, `interval` is a place for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_page_get_rate(
    page: *mut rw_rdma_page,
    rw_class: u8,
    interval: *mut u16,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let page = unsafe { behind(page, "page") }?;
        let rate = page.0.rate(class(rw_class)?)?;
        // SAFETY: as promised by the caller.
        unsafe { put(interval, rate.interval()) }
    })
}

/// Limits how fast the transfers of a page in a class may send, from the next block on, until it is
/// set again; `interval` as of rw_rdma_page_get_rate(). Class small has no limit.
///
/// # Safety
/// `page` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_page_set_rate(
    page: *mut rw_rdma_page,
    rw_class: u8,
    interval: u16,
) -> c_int {
    guarded(|| {
        // SAFETY: as promised by the caller.
        let page = unsafe { behind(page, "page") }?;
        page.0
            .set_rate(class(rw_class)?, Rate::of_interval(interval))?;
        Ok(0)
    })
}

/// The interval of the fastest rate that is not above `bits` of payload per second, with an engine
/// clock of `clock` Hz.
///
/// # Safety
/// `interval` is a place for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_rdma_interval(bits: u64, clock: u64, interval: *mut u16) -> c_int {
    guarded(|| {
        let rate = Rate::of_bits_per_second(bits, clock)?;
        // SAFETY: as promised by the caller.
        unsafe { put(interval, rate.interval()) }
    })
}
