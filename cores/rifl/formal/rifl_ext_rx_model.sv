// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_rx_model: the order rules of a lane in extended mode, one frame per clock, for proofs.
//
// What: the table of docs/src/rifl-extended.md, "Receiver of a lane", with `fresh` and `steady`.
// The RTL (rifl_ext_rx) takes two clocks for a frame; that it does the same is proved in
// rifl_ext_rx_proof.
// Contract: step_i: a frame. Its fields are free of what they cannot be: taken_i (a valid
// announcement of the session, so with a code that names what it says itself) only in control
// frames. deliver_o (a frame goes to the user: the kept one if there is one, else this one) belongs
// to the same clock, everything else to the frames before. room_i: what is to be delivered finds
// room. The session is open and the lane is up.

module rifl_ext_rx_model
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 4,
  parameter bit Delayed = 1'b1  // it may keep frames
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               step_i,
  input  logic               delayed_i,
  input  logic               control_i,
  input  logic               data_i,
  input  logic               plausible_i,
  input  logic               room_i,
  input  logic [IdWidth-1:0] id_i,
  input  logic               taken_i,
  input  logic               asks_i,
  input  logic               sequence_i,
  input  logic [        3:0] answered_i,
  output logic               deliver_o,
  output logic               kept_o,
  output logic [IdWidth-1:0] awaited_o,
  output logic               err_o,
  output logic [        3:0] ask_n_o,
  output logic [IdWidth-1:0] wanted_o,
  output logic               fresh_o,
  output logic               steady_o
);

  logic [IdWidth-1:0] awaited_q, wanted_q, left_q, promised_q;
  logic err_q, kept_q, accept;
  logic [3:0] ask_n_q, ask_n_d;
  logic [2:0] run_q, steady_run_q;

  logic names, good_control, good_data, incident, over, follows;
  assign names = plausible_i && id_i == awaited_q;
  assign good_control = control_i && taken_i && names && (room_i || !kept_o);
  assign good_data = data_i && names && room_i;
  assign incident = err_q ? left_q == '0 : !(good_control || good_data);
  assign ask_n_d = ask_n_q + 4'(incident);
  assign over = err_q && good_control && sequence_i && answered_i == ask_n_d;
  assign accept = step_i && !err_q && good_data;
  assign deliver_o = kept_o ? accept || (step_i && good_control) :
                              accept && !(Delayed && delayed_i);
  assign follows = plausible_i && id_i == promised_q && (data_i || taken_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      awaited_q <= '0;
      kept_q <= 1'b0;
      err_q <= 1'b0;
      ask_n_q <= '0;
      wanted_q <= '0;
      left_q <= '1;
      promised_q <= '0;
      run_q <= '0;
      steady_run_q <= '0;
    end else if (step_i) begin
      awaited_q <= incident ? awaited_q - IdWidth'(kept_o) : awaited_q + IdWidth'(accept);
      kept_q <= accept && (delayed_i || kept_o);
      err_q <= (err_q || incident) && !over;
      ask_n_q <= ask_n_d;
      if (incident) wanted_q <= awaited_q - IdWidth'(kept_o);
      left_q <= incident ? '1 : left_q - IdWidth'(err_q);
      if (plausible_i) promised_q <= id_i + IdWidth'(data_i);
      run_q <= (!follows || (control_i && sequence_i && asks_i)) ? '0 : run_q + 3'(!fresh_o);
      steady_run_q <= (!follows && !over) ? '0 : steady_run_q + 3'(!steady_o);
    end
  end

  assign awaited_o = awaited_q;
  assign kept_o    = Delayed && kept_q;
  assign err_o     = err_q;
  assign ask_n_o   = ask_n_q;
  assign wanted_o  = wanted_q;
  assign fresh_o   = run_q == 3'(FreshRun);
  assign steady_o  = steady_run_q == 3'(FreshRun);

endmodule
