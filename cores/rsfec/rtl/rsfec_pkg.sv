// SPDX-License-Identifier: Apache-2.0
//
// rsfec_pkg: arithmetic of GF(2^Width) for constants, and the modes of the decoder.
//
// What    Functions for elaboration time: tables and factors of the modules come from them. An
//         element is a polynomial in x, bit i the coefficient of x^i; x generates the field. `poly`
//         has the coefficients of the field polynomial below x^width.
// Source  IEEE Std 802.3 clause 91.5.2.7: width 10, x^10 + x^3 + 1

package rsfec_pkg;

  typedef logic [15:0] element_t;  // of the largest field; upper bits zero in smaller ones

  typedef enum logic [1:0] {
    Correct,           // errors are corrected, uncorrectable codewords are marked
    BypassIndication,  // errors are corrected, nothing is marked
    BypassCorrection   // nothing is corrected, codewords with errors are marked
  } mode_t;

  function automatic element_t times_x(input element_t a, input int unsigned width,
                                       input element_t poly);
    times_x = element_t'((32'(a) << 1) & ((32'd1 << width) - 1)) ^ (a[4'(width-1)] ? poly : '0);
  endfunction

  function automatic element_t mul(input element_t a, input element_t b, input int unsigned width,
                                   input element_t poly);
    mul = '0;
    for (int unsigned i = width; i > 0; i--) begin
      mul = times_x(mul, width, poly) ^ (b[4'(i-1)] ? a : '0);
    end
  endfunction

  // x to any power.
  function automatic element_t power(input int unsigned exponent, input int unsigned width,
                                     input element_t poly);
    element_t result, square;
    int unsigned rest;
    result = element_t'(1);
    // By its full name: one of the front ends does not find it otherwise in a constant.
    square = rsfec_pkg::times_x(element_t'(1), width, poly);
    rest   = exponent;
    while (rest != 0) begin
      if (rest[0]) result = mul(result, square, width, poly);
      square = mul(square, square, width, poly);
      rest >>= 1;
    end
    power = result;
  endfunction

  // x to the power -exponent.
  function automatic element_t inverse_power(input int unsigned exponent, input int unsigned width,
                                             input element_t poly);
    int unsigned order;
    order = (32'd1 << width) - 1;
    inverse_power = power(order - exponent % order, width, poly);
  endfunction

endpackage
