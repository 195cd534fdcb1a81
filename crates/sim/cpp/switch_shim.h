// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `switch_core`. Mirrored by
// src/stack/switch.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. All are little endian, as the
/// host is, byte 0 first: bit i of a mask, and so on, belongs to port i of the switch. s_ from its
/// links, m_ to them.
struct SwitchPorts {
    uint8_t* clk;
    uint8_t* rst;
    uint8_t* link_up;
    uint8_t* s_tdata;
    uint8_t* s_tkeep;
    uint8_t* s_tlast;
    uint8_t* s_tuser;
    uint8_t* s_tvalid;
    uint8_t* m_tready;
    uint8_t* table_write;
    uint8_t* table_addr;
    uint8_t* table_data;
    uint8_t* mark_words;
    uint8_t* hash_salt;
    const uint8_t* m_tdata;
    const uint8_t* m_tkeep;
    const uint8_t* m_tlast;
    const uint8_t* m_tvalid;
    const uint8_t* table_ready;
    /// `port_status_t` of `switch_pkg`, three bits each.
    const uint8_t* status;
    /// `port_event_t`, eleven bits each.
    const uint8_t* event;
};
}
