# SPDX-License-Identifier: Apache-2.0
"""line_scrambler and line_descrambler: bit-serial reference, algebra, synchronisation, vectors.

All widths and polynomials are instances of one bench, so there is one simulation build.
"""

import pathlib

import cocotb
from cocotb.triggers import Timer
from line.tb.line_model import (
    descramble_bits,
    from_bits,
    scramble_bits,
    state_to_history,
    to_bits,
)
from tb_common import build_and_run, golden, rng, rtl

# (width, order, tap): RIFL's polynomial in widths around its exponents and in the widths its
# frames need, other published polynomials, and corner cases.
CONFIGS = [(w, 33, 13) for w in (1, 2, 7, 12, 13, 14, 26, 27, 32, 33, 34, 39, 52, 62, 64, 128)]
CONFIGS += [(242, 33, 13), (498, 33, 13)]
CONFIGS += [(w, 58, 39) for w in (8, 39, 57, 58, 64, 66, 256)]  # 64b/66b Ethernet
CONFIGS += [(8, 7, 6), (64, 7, 6), (64, 43, 42), (5, 2, 1), (64, 2, 1), (1, 2, 1), (64, 64, 1)]
CONFIGS += [(48, 33, 32), (100, 23, 5), (15, 9, 4)]

COUNT = len(CONFIGS)
MAX_WIDTH = max(w for w, _, _ in CONFIGS)
MAX_ORDER = max(o for _, o, _ in CONFIGS)


def packed(values, width):
    """A list as one vector, element 0 in the low bits."""
    vector = 0
    for n, value in enumerate(values):
        vector |= value << (n * width)
    return vector


def unpacked(handle, width):
    vector, mask = int(handle.value), (1 << width) - 1
    return [vector >> (n * width) & mask for n in range(COUNT)]


async def step(dut, which, states, data):
    """One combinational step of all instances: (data, state) out."""
    getattr(dut, f"{which}_state_i").value = packed(states, MAX_ORDER)
    getattr(dut, f"{which}_data_i").value = packed(data, MAX_WIDTH)
    await Timer(1, "ns")
    return (
        unpacked(getattr(dut, f"{which}_data_o"), MAX_WIDTH),
        unpacked(getattr(dut, f"{which}_state_o"), MAX_ORDER),
    )


def random_states(random):
    return [random.getrandbits(o) for _, o, _ in CONFIGS]


def random_data(random):
    return [random.getrandbits(w) for w, _, _ in CONFIGS]


@cocotb.test()
async def bit_serial(dut):
    """Single steps from random states, against one bit after the other."""
    random = rng("serial")
    for round_number in range(60):
        states, data = random_states(random), random_data(random)
        if round_number == 0:  # the trap state of every such scrambler
            states, data = [0] * COUNT, [0] * COUNT
        line, scr_next = await step(dut, "scr", states, data)
        plain, des_next = await step(dut, "des", states, data)
        for n, (width, order, tap) in enumerate(CONFIGS):
            history, bits = state_to_history(states[n], order), to_bits(data[n], width)
            want = scramble_bits(history, bits, order, tap)
            assert to_bits(line[n], width) == want, f"scrambler {CONFIGS[n]}"
            assert to_bits(scr_next[n], order) == (history + want)[-order:], CONFIGS[n]
            want = descramble_bits(history, bits, order, tap)
            assert to_bits(plain[n], width) == want, f"descrambler {CONFIGS[n]}"
            assert to_bits(des_next[n], order) == (history + bits)[-order:], CONFIGS[n]
        if round_number == 0:
            assert not any(line) and not any(scr_next), "all zero must stay all zero"


def power_series_inverse(order, tap, terms):
    """1 / (1 + x^tap + x^order) modulo x^terms by Newton's iteration; bit k is x^k."""
    inverse, known = 1, 1
    while known < terms:
        known = min(2 * known, terms)
        # y <- y * (2 - p * y), which is p * y^2 in characteristic 2
        square = 0
        for k in range(inverse.bit_length()):
            square |= (inverse >> k & 1) << (2 * k)
        inverse = (square ^ square << tap ^ square << order) & ((1 << known) - 1)
    return inverse


def product(a, b):
    """Carry-less."""
    result = 0
    while b:
        low = b & -b
        result ^= a * low
        b ^= low
    return result


@cocotb.test()
async def polynomial_division(dut):
    """A long run from state 0 is a division by 1 + x^tap + x^order; the way back, a product."""
    random, steps = rng("division"), 25
    states, back = [0] * COUNT, [0] * COUNT
    data_bits, line_bits, plain_bits = ([[] for _ in CONFIGS] for _ in range(3))
    for _ in range(steps):
        data = random_data(random)
        line, states = await step(dut, "scr", states, data)
        plain, back = await step(dut, "des", back, line)
        for n, (width, _, _) in enumerate(CONFIGS):
            data_bits[n] += to_bits(data[n], width)
            line_bits[n] += to_bits(line[n], width)
            plain_bits[n] += to_bits(plain[n], width)
    for n, (width, order, tap) in enumerate(CONFIGS):
        terms = width * steps
        # Time is the exponent: the first bit is the constant term.
        d, y = from_bits(data_bits[n][::-1]), from_bits(line_bits[n][::-1])
        inverse = power_series_inverse(order, tap, terms)
        mask = (1 << terms) - 1
        assert product(inverse, 1 | 1 << tap | 1 << order) & mask == 1
        assert product(inverse, d) & mask == y, f"scrambler {CONFIGS[n]}"
        assert (y ^ y << tap ^ y << order) & mask == d, f"scrambler {CONFIGS[n]}"
        assert plain_bits[n] == data_bits[n], f"descrambler {CONFIGS[n]}"


@cocotb.test()
async def widths_mix(dut):
    """A line scrambled in steps of one width is descrambled in steps of another."""
    random, steps = rng("mix"), 40
    states = random_states(random)
    start = list(states)
    data_bits, line_bits = [[] for _ in CONFIGS], [[] for _ in CONFIGS]
    for _ in range(steps):
        data = random_data(random)
        line, states = await step(dut, "scr", states, data)
        for n, (width, _, _) in enumerate(CONFIGS):
            data_bits[n] += to_bits(data[n], width)
            line_bits[n] += to_bits(line[n], width)
    # Every instance descrambles the line of another one with the same polynomial.
    partner = [
        random.choice([m for m, other in enumerate(CONFIGS) if other[1:] == config[1:]])
        for config in CONFIGS
    ]
    states, plain_bits = [start[m] for m in partner], [[] for _ in CONFIGS]
    longest = max(len(line_bits[m]) // CONFIGS[n][0] for n, m in enumerate(partner))
    for k in range(min(longest, 200)):
        chunk = [
            from_bits((line_bits[m][k * CONFIGS[n][0] : (k + 1) * CONFIGS[n][0]]) or [0])
            for n, m in enumerate(partner)
        ]
        plain, states = await step(dut, "des", states, chunk)
        for n, (width, _, _) in enumerate(CONFIGS):
            plain_bits[n] += to_bits(plain[n], width)
    for n, m in enumerate(partner):
        width = CONFIGS[n][0]
        usable = min(len(line_bits[m]), len(plain_bits[n])) // width * width
        assert usable >= width or len(line_bits[m]) < width
        assert plain_bits[n][:usable] == data_bits[m][:usable], (CONFIGS[n], CONFIGS[m])


async def descramble_run(dut, states, lines):
    """All steps of `lines` (a list of lists); the output bits of each instance."""
    bits = [[] for _ in CONFIGS]
    for line in lines:
        plain, states = await step(dut, "des", states, line)
        for n, (width, _, _) in enumerate(CONFIGS):
            bits[n] += to_bits(plain[n], width)
    return bits


@cocotb.test()
async def self_synchronisation(dut):
    """A wrong start state does damage in the first `order` bits and never after them."""
    random = rng("sync")
    steps = max(-(-order // width) for width, order, _ in CONFIGS) + 10
    lines = [random_data(random) for _ in range(steps)]
    right = random_states(random)
    for wrong in (
        [s ^ ((1 << CONFIGS[n][1]) - 1) for n, s in enumerate(right)],
        [s ^ 1 << random.randrange(CONFIGS[n][1]) for n, s in enumerate(right)],
        [s ^ 1 << CONFIGS[n][1] - 1 for n, s in enumerate(right)],  # oldest bit: one wrong bit
        [s ^ 1 for s in right],  # newest bit: damages bits tap-1 and order-1
    ):
        good = await descramble_run(dut, right, lines)
        bad = await descramble_run(dut, wrong, lines)
        for n, (_, order, tap) in enumerate(CONFIGS):
            difference = right[n] ^ wrong[n]
            ages = [k + 1 for k in range(order) if difference >> k & 1]
            want = set()
            for age in ages:  # a line bit `age` before the start counts at tap - age, order - age
                for at in (tap - age, order - age):
                    if at >= 0:
                        want ^= {at}
            seen = {t for t in range(len(good[n])) if good[n][t] != bad[n][t]}
            assert seen == want, f"{CONFIGS[n]}: wrong output bits {sorted(seen)}"
            assert all(t < order for t in seen)


@cocotb.test()
async def error_multiplication(dut):
    """One wrong line bit makes exactly three wrong output bits, at 0, tap and order."""
    random = rng("errors")
    state = random_states(random)
    steps = max(-(-2 * order // width) for width, order, _ in CONFIGS) + 2
    lines = [random_data(random) for _ in range(steps)]
    good = await descramble_run(dut, state, lines)
    for _ in range(4):
        places, damaged = [], [list(line) for line in lines]
        for n, (width, order, _) in enumerate(CONFIGS):
            at = random.randrange(width * steps - order)
            places.append(at)
            damaged[at // width][n] ^= 1 << (width - 1 - at % width)
        bad = await descramble_run(dut, state, damaged)
        for n, (_, order, tap) in enumerate(CONFIGS):
            seen = [t for t in range(len(good[n])) if good[n][t] != bad[n][t]]
            assert seen == [places[n], places[n] + tap, places[n] + order], CONFIGS[n]


@cocotb.test()
async def golden_rows(dut):
    """The scrambled bits of frames that the published RIFL core sent."""
    n = CONFIGS.index((golden.BODY, golden.STATE, 13))
    rows = [*golden.rows(6), *golden.rows(8)]
    for row in rows:
        states, values = [0] * COUNT, [0] * COUNT
        states[n], values[n] = row.state, row.body
        got_line, got_state = await step(dut, "scr", states, values)
        assert (got_line[n], got_state[n]) == (row.scrambled, row.state_behind), row
        values[n] = row.scrambled
        got_data, got_state = await step(dut, "des", states, values)
        assert (got_data[n], got_state[n]) == (row.body, row.state_behind), row
    dut._log.info("%d recorded rows agree", len(rows))


def test_line_scrambler():
    def table(column):
        return f"{COUNT * 16}'h{packed([c[column] for c in CONFIGS], 16):x}"

    build_and_run(
        "line_scrambler_bench",
        [*rtl("line"), pathlib.Path(__file__).with_name("line_scrambler_bench.sv")],
        {
            "Count": COUNT,
            "MaxWidth": MAX_WIDTH,
            "MaxOrder": MAX_ORDER,
            "Widths": table(0),
            "Orders": table(1),
            "Taps": table(2),
        },
        __name__,
    )
