// SPDX-License-Identifier: Apache-2.0
//
// slink_regs_pkg: ports of slink_regs, and where the words of external blocks are.
//
// Made by tools/regs.py (PeakRDL-regblock) from cores/slink/regs/slink.rdl: change that file.
// `next` is a value that software reads, `value` one that software has written.

package slink_regs_pkg;

  typedef struct {logic next;} slink__status__busy__in_t;

  typedef struct {logic next;} slink__status__done__in_t;

  typedef struct {logic next;} slink__status__damaged__in_t;

  typedef struct {logic next;} slink__status__exhausted__in_t;

  typedef struct {logic next;} slink__status__silent__in_t;

  typedef struct {logic next;} slink__status__refused__in_t;

  typedef struct {logic next;} slink__status__reset__in_t;

  typedef struct {logic next;} slink__status__up__in_t;

  typedef struct {logic [7:0] next;} slink__status__retries__in_t;

  typedef struct {logic [15:0] next;} slink__status__progress__in_t;

  typedef struct {
    slink__status__busy__in_t busy;
    slink__status__done__in_t done;
    slink__status__damaged__in_t damaged;
    slink__status__exhausted__in_t exhausted;
    slink__status__silent__in_t silent;
    slink__status__refused__in_t refused;
    slink__status__reset__in_t reset;
    slink__status__up__in_t up;
    slink__status__retries__in_t retries;
    slink__status__progress__in_t progress;
  } slink__status__in_t;

  typedef struct {logic next;} slink__events__ended__in_t;

  typedef struct {logic next;} slink__events__served__in_t;

  typedef struct {logic next;} slink__events__damaged__in_t;

  typedef struct {logic next;} slink__events__up__in_t;

  typedef struct {logic next;} slink__events__down__in_t;

  typedef struct {logic next;} slink__events__changed__in_t;

  typedef struct {
    slink__events__ended__in_t ended;
    slink__events__served__in_t served;
    slink__events__damaged__in_t damaged;
    slink__events__up__in_t up;
    slink__events__down__in_t down;
    slink__events__changed__in_t changed;
  } slink__events__in_t;

  typedef struct {logic next;} slink__queue__full__in_t;

  typedef struct {logic [2:0] next;} slink__queue__most__in_t;

  typedef struct {logic [3:0] next;} slink__queue__started__in_t;

  typedef struct {logic [2:0] next;} slink__queue__outcome_0__in_t;

  typedef struct {logic [2:0] next;} slink__queue__outcome_1__in_t;

  typedef struct {logic [2:0] next;} slink__queue__outcome_2__in_t;

  typedef struct {logic [2:0] next;} slink__queue__outcome_3__in_t;

  typedef struct {
    slink__queue__full__in_t full;
    slink__queue__most__in_t most;
    slink__queue__started__in_t started;
    slink__queue__outcome_0__in_t outcome_0;
    slink__queue__outcome_1__in_t outcome_1;
    slink__queue__outcome_2__in_t outcome_2;
    slink__queue__outcome_3__in_t outcome_3;
  } slink__queue__in_t;

  typedef struct {logic [1:0] next;} slink__line__speed__in_t;

  typedef struct {logic next;} slink__line__coding__in_t;

  typedef struct {logic [2:0] next;} slink__line__lanes__in_t;

  typedef struct {logic next;} slink__line__busy__in_t;

  typedef struct {logic [2:0] next;} slink__line__result__in_t;

  typedef struct {
    slink__line__speed__in_t  speed;
    slink__line__coding__in_t coding;
    slink__line__lanes__in_t  lanes;
    slink__line__busy__in_t   busy;
    slink__line__result__in_t result;
  } slink__line__in_t;

  typedef struct {
    slink__status__in_t status;
    slink__events__in_t events;
    slink__queue__in_t  queue;
    slink__line__in_t   line;
  } slink__in_t;

  typedef struct {logic [1:0] value;} slink__control__run__out_t;

  typedef struct {logic value;} slink__control__start__out_t;

  typedef struct {
    slink__control__run__out_t   run;
    slink__control__start__out_t start;
  } slink__control__out_t;

  typedef struct {logic value;} slink__mode__read__out_t;

  typedef struct {logic value;} slink__mode__crc__out_t;

  typedef struct {logic [2:0] value;} slink__mode__lanes__out_t;

  typedef struct {logic [15:0] value;} slink__mode__length__out_t;

  typedef struct {
    slink__mode__read__out_t read;
    slink__mode__crc__out_t crc;
    slink__mode__lanes__out_t lanes;
    slink__mode__length__out_t length;
  } slink__mode__out_t;

  typedef struct {logic [31:0] value;} slink__remote_address__address__out_t;

  typedef struct {slink__remote_address__address__out_t address;} slink__remote_address__out_t;

  typedef struct {logic [31:0] value;} slink__local_address__address__out_t;

  typedef struct {slink__local_address__address__out_t address;} slink__local_address__out_t;

  typedef struct {logic [19:0] value;} slink__window_first__page__out_t;

  typedef struct {slink__window_first__page__out_t page;} slink__window_first__out_t;

  typedef struct {logic [19:0] value;} slink__window_last__page__out_t;

  typedef struct {slink__window_last__page__out_t page;} slink__window_last__out_t;

  typedef struct {logic [3:0] value;} slink__lanes__wired__out_t;

  typedef struct {slink__lanes__wired__out_t wired;} slink__lanes__out_t;

  typedef struct {logic intr;} slink__events__out_t;

  typedef struct {logic value;} slink__event_enable__ended__out_t;

  typedef struct {logic value;} slink__event_enable__served__out_t;

  typedef struct {logic value;} slink__event_enable__damaged__out_t;

  typedef struct {logic value;} slink__event_enable__up__out_t;

  typedef struct {logic value;} slink__event_enable__down__out_t;

  typedef struct {logic value;} slink__event_enable__changed__out_t;

  typedef struct {
    slink__event_enable__ended__out_t ended;
    slink__event_enable__served__out_t served;
    slink__event_enable__damaged__out_t damaged;
    slink__event_enable__up__out_t up;
    slink__event_enable__down__out_t down;
    slink__event_enable__changed__out_t changed;
  } slink__event_enable__out_t;

  typedef struct {
    logic [1:0] value;
    logic swmod;
  } slink__wanted__speed__out_t;

  typedef struct {logic value;} slink__wanted__coding__out_t;

  typedef struct {logic [2:0] value;} slink__wanted__lanes__out_t;

  typedef struct {
    slink__wanted__speed__out_t  speed;
    slink__wanted__coding__out_t coding;
    slink__wanted__lanes__out_t  lanes;
  } slink__wanted__out_t;

  typedef struct {
    slink__control__out_t control;
    slink__mode__out_t mode;
    slink__remote_address__out_t remote_address;
    slink__local_address__out_t local_address;
    slink__window_first__out_t window_first;
    slink__window_last__out_t window_last;
    slink__lanes__out_t lanes;
    slink__events__out_t events;
    slink__event_enable__out_t event_enable;
    slink__wanted__out_t wanted;
  } slink__out_t;

  typedef enum logic [1:0] {
    run_e__off  = 'h0,
    run_e__slow = 'h1,
    run_e__fast = 'h2
  } run_e_e;

  typedef enum logic [2:0] {
    outcome_e__none = 'h0,
    outcome_e__done = 'h1,
    outcome_e__refused = 'h2,
    outcome_e__damaged = 'h3,
    outcome_e__silent = 'h4,
    outcome_e__exhausted = 'h5,
    outcome_e__reset = 'h6
  } outcome_e_e;

  typedef enum logic {
    coding_e__code_8b10b  = 'h0,
    coding_e__code_64b66b = 'h1
  } coding_e_e;

  typedef enum logic [2:0] {
    change_e__none = 'h0,
    change_e__done = 'h1,
    change_e__refused = 'h2,
    change_e__silent = 'h3,
    change_e__fell_back = 'h4,
    change_e__overruled = 'h5,
    change_e__lost = 'h6
  } change_e_e;

endpackage
