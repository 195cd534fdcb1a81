// SPDX-License-Identifier: Apache-2.0
//
// traffic_regs: AXI4-Lite slave with the stored registers of traffic.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/traffic/regs/traffic.rdl: change that file.
// The map is described in docs/src/traffic-registers.md.

module traffic_regs (
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

  input  traffic_regs_pkg::traffic__in_t  hwif_i,
  output traffic_regs_pkg::traffic__out_t hwif_o
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
    logic width;
    logic play_depth;
    logic capture_depth;
    logic status;
    logic orders;
    logic events;
    logic event_enable;
    logic word;
    logic cycles;
    logic play_beat;
    logic play_runs;
    logic play;
    logic expected;
    logic expect_runs;
    logic capture;
    logic window;
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
    strobe.width = accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h8);
    is_valid_rw |= accepted & (cpuif_addr == 13'h8) & !cpuif_req_is_wr;
    strobe.play_depth = accepted & (cpuif_addr == 13'hc) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'hc);
    is_valid_rw |= accepted & (cpuif_addr == 13'hc) & !cpuif_req_is_wr;
    strobe.capture_depth = accepted & (cpuif_addr == 13'h10) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h10);
    is_valid_rw |= accepted & (cpuif_addr == 13'h10) & !cpuif_req_is_wr;
    strobe.status = accepted & (cpuif_addr == 13'h14) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h14);
    is_valid_rw |= accepted & (cpuif_addr == 13'h14) & !cpuif_req_is_wr;
    strobe.orders = accepted & (cpuif_addr == 13'h18) & !cpuif_req_is_wr;
    is_valid_addr |= accepted & (cpuif_addr == 13'h18);
    is_valid_rw |= accepted & (cpuif_addr == 13'h18) & !cpuif_req_is_wr;
    strobe.events = accepted & (cpuif_addr == 13'h20);
    is_valid_addr |= accepted & (cpuif_addr == 13'h20);
    is_valid_rw |= accepted & (cpuif_addr == 13'h20);
    strobe.event_enable = accepted & (cpuif_addr == 13'h24);
    is_valid_addr |= accepted & (cpuif_addr == 13'h24);
    is_valid_rw |= accepted & (cpuif_addr == 13'h24);
    strobe.word = accepted & (cpuif_addr == 13'h30);
    is_valid_addr |= accepted & (cpuif_addr == 13'h30);
    is_valid_rw |= accepted & (cpuif_addr == 13'h30);
    strobe.cycles = accepted & (cpuif_addr == 13'h34);
    is_valid_addr |= accepted & (cpuif_addr == 13'h34);
    is_valid_rw |= accepted & (cpuif_addr == 13'h34);
    strobe.play_beat = accepted & (cpuif_addr == 13'h38);
    is_valid_addr |= accepted & (cpuif_addr == 13'h38);
    is_valid_rw |= accepted & (cpuif_addr == 13'h38);
    strobe.play_runs = accepted & (cpuif_addr == 13'h3c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h3c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h3c);
    strobe.play = accepted & (cpuif_addr == 13'h40);
    is_valid_addr |= accepted & (cpuif_addr == 13'h40);
    is_valid_rw |= accepted & (cpuif_addr == 13'h40);
    strobe.expected = accepted & (cpuif_addr == 13'h44);
    is_valid_addr |= accepted & (cpuif_addr == 13'h44);
    is_valid_rw |= accepted & (cpuif_addr == 13'h44);
    strobe.expect_runs = accepted & (cpuif_addr == 13'h48);
    is_valid_addr |= accepted & (cpuif_addr == 13'h48);
    is_valid_rw |= accepted & (cpuif_addr == 13'h48);
    strobe.capture = accepted & (cpuif_addr == 13'h4c);
    is_valid_addr |= accepted & (cpuif_addr == 13'h4c);
    is_valid_rw |= accepted & (cpuif_addr == 13'h4c);
    strobe.window = accepted & (cpuif_addr == 13'h50);
    is_valid_addr |= accepted & (cpuif_addr == 13'h50);
    is_valid_rw |= accepted & (cpuif_addr == 13'h50);
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

  typedef struct {logic value;} field_storage_events_play_done_t;
  typedef struct {logic value;} field_storage_events_capture_full_t;
  typedef struct {logic value;} field_storage_events_difference_t;
  typedef struct {logic value;} field_storage_events_refused_t;
  typedef struct {logic value;} field_storage_events_cleared_t;
  typedef struct {logic value;} field_storage_events_order_lost_t;
  typedef struct {logic value;} field_storage_events_observe_lost_t;
  typedef struct {
    field_storage_events_play_done_t play_done;
    field_storage_events_capture_full_t capture_full;
    field_storage_events_difference_t difference;
    field_storage_events_refused_t refused;
    field_storage_events_cleared_t cleared;
    field_storage_events_order_lost_t order_lost;
    field_storage_events_observe_lost_t observe_lost;
  } field_storage_events_t;
  typedef struct {logic value;} field_storage_event_enable_play_done_t;
  typedef struct {logic value;} field_storage_event_enable_capture_full_t;
  typedef struct {logic value;} field_storage_event_enable_difference_t;
  typedef struct {logic value;} field_storage_event_enable_refused_t;
  typedef struct {logic value;} field_storage_event_enable_cleared_t;
  typedef struct {logic value;} field_storage_event_enable_order_lost_t;
  typedef struct {logic value;} field_storage_event_enable_observe_lost_t;
  typedef struct {
    field_storage_event_enable_play_done_t play_done;
    field_storage_event_enable_capture_full_t capture_full;
    field_storage_event_enable_difference_t difference;
    field_storage_event_enable_refused_t refused;
    field_storage_event_enable_cleared_t cleared;
    field_storage_event_enable_order_lost_t order_lost;
    field_storage_event_enable_observe_lost_t observe_lost;
  } field_storage_event_enable_t;
  typedef struct {logic [31:0] value;} field_storage_word_data_t;
  typedef struct {field_storage_word_data_t data;} field_storage_word_t;
  typedef struct {logic [31:0] value;} field_storage_cycles_cycles_t;
  typedef struct {field_storage_cycles_cycles_t cycles;} field_storage_cycles_t;
  typedef struct {logic [11:0] value;} field_storage_play_beat_bytes_t;
  typedef struct {logic value;} field_storage_play_beat_last_t;
  typedef struct {logic value;} field_storage_play_beat_at_t;
  typedef struct {
    field_storage_play_beat_bytes_t bytes;
    field_storage_play_beat_last_t last;
    field_storage_play_beat_at_t at;
  } field_storage_play_beat_t;
  typedef struct {logic [31:0] value;} field_storage_play_runs_n_t;
  typedef struct {field_storage_play_runs_n_t n;} field_storage_play_runs_t;
  typedef struct {logic value;} field_storage_play_load_t;
  typedef struct {logic value;} field_storage_play_start_t;
  typedef struct {logic value;} field_storage_play_stop_t;
  typedef struct {
    field_storage_play_load_t  load;
    field_storage_play_start_t start;
    field_storage_play_stop_t  stop;
  } field_storage_play_t;
  typedef struct {logic [11:0] value;} field_storage_expected_bytes_t;
  typedef struct {logic value;} field_storage_expected_last_t;
  typedef struct {logic value;} field_storage_expected_mark_t;
  typedef struct {
    field_storage_expected_bytes_t bytes;
    field_storage_expected_last_t  last;
    field_storage_expected_mark_t  mark;
  } field_storage_expected_t;
  typedef struct {logic [31:0] value;} field_storage_expect_runs_n_t;
  typedef struct {field_storage_expect_runs_n_t n;} field_storage_expect_runs_t;
  typedef struct {logic value;} field_storage_capture_load_t;
  typedef struct {logic value;} field_storage_capture_record_t;
  typedef struct {logic value;} field_storage_capture_compare_t;
  typedef struct {logic value;} field_storage_capture_stop_t;
  typedef struct {logic value;} field_storage_capture_block_t;
  typedef struct {
    field_storage_capture_load_t load;
    field_storage_capture_record_t record;
    field_storage_capture_compare_t compare;
    field_storage_capture_stop_t stop;
    field_storage_capture_block_t block;
  } field_storage_capture_t;
  typedef struct {logic [31:0] value;} field_storage_window_index_t;
  typedef struct {field_storage_window_index_t index;} field_storage_window_t;
  typedef struct {
    field_storage_events_t events;
    field_storage_event_enable_t event_enable;
    field_storage_word_t word;
    field_storage_cycles_t cycles;
    field_storage_play_beat_t play_beat;
    field_storage_play_runs_t play_runs;
    field_storage_play_t play;
    field_storage_expected_t expected;
    field_storage_expect_runs_t expect_runs;
    field_storage_capture_t capture;
    field_storage_window_t window;
  } field_storage_t;
  field_storage_t stored;

  // Field: traffic.events.play_done
  logic [0:0] events_play_done_next;
  logic events_play_done_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.play_done.value;
    load_next_c = '0;
    if (hwif_i.events.play_done.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    events_play_done_next = next_c;
    events_play_done_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.play_done.value <= 1'h0;
    end else begin
      if (events_play_done_load) begin
        stored.events.play_done.value <= events_play_done_next;
      end
    end
  end
  // Field: traffic.events.capture_full
  logic [0:0] events_capture_full_next;
  logic events_capture_full_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.capture_full.value;
    load_next_c = '0;
    if (hwif_i.events.capture_full.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    events_capture_full_next = next_c;
    events_capture_full_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.capture_full.value <= 1'h0;
    end else begin
      if (events_capture_full_load) begin
        stored.events.capture_full.value <= events_capture_full_next;
      end
    end
  end
  // Field: traffic.events.difference
  logic [0:0] events_difference_next;
  logic events_difference_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.difference.value;
    load_next_c = '0;
    if (hwif_i.events.difference.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    events_difference_next = next_c;
    events_difference_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.difference.value <= 1'h0;
    end else begin
      if (events_difference_load) begin
        stored.events.difference.value <= events_difference_next;
      end
    end
  end
  // Field: traffic.events.refused
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
      next_c = next_c & ~(wr_data[3:3] & wr_biten[3:3]);
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
  // Field: traffic.events.cleared
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
      next_c = next_c & ~(wr_data[4:4] & wr_biten[4:4]);
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
  // Field: traffic.events.order_lost
  logic [0:0] events_order_lost_next;
  logic events_order_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.events.order_lost.value;
    load_next_c = '0;
    if (hwif_i.events.order_lost.next) begin  // stickybit
      next_c = '1;
      load_next_c = '1;
    end else if (strobe.events && decoded_req_is_wr) begin  // SW write 1 clear
      next_c = next_c & ~(wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    events_order_lost_next = next_c;
    events_order_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.events.order_lost.value <= 1'h0;
    end else begin
      if (events_order_lost_load) begin
        stored.events.order_lost.value <= events_order_lost_next;
      end
    end
  end
  // Field: traffic.events.observe_lost
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
      next_c = next_c & ~(wr_data[6:6] & wr_biten[6:6]);
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
        |(stored.events.play_done.value & stored.event_enable.play_done.value)
        || |(stored.events.capture_full.value & stored.event_enable.capture_full.value)
        || |(stored.events.difference.value & stored.event_enable.difference.value)
        || |(stored.events.refused.value & stored.event_enable.refused.value)
        || |(stored.events.cleared.value & stored.event_enable.cleared.value)
        || |(stored.events.order_lost.value & stored.event_enable.order_lost.value)
        || |(stored.events.observe_lost.value & stored.event_enable.observe_lost.value);
  // Field: traffic.event_enable.play_done
  logic [0:0] event_enable_play_done_next;
  logic event_enable_play_done_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.play_done.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end
    event_enable_play_done_next = next_c;
    event_enable_play_done_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.play_done.value <= 1'h0;
    end else begin
      if (event_enable_play_done_load) begin
        stored.event_enable.play_done.value <= event_enable_play_done_next;
      end
    end
  end
  assign hwif_o.event_enable.play_done.value = stored.event_enable.play_done.value;
  // Field: traffic.event_enable.capture_full
  logic [0:0] event_enable_capture_full_next;
  logic event_enable_capture_full_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.capture_full.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end
    event_enable_capture_full_next = next_c;
    event_enable_capture_full_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.capture_full.value <= 1'h0;
    end else begin
      if (event_enable_capture_full_load) begin
        stored.event_enable.capture_full.value <= event_enable_capture_full_next;
      end
    end
  end
  assign hwif_o.event_enable.capture_full.value = stored.event_enable.capture_full.value;
  // Field: traffic.event_enable.difference
  logic [0:0] event_enable_difference_next;
  logic event_enable_difference_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.difference.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end
    event_enable_difference_next = next_c;
    event_enable_difference_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.difference.value <= 1'h0;
    end else begin
      if (event_enable_difference_load) begin
        stored.event_enable.difference.value <= event_enable_difference_next;
      end
    end
  end
  assign hwif_o.event_enable.difference.value = stored.event_enable.difference.value;
  // Field: traffic.event_enable.refused
  logic [0:0] event_enable_refused_next;
  logic event_enable_refused_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.refused.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
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
  // Field: traffic.event_enable.cleared
  logic [0:0] event_enable_cleared_next;
  logic event_enable_cleared_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.cleared.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
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
  // Field: traffic.event_enable.order_lost
  logic [0:0] event_enable_order_lost_next;
  logic event_enable_order_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.order_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[5:5]) | (wr_data[5:5] & wr_biten[5:5]);
      load_next_c = '1;
    end
    event_enable_order_lost_next = next_c;
    event_enable_order_lost_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.event_enable.order_lost.value <= 1'h0;
    end else begin
      if (event_enable_order_lost_load) begin
        stored.event_enable.order_lost.value <= event_enable_order_lost_next;
      end
    end
  end
  assign hwif_o.event_enable.order_lost.value = stored.event_enable.order_lost.value;
  // Field: traffic.event_enable.observe_lost
  logic [0:0] event_enable_observe_lost_next;
  logic event_enable_observe_lost_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.event_enable.observe_lost.value;
    load_next_c = '0;
    if (strobe.event_enable && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[6:6]) | (wr_data[6:6] & wr_biten[6:6]);
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
  // Field: traffic.word.data
  logic [31:0] word_data_next;
  logic word_data_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.word.data.value;
    load_next_c = '0;
    if (strobe.word && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    word_data_next = next_c;
    word_data_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.word.data.value <= 32'h0;
    end else begin
      if (word_data_load) begin
        stored.word.data.value <= word_data_next;
      end
    end
  end
  assign hwif_o.word.data.value = stored.word.data.value;
  assign hwif_o.word.data.swmod = strobe.word && decoded_req_is_wr && |(wr_biten[31:0]);
  // Field: traffic.cycles.cycles
  logic [31:0] cycles_cycles_next;
  logic cycles_cycles_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.cycles.cycles.value;
    load_next_c = '0;
    if (strobe.cycles && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    cycles_cycles_next = next_c;
    cycles_cycles_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.cycles.cycles.value <= 32'h0;
    end else begin
      if (cycles_cycles_load) begin
        stored.cycles.cycles.value <= cycles_cycles_next;
      end
    end
  end
  assign hwif_o.cycles.cycles.value = stored.cycles.cycles.value;
  assign hwif_o.cycles.cycles.swmod = strobe.cycles && decoded_req_is_wr && |(wr_biten[31:0]);
  // Field: traffic.play_beat.bytes
  logic [11:0] play_beat_bytes_next;
  logic play_beat_bytes_load;
  always_comb begin
    automatic logic [11:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play_beat.bytes.value;
    load_next_c = '0;
    if (strobe.play_beat && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[11:0]) | (wr_data[11:0] & wr_biten[11:0]);
      load_next_c = '1;
    end
    play_beat_bytes_next = next_c;
    play_beat_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play_beat.bytes.value <= 12'h0;
    end else begin
      if (play_beat_bytes_load) begin
        stored.play_beat.bytes.value <= play_beat_bytes_next;
      end
    end
  end
  assign hwif_o.play_beat.bytes.value = stored.play_beat.bytes.value;
  assign hwif_o.play_beat.bytes.swmod = strobe.play_beat && decoded_req_is_wr && |(wr_biten[11:0]);
  // Field: traffic.play_beat.last
  logic [0:0] play_beat_last_next;
  logic play_beat_last_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play_beat.last.value;
    load_next_c = '0;
    if (strobe.play_beat && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:12]) | (wr_data[12:12] & wr_biten[12:12]);
      load_next_c = '1;
    end
    play_beat_last_next = next_c;
    play_beat_last_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play_beat.last.value <= 1'h0;
    end else begin
      if (play_beat_last_load) begin
        stored.play_beat.last.value <= play_beat_last_next;
      end
    end
  end
  assign hwif_o.play_beat.last.value = stored.play_beat.last.value;
  // Field: traffic.play_beat.at
  logic [0:0] play_beat_at_next;
  logic play_beat_at_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play_beat.at.value;
    load_next_c = '0;
    if (strobe.play_beat && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[13:13]) | (wr_data[13:13] & wr_biten[13:13]);
      load_next_c = '1;
    end
    play_beat_at_next = next_c;
    play_beat_at_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play_beat.at.value <= 1'h0;
    end else begin
      if (play_beat_at_load) begin
        stored.play_beat.at.value <= play_beat_at_next;
      end
    end
  end
  assign hwif_o.play_beat.at.value = stored.play_beat.at.value;
  // Field: traffic.play_runs.n
  logic [31:0] play_runs_n_next;
  logic play_runs_n_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play_runs.n.value;
    load_next_c = '0;
    if (strobe.play_runs && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    play_runs_n_next = next_c;
    play_runs_n_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play_runs.n.value <= 32'h0;
    end else begin
      if (play_runs_n_load) begin
        stored.play_runs.n.value <= play_runs_n_next;
      end
    end
  end
  assign hwif_o.play_runs.n.value = stored.play_runs.n.value;
  assign hwif_o.play_runs.n.swmod = strobe.play_runs && decoded_req_is_wr && |(wr_biten[31:0]);
  // Field: traffic.play.load
  logic [0:0] play_load_next;
  logic play_load_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play.load.value;
    load_next_c = '0;
    if (strobe.play && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    play_load_next = next_c;
    play_load_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play.load.value <= 1'h0;
    end else begin
      if (play_load_load) begin
        stored.play.load.value <= play_load_next;
      end
    end
  end
  assign hwif_o.play.load.value = stored.play.load.value;
  // Field: traffic.play.start
  logic [0:0] play_start_next;
  logic play_start_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play.start.value;
    load_next_c = '0;
    if (strobe.play && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    play_start_next = next_c;
    play_start_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play.start.value <= 1'h0;
    end else begin
      if (play_start_load) begin
        stored.play.start.value <= play_start_next;
      end
    end
  end
  assign hwif_o.play.start.value = stored.play.start.value;
  // Field: traffic.play.stop
  logic [0:0] play_stop_next;
  logic play_stop_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.play.stop.value;
    load_next_c = '0;
    if (strobe.play && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    play_stop_next = next_c;
    play_stop_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.play.stop.value <= 1'h0;
    end else begin
      if (play_stop_load) begin
        stored.play.stop.value <= play_stop_next;
      end
    end
  end
  assign hwif_o.play.stop.value = stored.play.stop.value;
  // Field: traffic.expected.bytes
  logic [11:0] expected_bytes_next;
  logic expected_bytes_load;
  always_comb begin
    automatic logic [11:0] next_c;
    automatic logic load_next_c;
    next_c = stored.expected.bytes.value;
    load_next_c = '0;
    if (strobe.expected && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[11:0]) | (wr_data[11:0] & wr_biten[11:0]);
      load_next_c = '1;
    end
    expected_bytes_next = next_c;
    expected_bytes_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.expected.bytes.value <= 12'h0;
    end else begin
      if (expected_bytes_load) begin
        stored.expected.bytes.value <= expected_bytes_next;
      end
    end
  end
  assign hwif_o.expected.bytes.value = stored.expected.bytes.value;
  assign hwif_o.expected.bytes.swmod = strobe.expected && decoded_req_is_wr && |(wr_biten[11:0]);
  // Field: traffic.expected.last
  logic [0:0] expected_last_next;
  logic expected_last_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.expected.last.value;
    load_next_c = '0;
    if (strobe.expected && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[12:12]) | (wr_data[12:12] & wr_biten[12:12]);
      load_next_c = '1;
    end
    expected_last_next = next_c;
    expected_last_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.expected.last.value <= 1'h0;
    end else begin
      if (expected_last_load) begin
        stored.expected.last.value <= expected_last_next;
      end
    end
  end
  assign hwif_o.expected.last.value = stored.expected.last.value;
  // Field: traffic.expected.mark
  logic [0:0] expected_mark_next;
  logic expected_mark_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.expected.mark.value;
    load_next_c = '0;
    if (strobe.expected && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[13:13]) | (wr_data[13:13] & wr_biten[13:13]);
      load_next_c = '1;
    end
    expected_mark_next = next_c;
    expected_mark_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.expected.mark.value <= 1'h0;
    end else begin
      if (expected_mark_load) begin
        stored.expected.mark.value <= expected_mark_next;
      end
    end
  end
  assign hwif_o.expected.mark.value = stored.expected.mark.value;
  // Field: traffic.expect_runs.n
  logic [31:0] expect_runs_n_next;
  logic expect_runs_n_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.expect_runs.n.value;
    load_next_c = '0;
    if (strobe.expect_runs && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    expect_runs_n_next = next_c;
    expect_runs_n_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.expect_runs.n.value <= 32'h0;
    end else begin
      if (expect_runs_n_load) begin
        stored.expect_runs.n.value <= expect_runs_n_next;
      end
    end
  end
  assign hwif_o.expect_runs.n.value = stored.expect_runs.n.value;
  assign hwif_o.expect_runs.n.swmod = strobe.expect_runs && decoded_req_is_wr && |(wr_biten[31:0]);
  // Field: traffic.capture.load
  logic [0:0] capture_load_next;
  logic capture_load_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.capture.load.value;
    load_next_c = '0;
    if (strobe.capture && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[0:0]) | (wr_data[0:0] & wr_biten[0:0]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    capture_load_next = next_c;
    capture_load_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.capture.load.value <= 1'h0;
    end else begin
      if (capture_load_load) begin
        stored.capture.load.value <= capture_load_next;
      end
    end
  end
  assign hwif_o.capture.load.value = stored.capture.load.value;
  // Field: traffic.capture.record
  logic [0:0] capture_record_next;
  logic capture_record_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.capture.record.value;
    load_next_c = '0;
    if (strobe.capture && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[1:1]) | (wr_data[1:1] & wr_biten[1:1]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    capture_record_next = next_c;
    capture_record_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.capture.record.value <= 1'h0;
    end else begin
      if (capture_record_load) begin
        stored.capture.record.value <= capture_record_next;
      end
    end
  end
  assign hwif_o.capture.record.value = stored.capture.record.value;
  // Field: traffic.capture.compare
  logic [0:0] capture_compare_next;
  logic capture_compare_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.capture.compare.value;
    load_next_c = '0;
    if (strobe.capture && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[2:2]) | (wr_data[2:2] & wr_biten[2:2]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    capture_compare_next = next_c;
    capture_compare_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.capture.compare.value <= 1'h0;
    end else begin
      if (capture_compare_load) begin
        stored.capture.compare.value <= capture_compare_next;
      end
    end
  end
  assign hwif_o.capture.compare.value = stored.capture.compare.value;
  // Field: traffic.capture.stop
  logic [0:0] capture_stop_next;
  logic capture_stop_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.capture.stop.value;
    load_next_c = '0;
    if (strobe.capture && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[3:3]) | (wr_data[3:3] & wr_biten[3:3]);
      load_next_c = '1;
    end else begin  // singlepulse clears back to 0
      next_c = '0;
      load_next_c = '1;
    end
    capture_stop_next = next_c;
    capture_stop_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.capture.stop.value <= 1'h0;
    end else begin
      if (capture_stop_load) begin
        stored.capture.stop.value <= capture_stop_next;
      end
    end
  end
  assign hwif_o.capture.stop.value = stored.capture.stop.value;
  // Field: traffic.capture.block
  logic [0:0] capture_block_next;
  logic capture_block_load;
  always_comb begin
    automatic logic [0:0] next_c;
    automatic logic load_next_c;
    next_c = stored.capture.block.value;
    load_next_c = '0;
    if (strobe.capture && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[4:4]) | (wr_data[4:4] & wr_biten[4:4]);
      load_next_c = '1;
    end
    capture_block_next = next_c;
    capture_block_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.capture.block.value <= 1'h0;
    end else begin
      if (capture_block_load) begin
        stored.capture.block.value <= capture_block_next;
      end
    end
  end
  assign hwif_o.capture.block.value = stored.capture.block.value;
  // Field: traffic.window.index
  logic [31:0] window_index_next;
  logic window_index_load;
  always_comb begin
    automatic logic [31:0] next_c;
    automatic logic load_next_c;
    next_c = stored.window.index.value;
    load_next_c = '0;
    if (strobe.window && decoded_req_is_wr) begin  // SW write
      next_c = (next_c & ~wr_biten[31:0]) | (wr_data[31:0] & wr_biten[31:0]);
      load_next_c = '1;
    end
    window_index_next = next_c;
    window_index_load = load_next_c;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored.window.index.value <= 32'h0;
    end else begin
      if (window_index_load) begin
        stored.window.index.value <= window_index_next;
      end
    end
  end
  assign hwif_o.window.index.value = stored.window.index.value;
  assign hwif_o.window.index.swmod = strobe.window && decoded_req_is_wr && |(wr_biten[31:0]);
  // External region: traffic.observe
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
      readback_data_var[31:0] = 32'h54524146;
    end
    if (rd_mux_addr == 13'h4) begin
      readback_data_var[3:0]   = 4'h0;
      readback_data_var[11:4]  = 8'h1;
      readback_data_var[15:12] = 4'h0;
      readback_data_var[23:16] = 8'h0;
      readback_data_var[31:24] = 8'h1;
    end
    if (rd_mux_addr == 13'h8) begin
      readback_data_var[11:0]  = hwif_i.width.bytes.next;
      readback_data_var[22:16] = hwif_i.width.counters.next;
    end
    if (rd_mux_addr == 13'hc) begin
      readback_data_var[31:0] = hwif_i.play_depth.beats.next;
    end
    if (rd_mux_addr == 13'h10) begin
      readback_data_var[31:0] = hwif_i.capture_depth.beats.next;
    end
    if (rd_mux_addr == 13'h14) begin
      readback_data_var[0] = hwif_i.status.order_ready.next;
    end
    if (rd_mux_addr == 13'h18) begin
      readback_data_var[31:0] = hwif_i.orders.count.next;
    end
    if (rd_mux_addr == 13'h20) begin
      readback_data_var[0] = stored.events.play_done.value;
      readback_data_var[1] = stored.events.capture_full.value;
      readback_data_var[2] = stored.events.difference.value;
      readback_data_var[3] = stored.events.refused.value;
      readback_data_var[4] = stored.events.cleared.value;
      readback_data_var[5] = stored.events.order_lost.value;
      readback_data_var[6] = stored.events.observe_lost.value;
    end
    if (rd_mux_addr == 13'h24) begin
      readback_data_var[0] = stored.event_enable.play_done.value;
      readback_data_var[1] = stored.event_enable.capture_full.value;
      readback_data_var[2] = stored.event_enable.difference.value;
      readback_data_var[3] = stored.event_enable.refused.value;
      readback_data_var[4] = stored.event_enable.cleared.value;
      readback_data_var[5] = stored.event_enable.order_lost.value;
      readback_data_var[6] = stored.event_enable.observe_lost.value;
    end
    if (rd_mux_addr == 13'h30) begin
      readback_data_var[31:0] = stored.word.data.value;
    end
    if (rd_mux_addr == 13'h34) begin
      readback_data_var[31:0] = stored.cycles.cycles.value;
    end
    if (rd_mux_addr == 13'h38) begin
      readback_data_var[11:0] = stored.play_beat.bytes.value;
      readback_data_var[12]   = stored.play_beat.last.value;
      readback_data_var[13]   = stored.play_beat.at.value;
    end
    if (rd_mux_addr == 13'h3c) begin
      readback_data_var[31:0] = stored.play_runs.n.value;
    end
    if (rd_mux_addr == 13'h40) begin
      readback_data_var[0] = stored.play.load.value;
      readback_data_var[1] = stored.play.start.value;
      readback_data_var[2] = stored.play.stop.value;
    end
    if (rd_mux_addr == 13'h44) begin
      readback_data_var[11:0] = stored.expected.bytes.value;
      readback_data_var[12]   = stored.expected.last.value;
      readback_data_var[13]   = stored.expected.mark.value;
    end
    if (rd_mux_addr == 13'h48) begin
      readback_data_var[31:0] = stored.expect_runs.n.value;
    end
    if (rd_mux_addr == 13'h4c) begin
      readback_data_var[0] = stored.capture.load.value;
      readback_data_var[1] = stored.capture.record.value;
      readback_data_var[2] = stored.capture.compare.value;
      readback_data_var[3] = stored.capture.stop.value;
      readback_data_var[4] = stored.capture.block.value;
    end
    if (rd_mux_addr == 13'h50) begin
      readback_data_var[31:0] = stored.window.index.value;
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
