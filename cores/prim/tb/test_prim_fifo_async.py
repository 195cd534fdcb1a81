# SPDX-License-Identifier: Apache-2.0
"""prim_fifo_async: order and capacity over a sweep of clock ratios, latency, reset in flight.

Periods are in ps. Several pairs are slightly off a whole ratio, so that within one test the edges
of the two clocks pass each other in every phase.
"""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time
from tb_common import Sink, Source, build_and_run, cycles, params, rng, rtl, start_clock

# (s period, m period, m_sync period, phase of s)
CLOCKS = [
    (1000, 1000, 1000, 0),
    (1000, 1000, 1000, 370),
    (1000, 1006, 1006, 0),
    (1000, 4000, 1000, 0),
    (1002, 4000, 1000, 0),
    (998, 4000, 1000, 250),
    (3000, 1000, 1000, 0),
    (7014, 1000, 1000, 0),
    (1000, 7014, 7014, 0),
]


def now_ps():
    return int(get_sim_time("ps"))


def start_clocks(dut, clocks):
    s_period, m_period, sync_period, phase = clocks
    start_clock(dut.s_clk_i, s_period, phase)
    start_clock(dut.m_clk_i, m_period)
    start_clock(dut.m_sync_clk_i, sync_period)


async def reset_both(dut, random, clocks):
    """Asynchronous assertion on both sides, release on each side's own edge in random order."""
    slow = max(clocks[:3])
    dut.s_rst_i.value = 1
    dut.m_rst_i.value = 1
    await Timer(4 * slow, "ps")

    async def release(clk, rst):
        await cycles(clk, random.randrange(1, 6))
        rst.value = 0

    one = cocotb.start_soon(release(dut.s_clk_i, dut.s_rst_i))
    two = cocotb.start_soon(release(dut.m_clk_i, dut.m_rst_i))
    await one
    await two


async def flags_are_safe(dut):
    """While a side is in reset it neither accepts nor offers."""

    async def watch(clk, rst, flag):
        while True:
            await RisingEdge(clk)
            assert not (rst.value == 1 and flag.value == 1)

    cocotb.start_soon(watch(dut.s_clk_i, dut.s_rst_i, dut.s_ready_o))
    cocotb.start_soon(watch(dut.m_clk_i, dut.m_rst_i, dut.m_valid_o))


async def bench(dut, random, clocks):
    dut.s_rst_i.value = 1
    start_clocks(dut, clocks)
    sink = Sink(dut.m_clk_i, dut.m_valid_o, dut.m_ready_i, dut.m_data_o, random, guard=dut.m_rst_i)
    source = Source(dut.s_clk_i, dut.s_valid_i, dut.s_ready_o, dut.s_data_i, random)
    await reset_both(dut, random, clocks)
    await flags_are_safe(dut)
    return source, sink


async def finish(dut, source, sink):
    while not source.idle():
        await RisingEdge(dut.s_clk_i)
    sink.rate = 1.0
    await cycles(dut.s_clk_i, 4)
    await cycles(dut.m_clk_i, params()["Depth"] + 8)
    assert sink.received == source.sent
    assert dut.m_valid_o.value == 0 and dut.s_ready_o.value == 1


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def random_traffic(dut, clocks):
    random, width = rng(f"random{clocks}"), params()["Width"]
    source, sink = await bench(dut, random, clocks)
    for source.rate, sink.rate in ((0.5, 0.5), (1.0, 0.2), (0.2, 1.0), (1.0, 1.0)):
        source.send(random.getrandbits(width) for _ in range(150))
        while not source.idle():
            await RisingEdge(dut.s_clk_i)
    await finish(dut, source, sink)
    assert len(source.sent) == 600


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def capacity(dut, clocks):
    """Nobody reads: exactly Depth words are accepted, again after a drain at another address."""
    random, width, depth = rng(f"capacity{clocks}"), params()["Width"], params()["Depth"]
    source, sink = await bench(dut, random, clocks)
    source.rate, sink.rate = 1.0, 0.0
    await cycles(dut.m_clk_i, 2)
    for _ in range(3):
        already = len(source.sent)
        source.send(random.getrandbits(width) for _ in range(depth + 3))
        await cycles(dut.s_clk_i, depth + 6)
        assert len(source.sent) == already + depth
        assert dut.s_ready_o.value == 0
        sink.rate = 1.0
        await finish(dut, source, sink)
        sink.rate = 0.0
        await cycles(dut.m_clk_i, 2)


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def latency(dut, clocks):
    """A lone word is offered at the second m_sync_clk_i edge after its s_clk_i edge, not later."""
    random, width = rng(f"latency{clocks}"), params()["Width"]
    _, _, sync_period, _ = clocks
    origin = now_ps()  # all clocks count their edges from here
    source, sink = await bench(dut, random, clocks)
    source.rate, sink.rate = 1.0, 1.0
    for _ in range(25):
        source.send([random.getrandbits(width)])
        await RisingEdge(dut.s_clk_i)
        await RisingEdge(dut.s_clk_i)
        written = now_ps() - origin
        assert dut.s_valid_i.value == 1 and dut.s_ready_o.value == 1
        await with_timeout(RisingEdge(dut.m_valid_o), 10 * sync_period, "ps")
        # Sync edges are the multiples of their period; one at the very moment samples the old.
        edge = (written // sync_period + 2) * sync_period
        assert now_ps() - origin == edge
        assert dut.m_data_o.value == source.sent[-1]
        await cycles(dut.m_clk_i, random.randrange(2, 5))
    await finish(dut, source, sink)


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=[CLOCKS[0], CLOCKS[1]])
async def full_throughput(dut, clocks):
    """At equal clocks the FIFO neither starves nor stalls (Depth 8 covers the pointer loop)."""
    random, width = rng("throughput"), params()["Width"]
    source, sink = await bench(dut, random, clocks)
    source.rate, sink.rate = 1.0, 1.0
    source.send(random.getrandbits(width) for _ in range(200))
    await cycles(dut.s_clk_i, 206)
    if params()["Depth"] >= 8:
        assert len(source.sent) == 200 and len(sink.received) == 200
    await finish(dut, source, sink)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def valid_falls_only_at_m_edges(dut):
    """Between two m_clk_i edges m_valid_o may rise (once), and offered data does not move."""
    random, width = rng("glitch"), params()["Width"]
    clocks = (1002, 4000, 1000, 0)
    origin = now_ps()
    source, sink = await bench(dut, random, clocks)
    source.rate, sink.rate = 0.4, 0.6
    source.send(random.getrandbits(width) for _ in range(200))
    before = None
    while not source.idle():
        await FallingEdge(dut.m_sync_clk_i)
        # Falling m_sync edges lie in the middle of a quarter of the m period.
        quarter = ((now_ps() - origin) % 4000) // 1000
        now = (int(dut.m_valid_o.value), int(dut.m_data_o.value))
        if quarter != 0 and before is not None and before[0] == 1:
            assert now == before
        before = now
    await finish(dut, source, sink)


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def reset_in_flight(dut, clocks):
    random, width = rng(f"reset{clocks}"), params()["Width"]
    source, sink = await bench(dut, random, clocks)
    for _ in range(8):
        source.rate, sink.rate = random.choice((0.5, 1.0)), random.choice((0.0, 0.5, 1.0))
        source.send(random.getrandbits(width) for _ in range(60))
        # Odd, so never at the very moment of an edge, where "before the edge" would be ambiguous.
        await Timer(2 * random.randrange(5 * max(clocks[:3])) + 1, "ps")
        before = cocotb.start_soon(reset_both(dut, random, clocks))
        await Timer(2 * max(clocks[:3]), "ps")
        source.flush()
        await RisingEdge(dut.s_clk_i)
        source.sent.clear()
        sink.received.clear()
        await before
        source.send(random.getrandbits(width) for _ in range(20))
        sink.rate = 0.7
        await finish(dut, source, sink)
        assert len(source.sent) == 20


@pytest.mark.parametrize("width,depth", [(1, 4), (240, 16)])
def test_prim_fifo_async(width, depth):
    build_and_run(
        "prim_fifo_async",
        rtl("prim"),
        {"Width": width, "Depth": depth},
        __name__,
        sync_jitter=False,
    )
