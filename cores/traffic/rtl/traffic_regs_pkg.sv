// SPDX-License-Identifier: Apache-2.0
//
// traffic_regs_pkg: ports of traffic_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/traffic/regs/traffic.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package traffic_regs_pkg;

  typedef struct {logic [11:0] next;} traffic__width__bytes__in_t;

  typedef struct {logic [6:0] next;} traffic__width__counters__in_t;

  typedef struct {
    traffic__width__bytes__in_t bytes;
    traffic__width__counters__in_t counters;
  } traffic__width__in_t;

  typedef struct {logic [31:0] next;} traffic__play_depth__beats__in_t;

  typedef struct {traffic__play_depth__beats__in_t beats;} traffic__play_depth__in_t;

  typedef struct {logic [31:0] next;} traffic__capture_depth__beats__in_t;

  typedef struct {traffic__capture_depth__beats__in_t beats;} traffic__capture_depth__in_t;

  typedef struct {logic next;} traffic__status__order_ready__in_t;

  typedef struct {traffic__status__order_ready__in_t order_ready;} traffic__status__in_t;

  typedef struct {logic [31:0] next;} traffic__orders__count__in_t;

  typedef struct {traffic__orders__count__in_t count;} traffic__orders__in_t;

  typedef struct {logic next;} traffic__events__play_done__in_t;

  typedef struct {logic next;} traffic__events__capture_full__in_t;

  typedef struct {logic next;} traffic__events__difference__in_t;

  typedef struct {logic next;} traffic__events__refused__in_t;

  typedef struct {logic next;} traffic__events__cleared__in_t;

  typedef struct {logic next;} traffic__events__order_lost__in_t;

  typedef struct {logic next;} traffic__events__observe_lost__in_t;

  typedef struct {
    traffic__events__play_done__in_t play_done;
    traffic__events__capture_full__in_t capture_full;
    traffic__events__difference__in_t difference;
    traffic__events__refused__in_t refused;
    traffic__events__cleared__in_t cleared;
    traffic__events__order_lost__in_t order_lost;
    traffic__events__observe_lost__in_t observe_lost;
  } traffic__events__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } traffic__observe__in_t;

  typedef struct {
    traffic__width__in_t width;
    traffic__play_depth__in_t play_depth;
    traffic__capture_depth__in_t capture_depth;
    traffic__status__in_t status;
    traffic__orders__in_t orders;
    traffic__events__in_t events;
    traffic__observe__in_t observe;
  } traffic__in_t;

  typedef struct {logic intr;} traffic__events__out_t;

  typedef struct {logic value;} traffic__event_enable__play_done__out_t;

  typedef struct {logic value;} traffic__event_enable__capture_full__out_t;

  typedef struct {logic value;} traffic__event_enable__difference__out_t;

  typedef struct {logic value;} traffic__event_enable__refused__out_t;

  typedef struct {logic value;} traffic__event_enable__cleared__out_t;

  typedef struct {logic value;} traffic__event_enable__order_lost__out_t;

  typedef struct {logic value;} traffic__event_enable__observe_lost__out_t;

  typedef struct {
    traffic__event_enable__play_done__out_t play_done;
    traffic__event_enable__capture_full__out_t capture_full;
    traffic__event_enable__difference__out_t difference;
    traffic__event_enable__refused__out_t refused;
    traffic__event_enable__cleared__out_t cleared;
    traffic__event_enable__order_lost__out_t order_lost;
    traffic__event_enable__observe_lost__out_t observe_lost;
  } traffic__event_enable__out_t;

  typedef struct {
    logic [31:0] value;
    logic swmod;
  } traffic__word__data__out_t;

  typedef struct {traffic__word__data__out_t data;} traffic__word__out_t;

  typedef struct {
    logic [31:0] value;
    logic swmod;
  } traffic__cycles__cycles__out_t;

  typedef struct {traffic__cycles__cycles__out_t cycles;} traffic__cycles__out_t;

  typedef struct {
    logic [11:0] value;
    logic swmod;
  } traffic__play_beat__bytes__out_t;

  typedef struct {logic value;} traffic__play_beat__last__out_t;

  typedef struct {logic value;} traffic__play_beat__at__out_t;

  typedef struct {
    traffic__play_beat__bytes__out_t bytes;
    traffic__play_beat__last__out_t last;
    traffic__play_beat__at__out_t at;
  } traffic__play_beat__out_t;

  typedef struct {
    logic [31:0] value;
    logic swmod;
  } traffic__play_runs__n__out_t;

  typedef struct {traffic__play_runs__n__out_t n;} traffic__play_runs__out_t;

  typedef struct {logic value;} traffic__play__load__out_t;

  typedef struct {logic value;} traffic__play__start__out_t;

  typedef struct {logic value;} traffic__play__stop__out_t;

  typedef struct {
    traffic__play__load__out_t  load;
    traffic__play__start__out_t start;
    traffic__play__stop__out_t  stop;
  } traffic__play__out_t;

  typedef struct {
    logic [11:0] value;
    logic swmod;
  } traffic__expected__bytes__out_t;

  typedef struct {logic value;} traffic__expected__last__out_t;

  typedef struct {logic value;} traffic__expected__mark__out_t;

  typedef struct {
    traffic__expected__bytes__out_t bytes;
    traffic__expected__last__out_t  last;
    traffic__expected__mark__out_t  mark;
  } traffic__expected__out_t;

  typedef struct {
    logic [31:0] value;
    logic swmod;
  } traffic__expect_runs__n__out_t;

  typedef struct {traffic__expect_runs__n__out_t n;} traffic__expect_runs__out_t;

  typedef struct {logic value;} traffic__capture__load__out_t;

  typedef struct {logic value;} traffic__capture__record__out_t;

  typedef struct {logic value;} traffic__capture__compare__out_t;

  typedef struct {logic value;} traffic__capture__stop__out_t;

  typedef struct {logic value;} traffic__capture__block__out_t;

  typedef struct {
    traffic__capture__load__out_t load;
    traffic__capture__record__out_t record;
    traffic__capture__compare__out_t compare;
    traffic__capture__stop__out_t stop;
    traffic__capture__block__out_t block;
  } traffic__capture__out_t;

  typedef struct {
    logic [31:0] value;
    logic swmod;
  } traffic__window__index__out_t;

  typedef struct {traffic__window__index__out_t index;} traffic__window__out_t;

  typedef struct {
    logic req;
    logic [11:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } traffic__observe__out_t;

  typedef struct {
    traffic__events__out_t events;
    traffic__event_enable__out_t event_enable;
    traffic__word__out_t word;
    traffic__cycles__out_t cycles;
    traffic__play_beat__out_t play_beat;
    traffic__play_runs__out_t play_runs;
    traffic__play__out_t play;
    traffic__expected__out_t expected;
    traffic__expect_runs__out_t expect_runs;
    traffic__capture__out_t capture;
    traffic__window__out_t window;
    traffic__observe__out_t observe;
  } traffic__out_t;

  // Byte offsets in observe.
  typedef enum logic [11:0] {
    ObserveState = 12'h0,
    ObserveOrders = 12'h8,
    ObserveNow = 12'h10,
    ObservePlayLoaded = 12'h100,
    ObservePlayBegan = 12'h108,
    ObservePlayBeats = 12'h110,
    ObservePlayPackets = 12'h118,
    ObservePlayStalled = 12'h120,
    ObservePlayRuns = 12'h128,
    ObserveCaptureStored = 12'h200,
    ObserveCaptureBegan = 12'h208,
    ObserveCaptureBeats = 12'h210,
    ObserveCapturePackets = 12'h218,
    ObserveCaptureMissed = 12'h220,
    ObserveCaptureDifferences = 12'h228,
    ObserveCaptureFirst = 12'h230,
    ObserveWindow = 12'h800
  } observe_offset_e;

  // Byte offsets in observe.window.
  typedef enum logic [10:0] {
    ObserveWindowBeat = 11'h0,
    ObserveWindowData = 11'h400
  } observe_window_offset_e;

endpackage
