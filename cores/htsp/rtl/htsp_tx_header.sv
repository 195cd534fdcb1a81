// SPDX-License-Identifier: Apache-2.0
//
// htsp_tx_header: makes the header of the next frame and its checksum.
//
// What      All that a header carries but pause, channel and SOF is summed up beforehand, in two
//           stages; the rest is added in the cycle in which the header is sent.
// Contract  load_i fixes what the next header says: linked_i (peer's address, or broadcast),
//           rx_ready_i, an op-code if one waits and linked_i; user_data_i and remote_mac_i are
//           those of the cycle before. From then on header_o follows vc_i, sof_i and first_i
//           (TUSER of the packet's first beat, 0 without Tuser) at once and pause_i one cycle
//           later. sent_i (the header was taken) counts the TID. The other addresses and the
//           EtherType may change in reset only. s_opcode: one op-code waits here until a header
//           carries it; tready says that none waits.
// Why       The sum of 62 bytes is too long for one cycle.
// Parameters
//   Tuser   the own receiver takes TUSER
// Source    docs/src/htsp-wire.md, "Header"; checksum: NOT of the sum of all other bytes.

module htsp_tx_header
  import htsp_pkg::*;
#(
  parameter bit Tuser = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  link_cfg_t            cfg_i,
  input  link_status_t         link_i,
  input  logic         [127:0] s_opcode_tdata,
  input  logic                 s_opcode_tvalid,
  output logic                 s_opcode_tready,
  output logic                 op_waits_o,
  input  logic                 linked_i,
  input  logic                 load_i,
  input  logic         [ 15:0] pause_i,
  input  logic         [  7:0] vc_i,
  input  logic                 sof_i,
  input  logic         [  7:0] first_i,
  input  logic                 sent_i,
  output logic         [ 15:0] pause_o,          // of header_o
  output logic                 rx_ready_o,
  output logic                 op_valid_o,
  output header_t              header_o
);

  localparam int unsigned SumWidth = 16;
  typedef logic [SumWidth-1:0] sum_t;

  // ---- Op-code: it waits in op_q, and may go once its sum is there ----
  logic [127:0] op_q;
  logic op_full_q, op_waits_q;
  assign s_opcode_tready = !op_full_q && !rst_i;
  assign op_waits_o      = op_waits_q;

  // ---- First stage: fields and their sums ----
  logic [127:0] user_q, op_field_q;
  logic [47:0] remote_q;
  sum_t remote_sum_q, broadcast_sum_q, fixed_sum_q, user_sum_q, op_sum_q;
  always_ff @(posedge clk_i) begin
    user_q          <= cfg_i.user_data;
    user_sum_q      <= sum_t'(byte_sum(cfg_i.user_data));
    op_field_q      <= op_q;
    op_sum_q        <= sum_t'(byte_sum(op_q));
    remote_q        <= link_i.remote_mac;
    remote_sum_q    <= sum_t'(byte_sum(128'(link_i.remote_mac)));
    broadcast_sum_q <= sum_t'(byte_sum(128'(cfg_i.broadcast_mac)));
    fixed_sum_q     <= sum_t'(byte_sum(128'({Version, cfg_i.ethertype, cfg_i.local_mac})));
  end

  // ---- Second stage: what the next header says ----
  logic [47:0] destination_q;
  logic [127:0] user_data_q, op_code_q;
  logic op_valid_q, rx_ready_q;
  sum_t base_q;
  logic [7:0] tid_q, tid_d;
  logic op_valid;
  assign op_valid = linked_i && op_waits_q;
  assign tid_d    = tid_q + 8'(sent_i);
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      destination_q <= linked_i ? remote_q : cfg_i.broadcast_mac;
      op_valid_q <= op_valid;
      rx_ready_q <= link_i.link_up;
      op_code_q <= op_field_q;
      user_data_q <= user_q;
      base_q <= ((linked_i ? remote_sum_q : broadcast_sum_q) + fixed_sum_q)
          + (user_sum_q + op_sum_q) + (sum_t'(tid_d) + sum_t'(op_valid) + sum_t'(link_i.link_up)
          + sum_t'(Tuser));
    end
    if (rst_i) begin
      tid_q      <= '0;
      op_q       <= '0;
      op_full_q  <= 1'b0;
      op_waits_q <= 1'b0;
    end else begin
      tid_q      <= tid_d;
      op_waits_q <= op_full_q;
      if (s_opcode_tvalid && s_opcode_tready) begin
        op_q      <= s_opcode_tdata;
        op_full_q <= 1'b1;
      end
      if (load_i && op_valid) begin
        op_full_q  <= 1'b0;
        op_waits_q <= 1'b0;
      end
    end
  end

  // ---- Third stage: pause, channel, SOF and TUSER ----
  logic [15:0] pause_q;
  sum_t pause_sum_q, sum;
  always_ff @(posedge clk_i) begin
    pause_q     <= pause_i;
    pause_sum_q <= sum_t'(pause_i[7:0]) + sum_t'(pause_i[15:8]);
  end
  assign sum = base_q + (pause_sum_q + (sum_t'(vc_i) + sum_t'(first_i) + sum_t'(sof_i)));
  assign pause_o = pause_q;
  assign rx_ready_o = rx_ready_q;
  assign op_valid_o = op_valid_q;
  assign header_o = '{
          destination: destination_q,
          source: cfg_i.local_mac,
          ethertype: cfg_i.ethertype,
          version: Version,
          tid: tid_q,
          pause: pause_q,
          vc: vc_i,
          sof: 8'(sof_i),
          op_valid: 8'(op_valid_q),
          rx_ready: 8'(rx_ready_q),
          first_tuser: first_i,
          takes_tuser: 8'(Tuser),
          reserved: '0,
          checksum: ~sum,
          op_code: op_code_q,
          user_data: user_data_q
      };

  logic unused;
  assign unused = ^{cfg_i, link_i};

endmodule
