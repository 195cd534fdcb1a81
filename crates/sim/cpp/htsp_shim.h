// SPDX-License-Identifier: Apache-2.0
//
// What the Rust side sees of a verilated `htsp_end`. Mirrored by src/htsp/ffi.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Where the ports of one model live. Valid as long as the model. Wide ports are little endian, as the host is:
/// byte 0 first. The user's streams stand side by side, channel 0 lowest; ports of one bit a channel are integers of the
/// smallest size that holds them.
struct HtspPorts {
    uint8_t* clk;
    uint8_t* rst;
    uint8_t* local_mac;
    uint8_t* broadcast_mac;
    uint8_t* ethertype;
    uint8_t* null_interval;
    uint8_t* alive;
    uint8_t* burst;
    uint8_t* stall_limit;
    uint8_t* pause_level;
    uint8_t* resume_level;
    uint8_t* ignore_remote;
    uint8_t* tx_disable;
    uint8_t* user_data;
    uint8_t* s_tdata;
    uint8_t* s_tkeep;
    uint8_t* s_tlast;
    uint8_t* s_tuser;
    uint8_t* s_tvalid;
    uint8_t* m_tready;
    uint8_t* s_op_code;
    uint8_t* s_op_code_valid;
    uint8_t* phy_tx_ready;
    uint8_t* phy_tx_tready;
    uint8_t* phy_rx_ready;
    uint8_t* phy_rx_tdata;
    uint8_t* phy_rx_tkeep;
    uint8_t* phy_rx_tlast;
    uint8_t* phy_rx_tuser;
    uint8_t* phy_rx_tvalid;
    const uint8_t* s_tready;
    const uint8_t* m_tdata;
    const uint8_t* m_tkeep;
    const uint8_t* m_tlast;
    const uint8_t* m_tuser;
    const uint8_t* m_tvalid;
    const uint8_t* phy_tx_tdata;
    const uint8_t* phy_tx_tkeep;
    const uint8_t* phy_tx_tlast;
    const uint8_t* phy_tx_tvalid;
    const uint8_t* link_up;
    const uint8_t* remote_ready;
    const uint8_t* remote_mac;
    const uint8_t* remote_pause;
    const uint8_t* remote_data;
    const uint8_t* s_op_code_ready;
    const uint8_t* op_code;
    const uint8_t* op_code_valid;
    const uint8_t* rx_overflow;
    const uint8_t* rx_frame;
    const uint8_t* rx_null;
    const uint8_t* rx_foreign;
    const uint8_t* rx_version;
    const uint8_t* rx_checksum;
    const uint8_t* rx_damaged;
    const uint8_t* rx_footer_bad;
    const uint8_t* rx_channel;
    const uint8_t* rx_orphan;
    const uint8_t* rx_stale;
    const uint8_t* rx_lost;
};
}
