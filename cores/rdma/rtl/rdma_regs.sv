// SPDX-License-Identifier: Apache-2.0
//
// rdma_regs: AXI4-Lite slave with the stored registers of rdma.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/rdma/regs/rdma.rdl: change that file.
// The map is described in docs/src/rdma-registers.md.

module rdma_regs (
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

  input  rdma_regs_pkg::rdma__in_t  hwif_i,
  output rdma_regs_pkg::rdma__out_t hwif_o
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
    logic control;
    logic command;
    logic status;
    logic events;
    logic event_enable;
    logic identity;
    logic timeout;
    logic retries;
    logic read_timeout;
    logic window;
    logic [1:0] window_first;
    logic [1:0] window_last;
    logic rate;
    logic forget;
    logic service;
    logic congestion;
    logic receive;
    logic page_rate[16];
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
    strobe.identity = accepted & (cpuif_addr == 13'h30);
    is_valid_addr |= accepted & (cpuif_addr == 13'h30);
    is_valid_rw |= accepted & (cpuif_addr == 13'h30);
    strobe.timeout = accepted & (cpuif_addr == 13'h34);
    is_valid_addr |= accepted & (cpuif_addr == 13'h34);
    is_valid_rw |= accepted & (cpuif_addr == 13'h34);
    strobe.retries = accepted & (cpuif_addr == 13'h38);
    is_valid_addr |= accepted & (cpuif_addr == 13'h38);
    is_valid_rw |= accepted & (cpuif_addr == 13'h38);
    strobe.read_timeout = accepted & (cpuif_addr == 13'h3c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h3c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h3c);
    strobe.window = accepted & (cpuif_addr == 13'h40);
    is_valid_addr |= accepted & (cpuif_addr == 13'h40);
    is_valid_rw |= accepted & (cpuif_addr == 13'h40);
    strobe.window_first[0] = accepted & (cpuif_addr == 13'h48);
    is_valid_addr |= accepted & (cpuif_addr == 13'h48);
    is_valid_rw |= accepted & (cpuif_addr == 13'h48);
    strobe.window_first[1] = accepted & (cpuif_addr == 13'h4c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h4c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h4c);
    strobe.window_last[0] = accepted & (cpuif_addr == 13'h50);
    is_valid_addr |= accepted & (cpuif_addr == 13'h50);
    is_valid_rw |= accepted & (cpuif_addr == 13'h50);
    strobe.window_last[1] = accepted & (cpuif_addr == 13'h54);
    is_valid_addr |= accepted & (cpuif_addr == 13'h54);
    is_valid_rw |= accepted & (cpuif_addr == 13'h54);
    strobe.rate = accepted & (cpuif_addr == 13'h58);
    is_valid_addr |= accepted & (cpuif_addr == 13'h58);
    is_valid_rw |= accepted & (cpuif_addr == 13'h58);
    strobe.forget = accepted & (cpuif_addr == 13'h5c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h5c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h5c);
    strobe.service = accepted & (cpuif_addr == 13'h60);
    is_valid_addr |= accepted & (cpuif_addr == 13'h60);
    is_valid_rw |= accepted & (cpuif_addr == 13'h60);
    strobe.congestion = accepted & (cpuif_addr == 13'h64);
    is_valid_addr |= accepted & (cpuif_addr == 13'h64);
    is_valid_rw |= accepted & (cpuif_addr == 13'h64);
    strobe.receive = accepted & (cpuif_addr == 13'h68);
    is_valid_addr |= accepted & (cpuif_addr == 13'h68);
    is_valid_rw |= accepted & (cpuif_addr == 13'h68);
    for (int i0 = 0; i0 < 16; i0++) begin
      strobe.page_rate[i0] = accepted & (cpuif_addr == 13'h80 + (13)'(i0) * 13'h4);
      is_valid_addr |= accepted & (cpuif_addr == 13'h80 + (13)'(i0) * 13'h4);
      is_valid_rw |= accepted & (cpuif_addr == 13'h80 + (13)'(i0) * 13'h4);
    end
    strobe.observe = accepted & (cpuif_addr[12:9] == 4'h8);
    is_external |= accepted & (cpuif_addr[12:9] == 4'h8);
    is_valid_addr |= accepted & (cpuif_addr[12:9] == 4'h8);
    is_valid_rw |= accepted & (cpuif_addr[12:9] == 4'h8);
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

  typedef struct {logic value;} field_storage_control_enable_t;
  typedef struct {field_storage_control_enable_t enable;} field_storage_control_t;
  typedef struct {logic value;} field_storage_command_clear_t;
  typedef struct {logic value;} field_storage_command_window_t;
  typedef struct {logic value;} field_storage_command_rate_t;
  typedef struct {
    field_storage_command_clear_t  clear;
    field_storage_command_window_t window;
    field_storage_command_rate_t   rate;
  } field_storage_command_t;
  typedef struct {logic value;} field_storage_events_completed_t;
  typedef struct {logic value;} field_storage_events_failed_t;
  typedef struct {logic value;} field_storage_events_refused_t;
  typedef struct {logic value;} field_storage_events_outside_t;
  typedef struct {logic value;} field_storage_events_memory_error_t;
  typedef struct {logic value;} field_storage_events_fault_t;
  typedef struct {
    field_storage_events_completed_t completed;
    field_storage_events_failed_t failed;
    field_storage_events_refused_t refused;
    field_storage_events_outside_t outside;
    field_storage_events_memory_error_t memory_error;
    field_storage_events_fault_t fault;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_completed_t;
  typedef struct {logic value;} field_storage_event_enable_failed_t;
  typedef struct {logic value;} field_storage_event_enable_refused_t;
  typedef struct {logic value;} field_storage_event_enable_outside_t;
  typedef struct {logic value;} field_storage_event_enable_memory_error_t;
  typedef struct {logic value;} field_storage_event_enable_fault_t;
  typedef struct {
    field_storage_event_enable_completed_t completed;
    field_storage_event_enable_failed_t failed;
    field_storage_event_enable_refused_t refused;
    field_storage_event_enable_outside_t outside;
    field_storage_event_enable_memory_error_t memory_error;
    field_storage_event_enable_fault_t fault;
  } field_storage_event_enable_t;
  typedef struct {logic [15:0] value;} field_storage_identity_node_t;
  typedef struct {logic [3:0] value;} field_storage_identity_epoch_t;
  typedef struct {
    field_storage_identity_node_t  node;
    field_storage_identity_epoch_t epoch;
  } field_storage_identity_t;
  typedef struct {logic [31:0] value;} field_storage_timeout_cycles_t;
  typedef struct {field_storage_timeout_cycles_t cycles;} field_storage_timeout_t;
  typedef struct {logic [3:0] value;} field_storage_retries_count_t;
  typedef struct {field_storage_retries_count_t count;} field_storage_retries_t;
  typedef struct {logic [17:0] value;} field_storage_read_timeout_ticks_t;
  typedef struct {field_storage_read_timeout_ticks_t ticks;} field_storage_read_timeout_t;
  typedef struct {logic [3:0] value;} field_storage_window_domain_t;
  typedef struct {logic [3:0] value;} field_storage_window_slot_t;
  typedef struct {logic value;} field_storage_window_read_t;
  typedef struct {logic value;} field_storage_window_write_t;
  typedef struct {
    field_storage_window_domain_t domain;
    field_storage_window_slot_t   slot;
    field_storage_window_read_t   read;
    field_storage_window_write_t  write;
  } field_storage_window_t;
  typedef struct {logic [31:0] value;} field_storage_window_first_low_t;
  typedef struct {logic [15:0] value;} field_storage_window_first_high_t;
  typedef struct {
    field_storage_window_first_low_t  low;
    field_storage_window_first_high_t high;
  } field_storage_window_first_t;
  typedef struct {logic [31:0] value;} field_storage_window_last_low_t;
  typedef struct {logic [15:0] value;} field_storage_window_last_high_t;
  typedef struct {
    field_storage_window_last_low_t  low;
    field_storage_window_last_high_t high;
  } field_storage_window_last_t;
  typedef struct {logic [6:0] value;} field_storage_rate_flow_t;
  typedef struct {logic [15:0] value;} field_storage_rate_interval_t;
  typedef struct {
    field_storage_rate_flow_t flow;
    field_storage_rate_interval_t   interval;
  } field_storage_rate_t;
  typedef struct {logic [15:0] value;} field_storage_forget_ticks_t;
  typedef struct {field_storage_forget_ticks_t ticks;} field_storage_forget_t;
  typedef struct {logic value;} field_storage_service_weighted_t;
  typedef struct {logic [3:0] value;} field_storage_service_weight_small_t;
  typedef struct {logic [3:0] value;} field_storage_service_weight_one_path_t;
  typedef struct {logic [3:0] value;} field_storage_service_weight_four_paths_t;
  typedef struct {
    field_storage_service_weighted_t weighted;
    field_storage_service_weight_small_t weight_small;
    field_storage_service_weight_one_path_t weight_one_path;
    field_storage_service_weight_four_paths_t weight_four_paths;
  } field_storage_service_t;
  typedef struct {logic [2:0] value;} field_storage_congestion_fall_t;
  typedef struct {logic [2:0] value;} field_storage_congestion_first_t;
  typedef struct {logic [15:0] value;} field_storage_congestion_increase_t;
  typedef struct {
    field_storage_congestion_fall_t fall;
    field_storage_congestion_first_t first;
    field_storage_congestion_increase_t increase;
  } field_storage_congestion_t;
  typedef struct {logic value;} field_storage_receive_cut_through_t;
  typedef struct {field_storage_receive_cut_through_t cut_through;} field_storage_receive_t;
  typedef struct {logic [15:0] value;} field_storage_page_rate_one_path_t;
  typedef struct {logic [15:0] value;} field_storage_page_rate_four_paths_t;
  typedef struct {
    field_storage_page_rate_one_path_t   one_path;
    field_storage_page_rate_four_paths_t four_paths;
  } field_storage_page_rate_t;
  typedef struct {
    field_storage_control_t control;
    field_storage_command_t command;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_identity_t identity;
    field_storage_timeout_t timeout;
    field_storage_retries_t retries;
    field_storage_read_timeout_t read_timeout;
    field_storage_window_t window;
    field_storage_window_first_t window_first;
    field_storage_window_last_t window_last;
    field_storage_rate_t rate;
    field_storage_forget_t forget;
    field_storage_service_t service;
    field_storage_congestion_t congestion;
    field_storage_receive_t receive;
    field_storage_page_rate_t page_rate[16];
  } field_storage_t;
  field_storage_t stored;

  // Field: rdma.control.enable
  logic [0:0] control_enable_next;
  logic control_enable_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.enable.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    control_enable_next = next_c;
    control_enable_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.enable.value <= 1'h0;
    end else begin
      if (control_enable_load) begin
        stored.control.enable.value <= control_enable_next;
      end
    end
  end
  assign hwif_o.control.enable.value = stored.control.enable.value;
  // Field: rdma.command.clear
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
  // Field: rdma.command.window
  logic [0:0] command_window_next;
  logic command_window_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.window.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_window_next = next_c;
    command_window_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.window.value <= 1'h0;
    end else begin
      if (command_window_load) begin
        stored.command.window.value <= command_window_next;
      end
    end
  end
  assign hwif_o.command.window.value = stored.command.window.value;
  // Field: rdma.command.rate
  logic [0:0] command_rate_next;
  logic command_rate_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.command.rate.value;
    load_next_c = '0;
    if (strobe.command && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    command_rate_next = next_c;
    command_rate_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.command.rate.value <= 1'h0;
    end else begin
      if (command_rate_load) begin
        stored.command.rate.value <= command_rate_next;
      end
    end
  end
  assign hwif_o.command.rate.value = stored.command.rate.value;
  // Field: rdma.events.completed
  logic [0:0] events_completed_next;
  logic events_completed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.completed.value;
    load_next_c = '0;
    if (hwif_i.events.completed.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    events_completed_next = next_c;
    events_completed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.completed.value <= 1'h0;
    end else begin
      if (events_completed_load) begin
        stored.events.completed.value <= events_completed_next;
      end
    end
  end
  // Field: rdma.events.failed
  logic [0:0] events_failed_next;
  logic events_failed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.failed.value;
    load_next_c = '0;
    if (hwif_i.events.failed.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    events_failed_next = next_c;
    events_failed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.failed.value <= 1'h0;
    end else begin
      if (events_failed_load) begin
        stored.events.failed.value <= events_failed_next;
      end
    end
  end
  // Field: rdma.events.refused
  logic [0:0] events_refused_next;
  logic events_refused_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.refused.value;
    load_next_c = '0;
    if (hwif_i.events.refused.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_refused_next = next_c;
    events_refused_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.refused.value <= 1'h0;
    end else begin
      if (events_refused_load) begin
        stored.events.refused.value <= events_refused_next;
      end
    end
  end
  // Field: rdma.events.outside
  logic [0:0] events_outside_next;
  logic events_outside_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.outside.value;
    load_next_c = '0;
    if (hwif_i.events.outside.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    events_outside_next = next_c;
    events_outside_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.outside.value <= 1'h0;
    end else begin
      if (events_outside_load) begin
        stored.events.outside.value <= events_outside_next;
      end
    end
  end
  // Field: rdma.events.memory_error
  logic [0:0] events_memory_error_next;
  logic events_memory_error_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.memory_error.value;
    load_next_c = '0;
    if (hwif_i.events.memory_error.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    events_memory_error_next = next_c;
    events_memory_error_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.memory_error.value <= 1'h0;
    end else begin
      if (events_memory_error_load) begin
        stored.events.memory_error.value <= events_memory_error_next;
      end
    end
  end
  // Field: rdma.events.fault
  logic [0:0] events_fault_next;
  logic events_fault_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.fault.value;
    load_next_c = '0;
    if (hwif_i.events.fault.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_fault_next = next_c;
    events_fault_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.fault.value <= 1'h0;
    end else begin
      if (events_fault_load) begin
        stored.events.fault.value <= events_fault_next;
      end
    end
  end
  assign hwif_o.events.intr =
        |(stored.events.completed.value & stored.event_enable.completed.value)
        || |(stored.events.failed.value & stored.event_enable.failed.value)
        || |(stored.events.refused.value & stored.event_enable.refused.value)
        || |(stored.events.outside.value & stored.event_enable.outside.value)
        || |(stored.events.memory_error.value & stored.event_enable.memory_error.value)
        || |(stored.events.fault.value & stored.event_enable.fault.value);
  // Field: rdma.event_enable.completed
  logic [0:0] event_enable_completed_next;
  logic event_enable_completed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.completed.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    event_enable_completed_next = next_c;
    event_enable_completed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.completed.value <= 1'h0;
    end else begin
      if (event_enable_completed_load) begin
        stored.event_enable.completed.value <= event_enable_completed_next;
      end
    end
  end
  assign hwif_o.event_enable.completed.value = stored.event_enable.completed.value;
  // Field: rdma.event_enable.failed
  logic [0:0] event_enable_failed_next;
  logic event_enable_failed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.failed.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    event_enable_failed_next = next_c;
    event_enable_failed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.failed.value <= 1'h0;
    end else begin
      if (event_enable_failed_load) begin
        stored.event_enable.failed.value <= event_enable_failed_next;
      end
    end
  end
  assign hwif_o.event_enable.failed.value = stored.event_enable.failed.value;
  // Field: rdma.event_enable.refused
  logic [0:0] event_enable_refused_next;
  logic event_enable_refused_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.refused.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_refused_next = next_c;
    event_enable_refused_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.refused.value <= 1'h0;
    end else begin
      if (event_enable_refused_load) begin
        stored.event_enable.refused.value <= event_enable_refused_next;
      end
    end
  end
  assign hwif_o.event_enable.refused.value = stored.event_enable.refused.value;
  // Field: rdma.event_enable.outside
  logic [0:0] event_enable_outside_next;
  logic event_enable_outside_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.outside.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    event_enable_outside_next = next_c;
    event_enable_outside_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.outside.value <= 1'h0;
    end else begin
      if (event_enable_outside_load) begin
        stored.event_enable.outside.value <= event_enable_outside_next;
      end
    end
  end
  assign hwif_o.event_enable.outside.value = stored.event_enable.outside.value;
  // Field: rdma.event_enable.memory_error
  logic [0:0] event_enable_memory_error_next;
  logic event_enable_memory_error_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.memory_error.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    event_enable_memory_error_next = next_c;
    event_enable_memory_error_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.memory_error.value <= 1'h0;
    end else begin
      if (event_enable_memory_error_load) begin
        stored.event_enable.memory_error.value <= event_enable_memory_error_next;
      end
    end
  end
  assign hwif_o.event_enable.memory_error.value = stored.event_enable.memory_error.value;
  // Field: rdma.event_enable.fault
  logic [0:0] event_enable_fault_next;
  logic event_enable_fault_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.fault.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_fault_next = next_c;
    event_enable_fault_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.fault.value <= 1'h0;
    end else begin
      if (event_enable_fault_load) begin
        stored.event_enable.fault.value <= event_enable_fault_next;
      end
    end
  end
  assign hwif_o.event_enable.fault.value = stored.event_enable.fault.value;
  // Field: rdma.identity.node
  logic [15:0] identity_node_next;
  logic identity_node_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.identity.node.value;
    load_next_c = '0;
    if (strobe.identity && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    identity_node_next = next_c;
    identity_node_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.identity.node.value <= 16'h0;
    end else begin
      if (identity_node_load) begin
        stored.identity.node.value <= identity_node_next;
      end
    end
  end
  assign hwif_o.identity.node.value = stored.identity.node.value;
  // Field: rdma.identity.epoch
  logic [3:0] identity_epoch_next;
  logic identity_epoch_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.identity.epoch.value;
    load_next_c = '0;
    if (strobe.identity && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[19:16]) | (wr_data[19:16] & wr_biten[19:16]);
      load_next_c = '1;
    end
    identity_epoch_next = next_c;
    identity_epoch_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.identity.epoch.value <= 4'h0;
    end else begin
      if (identity_epoch_load) begin
        stored.identity.epoch.value <= identity_epoch_next;
      end
    end
  end
  assign hwif_o.identity.epoch.value = stored.identity.epoch.value;
  // Field: rdma.timeout.cycles
  logic [31:0] timeout_cycles_next;
  logic timeout_cycles_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.timeout.cycles.value;
    load_next_c = '0;
    if (strobe.timeout && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    timeout_cycles_next = next_c;
    timeout_cycles_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.timeout.cycles.value <= 32'h186a0;
    end else begin
      if (timeout_cycles_load) begin
        stored.timeout.cycles.value <= timeout_cycles_next;
      end
    end
  end
  assign hwif_o.timeout.cycles.value = stored.timeout.cycles.value;
  // Field: rdma.retries.count
  logic [3:0] retries_count_next;
  logic retries_count_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.retries.count.value;
    load_next_c = '0;
    if (strobe.retries && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:0]) | (wr_data[3:0] & wr_biten[3:0]);
      load_next_c = '1;
    end
    retries_count_next = next_c;
    retries_count_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.retries.count.value <= 4'h7;
    end else begin
      if (retries_count_load) begin
        stored.retries.count.value <= retries_count_next;
      end
    end
  end
  assign hwif_o.retries.count.value = stored.retries.count.value;
  // Field: rdma.read_timeout.ticks
  logic [17:0] read_timeout_ticks_next;
  logic read_timeout_ticks_load;
  always_comb begin
    automatic logic [17:0] next_c;
    automatic logic load_next_c;
    next_c = stored.read_timeout.ticks.value;
    load_next_c = '0;
    if (strobe.read_timeout && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[17:0]) | (wr_data[17:0] & wr_biten[17:0]);
      load_next_c = '1;
    end
    read_timeout_ticks_next = next_c;
    read_timeout_ticks_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.read_timeout.ticks.value <= 18'h4787;
    end else begin
      if (read_timeout_ticks_load) begin
        stored.read_timeout.ticks.value <= read_timeout_ticks_next;
      end
    end
  end
  assign hwif_o.read_timeout.ticks.value = stored.read_timeout.ticks.value;
  // Field: rdma.window.domain
  logic [3:0] window_domain_next;
  logic window_domain_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window.domain.value;
    load_next_c = '0;
    if (strobe.window && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:0]) | (wr_data[3:0] & wr_biten[3:0]);
      load_next_c = '1;
    end
    window_domain_next = next_c;
    window_domain_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window.domain.value <= 4'h0;
    end else begin
      if (window_domain_load) begin
        stored.window.domain.value <= window_domain_next;
      end
    end
  end
  assign hwif_o.window.domain.value = stored.window.domain.value;
  // Field: rdma.window.slot
  logic [3:0] window_slot_next;
  logic window_slot_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window.slot.value;
    load_next_c = '0;
    if (strobe.window && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[11:8]) | (wr_data[11:8] & wr_biten[11:8]);
      load_next_c = '1;
    end
    window_slot_next = next_c;
    window_slot_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window.slot.value <= 4'h0;
    end else begin
      if (window_slot_load) begin
        stored.window.slot.value <= window_slot_next;
      end
    end
  end
  assign hwif_o.window.slot.value = stored.window.slot.value;
  // Field: rdma.window.read
  logic [0:0] window_read_next;
  logic window_read_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window.read.value;
    load_next_c = '0;
    if (strobe.window && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[16:16]) | (wr_data[16:16] & wr_biten[16:16]);
      load_next_c = '1;
    end
    window_read_next = next_c;
    window_read_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window.read.value <= 1'h0;
    end else begin
      if (window_read_load) begin
        stored.window.read.value <= window_read_next;
      end
    end
  end
  assign hwif_o.window.read.value = stored.window.read.value;
  // Field: rdma.window.write
  logic [0:0] window_write_next;
  logic window_write_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window.write.value;
    load_next_c = '0;
    if (strobe.window && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[17:17]) | (wr_data[17:17] & wr_biten[17:17]);
      load_next_c = '1;
    end
    window_write_next = next_c;
    window_write_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window.write.value <= 1'h0;
    end else begin
      if (window_write_load) begin
        stored.window.write.value <= window_write_next;
      end
    end
  end
  assign hwif_o.window.write.value = stored.window.write.value;
  // Field: rdma.window_first.low
  logic [31:0] window_first_low_next;
  logic window_first_low_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_first.low.value;
    load_next_c = '0;
    if (strobe.window_first[0] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    window_first_low_next = next_c;
    window_first_low_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_first.low.value <= 32'h0;
    end else begin
      if (window_first_low_load) begin
        stored.window_first.low.value <= window_first_low_next;
      end
    end
  end
  assign hwif_o.window_first.low.value = stored.window_first.low.value;
  // Field: rdma.window_first.high
  logic [15:0] window_first_high_next;
  logic window_first_high_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_first.high.value;
    load_next_c = '0;
    if (strobe.window_first[1] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    window_first_high_next = next_c;
    window_first_high_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_first.high.value <= 16'h0;
    end else begin
      if (window_first_high_load) begin
        stored.window_first.high.value <= window_first_high_next;
      end
    end
  end
  assign hwif_o.window_first.high.value = stored.window_first.high.value;
  // Field: rdma.window_last.low
  logic [31:0] window_last_low_next;
  logic window_last_low_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_last.low.value;
    load_next_c = '0;
    if (strobe.window_last[0] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    window_last_low_next = next_c;
    window_last_low_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_last.low.value <= 32'h0;
    end else begin
      if (window_last_low_load) begin
        stored.window_last.low.value <= window_last_low_next;
      end
    end
  end
  assign hwif_o.window_last.low.value = stored.window_last.low.value;
  // Field: rdma.window_last.high
  logic [15:0] window_last_high_next;
  logic window_last_high_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_last.high.value;
    load_next_c = '0;
    if (strobe.window_last[1] && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    window_last_high_next = next_c;
    window_last_high_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_last.high.value <= 16'h0;
    end else begin
      if (window_last_high_load) begin
        stored.window_last.high.value <= window_last_high_next;
      end
    end
  end
  assign hwif_o.window_last.high.value = stored.window_last.high.value;
  // Field: rdma.rate.flow
  logic [6:0] rate_flow_next;
  logic rate_flow_load;
  always_comb begin
    automatic logic [6:0] next_c;
    automatic logic load_next_c;
    next_c = stored.rate.flow.value;
    load_next_c = '0;
    if (strobe.rate && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:0]) | (wr_data[6:0] & wr_biten[6:0]);
      load_next_c = '1;
    end
    rate_flow_next = next_c;
    rate_flow_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.rate.flow.value <= 7'h0;
    end else begin
      if (rate_flow_load) begin
        stored.rate.flow.value <= rate_flow_next;
      end
    end
  end
  assign hwif_o.rate.flow.value = stored.rate.flow.value;
  // Field: rdma.rate.interval
  logic [15:0] rate_interval_next;
  logic rate_interval_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.rate.interval.value;
    load_next_c = '0;
    if (strobe.rate && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
      load_next_c = '1;
    end
    rate_interval_next = next_c;
    rate_interval_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.rate.interval.value <= 16'h0;
    end else begin
      if (rate_interval_load) begin
        stored.rate.interval.value <= rate_interval_next;
      end
    end
  end
  assign hwif_o.rate.interval.value = stored.rate.interval.value;
  // Field: rdma.forget.ticks
  logic [15:0] forget_ticks_next;
  logic forget_ticks_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.forget.ticks.value;
    load_next_c = '0;
    if (strobe.forget && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    forget_ticks_next = next_c;
    forget_ticks_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.forget.ticks.value <= 16'h10;
    end else begin
      if (forget_ticks_load) begin
        stored.forget.ticks.value <= forget_ticks_next;
      end
    end
  end
  assign hwif_o.forget.ticks.value = stored.forget.ticks.value;
  // Field: rdma.service.weighted
  logic [0:0] service_weighted_next;
  logic service_weighted_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.service.weighted.value;
    load_next_c = '0;
    if (strobe.service && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    service_weighted_next = next_c;
    service_weighted_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.service.weighted.value <= 1'h0;
    end else begin
      if (service_weighted_load) begin
        stored.service.weighted.value <= service_weighted_next;
      end
    end
  end
  assign hwif_o.service.weighted.value = stored.service.weighted.value;
  // Field: rdma.service.weight_small
  logic [3:0] service_weight_small_next;
  logic service_weight_small_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.service.weight_small.value;
    load_next_c = '0;
    if (strobe.service && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[7:4]) | (wr_data[7:4] & wr_biten[7:4]);
      load_next_c = '1;
    end
    service_weight_small_next = next_c;
    service_weight_small_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.service.weight_small.value <= 4'h1;
    end else begin
      if (service_weight_small_load) begin
        stored.service.weight_small.value <= service_weight_small_next;
      end
    end
  end
  assign hwif_o.service.weight_small.value = stored.service.weight_small.value;
  // Field: rdma.service.weight_one_path
  logic [3:0] service_weight_one_path_next;
  logic service_weight_one_path_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.service.weight_one_path.value;
    load_next_c = '0;
    if (strobe.service && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[11:8]) | (wr_data[11:8] & wr_biten[11:8]);
      load_next_c = '1;
    end
    service_weight_one_path_next = next_c;
    service_weight_one_path_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.service.weight_one_path.value <= 4'h1;
    end else begin
      if (service_weight_one_path_load) begin
        stored.service.weight_one_path.value <= service_weight_one_path_next;
      end
    end
  end
  assign hwif_o.service.weight_one_path.value = stored.service.weight_one_path.value;
  // Field: rdma.service.weight_four_paths
  logic [3:0] service_weight_four_paths_next;
  logic service_weight_four_paths_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.service.weight_four_paths.value;
    load_next_c = '0;
    if (strobe.service && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:12]) | (wr_data[15:12] & wr_biten[15:12]);
      load_next_c = '1;
    end
    service_weight_four_paths_next = next_c;
    service_weight_four_paths_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.service.weight_four_paths.value <= 4'h1;
    end else begin
      if (service_weight_four_paths_load) begin
        stored.service.weight_four_paths.value <= service_weight_four_paths_next;
      end
    end
  end
  assign hwif_o.service.weight_four_paths.value = stored.service.weight_four_paths.value;
  // Field: rdma.congestion.fall
  logic [2:0] congestion_fall_next;
  logic congestion_fall_load;
  always_comb begin
    automatic logic [2:0] next_c;
    automatic logic load_next_c;
    next_c = stored.congestion.fall.value;
    load_next_c = '0;
    if (strobe.congestion && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:0]) | (wr_data[2:0] & wr_biten[2:0]);
      load_next_c = '1;
    end
    congestion_fall_next = next_c;
    congestion_fall_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.congestion.fall.value <= 3'h4;
    end else begin
      if (congestion_fall_load) begin
        stored.congestion.fall.value <= congestion_fall_next;
      end
    end
  end
  assign hwif_o.congestion.fall.value = stored.congestion.fall.value;
  // Field: rdma.congestion.first
  logic [2:0] congestion_first_next;
  logic congestion_first_load;
  always_comb begin
    automatic logic [2:0] next_c;
    automatic logic load_next_c;
    next_c = stored.congestion.first.value;
    load_next_c = '0;
    if (strobe.congestion && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:4]) | (wr_data[6:4] & wr_biten[6:4]);
      load_next_c = '1;
    end
    congestion_first_next = next_c;
    congestion_first_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.congestion.first.value <= 3'h3;
    end else begin
      if (congestion_first_load) begin
        stored.congestion.first.value <= congestion_first_next;
      end
    end
  end
  assign hwif_o.congestion.first.value = stored.congestion.first.value;
  // Field: rdma.congestion.increase
  logic [15:0] congestion_increase_next;
  logic congestion_increase_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.congestion.increase.value;
    load_next_c = '0;
    if (strobe.congestion && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
      load_next_c = '1;
    end
    congestion_increase_next = next_c;
    congestion_increase_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.congestion.increase.value <= 16'h80;
    end else begin
      if (congestion_increase_load) begin
        stored.congestion.increase.value <= congestion_increase_next;
      end
    end
  end
  assign hwif_o.congestion.increase.value = stored.congestion.increase.value;
  // Field: rdma.receive.cut_through
  logic [0:0] receive_cut_through_next;
  logic receive_cut_through_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.receive.cut_through.value;
    load_next_c = '0;
    if (strobe.receive && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    receive_cut_through_next = next_c;
    receive_cut_through_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.receive.cut_through.value <= 1'h1;
    end else begin
      if (receive_cut_through_load) begin
        stored.receive.cut_through.value <= receive_cut_through_next;
      end
    end
  end
  assign hwif_o.receive.cut_through.value = stored.receive.cut_through.value;
  for (genvar i0 = 0; i0 < 16; i0++) begin : gen_0
    // Field: rdma.page_rate[].one_path
    logic [15:0] page_rate_one_path_next;
    logic page_rate_one_path_load;
    always_comb begin
      automatic logic [15:0] next_c;
      automatic logic load_next_c;
      next_c = stored.page_rate[i0].one_path.value;
      load_next_c = '0;
      if (strobe.page_rate[i0] && decoded_req_is_wr) begin  // SW write
        next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
        load_next_c = '1;
      end
      page_rate_one_path_next = next_c;
      page_rate_one_path_load = load_next_c;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        stored.page_rate[i0].one_path.value <= 16'h0;
      end else begin
        if (page_rate_one_path_load) begin
          stored.page_rate[i0].one_path.value <= page_rate_one_path_next;
        end
      end
    end
    assign hwif_o.page_rate[i0].one_path.value = stored.page_rate[i0].one_path.value;
    // Field: rdma.page_rate[].four_paths
    logic [15:0] page_rate_four_paths_next;
    logic page_rate_four_paths_load;
    always_comb begin
      automatic logic [15:0] next_c;
      automatic logic load_next_c;
      next_c = stored.page_rate[i0].four_paths.value;
      load_next_c = '0;
      if (strobe.page_rate[i0] && decoded_req_is_wr) begin  // SW write
        next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
        load_next_c = '1;
      end
      page_rate_four_paths_next = next_c;
      page_rate_four_paths_load = load_next_c;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        stored.page_rate[i0].four_paths.value <= 16'h0;
      end else begin
        if (page_rate_four_paths_load) begin
          stored.page_rate[i0].four_paths.value <= page_rate_four_paths_next;
        end
      end
    end
    assign hwif_o.page_rate[i0].four_paths.value = stored.page_rate[i0].four_paths.value;
  end
  // External region: rdma.observe
  assign hwif_o.observe.req = strobe.observe;
  assign hwif_o.observe.addr = decoded_addr[8:0];
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
      readback_data_var[31:0] = 32'h52444d41;
    end
    if (rd_mux_addr == 13'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h7;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 13'h8) begin
      readback_data_var[4:0] = hwif_i.parameters.pages.next;
      readback_data_var[12:8] = hwif_i.parameters.priorities.next;
      readback_data_var[22:16] = hwif_i.parameters.senders.next;
      readback_data_var[28:24] = hwif_i.parameters.windows.next;
      readback_data_var[29] = hwif_i.parameters.packed_framing.next;
      readback_data_var[30] = hwif_i.parameters.cut_through.next;
    end
    if (rd_mux_addr == 13'h10) begin
      readback_data_var[0] = stored.control.enable.value;
    end
    if (rd_mux_addr == 13'h14) begin
      readback_data_var[0] = stored.command.clear.value;
      readback_data_var[1] = stored.command.window.value;
      readback_data_var[2] = stored.command.rate.value;
    end
    if (rd_mux_addr == 13'h18) begin
      readback_data_var[0] = hwif_i.status.ready.next;
      readback_data_var[1] = hwif_i.status.drained.next;
    end
    if (rd_mux_addr == 13'h20) begin
      readback_data_var[0] = stored.events.completed.value;
      readback_data_var[1] = stored.events.failed.value;
      readback_data_var[2] = stored.events.refused.value;
      readback_data_var[3] = stored.events.outside.value;
      readback_data_var[4] = stored.events.memory_error.value;
      readback_data_var[5] = stored.events.fault.value;
    end
    if (rd_mux_addr == 13'h24) begin
      readback_data_var[0] = stored.event_enable.completed.value;
      readback_data_var[1] = stored.event_enable.failed.value;
      readback_data_var[2] = stored.event_enable.refused.value;
      readback_data_var[3] = stored.event_enable.outside.value;
      readback_data_var[4] = stored.event_enable.memory_error.value;
      readback_data_var[5] = stored.event_enable.fault.value;
    end
    if (rd_mux_addr == 13'h30) begin
      readback_data_var[15:0]  = stored.identity.node.value;
      readback_data_var[19:16] = stored.identity.epoch.value;
    end
    if (rd_mux_addr == 13'h34) begin
      readback_data_var[31:0] = stored.timeout.cycles.value;
    end
    if (rd_mux_addr == 13'h38) begin
      readback_data_var[3:0] = stored.retries.count.value;
    end
    if (rd_mux_addr == 13'h3c) begin
      readback_data_var[17:0] = stored.read_timeout.ticks.value;
    end
    if (rd_mux_addr == 13'h40) begin
      readback_data_var[3:0]  = stored.window.domain.value;
      readback_data_var[11:8] = stored.window.slot.value;
      readback_data_var[16]   = stored.window.read.value;
      readback_data_var[17]   = stored.window.write.value;
    end
    if (rd_mux_addr == 13'h48) begin
      readback_data_var[31:0] = stored.window_first.low.value;
    end
    if (rd_mux_addr == 13'h4c) begin
      readback_data_var[15:0] = stored.window_first.high.value;
    end
    if (rd_mux_addr == 13'h50) begin
      readback_data_var[31:0] = stored.window_last.low.value;
    end
    if (rd_mux_addr == 13'h54) begin
      readback_data_var[15:0] = stored.window_last.high.value;
    end
    if (rd_mux_addr == 13'h58) begin
      readback_data_var[6:0]   = stored.rate.flow.value;
      readback_data_var[31:16] = stored.rate.interval.value;
    end
    if (rd_mux_addr == 13'h5c) begin
      readback_data_var[15:0] = stored.forget.ticks.value;
    end
    if (rd_mux_addr == 13'h60) begin
      readback_data_var[0] = stored.service.weighted.value;
      readback_data_var[7:4] = stored.service.weight_small.value;
      readback_data_var[11:8] = stored.service.weight_one_path.value;
      readback_data_var[15:12] = stored.service.weight_four_paths.value;
    end
    if (rd_mux_addr == 13'h64) begin
      readback_data_var[2:0]   = stored.congestion.fall.value;
      readback_data_var[6:4]   = stored.congestion.first.value;
      readback_data_var[31:16] = stored.congestion.increase.value;
    end
    if (rd_mux_addr == 13'h68) begin
      readback_data_var[0] = stored.receive.cut_through.value;
    end
    for (int i0 = 0; i0 < 16; i0++) begin
      if (rd_mux_addr == 13'h80 + (13)'(i0) * 13'h4) begin
        readback_data_var[15:0]  = stored.page_rate[i0].one_path.value;
        readback_data_var[31:16] = stored.page_rate[i0].four_paths.value;
      end
    end
    if ((rd_mux_addr[12:9] == 4'h8)) begin
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
