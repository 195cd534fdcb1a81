/* SPDX-License-Identifier: Apache-2.0 */
/* Remote memory between two models in this process: every call, and what is refused. Ends with the line that went wrong, or 0. */
#include <stdio.h>
#include <string.h>

#include "ropewalk_rdma.h"

#define LONG 60000

#define WANT(what)                                                        \
  do {                                                                    \
    if (!(what)) {                                                        \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, rw_rdma_error()); \
      return 1;                                                           \
    }                                                                     \
  } while (0)

/* Refused, for this reason. */
#define REFUSED(call, text) WANT((call) == RW_RDMA_ERROR && strstr(rw_rdma_error(), text))

int main(void) {
  rw_rdma *here = NULL, *there = NULL;
  rw_rdma_page *page = NULL, *far = NULL;
  rw_rdma_window *window = NULL, *target_window = NULL;
  rw_rdma_buffer *source = NULL, *target = NULL, *into = NULL;
  rw_rdma_transfer *one = NULL, *all[64];
  uint64_t to, note, over = 0;
  unsigned char bytes[64], back[64];
  for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(3 * i + 1);

  WANT(rw_rdma_models(1 << 16, &here, &there) == 0);
  REFUSED(rw_rdma_page_open(here, 16, 0, &page), "page 16: accepted are 0 to 15");
  REFUSED(rw_rdma_page_open(NULL, 0, 0, &page), "engine is NULL");
  REFUSED(rw_rdma_page_open(here, 0, 0, NULL), "result is NULL");
  WANT(rw_rdma_page_open(here, 0, LONG, &page) == 0);
  WANT(rw_rdma_page_open(there, 0, LONG, &far) == 0);
  REFUSED(rw_rdma_page_open(here, 0, 0, &page), "page 0: accepted is a page that is not open");
  REFUSED(rw_rdma_window_open(page, 64, 0, &window), "window without rights");
  REFUSED(rw_rdma_window_open(page, 64, 4, &window), "rights 4: accepted are 1 to 3");
  WANT(rw_rdma_window_open(page, 4096, RW_RDMA_READ | RW_RDMA_WRITE, &window) == 0);
  WANT(rw_rdma_window_open(far, 8192, RW_RDMA_READ | RW_RDMA_WRITE, &target_window) == 0);
  REFUSED(rw_rdma_buffer_open(window, 64, 3, &source), "align 3");
  REFUSED(rw_rdma_buffer_open(window, 5000, 1, &source), "accepted are 1 to 4096");
  WANT(rw_rdma_buffer_open(window, 64, 8, &source) == 0);
  WANT(rw_rdma_buffer_open(window, 64, 8, &into) == 0);
  WANT(rw_rdma_buffer_open(target_window, 8192, 64, &target) == 0);
  WANT(rw_rdma_window_close(window) == 0);
  WANT(rw_rdma_buffer_address(target, 0, &to) == 0 && to >> 48 == 1);
  WANT(rw_rdma_buffer_address(target, 8000, &note) == 0);
  REFUSED(rw_rdma_buffer_put(source, 1, bytes, 64), "64 bytes from byte 1 on");
  WANT(rw_rdma_buffer_put(source, 0, bytes, 64) == 0);

  /* Quality of service: what is set is seen, what is refused changes nothing. */
  struct rw_rdma_service service = {.weighted = 2};
  uint16_t interval = 1;
  WANT(rw_rdma_get_service(here, &service) == 0 && service.weighted == 0);
  service = (struct rw_rdma_service){1, {16, 3, 1}};
  WANT(rw_rdma_set_service(here, &service) == 0);
  service.weights[1] = 0;
  REFUSED(rw_rdma_set_service(here, &service), "weight 0 of class one path: accepted are 1 to 16");
  service.weighted = 2;
  REFUSED(rw_rdma_set_service(here, &service), "weighted 2: accepted are 0 and 1");
  WANT(rw_rdma_get_service(here, &service) == 0 && service.weighted == 1);
  WANT(service.weights[0] == 16 && service.weights[1] == 3 && service.weights[2] == 1);
  REFUSED(rw_rdma_get_service(here, NULL), "result is NULL");
  REFUSED(rw_rdma_set_service(here, NULL), "service is NULL");
  struct rw_rdma_congestion congestion = {0};
  WANT(rw_rdma_get_congestion(here, &congestion) == 0 && congestion.fall == 4 && congestion.first == 3);
  congestion.increase = 256;
  WANT(rw_rdma_set_congestion(here, &congestion) == 0);
  congestion.first = 0;
  REFUSED(rw_rdma_set_congestion(here, &congestion), "first 0 of congestion: accepted are 1 to 7");
  WANT(rw_rdma_get_congestion(here, &congestion) == 0 && congestion.first == 3 && congestion.increase == 256);
  congestion.fall = 0;
  WANT(rw_rdma_set_congestion(here, &congestion) == 0);
  WANT(rw_rdma_get_congestion(here, &congestion) == 0 && congestion.fall == 0);
  REFUSED(rw_rdma_get_congestion(here, NULL), "result is NULL");
  uint8_t on = 0;
  WANT(rw_rdma_get_cut_through(here, &on) == 0 && on == 1 && rw_rdma_set_cut_through(here, 0) == 0);
  WANT(rw_rdma_get_cut_through(here, &on) == 0 && on == 0 && rw_rdma_set_cut_through(here, 1) == 0);
  REFUSED(rw_rdma_get_cut_through(here, NULL), "result is NULL");
  REFUSED(rw_rdma_set_cut_through(NULL, 1), "engine is NULL");
  REFUSED(rw_rdma_set_congestion(here, NULL), "congestion is NULL");
  WANT(rw_rdma_page_get_rate(page, RW_RDMA_ONE_PATH, &interval) == 0 && interval == 0);
  WANT(rw_rdma_interval(30720000000, 150000000, &interval) == 0 && interval == 40);
  REFUSED(rw_rdma_interval(1, 150000000, &interval), "1 bits per second: accepted are 18750287 and more");
  WANT(rw_rdma_page_set_rate(page, RW_RDMA_ONE_PATH, interval) == 0);
  WANT(rw_rdma_page_get_rate(page, RW_RDMA_FOUR_PATHS, &interval) == 0 && interval == 0);
  WANT(rw_rdma_page_get_rate(page, RW_RDMA_ONE_PATH, &interval) == 0 && interval == 40);
  REFUSED(rw_rdma_page_set_rate(page, RW_RDMA_SMALL, 1), "rate of class small");
  REFUSED(rw_rdma_page_set_rate(page, 3, 1), "class 3: accepted are 0 to 2");

  /* A write that tells the other node. */
  struct rw_rdma_options how = {.rw_class = 3, .priority = 1, .notify = 2, .notify_at = note, .notify_value = 77};
  REFUSED(rw_rdma_write(page, source, 0, 64, to, &how, &one), "class 3: accepted are 0 to 2");
  how.rw_class = RW_RDMA_FOUR_PATHS;
  WANT(rw_rdma_write(page, source, 0, 64, to + 5, &how, &one) == 0);
  REFUSED(rw_rdma_buffer_put(source, 0, bytes, 1), "a transfer sends this buffer");
  REFUSED(rw_rdma_read(page, to, 8, source, 0, NULL, &one), "a transfer sends this buffer");
  WANT(rw_rdma_take(one) == 0);
  WANT(rw_rdma_wait(one, LONG) == 1 && rw_rdma_poll(one) == 1 && rw_rdma_take(one) == 1);
  WANT(rw_rdma_release(one) == 0);
  WANT(rw_rdma_buffer_put(source, 0, bytes, 1) == 0);
  WANT(rw_rdma_buffer_get(target, 5, back, 64) == 0 && memcmp(back, bytes, 64) == 0);
  WANT(rw_rdma_buffer_get(target, 8000, back, 8) == 0 && back[0] == 77 && back[1] == 0);

  /* A read; its buffer is away meanwhile. */
  WANT(rw_rdma_read(page, to + 6, 60, into, 2, NULL, &one) == 0);
  REFUSED(rw_rdma_buffer_get(into, 0, back, 1), "a read fills this buffer");
  while (rw_rdma_poll(one) == 0) continue;
  WANT(rw_rdma_poll(one) == 1);
  WANT(rw_rdma_buffer_get(into, 2, back, 60) == 0 && memcmp(back, bytes + 1, 60) == 0);
  WANT(rw_rdma_release(one) == 0);

  /* 64 messages, polled collectively. */
  REFUSED(rw_rdma_inline(page, bytes, 33, to, NULL, &one), "33 bytes: accepted are 1 to 32");
  uint64_t posted = 0;
  for (int i = 0; i < 64; i++) {
    WANT(rw_rdma_inline(page, bytes + i, 1, to + (uint64_t)i, NULL, &all[i]) == 0);
    posted |= 1ull << rw_rdma_channel(all[i]);
  }
  WANT(posted == UINT64_MAX);
  REFUSED(rw_rdma_inline(page, bytes, 1, to, NULL, &one), "page 0: accepted are 64 transfers at a time");
  while (over != posted) WANT(rw_rdma_collect(page, &over) == 0);
  for (int i = 0; i < 64; i++) WANT(rw_rdma_take(all[i]) == 1 && rw_rdma_release(all[i]) == 0);
  WANT(rw_rdma_buffer_get(target, 0, back, 64) == 0 && memcmp(back, bytes, 64) == 0);

  /* What fails; the buffer of such a read is gone. */
  WANT(rw_rdma_buffer_close(target) == 0 && rw_rdma_window_close(target_window) == 0);
  WANT(rw_rdma_write(page, source, 0, 64, to, NULL, &one) == 0);
  WANT(rw_rdma_wait(one, LONG) == RW_RDMA_FAILED && strstr(rw_rdma_error(), "the transfer failed"));
  WANT(rw_rdma_take(one) == RW_RDMA_FAILED && rw_rdma_release(one) == 0);
  WANT(rw_rdma_read(page, to, 8, into, 0, NULL, &one) == 0);
  WANT(rw_rdma_wait(one, LONG) == RW_RDMA_FAILED && rw_rdma_release(one) == 0);
  REFUSED(rw_rdma_buffer_get(into, 0, back, 1), "the read into this buffer has failed");

  /* One that is left to itself, and a file that is no engine. */
  WANT(rw_rdma_write(page, source, 0, 64, to, NULL, &one) == 0 && rw_rdma_release(one) == 0);
  WANT(rw_rdma_buffer_close(source) == 0 && rw_rdma_buffer_close(into) == 0);
  WANT(rw_rdma_page_close(page) == 0 && rw_rdma_page_close(far) == 0);
  WANT(rw_rdma_page_open(here, 0, LONG, &page) == 0 && rw_rdma_page_close(page) == 0);

  /* From now on nothing of this engine waits; a transfer goes on, and is seen by looking. */
  WANT(rw_rdma_page_open(here, 0, LONG, &page) == 0);
  WANT(rw_rdma_inline(page, bytes, 1, to, NULL, &one) == 0);
  WANT(rw_rdma_cancel(here) == 0);
  WANT(rw_rdma_wait(one, LONG) == RW_CANCELLED && strcmp(rw_error(), "cancelled") == 0);
  REFUSED(rw_rdma_cancel(NULL), "engine is NULL");
  while (rw_rdma_poll(one) == 0) continue;
  WANT(rw_rdma_release(one) == 0 && rw_rdma_page_close(page) == 0);
  page = NULL;
  WANT(rw_rdma_page_open(here, 0, LONG, &page) == RW_CANCELLED && page == NULL);
  WANT(rw_rdma_close(here) == 0 && rw_rdma_close(there) == 0 && rw_rdma_close(NULL) == 0);
  struct rw_rdma_area nowhere = {.path = "nowhere/uio0", .map = -1};
  struct rw_rdma_layout layout = {.registers = nowhere, .port = nowhere, .pages = 2};
  struct rw_rdma_start start = {0};
  REFUSED(rw_rdma_map(&layout, &start, 0, &here), "nowhere/uio0: open it");
  layout.port.path = NULL;
  REFUSED(rw_rdma_map(&layout, &start, 0, &here), "path is NULL");
  return 0;
}
