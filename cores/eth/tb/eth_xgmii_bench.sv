// SPDX-License-Identifier: Apache-2.0
//
// eth_xgmii_bench: a MAC whose words pass one slot of 8 bytes a cycle, as an XGMII of 64 bits would
// carry them.

module eth_xgmii_bench #(
  parameter int unsigned Bytes = 64
) (
  input logic clk_i,
  input logic rst_i,

  input logic [8*Bytes-1:0] s_axis_tdata,
  input logic [Bytes-1:0] s_axis_tkeep,
  input logic s_axis_tlast,
  input logic s_axis_tuser,
  input logic s_axis_tvalid,
  output logic s_axis_tready,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [Bytes-1:0] m_axis_tkeep,
  output logic m_axis_tlast,
  output logic m_axis_tuser,
  output logic m_axis_tvalid,

  output logic [63:0] tx_data_o,
  output logic [ 7:0] tx_ctrl_o,
  input  logic [63:0] rx_data_i,
  input  logic [ 7:0] rx_ctrl_i
);

  localparam int unsigned Slots = Bytes / 8;
  localparam int unsigned SlotWidth = $clog2(Slots);

  logic [SlotWidth-1:0] slot_q;
  logic [8*Bytes-1:0] tx_data, tx_data_q, rx_data_q;
  logic [Bytes-1:0] tx_ctrl, tx_ctrl_q, rx_ctrl_q;
  logic full_q, word_end;
  assign word_end = slot_q == SlotWidth'(Slots - 1);

  always_ff @(posedge clk_i) begin
    slot_q <= rst_i ? '0 : slot_q + 1'b1;
    if (word_end) begin
      tx_data_q <= tx_data;
      tx_ctrl_q <= tx_ctrl;
    end else begin
      tx_data_q <= tx_data_q >> 64;
      tx_ctrl_q <= tx_ctrl_q >> 8;
    end
    rx_data_q <= {rx_data_i, rx_data_q[8*Bytes-1:64]};
    rx_ctrl_q <= {rx_ctrl_i, rx_ctrl_q[Bytes-1:8]};
    full_q <= word_end && !rst_i;
    if (rst_i) tx_ctrl_q <= '1;
    if (rst_i) tx_data_q <= {Bytes{8'h07}};
  end

  assign tx_data_o = tx_data_q[63:0];
  assign tx_ctrl_o = tx_ctrl_q[7:0];

  eth_mac_tx #(
    .Bytes(Bytes)
  ) u_tx (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .s_axis_tdata  (s_axis_tdata),
    .s_axis_tkeep  (s_axis_tkeep),
    .s_axis_tlast  (s_axis_tlast),
    .s_axis_tuser  (s_axis_tuser),
    .s_axis_tvalid (s_axis_tvalid),
    .s_axis_tready (s_axis_tready),
    .max_bytes_i   (16'd9600),
    .local_fault_i (1'b0),
    .remote_fault_i(1'b0),
    .phy_tx_ready_i(word_end),
    .phy_tx_data_o (tx_data),
    .phy_tx_ctrl_o (tx_ctrl),
    .frame_o       (),
    .frame_bytes_o (),
    .abort_o       (),
    .late_o        (),
    .too_long_o    (),
    .fault_o       ()
  );

  eth_mac_rx #(
    .Bytes(Bytes)
  ) u_rx (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .phy_rx_valid_i(full_q),
    .phy_rx_data_i (rx_data_q),
    .phy_rx_ctrl_i (rx_ctrl_q),
    .max_bytes_i   (16'd9600),
    .local_fault_o (),
    .remote_fault_o(),
    .m_axis_tdata  (m_axis_tdata),
    .m_axis_tkeep  (m_axis_tkeep),
    .m_axis_tlast  (m_axis_tlast),
    .m_axis_tuser  (m_axis_tuser),
    .m_axis_tvalid (m_axis_tvalid),
    .frame_o       (),
    .frame_bytes_o (),
    .cut_o         (),
    .too_long_o    (),
    .too_short_o   (),
    .bad_fcs_o     (),
    .fragment_o    (),
    .lost_o        ()
  );

endmodule
