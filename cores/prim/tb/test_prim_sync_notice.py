# SPDX-License-Identifier: Apache-2.0
"""prim_sync_notice: every event is followed by a pulse, and no pulse comes without one."""

import cocotb
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, rng, rtl, start_clock

# (src period, dst period, phase of src)
CLOCKS = [(1000, 1000, 430), (1000, 1006, 0), (4000, 1000, 0), (1000, 9002, 0), (9002, 1000, 0)]


async def start(dut, clocks, event):
    src_period, dst_period, phase = clocks
    start_clock(dut.src_clk_i, src_period, phase)
    start_clock(dut.dst_clk_i, dst_period)
    event.value = 0
    dut.src_rst_i.value = dut.dst_rst_i.value = 1
    await Timer(4 * max(clocks), "ps")
    await RisingEdge(dut.dst_clk_i)
    dut.dst_rst_i.value = 0
    await RisingEdge(dut.src_clk_i)
    dut.src_rst_i.value = 0


@cocotb.test(timeout_time=200, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def noticed(dut, clocks):
    random = rng(f"{clocks}")
    await start(dut, clocks, dut.src_event_i)
    pulses = 0

    async def receive():
        nonlocal pulses
        while True:
            await RisingEdge(dut.dst_clk_i)
            pulses += int(dut.dst_pulse_o.value)

    cocotb.start_soon(receive())
    bound = 6 * clocks[1] + 5 * clocks[0]
    total = 0
    for _ in range(40):
        # The gap reaches into the crossing of the events before: these must not swallow the last
        # one.
        events = 0
        for _ in range(random.randint(1, 12)):
            event = random.getrandbits(1)
            dut.src_event_i.value = event
            await RisingEdge(dut.src_clk_i)
            events += event
        dut.src_event_i.value = 1
        await RisingEdge(dut.src_clk_i)
        dut.src_event_i.value = 0
        before = pulses
        await Timer(bound, "ps")
        assert pulses > before, "the last event was not reported"
        await Timer(bound, "ps")
        assert 0 < pulses - total <= events + 1
        total = pulses


def test_prim_sync_notice():
    build_and_run("prim_sync_notice", rtl("prim"), {}, __name__, sync_jitter=False)
