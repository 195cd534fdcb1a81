// SPDX-License-Identifier: Apache-2.0
//! The ports of a verilated `node_port` as C++ shows them; mirrors `cpp/node_shim.h`.

use crate::models;

/// A compiled `node_port`.
pub(super) type RawModel = models::RawModel<Ports>;

/// One `node_port`.
pub(super) type Instance = models::Instance<Ports>;

// SAFETY: mirrors `NodePorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "node_shim.inc";
}

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub clk: *mut u8,
    pub rst: *mut u8,
    pub link_up: *mut u8,
    pub s_tdata: *mut u8,
    pub s_tlast: *mut u8,
    pub s_tvalid: *mut u8,
    pub m_tready: *mut u8,
    pub tx_tready: *mut u8,
    pub rx_tdata: *mut u8,
    pub rx_tkeep: *mut u8,
    pub rx_tlast: *mut u8,
    pub rx_tuser: *mut u8,
    pub rx_tvalid: *mut u8,
    pub s_tready: *const u8,
    pub room: *const u8,
    pub m_tdata: *const u8,
    pub m_tlast: *const u8,
    pub m_tvalid: *const u8,
    pub tx_tdata: *const u8,
    pub tx_tkeep: *const u8,
    pub tx_tlast: *const u8,
    pub tx_tvalid: *const u8,
    pub state: *const u8,
    pub event: *const u16,
}
