// SPDX-License-Identifier: Apache-2.0
//
// axis_width: AXI-Stream width converter between any two byte widths, with zero latency.
//
// What    Re-cuts packets of InBytes-wide beats into beats of OutBytes. The widths need not be
//         powers of two nor multiples of each other (32 -> 30 and 30 -> 32 fit a 256-bit user
//         stream to the 240-bit payload of a 256-bit RIFL frame).
// Why     A fixed-frame link carries a payload that is narrower than its frame; store-and-forward
//         conversion would add latency and a second barrel shifter would double the area.
//
// Contract
//   * Byte 0 of a beat is in the low lane. A beat without TLAST has TKEEP all ones. A beat with
//     TLAST has TKEEP contiguous from lane 0; zero is legal (a null last beat). Same on the output.
//   * Output bytes outside TKEEP are zero, whatever the input carries there.
//   * A packet starts in a new output beat. Full output beats leave at once; so when a packet's
//     bytes fill output beats exactly and its end arrives later as a null last beat, the output
//     ends with a null last beat too. No other null beats are made.
//   * m_axis_tvalid never depends on m_axis_tready; s_axis_tready depends on registers and
//     m_axis_tready only. A sink that waits for TVALID before it raises TREADY cannot stall it.
//   * While rst_i is high nothing is accepted (tready = 0) and nothing offered (tvalid = 0); a
//     packet in flight is dropped without a trace in the next one.
//
// Parameters
//   InBytes, OutBytes   >= 1, any pair. Equal widths give wires (with bytes outside TKEEP zeroed).
//
// Latency     0 cycles: a beat that completes an output beat is seen on m_axis in the same cycle.
// Throughput  With m_axis_tready = 1 a packet of n bytes takes max(ceil(n/In), ceil(n/Out)) cycles
//             back to back. For InBytes < OutBytes the input never waits: the rest of an ended
//             packet leaves in the cycle in which the next packet enters the residue.
//
// Structure   Ring of N = max(In, Out) bytes, in granules of g = gcd(In, Out) bytes, so that
//             everything but the tail of a packet moves by whole granules.
//             - The residue is kept as it came: a plain shift register of input beats (lane q of
//               the ring is input lane q, older beats sit InBytes lower), with no multiplexer
//               before it.
//             - `turn` says where the ring stands: lane q belongs to output lane (q + turn) mod N.
//               While a packet is open it is also the number of residue bytes, which then are the
//               top `turn` lanes. A beat in adds InBytes, a beat out takes OutBytes, mod N.
//             - Each lane takes the residue or the input (2:1), then one rotator turns all lanes by
//               `turn`. It feeds the output only, hence maps well: ceil(log4(N/g)) LUTs a bit.
//             - TKEEP takes the same way as the data: there are no byte counters and comparisons.
//
// Limits      m_axis is combinational from s_axis: put prim_skid behind it where timing asks for
//             it.
// Source      Own design; the need comes from the RIFL frame layout (payload = frame - 16 bits).

module axis_width #(
  parameter int unsigned InBytes  = 32,
  parameter int unsigned OutBytes = 30
) (
  input logic clk_i,
  input logic rst_i,

  input  logic [InBytes*8-1:0] s_axis_tdata,
  input  logic [  InBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,

  output logic [OutBytes*8-1:0] m_axis_tdata,
  output logic [  OutBytes-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  function automatic int unsigned gcd(int unsigned a, int unsigned b);
    int unsigned x, y, t;
    x = a;
    y = b;
    while (y != 0) begin
      t = x % y;
      x = y;
      y = t;
    end
    return x;
  endfunction

  if (InBytes < 1) begin : gen_bad_in
    $error("axis_width %m: rule InBytes >= 1, got %0d", InBytes);
  end else if (OutBytes < 1) begin : gen_bad_out
    $error("axis_width %m: rule OutBytes >= 1, got %0d", OutBytes);
  end else if (InBytes == OutBytes) begin : gen_wires
    logic unused_clk;
    assign unused_clk    = clk_i;
    assign s_axis_tready = m_axis_tready && !rst_i;
    assign m_axis_tvalid = s_axis_tvalid && !rst_i;
    assign m_axis_tlast  = s_axis_tlast;
    assign m_axis_tkeep  = s_axis_tkeep;
    always_comb begin
      for (int unsigned j = 0; j < OutBytes; j++) begin
        m_axis_tdata[8*j+:8] = s_axis_tdata[8*j+:8] & {8{s_axis_tkeep[j]}};
      end
    end
  end else begin : gen_convert
    localparam int unsigned N = (InBytes > OutBytes) ? InBytes : OutBytes;
    localparam int unsigned G = gcd(InBytes, OutBytes);
    localparam int unsigned M = N / G;  // ring size
    localparam int unsigned In = InBytes / G;  // beat sizes, in granules
    localparam int unsigned Out = OutBytes / G;
    localparam int unsigned TurnW = $clog2(M);

    // ---- State ----
    logic [N*8-1:0] res_q;  // the last beats, newest on top; never all N bytes in use
    logic [  N-1:0] keep_q;  // and their TKEEP
    logic flush_q, flush_d;  // what is left is the end of a packet
    logic [TurnW-1:0] turn_q, turn_d;  // in granules

    // ---- Ring: the top `turn` granules are the residue, the others the input ----
    logic hold;  // the input is not part of this output beat
    logic [N-1:0] top, res_lane, in_lane, ring_keep;
    logic [N*8-1:0] ring_data;
    always_comb begin
      for (int unsigned a = 0; a < M; a++) begin
        top[G*a+:G] = {G{(a > 0) && turn_q > TurnW'(M - 1 - a)}};
      end
    end
    assign res_lane  = keep_q & top;
    assign in_lane   = N'(s_axis_tkeep) & ~res_lane & {N{!hold}};
    assign ring_keep = res_lane | in_lane;
    always_comb begin
      for (int unsigned q = 0; q < N; q++) begin
        ring_data[8*q+:8] = (res_q[8*q+:8] & {8{res_lane[q]}}) |
                            (s_axis_tdata[8*(q%InBytes)+:8] & {8{in_lane[q]}});
      end
    end

    // ---- Rotator: one level per base-4 digit of the turn ----
    localparam int unsigned Levels = (TurnW + 1) / 2;
    logic [2*Levels-1:0] turn;
    assign turn = (2 * Levels)'(turn_q);
    for (genvar i = 0; i < Levels; i++) begin : gen_level
      logic [N*8-1:0] from_data, to_data;
      logic [N-1:0] from_keep, to_keep;
      if (i == 0) begin : gen_first
        assign from_data = ring_data;
        assign from_keep = ring_keep;
      end else begin : gen_next
        assign from_data = gen_level[i-1].to_data;
        assign from_keep = gen_level[i-1].to_keep;
      end
      axis_rotate #(
        .ItemWidth(G * 8),
        .Items(M),
        .Step(4 ** i)
      ) u_data (
        .digit_i(turn[2*i+:2]),
        .data_i (from_data),
        .data_o (to_data)
      );
      axis_rotate #(
        .ItemWidth(G),
        .Items(M),
        .Step(4 ** i)
      ) u_keep (
        .digit_i(turn[2*i+:2]),
        .data_i (from_keep),
        .data_o (to_keep)
      );
    end
    assign m_axis_tdata = gen_level[Levels-1].to_data[OutBytes*8-1:0];
    assign m_axis_tkeep = gen_level[Levels-1].to_keep[OutBytes-1:0];

    logic s_fire, m_fire;
    assign s_fire = s_axis_tvalid && s_axis_tready;
    assign m_fire = m_axis_tvalid && m_axis_tready;

    if (InBytes < OutBytes) begin : gen_up
      // room: even a full input beat leaves the output beat short. Such a beat is taken whatever
      // the sink does; if it ends its packet and the sink is not ready, it waits in the residue.
      logic room, spill;
      assign room = !flush_q && (turn_q < TurnW'(M - In));
      assign hold = flush_q;

      // spill: the input reaches past this output beat, that is into the lanes of the residue.
      logic [2**TurnW-1:0] reach;
      always_comb begin
        reach = '0;
        for (int unsigned t = 1; t < M; t++) begin
          reach[t] = (M - t < In) && s_axis_tkeep[(M-t)*G%InBytes];
        end
      end
      assign spill = reach[turn_q];

      assign s_axis_tready = (m_axis_tready || room) && !rst_i;
      assign m_axis_tvalid = (flush_q || (s_axis_tvalid && (!room || s_axis_tlast))) && !rst_i;
      assign m_axis_tlast = flush_q || (s_axis_tlast && !spill);

      // While the end of a packet leaves, the beat taken in is the first of the next one.
      logic [TurnW-1:0] base;
      assign base = flush_q ? '0 : turn_q;
      always_comb begin
        flush_d = flush_q;
        turn_d  = turn_q;
        if (s_fire) begin
          flush_d = s_axis_tlast && (flush_q || spill || !m_fire);
          if (s_axis_tlast && !flush_d) turn_d = '0;
          else if (base >= TurnW'(M - In)) turn_d = base - TurnW'(M - In);
          else turn_d = base + TurnW'(In);
        end else if (m_fire) begin
          flush_d = 1'b0;
          turn_d  = '0;
        end
      end

      always_ff @(posedge clk_i) begin
        if (s_fire) begin
          res_q  <= {s_axis_tdata, res_q[N*8-1:InBytes*8]};
          keep_q <= {s_axis_tkeep, keep_q[N-1:InBytes]};
        end
      end
    end else begin : gen_down
      logic unused_lanes;
      assign unused_lanes = ^{gen_level[Levels-1].to_data[N*8-1:OutBytes*8],
                              gen_level[Levels-1].to_keep[N-1:OutBytes]};

      // more: the residue alone fills an output beat. rest: and it holds bytes behind it.
      // spill: the input reaches past this output beat.
      logic more, rest, spill;
      logic [2**TurnW-1:0] reach, left;
      always_comb begin
        reach = '0;
        left  = '0;
        for (int unsigned t = 0; t < M; t++) begin
          reach[t] = s_axis_tkeep[(M+Out-t)%M*G];
          left[t]  = (t > Out) && keep_q[(M+Out-t)%M*G];
        end
      end
      assign more = turn_q >= TurnW'(Out);
      assign rest = left[turn_q];
      assign spill = reach[turn_q];
      assign hold = flush_q || more;

      assign s_axis_tready = m_axis_tready && !hold && !rst_i;
      assign m_axis_tvalid = (s_axis_tvalid || hold) && !rst_i;
      assign m_axis_tlast = hold ? (flush_q && !rest) : (s_axis_tlast && !spill);

      always_comb begin
        flush_d = flush_q;
        turn_d  = turn_q;
        if (m_fire) begin
          flush_d = hold ? (flush_q && rest) : (s_axis_tlast && spill);
          if (m_axis_tlast) turn_d = '0;
          else if (more) turn_d = turn_q - TurnW'(Out);
          else turn_d = turn_q + TurnW'(M - Out);
        end
      end

      always_ff @(posedge clk_i) begin
        if (s_fire) begin
          res_q  <= s_axis_tdata;
          keep_q <= s_axis_tkeep;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        flush_q <= 1'b0;
        turn_q  <= '0;
      end else begin
        flush_q <= flush_d;
        turn_q  <= turn_d;
      end
    end
  end

endmodule
