/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ropewalk for programs in C: files from host to host (rw_chunk), ends of HTSP links (rw_htsp),
 * remote memory (rw_rdma).
 * Made by cbindgen of crates/c/src; crates/c/README.md says how to link.
 *
 * Functions that return int return 0 or more when all is well, and less otherwise; rw_error()
 * then says what was wrong, with the value, and what would be accepted. What waits has a limit,
 * `timeout_ms`, and a call that cancels it from another thread.
 */

#ifndef ROPEWALK_H
#define ROPEWALK_H

#include <stddef.h>
#include <stdint.h>

// Something is wrong, and nothing was done; rw_error() says what.
#define RW_ERROR -1

// A call was cancelled by another thread.
#define RW_CANCELLED -3

// Number of this binary interface; that of the library is rw_abi(). Another number: structures or
// functions differ.
#define RW_ABI 1

// The transfer has failed; rw_error() says how.
#define RW_CHUNK_FAILED -2

// Room for a code with its end, "1234-5678".
#define RW_CHUNK_CODE 10

// Room for a key with its end, 64 hexadecimal digits.
#define RW_CHUNK_KEY 65

// Room for an address with its end.
#define RW_CHUNK_ADDRESS 64

// As RW_ERROR.
#define RW_HTSP_ERROR -1

// The end has stopped, because its interface has failed.
#define RW_HTSP_CLOSED -2

// Of bytes that are sent: more of their user frame will follow.
#define RW_HTSP_MORE 0

// Of bytes that are sent: with them the user frame is complete.
#define RW_HTSP_LAST 1

// Of bytes that are sent: with them the user frame ends in error, and is to be taken for bad.
#define RW_HTSP_LAST_BAD 2

// Bytes of an op-code, and of user data.
#define RW_HTSP_WORD 16

// An end uses a packet socket, which every interface has; the default.
#define RW_HTSP_PACKET 0

// An end uses an AF_XDP socket: less work for each frame, if the driver of the interface supports
// it.
#define RW_HTSP_XDP 1

// As RW_ERROR.
#define RW_RDMA_ERROR -1

// The transfer has failed; rw_error() says how.
#define RW_RDMA_FAILED -2

// Other nodes may read a window.
#define RW_RDMA_READ 1

// Other nodes may write to a window.
#define RW_RDMA_WRITE 2

// A class: before all others; messages are of it.
#define RW_RDMA_SMALL 0

// A class: one flow, one path.
#define RW_RDMA_ONE_PATH 1

// A class: four flows.
#define RW_RDMA_FOUR_PATHS 2

// A transfer of files, which runs by itself until it ends or is cancelled. Different threads may
// use the same transfer at the same time, but for rw_chunk_close().
typedef struct rw_chunk rw_chunk;

// One end of an HTSP link. Different threads may use the same end at the same time; those that
// send on the same channel, or receive on it, wait for each other, each no longer than its own
// limit.
typedef struct rw_htsp rw_htsp;

// An engine. It has pages, each with memory windows and 64 channels; a transfer takes a channel
// until its end was seen.
//
// Different threads may use the same things of it at the same time, but for those that are closed
// or released. What was opened is closed in any order: a window stays registered until it and its
// buffers are closed, and the memory of a buffer is kept while a transfer uses it.
typedef struct rw_rdma rw_rdma;

// A part of a window; a read has it meanwhile.
typedef struct rw_rdma_buffer rw_rdma_buffer;

// A page of an engine.
typedef struct rw_rdma_page rw_rdma_page;

// A transfer under way, or over.
typedef struct rw_rdma_transfer rw_rdma_transfer;

// Memory that is registered.
typedef struct rw_rdma_window rw_rdma_window;

// A lane.
struct rw_chunk_lane {
  // Own address, "ADDRESS" or "ADDRESS:PORT"; NULL: any.
  const char *local;
  // The receiver, "HOST" or "HOST:PORT", port 7425 unless it is named.
  const char *peer;
};

// How to send. One of `code`, `key` with `peer_key`, and `trusted` is needed; NULL or zero
// elsewhere stands for the default.
struct rw_chunk_send_config {
  // Lanes to the receiver, 1 to 16.
  const struct rw_chunk_lane *lanes;
  // How many.
  size_t lane_count;
  // Code that the receiver shows.
  const char *code;
  // Own key, 64 hexadecimal digits.
  const char *key;
  // Public key of the receiver.
  const char *peer_key;
  // 1: nobody proves who he is, and nothing is encrypted.
  uint8_t trusted;
  // 1: each lane carries chunks of its own, which suits lanes that are equal; default: all lanes
  // carry each chunk.
  uint8_t stable;
  // Reed-Solomon code of each sub-packet, which mends this many bytes of each of its 64
  // codewords.
  uint8_t mend;
  // 1: files of which the receiver has older ones are sent whole; default: what these do not
  // have.
  uint8_t no_delta;
  // 1: files and directories keep their extended attributes of the user (user.*).
  uint8_t xattrs;
  // Sub-packets after which parity follows; 0: none.
  uint16_t erasure_data;
  // Sub-packets of this parity: as many may be lost.
  uint16_t erasure_parity;
  // Longest time without progress after which it fails, milliseconds; default 60000.
  uint32_t patience_ms;
  // Most bits per second of all lanes together.
  uint64_t rate;
};

// How to receive. NULL or zero stands for the default: a sender has to know the code of
// rw_chunk_code().
struct rw_chunk_recv_config {
  // Address to wait at, "ADDRESS" or "ADDRESS:PORT", port 0 for any; default: port 7425 of every
  // address of the host.
  const char *listen;
  // Own key, 64 hexadecimal digits.
  const char *key;
  // Public keys of the senders that are admitted, with blanks between.
  const char *allow;
  // 1: anybody is admitted, and nothing is encrypted.
  uint8_t trusted;
};

// How far a transfer is. What only the other side knows is 0.
struct rw_chunk_stats {
  // Bytes of all files; of a sender.
  uint64_t total;
  // Bytes that were sent or need not be; of a receiver: that were written.
  uint64_t done;
  // Of these, bytes that the receiver had already, or zeros; of a sender.
  uint64_t spared;
  // Files in place; of a receiver.
  uint64_t files;
  // Sub-packets that were lost on their way; of a sender.
  uint64_t lost;
  // Sub-packets that were sent again; of a sender.
  uint64_t resent;
  // Attempts that ended early.
  uint64_t broken;
};

// What an end is to be like. Zero in any place stands for the default.
struct rw_htsp_config {
  // EtherType; default 0x0111.
  uint16_t ethertype;
  // Longest payload of a frame, a multiple of 64 up to 8192, the default; less if the MTU asks
  // for it.
  uint32_t burst;
  // Longest time without a good frame of the peer, milliseconds; default 85.
  uint32_t alive_ms;
  // A peer that has not been heard for this time, milliseconds, is sent nothing but headers;
  // default 4.
  uint32_t silence_ms;
  // RW_HTSP_PACKET or RW_HTSP_XDP.
  uint8_t backend;
  // Most bits per second; default: no limit.
  double rate;
};

// What goes with bytes of a user frame.
struct rw_htsp_marks {
  // RW_HTSP_MORE, RW_HTSP_LAST or RW_HTSP_LAST_BAD.
  int last;
  // TUSER of the first beat of the frame; counts if the bytes start it.
  uint8_t tuser_first;
  // TUSER of its last beat, 7 bits; counts if they end it.
  uint8_t tuser_last;
};

// Some bytes of a user frame, or its end. The bytes of a frame that ends with `error` are not to
// be relied on.
struct rw_htsp_piece {
  // Received; may be 0 with `end`.
  size_t bytes;
  // 1: first of its frame.
  uint8_t start;
  // 1: last of its frame.
  uint8_t end;
  // 1: the frame ends in error.
  uint8_t error;
  // With `start`: TUSER of its first beat, 0 from a peer that sends none.
  uint8_t tuser_first;
  // With `end`: TUSER of its last beat, 7 bits.
  uint8_t tuser_last;
};

// State and counters of an end, all channels together.
struct rw_htsp_stats {
  // 1: good frames of the peer arrive.
  uint8_t link_up;
  // 1: the peer takes data.
  uint8_t peer_ready;
  // User frames sent.
  uint64_t frames_sent;
  // User frames that were aborted on their way out, because the peer went.
  uint64_t frames_cut;
  // User frames received well.
  uint64_t frames_good;
  // User frames received in error.
  uint64_t frames_bad;
  // Frames of the link that are missing.
  uint64_t lost;
  // User frames that did not fit a buffer.
  uint64_t overflows;
  // Times that the receive ring was full; each took the link down.
  uint64_t ring_overflows;
};

// A place in a file that can be mapped.
struct rw_rdma_area {
  // A BAR, /dev/uioN, an ordinary file.
  const char *path;
  // First byte.
  uint64_t offset;
  // Which map of /dev/uioN; -1 for all other files.
  int32_t map;
};

// Where an engine is.
struct rw_rdma_layout {
  // 8192 bytes of registers.
  struct rw_rdma_area registers;
  // 8192 bytes for each page.
  struct rw_rdma_area port;
  // Memory that is shared with the engine; path NULL if there is none.
  struct rw_rdma_area memory;
  // Bytes of this memory.
  uint64_t memory_bytes;
  // Its first byte, as the engine sees it.
  uint64_t memory_address;
  // Pages that the engine was built with.
  uint8_t pages;
  // 1: loads of 16 bytes arrive as one, and the port has 128 bits or more.
  uint8_t wide;
  // 1: open the memory with O_SYNC, for which drivers map it uncached.
  uint8_t uncached;
};

// Who an engine is, and its limits. Zero in the last three places leaves what is there.
struct rw_rdma_start {
  // Number of the node.
  uint16_t node;
  // Epoch: one more than before the last reset, modulo 16.
  uint8_t epoch;
  // How often a block is sent again, 1 to 15.
  uint8_t retries;
  // Cycles from a block to its answer.
  uint32_t timeout;
  // Units of 16384 cycles for a read.
  uint32_t read_timeout;
};

// How the classes of all pages share the line. All zero: a class sends only while those in front
// of it have nothing: small, one path, four paths.
struct rw_rdma_service {
  // 1: of classes that have something to send all the time each sends its weight over the sum of
  // theirs, in bytes; messages go first in any case.
  uint8_t weighted;
  // RW_RDMA_SMALL, RW_RDMA_ONE_PATH, RW_RDMA_FOUR_PATHS: 1 to 16 each, if weighted is 1.
  uint8_t weights[3];
};

// How marks of the network act on the rate to the node that an answer with one comes from. fall 0:
// they do nothing.
struct rw_rdma_congestion {
  // A rate falls by 1 / 2^fall of it, once in a round trip; 1 to 7.
  uint8_t fall;
  // The full rate falls to 1 / 2^first of it; 1 to 7.
  uint8_t first;
  // What a rate rises by in 1024 cycles, in 32768ths of the full one; from 1 on.
  uint16_t increase;
};

// How a transfer is carried out. NULL or all zero: class small, first priority, QoS 0, no
// notification.
struct rw_rdma_options {
  // RW_RDMA_SMALL, RW_RDMA_ONE_PATH or RW_RDMA_FOUR_PATHS.
  uint8_t rw_class;
  // Within the class, 0 first.
  uint8_t priority;
  // 1: 8 bytes are written to notify_at; 2: these are notify_value, writes only.
  uint8_t notify;
  // For the network, below 2^22.
  uint32_t qos;
  // Node in bits 63:48, byte in 47:0.
  uint64_t notify_at;
  // The 8 bytes.
  uint64_t notify_value;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Number of the binary interface of the library. A program checks that it is RW_ABI.
uint32_t rw_abi(void);

// Version of the library as text, "0.1.0"; valid for ever.
const char *rw_version(void);

// Bytes of a structure, "rw_htsp_config" for instance, as the library has it; 0: it has no such
// one. For languages that do not read the header; a C compiler compares the sizes itself where
// this header is included.
// Needed: `name` is NULL or a string.
size_t rw_struct_size(const char *name);

// What was wrong with the last call of this thread that returned less than 0; valid until the next
// such call.
const char *rw_error(void);

// Starts to send a file or a directory, and does not wait: rw_chunk_wait() does. A transfer that
// is interrupted goes on where it was when it is started again.
// Needed: `path` is a string, `config` has strings and lanes, `result` is a place for the transfer.
int rw_chunk_send(const char *path,
                  const struct rw_chunk_send_config *config,
                  struct rw_chunk **result);

// Starts to wait for a sender and puts what it sends into a directory; does not wait itself. It
// ends with one transfer; a sender that goes may come again.
// Needed: `directory` is a string, `config` NULL or one with strings, `result` a place for the transfer.
int rw_chunk_recv(const char *directory,
                  const struct rw_chunk_recv_config *config,
                  struct rw_chunk **result);

// Waits until the transfer has ended, `timeout_ms` milliseconds at most. 1: all files are in place
// at the receiver, compared by hash; 0: it goes on; RW_CANCELLED; RW_CHUNK_FAILED. The answer
// stays the same.
// Needed: `transfer` is open.
int rw_chunk_wait(struct rw_chunk *transfer, uint32_t timeout_ms);

// How far the transfer is. Does not wait.
// Needed: `transfer` is open, `stats` is a place for the result.
int rw_chunk_stats(struct rw_chunk *transfer, struct rw_chunk_stats *stats);

// The code that a receiver shows and a sender has to know: 1, or 0 if there is none within
// `timeout_ms` milliseconds. After wrong ones there is another one.
// Needed: `transfer` is open, `code` has room for RW_CHUNK_CODE bytes.
int rw_chunk_code(struct rw_chunk *transfer, uint32_t timeout_ms, char *code);

// The address at which a receiver waits, "ADDRESS:PORT": 1; or 0, of a sender. Does not wait.
// Needed: `transfer` is open, `address` has room for RW_CHUNK_ADDRESS bytes.
int rw_chunk_address(struct rw_chunk *transfer, char *address);

// Makes a key: the private part, which nobody else may read, and the public part for the other
// end. 1.
// Needed: Both have room for RW_CHUNK_KEY bytes.
int rw_chunk_key(char *key, char *public_key);

// Ends the transfer soon; the other end is told. rw_chunk_wait() says RW_CANCELLED when it has
// ended. Does not wait.
// Needed: `transfer` is open.
int rw_chunk_cancel(struct rw_chunk *transfer);

// Frees a transfer; one under way is cancelled. Does not wait.
// Needed: `transfer` is open, and no thread uses it any more; or it is NULL.
int rw_chunk_close(struct rw_chunk *transfer);

// Opens an interface. Does not wait for the peer.
// Needed: `interface` is a string, `config` NULL or a configuration, `end` a place for the result.
int rw_htsp_open(const char *interface, const struct rw_htsp_config *config, struct rw_htsp **end);

// Sends 1 byte or more of a user frame; waits while the channel has no room, `timeout_ms`
// milliseconds at most. 1: all were taken; 0: some were not, and another call sends the rest.
// `*sent` says how many were taken, also when it was cancelled. `last` is RW_HTSP_MORE,
// RW_HTSP_LAST or RW_HTSP_LAST_BAD and counts with the last byte.
// Needed: `end` is open, `bytes` has `count` bytes, `sent` is NULL or a place for a number.
int rw_htsp_send(struct rw_htsp *end,
                 uint8_t channel,
                 const void *bytes,
                 size_t count,
                 int last,
                 uint32_t timeout_ms,
                 size_t *sent);

// As rw_htsp_send, with TUSER of the user frame, for a peer that takes it.
// Needed: As rw_htsp_send.
int rw_htsp_send_tuser(struct rw_htsp *end,
                       uint8_t channel,
                       const void *bytes,
                       size_t count,
                       struct rw_htsp_marks marks,
                       uint32_t timeout_ms,
                       size_t *sent);

// Receives at most `room` bytes, 1 or more: 1 and a piece, or 0 if nothing arrives within
// `timeout_ms` milliseconds.
// Needed: `end` is open, `bytes` has room for `room` bytes, `piece` is a place for the result.
int rw_htsp_recv(struct rw_htsp *end,
                 uint8_t channel,
                 void *bytes,
                 size_t room,
                 uint32_t timeout_ms,
                 struct rw_htsp_piece *piece);

// Sends an op-code of RW_HTSP_WORD bytes with one of the next headers, behind those of before;
// does not wait. It arrives once or, if its frame is lost, never. 1.
// Needed: `end` is open, `opcode` has RW_HTSP_WORD bytes.
int rw_htsp_send_opcode(struct rw_htsp *end, const void *opcode);

// Receives the next op-code of the peer, RW_HTSP_WORD bytes: 1, or 0 if none comes within
// `timeout_ms` milliseconds. 4096 wait at most; what comes beyond is lost.
// Needed: `end` is open, `opcode` has room for RW_HTSP_WORD bytes.
int rw_htsp_recv_opcode(struct rw_htsp *end, void *opcode, uint32_t timeout_ms);

// What every header carries from now on, RW_HTSP_WORD bytes; zeros in the beginning. 1.
// Needed: `end` is open, `data` has RW_HTSP_WORD bytes.
int rw_htsp_set_user_data(struct rw_htsp *end, const void *data);

// What the headers of the peer carried last, RW_HTSP_WORD bytes, a few milliseconds old; zeros if
// none has come. 1.
// Needed: `end` is open, `data` has room for RW_HTSP_WORD bytes.
int rw_htsp_peer_user_data(struct rw_htsp *end, void *data);

// Waits until all that was sent is on the line: 1, or 0 if it is not within `timeout_ms`
// milliseconds.
// Needed: `end` is open.
int rw_htsp_flush(struct rw_htsp *end, uint32_t timeout_ms);

// State and counters, a few milliseconds old. Does not wait.
// Needed: `end` is open, `stats` is a place for the result.
int rw_htsp_stats(struct rw_htsp *end, struct rw_htsp_stats *stats);

// Calls that wait on this end, now or later, return RW_CANCELLED: those of other threads, so that
// they can be joined before rw_htsp_close(). Does not wait.
// Needed: `end` is open.
int rw_htsp_cancel(struct rw_htsp *end);

// Stops the end and frees it; some 20 milliseconds. What is not on the line is lost:
// rw_htsp_flush() before.
// Needed: `end` is open, and no thread uses it any more; or it is NULL.
int rw_htsp_close(struct rw_htsp *end);

// As rw_error().
const char *rw_htsp_error(void);

// Maps and starts an engine, within `timeout_ms` milliseconds.
// Needed: `layout` has strings, `start` is one, `result` a place for the engine.
int rw_rdma_map(const struct rw_rdma_layout *layout,
                const struct rw_rdma_start *start,
                uint32_t timeout_ms,
                struct rw_rdma **result);

// Two models in this process, nodes 0 and 1, each with `memory` bytes: for tests.
// Needed: `first` and `second` are places for the engines.
int rw_rdma_models(size_t memory, struct rw_rdma **first, struct rw_rdma **second);

// Calls that wait on this engine, its pages and their transfers, now or later, return
// RW_CANCELLED; the transfers go on. Does not wait.
// Needed: `engine` is open.
int rw_rdma_cancel(struct rw_rdma *engine);

// Closes an engine.
// Needed: `engine` is open, and no thread uses it any more; or it is NULL.
int rw_rdma_close(struct rw_rdma *engine);

// Opens a page for this owner alone; waits for transfers of an earlier owner, `timeout_ms`
// milliseconds at most.
// Needed: `engine` is open, `result` is a place for the page.
int rw_rdma_page_open(struct rw_rdma *engine,
                      uint8_t page,
                      uint32_t timeout_ms,
                      struct rw_rdma_page **result);

// Closes a page; its transfers go on.
// Needed: `page` is open, and no thread uses it any more; or it is NULL.
int rw_rdma_page_close(struct rw_rdma_page *page);

// Registers memory; `rights` are RW_RDMA_READ, RW_RDMA_WRITE or both.
// Needed: `page` is open, `result` is a place for the window.
int rw_rdma_window_open(struct rw_rdma_page *page,
                        uint64_t bytes,
                        int rights,
                        struct rw_rdma_window **result);

// Closes a window.
// Needed: `window` is open, and no thread uses it any more; or it is NULL.
int rw_rdma_window_close(struct rw_rdma_window *window);

// A part of a window, from a multiple of `align` on, a power of two.
// Needed: `window` is open, `result` is a place for the buffer.
int rw_rdma_buffer_open(struct rw_rdma_window *window,
                        uint64_t bytes,
                        uint64_t align,
                        struct rw_rdma_buffer **result);

// Gives a buffer back.
// Needed: `buffer` is open, and no thread uses it any more; or it is NULL.
int rw_rdma_buffer_close(struct rw_rdma_buffer *buffer);

// A byte of a buffer as other nodes name it: node in bits 63:48, byte in 47:0.
// Needed: `buffer` is open, `result` is a place for the address.
int rw_rdma_buffer_address(struct rw_rdma_buffer *buffer, uint64_t at, uint64_t *result);

// Copies into a buffer, unless a transfer uses it.
// Needed: `buffer` is open, `bytes` has `count` bytes.
int rw_rdma_buffer_put(struct rw_rdma_buffer *buffer, uint64_t at, const void *bytes, size_t count);

// Copies out of a buffer, unless a read fills it.
// Needed: `buffer` is open, `bytes` has room for `count` bytes.
int rw_rdma_buffer_get(struct rw_rdma_buffer *buffer, uint64_t at, void *bytes, size_t count);

// How the classes share the line now.
// Needed: `engine` is open, `result` is a place for it.
int rw_rdma_get_service(struct rw_rdma *engine, struct rw_rdma_service *result);

// Sets how the classes share the line, from the next block on.
// Needed: `engine` is open, `service` is one.
int rw_rdma_set_service(struct rw_rdma *engine, const struct rw_rdma_service *service);

// How marks of the network act now.
// Needed: `engine` is open, `result` is a place for it.
int rw_rdma_get_congestion(struct rw_rdma *engine, struct rw_rdma_congestion *result);

// Sets how marks of the network act, for all nodes, from the next answer on.
// Needed: `engine` is open, `congestion` is one.
int rw_rdma_set_congestion(struct rw_rdma *engine, const struct rw_rdma_congestion *congestion);

// Whether cut-through writes are on: 1, or 0.
// Needed: `engine` is open, `result` is a place for it.
int rw_rdma_get_cut_through(struct rw_rdma *engine, uint8_t *result);

// 1: payload of other nodes is written as it arrives, once the header of its packet is checked, so
// that a reader of the window may see damaged bytes until the transfer has ended. 0: nothing is
// written before all of its packet is checked. An engine that was built without cut-through, or
// with packed framing, always does so.
// Needed: `engine` is open.
int rw_rdma_set_cut_through(struct rw_rdma *engine, uint8_t on);

// How fast the transfers of a page in a class may send, all together: sixteenths of a cycle for
// each 64 bytes; 0: no limit.
// Needed: `page` is open, `interval` is a place for it.
int rw_rdma_page_get_rate(struct rw_rdma_page *page, uint8_t rw_class, uint16_t *interval);

// Limits how fast the transfers of a page in a class may send, from the next block on, until it is
// set again; `interval` as of rw_rdma_page_get_rate(). Class small has no limit.
// Needed: `page` is open.
int rw_rdma_page_set_rate(struct rw_rdma_page *page, uint8_t rw_class, uint16_t interval);

// The interval of the fastest rate that is not above `bits` of payload per second, with an engine
// clock of `clock` Hz.
// Needed: `interval` is a place for it.
int rw_rdma_interval(uint64_t bits, uint64_t clock, uint16_t *interval);

// Posts a write of `size` bytes of a buffer, from byte `at` on, to another node. The buffer cannot
// be written meanwhile.
// Needed: `page` and the buffer are open, `how` is NULL or options, `result` is a place for the transfer.
int rw_rdma_write(struct rw_rdma_page *page,
                  struct rw_rdma_buffer *source,
                  uint64_t at,
                  uint32_t size,
                  uint64_t to,
                  const struct rw_rdma_options *how,
                  struct rw_rdma_transfer **result);

// Posts a read of `size` bytes from another node into a buffer, from byte `at` on. The buffer is
// the engine's until the end of the transfer was seen; if it has failed, or is released before,
// for ever.
// Needed: `page` and the buffer are open, `how` is NULL or options, `result` is a place for the transfer.
int rw_rdma_read(struct rw_rdma_page *page,
                 uint64_t from,
                 uint32_t size,
                 struct rw_rdma_buffer *target,
                 uint64_t at,
                 const struct rw_rdma_options *how,
                 struct rw_rdma_transfer **result);

// Posts a message of 1 to 32 bytes.
// Needed: `page` is open, `bytes` has `count` bytes, `how` is NULL or options, `result` is a place for the
// transfer.
int rw_rdma_inline(struct rw_rdma_page *page,
                   const void *bytes,
                   size_t count,
                   uint64_t to,
                   const struct rw_rdma_options *how,
                   struct rw_rdma_transfer **result);

// Reads the states of all channels of a page: a bit in `over` for each that has ended and whose
// transfer has not said so.
// Needed: `page` is open, `over` is NULL or a place for the bits.
int rw_rdma_collect(struct rw_rdma_page *page, uint64_t *over);

// The channel of a transfer, 0 to 63.
// Needed: `transfer` was not released.
int rw_rdma_channel(struct rw_rdma_transfer *transfer);

// 1: the transfer is done; 0: it is under way, as far as was read until now. Once it has ended the
// answer stays the same.
// Needed: `transfer` was not released.
int rw_rdma_take(struct rw_rdma_transfer *transfer);

// As rw_rdma_take(), with a read of its channel.
// Needed: `transfer` was not released.
int rw_rdma_poll(struct rw_rdma_transfer *transfer);

// As rw_rdma_poll(), again and again, `timeout_ms` milliseconds at most.
// Needed: `transfer` was not released.
int rw_rdma_wait(struct rw_rdma_transfer *transfer, uint32_t timeout_ms);

// Frees the handle of a transfer; if it is under way it goes on.
// Needed: `transfer` was not released, and no thread uses it any more; or it is NULL.
int rw_rdma_release(struct rw_rdma_transfer *transfer);

// As rw_error().
const char *rw_rdma_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* Sizes as the library has them, where pointers have 64 bits. */
#if UINTPTR_MAX == UINT64_MAX
#if defined(__cplusplus)
static_assert(sizeof(struct rw_chunk_lane) == 16, "rw_chunk_lane");
static_assert(sizeof(struct rw_chunk_send_config) == 64, "rw_chunk_send_config");
static_assert(sizeof(struct rw_chunk_recv_config) == 32, "rw_chunk_recv_config");
static_assert(sizeof(struct rw_chunk_stats) == 56, "rw_chunk_stats");
static_assert(sizeof(struct rw_htsp_config) == 32, "rw_htsp_config");
static_assert(sizeof(struct rw_htsp_marks) == 8, "rw_htsp_marks");
static_assert(sizeof(struct rw_htsp_piece) == 16, "rw_htsp_piece");
static_assert(sizeof(struct rw_htsp_stats) == 64, "rw_htsp_stats");
static_assert(sizeof(struct rw_rdma_area) == 24, "rw_rdma_area");
static_assert(sizeof(struct rw_rdma_layout) == 96, "rw_rdma_layout");
static_assert(sizeof(struct rw_rdma_start) == 12, "rw_rdma_start");
static_assert(sizeof(struct rw_rdma_service) == 4, "rw_rdma_service");
static_assert(sizeof(struct rw_rdma_congestion) == 4, "rw_rdma_congestion");
static_assert(sizeof(struct rw_rdma_options) == 24, "rw_rdma_options");
#elif __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct rw_chunk_lane) == 16, "rw_chunk_lane");
_Static_assert(sizeof(struct rw_chunk_send_config) == 64, "rw_chunk_send_config");
_Static_assert(sizeof(struct rw_chunk_recv_config) == 32, "rw_chunk_recv_config");
_Static_assert(sizeof(struct rw_chunk_stats) == 56, "rw_chunk_stats");
_Static_assert(sizeof(struct rw_htsp_config) == 32, "rw_htsp_config");
_Static_assert(sizeof(struct rw_htsp_marks) == 8, "rw_htsp_marks");
_Static_assert(sizeof(struct rw_htsp_piece) == 16, "rw_htsp_piece");
_Static_assert(sizeof(struct rw_htsp_stats) == 64, "rw_htsp_stats");
_Static_assert(sizeof(struct rw_rdma_area) == 24, "rw_rdma_area");
_Static_assert(sizeof(struct rw_rdma_layout) == 96, "rw_rdma_layout");
_Static_assert(sizeof(struct rw_rdma_start) == 12, "rw_rdma_start");
_Static_assert(sizeof(struct rw_rdma_service) == 4, "rw_rdma_service");
_Static_assert(sizeof(struct rw_rdma_congestion) == 4, "rw_rdma_congestion");
_Static_assert(sizeof(struct rw_rdma_options) == 24, "rw_rdma_options");
#endif
#endif

#endif  /* ROPEWALK_H */
