// SPDX-License-Identifier: Apache-2.0
//
// slink_session_proof: what an end takes while its session is up was sent in that session.
//
// What      Two ends and the wires between them. Each end may be reset and may give up at any
//           time, and sends packets as long as it is up. A packet that arrives at an end which is
//           up was sent with the numbers that both ends have now: so slink_peer and slink_issue
//           never see a packet of a session before.
// Wires     They keep the order, lose anything, and hold up to Depth packets for any time.
// Limits    An end takes a number that it has not had before for each session.
//
// Parameters
//   Depth   packets under way in each direction

module slink_session_proof
  import slink_pkg::*;
#(
  parameter int unsigned Depth = 2
) (
  input logic       clk_i,
  input logic [1:0] rst_i,
  input logic [1:0] renew_i,
  input logic [1:0] send_i,    // the wire takes what wants to be sent
  input logic [1:0] wants_i,   // a packet that is no hello
  input logic [1:0] arrive_i,
  input logic [1:0] lose_i
);

  typedef struct packed {
    logic        hello;
    logic [28:0] address;  // of a hello
    logic [11:0] own;      // numbers of both ends, as who sends knows them
    logic [11:0] peer;
  } item_t;

  logic started_q = 1'b0;
  logic [1:0] up, forget, hello, hello_taken, arrives, enters;
  logic [1:0][11:0] session, peer, next_q;  // next_q: the number that has not been used
  header_t [1:0] header;
  item_t [1:0] first, last;
  item_t [1:0][Depth-1:0] wire_q;  // by who receives; the oldest one in front
  logic [1:0][2:0] level_q;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    header_t arrived;
    always_comb begin
      arrived         = '0;
      arrived.kind    = KindNotice;
      arrived.address = first[e].address;
    end

    slink_session #(
      .Period(2)
    ) u_dut (
      .clk_i,
      .rst_i        (rst_i[e]),
      .session_i    (next_q[e]),
      .renew_i      (renew_i[e]),
      .hello_valid_i(arrives[e] && first[e].hello),
      .hello_i      (arrived),
      .m_valid_o    (hello[e]),
      .m_ready_i    (hello_taken[e]),
      .m_header_o   (header[e]),
      .up_o         (up[e]),
      .session_o    (session[e]),
      .peer_o       (peer[e]),
      .forget_o     (forget[e])
    );

    assign first[e] = wire_q[e][0];
    assign arrives[e] = arrive_i[e] && level_q[e] != '0 && !lose_i[e] && !rst_i[e];
    assign hello_taken[e] = send_i[e] && hello[e] && !rst_i[e];
    assign enters[e] = send_i[e] && !rst_i[e] && (hello[e] || (wants_i[e] && up[e]));
    assign last[e] = '{
            hello: hello[e],
            address: header[e].address,
            own: session[e],
            peer: peer[e]
        };

    always_ff @(posedge clk_i) begin
      if (!started_q) begin
        level_q[e] <= '0;
        next_q[e]  <= 12'd2;
      end else begin
        if (rst_i[e] || renew_i[e]) next_q[e] <= next_q[e] + 1'b1;
        level_q[e] <= level_q[e] + 3'(enters[1-e]) - 3'(arrive_i[e] && level_q[e] != '0);
        for (int i = 0; i < int'(Depth); i++) begin
          if (arrive_i[e] && i + 1 < int'(Depth)) wire_q[e][i] <= wire_q[e][(i+1)%int'(Depth)];
          if (enters[1-e] && 3'(i) == level_q[e] - 3'(arrive_i[e] && level_q[e] != '0))
            wire_q[e][i] <= last[1-e];
        end
      end
    end

    always_comb begin
      assume (started_q || (rst_i[e] && next_q[e] == 12'd1));
      assume (next_q[e] != '0 && next_q[e] != '1);
      assume (!renew_i[e] || !rst_i[e]);
      // Room on the wire.
      assume (!enters[1-e] || level_q[e] != 3'(Depth) || arrive_i[e]);
      if (started_q && !rst_i[e]) begin
        if (arrives[e] && !first[e].hello && up[e]) begin
          a_session : assert (first[e].own == peer[e] && first[e].peer == session[e]);
        end
        c_message :
        cover (arrives[e] && !first[e].hello && up[e] && session[e] == 12'd2 && peer[e] == 12'd2);
        c_past : cover (arrives[e] && !first[e].hello && !up[e] && first[e].peer != session[e]);
      end
    end
  end

  // ---- Why: numbers only grow, on the wires too, and who is up has been heard ----
  logic [1:0][11:0] heard_q;  // last number of the other end that has arrived, resets or not
  logic [1:0] known;
  assign known = {gen_end[1].u_dut.known_q, gen_end[0].u_dut.known_q};

  function automatic logic grows(input logic [11:0] own, input logic [11:0] peer,
                                 input logic [11:0] next_own, input logic [11:0] next_peer);
    return own < next_own || (own == next_own && peer <= next_peer);
  endfunction

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int e = 0; e < 2; e++) begin
      if (!started_q) heard_q[e] <= '0;
      else if (arrives[e] && first[e].hello) heard_q[e] <= first[e].own;
    end
  end

  always_comb begin
    if (started_q) begin
      for (int e = 0; e < 2; e++) begin
        assert (session[e] + 1'b1 == next_q[e] && session[e] != '0);
        assert (heard_q[e] <= session[1-e]);
        assert (level_q[e] <= 3'(Depth));
        assert (known[e] ? (peer[e] == heard_q[e] && peer[e] != '0) : peer[e] == '0);
        assert (!up[e] || (known[e] && session[e] == heard_q[1-e]));
        if (up[e] && session[1-e] == peer[e]) assert (peer[1-e] >= session[e]);
        for (int i = 0; i < int'(Depth); i++) begin
          if (3'(i) < level_q[e]) begin
            assert (wire_q[e][i].own >= heard_q[e] && wire_q[e][i].own != '0);
            assert (wire_q[e][i].peer <= heard_q[1-e]);
            assert (wire_q[e][i].hello || wire_q[e][i].own <= heard_q[e]);
            assert (grows(wire_q[e][i].own, wire_q[e][i].peer, session[1-e], peer[1-e]));
            if (i + 1 < int'(Depth) && 3'(i + 1) < level_q[e]) begin
              assert (grows(
                  wire_q[e][i].own,
                  wire_q[e][i].peer,
                  wire_q[e][(i+1)%int'(Depth)].own,
                  wire_q[e][(i+1)%int'(Depth)].peer
              ));
            end
            if (up[e] && wire_q[e][i].own == peer[e]) assert (wire_q[e][i].peer >= session[e]);
            if (wire_q[e][i].hello) begin
              assert (wire_q[e][i].address[28:5] == {wire_q[e][i].peer, wire_q[e][i].own});
              assert (wire_q[e][i].address[4:0] == 5'd8 || wire_q[e][i].address[4:0] == 5'd9 ||
                      wire_q[e][i].address[4:0] == 5'd10);
            end
          end
        end
      end
    end
  end

  logic unused;
  assign unused = ^forget;

endmodule
