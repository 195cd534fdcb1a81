// SPDX-License-Identifier: Apache-2.0
//
// traffic_observe: what the `observe` page of the register map shows.
//
// What      Answers one read at a time: state and counters, or the words of one beat of the memory
//           of the capture.
// Contract  rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse with
//           rd_data_o. A word without a register reads as 0. read_o, a pulse: beat_i is the beat of
//           the window in the next cycle, unless state_i says that the capture compares.
// Clock     clk_i; rst_i synchronous to it.
// Latency   A read takes 2 cycles.
// Source    own design; map in docs/src/traffic-registers.md
//
// Parameters
//   Bytes        of a beat, 1..1024
//   BeatWidth    bits of a beat in the memory: mark, last, bytes, cycles, data

module traffic_observe
  import traffic_regs_pkg::*;
#(
  parameter  int unsigned Bytes      = 32,
  localparam int unsigned CountWidth = $clog2(Bytes + 1),
  localparam int unsigned BeatWidth  = 2 + CountWidth + 32 + Bytes * 8
) (
  input logic clk_i,
  input logic rst_i,

  input logic [ 5:0]       state_i,   // differs, full, comparing, recording, stopping, playing
  input logic [31:0]       orders_i,
  input logic [63:0]       now_i,
  input logic [ 5:0][63:0] play_i,    // runs, stalled, packets, beats, began, loaded
  input logic [ 6:0][63:0] capture_i, // first, differences, missed, packets, beats, began, stored

  output logic                 read_o,
  input  logic                 in_window_i,
  input  logic [BeatWidth-1:0] beat_i,

  input  logic        rd_req_i,
  input  logic [ 8:0] rd_addr_i,
  output logic        rd_ack_o,
  output logic [63:0] rd_data_o
);

  localparam int unsigned Words = (Bytes + 7) / 8;

  logic window, asked_q;
  logic [11:0] address;
  logic [63:0] word, word_q, beat_word;
  logic [Words-1:0][63:0] data;
  assign address = {rd_addr_i, 3'd0};
  assign window  = rd_addr_i[8];

  always_comb begin
    unique case (address)
      ObserveState:              word = 64'(state_i);
      ObserveOrders:             word = 64'(orders_i);
      ObserveNow:                word = now_i;
      ObservePlayLoaded:         word = play_i[0];
      ObservePlayBegan:          word = play_i[1];
      ObservePlayBeats:          word = play_i[2];
      ObservePlayPackets:        word = play_i[3];
      ObservePlayStalled:        word = play_i[4];
      ObservePlayRuns:           word = play_i[5];
      ObserveCaptureStored:      word = capture_i[0];
      ObserveCaptureBegan:       word = capture_i[1];
      ObserveCaptureBeats:       word = capture_i[2];
      ObserveCapturePackets:     word = capture_i[3];
      ObserveCaptureMissed:      word = capture_i[4];
      ObserveCaptureDifferences: word = capture_i[5];
      ObserveCaptureFirst:       word = capture_i[6];
      default:                   word = '0;
    endcase
  end

  // ---- The window: the memory is read while the request stands for the first cycle ----
  logic mark, last;
  logic [CountWidth-1:0] count;
  logic [31:0] cycles;
  logic [Bytes*8-1:0] bytes;
  assign {mark, last, count, cycles, bytes} = beat_i;
  assign data = (Words * 64)'(bytes);
  always_comb begin
    beat_word = '0;
    if (in_window_i) begin
      if (address[10:0] == ObserveWindowBeat) beat_word = {18'd0, mark, last, 12'(count), cycles};
      for (int unsigned k = 0; k < Words; k++) begin
        if (rd_addr_i[7:0] == 8'(128 + k)) beat_word = data[k];
      end
    end
  end

  assign read_o = rd_req_i && window && !asked_q;
  always_ff @(posedge clk_i) begin
    asked_q  <= rd_req_i && !asked_q && !rd_ack_o && !rst_i;
    rd_ack_o <= rd_req_i && asked_q && !rst_i;
    word_q   <= window ? beat_word : word;
  end
  assign rd_data_o = word_q;

endmodule
