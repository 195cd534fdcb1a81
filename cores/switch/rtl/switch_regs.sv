// SPDX-License-Identifier: Apache-2.0
//
// switch_regs: AXI4-Lite slave with the stored registers of switch.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/switch/regs/switch.rdl: change that file.
// The map is described in docs/src/switch-registers.md.

module switch_regs (
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

  input  switch_regs_pkg::switch__in_t  hwif_i,
  output switch_regs_pkg::switch__out_t hwif_o
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
    logic dead_time;
    logic command;
    logic status;
    logic events;
    logic event_enable;
    logic marks;
    logic ways;
    logic route;
    logic hash;
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
    strobe.dead_time = accepted & (cpuif_addr == 13'h10) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h10);
    is_valid_rw |= accepted & (cpuif_addr == 13'h10) & !cpuif_req_is_wr;
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
    strobe.marks = accepted & (cpuif_addr == 13'h30);
    is_valid_addr |= accepted & (cpuif_addr == 13'h30);
    is_valid_rw |= accepted & (cpuif_addr == 13'h30);
    strobe.ways = accepted & (cpuif_addr == 13'h34);
    is_valid_addr |= accepted & (cpuif_addr == 13'h34);
    is_valid_rw |= accepted & (cpuif_addr == 13'h34);
    strobe.route = accepted & (cpuif_addr == 13'h38);
    is_valid_addr |= accepted & (cpuif_addr == 13'h38);
    is_valid_rw |= accepted & (cpuif_addr == 13'h38);
    strobe.hash = accepted & (cpuif_addr == 13'h3c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h3c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h3c);
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

  typedef struct {logic value;} field_storage_command_clear_t;
  typedef struct {field_storage_command_clear_t clear;} field_storage_command_t;
  typedef struct {logic value;} field_storage_events_opened_t;
  typedef struct {logic value;} field_storage_events_closed_t;
  typedef struct {logic value;} field_storage_events_dead_t;
  typedef struct {logic value;} field_storage_events_loss_t;
  typedef struct {logic value;} field_storage_events_fault_t;
  typedef struct {logic value;} field_storage_events_cleared_t;
  typedef struct {logic value;} field_storage_events_route_lost_t;
  typedef struct {logic value;} field_storage_events_observe_lost_t;
  typedef struct {
    field_storage_events_opened_t opened;
    field_storage_events_closed_t closed;
    field_storage_events_dead_t dead;
    field_storage_events_loss_t loss;
    field_storage_events_fault_t fault;
    field_storage_events_cleared_t cleared;
    field_storage_events_route_lost_t route_lost;
    field_storage_events_observe_lost_t observe_lost;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_opened_t;
  typedef struct {logic value;} field_storage_event_enable_closed_t;
  typedef struct {logic value;} field_storage_event_enable_dead_t;
  typedef struct {logic value;} field_storage_event_enable_loss_t;
  typedef struct {logic value;} field_storage_event_enable_fault_t;
  typedef struct {logic value;} field_storage_event_enable_cleared_t;
  typedef struct {logic value;} field_storage_event_enable_route_lost_t;
  typedef struct {logic value;} field_storage_event_enable_observe_lost_t;
  typedef struct {
    field_storage_event_enable_opened_t opened;
    field_storage_event_enable_closed_t closed;
    field_storage_event_enable_dead_t dead;
    field_storage_event_enable_loss_t loss;
    field_storage_event_enable_fault_t fault;
    field_storage_event_enable_cleared_t cleared;
    field_storage_event_enable_route_lost_t route_lost;
    field_storage_event_enable_observe_lost_t observe_lost;
  } field_storage_event_enable_t;
  typedef struct {logic [15:0] value;} field_storage_marks_words_t;
  typedef struct {field_storage_marks_words_t words;} field_storage_marks_t;
  typedef struct {logic [15:0] value;} field_storage_ways_outputs_t;
  typedef struct {logic [15:0] value;} field_storage_ways_inputs_t;
  typedef struct {
    field_storage_ways_outputs_t outputs;
    field_storage_ways_inputs_t  inputs;
  } field_storage_ways_t;
  typedef struct {logic [15:0] value;} field_storage_route_node_t;
  typedef struct {field_storage_route_node_t node;} field_storage_route_t;
  typedef struct {logic [15:0] value;} field_storage_hash_salt_t;
  typedef struct {field_storage_hash_salt_t salt;} field_storage_hash_t;
  typedef struct {
    field_storage_command_t command;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_marks_t marks;
    field_storage_ways_t ways;
    field_storage_route_t route;
    field_storage_hash_t hash;
  } field_storage_t;
  field_storage_t stored;

  // Field: switch.command.clear
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
  // Field: switch.events.opened
  logic [0:0] events_opened_next;
  logic events_opened_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.opened.value;
    load_next_c = '0;
    if (hwif_i.events.opened.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    events_opened_next = next_c;
    events_opened_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.opened.value <= 1'h0;
    end else begin
      if (events_opened_load) begin
        stored.events.opened.value <= events_opened_next;
      end
    end
  end
  // Field: switch.events.closed
  logic [0:0] events_closed_next;
  logic events_closed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.closed.value;
    load_next_c = '0;
    if (hwif_i.events.closed.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    events_closed_next = next_c;
    events_closed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.closed.value <= 1'h0;
    end else begin
      if (events_closed_load) begin
        stored.events.closed.value <= events_closed_next;
      end
    end
  end
  // Field: switch.events.dead
  logic [0:0] events_dead_next;
  logic events_dead_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.dead.value;
    load_next_c = '0;
    if (hwif_i.events.dead.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_dead_next = next_c;
    events_dead_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.dead.value <= 1'h0;
    end else begin
      if (events_dead_load) begin
        stored.events.dead.value <= events_dead_next;
      end
    end
  end
  // Field: switch.events.loss
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
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
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
  // Field: switch.events.fault
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
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
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
  // Field: switch.events.cleared
  logic [0:0] events_cleared_next;
  logic events_cleared_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.cleared.value;
    load_next_c = '0;
    if (hwif_i.events.cleared.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_cleared_next = next_c;
    events_cleared_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.cleared.value <= 1'h0;
    end else begin
      if (events_cleared_load) begin
        stored.events.cleared.value <= events_cleared_next;
      end
    end
  end
  // Field: switch.events.route_lost
  logic [0:0] events_route_lost_next;
  logic events_route_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.route_lost.value;
    load_next_c = '0;
    if (hwif_i.events.route_lost.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    events_route_lost_next = next_c;
    events_route_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.route_lost.value <= 1'h0;
    end else begin
      if (events_route_lost_load) begin
        stored.events.route_lost.value <= events_route_lost_next;
      end
    end
  end
  // Field: switch.events.observe_lost
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
        |(stored.events.opened.value & stored.event_enable.opened.value)
        || |(stored.events.closed.value & stored.event_enable.closed.value)
        || |(stored.events.dead.value & stored.event_enable.dead.value)
        || |(stored.events.loss.value & stored.event_enable.loss.value)
        || |(stored.events.fault.value & stored.event_enable.fault.value)
        || |(stored.events.cleared.value & stored.event_enable.cleared.value)
        || |(stored.events.route_lost.value & stored.event_enable.route_lost.value)
        || |(stored.events.observe_lost.value & stored.event_enable.observe_lost.value);
  // Field: switch.event_enable.opened
  logic [0:0] event_enable_opened_next;
  logic event_enable_opened_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.opened.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    event_enable_opened_next = next_c;
    event_enable_opened_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.opened.value <= 1'h0;
    end else begin
      if (event_enable_opened_load) begin
        stored.event_enable.opened.value <= event_enable_opened_next;
      end
    end
  end
  assign hwif_o.event_enable.opened.value = stored.event_enable.opened.value;
  // Field: switch.event_enable.closed
  logic [0:0] event_enable_closed_next;
  logic event_enable_closed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.closed.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    event_enable_closed_next = next_c;
    event_enable_closed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.closed.value <= 1'h0;
    end else begin
      if (event_enable_closed_load) begin
        stored.event_enable.closed.value <= event_enable_closed_next;
      end
    end
  end
  assign hwif_o.event_enable.closed.value = stored.event_enable.closed.value;
  // Field: switch.event_enable.dead
  logic [0:0] event_enable_dead_next;
  logic event_enable_dead_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.dead.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_dead_next = next_c;
    event_enable_dead_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.dead.value <= 1'h0;
    end else begin
      if (event_enable_dead_load) begin
        stored.event_enable.dead.value <= event_enable_dead_next;
      end
    end
  end
  assign hwif_o.event_enable.dead.value = stored.event_enable.dead.value;
  // Field: switch.event_enable.loss
  logic [0:0] event_enable_loss_next;
  logic event_enable_loss_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.loss.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
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
  // Field: switch.event_enable.fault
  logic [0:0] event_enable_fault_next;
  logic event_enable_fault_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.fault.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
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
  // Field: switch.event_enable.cleared
  logic [0:0] event_enable_cleared_next;
  logic event_enable_cleared_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.cleared.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_cleared_next = next_c;
    event_enable_cleared_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.cleared.value <= 1'h0;
    end else begin
      if (event_enable_cleared_load) begin
        stored.event_enable.cleared.value <= event_enable_cleared_next;
      end
    end
  end
  assign hwif_o.event_enable.cleared.value = stored.event_enable.cleared.value;
  // Field: switch.event_enable.route_lost
  logic [0:0] event_enable_route_lost_next;
  logic event_enable_route_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.route_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:6]) | (wr_data[6:6] & wr_biten[6:6]);
      load_next_c = '1;
    end
    event_enable_route_lost_next = next_c;
    event_enable_route_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.route_lost.value <= 1'h0;
    end else begin
      if (event_enable_route_lost_load) begin
        stored.event_enable.route_lost.value <= event_enable_route_lost_next;
      end
    end
  end
  assign hwif_o.event_enable.route_lost.value = stored.event_enable.route_lost.value;
  // Field: switch.event_enable.observe_lost
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
  // Field: switch.marks.words
  logic [15:0] marks_words_next;
  logic marks_words_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.marks.words.value;
    load_next_c = '0;
    if (strobe.marks && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    marks_words_next = next_c;
    marks_words_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.marks.words.value <= 16'hffff;
    end else begin
      if (marks_words_load) begin
        stored.marks.words.value <= marks_words_next;
      end
    end
  end
  assign hwif_o.marks.words.value = stored.marks.words.value;
  // Field: switch.ways.outputs
  logic [15:0] ways_outputs_next;
  logic ways_outputs_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.ways.outputs.value;
    load_next_c = '0;
    if (strobe.ways && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    ways_outputs_next = next_c;
    ways_outputs_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.ways.outputs.value <= 16'h0;
    end else begin
      if (ways_outputs_load) begin
        stored.ways.outputs.value <= ways_outputs_next;
      end
    end
  end
  assign hwif_o.ways.outputs.value = stored.ways.outputs.value;
  // Field: switch.ways.inputs
  logic [15:0] ways_inputs_next;
  logic ways_inputs_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.ways.inputs.value;
    load_next_c = '0;
    if (strobe.ways && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:16]) | (wr_data[31:16] & wr_biten[31:16]);
      load_next_c = '1;
    end
    ways_inputs_next = next_c;
    ways_inputs_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.ways.inputs.value <= 16'h0;
    end else begin
      if (ways_inputs_load) begin
        stored.ways.inputs.value <= ways_inputs_next;
      end
    end
  end
  assign hwif_o.ways.inputs.value = stored.ways.inputs.value;
  // Field: switch.route.node
  logic [15:0] route_node_next;
  logic route_node_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.route.node.value;
    load_next_c = '0;
    if (strobe.route && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    route_node_next = next_c;
    route_node_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.route.node.value <= 16'h0;
    end else begin
      if (route_node_load) begin
        stored.route.node.value <= route_node_next;
      end
    end
  end
  assign hwif_o.route.node.value = stored.route.node.value;
  assign hwif_o.route.node.swmod = strobe.route && decoded_req_is_wr && |(wr_biten[15:0]);
  // Field: switch.hash.salt
  logic [15:0] hash_salt_next;
  logic hash_salt_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.hash.salt.value;
    load_next_c = '0;
    if (strobe.hash && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[15:0]) | (wr_data[15:0] & wr_biten[15:0]);
      load_next_c = '1;
    end
    hash_salt_next = next_c;
    hash_salt_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.hash.salt.value <= 16'h0;
    end else begin
      if (hash_salt_load) begin
        stored.hash.salt.value <= hash_salt_next;
      end
    end
  end
  assign hwif_o.hash.salt.value = stored.hash.salt.value;
  // External region: switch.observe
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
      readback_data_var[31:0] = 32'h53574348;
    end
    if (rd_mux_addr == 13'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h0;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 13'h8) begin
      readback_data_var[4:0]   = hwif_i.parameters.ports.next;
      readback_data_var[14:8]  = hwif_i.parameters.max_words.next;
      readback_data_var[31:15] = hwif_i.parameters.nodes.next;
    end
    if (rd_mux_addr == 13'hc) begin
      readback_data_var[15:0]  = hwif_i.buffers.vc_words.next;
      readback_data_var[22:16] = hwif_i.buffers.notices.next;
    end
    if (rd_mux_addr == 13'h10) begin
      readback_data_var[31:0] = hwif_i.dead_time.cycles.next;
    end
    if (rd_mux_addr == 13'h14) begin
      readback_data_var[0] = stored.command.clear.value;
    end
    if (rd_mux_addr == 13'h18) begin
      readback_data_var[0] = hwif_i.status.route_ready.next;
    end
    if (rd_mux_addr == 13'h20) begin
      readback_data_var[0] = stored.events.opened.value;
      readback_data_var[1] = stored.events.closed.value;
      readback_data_var[2] = stored.events.dead.value;
      readback_data_var[3] = stored.events.loss.value;
      readback_data_var[4] = stored.events.fault.value;
      readback_data_var[5] = stored.events.cleared.value;
      readback_data_var[6] = stored.events.route_lost.value;
      readback_data_var[7] = stored.events.observe_lost.value;
    end
    if (rd_mux_addr == 13'h24) begin
      readback_data_var[0] = stored.event_enable.opened.value;
      readback_data_var[1] = stored.event_enable.closed.value;
      readback_data_var[2] = stored.event_enable.dead.value;
      readback_data_var[3] = stored.event_enable.loss.value;
      readback_data_var[4] = stored.event_enable.fault.value;
      readback_data_var[5] = stored.event_enable.cleared.value;
      readback_data_var[6] = stored.event_enable.route_lost.value;
      readback_data_var[7] = stored.event_enable.observe_lost.value;
    end
    if (rd_mux_addr == 13'h30) begin
      readback_data_var[15:0] = stored.marks.words.value;
    end
    if (rd_mux_addr == 13'h34) begin
      readback_data_var[15:0]  = stored.ways.outputs.value;
      readback_data_var[31:16] = stored.ways.inputs.value;
    end
    if (rd_mux_addr == 13'h38) begin
      readback_data_var[15:0] = stored.route.node.value;
    end
    if (rd_mux_addr == 13'h3c) begin
      readback_data_var[15:0] = stored.hash.salt.value;
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
