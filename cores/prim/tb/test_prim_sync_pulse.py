# SPDX-License-Identifier: Apache-2.0
"""prim_sync_pulse: every accepted pulse arrives once, at any clock ratio; busy ones are refused."""

import cocotb
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, cycles, rng, rtl, start_clock

# (src period, dst period, phase of src)
CLOCKS = [
    (1000, 1000, 0),
    (1000, 1000, 430),
    (1000, 4000, 0),
    (4000, 1000, 0),
    (1000, 1006, 0),
    (1002, 9000, 0),
    (9000, 1002, 0),
]


class Counter:
    def __init__(self, dut):
        self.dut, self.accepted, self.refused, self.arrived = dut, 0, 0, 0
        cocotb.start_soon(self.src())
        cocotb.start_soon(self.dst())

    async def src(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.src_clk_i)
            if dut.src_rst_i.value == 0 and dut.src_pulse_i.value == 1:
                self.refused += int(dut.src_busy_o.value)
                self.accepted += 1 - int(dut.src_busy_o.value)

    async def dst(self):
        while True:
            await RisingEdge(self.dut.dst_clk_i)
            if self.dut.dst_rst_i.value == 0:
                self.arrived += int(self.dut.dst_pulse_o.value)
                assert self.arrived <= self.accepted


async def reset_both(dut, slow):
    dut.src_rst_i.value = 1
    dut.dst_rst_i.value = 1
    await Timer(4 * slow, "ps")
    await RisingEdge(dut.src_clk_i)
    dut.src_rst_i.value = 0
    await RisingEdge(dut.dst_clk_i)
    dut.dst_rst_i.value = 0


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def none_lost_none_doubled(dut, clocks):
    random = rng(f"{clocks}")
    src_period, dst_period, phase = clocks
    slow = max(src_period, dst_period)
    start_clock(dut.src_clk_i, src_period, phase)
    start_clock(dut.dst_clk_i, dst_period)
    dut.src_pulse_i.value = 0
    await reset_both(dut, slow)
    count = Counter(dut)
    for rate in (1.0, 0.5, 0.1):
        before = count.accepted
        for _ in range(500):
            dut.src_pulse_i.value = int(random.random() < rate)
            await RisingEdge(dut.src_clk_i)
        assert count.accepted > before + 10
    dut.src_pulse_i.value = 0
    await Timer(6 * (src_period + dst_period), "ps")
    assert dut.src_busy_o.value == 0, "busy for ever"
    assert count.refused > 0
    assert count.arrived == count.accepted
    # The documented bound: from acceptance to readiness 3 dst and 3 src edges at most.
    for _ in range(30):
        await cycles(dut.src_clk_i, random.randrange(1, 3))
        dut.src_pulse_i.value = 1
        await RisingEdge(dut.src_clk_i)
        dut.src_pulse_i.value = 0
        await Timer(4 * dst_period + 3 * src_period, "ps")
        assert dut.src_busy_o.value == 0
        assert count.arrived == count.accepted


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS[2:5])
async def reset_in_flight(dut, clocks):
    random = rng(f"reset{clocks}")
    src_period, dst_period, phase = clocks
    start_clock(dut.src_clk_i, src_period, phase)
    start_clock(dut.dst_clk_i, dst_period)
    dut.src_pulse_i.value = 0
    await reset_both(dut, max(clocks[:2]))
    for _ in range(30):
        dut.src_pulse_i.value = 1
        # Odd, so never at the very moment of an edge.
        await Timer(2 * random.randrange(3 * max(clocks[:2])) + 1, "ps")
        dut.src_pulse_i.value = 0
        await reset_both(dut, max(clocks[:2]))
        assert dut.src_busy_o.value == 0
        # No pulse is left over from before the reset.
        for _ in range(6):
            await RisingEdge(dut.dst_clk_i)
            assert dut.dst_pulse_o.value == 0


def test_prim_sync_pulse():
    build_and_run("prim_sync_pulse", rtl("prim"), {}, __name__, sync_jitter=False)
