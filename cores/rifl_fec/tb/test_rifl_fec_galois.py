# SPDX-License-Identifier: Apache-2.0
"""The code of rifl_fec against an independent library (galois), and what rates.py counts against counting one by one."""

import itertools
import math
import pathlib
import random
import sys

import galois

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "rsfec/tb"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import rates
from rsfec_model import Code

FIELD = galois.GF(2**10, irreducible_poly="x^10+x^3+1", primitive_element="x")
N, K = 256, 244


def test_parity():
    full = 1023  # zeros in front are what makes the code shorter
    code = galois.ReedSolomon(full, full - (N - K), field=FIELD, c=0)
    model = Code(N, K)
    assert [int(c) for c in code.generator_poly.coeffs] == [1, *model.generator]
    draw = random.Random(1)
    messages = [[draw.randrange(1024) for _ in range(K)] for _ in range(20)]
    parity = code.encode(FIELD(messages), output="parity")
    assert parity.tolist() == [model.remainder(message) for message in messages]


def test_what_rifl_does_not_see(monkeypatch):
    """Every pattern of up to four bits of a short frame, divided by RIFL's polynomial bit by bit."""
    monkeypatch.setattr(rates, "FRAME", 36)

    def divided(bits):
        number = sum(1 << bit for bit in bits)
        for top in range(rates.FRAME - 1, rates.CODE_BITS - 1, -1):
            if number >> top & 1:
                number ^= (1 << rates.CODE_BITS | rates.POLY) << top - rates.CODE_BITS
        return number

    for count, share in rates.missed().items():
        patterns = itertools.combinations(range(rates.FRAME), count)
        unseen = sum(divided(bits) == 0 for bits in patterns)
        assert math.isclose(share, unseen / math.comb(rates.FRAME, count))


def test_rates():
    """Against chance: symbols wrong one by one, far more often than on any lane that is of use."""
    draw, symbol = random.Random(2), 0.03
    trials = 4000
    found = sum(sum(draw.random() < symbol for _ in range(N)) > rates.T for _ in range(trials))
    expected = trials * rates.more(N, rates.T + 1, symbol)
    assert abs(found - expected) < 6 * expected**0.5
