/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a number of bytes in one user frame, or receives and checks them; or sends to a peer that
   never answers, and still ends: by its limit, or by another thread.
   usage: program send|recv|alone INTERFACE BYTES packet|xdp */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ropewalk_htsp.h"

static unsigned char byte_at(size_t place) { return (unsigned char)(place * 2654435761u >> 24); }

/* A word that says what it is and from whom. */
static void word(unsigned char *bytes, const char *role, unsigned char what) {
  memset(bytes, what, RW_HTSP_WORD);
  memcpy(bytes, role, 4);
}

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, rw_htsp_error());
  return 1;
}

/* Waits for what nobody sends, without limit: what the wait says. */
static void *wait_long(void *end) {
  unsigned char byte;
  struct rw_htsp_piece piece;
  static int said;
  said = rw_htsp_recv(end, 7, &byte, 1, UINT32_MAX, &piece);
  return &said;
}

/* Nobody listens: every call that waits comes back, with what it has done. */
static int alone(rw_htsp *end, unsigned char *buffer, size_t size) {
  struct rw_htsp_piece piece;
  struct rw_htsp_stats stats;
  size_t sent = size, all = 0;
  int said = 1;
  while (said == 1 && all < (size_t)1 << 32) {
    said = rw_htsp_send(end, 5, buffer, size, RW_HTSP_MORE, 100, &sent);
    all += sent;
  }
  if (said != 0 || sent >= size) return fail("send to nobody");
  if (rw_htsp_flush(end, 100) != 0) return fail("flush to nobody");
  if (rw_htsp_recv(end, 5, buffer, size, 100, &piece) != 0) return fail("recv from nobody");
  if (rw_htsp_stats(end, &stats) < 0 || stats.frames_sent) return fail("stats of nobody");
  pthread_t thread;
  void *cancelled;
  if (pthread_create(&thread, NULL, wait_long, end)) return 8;
  /* On the same channel, whether the other thread has it by now or not. */
  for (int i = 0; i < 20; i++)
    if (rw_htsp_recv(end, 7, buffer, size, 5, &piece) != 0) return fail("recv beside another");
  if (rw_htsp_recv_opcode(end, buffer, 10) != 0) return fail("op-code of nobody");
  if (rw_htsp_recv_opcode(end, NULL, 10) != RW_HTSP_ERROR) return 9;
  if (strcmp(rw_htsp_error(), "opcode is NULL") != 0) return fail("text");
  if (rw_htsp_set_user_data(end, NULL) != RW_HTSP_ERROR) return 9;
  if (strcmp(rw_htsp_error(), "data is NULL") != 0) return fail("text");
  if (rw_htsp_cancel(end) < 0 || pthread_join(thread, &cancelled)) return fail("cancel");
  if (*(int *)cancelled != RW_CANCELLED) return fail("recv that is cancelled");
  if (rw_htsp_flush(end, UINT32_MAX) != RW_CANCELLED) return fail("flush after it");
  if (rw_htsp_send(end, 5, buffer, 1, RW_HTSP_LAST, UINT32_MAX, &sent) != RW_CANCELLED || sent)
    return fail("send after it");
  return rw_htsp_close(end) < 0 ? fail("close") : 0;
}

int main(int count, char **args) {
  static unsigned char buffer[10007];
  struct rw_htsp_config config = {.alive_ms = 300000};
  struct rw_htsp_piece piece = {0};
  struct rw_htsp_stats stats;
  rw_htsp *end = NULL;
  if (count != 5) return 2;
  config.silence_ms = strcmp(args[1], "alone") == 0 ? 0 : 300000;
  config.backend = 2;
  if (rw_htsp_open(args[2], &config, &end) != RW_HTSP_ERROR) return 3;
  if (strcmp(rw_htsp_error(), "backend 2: accepted are 0 and 1") != 0) return fail("text");
  config.backend = strcmp(args[4], "xdp") == 0 ? RW_HTSP_XDP : RW_HTSP_PACKET;
  size_t total = strtoull(args[3], NULL, 10), done = 0;
  if (rw_htsp_open(args[2], &config, &end) < 0) return fail("open");
  if (rw_htsp_send(end, 16, buffer, 1, RW_HTSP_LAST, 0, NULL) != RW_HTSP_ERROR) return 3;
  if (strcmp(rw_htsp_error(), "channel 16: accepted are 0 to 15") != 0) return fail("text");
  if (rw_htsp_send(end, 0, buffer, 0, RW_HTSP_LAST, 0, NULL) != RW_HTSP_ERROR) return 3;
  struct rw_htsp_marks wrong = {RW_HTSP_LAST, 0, 128};
  if (rw_htsp_send_tuser(end, 0, buffer, 1, wrong, 0, NULL) != RW_HTSP_ERROR) return 3;
  if (strcmp(args[1], "alone") == 0) return alone(end, buffer, sizeof buffer);
  /* Op-codes and user data of both directions, beside the frames. */
  const char *other = strcmp(args[1], "send") == 0 ? "recv" : "send";
  unsigned char said[RW_HTSP_WORD], wanted[RW_HTSP_WORD];
  word(said, args[1], 9);
  if (rw_htsp_set_user_data(end, said) != 1) return fail("user data");
  for (unsigned char number = 1; number <= 3; number++) {
    word(said, args[1], number);
    if (rw_htsp_send_opcode(end, said) != 1) return fail("send op-code");
  }
  for (unsigned char number = 1; number <= 3; number++) {
    word(wanted, other, number);
    if (rw_htsp_recv_opcode(end, said, 300000) != 1) return fail("recv op-code");
    if (memcmp(said, wanted, sizeof said) != 0) return 9;
  }
  word(wanted, other, 9);
  do {
    if (rw_htsp_peer_user_data(end, said) != 1) return fail("peer's user data");
  } while (memcmp(said, wanted, sizeof said) != 0);
  while (strcmp(args[1], "send") == 0 && done < total) {
    size_t size = total - done < sizeof buffer ? total - done : sizeof buffer;
    for (size_t i = 0; i < size; i++) buffer[i] = byte_at(done + i);
    done += size;
    struct rw_htsp_marks marks = {done == total ? RW_HTSP_LAST : RW_HTSP_MORE, 0xa5, 0x5a};
    if (rw_htsp_send_tuser(end, 5, buffer, size, marks, 300000, NULL) != 1) return fail("send");
  }
  if (strcmp(args[1], "send") == 0 && rw_htsp_flush(end, 300000) != 1) return fail("flush");
  while (strcmp(args[1], "recv") == 0 && !piece.end) {
    if (rw_htsp_recv(end, 5, buffer, sizeof buffer, 300000, &piece) != 1) return fail("recv");
    if (piece.error || piece.start != (done == 0)) return 4;
    if (piece.tuser_first != (piece.start ? 0xa5 : 0)) return 4;
    if (piece.tuser_last != (piece.end ? 0x5a : 0)) return 4;
    for (size_t i = 0; i < piece.bytes; i++)
      if (buffer[i] != byte_at(done + i)) return 5;
    done += piece.bytes;
  }
  if (rw_htsp_stats(end, &stats) < 0 || stats.lost || stats.overflows || stats.frames_bad) return 6;
  if (rw_htsp_close(end) < 0) return fail("close");
  return done == total ? 0 : 7;
}
