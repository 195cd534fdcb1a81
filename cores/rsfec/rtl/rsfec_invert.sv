// SPDX-License-Identifier: Apache-2.0
//
// rsfec_invert: one over an element of GF(2^Width) that lies in the subfield GF(2^(Width/2)).
//
// What      inverse_o * element_i = 1; zero gives zero.
// Why       The product of any element and its conjugate lies in the subfield, so that a division
//           needs a table of 2^(Width/2) rows and not of 2^Width: one LUT for each bit.
// Contract  element_i is in the subfield; otherwise inverse_o is some element.
// Parameters
//   Width, Poly   the field, as in rsfec_mul; Width even
// Latency   combinational
// Source    the subfield is spanned by b^0 .. b^(Width/2-1), b = x^(2^(Width/2) + 1). Reduced to
//           rows with one leading bit each, these bits alone say which element it is.

module rsfec_invert #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9)
) (
  input  logic [Width-1:0] element_i,
  output logic [Width-1:0] inverse_o
);

  localparam int unsigned Half = Width / 2;

  if (Width % 2 != 0 || Width < 2 || Width > 16) begin : gen_bad
    $error("rsfec_invert %m: rule Width is even, 2 to 16, got %0d", Width);
  end

  typedef rsfec_pkg::element_t element_t;
  localparam element_t Generator = rsfec_pkg::power((1 << Half) + 1, Width, element_t'(Poly));

  // Which bit leads in row i: row by row, none of the rows before it has that bit.
  typedef logic [Half-1:0][$clog2(Width)-1:0] leads_t;
  function automatic leads_t leads();
    element_t [Half-1:0] row;
    element_t term;
    term  = element_t'(1);
    leads = '0;
    for (int unsigned i = 0; i < Half; i++) begin
      row[i] = term;
      for (int unsigned k = 0; k < i; k++) if (row[i][4'(leads[k])]) row[i] ^= row[k];
      for (int unsigned b = 0; b < Width; b++) if (row[i][b]) leads[i] = $bits(leads[i])'(b);
      term = rsfec_pkg::mul(term, Generator, Width, element_t'(Poly));
    end
  endfunction
  localparam leads_t Leads = leads();

  function automatic logic [Half-1:0] index(input logic [Width-1:0] element);
    for (int unsigned i = 0; i < Half; i++) index[i] = element[Leads[i]];
  endfunction

  typedef logic [(1<<Half)-1:0][Width-1:0] table_t;
  function automatic table_t inverses();
    element_t up, down;
    up = element_t'(1);
    down = element_t'(1);
    inverses = '0;
    for (int unsigned e = 0; e < (1 << Half) - 1; e++) begin
      inverses[index(Width'(up))] = Width'(down);
      up = rsfec_pkg::mul(up, Generator, Width, element_t'(Poly));
      down = rsfec_pkg::mul(
          down,
          rsfec_pkg::inverse_power(
              (1 << Half) + 1, Width, element_t'(Poly)
          ),
          Width,
          element_t'(Poly)
      );
    end
  endfunction
  localparam table_t Inverses = inverses();

  assign inverse_o = Inverses[index(element_i)];

endmodule
