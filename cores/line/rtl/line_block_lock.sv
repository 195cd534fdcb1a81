// SPDX-License-Identifier: Apache-2.0
//
// line_block_lock: finds and keeps the border of blocks by their sync headers.
//
// Contract  valid_i: a block, whose two header bits are header_i; legal are 01 and 10.
//           Not locked: an illegal header asks for a slip at once; LockBlocks legal ones in a row
//           lock. Locked: windows of Window headers; at BadLimit illegal ones in one of them the
//           lock is lost. slip_o: in the cycle of the block that demands it. locked_o: 1 cycle
//           behind the block.
// Latency   1 cycle.
//
// Parameters  LockBlocks  >= 2
//             Window      >= 2
//             BadLimit    1 .. Window
// Limits    A wrong place survives with 2^-LockBlocks if payload looks random; a line of ...1010...
//           locks, and its blocks are no blocks.
// Source    IEEE Std 802.3, figure 49-12 (lock state machine): 64, 64 and 16; figure 82-10: 64,
//           1024 and 65.

module line_block_lock #(
  parameter int unsigned LockBlocks = 64,
  parameter int unsigned Window     = LockBlocks,
  parameter int unsigned BadLimit   = 16
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       valid_i,
  input  logic [1:0] header_i,
  output logic       slip_o,
  output logic       locked_o
);

  if (LockBlocks < 2) begin : gen_bad_lock
    $error("line_block_lock %m: LockBlocks must be at least 2, got %0d", LockBlocks);
  end
  if (Window < 2) begin : gen_bad_window
    $error("line_block_lock %m: Window must be at least 2, got %0d", Window);
  end
  if (BadLimit < 1 || BadLimit > Window) begin : gen_bad_limit
    $error("line_block_lock %m: BadLimit must be 1 .. Window (%0d), got %0d", Window, BadLimit);
  end

  localparam int unsigned Most = (LockBlocks > Window) ? LockBlocks : Window;
  localparam int unsigned CountWidth = (Most > 2) ? $clog2(Most) : 1;
  localparam int unsigned BadWidth = (BadLimit > 2) ? $clog2(BadLimit) : 1;

  logic [CountWidth-1:0] count_q;  // headers of this window, or legal ones in a row
  logic [  BadWidth-1:0] bad_q;
  logic bad, last, lost;

  assign bad    = header_i[0] == header_i[1];
  assign last   = count_q == (locked_o ? CountWidth'(Window - 1) : CountWidth'(LockBlocks - 1));
  assign lost   = bad && (!locked_o || bad_q == BadWidth'(BadLimit - 1));
  assign slip_o = valid_i && lost;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      locked_o <= 1'b0;
      count_q  <= '0;
      bad_q    <= '0;
    end else if (valid_i) begin
      if (lost) locked_o <= 1'b0;
      else if (last) locked_o <= 1'b1;
      count_q <= (lost || last) ? '0 : count_q + 1'b1;
      if (lost || last) bad_q <= '0;
      else if (bad) bad_q <= bad_q + 1'b1;
    end
  end

endmodule
