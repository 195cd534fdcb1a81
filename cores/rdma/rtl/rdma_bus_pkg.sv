// SPDX-License-Identifier: Apache-2.0
//
// rdma_bus_pkg: the buses of the core inside the top `rdma`, one struct for each direction.
//
// What      A request is what the manager drives, a response what the subordinate drives; fields
//           have the names of AXI. The structs are as wide as the largest configuration; what is
//           narrower uses the low bits, and the rest is zero.

package rdma_bus_pkg;

  // Memory: AXI4 with words of 64 bytes. The top adds what is the same in every burst.
  typedef struct packed {
    logic [63:0] araddr;
    logic [7:0] arlen;
    logic arvalid, rready;
  } read_req_t;

  typedef struct packed {
    logic arready;
    logic [511:0] rdata;
    logic [1:0] rresp;
    logic rlast, rvalid;
  } read_rsp_t;

  typedef struct packed {
    logic [63:0] awaddr;
    logic [7:0] awlen;
    logic awvalid;
    logic [511:0] wdata;
    logic [63:0] wstrb;
    logic wlast, wvalid, bready;
  } write_req_t;

  typedef struct packed {
    logic awready, wready;
    logic [1:0] bresp;
    logic bvalid;
  } write_rsp_t;

  typedef struct packed {
    read_req_t  read;
    write_req_t write;
  } memory_req_t;

  typedef struct packed {
    read_rsp_t  read;
    write_rsp_t write;
  } memory_rsp_t;

  // The port of the users: AXI4, where the core is the subordinate.
  localparam int unsigned MaxIdWidth = 32;

  typedef struct packed {
    logic [MaxIdWidth-1:0] id;
    logic [16:0] addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
  } user_addr_t;

  typedef struct packed {
    user_addr_t aw;
    logic awvalid;
    logic [255:0] wdata;
    logic [31:0] wstrb;
    logic wlast, wvalid, bready;
    user_addr_t ar;
    logic arvalid, rready;
  } user_req_t;

  typedef struct packed {
    logic awready, wready;
    logic [MaxIdWidth-1:0] bid;
    logic [1:0] bresp;
    logic bvalid, arready;
    logic [MaxIdWidth-1:0] rid;
    logic [255:0] rdata;
    logic [1:0] rresp;
    logic rlast, rvalid;
  } user_rsp_t;

  // The network: AXI4-Stream, words of 64 bytes. TREADY goes the other way, beside it.
  typedef struct packed {
    logic [511:0] tdata;
    logic tlast, tvalid;
  } net_t;

endpackage
