// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `rifl_link`. Mirrored by src/rifl/ffi.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. Wide ports are little endian, as the host is:
/// byte 0 first. Packed status of several lanes is an integer of the smallest size that holds it, lane 0 lowest.
struct RiflPorts {
    uint8_t* phy_tx_clk;
    uint8_t* frame_clk;
    uint8_t* user_clk;
    /// One bit per lane.
    uint8_t* phy_rx_clk;
    uint8_t* rst;
    uint8_t* user_rst;
    /// One word per lane; aligned to 4 bytes only.
    uint8_t* phy_rx_data;
    const uint8_t* phy_tx_data;
    uint8_t* s_tdata;
    uint8_t* s_tkeep;
    uint8_t* s_tlast;
    uint8_t* s_tvalid;
    const uint8_t* s_tready;
    const uint8_t* m_tdata;
    const uint8_t* m_tkeep;
    const uint8_t* m_tlast;
    const uint8_t* m_tuser;
    const uint8_t* m_tvalid;
    uint8_t* m_tready;
    uint8_t* extended;
    /// Sixteen bits.
    uint8_t* session_seed;
    const uint8_t* link_up;
    const uint32_t* link_status;
    /// `lane_status_t` of `rifl_pkg`, 32 bits per lane.
    const uint32_t* lane_status;
    /// `rx_status_t` of `rifl_pkg`, eight bits per lane.
    const uint8_t* rx_status;
};
}
