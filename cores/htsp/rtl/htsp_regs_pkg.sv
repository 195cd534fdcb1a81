// SPDX-License-Identifier: Apache-2.0
//
// htsp_regs_pkg: ports of htsp_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/htsp/regs/htsp.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package htsp_regs_pkg;

  typedef struct {logic [4:0] next;} htsp__parameters__channels__in_t;

  typedef struct {logic [6:0] next;} htsp__parameters__width__in_t;

  typedef struct {logic next;} htsp__parameters__tuser__in_t;

  typedef struct {logic next;} htsp__parameters__test_traffic__in_t;

  typedef struct {
    htsp__parameters__channels__in_t channels;
    htsp__parameters__width__in_t width;
    htsp__parameters__tuser__in_t tuser;
    htsp__parameters__test_traffic__in_t test_traffic;
  } htsp__parameters__in_t;

  typedef struct {logic [15:0] next;} htsp__buffers__tx_depth__in_t;

  typedef struct {logic [15:0] next;} htsp__buffers__rx_depth__in_t;

  typedef struct {
    htsp__buffers__tx_depth__in_t tx_depth;
    htsp__buffers__rx_depth__in_t rx_depth;
  } htsp__buffers__in_t;

  typedef struct {logic next;} htsp__status__link_up__in_t;

  typedef struct {logic next;} htsp__status__reset_active__in_t;

  typedef struct {logic next;} htsp__status__remote_ready__in_t;

  typedef struct {logic next;} htsp__status__op_code_ready__in_t;

  typedef struct {logic next;} htsp__status__remote_tuser__in_t;

  typedef struct {
    htsp__status__link_up__in_t link_up;
    htsp__status__reset_active__in_t reset_active;
    htsp__status__remote_ready__in_t remote_ready;
    htsp__status__op_code_ready__in_t op_code_ready;
    htsp__status__remote_tuser__in_t remote_tuser;
  } htsp__status__in_t;

  typedef struct {logic next;} htsp__events__link_up__in_t;

  typedef struct {logic next;} htsp__events__link_down__in_t;

  typedef struct {logic next;} htsp__events__loss__in_t;

  typedef struct {logic next;} htsp__events__overflow__in_t;

  typedef struct {logic next;} htsp__events__cut__in_t;

  typedef struct {logic next;} htsp__events__op_code__in_t;

  typedef struct {logic next;} htsp__events__prbs__in_t;

  typedef struct {logic next;} htsp__events__observe_lost__in_t;

  typedef struct {
    htsp__events__link_up__in_t link_up;
    htsp__events__link_down__in_t link_down;
    htsp__events__loss__in_t loss;
    htsp__events__overflow__in_t overflow;
    htsp__events__cut__in_t cut;
    htsp__events__op_code__in_t op_code;
    htsp__events__prbs__in_t prbs;
    htsp__events__observe_lost__in_t observe_lost;
  } htsp__events__in_t;

  typedef struct {
    logic [15:0] next;
    logic we;
  } htsp__levels__pause__in_t;

  typedef struct {
    logic [15:0] next;
    logic we;
  } htsp__levels__resume__in_t;

  typedef struct {
    htsp__levels__pause__in_t  pause;
    htsp__levels__resume__in_t resume;
  } htsp__levels__in_t;

  typedef struct {
    logic [31:0] next;
    logic we;
  } htsp__local_mac__low__in_t;

  typedef struct {
    logic [15:0] next;
    logic we;
  } htsp__local_mac__high__in_t;

  typedef struct {
    htsp__local_mac__low__in_t  low;
    htsp__local_mac__high__in_t high;
  } htsp__local_mac__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } htsp__observe__in_t;

  typedef struct {
    htsp__parameters__in_t parameters;
    htsp__buffers__in_t buffers;
    htsp__status__in_t status;
    htsp__events__in_t events;
    htsp__levels__in_t levels;
    htsp__local_mac__in_t local_mac;
    htsp__observe__in_t observe;
  } htsp__in_t;

  typedef struct {logic value;} htsp__control__reset__out_t;

  typedef struct {logic value;} htsp__control__tx_disable__out_t;

  typedef struct {logic value;} htsp__control__ignore_remote__out_t;

  typedef struct {logic value;} htsp__control__reset_rx__out_t;

  typedef struct {logic value;} htsp__control__prbs_source__out_t;

  typedef struct {logic value;} htsp__control__prbs_check__out_t;

  typedef struct {logic [2:0] value;} htsp__control__loopback__out_t;

  typedef struct {logic [3:0] value;} htsp__control__rx_polarity__out_t;

  typedef struct {logic [3:0] value;} htsp__control__tx_polarity__out_t;

  typedef struct {
    htsp__control__reset__out_t reset;
    htsp__control__tx_disable__out_t tx_disable;
    htsp__control__ignore_remote__out_t ignore_remote;
    htsp__control__reset_rx__out_t reset_rx;
    htsp__control__prbs_source__out_t prbs_source;
    htsp__control__prbs_check__out_t prbs_check;
    htsp__control__loopback__out_t loopback;
    htsp__control__rx_polarity__out_t rx_polarity;
    htsp__control__tx_polarity__out_t tx_polarity;
  } htsp__control__out_t;

  typedef struct {logic value;} htsp__command__clear__out_t;

  typedef struct {logic value;} htsp__command__op_code__out_t;

  typedef struct {logic value;} htsp__command__user_data__out_t;

  typedef struct {logic value;} htsp__command__latency__out_t;

  typedef struct {
    htsp__command__clear__out_t clear;
    htsp__command__op_code__out_t op_code;
    htsp__command__user_data__out_t user_data;
    htsp__command__latency__out_t latency;
  } htsp__command__out_t;

  typedef struct {logic intr;} htsp__events__out_t;

  typedef struct {logic value;} htsp__event_enable__link_up__out_t;

  typedef struct {logic value;} htsp__event_enable__link_down__out_t;

  typedef struct {logic value;} htsp__event_enable__loss__out_t;

  typedef struct {logic value;} htsp__event_enable__overflow__out_t;

  typedef struct {logic value;} htsp__event_enable__cut__out_t;

  typedef struct {logic value;} htsp__event_enable__op_code__out_t;

  typedef struct {logic value;} htsp__event_enable__prbs__out_t;

  typedef struct {logic value;} htsp__event_enable__observe_lost__out_t;

  typedef struct {
    htsp__event_enable__link_up__out_t link_up;
    htsp__event_enable__link_down__out_t link_down;
    htsp__event_enable__loss__out_t loss;
    htsp__event_enable__overflow__out_t overflow;
    htsp__event_enable__cut__out_t cut;
    htsp__event_enable__op_code__out_t op_code;
    htsp__event_enable__prbs__out_t prbs;
    htsp__event_enable__observe_lost__out_t observe_lost;
  } htsp__event_enable__out_t;

  typedef struct {logic [31:0] value;} htsp__null_interval__cycles__out_t;

  typedef struct {htsp__null_interval__cycles__out_t cycles;} htsp__null_interval__out_t;

  typedef struct {logic [31:0] value;} htsp__alive__cycles__out_t;

  typedef struct {htsp__alive__cycles__out_t cycles;} htsp__alive__out_t;

  typedef struct {logic [7:0] value;} htsp__burst__words__out_t;

  typedef struct {logic [7:0] value;} htsp__burst__stall_limit__out_t;

  typedef struct {
    htsp__burst__words__out_t words;
    htsp__burst__stall_limit__out_t stall_limit;
  } htsp__burst__out_t;

  typedef struct {logic [15:0] value;} htsp__levels__pause__out_t;

  typedef struct {logic [15:0] value;} htsp__levels__resume__out_t;

  typedef struct {
    htsp__levels__pause__out_t  pause;
    htsp__levels__resume__out_t resume;
  } htsp__levels__out_t;

  typedef struct {logic [31:0] value;} htsp__local_mac__low__out_t;

  typedef struct {logic [15:0] value;} htsp__local_mac__high__out_t;

  typedef struct {
    htsp__local_mac__low__out_t  low;
    htsp__local_mac__high__out_t high;
  } htsp__local_mac__out_t;

  typedef struct {logic [31:0] value;} htsp__broadcast_mac__low__out_t;

  typedef struct {logic [15:0] value;} htsp__broadcast_mac__high__out_t;

  typedef struct {
    htsp__broadcast_mac__low__out_t  low;
    htsp__broadcast_mac__high__out_t high;
  } htsp__broadcast_mac__out_t;

  typedef struct {logic [15:0] value;} htsp__ethertype__value__out_t;

  typedef struct {htsp__ethertype__value__out_t value;} htsp__ethertype__out_t;

  typedef struct {logic [3:0] value;} htsp__test_channel__channel__out_t;

  typedef struct {htsp__test_channel__channel__out_t channel;} htsp__test_channel__out_t;

  typedef struct {logic [15:0] value;} htsp__prbs_length__shortest__out_t;

  typedef struct {logic [15:0] value;} htsp__prbs_length__longest__out_t;

  typedef struct {
    htsp__prbs_length__shortest__out_t shortest;
    htsp__prbs_length__longest__out_t  longest;
  } htsp__prbs_length__out_t;

  typedef struct {logic [15:0] value;} htsp__prbs_gap__gap__out_t;

  typedef struct {htsp__prbs_gap__gap__out_t gap;} htsp__prbs_gap__out_t;

  typedef struct {logic [30:0] value;} htsp__prbs_seed__seed__out_t;

  typedef struct {htsp__prbs_seed__seed__out_t seed;} htsp__prbs_seed__out_t;

  typedef struct {logic [31:0] value;} htsp__user_data_0__bytes__out_t;

  typedef struct {htsp__user_data_0__bytes__out_t bytes;} htsp__user_data_0__out_t;

  typedef struct {logic [31:0] value;} htsp__user_data_1__bytes__out_t;

  typedef struct {htsp__user_data_1__bytes__out_t bytes;} htsp__user_data_1__out_t;

  typedef struct {logic [31:0] value;} htsp__user_data_2__bytes__out_t;

  typedef struct {htsp__user_data_2__bytes__out_t bytes;} htsp__user_data_2__out_t;

  typedef struct {logic [31:0] value;} htsp__user_data_3__bytes__out_t;

  typedef struct {htsp__user_data_3__bytes__out_t bytes;} htsp__user_data_3__out_t;

  typedef struct {logic [31:0] value;} htsp__op_code_0__bytes__out_t;

  typedef struct {htsp__op_code_0__bytes__out_t bytes;} htsp__op_code_0__out_t;

  typedef struct {logic [31:0] value;} htsp__op_code_1__bytes__out_t;

  typedef struct {htsp__op_code_1__bytes__out_t bytes;} htsp__op_code_1__out_t;

  typedef struct {logic [31:0] value;} htsp__op_code_2__bytes__out_t;

  typedef struct {htsp__op_code_2__bytes__out_t bytes;} htsp__op_code_2__out_t;

  typedef struct {logic [31:0] value;} htsp__op_code_3__bytes__out_t;

  typedef struct {htsp__op_code_3__bytes__out_t bytes;} htsp__op_code_3__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_0__diff__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_0__pre__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_0__post__out_t;

  typedef struct {
    htsp__lane_0__diff__out_t diff;
    htsp__lane_0__pre__out_t  pre;
    htsp__lane_0__post__out_t post;
  } htsp__lane_0__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_1__diff__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_1__pre__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_1__post__out_t;

  typedef struct {
    htsp__lane_1__diff__out_t diff;
    htsp__lane_1__pre__out_t  pre;
    htsp__lane_1__post__out_t post;
  } htsp__lane_1__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_2__diff__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_2__pre__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_2__post__out_t;

  typedef struct {
    htsp__lane_2__diff__out_t diff;
    htsp__lane_2__pre__out_t  pre;
    htsp__lane_2__post__out_t post;
  } htsp__lane_2__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_3__diff__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_3__pre__out_t;

  typedef struct {logic [4:0] value;} htsp__lane_3__post__out_t;

  typedef struct {
    htsp__lane_3__diff__out_t diff;
    htsp__lane_3__pre__out_t  pre;
    htsp__lane_3__post__out_t post;
  } htsp__lane_3__out_t;

  typedef struct {
    logic req;
    logic [11:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } htsp__observe__out_t;

  typedef struct {
    htsp__control__out_t control;
    htsp__command__out_t command;
    htsp__events__out_t events;
    htsp__event_enable__out_t event_enable;
    htsp__null_interval__out_t null_interval;
    htsp__alive__out_t alive;
    htsp__burst__out_t burst;
    htsp__levels__out_t levels;
    htsp__local_mac__out_t local_mac;
    htsp__broadcast_mac__out_t broadcast_mac;
    htsp__ethertype__out_t ethertype;
    htsp__test_channel__out_t test_channel;
    htsp__prbs_length__out_t prbs_length;
    htsp__prbs_gap__out_t prbs_gap;
    htsp__prbs_seed__out_t prbs_seed;
    htsp__user_data_0__out_t user_data_0;
    htsp__user_data_1__out_t user_data_1;
    htsp__user_data_2__out_t user_data_2;
    htsp__user_data_3__out_t user_data_3;
    htsp__op_code_0__out_t op_code_0;
    htsp__op_code_1__out_t op_code_1;
    htsp__op_code_2__out_t op_code_2;
    htsp__op_code_3__out_t op_code_3;
    htsp__lane_0__out_t lane_0;
    htsp__lane_1__out_t lane_1;
    htsp__lane_2__out_t lane_2;
    htsp__lane_3__out_t lane_3;
    htsp__observe__out_t observe;
  } htsp__out_t;

  typedef enum logic [2:0] {
    loopback_e__none = 'h0,
    loopback_e__near_pcs = 'h1,
    loopback_e__near_pma = 'h2,
    loopback_e__far_pma = 'h4,
    loopback_e__far_pcs = 'h6
  } loopback_e_e;

  // Byte offsets in observe.
  typedef enum logic [11:0] {
    ObserveLink = 12'h0,
    ObserveRemoteMac = 12'h8,
    ObserveRemoteDataLow = 12'h10,
    ObserveRemoteDataHigh = 12'h18,
    ObserveRxOpCodeLow = 12'h20,
    ObserveRxOpCodeHigh = 12'h28,
    ObserveTxOpCodeLow = 12'h30,
    ObserveTxOpCodeHigh = 12'h38,
    ObserveTxSize = 12'h40,
    ObserveRxSize = 12'h48,
    ObserveLatency = 12'h50,
    ObserveCycles = 12'h58,
    ObserveUpCycles = 12'h60,
    ObserveLinkUps = 12'h68,
    ObserveDownsSilent = 12'h70,
    ObserveDownsPhy = 12'h78,
    ObserveDownsReset = 12'h80,
    ObserveRemoteReadies = 12'h88,
    ObservePhyTxReadies = 12'h90,
    ObservePhyRxReadies = 12'h98,
    ObserveTxFrames = 12'ha0,
    ObserveTxHeaders = 12'ha8,
    ObserveTxBytes = 12'hb0,
    ObserveTxOpCodes = 12'hb8,
    ObserveRxFrames = 12'hc0,
    ObserveRxHeaders = 12'hc8,
    ObserveRxBytes = 12'hd0,
    ObserveRxOpCodes = 12'hd8,
    ObserveForeign = 12'he0,
    ObserveVersion = 12'he8,
    ObserveChecksum = 12'hf0,
    ObserveDamaged = 12'hf8,
    ObserveFooterBad = 12'h100,
    ObserveUnknownChannel = 12'h108,
    ObserveOrphans = 12'h110,
    ObserveStale = 12'h118,
    ObserveLost = 12'h120,
    ObserveFecCorrected = 12'h128,
    ObserveFecUncorrected = 12'h130,
    ObservePrbsBytes = 12'h138,
    ObservePrbsSkipped = 12'h140,
    ObservePrbsBitErrors = 12'h148,
    ObservePrbsLosses = 12'h150,
    ObserveChannel = 12'h800
  } observe_offset_e;

  // Byte offsets in one of observe.channel, of which there are 16.
  typedef enum logic [6:0] {
    ObserveChannelTxPackets = 7'h0,
    ObserveChannelTxBytes = 7'h8,
    ObserveChannelTxStalled = 7'h10,
    ObserveChannelTxPaused = 7'h18,
    ObserveChannelTxPauses = 7'h20,
    ObserveChannelTxErrors = 7'h28,
    ObserveChannelTxCuts = 7'h30,
    ObserveChannelTxBadWords = 7'h38,
    ObserveChannelRxPackets = 7'h40,
    ObserveChannelRxBytes = 7'h48,
    ObserveChannelRxStalled = 7'h50,
    ObserveChannelRxPausing = 7'h58,
    ObserveChannelRxPauses = 7'h60,
    ObserveChannelRxOverflows = 7'h68,
    ObserveChannelRxErrors = 7'h70
  } observe_channel_offset_e;

  // Values of down_reason.
  typedef enum logic [1:0] {
    DownReasonNone = 2'd0,
    DownReasonSilent = 2'd1,
    DownReasonPhy = 2'd2,
    DownReasonReset = 2'd3
  } down_reason_e;

  // Values of latency_state.
  typedef enum logic [1:0] {
    LatencyStateIdle = 2'd0,
    LatencyStateArmed = 2'd1,
    LatencyStateRunning = 2'd2,
    LatencyStateDone = 2'd3
  } latency_state_e;

endpackage
