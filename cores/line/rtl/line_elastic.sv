// SPDX-License-Identifier: Apache-2.0
//
// line_elastic: takes words from the clock of a line into the user's clock, whichever of the two is
// the faster.
//
// What      A dual-clock FIFO that leaves out idle words at its entry and gives idle words at its
//           exit while it is empty.
// Why       A line sends a word in every cycle, and its clock is some hundred ppm off ours. Idle
//           words are there to be left out and put in, so only the words of packets have to fit,
//           and they wait for nothing: without a difference of the clocks the FIFO stays all but
//           empty.
//
// Contract  s_valid_i with s_idle_i: the word carries nothing (all its lanes hold COM, IDL or
//           characters that a packet does without); it does not cross. Other words cross in order,
//           once. m_valid_o: m_data_o is such a word; else m_data_o is Idle. The reader takes a
//           word in each cycle. overflow_o: pulse in the s clock, the word of this cycle found no
//           room and is lost.
// Clocks and resets
//           One prim_clear resets both sides, a being the s side: s_rst_i is its a_clear_o, m_rst_i
//           its b_rst_o. Then no word of before a reset comes out after it, whatever clock stands
//           still. The logic in front is held by a_rst_o.
// Latency   2 to 3 m_clk_i edges.
// Limits    The fill grows by run * difference while packets come without idle words between them:
//           64 words hold a run of 290 000 words at 200 ppm (a packet of 512 KB on one lane of two
//           bytes has 262 144). Between packets the sender leaves as many idle words as the packet
//           drifted by: 1 in 5000 words at 200 ppm.
//
// Parameters  Width   bits of a word, >= 1
//             Depth   words, a power of two >= 8
//             Idle    the word that is given when there is none

module line_elastic #(
  parameter int unsigned Width = 80,
  parameter int unsigned Depth = 64,
  parameter logic [Width-1:0] Idle = '0
) (
  input  logic             s_clk_i,
  input  logic             s_rst_i,
  input  logic             s_valid_i,
  input  logic             s_idle_i,
  input  logic [Width-1:0] s_data_i,
  output logic             overflow_o,
  input  logic             m_clk_i,
  input  logic             m_rst_i,
  output logic             m_valid_o,
  output logic [Width-1:0] m_data_o
);

  if (Depth < 8) begin : gen_bad_depth
    $error("line_elastic %m: Depth must be a power of two >= 8, got %0d", Depth);
  end

  logic write, ready;
  logic [Width-1:0] data;

  assign write = s_valid_i && !s_idle_i;
  assign overflow_o = write && !ready;
  assign m_data_o = m_valid_o ? data : Idle;

  prim_fifo_async #(
    .Width(Width),
    .Depth(Depth)
  ) u_fifo (
    .s_clk_i,
    .s_rst_i,
    .s_valid_i   (write),
    .s_ready_o   (ready),
    .s_data_i,
    .m_clk_i,
    .m_sync_clk_i(m_clk_i),
    .m_rst_i,
    .m_valid_o,
    .m_ready_i   (1'b1),
    .m_data_o    (data)
  );

endmodule
