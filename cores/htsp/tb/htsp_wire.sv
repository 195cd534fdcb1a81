// SPDX-License-Identifier: Apache-2.0
//
// htsp_wire: a line for frames with two registers, which loses and damages frames.
//
// arm_i (one cycle) chooses the payload frame number skip_i from then on for one fault: with drop_i it vanishes whole,
// else bit flip_bit_i of its word flip_word_i is inverted, and told_i says whether TUSER tells of it with TLAST, as the
// check sequence does. deaf_i: all frames vanish. cut_i: the line is not ready; what is on it vanishes.

module htsp_wire
  import htsp_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 arm_i,
  input  logic [          7:0] skip_i,
  input  logic                 drop_i,
  input  logic                 deaf_i,
  input  logic                 told_i,
  input  logic [          7:0] flip_word_i,
  input  logic [          8:0] flip_bit_i,
  input  logic                 cut_i,
  input  logic [ WordBits-1:0] s_axis_tdata,
  input  logic [WordBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic                 s_axis_tvalid,
  output logic [ WordBits-1:0] m_axis_tdata,
  output logic [WordBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,
  output logic                 m_axis_tvalid
);

  logic first_q, drop_q, damage_q, drop, damage, armed_q, chance, hit;
  logic [7:0] word_q, skip_q;
  header_t header;
  assign header = s_axis_tdata;
  assign chance = s_axis_tvalid && first_q && header.vc != NullVc && armed_q;
  assign hit    = chance && skip_q == '0;
  assign drop   = first_q ? (hit && drop_i) || deaf_i : drop_q;
  assign damage = first_q ? hit && !drop_i : damage_q;

  logic [WordBits-1:0] data, data_q;
  logic [WordBytes-1:0] keep_q;
  logic last_q, user_q, valid_q;
  always_comb begin
    data = s_axis_tdata;
    if (damage && word_q == flip_word_i) data[flip_bit_i] = !data[flip_bit_i];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q       <= 1'b1;
      drop_q        <= 1'b0;
      damage_q      <= 1'b0;
      armed_q       <= 1'b0;
      word_q        <= '0;
      valid_q       <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end else begin
      if (arm_i) begin
        armed_q <= 1'b1;
        skip_q  <= skip_i;
      end else if (chance) begin
        armed_q <= !hit;
        skip_q  <= skip_q - 1'b1;
      end
      if (s_axis_tvalid) begin
        first_q  <= s_axis_tlast;
        drop_q   <= drop;
        damage_q <= damage;
        word_q   <= s_axis_tlast ? '0 : word_q + 1'b1;
      end
      valid_q       <= s_axis_tvalid && !drop && !cut_i;
      m_axis_tvalid <= valid_q && !cut_i;
    end
    data_q       <= data;
    keep_q       <= s_axis_tkeep;
    last_q       <= s_axis_tlast;
    user_q       <= s_axis_tlast && damage && told_i;
    m_axis_tdata <= data_q;
    m_axis_tkeep <= keep_q;
    m_axis_tlast <= last_q;
    m_axis_tuser <= user_q;
  end

endmodule
