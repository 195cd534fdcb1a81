/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remote memory by the RDMA engine, for programs in C. Link with libropewalk_htsp.a, -lpthread, -ldl and -lm.
 *
 * An engine has pages, each with memory windows and 64 channels; a transfer takes a channel until its end was seen. What each
 * thing promises is in docs/src/rdma-host.md.
 *
 * Functions that return int give 0 or more when all is well, and RW_RDMA_ERROR or RW_RDMA_FAILED otherwise. Different threads may use the same
 * things at the same time, but for those that are closed or released.
 *
 * What was opened is closed in any order: a window stays registered until it and its buffers are closed, and the memory of a buffer is
 * kept as long as a transfer uses it.
 */
#ifndef ROPEWALK_RDMA_H
#define ROPEWALK_RDMA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something is wrong, and nothing was done; rw_rdma_error() tells what. */
#define RW_RDMA_ERROR (-1)
/* The transfer has ended badly; rw_rdma_error() tells how. */
#define RW_RDMA_FAILED (-2)

/* What other nodes may do with a window. */
#define RW_RDMA_READ 1
#define RW_RDMA_WRITE 2

/* How a transfer is scheduled. */
#define RW_RDMA_SMALL 0      /* before all others; messages are of this class */
#define RW_RDMA_ONE_PATH 1   /* one flow, one path */
#define RW_RDMA_FOUR_PATHS 2 /* four flows */

typedef struct rw_rdma rw_rdma;
typedef struct rw_rdma_page rw_rdma_page;
typedef struct rw_rdma_window rw_rdma_window;
typedef struct rw_rdma_buffer rw_rdma_buffer;
typedef struct rw_rdma_transfer rw_rdma_transfer;

/* A place in a file that can be mapped. */
struct rw_rdma_area {
  const char *path; /* a BAR, /dev/uioN, an ordinary file */
  uint64_t offset;  /* first byte */
  int32_t map;      /* which map of /dev/uioN; -1 for all other files */
};

/* Where an engine is. */
struct rw_rdma_layout {
  struct rw_rdma_area registers; /* 8192 bytes */
  struct rw_rdma_area port;      /* 8192 bytes for each page */
  struct rw_rdma_area memory;    /* shared with the engine; path NULL if there is none */
  uint64_t memory_bytes;
  uint64_t memory_address; /* its first byte, as the engine sees it */
  uint8_t pages;           /* that the engine was built with */
  uint8_t wide;            /* loads of 16 bytes arrive as one, and the port has 128 bits or more */
  uint8_t uncached;        /* open the memory with O_SYNC, for which drivers map it uncached */
};

/* Who an engine is, and its limits. Zero in the last three places leaves what is there. */
struct rw_rdma_start {
  uint16_t node;
  uint8_t epoch;         /* one more than before the last reset, modulo 16 */
  uint8_t retries;       /* how often a block is sent again, 1 to 15 */
  uint32_t timeout;      /* cycles from a block to its answer */
  uint32_t read_timeout; /* units of 16384 cycles for a read */
};

/* How a transfer is carried out. NULL or all zero: class small, first priority, QoS 0, nobody is told. */
struct rw_rdma_options {
  uint8_t rw_class;
  uint8_t priority;    /* within the class, 0 first */
  uint8_t notify;      /* 1: 8 bytes are written to notify_at; 2: these are notify_value, writes only */
  uint32_t qos;        /* for the network, below 2^22 */
  uint64_t notify_at;  /* node in bits 63:48, byte in 47:0 */
  uint64_t notify_value;
};

/* Maps and starts an engine, within timeout_ms milliseconds. */
int rw_rdma_map(const struct rw_rdma_layout *layout, const struct rw_rdma_start *start, uint32_t timeout_ms, rw_rdma **engine);
/* Two models in this process, nodes 0 and 1, each with so much memory: for tests. */
int rw_rdma_models(size_t memory, rw_rdma **first, rw_rdma **second);
int rw_rdma_close(rw_rdma *engine);

/* Opens a page for this owner alone; waits so long for what an earlier owner has left. */
int rw_rdma_page_open(rw_rdma *engine, uint8_t page, uint32_t timeout_ms, rw_rdma_page **result);
int rw_rdma_page_close(rw_rdma_page *page);

/* Registers memory; `rights` are RW_RDMA_READ, RW_RDMA_WRITE or both. */
int rw_rdma_window_open(rw_rdma_page *page, uint64_t bytes, int rights, rw_rdma_window **result);
int rw_rdma_window_close(rw_rdma_window *window);

/* A piece of a window, from a multiple of `align` on, a power of two. */
int rw_rdma_buffer_open(rw_rdma_window *window, uint64_t bytes, uint64_t align, rw_rdma_buffer **result);
int rw_rdma_buffer_close(rw_rdma_buffer *buffer);
/* A byte of it as other nodes name it: node in bits 63:48, byte in 47:0. */
int rw_rdma_buffer_address(rw_rdma_buffer *buffer, uint64_t at, uint64_t *address);
/* Copies into it, unless a transfer uses it; copies out of it, unless a read fills it. */
int rw_rdma_buffer_put(rw_rdma_buffer *buffer, uint64_t at, const void *bytes, size_t count);
int rw_rdma_buffer_get(rw_rdma_buffer *buffer, uint64_t at, void *bytes, size_t count);

/*
 * Posts a transfer. The buffer of a read is the engine's until its handle has told the end; if that is bad, or the handle is released before,
 * for ever.
 */
int rw_rdma_write(rw_rdma_page *page, rw_rdma_buffer *source, uint64_t at, uint32_t size, uint64_t to,
                  const struct rw_rdma_options *options, rw_rdma_transfer **result);
int rw_rdma_read(rw_rdma_page *page, uint64_t from, uint32_t size, rw_rdma_buffer *target, uint64_t at,
                 const struct rw_rdma_options *options, rw_rdma_transfer **result);
int rw_rdma_inline(rw_rdma_page *page, const void *bytes, size_t count, uint64_t to, const struct rw_rdma_options *options,
                   rw_rdma_transfer **result);

/* Reads the states of all channels of a page: a bit in `over` for each that has ended and whose transfer has not said so. `over` may be NULL. */
int rw_rdma_collect(rw_rdma_page *page, uint64_t *over);
/* The channel of a transfer, 0 to 63. */
int rw_rdma_channel(rw_rdma_transfer *transfer);
/* 1: done, 0: under way, as far as was read until now; with a read of its channel; after so long at most. Once it has ended the answer stays the same. */
int rw_rdma_take(rw_rdma_transfer *transfer);
int rw_rdma_poll(rw_rdma_transfer *transfer);
int rw_rdma_wait(rw_rdma_transfer *transfer, uint32_t timeout_ms);
/* Frees the handle; a transfer under way goes on. */
int rw_rdma_release(rw_rdma_transfer *transfer);

/* What was wrong with the last call of this thread that returned less than 0; valid until the next one. */
const char *rw_rdma_error(void);

#ifdef __cplusplus
}
#endif

#endif
