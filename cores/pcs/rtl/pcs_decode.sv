// SPDX-License-Identifier: Apache-2.0
//
// pcs_decode: a block that is descrambled becomes eight characters of CGMII; inverse of pcs_encode.
//
// Contract  Combinational. type_o: what the block is; of TypeError slot_o means nothing. What the
//           standard leaves out (padding of terminate blocks) is not looked at.
// Source    IEEE Std 802.3 figure 82-5, 82.2.3.3 (invalid blocks)

module pcs_decode
  import pcs_pkg::*;
  import eth_cgmii_pkg::*;
  import line_64b66b_pkg::*;
(
  input  block_t block_i,
  output type_e  type_o,
  output slot_t  slot_o
);

  payload_t payload;
  logic [7:0] field;
  logic [7:0] known;  // the code of a lane is one
  logic [7:0][7:0] character;
  logic [3:0] ordered;

  assign payload = block_i[65:2];
  assign field   = payload[7:0];
  assign ordered = payload[35:32];

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      logic [6:0] code;
      code = payload[8+7*i+:7];
      known[i] = code == CodeIdle || code == CodeError;
      character[i] = (code == CodeIdle) ? Idle : Error;
    end
  end

  always_comb begin
    type_o = TypeError;
    slot_o = '{control: 8'h01, data: {payload[63:8], Start}};
    if (block_i[1:0] == DataHeader) begin
      type_o = TypeData;
      slot_o = '{control: 8'h00, data: payload};
    end else if (block_i[1:0] == ControlHeader) begin
      if (field == FieldStart) type_o = TypeStart;
      if (field == FieldControl) begin
        if (payload[63:8] == {8{CodeIdle}}) type_o = TypeControl;
        slot_o = '{control: 8'hff, data: {8{Idle}}};
      end
      if (field == FieldOrdered) begin
        if (payload[63:36] == '0 && (ordered == CodeSequence || ordered == CodeSignal)) begin
          type_o = TypeControl;
        end
        slot_o.data = {32'h0, payload[31:8], ordered == CodeSequence ? Sequence : Signal};
      end
      for (int t = 0; t < 8; t++) begin
        if (field == FieldTerminate[t]) begin
          type_o = TypeTerminate;
          for (int i = 0; i < 8; i++) begin
            slot_o.control[i] = i >= t;
            if (i < t) slot_o.data[i] = payload[8+8*i+:8];
            if (i == t) slot_o.data[i] = Terminate;
            if (i > t) slot_o.data[i] = character[i];
            if (i > t && !known[i]) type_o = TypeError;
          end
        end
      end
    end
  end

endmodule
