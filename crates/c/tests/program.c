/* SPDX-License-Identifier: Apache-2.0 */
/* Sends so many bytes in one user frame, or receives and checks them. usage: program send|recv INTERFACE BYTES packet|xdp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ropewalk_htsp.h"

static unsigned char byte_at(size_t place) { return (unsigned char)(place * 2654435761u >> 24); }

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, rw_htsp_error());
  return 1;
}

int main(int count, char **args) {
  static unsigned char buffer[10007];
  struct rw_htsp_config config = {.alive_ms = 300000};
  struct rw_htsp_piece piece = {0};
  struct rw_htsp_stats stats;
  rw_htsp *end = NULL;
  if (count != 5) return 2;
  config.silence_ms = 300000;
  config.backend = 2;
  if (rw_htsp_open(args[2], &config, &end) != RW_HTSP_ERROR) return 3;
  if (strcmp(rw_htsp_error(), "backend 2: accepted are 0 and 1") != 0) return fail("text");
  config.backend = strcmp(args[4], "xdp") == 0 ? RW_HTSP_XDP : RW_HTSP_PACKET;
  size_t total = strtoull(args[3], NULL, 10), done = 0;
  if (rw_htsp_open(args[2], &config, &end) < 0) return fail("open");
  if (rw_htsp_send(end, 16, buffer, 1, RW_HTSP_LAST) != RW_HTSP_ERROR) return 3;
  if (strcmp(rw_htsp_error(), "channel 16: accepted are 0 to 15") != 0) return fail("text");
  if (rw_htsp_send(end, 0, buffer, 0, RW_HTSP_LAST) != RW_HTSP_ERROR) return 3;
  while (strcmp(args[1], "send") == 0 && done < total) {
    size_t size = total - done < sizeof buffer ? total - done : sizeof buffer;
    for (size_t i = 0; i < size; i++) buffer[i] = byte_at(done + i);
    done += size;
    int last = done == total ? RW_HTSP_LAST : RW_HTSP_MORE;
    if (rw_htsp_send(end, 5, buffer, size, last) < 0) return fail("send");
  }
  if (strcmp(args[1], "send") == 0 && rw_htsp_flush(end, 300000) != 1) return fail("flush");
  while (strcmp(args[1], "recv") == 0 && !piece.end) {
    if (rw_htsp_recv(end, 5, buffer, sizeof buffer, 300000, &piece) != 1) return fail("recv");
    if (piece.error || piece.start != (done == 0)) return 4;
    for (size_t i = 0; i < piece.bytes; i++)
      if (buffer[i] != byte_at(done + i)) return 5;
    done += piece.bytes;
  }
  if (rw_htsp_stats(end, &stats) < 0 || stats.lost || stats.overflows || stats.frames_bad) return 6;
  if (rw_htsp_close(end) < 0) return fail("close");
  return done == total ? 0 : 7;
}
