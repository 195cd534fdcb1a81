// SPDX-License-Identifier: Apache-2.0
//
// rifl_regs: AXI4-Lite slave with the stored registers of rifl.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/rifl/regs/rifl.rdl: change that file.
// The map is described in docs/src/rifl-registers.md.

module rifl_regs (
  input wire clk_i,
  input wire rst_i,

  output logic s_axil_awready,
  input wire s_axil_awvalid,
  input wire [11:0] s_axil_awaddr,
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
  input wire [11:0] s_axil_araddr,
  input wire [2:0] s_axil_arprot,
  input wire s_axil_rready,
  output logic s_axil_rvalid,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,

  input  rifl_regs_pkg::rifl__in_t  hwif_i,
  output rifl_regs_pkg::rifl__out_t hwif_o
);

  //--------------------------------------------------------------------------
  // CPU Bus interface logic
  //--------------------------------------------------------------------------
  logic cpuif_req;
  logic cpuif_req_is_wr;
  logic [11:0] cpuif_addr;
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
  logic [11:0] axil_araddr;
  logic axil_ar_accept;
  logic axil_awvalid;
  logic [11:0] axil_awaddr;
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
        cpuif_addr = {axil_araddr[11:2], 2'b0};
        if (!cpuif_req_stall_rd) axil_ar_accept = '1;
      end else if (axil_awvalid && axil_wvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '1;
        cpuif_addr = {axil_awaddr[11:2], 2'b0};
        if (!cpuif_req_stall_wr) axil_aw_accept = '1;
      end else if (axil_arvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '0;
        cpuif_addr = {axil_araddr[11:2], 2'b0};
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
    logic user;
    logic control;
    logic command;
    logic status;
    logic events;
    logic event_enable;
    logic inject_mantissa;
    logic inject_shift;
    logic inject_seed;
    logic prbs_length;
    logic prbs_gap;
    logic prbs_seed;
    logic observe;
  } decoded_reg_strb_t;
  decoded_reg_strb_t strobe;
  logic decoded_err;
  logic req_is_external;

  logic [11:0] decoded_addr;
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
    strobe.magic  = accepted & (cpuif_addr == 12'h0) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 12'h0);
    is_valid_rw |= accepted & (cpuif_addr == 12'h0) & !cpuif_req_is_wr;
    strobe.version = accepted & (cpuif_addr == 12'h4) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 12'h4);
    is_valid_rw |= accepted & (cpuif_addr == 12'h4) & !cpuif_req_is_wr;
    strobe.parameters = accepted & (cpuif_addr == 12'h8) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 12'h8);
    is_valid_rw |= accepted & (cpuif_addr == 12'h8) & !cpuif_req_is_wr;
    strobe.user = accepted & (cpuif_addr == 12'hc) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 12'hc);
    is_valid_rw |= accepted & (cpuif_addr == 12'hc) & !cpuif_req_is_wr;
    strobe.control = accepted & (cpuif_addr == 12'h10);
    is_valid_addr |= accepted & (cpuif_addr == 12'h10);
    is_valid_rw |= accepted & (cpuif_addr == 12'h10);
    strobe.command = accepted & (cpuif_addr == 12'h14);
    is_valid_addr |= accepted & (cpuif_addr == 12'h14);
    is_valid_rw |= accepted & (cpuif_addr == 12'h14);
    strobe.status = accepted & (cpuif_addr == 12'h18) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 12'h18);
    is_valid_rw |= accepted & (cpuif_addr == 12'h18) & !cpuif_req_is_wr;
    strobe.events = accepted & (cpuif_addr == 12'h20);
    is_valid_addr |= accepted & (cpuif_addr == 12'h20);
    is_valid_rw |= accepted & (cpuif_addr == 12'h20);
    strobe.event_enable = accepted & (cpuif_addr == 12'h24);
    is_valid_addr |= accepted & (cpuif_addr == 12'h24);
    is_valid_rw |= accepted & (cpuif_addr == 12'h24);
    strobe.inject_mantissa = accepted & (cpuif_addr == 12'h30);
    is_valid_addr |= accepted & (cpuif_addr == 12'h30);
    is_valid_rw |= accepted & (cpuif_addr == 12'h30);
    strobe.inject_shift = accepted & (cpuif_addr == 12'h34);
    is_valid_addr |= accepted & (cpuif_addr == 12'h34);
    is_valid_rw |= accepted & (cpuif_addr == 12'h34);
    strobe.inject_seed = accepted & (cpuif_addr == 12'h38);
    is_valid_addr |= accepted & (cpuif_addr == 12'h38);
    is_valid_rw |= accepted & (cpuif_addr == 12'h38);
    strobe.prbs_length = accepted & (cpuif_addr == 12'h40);
    is_valid_addr |= accepted & (cpuif_addr == 12'h40);
    is_valid_rw |= accepted & (cpuif_addr == 12'h40);
    strobe.prbs_gap = accepted & (cpuif_addr == 12'h44);
    is_valid_addr |= accepted & (cpuif_addr == 12'h44);
    is_valid_rw |= accepted & (cpuif_addr == 12'h44);
    strobe.prbs_seed = accepted & (cpuif_addr == 12'h48);
    is_valid_addr |= accepted & (cpuif_addr == 12'h48);
    is_valid_rw |= accepted & (cpuif_addr == 12'h48);
    strobe.observe = accepted & (cpuif_addr[11:11] == 1'h1);
    is_external |= accepted & (cpuif_addr[11:11] == 1'h1);
    is_valid_addr |= accepted & (cpuif_addr[11:11] == 1'h1);
    is_valid_rw |= accepted & (cpuif_addr[11:11] == 1'h1);
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
  typedef struct {logic value;} field_storage_control_extended_t;
  typedef struct {logic value;} field_storage_control_delayed_release_t;
  typedef struct {logic value;} field_storage_control_prbs_source_t;
  typedef struct {logic value;} field_storage_control_prbs_check_t;
  typedef struct {logic value;} field_storage_control_inject_t;
  typedef struct {logic [2:0] value;} field_storage_control_loopback_t;
  typedef struct {
    field_storage_control_reset_t reset;
    field_storage_control_extended_t extended;
    field_storage_control_delayed_release_t delayed_release;
    field_storage_control_prbs_source_t prbs_source;
    field_storage_control_prbs_check_t prbs_check;
    field_storage_control_inject_t inject;
    field_storage_control_loopback_t loopback;
  } field_storage_control_t;
  typedef struct {logic value;} field_storage_command_clear_t;
  typedef struct {field_storage_command_clear_t clear;} field_storage_command_t;
  typedef struct {logic value;} field_storage_events_link_up_t;
  typedef struct {logic value;} field_storage_events_link_down_t;
  typedef struct {logic value;} field_storage_events_error_t;
  typedef struct {logic value;} field_storage_events_alignment_lost_t;
  typedef struct {logic value;} field_storage_events_overflow_t;
  typedef struct {logic value;} field_storage_events_session_t;
  typedef struct {logic value;} field_storage_events_abort_t;
  typedef struct {logic value;} field_storage_events_prbs_t;
  typedef struct {logic value;} field_storage_events_observe_lost_t;
  typedef struct {
    field_storage_events_link_up_t link_up;
    field_storage_events_link_down_t link_down;
    field_storage_events_error_t error;
    field_storage_events_alignment_lost_t alignment_lost;
    field_storage_events_overflow_t overflow;
    field_storage_events_session_t session;
    field_storage_events_abort_t abort;
    field_storage_events_prbs_t prbs;
    field_storage_events_observe_lost_t observe_lost;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_link_up_t;
  typedef struct {logic value;} field_storage_event_enable_link_down_t;
  typedef struct {logic value;} field_storage_event_enable_error_t;
  typedef struct {logic value;} field_storage_event_enable_alignment_lost_t;
  typedef struct {logic value;} field_storage_event_enable_overflow_t;
  typedef struct {logic value;} field_storage_event_enable_session_t;
  typedef struct {logic value;} field_storage_event_enable_abort_t;
  typedef struct {logic value;} field_storage_event_enable_prbs_t;
  typedef struct {logic value;} field_storage_event_enable_observe_lost_t;
  typedef struct {
    field_storage_event_enable_link_up_t link_up;
    field_storage_event_enable_link_down_t link_down;
    field_storage_event_enable_error_t error;
    field_storage_event_enable_alignment_lost_t alignment_lost;
    field_storage_event_enable_overflow_t overflow;
    field_storage_event_enable_session_t session;
    field_storage_event_enable_abort_t abort;
    field_storage_event_enable_prbs_t prbs;
    field_storage_event_enable_observe_lost_t observe_lost;
  } field_storage_event_enable_t;
  typedef struct {logic [31:0] value;} field_storage_inject_mantissa_mantissa_t;
  typedef struct {
    field_storage_inject_mantissa_mantissa_t mantissa;
  } field_storage_inject_mantissa_t;
  typedef struct {logic [4:0] value;} field_storage_inject_shift_shift_t;
  typedef struct {field_storage_inject_shift_shift_t shift;} field_storage_inject_shift_t;
  typedef struct {logic [31:0] value;} field_storage_inject_seed_seed_t;
  typedef struct {field_storage_inject_seed_seed_t seed;} field_storage_inject_seed_t;
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
  typedef struct {
    field_storage_control_t control;
    field_storage_command_t command;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_inject_mantissa_t inject_mantissa;
    field_storage_inject_shift_t inject_shift;
    field_storage_inject_seed_t inject_seed;
    field_storage_prbs_length_t prbs_length;
    field_storage_prbs_gap_t prbs_gap;
    field_storage_prbs_seed_t prbs_seed;
  } field_storage_t;
  field_storage_t stored;

  // Field: rifl.control.reset
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
  // Field: rifl.control.extended
  logic [0:0] control_extended_next;
  logic control_extended_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.extended.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    control_extended_next = next_c;
    control_extended_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.extended.value <= 1'h1;
    end else begin
      if (control_extended_load) begin
        stored.control.extended.value <= control_extended_next;
      end
    end
  end
  assign hwif_o.control.extended.value = stored.control.extended.value;
  // Field: rifl.control.delayed_release
  logic [0:0] control_delayed_release_next;
  logic control_delayed_release_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.delayed_release.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    control_delayed_release_next = next_c;
    control_delayed_release_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.delayed_release.value <= 1'h0;
    end else begin
      if (control_delayed_release_load) begin
        stored.control.delayed_release.value <= control_delayed_release_next;
      end
    end
  end
  assign hwif_o.control.delayed_release.value = stored.control.delayed_release.value;
  // Field: rifl.control.prbs_source
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
  // Field: rifl.control.prbs_check
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
  // Field: rifl.control.inject
  logic [0:0] control_inject_next;
  logic control_inject_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.inject.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:6]) | (wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    control_inject_next = next_c;
    control_inject_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.inject.value <= 1'h0;
    end else begin
      if (control_inject_load) begin
        stored.control.inject.value <= control_inject_next;
      end
    end
  end
  assign hwif_o.control.inject.value = stored.control.inject.value;
  // Field: rifl.control.loopback
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
  // Field: rifl.command.clear
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
  // Field: rifl.events.link_up
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
  // Field: rifl.events.link_down
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
  // Field: rifl.events.error
  logic [0:0] events_error_next;
  logic events_error_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.error.value;
    load_next_c = '0;
    if (hwif_i.events.error.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_error_next = next_c;
    events_error_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.error.value <= 1'h0;
    end else begin
      if (events_error_load) begin
        stored.events.error.value <= events_error_next;
      end
    end
  end
  // Field: rifl.events.alignment_lost
  logic [0:0] events_alignment_lost_next;
  logic events_alignment_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.alignment_lost.value;
    load_next_c = '0;
    if (hwif_i.events.alignment_lost.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    events_alignment_lost_next = next_c;
    events_alignment_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.alignment_lost.value <= 1'h0;
    end else begin
      if (events_alignment_lost_load) begin
        stored.events.alignment_lost.value <= events_alignment_lost_next;
      end
    end
  end
  // Field: rifl.events.overflow
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
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
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
  // Field: rifl.events.session
  logic [0:0] events_session_next;
  logic events_session_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.session.value;
    load_next_c = '0;
    if (hwif_i.events.session.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_session_next = next_c;
    events_session_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.session.value <= 1'h0;
    end else begin
      if (events_session_load) begin
        stored.events.session.value <= events_session_next;
      end
    end
  end
  // Field: rifl.events.abort
  logic [0:0] events_abort_next;
  logic events_abort_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.abort.value;
    load_next_c = '0;
    if (hwif_i.events.abort.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    events_abort_next = next_c;
    events_abort_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.abort.value <= 1'h0;
    end else begin
      if (events_abort_load) begin
        stored.events.abort.value <= events_abort_next;
      end
    end
  end
  // Field: rifl.events.prbs
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
      next_c = next_c & ~(wr_data[7:7] & wr_biten[7:7]);
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
  // Field: rifl.events.observe_lost
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
      next_c = next_c & ~(wr_data[8:8] & wr_biten[8:8]);
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
        || |(stored.events.error.value & stored.event_enable.error.value)
        || |(stored.events.alignment_lost.value & stored.event_enable.alignment_lost.value)
        || |(stored.events.overflow.value & stored.event_enable.overflow.value)
        || |(stored.events.session.value & stored.event_enable.session.value)
        || |(stored.events.abort.value & stored.event_enable.abort.value)
        || |(stored.events.prbs.value & stored.event_enable.prbs.value)
        || |(stored.events.observe_lost.value & stored.event_enable.observe_lost.value);
  // Field: rifl.event_enable.link_up
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
  // Field: rifl.event_enable.link_down
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
  // Field: rifl.event_enable.error
  logic [0:0] event_enable_error_next;
  logic event_enable_error_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.error.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_error_next = next_c;
    event_enable_error_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.error.value <= 1'h0;
    end else begin
      if (event_enable_error_load) begin
        stored.event_enable.error.value <= event_enable_error_next;
      end
    end
  end
  assign hwif_o.event_enable.error.value = stored.event_enable.error.value;
  // Field: rifl.event_enable.alignment_lost
  logic [0:0] event_enable_alignment_lost_next;
  logic event_enable_alignment_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.alignment_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    event_enable_alignment_lost_next = next_c;
    event_enable_alignment_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.alignment_lost.value <= 1'h0;
    end else begin
      if (event_enable_alignment_lost_load) begin
        stored.event_enable.alignment_lost.value <= event_enable_alignment_lost_next;
      end
    end
  end
  assign hwif_o.event_enable.alignment_lost.value = stored.event_enable.alignment_lost.value;
  // Field: rifl.event_enable.overflow
  logic [0:0] event_enable_overflow_next;
  logic event_enable_overflow_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.overflow.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
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
  // Field: rifl.event_enable.session
  logic [0:0] event_enable_session_next;
  logic event_enable_session_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.session.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_session_next = next_c;
    event_enable_session_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.session.value <= 1'h0;
    end else begin
      if (event_enable_session_load) begin
        stored.event_enable.session.value <= event_enable_session_next;
      end
    end
  end
  assign hwif_o.event_enable.session.value = stored.event_enable.session.value;
  // Field: rifl.event_enable.abort
  logic [0:0] event_enable_abort_next;
  logic event_enable_abort_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.abort.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:6]) | (wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    event_enable_abort_next = next_c;
    event_enable_abort_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.abort.value <= 1'h0;
    end else begin
      if (event_enable_abort_load) begin
        stored.event_enable.abort.value <= event_enable_abort_next;
      end
    end
  end
  assign hwif_o.event_enable.abort.value = stored.event_enable.abort.value;
  // Field: rifl.event_enable.prbs
  logic [0:0] event_enable_prbs_next;
  logic event_enable_prbs_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.prbs.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[7:7]) | (wr_data[7:7] & wr_biten[7:7]);
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
  // Field: rifl.event_enable.observe_lost
  logic [0:0] event_enable_observe_lost_next;
  logic event_enable_observe_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.observe_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[8:8]) | (wr_data[8:8] & wr_biten[8:8]);
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
  // Field: rifl.inject_mantissa.mantissa
  logic [31:0] inject_mantissa_mantissa_next;
  logic inject_mantissa_mantissa_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.inject_mantissa.mantissa.value;
    load_next_c = '0;
    if (strobe.inject_mantissa && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    inject_mantissa_mantissa_next = next_c;
    inject_mantissa_mantissa_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.inject_mantissa.mantissa.value <= 32'h0;
    end else begin
      if (inject_mantissa_mantissa_load) begin
        stored.inject_mantissa.mantissa.value <= inject_mantissa_mantissa_next;
      end
    end
  end
  assign hwif_o.inject_mantissa.mantissa.value = stored.inject_mantissa.mantissa.value;
  // Field: rifl.inject_shift.shift
  logic [4:0] inject_shift_shift_next;
  logic inject_shift_shift_load;
  always_comb begin
    automatic logic [4:0] next_c;
    automatic logic load_next_c;
    next_c = stored.inject_shift.shift.value;
    load_next_c = '0;
    if (strobe.inject_shift && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:0]) | (wr_data[4:0] & wr_biten[4:0]);
      load_next_c = '1;
    end
    inject_shift_shift_next = next_c;
    inject_shift_shift_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.inject_shift.shift.value <= 5'h0;
    end else begin
      if (inject_shift_shift_load) begin
        stored.inject_shift.shift.value <= inject_shift_shift_next;
      end
    end
  end
  assign hwif_o.inject_shift.shift.value = stored.inject_shift.shift.value;
  // Field: rifl.inject_seed.seed
  logic [31:0] inject_seed_seed_next;
  logic inject_seed_seed_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.inject_seed.seed.value;
    load_next_c = '0;
    if (strobe.inject_seed && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    inject_seed_seed_next = next_c;
    inject_seed_seed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.inject_seed.seed.value <= 32'h1;
    end else begin
      if (inject_seed_seed_load) begin
        stored.inject_seed.seed.value <= inject_seed_seed_next;
      end
    end
  end
  assign hwif_o.inject_seed.seed.value = stored.inject_seed.seed.value;
  // Field: rifl.prbs_length.shortest
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
  // Field: rifl.prbs_length.longest
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
  // Field: rifl.prbs_gap.gap
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
  // Field: rifl.prbs_seed.seed
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
  // External region: rifl.observe
  assign hwif_o.observe.req = strobe.observe;
  assign hwif_o.observe.addr = decoded_addr[10:0];
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

  logic [11:0] rd_mux_addr;
  logic [11:0] pending_rd_addr;
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
    if (rd_mux_addr == 12'h0) begin
      readback_data_var[31:0] = 32'h5249464c;
    end
    if (rd_mux_addr == 12'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h2;
      readback_data_var[31:24] = 8'h2;
    end
    if (rd_mux_addr == 12'h8) begin
      readback_data_var[3:0] = hwif_i.parameters.lanes.next;
      readback_data_var[7:4] = hwif_i.parameters.id_width.next;
      readback_data_var[19:8] = hwif_i.parameters.frame_width.next;
      readback_data_var[20] = hwif_i.parameters.strong_code.next;
      readback_data_var[28:24] = hwif_i.parameters.offset_window.next;
      readback_data_var[29] = hwif_i.parameters.delayed_release.next;
      readback_data_var[30] = hwif_i.parameters.test_traffic.next;
      readback_data_var[31] = hwif_i.parameters.extended.next;
    end
    if (rd_mux_addr == 12'hc) begin
      readback_data_var[15:0] = hwif_i.user.width.next;
    end
    if (rd_mux_addr == 12'h10) begin
      readback_data_var[0] = stored.control.reset.value;
      readback_data_var[1] = stored.control.extended.value;
      readback_data_var[2] = stored.control.delayed_release.value;
      readback_data_var[4] = stored.control.prbs_source.value;
      readback_data_var[5] = stored.control.prbs_check.value;
      readback_data_var[6] = stored.control.inject.value;
      readback_data_var[10:8] = stored.control.loopback.value;
    end
    if (rd_mux_addr == 12'h14) begin
      readback_data_var[0] = stored.command.clear.value;
    end
    if (rd_mux_addr == 12'h18) begin
      readback_data_var[0] = hwif_i.status.link_up.next;
      readback_data_var[1] = hwif_i.status.reset_active.next;
    end
    if (rd_mux_addr == 12'h20) begin
      readback_data_var[0] = stored.events.link_up.value;
      readback_data_var[1] = stored.events.link_down.value;
      readback_data_var[2] = stored.events.error.value;
      readback_data_var[3] = stored.events.alignment_lost.value;
      readback_data_var[4] = stored.events.overflow.value;
      readback_data_var[5] = stored.events.session.value;
      readback_data_var[6] = stored.events.abort.value;
      readback_data_var[7] = stored.events.prbs.value;
      readback_data_var[8] = stored.events.observe_lost.value;
    end
    if (rd_mux_addr == 12'h24) begin
      readback_data_var[0] = stored.event_enable.link_up.value;
      readback_data_var[1] = stored.event_enable.link_down.value;
      readback_data_var[2] = stored.event_enable.error.value;
      readback_data_var[3] = stored.event_enable.alignment_lost.value;
      readback_data_var[4] = stored.event_enable.overflow.value;
      readback_data_var[5] = stored.event_enable.session.value;
      readback_data_var[6] = stored.event_enable.abort.value;
      readback_data_var[7] = stored.event_enable.prbs.value;
      readback_data_var[8] = stored.event_enable.observe_lost.value;
    end
    if (rd_mux_addr == 12'h30) begin
      readback_data_var[31:0] = stored.inject_mantissa.mantissa.value;
    end
    if (rd_mux_addr == 12'h34) begin
      readback_data_var[4:0] = stored.inject_shift.shift.value;
    end
    if (rd_mux_addr == 12'h38) begin
      readback_data_var[31:0] = stored.inject_seed.seed.value;
    end
    if (rd_mux_addr == 12'h40) begin
      readback_data_var[15:0]  = stored.prbs_length.shortest.value;
      readback_data_var[31:16] = stored.prbs_length.longest.value;
    end
    if (rd_mux_addr == 12'h44) begin
      readback_data_var[15:0] = stored.prbs_gap.gap.value;
    end
    if (rd_mux_addr == 12'h48) begin
      readback_data_var[30:0] = stored.prbs_seed.seed.value;
    end
    if ((rd_mux_addr[11:11] == 1'h1)) begin
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
