// SPDX-License-Identifier: Apache-2.0
//
// pcs_encode: eight characters of CGMII become a block, not yet scrambled.
//
// Contract  Combinational. type_o: what the slot is, TypeError if the standard has no block for it;
//           block_o is the error block then. An ordered set has zeros in lanes 4 to 7.
// Source    IEEE Std 802.3 figure 82-5, 82.2.3

module pcs_encode
  import pcs_pkg::*;
  import eth_cgmii_pkg::*;
  import line_64b66b_pkg::*;
(
  input  slot_t  slot_i,
  output type_e  type_o,
  output block_t block_o
);

  logic [7:0] idle, known;  // of the lanes: an idle character; one that has a code
  logic [7:0][6:0] code;
  logic ordered;

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      idle[i]  = slot_i.control[i] && slot_i.data[i] == Idle;
      code[i]  = idle[i] ? CodeIdle : CodeError;
      known[i] = idle[i] || (slot_i.control[i] && slot_i.data[i] == Error);
    end
  end
  assign ordered = slot_i.control == 8'h01 && slot_i.data[7:4] == '0 &&
      (slot_i.data[0] == Sequence || slot_i.data[0] == Signal);

  logic [7:0] terminate;
  always_comb begin
    for (int t = 0; t < 8; t++) begin
      terminate[t] = slot_i.control[t] && slot_i.data[t] == Terminate;
      for (int i = 0; i < 8; i++) begin
        if (i < t && slot_i.control[i]) terminate[t] = 1'b0;
        if (i > t && !known[i]) terminate[t] = 1'b0;
      end
    end
  end

  always_comb begin
    type_o  = TypeError;
    block_o = ErrorBlock;
    if (slot_i.control == '0) begin
      type_o  = TypeData;
      block_o = {slot_i.data, DataHeader};
    end else if (&idle) begin
      type_o  = TypeControl;
      block_o = {{8{CodeIdle}}, FieldControl, ControlHeader};
    end else if (ordered) begin
      type_o = TypeControl;
      block_o = {
        28'h0,
        slot_i.data[0] == Sequence ? CodeSequence : CodeSignal,
        slot_i.data[3:1],
        FieldOrdered,
        ControlHeader
      };
    end else if (slot_i.control == 8'h01 && slot_i.data[0] == Start) begin
      type_o  = TypeStart;
      block_o = {slot_i.data[7:1], FieldStart, ControlHeader};
    end
    for (int t = 0; t < 8; t++) begin
      if (terminate[t]) begin
        type_o  = TypeTerminate;
        block_o = {56'h0, FieldTerminate[t], ControlHeader};
        for (int i = 0; i < 8; i++) begin
          if (i < t) block_o[10+8*i+:8] = slot_i.data[i];
          if (i > t) block_o[10+7*i+:7] = code[i];
        end
      end
    end
  end

endmodule
