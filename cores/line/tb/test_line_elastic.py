# SPDX-License-Identifier: Apache-2.0
"""line_elastic: clocks apart in both directions, packets of the longest length that fits, overflow."""

import os

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, params, rng, rtl, start_clock

WIDTH = 16
# Periods in ps of the line's clock and of ours.
CLOCKS = [(1000, 1000), (1000, 1010), (1010, 1000), (1000, 1002)]


async def run(dut, random, clocks, packets, gap):
    """Packets of idle and other words; what was written, read and lost."""
    depth = params()["Depth"]
    sent, got, lost = [], [], []
    dut.s_valid_i.value = 0
    dut.s_idle_i.value = 1
    dut.s_rst_i.value = dut.m_rst_i.value = 1
    start_clock(dut.s_clk_i, clocks[0], random.randrange(500) * 2)
    start_clock(dut.m_clk_i, clocks[1])
    await Timer(8 * max(clocks), "ps")
    dut.s_rst_i.value = dut.m_rst_i.value = 0
    await Timer(4 * max(clocks), "ps")

    async def reader():
        while True:
            await RisingEdge(dut.m_clk_i)
            if dut.m_valid_o.value == 1:
                got.append(int(dut.m_data_o.value))
            else:
                assert int(dut.m_data_o.value) == 0  # Idle

    task = cocotb.start_soon(reader())
    for words in packets:
        for _ in range(words):
            word = len(sent) % (1 << WIDTH)
            dut.s_data_i.value, dut.s_valid_i.value, dut.s_idle_i.value = word, 1, 0
            await RisingEdge(dut.s_clk_i)
            if dut.overflow_o.value == 1:
                lost.append(len(sent))
            sent.append(word)
        dut.s_idle_i.value = 1
        for word in range(gap):
            dut.s_data_i.value = random.getrandbits(WIDTH)
            # Idle words first, for there may be no room yet: they need none.
            dut.s_valid_i.value = word < 8 or random.randrange(2)
            await RisingEdge(dut.s_clk_i)
            assert dut.overflow_o.value == 0
    await Timer((depth + 8) * clocks[1], "ps")
    task.cancel()
    return sent, got, lost


@cocotb.test()
async def crossing(dut):
    """Whatever the clocks, every word once and in order, as long as the packets are within the limit."""
    random = rng("crossing")
    clocks = os.environ["ELASTIC_CLOCKS"].split("/")
    s_period, m_period = (int(period) for period in clocks)
    depth = params()["Depth"]
    # What the FIFO takes up beside what is on its way through the synchronisers, three cycles each.
    longest = 2000
    if m_period > s_period:
        longest = min(longest, (depth - 7) * m_period // (m_period - s_period))
    gap = 2 + longest * abs(m_period - s_period) // min(s_period, m_period) + 8
    packets = [longest, longest, 1, 2] + [random.randrange(1, longest) for _ in range(4)]
    sent, got, lost = await run(dut, random, (s_period, m_period), packets, gap)
    assert not lost
    assert got == sent


@cocotb.test()
async def overflow(dut):
    """More than fits: each lost word is told, all others come in order."""
    random = rng("overflow")
    s_period, m_period = 1000, 4000
    depth = params()["Depth"]
    packets = [depth * 6, 3, depth * 4]
    sent, got, lost = await run(dut, random, (s_period, m_period), packets, 4 * depth)
    assert lost
    assert got == [word for at, word in enumerate(sent) if at not in lost]


@pytest.mark.parametrize(("clocks", "depth"), [(c, 16) for c in CLOCKS] + [(CLOCKS[1], 8)])
def test_line_elastic(clocks, depth):
    build_and_run(
        "line_elastic",
        rtl("prim", "line"),
        {"Width": WIDTH, "Depth": depth},
        __name__,
        testcase=["crossing", "overflow"],
        sync_jitter=True,
        env={"ELASTIC_CLOCKS": f"{clocks[0]}/{clocks[1]}"},
    )
