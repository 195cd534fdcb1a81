// SPDX-License-Identifier: Apache-2.0
//
// htsp_regs: AXI4-Lite slave with the stored registers of htsp.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/htsp/regs/htsp.rdl: change that file.
// The map is described in docs/src/htsp-registers.md.

module htsp_regs (
  input wire clk_i,
  input wire rst_i,

  output logic s_axil_awready,
  input wire s_axil_awvalid,
  input wire [12:0] s_axil_awaddr,
  input wire [2:0] s_axil_awprot,
  output logic s_axil_wready,
  input wire s_axil_wvalid,
  input wire [31:0] s_axil_wdata,
  input wire [3:0] s_axil_wstrb,
  input wire s_axil_bready,
  output logic s_axil_bvalid,
  output logic [1:0] s_axil_bresp,
  output logic s_axil_arready,
  input wire s_axil_arvalid,
  input wire [12:0] s_axil_araddr,
  input wire [2:0] s_axil_arprot,
  input wire s_axil_rready,
  output logic s_axil_rvalid,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,

  input  htsp_regs_pkg::htsp__in_t  hwif_i,
  output htsp_regs_pkg::htsp__out_t hwif_o
);

  //--------------------------------------------------------------------------
  // CPU Bus interface logic
  //--------------------------------------------------------------------------
  logic cpuif_req;
  logic cpuif_req_is_wr;
  logic [12:0] cpuif_addr;
  logic [31:0] cpuif_wr_data;
  logic [31:0] cpuif_wr_biten;
  logic cpuif_req_stall_wr;
  logic cpuif_req_stall_rd;

  logic cpuif_rd_ack;
  logic cpuif_rd_err;
  logic [31:0] cpuif_rd_data;

  logic cpuif_wr_ack;
  logic cpuif_wr_err;

  // Max Outstanding Transactions: 2
  logic [1:0] axil_n_in_flight;
  logic axil_prev_was_rd;
  logic axil_arvalid;
  logic [12:0] axil_araddr;
  logic axil_ar_accept;
  logic axil_awvalid;
  logic [12:0] axil_awaddr;
  logic axil_wvalid;
  logic [31:0] axil_wdata;
  logic [3:0] axil_wstrb;
  logic axil_aw_accept;
  logic axil_resp_acked;

  // Transaction request acceptance
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      axil_prev_was_rd <= '0;
      axil_arvalid <= '0;
      axil_araddr <= '0;
      axil_awvalid <= '0;
      axil_awaddr <= '0;
      axil_wvalid <= '0;
      axil_wdata <= '0;
      axil_wstrb <= '0;
      axil_n_in_flight <= '0;
    end else begin
      // AR* acceptance register
      if (axil_ar_accept) begin
        axil_prev_was_rd <= '1;
        axil_arvalid <= '0;
      end
      if (s_axil_arvalid && s_axil_arready) begin
        axil_arvalid <= '1;
        axil_araddr  <= s_axil_araddr;
      end

      // AW* & W* acceptance registers
      if (axil_aw_accept) begin
        axil_prev_was_rd <= '0;
        axil_awvalid <= '0;
        axil_wvalid <= '0;
      end
      if (s_axil_awvalid && s_axil_awready) begin
        axil_awvalid <= '1;
        axil_awaddr  <= s_axil_awaddr;
      end
      if (s_axil_wvalid && s_axil_wready) begin
        axil_wvalid <= '1;
        axil_wdata  <= s_axil_wdata;
        axil_wstrb  <= s_axil_wstrb;
      end

      // Keep track of in-flight transactions
      if ((axil_ar_accept || axil_aw_accept) && !axil_resp_acked) begin
        axil_n_in_flight <= axil_n_in_flight + 1'b1;
      end else if (!(axil_ar_accept || axil_aw_accept) && axil_resp_acked) begin
        axil_n_in_flight <= axil_n_in_flight - 1'b1;
      end
    end
  end

  always_comb begin
    s_axil_arready = !rst_i && (!axil_arvalid || axil_ar_accept);
    s_axil_awready = !rst_i && (!axil_awvalid || axil_aw_accept);
    s_axil_wready  = !rst_i && (!axil_wvalid || axil_aw_accept);
  end

  // Request dispatch
  always_comb begin
    cpuif_wr_data = axil_wdata;
    for (int i = 0; i < 4; i++) begin
      cpuif_wr_biten[i*8+:8] = {8{axil_wstrb[i]}};
    end
    cpuif_req = '0;
    cpuif_req_is_wr = '0;
    cpuif_addr = '0;
    axil_ar_accept = '0;
    axil_aw_accept = '0;

    if (axil_n_in_flight < 2'd2) begin
      // Can safely issue more transactions without overwhelming response buffer
      if (axil_arvalid && !axil_prev_was_rd) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '0;
        cpuif_addr = {axil_araddr[12:2], 2'b0};
        if (!cpuif_req_stall_rd) axil_ar_accept = '1;
      end else if (axil_awvalid && axil_wvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '1;
        cpuif_addr = {axil_awaddr[12:2], 2'b0};
        if (!cpuif_req_stall_wr) axil_aw_accept = '1;
      end else if (axil_arvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '0;
        cpuif_addr = {axil_araddr[12:2], 2'b0};
        if (!cpuif_req_stall_rd) axil_ar_accept = '1;
      end
    end
  end


  // AXI4-Lite Response Logic
  logic axil_resp_buffer_is_wr[2];
  logic axil_resp_buffer_err[2];
  logic [31:0] axil_resp_buffer_rdata[2];

  logic [1:0] axil_resp_wptr;
  logic [1:0] axil_resp_rptr;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int i = 0; i < 2; i++) begin
        axil_resp_buffer_is_wr[i] <= '0;
        axil_resp_buffer_err[i]   <= '0;
        axil_resp_buffer_rdata[i] <= '0;
      end
      axil_resp_wptr <= '0;
      axil_resp_rptr <= '0;
    end else begin
      // Store responses in buffer until AXI response channel accepts them
      if (cpuif_rd_ack || cpuif_wr_ack) begin
        if (cpuif_rd_ack) begin
          axil_resp_buffer_is_wr[axil_resp_wptr[0:0]] <= '0;
          axil_resp_buffer_err[axil_resp_wptr[0:0]]   <= cpuif_rd_err;
          axil_resp_buffer_rdata[axil_resp_wptr[0:0]] <= cpuif_rd_data;

        end else if (cpuif_wr_ack) begin
          axil_resp_buffer_is_wr[axil_resp_wptr[0:0]] <= '1;
          axil_resp_buffer_err[axil_resp_wptr[0:0]]   <= cpuif_wr_err;
        end
        axil_resp_wptr <= axil_resp_wptr + 1'b1;
      end

      // Advance read pointer when acknowledged
      if (axil_resp_acked) begin
        axil_resp_rptr <= axil_resp_rptr + 1'b1;
      end
    end
  end

  always_comb begin
    axil_resp_acked = '0;
    s_axil_bvalid   = '0;
    s_axil_rvalid   = '0;
    if (axil_resp_rptr != axil_resp_wptr) begin
      if (axil_resp_buffer_is_wr[axil_resp_rptr[0:0]]) begin
        s_axil_bvalid = '1;
        if (s_axil_bready) axil_resp_acked = '1;
      end else begin
        s_axil_rvalid = '1;
        if (s_axil_rready) axil_resp_acked = '1;
      end
    end

    s_axil_rdata = axil_resp_buffer_rdata[axil_resp_rptr[0:0]];
    if (axil_resp_buffer_err[axil_resp_rptr[0:0]]) begin
      s_axil_bresp = 2'b10;
      s_axil_rresp = 2'b10;
    end else begin
      s_axil_bresp = 2'b00;
      s_axil_rresp = 2'b00;
    end
  end

  logic accepted;
  logic external_pending;

  // Read & write latencies are balanced. Stalls not required
  // except if external
  assign cpuif_req_stall_rd = external_pending;
  assign cpuif_req_stall_wr = external_pending;
  assign accepted = cpuif_req
                            & !(!cpuif_req_is_wr & cpuif_req_stall_rd)
                            & !(cpuif_req_is_wr & cpuif_req_stall_wr);

  //--------------------------------------------------------------------------
  // Address Decode
  //--------------------------------------------------------------------------
  typedef struct {
    logic magic;
    logic version;
    logic parameters;
    logic buffers;
    logic control;
    logic command;
    logic status;
    logic events;
    logic event_enable;
    logic null_interval;
    logic alive;
    logic burst;
    logic levels;
    logic [1:0] local_mac;
    logic [1:0] broadcast_mac;
    logic ethertype;
    logic test_channel;
    logic prbs_length;
    logic prbs_gap;
    logic prbs_seed;
    logic user_data_0;
    logic user_data_1;
    logic user_data_2;
    logic user_data_3;
    logic op_code_0;
    logic op_code_1;
    logic op_code_2;
    logic op_code_3;
    logic lane_0;
    logic lane_1;
    logic lane_2;
    logic lane_3;
    logic observe;
  } decoded_reg_strb_t;
  decoded_reg_strb_t strobe;
  logic decoded_err;
  logic req_is_external;

  logic [12:0] decoded_addr;
  logic decoded_req;
  logic decoded_req_is_wr;
  logic [31:0] wr_data;
  logic [31:0] wr_biten;

  always_comb begin
    automatic logic is_valid_addr;
    automatic logic is_valid_rw;
    automatic logic is_external;
    is_external   = '0;
    is_valid_addr = '0;
    is_valid_rw   = '0;
    strobe.magic  = accepted & (cpuif_addr == 13'h0) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h0);
    is_valid_rw |= accepted & (cpuif_addr == 13'h0) & !cpuif_req_is_wr;
    strobe.version = accepted & (cpuif_addr == 13'h4) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h4);
    is_valid_rw |= accepted & (cpuif_addr == 13'h4) & !cpuif_req_is_wr;
    strobe.parameters = accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h8);
    is_valid_rw |= accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    strobe.buffers = accepted & (cpuif_addr == 13'hc) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'hc);
    is_valid_rw |= accepted & (cpuif_addr == 13'hc) & !cpuif_req_is_wr;
    strobe.control = accepted & (cpuif_addr == 13'h10);
    is_valid_addr |= accepted & (cpuif_addr == 13'h10);
    is_valid_rw |= accepted & (cpuif_addr == 13'h10);
    strobe.command = accepted & (cpuif_addr == 13'h14);
    is_valid_addr |= accepted & (cpuif_addr == 13'h14);
    is_valid_rw |= accepted & (cpuif_addr == 13'h14);
    strobe.status = accepted & (cpuif_addr == 13'h18) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h18);
    is_valid_rw |= accepted & (cpuif_addr == 13'h18) & !cpuif_req_is_wr;
    strobe.events = accepted & (cpuif_addr == 13'h20);
    is_valid_addr |= accepted & (cpuif_addr == 13'h20);
    is_valid_rw |= accepted & (cpuif_addr == 13'h20);
    strobe.event_enable = accepted & (cpuif_addr == 13'h24);
    is_valid_addr |= accepted & (cpuif_addr == 13'h24);
    is_valid_rw |= accepted & (cpuif_addr == 13'h24);
    strobe.null_interval = accepted & (cpuif_addr == 13'h30);
    is_valid_addr |= accepted & (cpuif_addr == 13'h30);
    is_valid_rw |= accepted & (cpuif_addr == 13'h30);
    strobe.alive = accepted & (cpuif_addr == 13'h34);
    is_valid_addr |= accepted & (cpuif_addr == 13'h34);
    is_valid_rw |= accepted & (cpuif_addr == 13'h34);
    strobe.burst = accepted & (cpuif_addr == 13'h38);
    is_valid_addr |= accepted & (cpuif_addr == 13'h38);
    is_valid_rw |= accepted & (cpuif_addr == 13'h38);
    strobe.levels = accepted & (cpuif_addr == 13'h3c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h3c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h3c);
    strobe.local_mac[0] = accepted & (cpuif_addr == 13'h40);
    is_valid_addr |= accepted & (cpuif_addr == 13'h40);
    is_valid_rw |= accepted & (cpuif_addr == 13'h40);
    strobe.local_mac[1] = accepted & (cpuif_addr == 13'h44);
    is_valid_addr |= accepted & (cpuif_addr == 13'h44);
    is_valid_rw |= accepted & (cpuif_addr == 13'h44);
    strobe.broadcast_mac[0] = accepted & (cpuif_addr == 13'h48);
    is_valid_addr |= accepted & (cpuif_addr == 13'h48);
    is_valid_rw |= accepted & (cpuif_addr == 13'h48);
    strobe.broadcast_mac[1] = accepted & (cpuif_addr == 13'h4c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h4c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h4c);
    strobe.ethertype = accepted & (cpuif_addr == 13'h50);
    is_valid_addr |= accepted & (cpuif_addr == 13'h50);
    is_valid_rw |= accepted & (cpuif_addr == 13'h50);
    strobe.test_channel = accepted & (cpuif_addr == 13'h54);
    is_valid_addr |= accepted & (cpuif_addr == 13'h54);
    is_valid_rw |= accepted & (cpuif_addr == 13'h54);
    strobe.prbs_length = accepted & (cpuif_addr == 13'h58);
    is_valid_addr |= accepted & (cpuif_addr == 13'h58);
    is_valid_rw |= accepted & (cpuif_addr == 13'h58);
    strobe.prbs_gap = accepted & (cpuif_addr == 13'h5c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h5c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h5c);
    strobe.prbs_seed = accepted & (cpuif_addr == 13'h60);
    is_valid_addr |= accepted & (cpuif_addr == 13'h60);
    is_valid_rw |= accepted & (cpuif_addr == 13'h60);
    strobe.user_data_0 = accepted & (cpuif_addr == 13'h70);
    is_valid_addr |= accepted & (cpuif_addr == 13'h70);
    is_valid_rw |= accepted & (cpuif_addr == 13'h70);
    strobe.user_data_1 = accepted & (cpuif_addr == 13'h74);
    is_valid_addr |= accepted & (cpuif_addr == 13'h74);
    is_valid_rw |= accepted & (cpuif_addr == 13'h74);
    strobe.user_data_2 = accepted & (cpuif_addr == 13'h78);
    is_valid_addr |= accepted & (cpuif_addr == 13'h78);
    is_valid_rw |= accepted & (cpuif_addr == 13'h78);
    strobe.user_data_3 = accepted & (cpuif_addr == 13'h7c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h7c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h7c);
    strobe.op_code_0 = accepted & (cpuif_addr == 13'h80);
    is_valid_addr |= accepted & (cpuif_addr == 13'h80);
    is_valid_rw |= accepted & (cpuif_addr == 13'h80);
    strobe.op_code_1 = accepted & (cpuif_addr == 13'h84);
    is_valid_addr |= accepted & (cpuif_addr == 13'h84);
    is_valid_rw |= accepted & (cpuif_addr == 13'h84);
    strobe.op_code_2 = accepted & (cpuif_addr == 13'h88);
    is_valid_addr |= accepted & (cpuif_addr == 13'h88);
    is_valid_rw |= accepted & (cpuif_addr == 13'h88);
    strobe.op_code_3 = accepted & (cpuif_addr == 13'h8c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h8c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h8c);
    strobe.lane_0 = accepted & (cpuif_addr == 13'h90);
    is_valid_addr |= accepted & (cpuif_addr == 13'h90);
    is_valid_rw |= accepted & (cpuif_addr == 13'h90);
    strobe.lane_1 = accepted & (cpuif_addr == 13'h94);
    is_valid_addr |= accepted & (cpuif_addr == 13'h94);
    is_valid_rw |= accepted & (cpuif_addr == 13'h94);
    strobe.lane_2 = accepted & (cpuif_addr == 13'h98);
    is_valid_addr |= accepted & (cpuif_addr == 13'h98);
    is_valid_rw |= accepted & (cpuif_addr == 13'h98);
    strobe.lane_3 = accepted & (cpuif_addr == 13'h9c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h9c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h9c);
    strobe.observe = accepted & (cpuif_addr[12:12] == 1'h1);
    is_external |= accepted & (cpuif_addr[12:12] == 1'h1);
    is_valid_addr |= accepted & (cpuif_addr[12:12] == 1'h1);
    is_valid_rw |= accepted & (cpuif_addr[12:12] == 1'h1);
    decoded_err = (~is_valid_addr | (is_valid_addr & ~is_valid_rw)) & decoded_req;
    req_is_external = is_external;
  end
  logic external_wr_ack;
  logic external_rd_ack;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      external_pending <= '0;
    end else begin
      if (req_is_external & ~external_wr_ack & ~external_rd_ack) external_pending <= '1;
      else if (external_wr_ack | external_rd_ack) external_pending <= '0;
    end
  end

  // Pass down signals to next stage
  assign decoded_addr = cpuif_addr;
  assign decoded_req = accepted;
  assign decoded_req_is_wr = cpuif_req_is_wr;
  assign wr_data = cpuif_wr_data;
  assign wr_biten = cpuif_wr_biten;

  //--------------------------------------------------------------------------
  // Field logic
  //--------------------------------------------------------------------------

  typedef struct {logic value;} field_storage_control_reset_t;
  typedef struct {logic value;} field_storage_control_tx_disable_t;
  typedef struct {logic value;} field_storage_control_ignore_remote_t;
  typedef struct {logic value;} field_storage_control_reset_rx_t;
  typedef struct {logic value;} field_storage_control_prbs_source_t;
  typedef struct {logic value;} field_storage_control_prbs_check_t;
  typedef struct {logic [2:0] value;} field_storage_control_loopback_t;
  typedef struct {logic [3:0] value;} field_storage_control_rx_polarity_t;
  typedef struct {logic [3:0] value;} field_storage_control_tx_polarity_t;
  typedef struct {
    field_storage_control_reset_t reset;
    field_storage_control_tx_disable_t tx_disable;
    field_storage_control_ignore_remote_t ignore_remote;
    field_storage_control_reset_rx_t reset_rx;
    field_storage_control_prbs_source_t prbs_source;
    field_storage_control_prbs_check_t prbs_check;
    field_storage_control_loopback_t loopback;
    field_storage_control_rx_polarity_t rx_polarity;
    field_storage_control_tx_polarity_t tx_polarity;
  } field_storage_control_t;
  typedef struct {logic value;} field_storage_command_clear_t;
  typedef struct {logic value;} field_storage_command_op_code_t;
  typedef struct {logic value;} field_storage_command_user_data_t;
  typedef struct {logic value;} field_storage_command_latency_t;
  typedef struct {
    field_storage_command_clear_t clear;
    field_storage_command_op_code_t op_code;
    field_storage_command_user_data_t user_data;
    field_storage_command_latency_t latency;
  } field_storage_command_t;
  typedef struct {logic value;} field_storage_events_link_up_t;
  typedef struct {logic value;} field_storage_events_link_down_t;
  typedef struct {logic value;} field_storage_events_loss_t;
  typedef struct {logic value;} field_storage_events_overflow_t;
  typedef struct {logic value;} field_storage_events_cut_t;
  typedef struct {logic value;} field_storage_events_op_code_t;
  typedef struct {logic value;} field_storage_events_prbs_t;
  typedef struct {logic value;} field_storage_events_observe_lost_t;
  typedef struct {
    field_storage_events_link_up_t link_up;
    field_storage_events_link_down_t link_down;
    field_storage_events_loss_t loss;
    field_storage_events_overflow_t overflow;
    field_storage_events_cut_t cut;
    field_storage_events_op_code_t op_code;
    field_storage_events_prbs_t prbs;
    field_storage_events_observe_lost_t observe_lost;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_link_up_t;
  typedef struct {logic value;} field_storage_event_enable_link_down_t;
  typedef struct {logic value;} field_storage_event_enable_loss_t;
  typedef struct {logic value;} field_storage_event_enable_overflow_t;
  typedef struct {logic value;} field_storage_event_enable_cut_t;
  typedef struct {logic value;} field_storage_event_enable_op_code_t;
  typedef struct {logic value;} field_storage_event_enable_prbs_t;
  typedef struct {logic value;} field_storage_event_enable_observe_lost_t;
  typedef struct {
    field_storage_event_enable_link_up_t link_up;
    field_storage_event_enable_link_down_t link_down;
    field_storage_event_enable_loss_t loss;
    field_storage_event_enable_overflow_t overflow;
    field_storage_event_enable_cut_t cut;
    field_storage_event_enable_op_code_t op_code;
    field_storage_event_enable_prbs_t prbs;
    field_storage_event_enable_observe_lost_t observe_lost;
  } field_storage_event_enable_t;
  typedef struct {logic [31:0] value;} field_storage_null_interval_cycles_t;
  typedef struct {field_storage_null_interval_cycles_t cycles;} field_storage_null_interval_t;
  typedef struct {logic [31:0] value;} field_storage_alive_cycles_t;
  typedef struct {field_storage_alive_cycles_t cycles;} field_storage_alive_t;
  typedef struct {logic [7:0] value;} field_storage_burst_words_t;
  typedef struct {logic [7:0] value;} field_storage_burst_stall_limit_t;
  typedef struct {
    field_storage_burst_words_t words;
    field_storage_burst_stall_limit_t stall_limit;
  } field_storage_burst_t;
  typedef struct {logic [15:0] value;} field_storage_levels_pause_t;
  typedef struct {logic [15:0] value;} field_storage_levels_resume_t;
  typedef struct {
    field_storage_levels_pause_t  pause;
    field_storage_levels_resume_t resume;
  } field_storage_levels_t;
  typedef struct {logic [31:0] value;} field_storage_local_mac_low_t;
  typedef struct {logic [15:0] value;} field_storage_local_mac_high_t;
  typedef struct {
    field_storage_local_mac_low_t  low;
    field_storage_local_mac_high_t high;
  } field_storage_local_mac_t;
  typedef struct {logic [31:0] value;} field_storage_broadcast_mac_low_t;
  typedef struct {logic [15:0] value;} field_storage_broadcast_mac_high_t;
  typedef struct {
    field_storage_broadcast_mac_low_t  low;
    field_storage_broadcast_mac_high_t high;
  } field_storage_broadcast_mac_t;
  typedef struct {logic [15:0] value;} field_storage_ethertype_value_t;
  typedef struct {field_storage_ethertype_value_t value;} field_storage_ethertype_t;
  typedef struct {logic [3:0] value;} field_storage_test_channel_channel_t;
  typedef struct {field_storage_test_channel_channel_t channel;} field_storage_test_channel_t;
  typedef struct {logic [15:0] value;} field_storage_prbs_length_shortest_t;
  typedef struct {logic [15:0] value;} field_storage_prbs_length_longest_t;
  typedef struct {
    field_storage_prbs_length_shortest_t shortest;
    field_storage_prbs_length_longest_t  longest;
  } field_storage_prbs_length_t;
  typedef struct {logic [15:0] value;} field_storage_prbs_gap_gap_t;
  typedef struct {field_storage_prbs_gap_gap_t gap;} field_storage_prbs_gap_t;
  typedef struct {logic [30:0] value;} field_storage_prbs_seed_seed_t;
  typedef struct {field_storage_prbs_seed_seed_t seed;} field_storage_prbs_seed_t;
  typedef struct {logic [31:0] value;} field_storage_user_data_0_bytes_t;
  typedef struct {field_storage_user_data_0_bytes_t bytes;} field_storage_user_data_0_t;
  typedef struct {logic [31:0] value;} field_storage_user_data_1_bytes_t;
  typedef struct {field_storage_user_data_1_bytes_t bytes;} field_storage_user_data_1_t;
  typedef struct {logic [31:0] value;} field_storage_user_data_2_bytes_t;
  typedef struct {field_storage_user_data_2_bytes_t bytes;} field_storage_user_data_2_t;
  typedef struct {logic [31:0] value;} field_storage_user_data_3_bytes_t;
  typedef struct {field_storage_user_data_3_bytes_t bytes;} field_storage_user_data_3_t;
  typedef struct {logic [31:0] value;} field_storage_op_code_0_bytes_t;
  typedef struct {field_storage_op_code_0_bytes_t bytes;} field_storage_op_code_0_t;
  typedef struct {logic [31:0] value;} field_storage_op_code_1_bytes_t;
  typedef struct {field_storage_op_code_1_bytes_t bytes;} field_storage_op_code_1_t;
  typedef struct {logic [31:0] value;} field_storage_op_code_2_bytes_t;
  typedef struct {field_storage_op_code_2_bytes_t bytes;} field_storage_op_code_2_t;
  typedef struct {logic [31:0] value;} field_storage_op_code_3_bytes_t;
  typedef struct {field_storage_op_code_3_bytes_t bytes;} field_storage_op_code_3_t;
  typedef struct {logic [4:0] value;} field_storage_lane_0_diff_t;
  typedef struct {logic [4:0] value;} field_storage_lane_0_pre_t;
  typedef struct {logic [4:0] value;} field_storage_lane_0_post_t;
  typedef struct {
    field_storage_lane_0_diff_t diff;
    field_storage_lane_0_pre_t  pre;
    field_storage_lane_0_post_t post;
  } field_storage_lane_0_t;
  typedef struct {logic [4:0] value;} field_storage_lane_1_diff_t;
  typedef struct {logic [4:0] value;} field_storage_lane_1_pre_t;
  typedef struct {logic [4:0] value;} field_storage_lane_1_post_t;
  typedef struct {
    field_storage_lane_1_diff_t diff;
    field_storage_lane_1_pre_t  pre;
    field_storage_lane_1_post_t post;
  } field_storage_lane_1_t;
  typedef struct {logic [4:0] value;} field_storage_lane_2_diff_t;
  typedef struct {logic [4:0] value;} field_storage_lane_2_pre_t;
  typedef struct {logic [4:0] value;} field_storage_lane_2_post_t;
  typedef struct {
    field_storage_lane_2_diff_t diff;
    field_storage_lane_2_pre_t  pre;
    field_storage_lane_2_post_t post;
  } field_storage_lane_2_t;
  typedef struct {logic [4:0] value;} field_storage_lane_3_diff_t;
  typedef struct {logic [4:0] value;} field_storage_lane_3_pre_t;
  typedef struct {logic [4:0] value;} field_storage_lane_3_post_t;
  typedef struct {
    field_storage_lane_3_diff_t diff;
    field_storage_lane_3_pre_t  pre;
    field_storage_lane_3_post_t post;
  } field_storage_lane_3_t;
  typedef struct {
    field_storage_control_t control;
    field_storage_command_t command;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_null_interval_t null_interval;
    field_storage_alive_t alive;
    field_storage_burst_t burst;
    field_storage_levels_t levels;
    field_storage_local_mac_t local_mac;
    field_storage_broadcast_mac_t broadcast_mac;
    field_storage_ethertype_t ethertype;
    field_storage_test_channel_t test_channel;
    field_storage_prbs_length_t prbs_length;
    field_storage_prbs_gap_t prbs_gap;
    field_storage_prbs_seed_t prbs_seed;
    field_storage_user_data_0_t user_data_0;
    field_storage_user_data_1_t user_data_1;
    field_storage_user_data_2_t user_data_2;
    field_storage_user_data_3_t user_data_3;
    field_storage_op_code_0_t op_code_0;
    field_storage_op_code_1_t op_code_1;
    field_storage_op_code_2_t op_code_2;
    field_storage_op_code_3_t op_code_3;
    field_storage_lane_0_t lane_0;
    field_storage_lane_1_t lane_1;
    field_storage_lane_2_t lane_2;
    field_storage_lane_3_t lane_3;
  } field_storage_t;
  field_storage_t stored;

  // Field: htsp.control.reset
  logic [0:0] control_reset_next;
  logic control_reset_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.reset.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    control_reset_next = next_c;
    control_reset_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.reset.value <= 1'h0;
    end else begin
      if (control_reset_load) begin
        stored.control.reset.value <= control_reset_next;
      end
    end
  end
  assign hwif_o.control.reset.value = stored.control.reset.value;
  // Field: htsp.control.tx_disable
  logic [0:0] control_tx_disable_next;
  logic control_tx_disable_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.tx_disable.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    control_tx_disable_next = next_c;
    control_tx_disable_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.tx_disable.value <= 1'h0;
    end else begin
      if (control_tx_disable_load) begin
        stored.control.tx_disable.value <= control_tx_disable_next;
      end
    end
  end
  assign hwif_o.control.tx_disable.value = stored.control.tx_disable.value;
  // Field: htsp.control.ignore_remote
  logic [0:0] control_ignore_remote_next;
  logic control_ignore_remote_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.ignore_remote.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    control_ignore_remote_next = next_c;
    control_ignore_remote_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.ignore_remote.value <= 1'h0;
    end else begin
      if (control_ignore_remote_load) begin
        stored.control.ignore_remote.value <= control_ignore_remote_next;
      end
    end
  end
  assign hwif_o.control.ignore_remote.value = stored.control.ignore_remote.value;
  // Field: htsp.control.reset_rx
  logic [0:0] control_reset_rx_next;
  logic control_reset_rx_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.reset_rx.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    control_reset_rx_next = next_c;
    control_reset_rx_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.reset_rx.value <= 1'h0;
    end else begin
      if (control_reset_rx_load) begin
        stored.control.reset_rx.value <= control_reset_rx_next;
      end
    end
  end
  assign hwif_o.control.reset_rx.value = stored.control.reset_rx.value;
  // Field: htsp.control.prbs_source
  logic [0:0] control_prbs_source_next;
  logic control_prbs_source_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.prbs_source.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    control_prbs_source_next = next_c;
    control_prbs_source_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.prbs_source.value <= 1'h0;
    end else begin
      if (control_prbs_source_load) begin
        stored.control.prbs_source.value <= control_prbs_source_next;
      end
    end
  end
  assign hwif_o.control.prbs_source.value = stored.control.prbs_source.value;
  // Field: htsp.control.prbs_check
  logic [0:0] control_prbs_check_next;
  logic control_prbs_check_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.prbs_check.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    control_prbs_check_next = next_c;
    control_prbs_check_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.prbs_check.value <= 1'h0;
    end else begin
      if (control_prbs_check_load) begin
        stored.control.prbs_check.value <= control_prbs_check_next;
      end
    end
  end
  assign hwif_o.control.prbs_check.value = stored.control.prbs_check.value;
  // Field: htsp.control.loopback
  logic [2:0] control_loopback_next;
  logic control_loopback_load;
  always_comb begin
    automatic logic [2:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.loopback.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[10:8]) | (wr_data[10:8] & wr_biten[10:8]);
      load_next_c = '1;
    end
    control_loopback_next = next_c;
    control_loopback_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.loopback.value <= 3'h0;
    end else begin
      if (control_loopback_load) begin
        stored.control.loopback.value <= control_loopback_next;
      end
    end
  end
  assign hwif_o.control.loopback.value = stored.control.loopback.value;
  // Field: htsp.control.rx_polarity
  logic [3:0] control_rx_polarity_next;
  logic control_rx_polarity_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.rx_polarity.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[19:16]) | (wr_data[19:16] & wr_biten[19:16]);
      load_next_c = '1;
    end
    control_rx_polarity_next = next_c;
    control_rx_polarity_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.rx_polarity.value <= 4'h0;
    end else begin
      if (control_rx_polarity_load) begin
        stored.control.rx_polarity.value <= control_rx_polarity_next;
      end
    end
  end
  assign hwif_o.control.rx_polarity.value = stored.control.rx_polarity.value;
  // Field: htsp.control.tx_polarity
  logic [3:0] control_tx_polarity_next;
  logic control_tx_polarity_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.tx_polarity.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[23:20]) | (wr_data[23:20] & wr_biten[23:20]);
      load_next_c = '1;
    end
    control_tx_polarity_next = next_c;
    control_tx_polarity_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.tx_polarity.value <= 4'h0;
    end else begin
      if (control_tx_polarity_load) begin
        stored.control.tx_polarity.value <= control_tx_polarity_next;
      end
    end
  end
  assign hwif_o.control.tx_polarity.value = stored.control.tx_polarity.value;
  // Field: htsp.command.clear
  logic [0:0] command_clear_next;
  logic command_clear_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.clear.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_clear_next = next_c;
    command_clear_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.clear.value <= 1'h0;
    end else begin
      if (command_clear_load) begin
        stored.command.clear.value <= command_clear_next;
      end
    end
  end
  assign hwif_o.command.clear.value = stored.command.clear.value;
  // Field: htsp.command.op_code
  logic [0:0] command_op_code_next;
  logic command_op_code_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.op_code.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_op_code_next = next_c;
    command_op_code_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.op_code.value <= 1'h0;
    end else begin
      if (command_op_code_load) begin
        stored.command.op_code.value <= command_op_code_next;
      end
    end
  end
  assign hwif_o.command.op_code.value = stored.command.op_code.value;
  // Field: htsp.command.user_data
  logic [0:0] command_user_data_next;
  logic command_user_data_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.user_data.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_user_data_next = next_c;
    command_user_data_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.user_data.value <= 1'h0;
    end else begin
      if (command_user_data_load) begin
        stored.command.user_data.value <= command_user_data_next;
      end
    end
  end
  assign hwif_o.command.user_data.value = stored.command.user_data.value;
  // Field: htsp.command.latency
  logic [0:0] command_latency_next;
  logic command_latency_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.latency.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_latency_next = next_c;
    command_latency_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.latency.value <= 1'h0;
    end else begin
      if (command_latency_load) begin
        stored.command.latency.value <= command_latency_next;
      end
    end
  end
  assign hwif_o.command.latency.value = stored.command.latency.value;
  // Field: htsp.events.link_up
  logic [0:0] events_link_up_next;
  logic events_link_up_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.link_up.value;
    load_next_c = '0;
    if (hwif_i.events.link_up.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    events_link_up_next = next_c;
    events_link_up_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.link_up.value <= 1'h0;
    end else begin
      if (events_link_up_load) begin
        stored.events.link_up.value <= events_link_up_next;
      end
    end
  end
  // Field: htsp.events.link_down
  logic [0:0] events_link_down_next;
  logic events_link_down_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.link_down.value;
    load_next_c = '0;
    if (hwif_i.events.link_down.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    events_link_down_next = next_c;
    events_link_down_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.link_down.value <= 1'h0;
    end else begin
      if (events_link_down_load) begin
        stored.events.link_down.value <= events_link_down_next;
      end
    end
  end
  // Field: htsp.events.loss
  logic [0:0] events_loss_next;
  logic events_loss_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.loss.value;
    load_next_c = '0;
    if (hwif_i.events.loss.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_loss_next = next_c;
    events_loss_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.loss.value <= 1'h0;
    end else begin
      if (events_loss_load) begin
        stored.events.loss.value <= events_loss_next;
      end
    end
  end
  // Field: htsp.events.overflow
  logic [0:0] events_overflow_next;
  logic events_overflow_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.overflow.value;
    load_next_c = '0;
    if (hwif_i.events.overflow.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    events_overflow_next = next_c;
    events_overflow_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.overflow.value <= 1'h0;
    end else begin
      if (events_overflow_load) begin
        stored.events.overflow.value <= events_overflow_next;
      end
    end
  end
  // Field: htsp.events.cut
  logic [0:0] events_cut_next;
  logic events_cut_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.cut.value;
    load_next_c = '0;
    if (hwif_i.events.cut.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    events_cut_next = next_c;
    events_cut_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.cut.value <= 1'h0;
    end else begin
      if (events_cut_load) begin
        stored.events.cut.value <= events_cut_next;
      end
    end
  end
  // Field: htsp.events.op_code
  logic [0:0] events_op_code_next;
  logic events_op_code_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.op_code.value;
    load_next_c = '0;
    if (hwif_i.events.op_code.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_op_code_next = next_c;
    events_op_code_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.op_code.value <= 1'h0;
    end else begin
      if (events_op_code_load) begin
        stored.events.op_code.value <= events_op_code_next;
      end
    end
  end
  // Field: htsp.events.prbs
  logic [0:0] events_prbs_next;
  logic events_prbs_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.prbs.value;
    load_next_c = '0;
    if (hwif_i.events.prbs.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    events_prbs_next = next_c;
    events_prbs_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.prbs.value <= 1'h0;
    end else begin
      if (events_prbs_load) begin
        stored.events.prbs.value <= events_prbs_next;
      end
    end
  end
  // Field: htsp.events.observe_lost
  logic [0:0] events_observe_lost_next;
  logic events_observe_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.observe_lost.value;
    load_next_c = '0;
    if (hwif_i.events.observe_lost.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[7:7] & wr_biten[7:7]);
      load_next_c = '1;
    end
    events_observe_lost_next = next_c;
    events_observe_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.observe_lost.value <= 1'h0;
    end else begin
      if (events_observe_lost_load) begin
        stored.events.observe_lost.value <= events_observe_lost_next;
      end
    end
  end
  assign hwif_o.events.intr =
        |(stored.events.link_up.value & stored.event_enable.link_up.value)
        || |(stored.events.link_down.value & stored.event_enable.link_down.value)
        || |(stored.events.loss.value & stored.event_enable.loss.value)
        || |(stored.events.overflow.value & stored.event_enable.overflow.value)
        || |(stored.events.cut.value & stored.event_enable.cut.value)
        || |(stored.events.op_code.value & stored.event_enable.op_code.value)
        || |(stored.events.prbs.value & stored.event_enable.prbs.value)
        || |(stored.events.observe_lost.value & stored.event_enable.observe_lost.value);
  // Field: htsp.event_enable.link_up
  logic [0:0] event_enable_link_up_next;
  logic event_enable_link_up_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.link_up.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    event_enable_link_up_next = next_c;
    event_enable_link_up_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.link_up.value <= 1'h0;
    end else begin
      if (event_enable_link_up_load) begin
        stored.event_enable.link_up.value <= event_enable_link_up_next;
      end
    end
  end
  assign hwif_o.event_enable.link_up.value = stored.event_enable.link_up.value;
  // Field: htsp.event_enable.link_down
  logic [0:0] event_enable_link_down_next;
  logic event_enable_link_down_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.link_down.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    event_enable_link_down_next = next_c;
    event_enable_link_down_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.link_down.value <= 1'h0;
    end else begin
      if (event_enable_link_down_load) begin
        stored.event_enable.link_down.value <= event_enable_link_down_next;
      end
    end
  end
  assign hwif_o.event_enable.link_down.value = stored.event_enable.link_down.value;
  // Field: htsp.event_enable.loss
  logic [0:0] event_enable_loss_next;
  logic event_enable_loss_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.loss.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_loss_next = next_c;
    event_enable_loss_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.loss.value <= 1'h0;
    end else begin
      if (event_enable_loss_load) begin
        stored.event_enable.loss.value <= event_enable_loss_next;
      end
    end
  end
  assign hwif_o.event_enable.loss.value = stored.event_enable.loss.value;
  // Field: htsp.event_enable.overflow
  logic [0:0] event_enable_overflow_next;
  logic event_enable_overflow_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.overflow.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    event_enable_overflow_next = next_c;
    event_enable_overflow_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.overflow.value <= 1'h0;
    end else begin
      if (event_enable_overflow_load) begin
        stored.event_enable.overflow.value <= event_enable_overflow_next;
      end
    end
  end
  assign hwif_o.event_enable.overflow.value = stored.event_enable.overflow.value;
  // Field: htsp.event_enable.cut
  logic [0:0] event_enable_cut_next;
  logic event_enable_cut_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.cut.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    event_enable_cut_next = next_c;
    event_enable_cut_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.cut.value <= 1'h0;
    end else begin
      if (event_enable_cut_load) begin
        stored.event_enable.cut.value <= event_enable_cut_next;
      end
    end
  end
  assign hwif_o.event_enable.cut.value = stored.event_enable.cut.value;
  // Field: htsp.event_enable.op_code
  logic [0:0] event_enable_op_code_next;
  logic event_enable_op_code_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.op_code.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_op_code_next = next_c;
    event_enable_op_code_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.op_code.value <= 1'h0;
    end else begin
      if (event_enable_op_code_load) begin
        stored.event_enable.op_code.value <= event_enable_op_code_next;
      end
    end
  end
  assign hwif_o.event_enable.op_code.value = stored.event_enable.op_code.value;
  // Field: htsp.event_enable.prbs
  logic [0:0] event_enable_prbs_next;
  logic event_enable_prbs_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.prbs.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:6]) | (wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    event_enable_prbs_next = next_c;
    event_enable_prbs_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.prbs.value <= 1'h0;
    end else begin
      if (event_enable_prbs_load) begin
        stored.event_enable.prbs.value <= event_enable_prbs_next;
      end
    end
  end
  assign hwif_o.event_enable.prbs.value = stored.event_enable.prbs.value;
  // Field: htsp.event_enable.observe_lost
  logic [0:0] event_enable_observe_lost_next;
  logic event_enable_observe_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.observe_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[7:7]) | (wr_data[7:7] & wr_biten[7:7]);
      load_next_c = '1;
    end
    event_enable_observe_lost_next = next_c;
    event_enable_observe_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.observe_lost.value <= 1'h0;
    end else begin
      if (event_enable_observe_lost_load) begin
        stored.event_enable.observe_lost.value <= event_enable_observe_lost_next;
      end
    end
  end
  assign hwif_o.event_enable.observe_lost.value = stored.event_enable.observe_lost.value;
  // Field: htsp.null_interval.cycles
  logic [31:0] null_interval_cycles_next;
  logic null_interval_cycles_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.null_interval.cycles.value;
    load_next_c = '0;
    if (strobe.null_interval && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    null_interval_cycles_next = next_c;
    null_interval_cycles_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.null_interval.cycles.value <= 32'h7f;
    end else begin
      if (null_interval_cycles_load) begin
        stored.null_interval.cycles.value <= null_interval_cycles_next;
      end
    end
  end
  assign hwif_o.null_interval.cycles.value = stored.null_interval.cycles.value;
  // Field: htsp.alive.cycles
  logic [31:0] alive_cycles_next;
  logic alive_cycles_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.alive.cycles.value;
    load_next_c = '0;
    if (strobe.alive && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    alive_cycles_next = next_c;
    alive_cycles_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.alive.cycles.value <= 32'hbb80;
    end else begin
      if (alive_cycles_load) begin
        stored.alive.cycles.value <= alive_cycles_next;
      end
    end
  end
  assign hwif_o.alive.cycles.value = stored.alive.cycles.value;
  // Field: htsp.burst.words
  logic [7:0] burst_words_next;
  logic burst_words_load;
  always_comb begin
    automatic logic [7:0] next_c;
    automatic logic load_next_c;
    next_c = stored.burst.words.value;
    load_next_c = '0;
    if (strobe.burst && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[7:0]) | (wr_data[7:0] & wr_biten[7:0]);
      load_next_c = '1;
    end
    burst_words_next = next_c;
    burst_words_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.burst.words.value <= 8'h80;
    end else begin
      if (burst_words_load) begin
        stored.burst.words.value <= burst_words_next;
      end
    end
  end
  assign hwif_o.burst.words.value = stored.burst.words.value;
  // Field: htsp.burst.stall_limit
  logic [7:0] burst_stall_limit_next;
  logic burst_stall_limit_load;
  always_comb begin
    automatic logic [7:0] next_c;
    automatic logic load_next_c;
    next_c = stored.burst.stall_limit.value;
    load_next_c = '0;
    if (strobe.burst && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:8]) | (wr_data[15:8] & wr_biten[15:8]);
      load_next_c = '1;
    end
    burst_stall_limit_next = next_c;
    burst_stall_limit_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.burst.stall_limit.value <= 8'h0;
    end else begin
      if (burst_stall_limit_load) begin
        stored.burst.stall_limit.value <= burst_stall_limit_next;
      end
    end
  end
  assign hwif_o.burst.stall_limit.value = stored.burst.stall_limit.value;
  // Field: htsp.levels.pause
  logic [15:0] levels_pause_next;
  logic levels_pause_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.levels.pause.value;
    load_next_c = '0;
    if (strobe.levels && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end else if (hwif_i.levels.pause.we) begin  // HW Write - we
      next_c = hwif_i.levels.pause.next;
      load_next_c = '1;
    end
    levels_pause_next = next_c;
    levels_pause_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (levels_pause_load) begin
      stored.levels.pause.value <= levels_pause_next;
    end
  end
  assign hwif_o.levels.pause.value = stored.levels.pause.value;
  // Field: htsp.levels.resume
  logic [15:0] levels_resume_next;
  logic levels_resume_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.levels.resume.value;
    load_next_c = '0;
    if (strobe.levels && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
      load_next_c = '1;
    end else if (hwif_i.levels.resume.we) begin  // HW Write - we
      next_c = hwif_i.levels.resume.next;
      load_next_c = '1;
    end
    levels_resume_next = next_c;
    levels_resume_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (levels_resume_load) begin
      stored.levels.resume.value <= levels_resume_next;
    end
  end
  assign hwif_o.levels.resume.value = stored.levels.resume.value;
  // Field: htsp.local_mac.low
  logic [31:0] local_mac_low_next;
  logic local_mac_low_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.local_mac.low.value;
    load_next_c = '0;
    if (strobe.local_mac[0] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end else if (hwif_i.local_mac.low.we) begin  // HW Write - we
      next_c = hwif_i.local_mac.low.next;
      load_next_c = '1;
    end
    local_mac_low_next = next_c;
    local_mac_low_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (local_mac_low_load) begin
      stored.local_mac.low.value <= local_mac_low_next;
    end
  end
  assign hwif_o.local_mac.low.value = stored.local_mac.low.value;
  // Field: htsp.local_mac.high
  logic [15:0] local_mac_high_next;
  logic local_mac_high_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.local_mac.high.value;
    load_next_c = '0;
    if (strobe.local_mac[1] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end else if (hwif_i.local_mac.high.we) begin  // HW Write - we
      next_c = hwif_i.local_mac.high.next;
      load_next_c = '1;
    end
    local_mac_high_next = next_c;
    local_mac_high_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (local_mac_high_load) begin
      stored.local_mac.high.value <= local_mac_high_next;
    end
  end
  assign hwif_o.local_mac.high.value = stored.local_mac.high.value;
  // Field: htsp.broadcast_mac.low
  logic [31:0] broadcast_mac_low_next;
  logic broadcast_mac_low_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.broadcast_mac.low.value;
    load_next_c = '0;
    if (strobe.broadcast_mac[0] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    broadcast_mac_low_next = next_c;
    broadcast_mac_low_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.broadcast_mac.low.value <= 32'hffffffff;
    end else begin
      if (broadcast_mac_low_load) begin
        stored.broadcast_mac.low.value <= broadcast_mac_low_next;
      end
    end
  end
  assign hwif_o.broadcast_mac.low.value = stored.broadcast_mac.low.value;
  // Field: htsp.broadcast_mac.high
  logic [15:0] broadcast_mac_high_next;
  logic broadcast_mac_high_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.broadcast_mac.high.value;
    load_next_c = '0;
    if (strobe.broadcast_mac[1] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    broadcast_mac_high_next = next_c;
    broadcast_mac_high_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.broadcast_mac.high.value <= 16'hffff;
    end else begin
      if (broadcast_mac_high_load) begin
        stored.broadcast_mac.high.value <= broadcast_mac_high_next;
      end
    end
  end
  assign hwif_o.broadcast_mac.high.value = stored.broadcast_mac.high.value;
  // Field: htsp.ethertype.value
  logic [15:0] ethertype_value_next;
  logic ethertype_value_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.ethertype.value.value;
    load_next_c = '0;
    if (strobe.ethertype && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    ethertype_value_next = next_c;
    ethertype_value_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.ethertype.value.value <= 16'h1101;
    end else begin
      if (ethertype_value_load) begin
        stored.ethertype.value.value <= ethertype_value_next;
      end
    end
  end
  assign hwif_o.ethertype.value.value = stored.ethertype.value.value;
  // Field: htsp.test_channel.channel
  logic [3:0] test_channel_channel_next;
  logic test_channel_channel_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.test_channel.channel.value;
    load_next_c = '0;
    if (strobe.test_channel && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:0]) | (wr_data[3:0] & wr_biten[3:0]);
      load_next_c = '1;
    end
    test_channel_channel_next = next_c;
    test_channel_channel_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.test_channel.channel.value <= 4'h0;
    end else begin
      if (test_channel_channel_load) begin
        stored.test_channel.channel.value <= test_channel_channel_next;
      end
    end
  end
  assign hwif_o.test_channel.channel.value = stored.test_channel.channel.value;
  // Field: htsp.prbs_length.shortest
  logic [15:0] prbs_length_shortest_next;
  logic prbs_length_shortest_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.prbs_length.shortest.value;
    load_next_c = '0;
    if (strobe.prbs_length && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    prbs_length_shortest_next = next_c;
    prbs_length_shortest_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.prbs_length.shortest.value <= 16'h40;
    end else begin
      if (prbs_length_shortest_load) begin
        stored.prbs_length.shortest.value <= prbs_length_shortest_next;
      end
    end
  end
  assign hwif_o.prbs_length.shortest.value = stored.prbs_length.shortest.value;
  // Field: htsp.prbs_length.longest
  logic [15:0] prbs_length_longest_next;
  logic prbs_length_longest_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.prbs_length.longest.value;
    load_next_c = '0;
    if (strobe.prbs_length && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
      load_next_c = '1;
    end
    prbs_length_longest_next = next_c;
    prbs_length_longest_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.prbs_length.longest.value <= 16'h5dc;
    end else begin
      if (prbs_length_longest_load) begin
        stored.prbs_length.longest.value <= prbs_length_longest_next;
      end
    end
  end
  assign hwif_o.prbs_length.longest.value = stored.prbs_length.longest.value;
  // Field: htsp.prbs_gap.gap
  logic [15:0] prbs_gap_gap_next;
  logic prbs_gap_gap_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.prbs_gap.gap.value;
    load_next_c = '0;
    if (strobe.prbs_gap && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    prbs_gap_gap_next = next_c;
    prbs_gap_gap_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.prbs_gap.gap.value <= 16'h0;
    end else begin
      if (prbs_gap_gap_load) begin
        stored.prbs_gap.gap.value <= prbs_gap_gap_next;
      end
    end
  end
  assign hwif_o.prbs_gap.gap.value = stored.prbs_gap.gap.value;
  // Field: htsp.prbs_seed.seed
  logic [30:0] prbs_seed_seed_next;
  logic prbs_seed_seed_load;
  always_comb begin
    automatic logic [30:0] next_c;
    automatic logic load_next_c;
    next_c = stored.prbs_seed.seed.value;
    load_next_c = '0;
    if (strobe.prbs_seed && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[30:0]) | (wr_data[30:0] & wr_biten[30:0]);
      load_next_c = '1;
    end
    prbs_seed_seed_next = next_c;
    prbs_seed_seed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.prbs_seed.seed.value <= 31'h1;
    end else begin
      if (prbs_seed_seed_load) begin
        stored.prbs_seed.seed.value <= prbs_seed_seed_next;
      end
    end
  end
  assign hwif_o.prbs_seed.seed.value = stored.prbs_seed.seed.value;
  // Field: htsp.user_data_0.bytes
  logic [31:0] user_data_0_bytes_next;
  logic user_data_0_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.user_data_0.bytes.value;
    load_next_c = '0;
    if (strobe.user_data_0 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    user_data_0_bytes_next = next_c;
    user_data_0_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.user_data_0.bytes.value <= 32'h0;
    end else begin
      if (user_data_0_bytes_load) begin
        stored.user_data_0.bytes.value <= user_data_0_bytes_next;
      end
    end
  end
  assign hwif_o.user_data_0.bytes.value = stored.user_data_0.bytes.value;
  // Field: htsp.user_data_1.bytes
  logic [31:0] user_data_1_bytes_next;
  logic user_data_1_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.user_data_1.bytes.value;
    load_next_c = '0;
    if (strobe.user_data_1 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    user_data_1_bytes_next = next_c;
    user_data_1_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.user_data_1.bytes.value <= 32'h0;
    end else begin
      if (user_data_1_bytes_load) begin
        stored.user_data_1.bytes.value <= user_data_1_bytes_next;
      end
    end
  end
  assign hwif_o.user_data_1.bytes.value = stored.user_data_1.bytes.value;
  // Field: htsp.user_data_2.bytes
  logic [31:0] user_data_2_bytes_next;
  logic user_data_2_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.user_data_2.bytes.value;
    load_next_c = '0;
    if (strobe.user_data_2 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    user_data_2_bytes_next = next_c;
    user_data_2_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.user_data_2.bytes.value <= 32'h0;
    end else begin
      if (user_data_2_bytes_load) begin
        stored.user_data_2.bytes.value <= user_data_2_bytes_next;
      end
    end
  end
  assign hwif_o.user_data_2.bytes.value = stored.user_data_2.bytes.value;
  // Field: htsp.user_data_3.bytes
  logic [31:0] user_data_3_bytes_next;
  logic user_data_3_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.user_data_3.bytes.value;
    load_next_c = '0;
    if (strobe.user_data_3 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    user_data_3_bytes_next = next_c;
    user_data_3_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.user_data_3.bytes.value <= 32'h0;
    end else begin
      if (user_data_3_bytes_load) begin
        stored.user_data_3.bytes.value <= user_data_3_bytes_next;
      end
    end
  end
  assign hwif_o.user_data_3.bytes.value = stored.user_data_3.bytes.value;
  // Field: htsp.op_code_0.bytes
  logic [31:0] op_code_0_bytes_next;
  logic op_code_0_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.op_code_0.bytes.value;
    load_next_c = '0;
    if (strobe.op_code_0 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    op_code_0_bytes_next = next_c;
    op_code_0_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.op_code_0.bytes.value <= 32'h0;
    end else begin
      if (op_code_0_bytes_load) begin
        stored.op_code_0.bytes.value <= op_code_0_bytes_next;
      end
    end
  end
  assign hwif_o.op_code_0.bytes.value = stored.op_code_0.bytes.value;
  // Field: htsp.op_code_1.bytes
  logic [31:0] op_code_1_bytes_next;
  logic op_code_1_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.op_code_1.bytes.value;
    load_next_c = '0;
    if (strobe.op_code_1 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    op_code_1_bytes_next = next_c;
    op_code_1_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.op_code_1.bytes.value <= 32'h0;
    end else begin
      if (op_code_1_bytes_load) begin
        stored.op_code_1.bytes.value <= op_code_1_bytes_next;
      end
    end
  end
  assign hwif_o.op_code_1.bytes.value = stored.op_code_1.bytes.value;
  // Field: htsp.op_code_2.bytes
  logic [31:0] op_code_2_bytes_next;
  logic op_code_2_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.op_code_2.bytes.value;
    load_next_c = '0;
    if (strobe.op_code_2 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    op_code_2_bytes_next = next_c;
    op_code_2_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.op_code_2.bytes.value <= 32'h0;
    end else begin
      if (op_code_2_bytes_load) begin
        stored.op_code_2.bytes.value <= op_code_2_bytes_next;
      end
    end
  end
  assign hwif_o.op_code_2.bytes.value = stored.op_code_2.bytes.value;
  // Field: htsp.op_code_3.bytes
  logic [31:0] op_code_3_bytes_next;
  logic op_code_3_bytes_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.op_code_3.bytes.value;
    load_next_c = '0;
    if (strobe.op_code_3 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    op_code_3_bytes_next = next_c;
    op_code_3_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.op_code_3.bytes.value <= 32'h0;
    end else begin
      if (op_code_3_bytes_load) begin
        stored.op_code_3.bytes.value <= op_code_3_bytes_next;
      end
    end
  end
  assign hwif_o.op_code_3.bytes.value = stored.op_code_3.bytes.value;
  // Field: htsp.lane_0.diff
  logic [4:0] lane_0_diff_next;
  logic lane_0_diff_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_0.diff.value;
    load_next_c = '0;
    if (strobe.lane_0 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:0]) | (wr_data[4:0] & wr_biten[4:0]);
      load_next_c = '1;
    end
    lane_0_diff_next = next_c;
    lane_0_diff_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_0.diff.value <= 5'h0;
    end else begin
      if (lane_0_diff_load) begin
        stored.lane_0.diff.value <= lane_0_diff_next;
      end
    end
  end
  assign hwif_o.lane_0.diff.value = stored.lane_0.diff.value;
  // Field: htsp.lane_0.pre
  logic [4:0] lane_0_pre_next;
  logic lane_0_pre_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_0.pre.value;
    load_next_c = '0;
    if (strobe.lane_0 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:8]) | (wr_data[12:8] & wr_biten[12:8]);
      load_next_c = '1;
    end
    lane_0_pre_next = next_c;
    lane_0_pre_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_0.pre.value <= 5'h0;
    end else begin
      if (lane_0_pre_load) begin
        stored.lane_0.pre.value <= lane_0_pre_next;
      end
    end
  end
  assign hwif_o.lane_0.pre.value = stored.lane_0.pre.value;
  // Field: htsp.lane_0.post
  logic [4:0] lane_0_post_next;
  logic lane_0_post_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_0.post.value;
    load_next_c = '0;
    if (strobe.lane_0 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[20:16]) | (wr_data[20:16] & wr_biten[20:16]);
      load_next_c = '1;
    end
    lane_0_post_next = next_c;
    lane_0_post_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_0.post.value <= 5'h0;
    end else begin
      if (lane_0_post_load) begin
        stored.lane_0.post.value <= lane_0_post_next;
      end
    end
  end
  assign hwif_o.lane_0.post.value = stored.lane_0.post.value;
  // Field: htsp.lane_1.diff
  logic [4:0] lane_1_diff_next;
  logic lane_1_diff_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_1.diff.value;
    load_next_c = '0;
    if (strobe.lane_1 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:0]) | (wr_data[4:0] & wr_biten[4:0]);
      load_next_c = '1;
    end
    lane_1_diff_next = next_c;
    lane_1_diff_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_1.diff.value <= 5'h0;
    end else begin
      if (lane_1_diff_load) begin
        stored.lane_1.diff.value <= lane_1_diff_next;
      end
    end
  end
  assign hwif_o.lane_1.diff.value = stored.lane_1.diff.value;
  // Field: htsp.lane_1.pre
  logic [4:0] lane_1_pre_next;
  logic lane_1_pre_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_1.pre.value;
    load_next_c = '0;
    if (strobe.lane_1 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:8]) | (wr_data[12:8] & wr_biten[12:8]);
      load_next_c = '1;
    end
    lane_1_pre_next = next_c;
    lane_1_pre_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_1.pre.value <= 5'h0;
    end else begin
      if (lane_1_pre_load) begin
        stored.lane_1.pre.value <= lane_1_pre_next;
      end
    end
  end
  assign hwif_o.lane_1.pre.value = stored.lane_1.pre.value;
  // Field: htsp.lane_1.post
  logic [4:0] lane_1_post_next;
  logic lane_1_post_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_1.post.value;
    load_next_c = '0;
    if (strobe.lane_1 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[20:16]) | (wr_data[20:16] & wr_biten[20:16]);
      load_next_c = '1;
    end
    lane_1_post_next = next_c;
    lane_1_post_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_1.post.value <= 5'h0;
    end else begin
      if (lane_1_post_load) begin
        stored.lane_1.post.value <= lane_1_post_next;
      end
    end
  end
  assign hwif_o.lane_1.post.value = stored.lane_1.post.value;
  // Field: htsp.lane_2.diff
  logic [4:0] lane_2_diff_next;
  logic lane_2_diff_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_2.diff.value;
    load_next_c = '0;
    if (strobe.lane_2 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:0]) | (wr_data[4:0] & wr_biten[4:0]);
      load_next_c = '1;
    end
    lane_2_diff_next = next_c;
    lane_2_diff_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_2.diff.value <= 5'h0;
    end else begin
      if (lane_2_diff_load) begin
        stored.lane_2.diff.value <= lane_2_diff_next;
      end
    end
  end
  assign hwif_o.lane_2.diff.value = stored.lane_2.diff.value;
  // Field: htsp.lane_2.pre
  logic [4:0] lane_2_pre_next;
  logic lane_2_pre_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_2.pre.value;
    load_next_c = '0;
    if (strobe.lane_2 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:8]) | (wr_data[12:8] & wr_biten[12:8]);
      load_next_c = '1;
    end
    lane_2_pre_next = next_c;
    lane_2_pre_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_2.pre.value <= 5'h0;
    end else begin
      if (lane_2_pre_load) begin
        stored.lane_2.pre.value <= lane_2_pre_next;
      end
    end
  end
  assign hwif_o.lane_2.pre.value = stored.lane_2.pre.value;
  // Field: htsp.lane_2.post
  logic [4:0] lane_2_post_next;
  logic lane_2_post_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_2.post.value;
    load_next_c = '0;
    if (strobe.lane_2 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[20:16]) | (wr_data[20:16] & wr_biten[20:16]);
      load_next_c = '1;
    end
    lane_2_post_next = next_c;
    lane_2_post_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_2.post.value <= 5'h0;
    end else begin
      if (lane_2_post_load) begin
        stored.lane_2.post.value <= lane_2_post_next;
      end
    end
  end
  assign hwif_o.lane_2.post.value = stored.lane_2.post.value;
  // Field: htsp.lane_3.diff
  logic [4:0] lane_3_diff_next;
  logic lane_3_diff_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_3.diff.value;
    load_next_c = '0;
    if (strobe.lane_3 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:0]) | (wr_data[4:0] & wr_biten[4:0]);
      load_next_c = '1;
    end
    lane_3_diff_next = next_c;
    lane_3_diff_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_3.diff.value <= 5'h0;
    end else begin
      if (lane_3_diff_load) begin
        stored.lane_3.diff.value <= lane_3_diff_next;
      end
    end
  end
  assign hwif_o.lane_3.diff.value = stored.lane_3.diff.value;
  // Field: htsp.lane_3.pre
  logic [4:0] lane_3_pre_next;
  logic lane_3_pre_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_3.pre.value;
    load_next_c = '0;
    if (strobe.lane_3 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:8]) | (wr_data[12:8] & wr_biten[12:8]);
      load_next_c = '1;
    end
    lane_3_pre_next = next_c;
    lane_3_pre_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_3.pre.value <= 5'h0;
    end else begin
      if (lane_3_pre_load) begin
        stored.lane_3.pre.value <= lane_3_pre_next;
      end
    end
  end
  assign hwif_o.lane_3.pre.value = stored.lane_3.pre.value;
  // Field: htsp.lane_3.post
  logic [4:0] lane_3_post_next;
  logic lane_3_post_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lane_3.post.value;
    load_next_c = '0;
    if (strobe.lane_3 && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[20:16]) | (wr_data[20:16] & wr_biten[20:16]);
      load_next_c = '1;
    end
    lane_3_post_next = next_c;
    lane_3_post_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lane_3.post.value <= 5'h0;
    end else begin
      if (lane_3_post_load) begin
        stored.lane_3.post.value <= lane_3_post_next;
      end
    end
  end
  assign hwif_o.lane_3.post.value = stored.lane_3.post.value;
  // External region: htsp.observe
  assign hwif_o.observe.req = strobe.observe;
  assign hwif_o.observe.addr = decoded_addr[11:0];
  assign hwif_o.observe.req_is_wr = decoded_req_is_wr;
  assign hwif_o.observe.wr_data = wr_data;
  assign hwif_o.observe.wr_biten = wr_biten;

  //--------------------------------------------------------------------------
  // Write response
  //--------------------------------------------------------------------------
  always_comb begin
    automatic logic wr_ack;
    wr_ack = '0;
    wr_ack |= hwif_i.observe.wr_ack;
    external_wr_ack = wr_ack;
  end
  assign cpuif_wr_ack = external_wr_ack | (decoded_req & decoded_req_is_wr & ~req_is_external);
  // Writes are always granted with no error response
  assign cpuif_wr_err = decoded_err;

  //--------------------------------------------------------------------------
  // Readback
  //--------------------------------------------------------------------------
  logic readback_external_rd_ack_c;
  always_comb begin
    automatic logic rd_ack;
    rd_ack = '0;
    rd_ack |= hwif_i.observe.rd_ack;
    readback_external_rd_ack_c = rd_ack;
  end

  logic readback_external_rd_ack;

  assign readback_external_rd_ack = readback_external_rd_ack_c;

  logic [12:0] rd_mux_addr;
  logic [12:0] pending_rd_addr;
  // Hold read mux address to guarantee it is stable throughout any external accesses
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_rd_addr <= '0;
    end else begin
      if (decoded_req) pending_rd_addr <= decoded_addr;
    end
  end
  assign rd_mux_addr = decoded_req ? decoded_addr : pending_rd_addr;

  logic readback_err;
  logic readback_done;
  logic [31:0] readback_data;
  always_comb begin
    automatic logic [31:0] readback_data_var;
    readback_data_var = '0;
    if (rd_mux_addr == 13'h0) begin
      readback_data_var[31:0] = 32'h48545350;
    end
    if (rd_mux_addr == 13'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h1;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 13'h8) begin
      readback_data_var[4:0]  = hwif_i.parameters.channels.next;
      readback_data_var[14:8] = hwif_i.parameters.width.next;
      readback_data_var[30]   = hwif_i.parameters.tuser.next;
      readback_data_var[31]   = hwif_i.parameters.test_traffic.next;
    end
    if (rd_mux_addr == 13'hc) begin
      readback_data_var[15:0]  = hwif_i.buffers.tx_depth.next;
      readback_data_var[31:16] = hwif_i.buffers.rx_depth.next;
    end
    if (rd_mux_addr == 13'h10) begin
      readback_data_var[0] = stored.control.reset.value;
      readback_data_var[1] = stored.control.tx_disable.value;
      readback_data_var[2] = stored.control.ignore_remote.value;
      readback_data_var[3] = stored.control.reset_rx.value;
      readback_data_var[4] = stored.control.prbs_source.value;
      readback_data_var[5] = stored.control.prbs_check.value;
      readback_data_var[10:8] = stored.control.loopback.value;
      readback_data_var[19:16] = stored.control.rx_polarity.value;
      readback_data_var[23:20] = stored.control.tx_polarity.value;
    end
    if (rd_mux_addr == 13'h14) begin
      readback_data_var[0] = stored.command.clear.value;
      readback_data_var[1] = stored.command.op_code.value;
      readback_data_var[2] = stored.command.user_data.value;
      readback_data_var[3] = stored.command.latency.value;
    end
    if (rd_mux_addr == 13'h18) begin
      readback_data_var[0] = hwif_i.status.link_up.next;
      readback_data_var[1] = hwif_i.status.reset_active.next;
      readback_data_var[2] = hwif_i.status.remote_ready.next;
      readback_data_var[3] = hwif_i.status.op_code_ready.next;
      readback_data_var[4] = hwif_i.status.remote_tuser.next;
    end
    if (rd_mux_addr == 13'h20) begin
      readback_data_var[0] = stored.events.link_up.value;
      readback_data_var[1] = stored.events.link_down.value;
      readback_data_var[2] = stored.events.loss.value;
      readback_data_var[3] = stored.events.overflow.value;
      readback_data_var[4] = stored.events.cut.value;
      readback_data_var[5] = stored.events.op_code.value;
      readback_data_var[6] = stored.events.prbs.value;
      readback_data_var[7] = stored.events.observe_lost.value;
    end
    if (rd_mux_addr == 13'h24) begin
      readback_data_var[0] = stored.event_enable.link_up.value;
      readback_data_var[1] = stored.event_enable.link_down.value;
      readback_data_var[2] = stored.event_enable.loss.value;
      readback_data_var[3] = stored.event_enable.overflow.value;
      readback_data_var[4] = stored.event_enable.cut.value;
      readback_data_var[5] = stored.event_enable.op_code.value;
      readback_data_var[6] = stored.event_enable.prbs.value;
      readback_data_var[7] = stored.event_enable.observe_lost.value;
    end
    if (rd_mux_addr == 13'h30) begin
      readback_data_var[31:0] = stored.null_interval.cycles.value;
    end
    if (rd_mux_addr == 13'h34) begin
      readback_data_var[31:0] = stored.alive.cycles.value;
    end
    if (rd_mux_addr == 13'h38) begin
      readback_data_var[7:0]  = stored.burst.words.value;
      readback_data_var[15:8] = stored.burst.stall_limit.value;
    end
    if (rd_mux_addr == 13'h3c) begin
      readback_data_var[15:0]  = stored.levels.pause.value;
      readback_data_var[31:16] = stored.levels.resume.value;
    end
    if (rd_mux_addr == 13'h40) begin
      readback_data_var[31:0] = stored.local_mac.low.value;
    end
    if (rd_mux_addr == 13'h44) begin
      readback_data_var[15:0] = stored.local_mac.high.value;
    end
    if (rd_mux_addr == 13'h48) begin
      readback_data_var[31:0] = stored.broadcast_mac.low.value;
    end
    if (rd_mux_addr == 13'h4c) begin
      readback_data_var[15:0] = stored.broadcast_mac.high.value;
    end
    if (rd_mux_addr == 13'h50) begin
      readback_data_var[15:0] = stored.ethertype.value.value;
    end
    if (rd_mux_addr == 13'h54) begin
      readback_data_var[3:0] = stored.test_channel.channel.value;
    end
    if (rd_mux_addr == 13'h58) begin
      readback_data_var[15:0]  = stored.prbs_length.shortest.value;
      readback_data_var[31:16] = stored.prbs_length.longest.value;
    end
    if (rd_mux_addr == 13'h5c) begin
      readback_data_var[15:0] = stored.prbs_gap.gap.value;
    end
    if (rd_mux_addr == 13'h60) begin
      readback_data_var[30:0] = stored.prbs_seed.seed.value;
    end
    if (rd_mux_addr == 13'h70) begin
      readback_data_var[31:0] = stored.user_data_0.bytes.value;
    end
    if (rd_mux_addr == 13'h74) begin
      readback_data_var[31:0] = stored.user_data_1.bytes.value;
    end
    if (rd_mux_addr == 13'h78) begin
      readback_data_var[31:0] = stored.user_data_2.bytes.value;
    end
    if (rd_mux_addr == 13'h7c) begin
      readback_data_var[31:0] = stored.user_data_3.bytes.value;
    end
    if (rd_mux_addr == 13'h80) begin
      readback_data_var[31:0] = stored.op_code_0.bytes.value;
    end
    if (rd_mux_addr == 13'h84) begin
      readback_data_var[31:0] = stored.op_code_1.bytes.value;
    end
    if (rd_mux_addr == 13'h88) begin
      readback_data_var[31:0] = stored.op_code_2.bytes.value;
    end
    if (rd_mux_addr == 13'h8c) begin
      readback_data_var[31:0] = stored.op_code_3.bytes.value;
    end
    if (rd_mux_addr == 13'h90) begin
      readback_data_var[4:0]   = stored.lane_0.diff.value;
      readback_data_var[12:8]  = stored.lane_0.pre.value;
      readback_data_var[20:16] = stored.lane_0.post.value;
    end
    if (rd_mux_addr == 13'h94) begin
      readback_data_var[4:0]   = stored.lane_1.diff.value;
      readback_data_var[12:8]  = stored.lane_1.pre.value;
      readback_data_var[20:16] = stored.lane_1.post.value;
    end
    if (rd_mux_addr == 13'h98) begin
      readback_data_var[4:0]   = stored.lane_2.diff.value;
      readback_data_var[12:8]  = stored.lane_2.pre.value;
      readback_data_var[20:16] = stored.lane_2.post.value;
    end
    if (rd_mux_addr == 13'h9c) begin
      readback_data_var[4:0]   = stored.lane_3.diff.value;
      readback_data_var[12:8]  = stored.lane_3.pre.value;
      readback_data_var[20:16] = stored.lane_3.post.value;
    end
    if ((rd_mux_addr[12:12] == 1'h1)) begin
      readback_data_var = hwif_i.observe.rd_data;
    end
    readback_data = readback_data_var;
    readback_done = decoded_req & ~decoded_req_is_wr & ~req_is_external;
    readback_err  = decoded_err;
  end

  assign external_rd_ack = readback_external_rd_ack;
  assign cpuif_rd_ack = readback_done | readback_external_rd_ack;
  assign cpuif_rd_data = readback_data;
  assign cpuif_rd_err = readback_err;
  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot, axil_awaddr[1:0], axil_araddr[1:0]};
endmodule
