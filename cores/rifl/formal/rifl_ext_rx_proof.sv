// SPDX-License-Identifier: Apache-2.0
//
// Proof of rifl_ext_rx: it keeps the order rules of rifl_ext_rx_model, frame by frame.
//
// Frames of any content come at any time that is legal (two clocks or more for each), with
// announcements of any session and with checks that fit or do not. The session is open and the lane
// is up from the reset on. The model takes a frame one clock after the RTL has seen it; whenever no
// frame is half taken, both agree about what is awaited, about the error, its number and place, and
// about how the frames follow each other; and both deliver the same frames. By induction, for ever.
// Mutants that it refutes: cores/rifl/mutants.py, for instance an error that ends without the
// answer to its own number.

module rifl_ext_rx_proof
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 6
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic                 frame_i,
  input logic                 control_i,
  input logic                 data_i,
  input logic                 plausible_i,
  input logic                 strong_i,
  input logic [  IdWidth-1:0] id_i,
  input logic                 key_known_i,
  input logic [ KeyWidth-1:0] key_i,
  input logic [WireWidth-1:0] wire_i,
  input logic                 ready_i,
  input logic                 room_i,
  input logic                 delayed_i
);

  // Any numbers would do.
  localparam logic [15:0] Own = 16'h1234;
  localparam logic [15:0] Partner = 16'h9abc;
  localparam logic [2:0] Lane = 3'd2;

  logic started_q = 1'b0;
  logic half_q;  // a frame is half taken
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    half_q <= frame_i && !rst_i;
  end
  always_comb begin
    assume (rst_i == !started_q);
    assume (!frame_i || (!half_q && !rst_i));
    assume (!(control_i && data_i));
  end

  logic deliver, keep, release_kept;
  ext_rx_t ext;
  rifl_ext_rx #(
    .IdWidth(IdWidth)
  ) u_dut (
    .clk_i               (clk_i),
    .rst_i               (rst_i),
    .enable_i            (1'b1),
    .open_i              (1'b1),
    .lane_i              (Lane),
    .session_i           (Own),
    .peer_session_i      (Partner),
    .frame_i             (frame_i),
    .frame_control_i     (control_i),
    .frame_data_i        (data_i),
    .frame_plausible_i   (plausible_i),
    .frame_strong_i      (strong_i),
    .frame_id_i          (id_i),
    .frame_key_known_i   (key_known_i),
    .frame_key_i         (key_i),
    .frame_announcement_i(wire_i),
    .room_i              (room_i),
    .delayed_i           (delayed_i),
    .deliver_o           (deliver),
    .keep_o              (keep),
    .release_o           (release_kept),
    .ext_o               (ext),
    .ready_i             (ready_i)
  );

  // ---- The frame, one clock later, and what it says ----
  logic control_q, data_q, plausible_q, strong_q, known_q, deliver_q, delayed_q, room_q;
  logic [IdWidth-1:0] id_q;
  logic [KeyWidth-1:0] key_q;
  announcement_t said_q;
  logic [CheckWidth-1:0] check_q;
  sequence_t sequence_said;
  always_ff @(posedge clk_i) begin
    deliver_q <= deliver || release_kept;
    if (frame_i) begin
      delayed_q         <= delayed_i;
      room_q            <= room_i;
      control_q         <= control_i;
      data_q            <= data_i;
      plausible_q       <= plausible_i;
      strong_q          <= strong_i;
      id_q              <= id_i;
      known_q           <= key_known_i;
      key_q             <= key_i;
      {said_q, check_q} <= wire_i;
    end
  end
  assign sequence_said = sequence_t'(said_q.detail);

  // The check itself (prim_crc) has tests of its own; which frames it covers is no matter of order.
  logic taken;
  assign taken = control_q && plausible_q && strong_q && known_q && u_dut.check == check_q &&
                 said_q.version == Version && said_q.session == Partner && said_q.echo == Own &&
                 said_q.lane == Lane &&
                 (!said_q.sequence_not_capabilities || sequence_said.next == MaxIdWidth'(id_q));

  logic model_deliver, model_kept, model_err, model_fresh, model_steady;
  logic [IdWidth-1:0] model_awaited, model_wanted;
  logic [3:0] model_ask_n;
  rifl_ext_rx_model #(
    .IdWidth(IdWidth)
  ) u_model (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .step_i     (half_q),
    .delayed_i  (delayed_q),
    .control_i  (control_q),
    .data_i     (data_q),
    .plausible_i(plausible_q),
    .room_i     (control_q ? room_i : room_q),
    .id_i       (id_q),
    .taken_i    (taken),
    .asks_i     (sequence_said.ask),
    .sequence_i (said_q.sequence_not_capabilities),
    .answered_i (sequence_said.answered),
    .deliver_o  (model_deliver),
    .kept_o     (model_kept),
    .awaited_o  (model_awaited),
    .err_o      (model_err),
    .ask_n_o    (model_ask_n),
    .wanted_o   (model_wanted),
    .fresh_o    (model_fresh),
    .steady_o   (model_steady)
  );

  always_comb begin
    if (started_q && !rst_i) begin
      assert (!deliver || (!release_kept && !keep && !u_dut.kept_q));
      assert (!keep || !u_dut.kept_q || release_kept);
      if (half_q)
        assert ((deliver_q || release_kept) == model_deliver);
        else begin
          assert (!(deliver || release_kept) || frame_i);
          assert (u_dut.kept_q == model_kept && !(model_kept && model_err));
          assert (u_dut.awaited_q == model_awaited);
          assert (ext.error == model_err);
          assert (ext.ask_n == model_ask_n);
          assert (ext.wanted == MaxIdWidth'(model_wanted));
          assert (ext.fresh == model_fresh);
          assert (ext.steady == model_steady);
          // Invariants: the rest of the state.
          assert (u_dut.err_left_q == u_model.left_q);
          assert (u_dut.promised_q == u_model.promised_q);
          assert (u_model.run_q <= 3'(FreshRun) && u_model.steady_run_q <= 3'(FreshRun));
          assert (u_dut.run_q == FreshRun'((8'd1 << u_model.run_q) - 1'b1));
          assert (u_dut.steady_run_q == FreshRun'((8'd1 << u_model.steady_run_q) - 1'b1));
          assert (!u_dut.lost_q);
        end
      assert (u_dut.frame_q == half_q);
      assert (!half_q || u_dut.control_q == control_q);
      assert (!half_q || u_dut.data_q == data_q);
      assert (!half_q || u_dut.plausible_q == plausible_q);
      assert (!half_q || u_dut.strong_q == strong_q);
      assert (!half_q || u_dut.key_known_q == known_q);
      assert (!half_q || u_dut.id_q == id_q);
      assert (!half_q || u_dut.key_q == key_q);
      assert (!(half_q && control_q) || u_dut.wire_q == {said_q, check_q});
    end
  end

endmodule
