// SPDX-License-Identifier: Apache-2.0
//
// eth_cgmii_pkg: control characters of the 100 Gb/s media-independent interface (CGMII), which
// MAC and PCS share.
//
// Source  IEEE Std 802.3 clause 81, table 81-3

package eth_cgmii_pkg;

  // Characters with the control bit set.
  localparam logic [7:0] Idle = 8'h07;
  localparam logic [7:0] Start = 8'hfb;
  localparam logic [7:0] Terminate = 8'hfd;
  localparam logic [7:0] Error = 8'hfe;
  localparam logic [7:0] Sequence = 8'h9c;

  // Byte 3 of a sequence ordered set: the fault that a PCS reports. A MAC answers with RemoteFault.
  localparam logic [7:0] LocalFault = 8'h01;

endpackage
