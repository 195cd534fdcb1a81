// SPDX-License-Identifier: Apache-2.0
//! The ports of a verilated `htsp_end` as C++ shows them; mirrors `cpp/htsp_shim.h`.

use crate::models;

/// A compiled `htsp_end`.
pub(super) type RawModel = models::RawModel<Ports>;

/// One `htsp_end`.
pub(super) type Instance = models::Instance<Ports>;

// SAFETY: mirrors `HtspPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "htsp_shim.inc";
}

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub clk: *mut u8,
    pub rst: *mut u8,
    pub local_mac: *mut u8,
    pub broadcast_mac: *mut u8,
    pub ethertype: *mut u8,
    pub null_interval: *mut u8,
    pub alive: *mut u8,
    pub burst: *mut u8,
    pub stall_limit: *mut u8,
    pub pause_level: *mut u8,
    pub resume_level: *mut u8,
    pub ignore_remote: *mut u8,
    pub tx_disable: *mut u8,
    pub user_data: *mut u8,
    pub s_tdata: *mut u8,
    pub s_tkeep: *mut u8,
    pub s_tlast: *mut u8,
    pub s_tuser: *mut u8,
    pub s_tvalid: *mut u8,
    pub m_tready: *mut u8,
    pub s_op_code: *mut u8,
    pub s_op_code_valid: *mut u8,
    pub phy_tx_ready: *mut u8,
    pub phy_tx_tready: *mut u8,
    pub phy_rx_ready: *mut u8,
    pub phy_rx_tdata: *mut u8,
    pub phy_rx_tkeep: *mut u8,
    pub phy_rx_tlast: *mut u8,
    pub phy_rx_tuser: *mut u8,
    pub phy_rx_tvalid: *mut u8,
    pub s_tready: *const u8,
    pub m_tdata: *const u8,
    pub m_tkeep: *const u8,
    pub m_tlast: *const u8,
    pub m_tuser: *const u8,
    pub m_tvalid: *const u8,
    pub phy_tx_tdata: *const u8,
    pub phy_tx_tkeep: *const u8,
    pub phy_tx_tlast: *const u8,
    pub phy_tx_tvalid: *const u8,
    pub link_up: *const u8,
    pub remote_ready: *const u8,
    pub remote_mac: *const u8,
    pub remote_pause: *const u8,
    pub remote_data: *const u8,
    pub s_op_code_ready: *const u8,
    pub op_code: *const u8,
    pub op_code_valid: *const u8,
    pub rx_overflow: *const u8,
    pub rx_frame: *const u8,
    pub rx_null: *const u8,
    pub rx_foreign: *const u8,
    pub rx_version: *const u8,
    pub rx_checksum: *const u8,
    pub rx_damaged: *const u8,
    pub rx_footer_bad: *const u8,
    pub rx_channel: *const u8,
    pub rx_orphan: *const u8,
    pub rx_stale: *const u8,
    pub rx_lost: *const u8,
}
