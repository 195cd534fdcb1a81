// SPDX-License-Identifier: Apache-2.0
//
// slink_regs: AXI4-Lite slave with the stored registers of slink.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/slink/regs/slink.rdl: change that file.
// The map is described in docs/src/slink-registers.md.

module slink_regs (
  input wire clk_i,
  input wire rst_i,

  output logic s_axil_awready,
  input wire s_axil_awvalid,
  input wire [5:0] s_axil_awaddr,
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
  input wire [5:0] s_axil_araddr,
  input wire [2:0] s_axil_arprot,
  input wire s_axil_rready,
  output logic s_axil_rvalid,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,

  input  slink_regs_pkg::slink__in_t  hwif_i,
  output slink_regs_pkg::slink__out_t hwif_o
);

  //--------------------------------------------------------------------------
  // CPU Bus interface logic
  //--------------------------------------------------------------------------
  logic cpuif_req;
  logic cpuif_req_is_wr;
  logic [5:0] cpuif_addr;
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
  logic [5:0] axil_araddr;
  logic axil_ar_accept;
  logic axil_awvalid;
  logic [5:0] axil_awaddr;
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
        cpuif_addr = {axil_araddr[5:2], 2'b0};
        if (!cpuif_req_stall_rd) axil_ar_accept = '1;
      end else if (axil_awvalid && axil_wvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '1;
        cpuif_addr = {axil_awaddr[5:2], 2'b0};
        if (!cpuif_req_stall_wr) axil_aw_accept = '1;
      end else if (axil_arvalid) begin
        cpuif_req = '1;
        cpuif_req_is_wr = '0;
        cpuif_addr = {axil_araddr[5:2], 2'b0};
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

  // Read & write latencies are balanced. Stalls not required
  assign cpuif_req_stall_rd = '0;
  assign cpuif_req_stall_wr = '0;
  assign accepted = cpuif_req
                            & !(!cpuif_req_is_wr & cpuif_req_stall_rd)
                            & !(cpuif_req_is_wr & cpuif_req_stall_wr);

  //--------------------------------------------------------------------------
  // Address Decode
  //--------------------------------------------------------------------------
  typedef struct {
    logic control;
    logic mode;
    logic remote_address;
    logic local_address;
    logic status;
    logic window_first;
    logic window_last;
    logic lanes;
    logic events;
    logic event_enable;
    logic magic;
    logic version;
    logic queue;
    logic wanted;
    logic line;
  } decoded_reg_strb_t;
  decoded_reg_strb_t strobe;
  logic decoded_err;
  logic [5:0] decoded_addr;
  logic decoded_req;
  logic decoded_req_is_wr;
  logic [31:0] wr_data;
  logic [31:0] wr_biten;

  always_comb begin
    automatic logic is_valid_addr;
    automatic logic is_valid_rw;
    is_valid_addr = '0;
    is_valid_rw = '0;
    strobe.control = accepted & (cpuif_addr == 6'h0);
    is_valid_addr |= accepted & (cpuif_addr == 6'h0);
    is_valid_rw |= accepted & (cpuif_addr == 6'h0);
    strobe.mode = accepted & (cpuif_addr == 6'h4);
    is_valid_addr |= accepted & (cpuif_addr == 6'h4);
    is_valid_rw |= accepted & (cpuif_addr == 6'h4);
    strobe.remote_address = accepted & (cpuif_addr == 6'h8);
    is_valid_addr |= accepted & (cpuif_addr == 6'h8);
    is_valid_rw |= accepted & (cpuif_addr == 6'h8);
    strobe.local_address = accepted & (cpuif_addr == 6'hc);
    is_valid_addr |= accepted & (cpuif_addr == 6'hc);
    is_valid_rw |= accepted & (cpuif_addr == 6'hc);
    strobe.status = accepted & (cpuif_addr == 6'h10) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h10);
    is_valid_rw |= accepted & (cpuif_addr == 6'h10) & !cpuif_req_is_wr;
    strobe.window_first = accepted & (cpuif_addr == 6'h14);
    is_valid_addr |= accepted & (cpuif_addr == 6'h14);
    is_valid_rw |= accepted & (cpuif_addr == 6'h14);
    strobe.window_last = accepted & (cpuif_addr == 6'h18);
    is_valid_addr |= accepted & (cpuif_addr == 6'h18);
    is_valid_rw |= accepted & (cpuif_addr == 6'h18);
    strobe.lanes = accepted & (cpuif_addr == 6'h1c);
    is_valid_addr |= accepted & (cpuif_addr == 6'h1c);
    is_valid_rw |= accepted & (cpuif_addr == 6'h1c);
    strobe.events = accepted & (cpuif_addr == 6'h20);
    is_valid_addr |= accepted & (cpuif_addr == 6'h20);
    is_valid_rw |= accepted & (cpuif_addr == 6'h20);
    strobe.event_enable = accepted & (cpuif_addr == 6'h24);
    is_valid_addr |= accepted & (cpuif_addr == 6'h24);
    is_valid_rw |= accepted & (cpuif_addr == 6'h24);
    strobe.magic = accepted & (cpuif_addr == 6'h28) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h28);
    is_valid_rw |= accepted & (cpuif_addr == 6'h28) & !cpuif_req_is_wr;
    strobe.version = accepted & (cpuif_addr == 6'h2c) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h2c);
    is_valid_rw |= accepted & (cpuif_addr == 6'h2c) & !cpuif_req_is_wr;
    strobe.queue = accepted & (cpuif_addr == 6'h30) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h30);
    is_valid_rw |= accepted & (cpuif_addr == 6'h30) & !cpuif_req_is_wr;
    strobe.wanted = accepted & (cpuif_addr == 6'h34) & cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h34);
    is_valid_rw |= accepted & (cpuif_addr == 6'h34) & cpuif_req_is_wr;
    strobe.line = accepted & (cpuif_addr == 6'h34) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 6'h34);
    is_valid_rw |= accepted & (cpuif_addr == 6'h34) & !cpuif_req_is_wr;
    decoded_err = (~is_valid_addr | (is_valid_addr & ~is_valid_rw)) & decoded_req;
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

  typedef struct {logic [1:0] value;} field_storage_control_run_t;
  typedef struct {logic value;} field_storage_control_start_t;
  typedef struct {
    field_storage_control_run_t   run;
    field_storage_control_start_t start;
  } field_storage_control_t;
  typedef struct {logic value;} field_storage_mode_read_t;
  typedef struct {logic value;} field_storage_mode_crc_t;
  typedef struct {logic [2:0] value;} field_storage_mode_lanes_t;
  typedef struct {logic [15:0] value;} field_storage_mode_length_t;
  typedef struct {
    field_storage_mode_read_t read;
    field_storage_mode_crc_t crc;
    field_storage_mode_lanes_t lanes;
    field_storage_mode_length_t length;
  } field_storage_mode_t;
  typedef struct {logic [31:0] value;} field_storage_remote_address_address_t;
  typedef struct {field_storage_remote_address_address_t address;} field_storage_remote_address_t;
  typedef struct {logic [31:0] value;} field_storage_local_address_address_t;
  typedef struct {field_storage_local_address_address_t address;} field_storage_local_address_t;
  typedef struct {logic [19:0] value;} field_storage_window_first_page_t;
  typedef struct {field_storage_window_first_page_t page;} field_storage_window_first_t;
  typedef struct {logic [19:0] value;} field_storage_window_last_page_t;
  typedef struct {field_storage_window_last_page_t page;} field_storage_window_last_t;
  typedef struct {logic [3:0] value;} field_storage_lanes_wired_t;
  typedef struct {field_storage_lanes_wired_t wired;} field_storage_lanes_t;
  typedef struct {logic value;} field_storage_events_ended_t;
  typedef struct {logic value;} field_storage_events_served_t;
  typedef struct {logic value;} field_storage_events_damaged_t;
  typedef struct {logic value;} field_storage_events_up_t;
  typedef struct {logic value;} field_storage_events_down_t;
  typedef struct {logic value;} field_storage_events_changed_t;
  typedef struct {
    field_storage_events_ended_t ended;
    field_storage_events_served_t served;
    field_storage_events_damaged_t damaged;
    field_storage_events_up_t up;
    field_storage_events_down_t down;
    field_storage_events_changed_t changed;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_ended_t;
  typedef struct {logic value;} field_storage_event_enable_served_t;
  typedef struct {logic value;} field_storage_event_enable_damaged_t;
  typedef struct {logic value;} field_storage_event_enable_up_t;
  typedef struct {logic value;} field_storage_event_enable_down_t;
  typedef struct {logic value;} field_storage_event_enable_changed_t;
  typedef struct {
    field_storage_event_enable_ended_t ended;
    field_storage_event_enable_served_t served;
    field_storage_event_enable_damaged_t damaged;
    field_storage_event_enable_up_t up;
    field_storage_event_enable_down_t down;
    field_storage_event_enable_changed_t changed;
  } field_storage_event_enable_t;
  typedef struct {logic [1:0] value;} field_storage_wanted_speed_t;
  typedef struct {logic value;} field_storage_wanted_coding_t;
  typedef struct {logic [2:0] value;} field_storage_wanted_lanes_t;
  typedef struct {
    field_storage_wanted_speed_t  speed;
    field_storage_wanted_coding_t coding;
    field_storage_wanted_lanes_t  lanes;
  } field_storage_wanted_t;
  typedef struct {
    field_storage_control_t control;
    field_storage_mode_t mode;
    field_storage_remote_address_t remote_address;
    field_storage_local_address_t local_address;
    field_storage_window_first_t window_first;
    field_storage_window_last_t window_last;
    field_storage_lanes_t lanes;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_wanted_t wanted;
  } field_storage_t;
  field_storage_t stored;

  // Field: slink.control.run
  logic [1:0] control_run_next;
  logic control_run_load;
  always_comb begin
    automatic logic [1:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.run.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:0]) | (wr_data[1:0] & wr_biten[1:0]);
      load_next_c = '1;
    end
    control_run_next = next_c;
    control_run_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.run.value <= 2'h0;
    end else begin
      if (control_run_load) begin
        stored.control.run.value <= control_run_next;
      end
    end
  end
  assign hwif_o.control.run.value = stored.control.run.value;
  // Field: slink.control.start
  logic [0:0] control_start_next;
  logic control_start_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.start.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    control_start_next = next_c;
    control_start_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.start.value <= 1'h0;
    end else begin
      if (control_start_load) begin
        stored.control.start.value <= control_start_next;
      end
    end
  end
  assign hwif_o.control.start.value = stored.control.start.value;
  // Field: slink.mode.read
  logic [0:0] mode_read_next;
  logic mode_read_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.mode.read.value;
    load_next_c = '0;
    if (strobe.mode && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    mode_read_next = next_c;
    mode_read_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.mode.read.value <= 1'h0;
    end else begin
      if (mode_read_load) begin
        stored.mode.read.value <= mode_read_next;
      end
    end
  end
  assign hwif_o.mode.read.value = stored.mode.read.value;
  // Field: slink.mode.crc
  logic [0:0] mode_crc_next;
  logic mode_crc_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.mode.crc.value;
    load_next_c = '0;
    if (strobe.mode && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    mode_crc_next = next_c;
    mode_crc_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.mode.crc.value <= 1'h0;
    end else begin
      if (mode_crc_load) begin
        stored.mode.crc.value <= mode_crc_next;
      end
    end
  end
  assign hwif_o.mode.crc.value = stored.mode.crc.value;
  // Field: slink.mode.lanes
  logic [2:0] mode_lanes_next;
  logic mode_lanes_load;
  always_comb begin
    automatic logic [2:0] next_c;
    automatic logic load_next_c;
    next_c = stored.mode.lanes.value;
    load_next_c = '0;
    if (strobe.mode && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[7:5]) | (wr_data[7:5] & wr_biten[7:5]);
      load_next_c = '1;
    end
    mode_lanes_next = next_c;
    mode_lanes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.mode.lanes.value <= 3'h0;
    end else begin
      if (mode_lanes_load) begin
        stored.mode.lanes.value <= mode_lanes_next;
      end
    end
  end
  assign hwif_o.mode.lanes.value = stored.mode.lanes.value;
  // Field: slink.mode.length
  logic [15:0] mode_length_next;
  logic mode_length_load;
  always_comb begin
    automatic logic [15:0] next_c;
    automatic logic load_next_c;
    next_c = stored.mode.length.value;
    load_next_c = '0;
    if (strobe.mode && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[23:8]) | (wr_data[23:8] & wr_biten[23:8]);
      load_next_c = '1;
    end
    mode_length_next = next_c;
    mode_length_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.mode.length.value <= 16'h0;
    end else begin
      if (mode_length_load) begin
        stored.mode.length.value <= mode_length_next;
      end
    end
  end
  assign hwif_o.mode.length.value = stored.mode.length.value;
  // Field: slink.remote_address.address
  logic [31:0] remote_address_address_next;
  logic remote_address_address_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.remote_address.address.value;
    load_next_c = '0;
    if (strobe.remote_address && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    remote_address_address_next = next_c;
    remote_address_address_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.remote_address.address.value <= 32'h0;
    end else begin
      if (remote_address_address_load) begin
        stored.remote_address.address.value <= remote_address_address_next;
      end
    end
  end
  assign hwif_o.remote_address.address.value = stored.remote_address.address.value;
  // Field: slink.local_address.address
  logic [31:0] local_address_address_next;
  logic local_address_address_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.local_address.address.value;
    load_next_c = '0;
    if (strobe.local_address && decoded_req_is_wr && !(hwif_i.queue.full.next)) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    local_address_address_next = next_c;
    local_address_address_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.local_address.address.value <= 32'h0;
    end else begin
      if (local_address_address_load) begin
        stored.local_address.address.value <= local_address_address_next;
      end
    end
  end
  assign hwif_o.local_address.address.value = stored.local_address.address.value;
  // Field: slink.window_first.page
  logic [19:0] window_first_page_next;
  logic window_first_page_load;
  always_comb begin
    automatic logic [19:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_first.page.value;
    load_next_c = '0;
    if (strobe.window_first && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:12]) | (wr_data[31:12] & wr_biten[31:12]);
      load_next_c = '1;
    end
    window_first_page_next = next_c;
    window_first_page_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_first.page.value <= 20'h0;
    end else begin
      if (window_first_page_load) begin
        stored.window_first.page.value <= window_first_page_next;
      end
    end
  end
  assign hwif_o.window_first.page.value = stored.window_first.page.value;
  // Field: slink.window_last.page
  logic [19:0] window_last_page_next;
  logic window_last_page_load;
  always_comb begin
    automatic logic [19:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window_last.page.value;
    load_next_c = '0;
    if (strobe.window_last && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:12]) | (wr_data[31:12] & wr_biten[31:12]);
      load_next_c = '1;
    end
    window_last_page_next = next_c;
    window_last_page_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window_last.page.value <= 20'hfffff;
    end else begin
      if (window_last_page_load) begin
        stored.window_last.page.value <= window_last_page_next;
      end
    end
  end
  assign hwif_o.window_last.page.value = stored.window_last.page.value;
  // Field: slink.lanes.wired
  logic [3:0] lanes_wired_next;
  logic lanes_wired_load;
  always_comb begin
    automatic logic [3:0] next_c;
    automatic logic load_next_c;
    next_c = stored.lanes.wired.value;
    load_next_c = '0;
    if (strobe.lanes && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:0]) | (wr_data[3:0] & wr_biten[3:0]);
      load_next_c = '1;
    end
    lanes_wired_next = next_c;
    lanes_wired_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.lanes.wired.value <= 4'hf;
    end else begin
      if (lanes_wired_load) begin
        stored.lanes.wired.value <= lanes_wired_next;
      end
    end
  end
  assign hwif_o.lanes.wired.value = stored.lanes.wired.value;
  // Field: slink.events.ended
  logic [0:0] events_ended_next;
  logic events_ended_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.ended.value;
    load_next_c = '0;
    if (hwif_i.events.ended.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    events_ended_next = next_c;
    events_ended_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.ended.value <= 1'h0;
    end else begin
      if (events_ended_load) begin
        stored.events.ended.value <= events_ended_next;
      end
    end
  end
  // Field: slink.events.served
  logic [0:0] events_served_next;
  logic events_served_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.served.value;
    load_next_c = '0;
    if (hwif_i.events.served.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    events_served_next = next_c;
    events_served_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.served.value <= 1'h0;
    end else begin
      if (events_served_load) begin
        stored.events.served.value <= events_served_next;
      end
    end
  end
  // Field: slink.events.damaged
  logic [0:0] events_damaged_next;
  logic events_damaged_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.damaged.value;
    load_next_c = '0;
    if (hwif_i.events.damaged.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_damaged_next = next_c;
    events_damaged_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.damaged.value <= 1'h0;
    end else begin
      if (events_damaged_load) begin
        stored.events.damaged.value <= events_damaged_next;
      end
    end
  end
  // Field: slink.events.up
  logic [0:0] events_up_next;
  logic events_up_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.up.value;
    load_next_c = '0;
    if (hwif_i.events.up.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    events_up_next = next_c;
    events_up_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.up.value <= 1'h0;
    end else begin
      if (events_up_load) begin
        stored.events.up.value <= events_up_next;
      end
    end
  end
  // Field: slink.events.down
  logic [0:0] events_down_next;
  logic events_down_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.down.value;
    load_next_c = '0;
    if (hwif_i.events.down.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    events_down_next = next_c;
    events_down_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.down.value <= 1'h0;
    end else begin
      if (events_down_load) begin
        stored.events.down.value <= events_down_next;
      end
    end
  end
  // Field: slink.events.changed
  logic [0:0] events_changed_next;
  logic events_changed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.changed.value;
    load_next_c = '0;
    if (hwif_i.events.changed.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_changed_next = next_c;
    events_changed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.changed.value <= 1'h0;
    end else begin
      if (events_changed_load) begin
        stored.events.changed.value <= events_changed_next;
      end
    end
  end
  assign hwif_o.events.intr =
        |(stored.events.ended.value & stored.event_enable.ended.value)
        || |(stored.events.served.value & stored.event_enable.served.value)
        || |(stored.events.damaged.value & stored.event_enable.damaged.value)
        || |(stored.events.up.value & stored.event_enable.up.value)
        || |(stored.events.down.value & stored.event_enable.down.value)
        || |(stored.events.changed.value & stored.event_enable.changed.value);
  // Field: slink.event_enable.ended
  logic [0:0] event_enable_ended_next;
  logic event_enable_ended_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.ended.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    event_enable_ended_next = next_c;
    event_enable_ended_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.ended.value <= 1'h0;
    end else begin
      if (event_enable_ended_load) begin
        stored.event_enable.ended.value <= event_enable_ended_next;
      end
    end
  end
  assign hwif_o.event_enable.ended.value = stored.event_enable.ended.value;
  // Field: slink.event_enable.served
  logic [0:0] event_enable_served_next;
  logic event_enable_served_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.served.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    event_enable_served_next = next_c;
    event_enable_served_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.served.value <= 1'h0;
    end else begin
      if (event_enable_served_load) begin
        stored.event_enable.served.value <= event_enable_served_next;
      end
    end
  end
  assign hwif_o.event_enable.served.value = stored.event_enable.served.value;
  // Field: slink.event_enable.damaged
  logic [0:0] event_enable_damaged_next;
  logic event_enable_damaged_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.damaged.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_damaged_next = next_c;
    event_enable_damaged_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.damaged.value <= 1'h0;
    end else begin
      if (event_enable_damaged_load) begin
        stored.event_enable.damaged.value <= event_enable_damaged_next;
      end
    end
  end
  assign hwif_o.event_enable.damaged.value = stored.event_enable.damaged.value;
  // Field: slink.event_enable.up
  logic [0:0] event_enable_up_next;
  logic event_enable_up_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.up.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end
    event_enable_up_next = next_c;
    event_enable_up_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.up.value <= 1'h0;
    end else begin
      if (event_enable_up_load) begin
        stored.event_enable.up.value <= event_enable_up_next;
      end
    end
  end
  assign hwif_o.event_enable.up.value = stored.event_enable.up.value;
  // Field: slink.event_enable.down
  logic [0:0] event_enable_down_next;
  logic event_enable_down_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.down.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    event_enable_down_next = next_c;
    event_enable_down_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.down.value <= 1'h0;
    end else begin
      if (event_enable_down_load) begin
        stored.event_enable.down.value <= event_enable_down_next;
      end
    end
  end
  assign hwif_o.event_enable.down.value = stored.event_enable.down.value;
  // Field: slink.event_enable.changed
  logic [0:0] event_enable_changed_next;
  logic event_enable_changed_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.changed.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_changed_next = next_c;
    event_enable_changed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.changed.value <= 1'h0;
    end else begin
      if (event_enable_changed_load) begin
        stored.event_enable.changed.value <= event_enable_changed_next;
      end
    end
  end
  assign hwif_o.event_enable.changed.value = stored.event_enable.changed.value;
  // Field: slink.wanted.speed
  logic [1:0] wanted_speed_next;
  logic wanted_speed_load;
  always_comb begin
    automatic logic [1:0] next_c;
    automatic logic load_next_c;
    next_c = stored.wanted.speed.value;
    load_next_c = '0;
    if (strobe.wanted && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:0]) | (wr_data[1:0] & wr_biten[1:0]);
      load_next_c = '1;
    end
    wanted_speed_next = next_c;
    wanted_speed_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.wanted.speed.value <= 2'h0;
    end else begin
      if (wanted_speed_load) begin
        stored.wanted.speed.value <= wanted_speed_next;
      end
    end
  end
  assign hwif_o.wanted.speed.value = stored.wanted.speed.value;
  assign hwif_o.wanted.speed.swmod = strobe.wanted && decoded_req_is_wr && |(wr_biten[1:0]);
  // Field: slink.wanted.coding
  logic [0:0] wanted_coding_next;
  logic wanted_coding_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.wanted.coding.value;
    load_next_c = '0;
    if (strobe.wanted && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    wanted_coding_next = next_c;
    wanted_coding_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.wanted.coding.value <= 1'h0;
    end else begin
      if (wanted_coding_load) begin
        stored.wanted.coding.value <= wanted_coding_next;
      end
    end
  end
  assign hwif_o.wanted.coding.value = stored.wanted.coding.value;
  // Field: slink.wanted.lanes
  logic [2:0] wanted_lanes_next;
  logic wanted_lanes_load;
  always_comb begin
    automatic logic [2:0] next_c;
    automatic logic load_next_c;
    next_c = stored.wanted.lanes.value;
    load_next_c = '0;
    if (strobe.wanted && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:4]) | (wr_data[6:4] & wr_biten[6:4]);
      load_next_c = '1;
    end
    wanted_lanes_next = next_c;
    wanted_lanes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.wanted.lanes.value <= 3'h0;
    end else begin
      if (wanted_lanes_load) begin
        stored.wanted.lanes.value <= wanted_lanes_next;
      end
    end
  end
  assign hwif_o.wanted.lanes.value = stored.wanted.lanes.value;

  //--------------------------------------------------------------------------
  // Write response
  //--------------------------------------------------------------------------
  assign cpuif_wr_ack = decoded_req & decoded_req_is_wr;
  // Writes are always granted with no error response
  assign cpuif_wr_err = decoded_err;

  //--------------------------------------------------------------------------
  // Readback
  //--------------------------------------------------------------------------

  logic [5:0] rd_mux_addr;
  assign rd_mux_addr = decoded_addr;

  logic readback_err;
  logic readback_done;
  logic [31:0] readback_data;
  always_comb begin
    automatic logic [31:0] readback_data_var;
    readback_data_var = '0;
    if (rd_mux_addr == 6'h0) begin
      readback_data_var[1:0] = stored.control.run.value;
      readback_data_var[4]   = stored.control.start.value;
    end
    if (rd_mux_addr == 6'h4) begin
      readback_data_var[0] = stored.mode.read.value;
      readback_data_var[4] = stored.mode.crc.value;
      readback_data_var[7:5] = stored.mode.lanes.value;
      readback_data_var[23:8] = stored.mode.length.value;
    end
    if (rd_mux_addr == 6'h8) begin
      readback_data_var[31:0] = stored.remote_address.address.value;
    end
    if (rd_mux_addr == 6'hc) begin
      readback_data_var[31:0] = stored.local_address.address.value;
    end
    if (rd_mux_addr == 6'h10) begin
      readback_data_var[0] = hwif_i.status.busy.next;
      readback_data_var[1] = hwif_i.status.done.next;
      readback_data_var[2] = hwif_i.status.damaged.next;
      readback_data_var[3] = hwif_i.status.exhausted.next;
      readback_data_var[4] = hwif_i.status.silent.next;
      readback_data_var[5] = hwif_i.status.refused.next;
      readback_data_var[6] = hwif_i.status.reset.next;
      readback_data_var[7] = hwif_i.status.up.next;
      readback_data_var[15:8] = hwif_i.status.retries.next;
      readback_data_var[31:16] = hwif_i.status.progress.next;
    end
    if (rd_mux_addr == 6'h14) begin
      readback_data_var[31:12] = stored.window_first.page.value;
    end
    if (rd_mux_addr == 6'h18) begin
      readback_data_var[31:12] = stored.window_last.page.value;
    end
    if (rd_mux_addr == 6'h1c) begin
      readback_data_var[3:0] = stored.lanes.wired.value;
    end
    if (rd_mux_addr == 6'h20) begin
      readback_data_var[0] = stored.events.ended.value;
      readback_data_var[1] = stored.events.served.value;
      readback_data_var[2] = stored.events.damaged.value;
      readback_data_var[3] = stored.events.up.value;
      readback_data_var[4] = stored.events.down.value;
      readback_data_var[5] = stored.events.changed.value;
    end
    if (rd_mux_addr == 6'h24) begin
      readback_data_var[0] = stored.event_enable.ended.value;
      readback_data_var[1] = stored.event_enable.served.value;
      readback_data_var[2] = stored.event_enable.damaged.value;
      readback_data_var[3] = stored.event_enable.up.value;
      readback_data_var[4] = stored.event_enable.down.value;
      readback_data_var[5] = stored.event_enable.changed.value;
    end
    if (rd_mux_addr == 6'h28) begin
      readback_data_var[31:0] = 32'h534c4e4b;
    end
    if (rd_mux_addr == 6'h2c) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h2;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 6'h30) begin
      readback_data_var[0] = hwif_i.queue.full.next;
      readback_data_var[6:4] = hwif_i.queue.most.next;
      readback_data_var[11:8] = hwif_i.queue.started.next;
      readback_data_var[18:16] = hwif_i.queue.outcome_0.next;
      readback_data_var[22:20] = hwif_i.queue.outcome_1.next;
      readback_data_var[26:24] = hwif_i.queue.outcome_2.next;
      readback_data_var[30:28] = hwif_i.queue.outcome_3.next;
    end
    if (rd_mux_addr == 6'h34) begin
      readback_data_var[1:0] = hwif_i.line.speed.next;
      readback_data_var[2] = hwif_i.line.coding.next;
      readback_data_var[6:4] = hwif_i.line.lanes.next;
      readback_data_var[7] = hwif_i.line.busy.next;
      readback_data_var[10:8] = hwif_i.line.result.next;
    end
    readback_data = readback_data_var;
    readback_done = decoded_req & ~decoded_req_is_wr;
    readback_err  = decoded_err;
  end

  assign cpuif_rd_ack  = readback_done;
  assign cpuif_rd_data = readback_data;
  assign cpuif_rd_err  = readback_err;
  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot, axil_awaddr[1:0], axil_araddr[1:0]};
endmodule
