// SPDX-License-Identifier: Apache-2.0
//
// pcs_regs_pkg: ports of pcs_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/pcs/regs/pcs.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package pcs_regs_pkg;

  typedef struct {logic [1:0] next;} pcs__build__fec__in_t;

  typedef struct {logic [4:0] next;} pcs__build__lanes__in_t;

  typedef struct {logic [15:0] next;} pcs__build__period__in_t;

  typedef struct {
    pcs__build__fec__in_t fec;
    pcs__build__lanes__in_t lanes;
    pcs__build__period__in_t period;
  } pcs__build__in_t;

  typedef struct {logic next;} pcs__events__up__in_t;

  typedef struct {logic next;} pcs__events__down__in_t;

  typedef struct {logic next;} pcs__events__uncorrectable__in_t;

  typedef struct {logic next;} pcs__events__observe_lost__in_t;

  typedef struct {
    pcs__events__up__in_t up;
    pcs__events__down__in_t down;
    pcs__events__uncorrectable__in_t uncorrectable;
    pcs__events__observe_lost__in_t observe_lost;
  } pcs__events__in_t;

  typedef struct {
    logic rd_ack;
    logic [31:0] rd_data;
    logic wr_ack;
  } pcs__observe__in_t;

  typedef struct {
    pcs__build__in_t   build;
    pcs__events__in_t  events;
    pcs__observe__in_t observe;
  } pcs__in_t;

  typedef struct {logic [1:0] value;} pcs__control__mode__out_t;

  typedef struct {logic [1:0] value;} pcs__control__fec__out_t;

  typedef struct {logic value;} pcs__control__clear__out_t;

  typedef struct {
    pcs__control__mode__out_t  mode;
    pcs__control__fec__out_t   fec;
    pcs__control__clear__out_t clear;
  } pcs__control__out_t;

  typedef struct {logic intr;} pcs__events__out_t;

  typedef struct {logic value;} pcs__event_enable__up__out_t;

  typedef struct {logic value;} pcs__event_enable__down__out_t;

  typedef struct {logic value;} pcs__event_enable__uncorrectable__out_t;

  typedef struct {logic value;} pcs__event_enable__observe_lost__out_t;

  typedef struct {
    pcs__event_enable__up__out_t up;
    pcs__event_enable__down__out_t down;
    pcs__event_enable__uncorrectable__out_t uncorrectable;
    pcs__event_enable__observe_lost__out_t observe_lost;
  } pcs__event_enable__out_t;

  typedef struct {
    logic req;
    logic [9:0] addr;
    logic req_is_wr;
    logic [31:0] wr_data;
    logic [31:0] wr_biten;
  } pcs__observe__out_t;

  typedef struct {
    pcs__control__out_t control;
    pcs__events__out_t events;
    pcs__event_enable__out_t event_enable;
    pcs__observe__out_t observe;
  } pcs__out_t;

  typedef enum logic [1:0] {
    fec_e__absent = 'h0,
    fec_e__present = 'h1,
    fec_e__selectable = 'h2
  } fec_e_e;

  typedef enum logic [1:0] {
    mode_e__correct = 'h0,
    mode_e__bypass_indication = 'h1,
    mode_e__bypass_correction = 'h2
  } mode_e_e;

  typedef enum logic [1:0] {
    setting_e__off  = 'h0,
    setting_e__on   = 'h1,
    setting_e__auto = 'h2
  } setting_e_e;

  // Byte offsets in observe.
  typedef enum logic [9:0] {
    ObserveState = 10'h0,
    ObserveNow = 10'h8,
    ObserveDowns = 10'h10,
    ObserveLane = 10'h100,
    ObserveCorrected = 10'h300,
    ObserveUncorrectable = 10'h308,
    ObserveBlockErrors = 10'h310,
    ObserveSymbols = 10'h340,
    ObserveParityErrors = 10'h360
  } observe_offset_e;

  // Values of state.
  typedef enum logic [3:0] {
    StateNoSignal = 4'd0,
    StateNoBlockLock = 4'd1,
    StateNoMarker = 4'd2,
    StateSameNumber = 4'd3,
    StateAligning = 4'd4,
    StateSkewExceeded = 4'd5,
    StateNoCodeword = 4'd6,
    StateHighSer = 4'd7,
    StateHighBer = 4'd8,
    StateUp = 4'd9,
    StatePeerMode = 4'd10,
    StateRemoteFault = 4'd11
  } state_e;

endpackage
