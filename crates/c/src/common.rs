// SPDX-License-Identifier: Apache-2.0
//! Version, sizes of structures, errors.

use crate::call;
use crate::chunk::{rw_chunk_lane, rw_chunk_recv_config, rw_chunk_send_config, rw_chunk_stats};
use crate::htsp::{rw_htsp_config, rw_htsp_marks, rw_htsp_piece, rw_htsp_stats};
use crate::rdma::{
    rw_rdma_area, rw_rdma_congestion, rw_rdma_layout, rw_rdma_options, rw_rdma_service,
    rw_rdma_start,
};
use std::ffi::{c_char, c_int};

/// Something is wrong, and nothing was done; rw_error() says what.
pub const RW_ERROR: c_int = -1;
/// A call was cancelled by another thread.
pub const RW_CANCELLED: c_int = -3;

/// Number of this binary interface; that of the library is rw_abi(). Another number: structures or
/// functions differ.
pub const RW_ABI: u32 = 1;

macro_rules! sizes {
    ($($name:ident),* $(,)?) => {
        /// Every structure that a program hands over, with its bytes.
        pub const SIZES: &[(&str, usize)] = &[$((stringify!($name), size_of::<$name>())),*];
    };
}

sizes!(
    rw_chunk_lane,
    rw_chunk_send_config,
    rw_chunk_recv_config,
    rw_chunk_stats,
    rw_htsp_config,
    rw_htsp_marks,
    rw_htsp_piece,
    rw_htsp_stats,
    rw_rdma_area,
    rw_rdma_layout,
    rw_rdma_start,
    rw_rdma_service,
    rw_rdma_congestion,
    rw_rdma_options,
);

/// Number of the binary interface of the library. A program checks that it is RW_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn rw_abi() -> u32 {
    RW_ABI
}

/// Version of the library as text, "0.1.0"; valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn rw_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// Bytes of a structure, "rw_htsp_config" for instance, as the library has it; 0: it has no such
/// one. For languages that do not read the header; a C compiler compares the sizes itself where
/// this header is included.
///
/// # Safety
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rw_struct_size(name: *const c_char) -> usize {
    // SAFETY: as promised by the caller.
    let name = unsafe { call::text(name, "name") }.ok().flatten();
    let found = SIZES.iter().find(|(known, _)| Some(*known) == name);
    found.map_or(0, |(_, size)| *size)
}

/// What was wrong with the last call of this thread that returned less than 0; valid until the next
/// such call.
#[unsafe(no_mangle)]
pub extern "C" fn rw_error() -> *const c_char {
    call::last_error()
}
