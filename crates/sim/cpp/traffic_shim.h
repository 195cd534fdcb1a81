// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `traffic`. Mirrored by src/traffic.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. All are little endian, as the
/// host is, byte 0 first. s_ to the capture, m_ from the player.
struct TrafficPorts {
    uint8_t* clk;
    uint8_t* axil_clk;
    uint8_t* arst;
    uint8_t* axil_arst;
    uint8_t* m_tready;
    uint8_t* s_tdata;
    uint8_t* s_tkeep;
    uint8_t* s_tlast;
    uint8_t* s_tvalid;
    uint8_t* awaddr;
    uint8_t* awvalid;
    uint8_t* wdata;
    uint8_t* wstrb;
    uint8_t* wvalid;
    uint8_t* bready;
    uint8_t* araddr;
    uint8_t* arvalid;
    uint8_t* rready;
    const uint8_t* m_tdata;
    const uint8_t* m_tkeep;
    const uint8_t* m_tlast;
    const uint8_t* m_tvalid;
    const uint8_t* s_tready;
    const uint8_t* awready;
    const uint8_t* wready;
    const uint8_t* bresp;
    const uint8_t* bvalid;
    const uint8_t* arready;
    const uint8_t* rdata;
    const uint8_t* rresp;
    const uint8_t* rvalid;
};
}
