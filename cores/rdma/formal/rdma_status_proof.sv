// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_status: no state is lost, whoever changes what in the same cycle.
//
// The reference is a state for each channel, written down as the diagram has it. Starts, ends and
// reads come in every cycle, to any page and channel, the same one included, with any mask. What a
// read returns is the reference's state of every channel; what it makes idle is exactly what it
// returned. And every end that was not refused is returned once: an observer counts ends, errors
// among them, and what reads return, and the difference is what stands in the channels. By
// induction, for runs of any length, with resets at any time.

module rdma_status_proof #(
  localparam int unsigned Pages = 2,
  localparam int unsigned Channels = 2
) (
  input logic                clk_i,
  input logic                rst_i,
  input logic                start_i,
  input logic                start_page_i,
  input logic                start_channel_i,
  input logic                finish_i,
  input logic                finish_page_i,
  input logic                finish_channel_i,
  input logic                finish_error_i,
  input logic                read_i,
  input logic                read_page_i,
  input logic [Channels-1:0] read_mask_i
);

  typedef enum logic [1:0] {
    Idle    = 2'd0,
    Ongoing = 2'd1,
    Done    = 2'd2,
    Error   = 2'd3
  } state_t;

  logic ready;
  logic [Channels-1:0] start_idle;
  logic finish_refused;
  logic [2*Channels-1:0] read_status;

  rdma_status #(
    .Pages   (Pages),
    .Channels(Channels)
  ) u_dut (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .ready_o         (ready),
    .start_i         (start_i),
    .start_page_i    (start_page_i),
    .start_channel_i (start_channel_i),
    .start_idle_o    (start_idle),
    .finish_i        (finish_i),
    .finish_page_i   (finish_page_i),
    .finish_channel_i(finish_channel_i),
    .finish_error_i  (finish_error_i),
    .finish_refused_o(finish_refused),
    .read_i          (read_i),
    .read_page_i     (read_page_i),
    .read_mask_i     (read_mask_i),
    .read_status_o   (read_status)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  for (genvar p = 0; p < int'(Pages); p++) begin : gen_page
    for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
      // The reference.
      state_t state_q;
      logic   start_here;
      logic   finish_here;
      logic   read_here;
      assign start_here  = start_i && start_page_i == p && start_channel_i == c;
      assign finish_here = finish_i && finish_page_i == p && finish_channel_i == c;
      assign read_here   = read_i && read_page_i == p && read_mask_i[c];

      always_ff @(posedge clk_i) begin
        if (rst_i) state_q <= Idle;
        else if (ready) begin
          unique case (state_q)
            Idle: if (start_here) state_q <= Ongoing;
            Ongoing: if (finish_here) state_q <= finish_error_i ? Error : Done;
            default: if (read_here) state_q <= Idle;
          endcase
        end
      end

      // The observer, from the ports alone. Four bits that wrap are enough for differences of at
      // most one.
      logic [3:0] ended_q;
      logic [3:0] failed_q;
      logic [3:0] told_q;
      logic [3:0] told_failed_q;
      logic ends;
      logic tells;
      assign ends  = finish_here && !finish_refused;
      assign tells = read_here && ready && read_status[2*c+1];
      always_ff @(posedge clk_i) begin
        if (rst_i) begin
          ended_q <= '0;
          failed_q <= '0;
          told_q <= '0;
          told_failed_q <= '0;
        end else begin
          ended_q <= ended_q + 4'(ends);
          failed_q <= failed_q + 4'(ends && finish_error_i);
          told_q <= told_q + 4'(tells);
          told_failed_q <= told_failed_q + 4'(tells && read_status[2*c]);
        end
      end

      always_comb begin
        if (started_q && !rst_i) begin
          assert (ended_q - told_q == 4'(state_q == Done || state_q == Error));
          assert (failed_q - told_failed_q == 4'(state_q == Error));
          if (ready) begin
            if (read_page_i == p) assert (read_status[2*c+:2] == state_q);
            if (start_page_i == p) assert (start_idle[c] == (state_q == Idle));
            if (finish_here) assert (finish_refused == (state_q != Ongoing));
          end else begin
            assert (!start_idle[c] && finish_refused == finish_i && state_q == Idle);
          end
        end
      end

      // Invariants: what the flags say, and that all copies agree.
      logic s;
      logic f;
      logic e;
      logic v;
      assign s = u_dut.u_started.u_own.mem[p][c];
      assign f = u_dut.u_finished.u_own.mem[p][c];
      assign e = u_dut.u_failed.u_own.mem[p][c];
      assign v = u_dut.u_seen.u_own.mem[p][c];
      always_comb begin
        if (started_q && (ready || p < 32'(u_dut.clear_page_q))) begin
          assert ((s ^ f) == (state_q == Ongoing));
          assert ((f ^ v) == (state_q == Done || state_q == Error));
          if (state_q == Done || state_q == Error) assert (e == (state_q == Error));
          for (int unsigned r = 0; r < 2; r++) begin
            assert (s == (r == 0 ? u_dut.u_started.gen_reader[0].u_copy.mem[p][c]
                                 : u_dut.u_started.gen_reader[1].u_copy.mem[p][c]));
            assert (f == (r == 0 ? u_dut.u_finished.gen_reader[0].u_copy.mem[p][c]
                                 : u_dut.u_finished.gen_reader[1].u_copy.mem[p][c]));
          end
          assert (s == u_dut.u_started.gen_reader[2].u_copy.mem[p][c]);
          assert (e == u_dut.u_failed.gen_reader[0].u_copy.mem[p][c]);
          assert (v == u_dut.u_seen.gen_reader[0].u_copy.mem[p][c]);
        end
        if (started_q && !ready) assert (state_q == Idle);
      end
    end
  end

endmodule
