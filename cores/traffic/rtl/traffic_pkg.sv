// SPDX-License-Identifier: Apache-2.0
//
// traffic_pkg: orders of the bus, and the numbers that the core shows.

package traffic_pkg;

  // What is written, in the clock of the bus, and takes effect in that of the streams.
  typedef enum logic [3:0] {
    OrderWord       = 4'd0,
    OrderCycles     = 4'd1,
    OrderPlayBeat   = 4'd2,
    OrderPlayRuns   = 4'd3,
    OrderPlay       = 4'd4,
    OrderExpect     = 4'd5,
    OrderExpectRuns = 4'd6,
    OrderCapture    = 4'd7,
    OrderWindow     = 4'd8
  } order_kind_e;

  typedef struct packed {
    order_kind_e kind;
    logic [31:0] value;
  } order_t;

  // Fields of the registers play_beat and expected.
  typedef struct packed {
    logic        flag;   // play_beat.at, expected.mark
    logic        last;
    logic [11:0] bytes;
  } beat_head_t;

  // Fields of the registers play and capture, as they are ordered there.
  typedef struct packed {
    logic stop;
    logic start;
    logic load;
  } play_action_t;
  typedef struct packed {
    logic block;
    logic stop;
    logic compare;
    logic record;
    logic load;
  } capture_action_t;

endpackage
