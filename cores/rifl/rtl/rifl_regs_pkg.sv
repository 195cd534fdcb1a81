// SPDX-License-Identifier: Apache-2.0
//
// rifl_regs_pkg: ports of rifl_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/rifl/regs/rifl.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package rifl_regs_pkg;

  typedef struct {logic [3:0] next;} rifl__parameters__lanes__in_t;

  typedef struct {logic [3:0] next;} rifl__parameters__id_width__in_t;

  typedef struct {logic [11:0] next;} rifl__parameters__frame_width__in_t;

  typedef struct {logic next;} rifl__parameters__strong_code__in_t;

  typedef struct {logic [4:0] next;} rifl__parameters__offset_window__in_t;

  typedef struct {logic next;} rifl__parameters__delayed_release__in_t;

  typedef struct {logic next;} rifl__parameters__test_traffic__in_t;

  typedef struct {logic next;} rifl__parameters__extended__in_t;

  typedef struct {
    rifl__parameters__lanes__in_t lanes;
    rifl__parameters__id_width__in_t id_width;
    rifl__parameters__frame_width__in_t frame_width;
    rifl__parameters__strong_code__in_t strong_code;
    rifl__parameters__offset_window__in_t offset_window;
    rifl__parameters__delayed_release__in_t delayed_release;
    rifl__parameters__test_traffic__in_t test_traffic;
    rifl__parameters__extended__in_t extended;
  } rifl__parameters__in_t;

  typedef struct {logic [15:0] next;} rifl__user__width__in_t;

  typedef struct {rifl__user__width__in_t width;} rifl__user__in_t;

  typedef struct {logic next;} rifl__status__link_up__in_t;

  typedef struct {logic next;} rifl__status__reset_active__in_t;

  typedef struct {
    rifl__status__link_up__in_t link_up;
    rifl__status__reset_active__in_t reset_active;
  } rifl__status__in_t;

  typedef struct {logic next;} rifl__events__link_up__in_t;

  typedef struct {logic next;} rifl__events__link_down__in_t;

  typedef struct {logic next;} rifl__events__error__in_t;

  typedef struct {logic next;} rifl__events__alignment_lost__in_t;

  typedef struct {logic next;} rifl__events__overflow__in_t;

  typedef struct {logic next;} rifl__events__session__in_t;

  typedef struct {logic next;} rifl__events__abort__in_t;

  typedef struct {logic next;} rifl__events__prbs__in_t;

  typedef struct {logic next;} rifl__events__observe_lost__in_t;

  typedef struct {
    rifl__events__link_up__in_t link_up;
    rifl__events__link_down__in_t link_down;
    rifl__events__error__in_t error;
    rifl__events__alignment_lost__in_t alignment_lost;
    rifl__events__overflow__in_t overflow;
    rifl__events__session__in_t session;
    rifl__events__abort__in_t abort;
    rifl__events__prbs__in_t prbs;
    rifl__events__observe_lost__in_t observe_lost;
  } rifl__events__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } rifl__observe__in_t;

  typedef struct {
    rifl__parameters__in_t parameters;
    rifl__user__in_t user;
    rifl__status__in_t status;
    rifl__events__in_t events;
    rifl__observe__in_t observe;
  } rifl__in_t;

  typedef struct {logic value;} rifl__control__reset__out_t;

  typedef struct {logic value;} rifl__control__extended__out_t;

  typedef struct {logic value;} rifl__control__delayed_release__out_t;

  typedef struct {logic value;} rifl__control__prbs_source__out_t;

  typedef struct {logic value;} rifl__control__prbs_check__out_t;

  typedef struct {logic value;} rifl__control__inject__out_t;

  typedef struct {logic [2:0] value;} rifl__control__loopback__out_t;

  typedef struct {
    rifl__control__reset__out_t reset;
    rifl__control__extended__out_t extended;
    rifl__control__delayed_release__out_t delayed_release;
    rifl__control__prbs_source__out_t prbs_source;
    rifl__control__prbs_check__out_t prbs_check;
    rifl__control__inject__out_t inject;
    rifl__control__loopback__out_t loopback;
  } rifl__control__out_t;

  typedef struct {logic value;} rifl__command__clear__out_t;

  typedef struct {rifl__command__clear__out_t clear;} rifl__command__out_t;

  typedef struct {logic intr;} rifl__events__out_t;

  typedef struct {logic value;} rifl__event_enable__link_up__out_t;

  typedef struct {logic value;} rifl__event_enable__link_down__out_t;

  typedef struct {logic value;} rifl__event_enable__error__out_t;

  typedef struct {logic value;} rifl__event_enable__alignment_lost__out_t;

  typedef struct {logic value;} rifl__event_enable__overflow__out_t;

  typedef struct {logic value;} rifl__event_enable__session__out_t;

  typedef struct {logic value;} rifl__event_enable__abort__out_t;

  typedef struct {logic value;} rifl__event_enable__prbs__out_t;

  typedef struct {logic value;} rifl__event_enable__observe_lost__out_t;

  typedef struct {
    rifl__event_enable__link_up__out_t link_up;
    rifl__event_enable__link_down__out_t link_down;
    rifl__event_enable__error__out_t error;
    rifl__event_enable__alignment_lost__out_t alignment_lost;
    rifl__event_enable__overflow__out_t overflow;
    rifl__event_enable__session__out_t session;
    rifl__event_enable__abort__out_t abort;
    rifl__event_enable__prbs__out_t prbs;
    rifl__event_enable__observe_lost__out_t observe_lost;
  } rifl__event_enable__out_t;

  typedef struct {logic [31:0] value;} rifl__inject_mantissa__mantissa__out_t;

  typedef struct {rifl__inject_mantissa__mantissa__out_t mantissa;} rifl__inject_mantissa__out_t;

  typedef struct {logic [4:0] value;} rifl__inject_shift__shift__out_t;

  typedef struct {rifl__inject_shift__shift__out_t shift;} rifl__inject_shift__out_t;

  typedef struct {logic [31:0] value;} rifl__inject_seed__seed__out_t;

  typedef struct {rifl__inject_seed__seed__out_t seed;} rifl__inject_seed__out_t;

  typedef struct {logic [15:0] value;} rifl__prbs_length__shortest__out_t;

  typedef struct {logic [15:0] value;} rifl__prbs_length__longest__out_t;

  typedef struct {
    rifl__prbs_length__shortest__out_t shortest;
    rifl__prbs_length__longest__out_t  longest;
  } rifl__prbs_length__out_t;

  typedef struct {logic [15:0] value;} rifl__prbs_gap__gap__out_t;

  typedef struct {rifl__prbs_gap__gap__out_t gap;} rifl__prbs_gap__out_t;

  typedef struct {logic [30:0] value;} rifl__prbs_seed__seed__out_t;

  typedef struct {rifl__prbs_seed__seed__out_t seed;} rifl__prbs_seed__out_t;

  typedef struct {
    logic req;
    logic [10:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } rifl__observe__out_t;

  typedef struct {
    rifl__control__out_t control;
    rifl__command__out_t command;
    rifl__events__out_t events;
    rifl__event_enable__out_t event_enable;
    rifl__inject_mantissa__out_t inject_mantissa;
    rifl__inject_shift__out_t inject_shift;
    rifl__inject_seed__out_t inject_seed;
    rifl__prbs_length__out_t prbs_length;
    rifl__prbs_gap__out_t prbs_gap;
    rifl__prbs_seed__out_t prbs_seed;
    rifl__observe__out_t observe;
  } rifl__out_t;

  typedef enum logic [2:0] {
    loopback_e__none = 'h0,
    loopback_e__near_pcs = 'h1,
    loopback_e__near_pma = 'h2,
    loopback_e__far_pma = 'h4,
    loopback_e__far_pcs = 'h6
  } loopback_e_e;

  // Byte offsets in observe.
  typedef enum logic [10:0] {
    ObserveLink = 11'h0,
    ObserveSession = 11'h8,
    ObservePeer = 11'h10,
    ObserveSessions = 11'h18,
    ObserveLinkUps = 11'h20,
    ObserveCycles = 11'h28,
    ObserveTxPackets = 11'h30,
    ObserveTxBytes = 11'h38,
    ObserveTxStalled = 11'h40,
    ObserveTxAborts = 11'h48,
    ObserveRxPackets = 11'h50,
    ObserveRxBytes = 11'h58,
    ObserveRxStalled = 11'h60,
    ObserveRxAborts = 11'h68,
    ObservePrbsBytes = 11'h70,
    ObservePrbsSkipped = 11'h78,
    ObservePrbsBitErrors = 11'h80,
    ObservePrbsLosses = 11'h88,
    ObserveLane = 11'h400
  } observe_offset_e;

  // Byte offsets in one of observe.lane, of which there are 8.
  typedef enum logic [6:0] {
    ObserveLaneStatus = 7'h0,
    ObserveLaneFrames = 7'h8,
    ObserveLaneBadFrames = 7'h10,
    ObserveLaneErrors = 7'h18,
    ObserveLaneResends = 7'h20,
    ObserveLaneAlignmentLosses = 7'h28,
    ObserveLaneUserFramesSent = 7'h30,
    ObserveLaneUserFramesReceived = 7'h38,
    ObserveLaneCompensations = 7'h40,
    ObserveLaneStoppedFrames = 7'h48,
    ObserveLaneStoppingFrames = 7'h50,
    ObserveLaneInjectedErrors = 7'h58
  } observe_lane_offset_e;

  // Values of link_reason.
  typedef enum logic [3:0] {
    LinkReasonUp = 4'd0,
    LinkReasonInReset = 4'd1,
    LinkReasonNoAlignment = 4'd2,
    LinkReasonSettling = 4'd3,
    LinkReasonPeerNotUp = 4'd4,
    LinkReasonStarting = 4'd5,
    LinkReasonSession = 4'd6
  } link_reason_e;

  // Values of session_state.
  typedef enum logic [2:0] {
    SessionStateHello = 3'd0,
    SessionStateReady = 3'd1,
    SessionStateUp = 3'd2,
    SessionStateRefused = 3'd3,
    SessionStateCompatible = 3'd4,
    SessionStateAbsent = 3'd7
  } session_state_e;

  // Values of session_reason.
  typedef enum logic [3:0] {
    SessionReasonNone = 4'd0,
    SessionReasonNoSignal = 4'd1,
    SessionReasonNoPeer = 4'd2,
    SessionReasonFrameWidth = 4'd3,
    SessionReasonIdWidth = 4'd4,
    SessionReasonLanes = 4'd5,
    SessionReasonLaneOrder = 4'd6,
    SessionReasonUserWidth = 4'd7,
    SessionReasonRate = 4'd8,
    SessionReasonRoundTrip = 4'd9,
    SessionReasonPeers = 4'd10,
    SessionReasonPeerRefuses = 4'd11,
    SessionReasonPublished = 4'd12,
    SessionReasonStrongCode = 4'd13
  } session_reason_e;

  // Values of tx_state.
  typedef enum logic [2:0] {
    TxStateInit = 3'd0,
    TxStateSendPause = 3'd1,
    TxStatePause = 3'd2,
    TxStateRetrans = 3'd3,
    TxStateSendRetrans = 3'd4,
    TxStateNormal = 3'd5
  } tx_state_e;

endpackage
