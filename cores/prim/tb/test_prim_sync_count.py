# SPDX-License-Identifier: Apache-2.0
"""prim_sync_count: the increments add up to the events, at any clock ratio that the width covers."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, params, rng, rtl, start_clock

# (src period, dst period, phase of src)
CLOCKS = [(1000, 1000, 430), (1000, 1006, 0), (4000, 1000, 0), (1000, 2010, 0)]


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


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def counted(dut, clocks):
    random = rng(f"{clocks}")
    await start(dut, clocks, dut.src_inc_i)
    sent = arrived = largest = 0

    async def receive():
        nonlocal arrived, largest
        while True:
            await RisingEdge(dut.dst_clk_i)
            arrived += int(dut.dst_inc_o.value)
            largest = max(largest, int(dut.dst_inc_o.value))
            assert arrived <= sent

    cocotb.start_soon(receive())
    for rate in (1.0, 0.5, 0.05):
        for _ in range(200):
            event = int(random.random() < rate)
            dut.src_inc_i.value = event
            await RisingEdge(dut.src_clk_i)
            sent += event
    dut.src_inc_i.value = 0
    await Timer(4 * (clocks[0] + clocks[1]), "ps")
    assert arrived == sent > 200
    if clocks[1] > 2 * clocks[0]:
        assert largest > 1, "several events in one cycle were never seen"
    assert largest < 2 ** params()["Width"]


@pytest.mark.parametrize("width", [2, 4])
def test_prim_sync_count(width):
    build_and_run("prim_sync_count", rtl("prim"), {"Width": width}, __name__, sync_jitter=False)
