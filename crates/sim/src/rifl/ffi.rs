// SPDX-License-Identifier: Apache-2.0
//! The ports of a verilated `rifl_link` as C++ shows them; mirrors `cpp/rifl_shim.h`.

use crate::models;

/// A compiled `rifl_link`.
pub(super) type RawModel = models::RawModel<Ports>;

/// One `rifl_link`.
pub(super) type Instance = models::Instance<Ports>;

// SAFETY: mirrors `RiflPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "rifl_shim.inc";
}

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub phy_tx_clk: *mut u8,
    pub frame_clk: *mut u8,
    pub user_clk: *mut u8,
    pub phy_rx_clk: *mut u8,
    pub rst: *mut u8,
    pub user_rst: *mut u8,
    pub phy_rx_data: *mut u8,
    pub phy_tx_data: *const u8,
    pub s_tdata: *mut u8,
    pub s_tkeep: *mut u8,
    pub s_tlast: *mut u8,
    pub s_tvalid: *mut u8,
    pub s_tready: *const u8,
    pub m_tdata: *const u8,
    pub m_tkeep: *const u8,
    pub m_tlast: *const u8,
    pub m_tuser: *const u8,
    pub m_tvalid: *const u8,
    pub m_tready: *mut u8,
    pub extended: *mut u8,
    pub session_seed: *mut u8,
    pub link_up: *const u8,
    pub link_status: *const u32,
    pub lane_status: *const u32,
    pub rx_status: *const u8,
}
