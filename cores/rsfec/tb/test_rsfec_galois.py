# SPDX-License-Identifier: Apache-2.0
"""The vectors of crates/wire, which the RTL is tested with, against an independent library (galois)."""

import galois
import numpy
import pytest
from rsfec_vectors import read_generators, read_vectors

FIELD = galois.GF(2**10, irreducible_poly="x^10+x^3+1", primitive_element="x")


# The library compiles itself for each code, which takes longest: one of them in every run.
OFTEN = (272, 258)
CODES = [
    pytest.param(*code, marks=() if code == OFTEN else pytest.mark.long)
    for code in read_generators()
]


@pytest.mark.parametrize(("n", "k"), CODES)
def test_vectors(n, k):
    full = 1023  # zeros in front are what makes the code shorter
    code = galois.ReedSolomon(full, full - (n - k), field=FIELD, c=0)
    generator = [int(coefficient) for coefficient in code.generator_poly.coeffs]
    assert generator == [1, *read_generators()[n, k]]

    vectors = read_vectors(n, k)
    parity = code.encode(FIELD([vector.message for vector in vectors]), output="parity")
    assert parity.tolist() == [vector.parity for vector in vectors]

    sent = numpy.zeros((len(vectors), full), dtype=int)
    sent[:, full - n :] = [[*vector.message, *vector.parity] for vector in vectors]
    arrived = sent.copy()
    for row, vector in zip(arrived, vectors, strict=True):
        for place, error in vector.errors.items():
            row[full - n + place] ^= error
    decoded, counts = code.decode(FIELD(arrived), output="codeword", errors=True)
    changes = numpy.asarray(decoded) ^ arrived
    for vector, change, count in zip(vectors, changes, counts, strict=True):
        # The library would also correct the zeros in front, which nobody sent.
        if count < 0 or change[: full - n].any():
            assert vector.corrections is None
        else:
            found = {place: int(error) for place, error in enumerate(change[full - n :]) if error}
            assert vector.corrections == found
    outcomes = {vector.corrections is None for vector in vectors}
    assert outcomes == {True, False}  # both are among the vectors
