// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `rdma`. Mirrored by src/rdma/ffi.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. Wide ports are little endian, as the host is: byte 0 first.
/// Without a prefix the port of the users, mem_ the memory, net_ the network (net_t to it, net_r from it), reg_ the registers.
struct RdmaPorts {
    uint8_t* clk;
    uint8_t* rst;
    uint8_t* awid;
    uint8_t* awaddr;
    uint8_t* awlen;
    uint8_t* awsize;
    uint8_t* awburst;
    uint8_t* awvalid;
    uint8_t* wdata;
    uint8_t* wstrb;
    uint8_t* wlast;
    uint8_t* wvalid;
    uint8_t* bready;
    uint8_t* araddr;
    uint8_t* arsize;
    uint8_t* arburst;
    uint8_t* arvalid;
    uint8_t* rready;
    uint8_t* mem_arready;
    uint8_t* mem_rdata;
    uint8_t* mem_rresp;
    uint8_t* mem_rlast;
    uint8_t* mem_rvalid;
    uint8_t* mem_awready;
    uint8_t* mem_wready;
    uint8_t* mem_bresp;
    uint8_t* mem_bvalid;
    uint8_t* net_room;
    uint8_t* net_tready;
    uint8_t* net_rdata;
    uint8_t* net_rlast;
    uint8_t* net_rvalid;
    uint8_t* reg_awaddr;
    uint8_t* reg_awvalid;
    uint8_t* reg_wdata;
    uint8_t* reg_wstrb;
    uint8_t* reg_wvalid;
    uint8_t* reg_bready;
    uint8_t* reg_araddr;
    uint8_t* reg_arvalid;
    uint8_t* reg_rready;
    const uint8_t* awready;
    const uint8_t* wready;
    const uint8_t* bresp;
    const uint8_t* bvalid;
    const uint8_t* arready;
    const uint8_t* rdata;
    const uint8_t* rresp;
    const uint8_t* rvalid;
    const uint8_t* mem_araddr;
    const uint8_t* mem_arlen;
    const uint8_t* mem_arvalid;
    const uint8_t* mem_rready;
    const uint8_t* mem_awaddr;
    const uint8_t* mem_awlen;
    const uint8_t* mem_awvalid;
    const uint8_t* mem_wdata;
    const uint8_t* mem_wstrb;
    const uint8_t* mem_wlast;
    const uint8_t* mem_wvalid;
    const uint8_t* mem_bready;
    const uint8_t* net_tdata;
    const uint8_t* net_tlast;
    const uint8_t* net_tvalid;
    const uint8_t* net_rready;
    const uint8_t* reg_awready;
    const uint8_t* reg_wready;
    const uint8_t* reg_bresp;
    const uint8_t* reg_bvalid;
    const uint8_t* reg_arready;
    const uint8_t* reg_rdata;
    const uint8_t* reg_rresp;
    const uint8_t* reg_rvalid;
    const uint8_t* irq;
};
}
