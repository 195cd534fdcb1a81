// SPDX-License-Identifier: Apache-2.0
//! The ports of a verilated `slink` as C++ shows them; mirrors `cpp/slink_shim.h`.

use crate::models;

/// A compiled `slink`.
pub(super) type RawModel = models::RawModel<Ports>;

/// One `slink`.
pub(super) type Instance = models::Instance<Ports>;

// SAFETY: mirrors `SlinkPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "slink_shim.inc";
}

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub clk: *mut u8,
    pub rst: *mut u8,
    pub rx_clk: *mut u8,
    pub rx_data: *mut u32,
    pub able_fast: *mut u8,
    pub able_coding: *mut u8,
    pub m_awready: *mut u8,
    pub m_wready: *mut u8,
    pub m_bresp: *mut u8,
    pub m_bvalid: *mut u8,
    pub m_arready: *mut u8,
    pub m_rdata: *mut u8,
    pub m_rresp: *mut u8,
    pub m_rlast: *mut u8,
    pub m_rvalid: *mut u8,
    pub s_awaddr: *mut u8,
    pub s_awvalid: *mut u8,
    pub s_wdata: *mut u32,
    pub s_wstrb: *mut u8,
    pub s_wvalid: *mut u8,
    pub s_bready: *mut u8,
    pub s_araddr: *mut u8,
    pub s_arvalid: *mut u8,
    pub s_rready: *mut u8,
    pub tx_data: *const u32,
    pub rst_out: *const u8,
    pub speed: *const u8,
    pub lanes: *const u8,
    pub coding: *const u8,
    pub m_awaddr: *const u32,
    pub m_awlen: *const u8,
    pub m_awvalid: *const u8,
    pub m_wdata: *const u8,
    pub m_wstrb: *const u8,
    pub m_wlast: *const u8,
    pub m_wvalid: *const u8,
    pub m_bready: *const u8,
    pub m_araddr: *const u32,
    pub m_arlen: *const u8,
    pub m_arvalid: *const u8,
    pub m_rready: *const u8,
    pub s_awready: *const u8,
    pub s_wready: *const u8,
    pub s_bresp: *const u8,
    pub s_bvalid: *const u8,
    pub s_arready: *const u8,
    pub s_rdata: *const u32,
    pub s_rresp: *const u8,
    pub s_rvalid: *const u8,
}
