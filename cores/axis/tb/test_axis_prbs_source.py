# SPDX-License-Identifier: Apache-2.0
"""axis_prbs_source: bytes, lengths and gaps against a bit-serial reference."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from prbs31 import Lengths, Prbs31
from stream import BeatSink, Port, Rules, beats_of
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


async def begin(dut, random, seed, low, high, gap=0, rate=1.0, enable=0):
    """Reset with these inputs; needs a running clock."""
    dut.rst_i.value = 1
    dut.enable_i.value = enable
    dut.seed_i.value = seed
    dut.min_bytes_i.value, dut.max_bytes_i.value, dut.gap_i.value = low, high, gap
    port = Port(dut, "m_axis")
    sink = BeatSink(dut.clk_i, port, random, rate)
    rules = Rules(dut.clk_i, dut.rst_i, port, "m_axis")
    await reset(dut.clk_i, dut.rst_i)
    return sink, rules


def reference(seed, limits):
    """Packets for a list of (low, high)."""
    prbs, lengths = Prbs31(seed), Lengths(seed)
    return [prbs.bytes(lengths.draw(low, high)) for low, high in limits]


def stop(*parts):
    for part in parts:
        part.task.cancel()


async def until(rules, dut, packets, limit=20000):
    for _ in range(limit):
        await RisingEdge(dut.clk_i)
        if sum(last for _, _, last in rules.beats) >= packets:
            return
    raise AssertionError("the source stopped")


@cocotb.test()
async def sequence(dut):
    """One sequence through packets of random length, whatever the sink does; seeds without one."""
    random, width = rng("sequence"), params()["Bytes"]
    start_clock(dut.clk_i, 1000)
    for seed in (random.getrandbits(31), 0, 0x7FFF_FFFF, 1):
        low = random.randint(1, 2 * width)
        high = low + random.randint(0, 6 * width)
        sink, rules = await begin(dut, random, seed, low, high, 0, 0.6, enable=1)
        await until(rules, dut, 12)
        got = rules.packets()
        assert got == reference(seed, [(low, high)] * len(got))
        wanted = [beat for packet in got for beat in beats_of(packet, width)]
        assert rules.beats[: len(wanted)] == wanted
        stop(sink, rules)


@cocotb.test()
async def long_packets(dut):
    """Lengths of all 16 bits."""
    random = rng("long")
    start_clock(dut.clk_i, 1000)
    for low, high in ((0, 0xFFFF), (random.randrange(100), random.randrange(1 << 14, 1 << 16))):
        seed = random.getrandbits(31)
        sink, rules = await begin(dut, random, seed, low, high, enable=1)
        await until(rules, dut, 4, limit=20000)
        got = rules.packets()
        assert got == reference(seed, [(low, high)] * len(got))
        stop(sink, rules)


@cocotb.test()
async def throughput_and_gap(dut):
    """Back to back without a gap; with a gap exactly that many idle cycles; length 0 as null beats."""
    random, width = rng("gap"), params()["Bytes"]
    start_clock(dut.clk_i, 1000)
    cases = [(0, 0, 3 * width), (1, 1, width), (2, 0, width), (7, 1, 3 * width)]
    # The long one counts down through all lower bits.
    cases += [(0, 2 * width, 2 * width), (1, width, width), (8193, 1, width)]
    for gap, low, high in cases:
        seed, count = random.getrandbits(31), 30 if gap < 10 else 3
        _, rules = parts = await begin(dut, random, seed, low, high, gap)
        dut.enable_i.value = 1
        await until(rules, dut, count)
        for i in range(1, len(rules.beats)):
            step = rules.taken_at[i] - rules.taken_at[i - 1]
            assert step == (1 + gap if rules.beats[i - 1][2] else 1)
        wanted = [b for p in reference(seed, [(low, high)] * count) for b in beats_of(p, width)]
        assert rules.beats[: len(wanted)] == wanted
        stop(*parts)


@cocotb.test()
async def gap_under_back_pressure(dut):
    """At least the gap, whatever the sink does."""
    random, width = rng("pressure"), params()["Bytes"]
    start_clock(dut.clk_i, 1000)
    _, rules = await begin(dut, random, random.getrandbits(31), 1, 2 * width, 3, 0.3)
    dut.enable_i.value = 1
    await until(rules, dut, 30)
    ends = [i for i in range(len(rules.beats) - 1) if rules.beats[i][2]]
    assert all(rules.taken_at[i + 1] - rules.taken_at[i] >= 4 for i in ends)


@cocotb.test()
async def enable(dut):
    """Switching off finishes the packet; the sequence goes on afterwards. Equal limits are exact."""
    random, width = rng("enable"), params()["Bytes"]
    start_clock(dut.clk_i, 1000)
    seed, length = random.getrandbits(31), 3 * width + 1
    _, rules = await begin(dut, random, seed, length, 0, 0, 0.8)
    for _ in range(8):
        dut.enable_i.value = 1
        await cycles(dut.clk_i, random.randint(1, 15))
        dut.enable_i.value = 0
        await cycles(dut.clk_i, 30)
        assert dut.m_axis_tvalid.value == 0
        count = len(rules.beats)
        await cycles(dut.clk_i, 10)
        assert len(rules.beats) == count
        assert not rules.beats or rules.beats[-1][2] == 1
    got = rules.packets()
    assert len(got) >= 4
    assert got == reference(seed, [(length, length)] * len(got))


@cocotb.test()
async def limits_while_idle(dut):
    """New limits hold for the next packet when they were set two cycles before; reset is silent."""
    random, width = rng("limits"), params()["Bytes"]
    start_clock(dut.clk_i, 1000)
    seed = random.getrandbits(31)
    _, rules = await begin(dut, random, seed, 1, 1, 0)
    history = []
    for _ in range(12):
        low = random.randint(0, 2 * width)
        high = random.choice((low, low + random.randint(0, 3 * width), 0))
        dut.min_bytes_i.value, dut.max_bytes_i.value = low, high
        await cycles(dut.clk_i, 2)
        # One packet: enable until it has begun. The beat register fills one cycle after the start.
        dut.enable_i.value = 1
        await cycles(dut.clk_i, 1)
        dut.enable_i.value = 0
        await until(rules, dut, len(history) + 1)
        history.append((low, max(low, high)))
        await cycles(dut.clk_i, 3)
    assert rules.packets() == reference(seed, history)

    # A reset cuts the packet under way.
    dut.enable_i.value = 1
    await cycles(dut.clk_i, 20)
    assert dut.m_axis_tvalid.value == 1
    dut.rst_i.value = 1
    await cycles(dut.clk_i, 2)
    assert dut.m_axis_tvalid.value == 0


SHORT = ["sequence", "throughput_and_gap", "gap_under_back_pressure", "enable", "limits_while_idle"]


@pytest.mark.parametrize("width", [1, 30, 64])
def test_axis_prbs_source(width):
    # A long packet takes too long with one byte in a cycle.
    left_out = {"testcase": SHORT} if width == 1 else {}
    build_and_run("axis_prbs_source", rtl("axis"), {"Bytes": width}, __name__, **left_out)
