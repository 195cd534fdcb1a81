// SPDX-License-Identifier: Apache-2.0
//! The ports of a verilated `rdma` as C++ shows them; mirrors `cpp/rdma_shim.h`.

use crate::models;

/// A compiled `rdma`.
pub(super) type RawModel = models::RawModel<Ports>;

/// One `rdma`.
pub(super) type Instance = models::Instance<Ports>;

// SAFETY: mirrors `RdmaPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "rdma_shim.inc";
}

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub clk: *mut u8,
    pub rst: *mut u8,
    pub awid: *mut u8,
    pub awaddr: *mut u8,
    pub awlen: *mut u8,
    pub awsize: *mut u8,
    pub awburst: *mut u8,
    pub awvalid: *mut u8,
    pub wdata: *mut u8,
    pub wstrb: *mut u8,
    pub wlast: *mut u8,
    pub wvalid: *mut u8,
    pub bready: *mut u8,
    pub araddr: *mut u8,
    pub arsize: *mut u8,
    pub arburst: *mut u8,
    pub arvalid: *mut u8,
    pub rready: *mut u8,
    pub mem_arready: *mut u8,
    pub mem_rdata: *mut u8,
    pub mem_rresp: *mut u8,
    pub mem_rlast: *mut u8,
    pub mem_rvalid: *mut u8,
    pub mem_awready: *mut u8,
    pub mem_wready: *mut u8,
    pub mem_bresp: *mut u8,
    pub mem_bvalid: *mut u8,
    pub net_room: *mut u8,
    pub net_tready: *mut u8,
    pub net_rdata: *mut u8,
    pub net_rlast: *mut u8,
    pub net_rvalid: *mut u8,
    pub reg_awaddr: *mut u8,
    pub reg_awvalid: *mut u8,
    pub reg_wdata: *mut u8,
    pub reg_wstrb: *mut u8,
    pub reg_wvalid: *mut u8,
    pub reg_bready: *mut u8,
    pub reg_araddr: *mut u8,
    pub reg_arvalid: *mut u8,
    pub reg_rready: *mut u8,
    pub awready: *const u8,
    pub wready: *const u8,
    pub bresp: *const u8,
    pub bvalid: *const u8,
    pub arready: *const u8,
    pub rdata: *const u8,
    pub rresp: *const u8,
    pub rvalid: *const u8,
    pub mem_araddr: *const u8,
    pub mem_arlen: *const u8,
    pub mem_arvalid: *const u8,
    pub mem_rready: *const u8,
    pub mem_awaddr: *const u8,
    pub mem_awlen: *const u8,
    pub mem_awvalid: *const u8,
    pub mem_wdata: *const u8,
    pub mem_wstrb: *const u8,
    pub mem_wlast: *const u8,
    pub mem_wvalid: *const u8,
    pub mem_bready: *const u8,
    pub net_tdata: *const u8,
    pub net_tlast: *const u8,
    pub net_tvalid: *const u8,
    pub net_rready: *const u8,
    pub reg_awready: *const u8,
    pub reg_wready: *const u8,
    pub reg_bresp: *const u8,
    pub reg_bvalid: *const u8,
    pub reg_arready: *const u8,
    pub reg_rdata: *const u8,
    pub reg_rresp: *const u8,
    pub reg_rvalid: *const u8,
    pub irq: *const u8,
}
