# SPDX-License-Identifier: Apache-2.0
"""prim_fifo_sync: order, level, fall-through, exact capacity, throughput, reset in flight."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tb_common import Sink, Source, build_and_run, cycles, params, reset, rng, rtl, start_clock


def bench(dut, random):
    start_clock(dut.clk_i, 1000)
    sink = Sink(dut.clk_i, dut.m_valid_o, dut.m_ready_i, dut.m_data_o, random, guard=dut.rst_i)
    source = Source(dut.clk_i, dut.s_valid_i, dut.s_ready_o, dut.s_data_i, random)
    return source, sink


class LevelMonitor:
    """Counts transfers by itself and compares level_o and s_ready_o with the difference."""

    def __init__(self, dut):
        self.dut, self.level, self.highest = dut, 0, 0
        cocotb.start_soon(self.run())

    async def run(self):
        dut, depth = self.dut, params()["Depth"]
        while True:
            await RisingEdge(dut.clk_i)
            if dut.rst_i.value == 1:
                self.level = 0
                assert dut.s_ready_o.value == 0 and dut.m_valid_o.value == 0
                continue
            assert dut.level_o.value == self.level
            assert dut.s_ready_o.value == int(self.level < depth)
            through = params().get("FallThrough", 1) and dut.s_valid_i.value == 1
            assert dut.m_valid_o.value == int(self.level > 0 or through)
            self.level += int(dut.s_valid_i.value) & int(dut.s_ready_o.value)
            self.level -= int(dut.m_valid_o.value) & int(dut.m_ready_i.value)
            self.highest = max(self.highest, self.level)


async def finish(dut, source, sink):
    """Let everything drain; there must be nothing left over and nothing missing."""
    while not source.idle():
        await RisingEdge(dut.clk_i)
    sink.rate = 1.0
    await cycles(dut.clk_i, params()["Depth"] + 5)
    assert sink.received == source.sent
    assert dut.level_o.value == 0


@cocotb.test(timeout_time=100, timeout_unit="us")
async def random_traffic(dut):
    random, width, depth = rng("random"), params()["Width"], params()["Depth"]
    source, sink = bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    monitor = LevelMonitor(dut)
    # Near empty, near full, full and empty in turn.
    for source.rate, sink.rate in ((0.5, 0.6), (1.0, 0.3), (0.3, 1.0), (0.9, 0.9), (1.0, 1.0)):
        source.send(random.getrandbits(width) for _ in range(200 + 2 * depth))
        while not source.idle():
            await RisingEdge(dut.clk_i)
    assert monitor.highest == depth
    await finish(dut, source, sink)
    assert len(source.sent) == 5 * (200 + 2 * depth)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def fall_through(dut):
    """Empty: the word is at the output in the same cycle and is stored only if not taken.

    Without fall-through: it is at the output in the next cycle, whatever the reader does.
    """
    through = params().get("FallThrough", 1)
    random, width = rng("fall"), params()["Width"]
    start_clock(dut.clk_i, 1000)
    dut.s_valid_i.value = 0
    dut.m_ready_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    for _ in range(100):
        ready, word = random.getrandbits(1), random.getrandbits(width)
        await FallingEdge(dut.clk_i)
        assert dut.m_valid_o.value == 0
        dut.s_valid_i.value = 1
        dut.s_data_i.value = word
        dut.m_ready_i.value = ready
        await RisingEdge(dut.clk_i)
        assert dut.m_valid_o.value == through
        assert not through or dut.m_data_o.value == word
        await FallingEdge(dut.clk_i)
        dut.s_valid_i.value = 0
        dut.s_data_i.value = random.getrandbits(width)
        dut.m_ready_i.value = 1
        await RisingEdge(dut.clk_i)
        stored = not (through and ready)
        assert dut.level_o.value == stored
        assert dut.m_valid_o.value == stored
        assert not stored or dut.m_data_o.value == word


@cocotb.test(timeout_time=100, timeout_unit="us")
async def capacity(dut):
    """Exactly Depth words fit; one place is free again the cycle after a read."""
    random, width, depth = rng("capacity"), params()["Width"], params()["Depth"]
    source, sink = bench(dut, random)
    source.rate, sink.rate = 1.0, 0.0
    await reset(dut.clk_i, dut.rst_i)
    for _ in range(3):
        source.send(random.getrandbits(width) for _ in range(depth + 3))
        await cycles(dut.clk_i, depth + 10)
        assert dut.level_o.value == depth and dut.s_ready_o.value == 0
        sink.rate = 1.0
        await cycles(dut.clk_i, 2)
        await FallingEdge(dut.clk_i)
        # One read happened on the last edge: the flag must not have waited for the source.
        assert dut.s_ready_o.value == 1
        await finish(dut, source, sink)
        sink.rate = 0.0
        await RisingEdge(dut.clk_i)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def ready_is_registered(dut):
    """s_ready_o does not react to s_valid_i and m_ready_i within a cycle, at any level."""
    random = rng("paths")
    start_clock(dut.clk_i, 1000)
    dut.s_valid_i.value = 0
    dut.m_ready_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    for step in range(400):
        await FallingEdge(dut.clk_i)
        before = int(dut.s_ready_o.value)
        dut.s_data_i.value = random.getrandbits(len(dut.s_data_i))
        for s, m in ((0, 0), (0, 1), (1, 1), (1, 0)):
            dut.s_valid_i.value = s
            dut.m_ready_i.value = m
            await Timer(10, "ps")
            assert dut.s_ready_o.value == before
        # Fill in the first half, drain in the second.
        dut.s_valid_i.value = int(random.random() < (0.9 if step < 200 else 0.2))
        dut.m_ready_i.value = int(random.random() < (0.1 if step < 200 else 0.9))


@cocotb.test(timeout_time=100, timeout_unit="us")
async def full_throughput(dut):
    """At every level between empty and full a word moves per cycle, both ways."""
    random, width, depth = rng("throughput"), params()["Width"], params()["Depth"]
    source, sink = bench(dut, random)
    source.rate, sink.rate = 1.0, 0.0
    await reset(dut.clk_i, dut.rst_i)
    for level in sorted({0, 1, 2, depth // 2, depth - 1} & set(range(depth))):
        source.send(random.getrandbits(width) for _ in range(level))
        await cycles(dut.clk_i, level + 3)
        assert dut.level_o.value == level
        sink.rate = 1.0
        source.send(random.getrandbits(width) for _ in range(3 * depth))
        fill = 2 if params().get("FallThrough", 1) else 3
        await cycles(dut.clk_i, fill)
        for _ in range(3 * depth - fill):
            await RisingEdge(dut.clk_i)
            assert dut.s_valid_i.value == 1 and dut.s_ready_o.value == 1
            assert dut.m_valid_o.value == 1 and dut.m_ready_i.value == 1
        await finish(dut, source, sink)
        sink.rate = 0.0
        await RisingEdge(dut.clk_i)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def reset_in_flight(dut):
    random, width, depth = rng("reset"), params()["Width"], params()["Depth"]
    source, sink = bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    LevelMonitor(dut)
    for _ in range(20):
        source.rate, sink.rate = 0.9, random.choice((0.0, 0.3, 1.0))
        source.send(random.getrandbits(width) for _ in range(2 * depth))
        await cycles(dut.clk_i, random.randrange(1, 2 * depth))
        dut.rst_i.value = 1
        await cycles(dut.clk_i, random.randrange(1, 4))
        source.flush()
        dut.rst_i.value = 0
        source.sent.clear()
        sink.received.clear()
        source.send(random.getrandbits(width) for _ in range(20))
        sink.rate = 0.7
        await finish(dut, source, sink)
        assert len(source.sent) == 20


@pytest.mark.parametrize(
    "width,depth,through",
    [(1, 2, 1), (9, 13, 1), (240, 128, 1), (16, 131, 1), (1, 2, 0), (9, 13, 0), (16, 131, 0)],
)
def test_prim_fifo_sync(width, depth, through):
    parameters = {"Width": width, "Depth": depth, "FallThrough": through}
    build_and_run("prim_fifo_sync", rtl("prim"), parameters, __name__)
