// SPDX-License-Identifier: Apache-2.0
//
// pcs_regs: AXI4-Lite slave with the stored registers of pcs.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/pcs/regs/pcs.rdl: change that file.
// The map is described in docs/src/pcs-registers.md.

module pcs_regs (
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

  input  pcs_regs_pkg::pcs__in_t  hwif_i,
  output pcs_regs_pkg::pcs__out_t hwif_o
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
    logic build;
    logic control;
    logic events;
    logic event_enable;
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
    strobe.build = accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h8);
    is_valid_rw |= accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    strobe.control = accepted & (cpuif_addr == 13'h10);
    is_valid_addr |= accepted & (cpuif_addr == 13'h10);
    is_valid_rw |= accepted & (cpuif_addr == 13'h10);
    strobe.events = accepted & (cpuif_addr == 13'h20);
    is_valid_addr |= accepted & (cpuif_addr == 13'h20);
    is_valid_rw |= accepted & (cpuif_addr == 13'h20);
    strobe.event_enable = accepted & (cpuif_addr == 13'h24);
    is_valid_addr |= accepted & (cpuif_addr == 13'h24);
    is_valid_rw |= accepted & (cpuif_addr == 13'h24);
    strobe.observe = accepted & (cpuif_addr[12:10] == 3'h4);
    is_external |= accepted & (cpuif_addr[12:10] == 3'h4);
    is_valid_addr |= accepted & (cpuif_addr[12:10] == 3'h4);
    is_valid_rw |= accepted & (cpuif_addr[12:10] == 3'h4);
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

  typedef struct {logic [1:0] value;} field_storage_control_mode_t;
  typedef struct {logic [1:0] value;} field_storage_control_fec_t;
  typedef struct {logic value;} field_storage_control_clear_t;
  typedef struct {
    field_storage_control_mode_t  mode;
    field_storage_control_fec_t   fec;
    field_storage_control_clear_t clear;
  } field_storage_control_t;
  typedef struct {logic value;} field_storage_events_up_t;
  typedef struct {logic value;} field_storage_events_down_t;
  typedef struct {logic value;} field_storage_events_uncorrectable_t;
  typedef struct {logic value;} field_storage_events_observe_lost_t;
  typedef struct {
    field_storage_events_up_t up;
    field_storage_events_down_t down;
    field_storage_events_uncorrectable_t uncorrectable;
    field_storage_events_observe_lost_t observe_lost;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_up_t;
  typedef struct {logic value;} field_storage_event_enable_down_t;
  typedef struct {logic value;} field_storage_event_enable_uncorrectable_t;
  typedef struct {logic value;} field_storage_event_enable_observe_lost_t;
  typedef struct {
    field_storage_event_enable_up_t up;
    field_storage_event_enable_down_t down;
    field_storage_event_enable_uncorrectable_t uncorrectable;
    field_storage_event_enable_observe_lost_t observe_lost;
  } field_storage_event_enable_t;
  typedef struct {
    field_storage_control_t control;
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
  } field_storage_t;
  field_storage_t stored;

  // Field: pcs.control.mode
  logic [1:0] control_mode_next;
  logic control_mode_load;
  always_comb begin
    automatic logic [1:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.mode.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:0]) | (wr_data[1:0] & wr_biten[1:0]);
      load_next_c = '1;
    end
    control_mode_next = next_c;
    control_mode_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.mode.value <= 2'h0;
    end else begin
      if (control_mode_load) begin
        stored.control.mode.value <= control_mode_next;
      end
    end
  end
  assign hwif_o.control.mode.value = stored.control.mode.value;
  // Field: pcs.control.fec
  logic [1:0] control_fec_next;
  logic control_fec_load;
  always_comb begin
    automatic logic [1:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.fec.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:4]) | (wr_data[5:4] & wr_biten[5:4]);
      load_next_c = '1;
    end
    control_fec_next = next_c;
    control_fec_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.fec.value <= 2'h2;
    end else begin
      if (control_fec_load) begin
        stored.control.fec.value <= control_fec_next;
      end
    end
  end
  assign hwif_o.control.fec.value = stored.control.fec.value;
  // Field: pcs.control.clear
  logic [0:0] control_clear_next;
  logic control_clear_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.control.clear.value;
    load_next_c = '0;
    if (strobe.control && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[8:8]) | (wr_data[8:8] & wr_biten[8:8]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    control_clear_next = next_c;
    control_clear_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.control.clear.value <= 1'h0;
    end else begin
      if (control_clear_load) begin
        stored.control.clear.value <= control_clear_next;
      end
    end
  end
  assign hwif_o.control.clear.value = stored.control.clear.value;
  // Field: pcs.events.up
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
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
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
  // Field: pcs.events.down
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
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
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
  // Field: pcs.events.uncorrectable
  logic [0:0] events_uncorrectable_next;
  logic events_uncorrectable_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.uncorrectable.value;
    load_next_c = '0;
    if (hwif_i.events.uncorrectable.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_uncorrectable_next = next_c;
    events_uncorrectable_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.uncorrectable.value <= 1'h0;
    end else begin
      if (events_uncorrectable_load) begin
        stored.events.uncorrectable.value <= events_uncorrectable_next;
      end
    end
  end
  // Field: pcs.events.observe_lost
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
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
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
        |(stored.events.up.value & stored.event_enable.up.value)
        || |(stored.events.down.value & stored.event_enable.down.value)
        || |(stored.events.uncorrectable.value & stored.event_enable.uncorrectable.value)
        || |(stored.events.observe_lost.value & stored.event_enable.observe_lost.value);
  // Field: pcs.event_enable.up
  logic [0:0] event_enable_up_next;
  logic event_enable_up_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.up.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
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
  // Field: pcs.event_enable.down
  logic [0:0] event_enable_down_next;
  logic event_enable_down_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.down.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
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
  // Field: pcs.event_enable.uncorrectable
  logic [0:0] event_enable_uncorrectable_next;
  logic event_enable_uncorrectable_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.uncorrectable.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_uncorrectable_next = next_c;
    event_enable_uncorrectable_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.uncorrectable.value <= 1'h0;
    end else begin
      if (event_enable_uncorrectable_load) begin
        stored.event_enable.uncorrectable.value <= event_enable_uncorrectable_next;
      end
    end
  end
  assign hwif_o.event_enable.uncorrectable.value = stored.event_enable.uncorrectable.value;
  // Field: pcs.event_enable.observe_lost
  logic [0:0] event_enable_observe_lost_next;
  logic event_enable_observe_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.observe_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
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
  // External region: pcs.observe
  assign hwif_o.observe.req = strobe.observe;
  assign hwif_o.observe.addr = decoded_addr[9:0];
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
      readback_data_var[31:0] = 32'h50435352;
    end
    if (rd_mux_addr == 13'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h1;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 13'h8) begin
      readback_data_var[1:0]   = hwif_i.build.fec.next;
      readback_data_var[12:8]  = hwif_i.build.lanes.next;
      readback_data_var[31:16] = hwif_i.build.period.next;
    end
    if (rd_mux_addr == 13'h10) begin
      readback_data_var[1:0] = stored.control.mode.value;
      readback_data_var[5:4] = stored.control.fec.value;
      readback_data_var[8]   = stored.control.clear.value;
    end
    if (rd_mux_addr == 13'h20) begin
      readback_data_var[0] = stored.events.up.value;
      readback_data_var[1] = stored.events.down.value;
      readback_data_var[2] = stored.events.uncorrectable.value;
      readback_data_var[3] = stored.events.observe_lost.value;
    end
    if (rd_mux_addr == 13'h24) begin
      readback_data_var[0] = stored.event_enable.up.value;
      readback_data_var[1] = stored.event_enable.down.value;
      readback_data_var[2] = stored.event_enable.uncorrectable.value;
      readback_data_var[3] = stored.event_enable.observe_lost.value;
    end
    if ((rd_mux_addr[12:10] == 3'h4)) begin
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
