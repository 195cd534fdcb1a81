# SPDX-License-Identifier: Apache-2.0
"""rifl_error_inject: word for word as its description says, untouched words when off, the programmed rate."""

import itertools

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B9


def step(state):
    """One step of the generator."""
    state ^= state << 13 & WORD
    state ^= state >> 7
    return state ^ (state << 17 & WORD)


def flips(seed, lane, mantissa, shift):
    """The words of the sequence: what is flipped in each."""
    high, low = GOLDEN * (2 * lane + 1) % 2**32, GOLDEN * (2 * lane + 2) % 2**32
    state = high << 32 | (seed ^ low)
    scale = (1 << min(shift, 26)) - 1
    while True:
        hit = (state & 0xFFFFFFFF) < mantissa and (state >> 32) & scale == 0
        yield 1 << (state >> 58) if hit else 0
        state = step(state)


async def start(dut):
    start_clock(dut.clk_i, 1000)
    for name in ("enable_i", "mantissa_i", "shift_i", "seed_i", "data_i"):
        getattr(dut, name).value = 0
    await reset(dut.clk_i, dut.rst_i)


async def record(dut, random, count):
    """What is flipped in each word, with random words going through."""
    seen = []
    for _ in range(count):
        data = random.getrandbits(64)
        dut.data_i.value = data
        await FallingEdge(dut.clk_i)
        flipped = int(dut.data_o.value) ^ data
        assert dut.hit_o.value == int(flipped != 0)
        seen.append(flipped)
        await RisingEdge(dut.clk_i)
    return seen


@cocotb.test()
async def follows_the_sequence(dut):
    random = rng("sequence")
    await start(dut)
    hits = 0
    for mantissa, shift in ((2**32 - 1, 0), (2**31, 2), (2**30, 1), (2**32 - 1, 5), (2**32 - 1, 26), (0, 0), (2**31, 31)):  # fmt: skip
        seed = random.getrandbits(32)
        dut.mantissa_i.value, dut.shift_i.value, dut.seed_i.value = mantissa, shift, seed
        await cycles(dut.clk_i, 3)
        dut.enable_i.value = 1
        seen = await record(dut, random, 400)
        wanted = list(itertools.islice(flips(seed, params()["Lane"], mantissa, shift), 400))
        # Synchroniser and pipeline come first.
        delay = next((i for i in range(8) if seen[i:] == wanted[: 400 - i]), None)
        assert delay is not None, f"mantissa {mantissa:#x} shift {shift}"
        assert not any(seen[:delay])
        hits += sum(map(bool, seen))
        dut.enable_i.value = 0
        await cycles(dut.clk_i, 5)
        assert not any(await record(dut, random, 50)), "a word was touched while off"
    assert hits > 400


@cocotb.test()
async def seed_zero_is_a_sequence_too(dut):
    await start(dut)
    dut.mantissa_i.value = 2**32 - 1
    dut.enable_i.value = 1
    seen = await record(dut, rng("zero"), 100)
    assert len(set(seen)) > 30


@pytest.mark.parametrize("lane", [0, 7])
def test_rifl_error_inject(lane):
    build_and_run(
        "rifl_error_inject", rtl("prim", "axis", "line", "rifl"), {"Lane": lane}, __name__
    )


# --- the sequence itself ---


def rank(rows):
    """Rank of a matrix over GF(2), rows as numbers."""
    pivots = {}
    for row in rows:
        while row:
            top = row.bit_length()
            if top not in pivots:
                pivots[top] = row
                break
            row ^= pivots[top]
    return len(pivots)


def rows_after(distance):
    """Row i: the bits of the first state that make bit i of the state `distance` steps later."""
    columns = []
    for i in range(64):
        state = 1 << i
        for _ in range(distance):
            state = step(state)
        columns.append(state)
    return [sum((columns[j] >> i & 1) << j for j in range(64)) for i in range(64)]


@pytest.mark.parametrize("distance", [1, 2, 3, 4, 7, 16, 100, 1000])
def test_words_near_each_other_are_independent(distance):
    """A bit error rate of 2^-6 * 2^-n takes n bits of the generator: those of two words are independent.

    With a mantissa of 2^26 or more these are up to 6 upper bits of the comparison, and scale bits; without help of the
    scale it holds for 16 bits.
    """
    here, there = [1 << i for i in range(64)], rows_after(distance)
    for taken in range(2, 25):
        # The upper bits of the comparison decide for a mantissa near 2^32; the shift takes scale
        # bits.
        for upper in {min(taken, 6), 1} | ({taken} if taken <= 16 else set()):
            used = [31 - i for i in range(upper)] + [32 + i for i in range(taken - upper)]
            assert rank([m[i] for m in (here, there) for i in used]) == 2 * taken, (upper, taken)


def test_rate_and_places():
    """A million words against the programmed rate (six standard deviations), and every place alike."""
    random = rng_outside()
    for mantissa, shift in ((2**31, 0), (3 * 2**29, 3), (2**32 - 1, 6)):
        words, p = 300_000, mantissa / 2**32 / 2**shift
        seen = list(itertools.islice(flips(random.getrandbits(32), 0, mantissa, shift), words))
        hits = sum(map(bool, seen))
        assert abs(hits - words * p) < 6 * (words * p * (1 - p)) ** 0.5
        places = [0] * 64
        for word in filter(None, seen):
            places[word.bit_length() - 1] += 1
        spread = sum((n - hits / 64) ** 2 / (hits / 64) for n in places)
        assert spread < 63 + 6 * (2 * 63) ** 0.5


def rng_outside():
    """Random numbers of a test that runs without a simulator."""
    import os
    import random

    return random.Random(int(os.environ["SEED"]))
