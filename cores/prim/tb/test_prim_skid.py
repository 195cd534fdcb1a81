# SPDX-License-Identifier: Apache-2.0
"""prim_skid: order and integrity under random pauses, full throughput, registered outputs, reset."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tb_common import Sink, Source, build_and_run, cycles, params, reset, rng, rtl, start_clock


async def check_flags(dut):
    """Offers while it holds a word, accepts while it holds fewer than two: no needless stall."""
    inside, fresh = 0, True
    while True:
        await RisingEdge(dut.clk_i)
        if dut.rst_i.value == 1:
            inside, fresh = 0, True
            continue
        if not fresh:
            assert dut.s_ready_o.value == int(inside < 2)
            assert dut.m_valid_o.value == int(inside > 0)
        fresh = False
        inside += int(dut.s_valid_i.value) & int(dut.s_ready_o.value)
        inside -= int(dut.m_valid_o.value) & int(dut.m_ready_i.value)


def bench(dut, random):
    start_clock(dut.clk_i, 1000)
    cocotb.start_soon(check_flags(dut))
    source = Source(dut.clk_i, dut.s_valid_i, dut.s_ready_o, dut.s_data_i, random)
    sink = Sink(dut.clk_i, dut.m_valid_o, dut.m_ready_i, dut.m_data_o, random, guard=dut.rst_i)
    return source, sink


@cocotb.test(timeout_time=100, timeout_unit="us")
async def random_traffic(dut):
    random, width = rng("random"), params()["Width"]
    source, sink = bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    for source.rate, sink.rate in ((0.5, 0.5), (1.0, 0.2), (0.2, 1.0), (1.0, 1.0), (0.9, 0.9)):
        source.send(random.getrandbits(width) for _ in range(300))
        while not source.idle():
            await RisingEdge(dut.clk_i)
    sink.rate = 1.0
    await cycles(dut.clk_i, 5)
    assert len(source.sent) == 1500
    assert sink.received == source.sent


@cocotb.test(timeout_time=100, timeout_unit="us")
async def full_throughput(dut):
    """With both sides always willing, n words take n cycles and one of latency."""
    random, width = rng("throughput"), params()["Width"]
    source, sink = bench(dut, random)
    source.rate = sink.rate = 1.0
    await reset(dut.clk_i, dut.rst_i)
    await cycles(dut.clk_i, 3)
    source.send(random.getrandbits(width) for _ in range(100))
    # One edge until the source drives, one of latency, one that takes the last word.
    await cycles(dut.clk_i, 102)
    assert len(sink.received) == 100


@cocotb.test(timeout_time=100, timeout_unit="us")
async def no_combinational_path(dut):
    """No output moves in the middle of a cycle, whatever the inputs do."""
    random = rng("paths")
    start_clock(dut.clk_i, 1000)
    dut.s_valid_i.value = 0
    dut.m_ready_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    for _ in range(300):
        await FallingEdge(dut.clk_i)
        before = (int(dut.s_ready_o.value), int(dut.m_valid_o.value), int(dut.m_data_o.value))
        dut.s_valid_i.value = random.getrandbits(1)
        dut.m_ready_i.value = random.getrandbits(1)
        dut.s_data_i.value = random.getrandbits(len(dut.s_data_i))
        await Timer(100, "ps")
        after = (int(dut.s_ready_o.value), int(dut.m_valid_o.value), int(dut.m_data_o.value))
        assert before == after


@cocotb.test(timeout_time=100, timeout_unit="us")
async def reset_in_flight(dut):
    """After a reset nothing old comes out, and what goes in comes out."""
    random, width = rng("reset"), params()["Width"]
    source, sink = bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    for _ in range(20):
        sink.rate = random.choice((0.0, 0.3, 1.0))
        source.send(random.getrandbits(width) for _ in range(50))
        await cycles(dut.clk_i, random.randrange(1, 20))
        dut.rst_i.value = 1
        source.flush()
        await cycles(dut.clk_i, random.randrange(1, 4))
        dut.rst_i.value = 0
        source.flush()
        await RisingEdge(dut.clk_i)
        assert dut.m_valid_o.value == 0
        source.sent.clear()
        sink.received.clear()
        source.send(random.getrandbits(width) for _ in range(30))
        sink.rate = 0.7
        while not source.idle():
            await RisingEdge(dut.clk_i)
        sink.rate = 1.0
        await cycles(dut.clk_i, 5)
        assert len(source.sent) == 30
        assert sink.received == source.sent


@pytest.mark.parametrize("width", [2, 240])
def test_prim_skid(width):
    build_and_run("prim_skid", rtl("prim"), {"Width": width}, __name__)
