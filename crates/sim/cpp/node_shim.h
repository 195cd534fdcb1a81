// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `node_port`. Mirrored by src/stack/ffi.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. Wide ports are little endian, as the host is: byte 0 first.
/// s_ from the engine, m_ to it; tx_ to the link, rx_ from it.
struct NodePorts {
    uint8_t* clk;
    uint8_t* rst;
    uint8_t* link_up;
    uint8_t* s_tdata;
    uint8_t* s_tlast;
    uint8_t* s_tvalid;
    uint8_t* m_tready;
    uint8_t* tx_tready;
    uint8_t* rx_tdata;
    uint8_t* rx_tkeep;
    uint8_t* rx_tlast;
    uint8_t* rx_tuser;
    uint8_t* rx_tvalid;
    const uint8_t* s_tready;
    const uint8_t* room;
    const uint8_t* m_tdata;
    const uint8_t* m_tlast;
    const uint8_t* m_tvalid;
    const uint8_t* tx_tdata;
    const uint8_t* tx_tkeep;
    const uint8_t* tx_tlast;
    const uint8_t* tx_tvalid;
    const uint8_t* state;
    /// `node_event_t` of `node_pkg`, twelve bits.
    const uint16_t* event;
};
}
