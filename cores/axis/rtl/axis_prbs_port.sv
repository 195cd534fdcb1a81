// SPDX-License-Identifier: Apache-2.0
//
// axis_prbs_port: puts test traffic in the place of a user's, and takes it out at the far end.
//
// What    Between a user and a link: outwards axis_prbs_source can take the place of the user's
//         stream, inwards axis_prbs_check can take what arrives.
// Why     A link is tested in place, with the user's logic attached and undisturbed.
//
// Contract
//   * source_i: from the next packet end on the link gets test packets and the user's TREADY is
//     low; without it the packet under way is finished and the user's stream goes on. check_i: from
//     the next packet end on what arrives is taken at full speed by the checker and the user sees
//     no TVALID. Both change over between packets only, and never withdraw a beat that was offered.
//   * rst_i is the reset of the streams, and of nothing that they live through: which packets are
//     open is forgotten. count_rst_i resets the checker; the streams do not notice.
//   * sourcing_o, checking_o: in this cycle the link has the test source, the checker.
//   * With both off the streams pass unchanged, without a register in between.
//   * The sequence starts from seed_i each time source_i is switched on; min_bytes_i, max_bytes_i,
//     gap_i, seed_i: see axis_prbs_source; constant while source_i is on. The checker starts to
//     hunt each time check_i is switched on; clear_i clears its counters.
//
// Parameters
//   Bytes          width of the streams, 1..4096
//   UserWidth      bits of TUSER towards the user, >= 1
//   CounterWidth   bits of each counter, >= 16
// Latency     0; the checker's counters one cycle more than in axis_prbs_check
// Source      own design

module axis_prbs_port #(
  parameter int unsigned Bytes        = 32,
  parameter int unsigned UserWidth    = 1,
  parameter int unsigned CounterWidth = 48
) (
  input logic clk_i,
  input logic rst_i,
  input logic count_rst_i,

  input logic        source_i,
  input logic        check_i,
  input logic        clear_i,
  input logic [15:0] min_bytes_i,
  input logic [15:0] max_bytes_i,
  input logic [15:0] gap_i,
  input logic [30:0] seed_i,

  // From the user to the link.
  input  logic [Bytes*8-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,
  output logic [Bytes*8-1:0] m_link_axis_tdata,
  output logic [  Bytes-1:0] m_link_axis_tkeep,
  output logic               m_link_axis_tlast,
  output logic               m_link_axis_tvalid,
  input  logic               m_link_axis_tready,

  // From the link to the user.
  input  logic [  Bytes*8-1:0] s_link_axis_tdata,
  input  logic [    Bytes-1:0] s_link_axis_tkeep,
  input  logic                 s_link_axis_tlast,
  input  logic [UserWidth-1:0] s_link_axis_tuser,
  input  logic                 s_link_axis_tvalid,
  output logic                 s_link_axis_tready,
  output logic [  Bytes*8-1:0] m_axis_tdata,
  output logic [    Bytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic [UserWidth-1:0] m_axis_tuser,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,

  output logic                    sourcing_o,
  output logic                    checking_o,
  output logic                    in_sync_o,
  output logic [CounterWidth-1:0] bytes_o,
  output logic [CounterWidth-1:0] skipped_o,
  output logic [CounterWidth-1:0] bit_errors_o,
  output logic [CounterWidth-1:0] losses_o
);

  // ---- Outwards ----
  logic sourcing_q, tx_open_q, tx_open_d, source_rst_q;
  logic [Bytes*8-1:0] source_tdata;
  logic [  Bytes-1:0] source_tkeep;
  logic source_tlast, source_tvalid, source_tready;

  axis_prbs_source #(
    .Bytes(Bytes)
  ) u_source (
    .clk_i,
    .rst_i        (source_rst_q),
    .enable_i     (source_i),
    .min_bytes_i,
    .max_bytes_i,
    .gap_i,
    .seed_i,
    .m_axis_tdata (source_tdata),
    .m_axis_tkeep (source_tkeep),
    .m_axis_tlast (source_tlast),
    .m_axis_tvalid(source_tvalid),
    .m_axis_tready(source_tready)
  );

  assign m_link_axis_tdata = sourcing_q ? source_tdata : s_axis_tdata;
  assign m_link_axis_tkeep = sourcing_q ? source_tkeep : s_axis_tkeep;
  assign m_link_axis_tlast = sourcing_q ? source_tlast : s_axis_tlast;
  assign m_link_axis_tvalid = sourcing_q ? source_tvalid : s_axis_tvalid;
  assign s_axis_tready = !sourcing_q && m_link_axis_tready;
  assign source_tready = sourcing_q && m_link_axis_tready;

  assign tx_open_d = m_link_axis_tvalid ? !(m_link_axis_tready && m_link_axis_tlast) : tx_open_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sourcing_q <= 1'b0;
      tx_open_q <= 1'b0;
      source_rst_q <= 1'b1;
    end else begin
      tx_open_q <= tx_open_d;
      if (!tx_open_d) sourcing_q <= source_i;
      // A source that is neither wanted nor in the middle of a packet forgets where it was.
      source_rst_q <= !source_i && !sourcing_q;
    end
  end

  // ---- Inwards ----
  logic checking_q, rx_open_q, rx_open_d;

  assign m_axis_tdata = s_link_axis_tdata;
  assign m_axis_tkeep = s_link_axis_tkeep;
  assign m_axis_tlast = s_link_axis_tlast;
  assign m_axis_tuser = s_link_axis_tuser;
  assign m_axis_tvalid = s_link_axis_tvalid && !checking_q;
  assign s_link_axis_tready = checking_q || m_axis_tready;

  assign rx_open_d = s_link_axis_tvalid ? !(s_link_axis_tready && s_link_axis_tlast) : rx_open_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      checking_q <= 1'b0;
      rx_open_q  <= 1'b0;
    end else begin
      rx_open_q <= rx_open_d;
      if (!rx_open_d) checking_q <= check_i;
    end
  end

  assign sourcing_o = sourcing_q;
  assign checking_o = checking_q;

  // ---- Checker, behind a register: it is passive, and its counters are deep enough alone ----
  logic [Bytes*8-1:0] tap_tdata_q;
  logic [  Bytes-1:0] tap_tkeep_q;
  logic tap_tlast_q, tap_tvalid_q, hunt_q;
  always_ff @(posedge clk_i) begin
    tap_tdata_q  <= s_link_axis_tdata;
    tap_tkeep_q  <= s_link_axis_tkeep;
    tap_tlast_q  <= s_link_axis_tlast;
    tap_tvalid_q <= s_link_axis_tvalid && checking_q && !rst_i;
    hunt_q       <= !checking_q;
  end

  logic [CounterWidth-1:0] frames;
  axis_prbs_check #(
    .Bytes       (Bytes),
    .CounterWidth(CounterWidth)
  ) u_check (
    .clk_i,
    .rst_i       (count_rst_i),
    .clear_i,
    .hunt_i      (hunt_q),
    .tap_tdata_i (tap_tdata_q),
    .tap_tkeep_i (tap_tkeep_q),
    .tap_tlast_i (tap_tlast_q),
    .tap_tvalid_i(tap_tvalid_q),
    .tap_tready_i(1'b1),
    .in_sync_o   (in_sync_o),
    .frames_o    (frames),
    .bytes_o     (bytes_o),
    .skipped_o   (skipped_o),
    .bit_errors_o(bit_errors_o),
    .losses_o    (losses_o)
  );
  logic unused;
  assign unused = ^frames;

endmodule
