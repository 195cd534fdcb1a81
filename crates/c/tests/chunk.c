/* SPDX-License-Identifier: Apache-2.0 */
/* Files from host to host, both ends in this process; or to a host that never answers.
   usage: chunk pair|trusted FILE DIRECTORY COPY BYTES | chunk silent FILE HOST:PORT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ropewalk.h"

#define WANT(what)                                                          \
  do {                                                                      \
    if (!(what)) {                                                          \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, rw_error());    \
      return 1;                                                             \
    }                                                                       \
  } while (0)

static int same_bytes(const char *one, const char *two, size_t bytes) {
  FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
  size_t count = 0;
  int x = EOF, y = EOF;
  while (a && b && (x = fgetc(a)) == (y = fgetc(b)) && x != EOF) count++;
  if (a) fclose(a);
  if (b) fclose(b);
  return x == y && count == bytes;
}

static int pair(const char *file, const char *directory, const char *copy, size_t bytes) {
  char code[RW_CHUNK_CODE], address[RW_CHUNK_ADDRESS], key[2][RW_CHUNK_KEY], open[2][RW_CHUNK_KEY];
  rw_chunk *to = NULL, *from = NULL;
  struct rw_chunk_stats stats;
  struct rw_chunk_recv_config receiver = {.listen = "127.0.0.1:0"};
  struct rw_chunk_lane lane = {.local = "127.0.0.1", .peer = address};
  struct rw_chunk_send_config sender = {.lanes = &lane, .lane_count = 1, .code = code};
  /* Known by a code. */
  WANT(rw_chunk_recv(directory, &receiver, &to) == 0);
  WANT(rw_chunk_address(to, address) == 1 && strncmp(address, "127.0.0.1:", 10) == 0);
  WANT(rw_chunk_code(to, 300000, code) == 1 && strlen(code) == 9 && code[4] == '-');
  WANT(rw_chunk_wait(to, 0) == 0);
  WANT(rw_chunk_send(file, &sender, &from) == 0);
  WANT(rw_chunk_wait(from, 300000) == 1 && rw_chunk_wait(from, 0) == 1);
  WANT(rw_chunk_wait(to, 300000) == 1);
  WANT(same_bytes(file, copy, bytes));
  WANT(rw_chunk_stats(from, &stats) == 0 && stats.total == bytes && stats.done == bytes);
  WANT(rw_chunk_stats(to, &stats) == 0 && stats.done == bytes && stats.files == 1);
  WANT(rw_chunk_code(from, 0, code) == 0 && rw_chunk_address(from, code) == 0);
  WANT(rw_chunk_close(from) == 0 && rw_chunk_close(to) == 0);
  /* Known by keys; all of it is there. */
  for (int i = 0; i < 2; i++) WANT(rw_chunk_key(key[i], open[i]) == 1 && strlen(open[i]) == 64);
  receiver.key = key[0], receiver.allow = open[1];
  sender.key = key[1], sender.peer_key = open[0], sender.code = NULL;
  sender.erasure_data = 16, sender.erasure_parity = 4;
  WANT(rw_chunk_recv(directory, &receiver, &to) == 0 && rw_chunk_address(to, address) == 1);
  WANT(rw_chunk_send(file, &sender, &from) == 0 && rw_chunk_wait(from, 300000) == 1);
  WANT(rw_chunk_wait(to, 300000) == 1);
  WANT(rw_chunk_stats(from, &stats) == 0 && stats.spared == bytes);
  WANT(rw_chunk_close(from) == 0 && rw_chunk_close(to) == 0);
  return 0;
}

/* Nobody proves anything. */
static int trusted(const char *file, const char *directory, const char *copy, size_t bytes) {
  char address[RW_CHUNK_ADDRESS];
  rw_chunk *to = NULL, *from = NULL;
  struct rw_chunk_recv_config receiver = {.listen = "127.0.0.1:0", .trusted = 1};
  struct rw_chunk_lane lane = {.peer = address};
  struct rw_chunk_send_config sender = {.lanes = &lane, .lane_count = 1, .trusted = 1};
  WANT(rw_chunk_recv(directory, &receiver, &to) == 0 && rw_chunk_address(to, address) == 1);
  WANT(rw_chunk_send(file, &sender, &from) == 0 && rw_chunk_wait(from, 300000) == 1);
  WANT(rw_chunk_wait(to, 300000) == 1 && same_bytes(file, copy, bytes));
  WANT(rw_chunk_close(from) == 0 && rw_chunk_close(to) == 0);
  return 0;
}

static void *cancel(void *transfer) {
  rw_chunk_cancel(transfer);
  return NULL;
}

static int silent(const char *file, const char *peer) {
  rw_chunk *transfer = NULL;
  pthread_t thread;
  struct rw_chunk_lane lane = {.peer = peer};
  struct rw_chunk_send_config config = {.lanes = &lane, .lane_count = 1};
  /* What is refused at once. */
  WANT(rw_chunk_send(file, &config, &transfer) == RW_ERROR && strstr(rw_error(), "0 ways"));
  config.trusted = 1, config.mend = 1, config.erasure_data = 1;
  WANT(rw_chunk_send(file, &config, &transfer) == RW_ERROR && strstr(rw_error(), "mend 1"));
  config.mend = 0, config.erasure_data = 0, config.lane_count = 17;
  WANT(rw_chunk_send(file, &config, &transfer) == RW_ERROR && strstr(rw_error(), "17 lanes"));
  config.lane_count = 1, lane.local = "lo";
  WANT(rw_chunk_send(file, &config, &transfer) == RW_ERROR && strstr(rw_error(), "'lo'"));
  lane.local = NULL, config.key = "1";
  WANT(rw_chunk_send(file, &config, &transfer) == RW_ERROR && strstr(rw_error(), "peer_key"));
  config.key = NULL;
  /* It fails when its patience is over; who waits for less is told so. */
  config.patience_ms = 1000;
  WANT(rw_chunk_send(file, &config, &transfer) == 0 && rw_chunk_wait(transfer, 10) == 0);
  WANT(rw_chunk_wait(transfer, 300000) == RW_CHUNK_FAILED && strstr(rw_error(), "not answered"));
  WANT(rw_chunk_close(transfer) == 0);
  /* Another thread ends it before. */
  config.patience_ms = UINT32_MAX;
  WANT(rw_chunk_send(file, &config, &transfer) == 0 && rw_chunk_wait(transfer, 10) == 0);
  WANT(pthread_create(&thread, NULL, cancel, transfer) == 0);
  WANT(rw_chunk_wait(transfer, UINT32_MAX) == RW_CANCELLED && strstr(rw_error(), "cancelled"));
  WANT(pthread_join(thread, NULL) == 0 && rw_chunk_close(transfer) == 0);
  /* A receiver to which nobody comes. */
  struct rw_chunk_recv_config receiver = {.listen = "127.0.0.1:0"};
  WANT(rw_chunk_recv("out", &receiver, &transfer) == 0 && rw_chunk_wait(transfer, 10) == 0);
  WANT(rw_chunk_cancel(transfer) == 0 && rw_chunk_wait(transfer, UINT32_MAX) == RW_CANCELLED);
  WANT(rw_chunk_close(transfer) == 0 && rw_chunk_close(NULL) == 0);
  receiver.listen = "nowhere";
  WANT(rw_chunk_recv("out", &receiver, &transfer) == RW_ERROR && strstr(rw_error(), "'nowhere'"));
  return 0;
}

int main(int count, char **args) {
  WANT(rw_abi() == RW_ABI && strchr(rw_version(), '.'));
  WANT(rw_struct_size("rw_chunk_stats") == sizeof(struct rw_chunk_stats));
  WANT(rw_struct_size("rw_nothing") == 0 && rw_struct_size(NULL) == 0);
  if (count == 6 && strcmp(args[1], "pair") == 0)
    return pair(args[2], args[3], args[4], strtoull(args[5], NULL, 10));
  if (count == 6 && strcmp(args[1], "trusted") == 0)
    return trusted(args[2], args[3], args[4], strtoull(args[5], NULL, 10));
  return count == 4 ? silent(args[2], args[3]) : 2;
}
