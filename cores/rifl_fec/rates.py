#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the code of rifl_fec leaves of bit errors: codewords that cannot be corrected, and time to a wrong delivery.

usage: rates.py [GIGABITS]

For one lane at GIGABITS Gb/s (default 25.78125) and frames of 256 bits, bits wrong one by one. RIFL requests again what
was in a codeword that cannot be corrected. What is left is taken for another codeword and has up to six more symbols wrong
at random: RIFL's code fits with 2^-12 in each of the frames that a codeword has a part of. Beside it the time with RIFL's
code alone, where nothing tells RIFL of such codewords (phy_rx_bad_i = 0): it refuses a frame unless the wrong bits are a
multiple of its polynomial. Counted are the patterns of up to four bits for which that is so, and of more 2^-12.
"""

import collections
import math
import sys

N, T, WIDTH = 256, 6, 10
FRAME, POLY, CODE_BITS = 256, 0x02F, 12
FRAMES = 11  # that a codeword has a part of
YEAR = 365.25 * 86400


def missed():
    """By number of wrong bits of a frame, up to four: the share of patterns that RIFL's code does not see."""
    remainders, power = [], 1
    for _ in range(FRAME):
        remainders.append(power)
        power = (power << 1 ^ (power >> CODE_BITS - 1) * (1 << CODE_BITS | POLY)) & 0xFFF
    one = collections.Counter(remainders)
    pairs = collections.Counter(a ^ b for i, a in enumerate(remainders) for b in remainders[:i])
    # Ordered so that a pattern is counted as often as it has parts to begin with.
    three = sum(pairs[r] for r in remainders) - sum(n * (n - 1) for n in one.values())
    four = sum(
        math.comb(n, 2) for n in pairs.values()
    )  # disjoint pairs, where no two bits are alike
    return {1: 0.0, 2: pairs[0] / math.comb(FRAME, 2), 3: three / 3 / math.comb(FRAME, 3),
            4: four / 3 / math.comb(FRAME, 4)}  # fmt: skip


def more(symbols, least, wrong):
    """Probability that at least this number of symbols is wrong."""
    return math.fsum(
        math.comb(symbols, i) * wrong**i * (1 - wrong) ** (symbols - i)
        for i in range(max(0, least), symbols + 1)
    )


def miscorrected():
    """Share of what is beyond the code that is within T symbols of another codeword."""
    return sum(math.comb(N, i) * 1023**i for i in range(T + 1)) / 1024 ** (2 * T)


def main():
    rate = float(sys.argv[1]) * 1e9 if len(sys.argv) > 1 else 25.78125e9
    codewords = rate / (N * WIDTH)
    unseen = missed()
    print(f"taken for another codeword: {miscorrected():.1e} of what cannot be corrected")
    for bits, share in unseen.items():
        print(f"{bits} wrong bits of a frame that RIFL's code does not see: {share:.1e}")
    print(
        "\n| raw BER | codewords that cannot be corrected | a second | years to a wrong delivery | with RIFL's code alone |"
    )
    print("|---|---|---|---|---|")
    for ber in (1e-6, 1e-5, 1e-4, 2e-4, 5e-4):
        symbol = -math.expm1(WIDTH * math.log1p(-ber))
        beyond = more(N, T + 1, symbol)
        # This number of wrong bits is in the frame, the rest in what is left of the codeword.
        frame = math.fsum(
            math.comb(FRAME, bits)
            * ber**bits
            * unseen.get(bits, 2**-CODE_BITS)
            * more(N - FRAME // WIDTH, T + 1 - bits, symbol)
            for bits in range(1, FRAME + 1)
        )
        taken = beyond * miscorrected() * 2**-CODE_BITS
        years, alone = (1 / (FRAMES * wrong * codewords * YEAR) for wrong in (taken, frame + taken))
        print(f"| {ber:g} | {beyond:.1e} | {beyond * codewords:.1e} | {years:.1e} | {alone:.1e} |")


if __name__ == "__main__":
    main()
