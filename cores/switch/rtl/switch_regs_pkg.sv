// SPDX-License-Identifier: Apache-2.0
//
// switch_regs_pkg: ports of switch_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/switch/regs/switch.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package switch_regs_pkg;

  typedef struct {logic [4:0] next;} switch__parameters__ports__in_t;

  typedef struct {logic [6:0] next;} switch__parameters__max_words__in_t;

  typedef struct {logic [16:0] next;} switch__parameters__nodes__in_t;

  typedef struct {
    switch__parameters__ports__in_t ports;
    switch__parameters__max_words__in_t max_words;
    switch__parameters__nodes__in_t nodes;
  } switch__parameters__in_t;

  typedef struct {logic [15:0] next;} switch__buffers__vc_words__in_t;

  typedef struct {logic [6:0] next;} switch__buffers__notices__in_t;

  typedef struct {
    switch__buffers__vc_words__in_t vc_words;
    switch__buffers__notices__in_t  notices;
  } switch__buffers__in_t;

  typedef struct {logic [31:0] next;} switch__dead_time__cycles__in_t;

  typedef struct {switch__dead_time__cycles__in_t cycles;} switch__dead_time__in_t;

  typedef struct {logic next;} switch__status__route_ready__in_t;

  typedef struct {switch__status__route_ready__in_t route_ready;} switch__status__in_t;

  typedef struct {logic next;} switch__events__opened__in_t;

  typedef struct {logic next;} switch__events__closed__in_t;

  typedef struct {logic next;} switch__events__dead__in_t;

  typedef struct {logic next;} switch__events__loss__in_t;

  typedef struct {logic next;} switch__events__fault__in_t;

  typedef struct {logic next;} switch__events__cleared__in_t;

  typedef struct {logic next;} switch__events__route_lost__in_t;

  typedef struct {logic next;} switch__events__observe_lost__in_t;

  typedef struct {
    switch__events__opened__in_t opened;
    switch__events__closed__in_t closed;
    switch__events__dead__in_t dead;
    switch__events__loss__in_t loss;
    switch__events__fault__in_t fault;
    switch__events__cleared__in_t cleared;
    switch__events__route_lost__in_t route_lost;
    switch__events__observe_lost__in_t observe_lost;
  } switch__events__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } switch__observe__in_t;

  typedef struct {
    switch__parameters__in_t parameters;
    switch__buffers__in_t buffers;
    switch__dead_time__in_t dead_time;
    switch__status__in_t status;
    switch__events__in_t events;
    switch__observe__in_t observe;
  } switch__in_t;

  typedef struct {logic value;} switch__command__clear__out_t;

  typedef struct {switch__command__clear__out_t clear;} switch__command__out_t;

  typedef struct {logic intr;} switch__events__out_t;

  typedef struct {logic value;} switch__event_enable__opened__out_t;

  typedef struct {logic value;} switch__event_enable__closed__out_t;

  typedef struct {logic value;} switch__event_enable__dead__out_t;

  typedef struct {logic value;} switch__event_enable__loss__out_t;

  typedef struct {logic value;} switch__event_enable__fault__out_t;

  typedef struct {logic value;} switch__event_enable__cleared__out_t;

  typedef struct {logic value;} switch__event_enable__route_lost__out_t;

  typedef struct {logic value;} switch__event_enable__observe_lost__out_t;

  typedef struct {
    switch__event_enable__opened__out_t opened;
    switch__event_enable__closed__out_t closed;
    switch__event_enable__dead__out_t dead;
    switch__event_enable__loss__out_t loss;
    switch__event_enable__fault__out_t fault;
    switch__event_enable__cleared__out_t cleared;
    switch__event_enable__route_lost__out_t route_lost;
    switch__event_enable__observe_lost__out_t observe_lost;
  } switch__event_enable__out_t;

  typedef struct {logic [15:0] value;} switch__marks__words__out_t;

  typedef struct {switch__marks__words__out_t words;} switch__marks__out_t;

  typedef struct {logic [15:0] value;} switch__ways__outputs__out_t;

  typedef struct {logic [15:0] value;} switch__ways__inputs__out_t;

  typedef struct {
    switch__ways__outputs__out_t outputs;
    switch__ways__inputs__out_t  inputs;
  } switch__ways__out_t;

  typedef struct {
    logic [15:0] value;
    logic swmod;
  } switch__route__node__out_t;

  typedef struct {switch__route__node__out_t node;} switch__route__out_t;

  typedef struct {logic [15:0] value;} switch__hash__salt__out_t;

  typedef struct {switch__hash__salt__out_t salt;} switch__hash__out_t;

  typedef struct {
    logic req;
    logic [11:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } switch__observe__out_t;

  typedef struct {
    switch__command__out_t command;
    switch__events__out_t events;
    switch__event_enable__out_t event_enable;
    switch__marks__out_t marks;
    switch__ways__out_t ways;
    switch__route__out_t route;
    switch__hash__out_t hash;
    switch__observe__out_t observe;
  } switch__out_t;

  // Byte offsets in observe.
  typedef enum logic [11:0] {
    ObservePorts  = 12'h0,
    ObserveTables = 12'h8,
    ObserveCycles = 12'h10,
    ObservePort   = 12'h800
  } observe_offset_e;

  // Byte offsets in one of observe.port, of which there are 16.
  typedef enum logic [6:0] {
    ObservePortRxWords = 7'h0,
    ObservePortRxPackets = 7'h8,
    ObservePortRxAborted = 7'h10,
    ObservePortRxMalformed = 7'h18,
    ObservePortRxOverruns = 7'h20,
    ObservePortRxGaps = 7'h28,
    ObservePortRxStale = 7'h30,
    ObservePortDropped = 7'h38,
    ObservePortNotices = 7'h40,
    ObservePortUntold = 7'h48,
    ObservePortTxWords = 7'h50,
    ObservePortTxPackets = 7'h58,
    ObservePortTxCredits = 7'h60,
    ObservePortTxStalled = 7'h68,
    ObservePortOpens = 7'h70,
    ObservePortDeaths = 7'h78
  } observe_port_offset_e;

endpackage
