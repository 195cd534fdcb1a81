// SPDX-License-Identifier: Apache-2.0
//
// htsp_wire: a line for frames with two registers, which loses and damages frames.
//
// It carries words of 64 bytes, whatever the width of the streams (Bytes). arm_i (one cycle)
// chooses the payload frame number skip_i from then on for one fault: with drop_i it vanishes
// whole, else bit flip_bit_i of its word flip_word_i is inverted, and told_i says whether TUSER
// tells of it with TLAST, as the check sequence does. deaf_i: all frames vanish. cut_i: the line is
// not ready; what is on it vanishes. rst_i, at any time: what is on the line vanishes, and a frame
// of which the receiver has seen the beginning ends with
// TLAST and TUSER: its check sequence would be wrong. What its transmitter still says of it comes
// as a frame of its own.

module htsp_wire
  import htsp_pkg::*;
#(
  parameter int unsigned Bytes = WordBytes
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               arm_i,
  input  logic [        7:0] skip_i,
  input  logic               drop_i,
  input  logic               deaf_i,
  input  logic               told_i,
  input  logic [        7:0] flip_word_i,
  input  logic [        8:0] flip_bit_i,
  input  logic               cut_i,
  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid
);

  logic [WordBits-1:0] in_tdata, out_tdata_q, tdata;
  logic [WordBytes-1:0] in_tkeep, out_tkeep_q, tkeep;
  logic in_tlast, in_tvalid, out_tlast_q, out_tuser_q, out_tvalid_q, tlast, tuser, tvalid, tready;

  axis_gather #(
    .InBytes (Bytes),
    .OutBytes(WordBytes)
  ) u_gather (
    .clk_i,
    .rst_i,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser (1'b0),
    .s_axis_tvalid,
    .s_axis_tready(),
    .m_axis_tdata (in_tdata),
    .m_axis_tkeep (in_tkeep),
    .m_axis_tlast (in_tlast),
    .m_axis_tuser (),
    .m_axis_tvalid(in_tvalid),
    .m_axis_tready(1'b1)
  );

  logic first_q, drop_q, damage_q, drop, damage, armed_q, chance, hit;
  logic [7:0] word_q, skip_q;
  header_t header;
  assign header = in_tdata;
  assign chance = in_tvalid && first_q && header.vc != NullVc && armed_q;
  assign hit    = chance && skip_q == '0;
  assign drop   = first_q ? (hit && drop_i) || deaf_i : drop_q;
  assign damage = first_q ? hit && !drop_i : damage_q;

  logic [WordBits-1:0] data, data_q;
  logic [WordBytes-1:0] keep_q;
  logic last_q, user_q, valid_q;
  always_comb begin
    data = in_tdata;
    if (damage && word_q == flip_word_i) data[flip_bit_i] = !data[flip_bit_i];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q      <= 1'b1;
      drop_q       <= 1'b0;
      damage_q     <= 1'b0;
      armed_q      <= 1'b0;
      word_q       <= '0;
      valid_q      <= 1'b0;
      out_tvalid_q <= 1'b0;
    end else begin
      if (arm_i) begin
        armed_q <= 1'b1;
        skip_q  <= skip_i;
      end else if (chance) begin
        armed_q <= !hit;
        skip_q  <= skip_q - 1'b1;
      end
      if (in_tvalid) begin
        first_q  <= in_tlast;
        drop_q   <= drop;
        damage_q <= damage;
        word_q   <= in_tlast ? '0 : word_q + 1'b1;
      end
      valid_q      <= in_tvalid && !drop && !cut_i;
      out_tvalid_q <= valid_q && !cut_i;
    end
    data_q      <= data;
    keep_q      <= in_tkeep;
    last_q      <= in_tlast;
    user_q      <= in_tlast && damage && told_i;
    out_tdata_q <= data_q;
    out_tkeep_q <= keep_q;
    out_tlast_q <= last_q;
    out_tuser_q <= user_q;
  end

  // A footer comes in the cycle behind the word before it, which takes longer to leave.
  prim_fifo_sync #(
    .Width(WordBits + WordBytes + 2),
    .Depth(4)
  ) u_fifo (
    .clk_i,
    .rst_i    (rst_i || cut_i),
    .s_valid_i(out_tvalid_q),
    .s_ready_o(),
    .s_data_i ({out_tuser_q, out_tlast_q, out_tkeep_q, out_tdata_q}),
    .m_valid_o(tvalid),
    .m_ready_i(tready),
    .m_data_o ({tuser, tlast, tkeep, tdata}),
    .level_o  ()
  );

  logic [Bytes-1:0] beat_tkeep;
  logic beat_tlast, beat_tuser, beat_tvalid;
  axis_scatter #(
    .InBytes (WordBytes),
    .OutBytes(Bytes)
  ) u_scatter (
    .clk_i,
    .rst_i        (rst_i || cut_i),
    .s_axis_tdata (tdata),
    .s_axis_tkeep (tkeep),
    .s_axis_tlast (tlast),
    .s_axis_tuser (tuser),
    .s_axis_tvalid(tvalid),
    .s_axis_tready(tready),
    .m_axis_tdata,
    .m_axis_tkeep (beat_tkeep),
    .m_axis_tlast (beat_tlast),
    .m_axis_tuser (beat_tuser),
    .m_axis_tvalid(beat_tvalid),
    .m_axis_tready(1'b1)
  );

  // In the cycle behind a reset nothing comes out of the store.
  logic open, open_q, abort_q;
  assign open = m_axis_tvalid ? !m_axis_tlast : open_q;
  always_ff @(posedge clk_i) begin
    open_q  <= open && !cut_i;
    abort_q <= rst_i && open && !cut_i;
  end
  assign m_axis_tkeep  = beat_tkeep | {Bytes{abort_q}};
  assign m_axis_tlast  = beat_tlast || abort_q;
  assign m_axis_tuser  = beat_tuser || abort_q;
  assign m_axis_tvalid = beat_tvalid || abort_q;

endmodule
