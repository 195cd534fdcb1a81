// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `slink`. Mirrored by src/slink/ffi.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. The words of the lanes stand side by side in 80 bits, lane 0 lowest.
/// Data of the memory's bus are 8 or 16 bytes, in little-endian order; a strobe has a bit for each of them.
struct SlinkPorts {
    uint8_t* clk;
    uint8_t* rst;
    uint8_t* rx_clk;
    uint32_t* rx_data;
    uint8_t* able_fast;
    uint8_t* able_coding;
    uint8_t* m_awready;
    uint8_t* m_wready;
    uint8_t* m_bresp;
    uint8_t* m_bvalid;
    uint8_t* m_arready;
    uint8_t* m_rdata;
    uint8_t* m_rresp;
    uint8_t* m_rlast;
    uint8_t* m_rvalid;
    uint8_t* s_awaddr;
    uint8_t* s_awvalid;
    uint32_t* s_wdata;
    uint8_t* s_wstrb;
    uint8_t* s_wvalid;
    uint8_t* s_bready;
    uint8_t* s_araddr;
    uint8_t* s_arvalid;
    uint8_t* s_rready;
    const uint32_t* tx_data;
    const uint8_t* rst_out;
    const uint8_t* speed;
    const uint8_t* lanes;
    const uint8_t* coding;
    const uint32_t* m_awaddr;
    const uint8_t* m_awlen;
    const uint8_t* m_awvalid;
    const uint8_t* m_wdata;
    const uint8_t* m_wstrb;
    const uint8_t* m_wlast;
    const uint8_t* m_wvalid;
    const uint8_t* m_bready;
    const uint32_t* m_araddr;
    const uint8_t* m_arlen;
    const uint8_t* m_arvalid;
    const uint8_t* m_rready;
    const uint8_t* s_awready;
    const uint8_t* s_wready;
    const uint8_t* s_bresp;
    const uint8_t* s_bvalid;
    const uint8_t* s_arready;
    const uint32_t* s_rdata;
    const uint8_t* s_rresp;
    const uint8_t* s_rvalid;
};
}
