# SPDX-License-Identifier: Apache-2.0
"""rifl_clock_comp: one frame without data for each that the own clock gains, none for the slower end, and when the
peer's clock has stopped."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import StoppableClock, build_and_run, cycles, reset, rng, rtl, start_clock

PERIOD = 1000
SILENT = 4
# Frames between a frame and its count behind the synchroniser.
LATENCY = 4


class Bench:
    """Both clocks are frame clocks here: a frame in every cycle of either."""

    def __init__(self, dut):
        self.dut, self.random = dut, rng("compensation")
        self.own = self.asked = 0
        self.slack = 1.0

    async def start(self, rx_period):
        dut = self.dut
        dut.enable_i.value, dut.slack_i.value, dut.rx_frame_i.value = 0, 0, 1
        self.rx = StoppableClock(dut.rx_clk_i, rx_period, self.random.randrange(0, PERIOD, 2))
        start_clock(dut.frame_clk_i, PERIOD)
        await reset(dut.frame_clk_i, dut.frame_rst_i)
        await self.frames(20)
        dut.enable_i.value = 1

    async def frames(self, count):
        """Own frames; each that is sent without data while one is asked for is one fewer."""
        dut = self.dut
        for _ in range(count):
            dut.slack_i.value = int(self.random.random() < self.slack)
            await RisingEdge(dut.frame_clk_i)
            self.own += 1
            self.asked += dut.compensate_o.value == 1 and dut.slack_i.value == 1


@cocotb.test()
@cocotb.parametrize(slower=[4, 10, 40])
async def as_many_as_the_own_clock_gains(dut, slower):
    """In the long run exactly; at any moment but for what the synchroniser and the hysteresis hold."""
    bench = Bench(dut)
    await bench.start(PERIOD + slower)
    bench.slack = 0.5
    begun, received = bench.own, bench.rx.edges
    for _ in range(20):
        await bench.frames(400)
        gained = bench.own - begun - (bench.rx.edges - received)
        assert gained - 3 <= bench.asked <= gained + 1, (bench.asked, gained)
    assert bench.asked > 20


@cocotb.test()
@cocotb.parametrize(faster=[0, 4, 40])
async def the_slower_end_asks_for_nothing(dut, faster):
    """Equal clocks sample each other with one frame more or less: one step is no lead."""
    bench = Bench(dut)
    await bench.start(PERIOD - faster)
    await bench.frames(3000)
    assert bench.asked <= 1, bench.asked


@cocotb.test()
@cocotb.parametrize(ahead=[0, 300, 900])
async def clocks_that_hurry_and_wait(dut, ahead):
    """Of one rate in the long run: what they run ahead of each other, less than a frame, and the synchroniser, which takes
    another one now and then, are no lead."""
    bench = Bench(dut)
    await bench.start(PERIOD)

    async def hurry():
        while True:
            for change in (ahead, -ahead):
                bench.rx.period = PERIOD + change // 5 // 2 * 2
                before = bench.rx.edges
                while bench.rx.edges < before + 5:
                    await RisingEdge(dut.rx_clk_i)

    task = cocotb.start_soon(hurry())
    await bench.frames(40)
    before = bench.asked
    for _ in range(60):
        await bench.frames(100)
        # Every phase of the two clocks; the own one is the slower by that.
        bench.rx.period -= 16
        await RisingEdge(dut.rx_clk_i)
    task.cancel()
    assert bench.asked - before <= 1, bench.asked - before


@cocotb.test()
async def without_a_receiver_nothing_is_asked(dut):
    bench = Bench(dut)
    await bench.start(PERIOD + 40)
    for _ in range(5):
        dut.enable_i.value = 0
        await bench.frames(1)
        before = bench.asked
        await bench.frames(bench.random.randint(100, 300))
        assert bench.asked == before and dut.compensate_o.value == 0
        dut.enable_i.value = 1
        # What was gained meanwhile is not made up for.
        await bench.frames(20)
        assert bench.asked <= before + 1
        await bench.frames(100)
        assert bench.asked > before + 1


@cocotb.test()
async def a_clock_that_has_stopped_is_told(dut):
    """Whatever the count of frames is then, and that it runs again."""
    bench = Bench(dut)
    await bench.start(PERIOD)
    for _ in range(40):
        await bench.frames(30 + bench.random.randrange(16))
        assert dut.alive_o.value == 1
        bench.rx.stop()
        silent = 0
        while dut.alive_o.value == 1:
            await bench.frames(1)
            silent += 1
            assert silent <= SILENT + LATENCY
        assert silent >= SILENT
        await bench.frames(bench.random.randint(1, 40))
        assert dut.alive_o.value == 0
        bench.rx.start()
        await bench.frames(LATENCY + 2)
        assert dut.alive_o.value == 1
    # Every fourth own frame is often enough; a slower receiver is not there.
    bench.rx.period = (SILENT - 1) * PERIOD
    await bench.frames(20)
    for _ in range(100):
        await cycles(dut.frame_clk_i, 1)
        assert dut.alive_o.value == 1


@pytest.mark.parametrize(("jitter", "tests"), [(False, None), (True, "slower|hurry")])
def test_rifl_clock_comp(jitter, tests):
    sources = rtl("prim", "axis", "line", "rifl")
    build_and_run("rifl_clock_comp", sources, {}, __name__, test_filter=tests, sync_jitter=jitter)
