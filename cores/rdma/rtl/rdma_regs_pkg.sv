// SPDX-License-Identifier: Apache-2.0
//
// rdma_regs_pkg: ports of rdma_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/rdma/regs/rdma.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package rdma_regs_pkg;

  typedef struct {logic [4:0] next;} rdma__parameters__pages__in_t;

  typedef struct {logic [4:0] next;} rdma__parameters__priorities__in_t;

  typedef struct {logic [6:0] next;} rdma__parameters__senders__in_t;

  typedef struct {logic [4:0] next;} rdma__parameters__windows__in_t;

  typedef struct {logic next;} rdma__parameters__packed_framing__in_t;

  typedef struct {logic next;} rdma__parameters__cut_through__in_t;

  typedef struct {
    rdma__parameters__pages__in_t pages;
    rdma__parameters__priorities__in_t priorities;
    rdma__parameters__senders__in_t senders;
    rdma__parameters__windows__in_t windows;
    rdma__parameters__packed_framing__in_t packed_framing;
    rdma__parameters__cut_through__in_t cut_through;
  } rdma__parameters__in_t;

  typedef struct {logic next;} rdma__status__ready__in_t;

  typedef struct {logic next;} rdma__status__drained__in_t;

  typedef struct {
    rdma__status__ready__in_t   ready;
    rdma__status__drained__in_t drained;
  } rdma__status__in_t;

  typedef struct {logic next;} rdma__events__completed__in_t;

  typedef struct {logic next;} rdma__events__failed__in_t;

  typedef struct {logic next;} rdma__events__refused__in_t;

  typedef struct {logic next;} rdma__events__outside__in_t;

  typedef struct {logic next;} rdma__events__memory_error__in_t;

  typedef struct {logic next;} rdma__events__fault__in_t;

  typedef struct {
    rdma__events__completed__in_t completed;
    rdma__events__failed__in_t failed;
    rdma__events__refused__in_t refused;
    rdma__events__outside__in_t outside;
    rdma__events__memory_error__in_t memory_error;
    rdma__events__fault__in_t fault;
  } rdma__events__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } rdma__observe__in_t;

  typedef struct {
    rdma__parameters__in_t parameters;
    rdma__status__in_t status;
    rdma__events__in_t events;
    rdma__observe__in_t observe;
  } rdma__in_t;

  typedef struct {logic value;} rdma__control__enable__out_t;

  typedef struct {rdma__control__enable__out_t enable;} rdma__control__out_t;

  typedef struct {logic value;} rdma__command__clear__out_t;

  typedef struct {logic value;} rdma__command__window__out_t;

  typedef struct {logic value;} rdma__command__rate__out_t;

  typedef struct {
    rdma__command__clear__out_t  clear;
    rdma__command__window__out_t window;
    rdma__command__rate__out_t   rate;
  } rdma__command__out_t;

  typedef struct {logic intr;} rdma__events__out_t;

  typedef struct {logic value;} rdma__event_enable__completed__out_t;

  typedef struct {logic value;} rdma__event_enable__failed__out_t;

  typedef struct {logic value;} rdma__event_enable__refused__out_t;

  typedef struct {logic value;} rdma__event_enable__outside__out_t;

  typedef struct {logic value;} rdma__event_enable__memory_error__out_t;

  typedef struct {logic value;} rdma__event_enable__fault__out_t;

  typedef struct {
    rdma__event_enable__completed__out_t completed;
    rdma__event_enable__failed__out_t failed;
    rdma__event_enable__refused__out_t refused;
    rdma__event_enable__outside__out_t outside;
    rdma__event_enable__memory_error__out_t memory_error;
    rdma__event_enable__fault__out_t fault;
  } rdma__event_enable__out_t;

  typedef struct {logic [15:0] value;} rdma__identity__node__out_t;

  typedef struct {logic [3:0] value;} rdma__identity__epoch__out_t;

  typedef struct {
    rdma__identity__node__out_t  node;
    rdma__identity__epoch__out_t epoch;
  } rdma__identity__out_t;

  typedef struct {logic [31:0] value;} rdma__timeout__cycles__out_t;

  typedef struct {rdma__timeout__cycles__out_t cycles;} rdma__timeout__out_t;

  typedef struct {logic [3:0] value;} rdma__retries__count__out_t;

  typedef struct {rdma__retries__count__out_t count;} rdma__retries__out_t;

  typedef struct {logic [17:0] value;} rdma__read_timeout__ticks__out_t;

  typedef struct {rdma__read_timeout__ticks__out_t ticks;} rdma__read_timeout__out_t;

  typedef struct {logic [3:0] value;} rdma__window__domain__out_t;

  typedef struct {logic [3:0] value;} rdma__window__slot__out_t;

  typedef struct {logic value;} rdma__window__read__out_t;

  typedef struct {logic value;} rdma__window__write__out_t;

  typedef struct {
    rdma__window__domain__out_t domain;
    rdma__window__slot__out_t   slot;
    rdma__window__read__out_t   read;
    rdma__window__write__out_t  write;
  } rdma__window__out_t;

  typedef struct {logic [31:0] value;} rdma__window_first__low__out_t;

  typedef struct {logic [15:0] value;} rdma__window_first__high__out_t;

  typedef struct {
    rdma__window_first__low__out_t  low;
    rdma__window_first__high__out_t high;
  } rdma__window_first__out_t;

  typedef struct {logic [31:0] value;} rdma__window_last__low__out_t;

  typedef struct {logic [15:0] value;} rdma__window_last__high__out_t;

  typedef struct {
    rdma__window_last__low__out_t  low;
    rdma__window_last__high__out_t high;
  } rdma__window_last__out_t;

  typedef struct {logic [6:0] value;} rdma__rate__flow__out_t;

  typedef struct {logic [15:0] value;} rdma__rate__interval__out_t;

  typedef struct {
    rdma__rate__flow__out_t flow;
    rdma__rate__interval__out_t   interval;
  } rdma__rate__out_t;

  typedef struct {logic [15:0] value;} rdma__forget__ticks__out_t;

  typedef struct {rdma__forget__ticks__out_t ticks;} rdma__forget__out_t;

  typedef struct {logic value;} rdma__service__weighted__out_t;

  typedef struct {logic [3:0] value;} rdma__service__weight_small__out_t;

  typedef struct {logic [3:0] value;} rdma__service__weight_one_path__out_t;

  typedef struct {logic [3:0] value;} rdma__service__weight_four_paths__out_t;

  typedef struct {
    rdma__service__weighted__out_t weighted;
    rdma__service__weight_small__out_t weight_small;
    rdma__service__weight_one_path__out_t weight_one_path;
    rdma__service__weight_four_paths__out_t weight_four_paths;
  } rdma__service__out_t;

  typedef struct {logic [2:0] value;} rdma__congestion__fall__out_t;

  typedef struct {logic [2:0] value;} rdma__congestion__first__out_t;

  typedef struct {logic [15:0] value;} rdma__congestion__increase__out_t;

  typedef struct {
    rdma__congestion__fall__out_t fall;
    rdma__congestion__first__out_t first;
    rdma__congestion__increase__out_t increase;
  } rdma__congestion__out_t;

  typedef struct {logic value;} rdma__receive__cut_through__out_t;

  typedef struct {rdma__receive__cut_through__out_t cut_through;} rdma__receive__out_t;

  typedef struct {logic [15:0] value;} rdma__page_ratex__one_path__out_t;

  typedef struct {logic [15:0] value;} rdma__page_ratex__four_paths__out_t;

  typedef struct {
    rdma__page_ratex__one_path__out_t   one_path;
    rdma__page_ratex__four_paths__out_t four_paths;
  } rdma__page_ratex__out_t;

  typedef struct {
    logic req;
    logic [8:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } rdma__observe__out_t;

  typedef struct {
    rdma__control__out_t control;
    rdma__command__out_t command;
    rdma__events__out_t events;
    rdma__event_enable__out_t event_enable;
    rdma__identity__out_t identity;
    rdma__timeout__out_t timeout;
    rdma__retries__out_t retries;
    rdma__read_timeout__out_t read_timeout;
    rdma__window__out_t window;
    rdma__window_first__out_t window_first;
    rdma__window_last__out_t window_last;
    rdma__rate__out_t rate;
    rdma__forget__out_t forget;
    rdma__service__out_t service;
    rdma__congestion__out_t congestion;
    rdma__receive__out_t receive;
    rdma__page_ratex__out_t page_rate[16];
    rdma__observe__out_t observe;
  } rdma__out_t;

  // Byte offsets in observe.
  typedef enum logic [8:0] {
    ObserveDamaged = 9'h0,
    ObserveContradicting = 9'h8,
    ObserveDuplicates = 9'h10,
    ObserveAnsweredAgain = 9'h18,
    ObserveOld = 9'h20,
    ObserveOldEpoch = 9'h28,
    ObserveForeign = 9'h30,
    ObserveOutside = 9'h38,
    ObserveEarly = 9'h40,
    ObserveRequestsRefused = 9'h48,
    ObserveMemoryErrors = 9'h50,
    ObserveAnswersLost = 9'h58,
    ObserveMalformed = 9'h60,
    ObserveAnswersDropped = 9'h68,
    ObserveRepeated = 9'h70,
    ObserveGivenUp = 9'h78,
    ObserveCompleted = 9'h80,
    ObserveFailed = 9'h88,
    ObserveReadsServed = 9'h90,
    ObserveSourceRefused = 9'h98,
    ObservePacketsSent = 9'ha0,
    ObserveWordsSent = 9'ha8,
    ObserveStalled = 9'hb0,
    ObservePacketsReceived = 9'hb8,
    ObserveWordsReceived = 9'hc0,
    ObservePausing = 9'hc8,
    ObserveFaults = 9'hd0,
    ObserveStrays = 9'hd8,
    ObservePacketsWithin = 9'he0,
    ObserveMarked = 9'he8,
    ObserveEchoes = 9'hf0,
    ObserveSlowed = 9'hf8,
    ObserveRefused = 9'h180
  } observe_offset_e;

endpackage
