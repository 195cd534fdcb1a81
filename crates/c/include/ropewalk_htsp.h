/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of an HTSP link on a network interface, for programs in C. Link with libropewalk_htsp.a, -lpthread, -ldl and -lm.
 *
 * Functions that return int give 0 or more when all is well, and RW_HTSP_ERROR or RW_HTSP_CLOSED otherwise. Different threads
 * may use the same end at the same time; those that send on the same channel, or receive on it, wait for each other.
 */
#ifndef ROPEWALK_HTSP_H
#define ROPEWALK_HTSP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something is wrong; rw_htsp_error() tells what. */
#define RW_HTSP_ERROR (-1)
/* The end has stopped, because its interface has failed. */
#define RW_HTSP_CLOSED (-2)

/* How bytes that are sent stand in their user frame. */
#define RW_HTSP_MORE 0      /* more will follow */
#define RW_HTSP_LAST 1      /* the user frame is complete */
#define RW_HTSP_LAST_BAD 2  /* it ends, and is to be taken for bad */

/* How an end gets at its interface. */
#define RW_HTSP_PACKET 0 /* by a packet socket, which every interface has; the default */
#define RW_HTSP_XDP 1    /* by an AF_XDP socket: less work for each frame, if the driver of the interface supports it */

/* One end. */
typedef struct rw_htsp rw_htsp;

/* What an end is to be like. Zero in any place stands for the default. */
struct rw_htsp_config {
  uint16_t ethertype; /* as Ethernet reads it; default 0x0111 */
  uint32_t burst;     /* longest payload of a frame, a multiple of 64 up to 8192, the default; less if the MTU asks for it */
  uint32_t alive_ms;  /* longest time without a good frame of the peer; default 85 */
  uint32_t silence_ms; /* a peer that is not heard for so long is sent nothing but headers; default 4 */
  uint8_t backend;    /* RW_HTSP_PACKET or RW_HTSP_XDP */
  double rate;        /* most bits per second; default: no limit */
};

/* Some bytes of a user frame, or its end. The bytes of a frame that ends with `error` are not to be relied on. */
struct rw_htsp_piece {
  size_t bytes;  /* received; may be 0 with `end` */
  uint8_t start; /* first of its frame */
  uint8_t end;   /* last of its frame */
  uint8_t error; /* the frame ends in error */
};

/* State and counters. */
struct rw_htsp_stats {
  uint8_t link_up;         /* good frames of the peer come */
  uint8_t peer_ready;      /* the peer takes data */
  uint64_t frames_sent;    /* user frames, all channels */
  uint64_t frames_cut;     /* given up in the middle, because the peer went */
  uint64_t frames_good;    /* user frames received well */
  uint64_t frames_bad;     /* user frames received in error */
  uint64_t lost;           /* frames of the link that are missing */
  uint64_t overflows;      /* user frames that did not fit a buffer */
  uint64_t ring_overflows; /* times that the receive ring was full; each took the link down */
};

/* Opens an interface; `config` may be NULL. */
int rw_htsp_open(const char *interface, const struct rw_htsp_config *config, rw_htsp **end);

/* Sends 1 byte or more; waits while the channel has no room: 1 when all were taken, or 0 if some
   were not after so long. `*sent`, where `sent` is not NULL, says how many; the rest is to be sent
   again, and `last` counts with the last byte. */
int rw_htsp_send(rw_htsp *end, uint8_t channel, const void *bytes, size_t count, int last,
                 uint32_t timeout_ms, size_t *sent);

/* Receives at most `room` bytes, 1 or more: 1 and a piece, or 0 if nothing comes for so long. */
int rw_htsp_recv(rw_htsp *end, uint8_t channel, void *bytes, size_t room, uint32_t timeout_ms,
                 struct rw_htsp_piece *piece);

/* Waits until all that was sent is on the line: 1, or 0 if it is not after so long. */
int rw_htsp_flush(rw_htsp *end, uint32_t timeout_ms);

/* State and counters, a few milliseconds old. */
int rw_htsp_stats(rw_htsp *end, struct rw_htsp_stats *stats);

/* Stops the end and frees it; no thread may use it any more. What is not on the line is lost: rw_htsp_flush() before. */
int rw_htsp_close(rw_htsp *end);

/* What was wrong with the last call of this thread that returned RW_HTSP_ERROR; valid until the next one. */
const char *rw_htsp_error(void);

#ifdef __cplusplus
}
#endif

#endif
