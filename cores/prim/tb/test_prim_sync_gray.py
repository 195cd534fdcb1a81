# SPDX-License-Identifier: Apache-2.0
"""prim_sync_gray: one bit per step, never ahead, never far behind, exact at rest."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, params, rng, rtl, start_clock

# (src period, dst period, phase of src)
CLOCKS = [(1000, 1000, 0), (1000, 1006, 0), (4000, 1000, 0), (1000, 2010, 0), (1000, 4000, 130)]


async def reset_both(dut, slow):
    dut.src_rst_i.value = 1
    dut.dst_rst_i.value = 1
    await Timer(4 * slow, "ps")
    await RisingEdge(dut.dst_clk_i)
    dut.dst_rst_i.value = 0
    await RisingEdge(dut.src_clk_i)
    dut.src_rst_i.value = 0


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(clocks=CLOCKS)
async def count(dut, clocks):
    random, width = rng(f"{clocks}"), params()["Width"]
    src_period, dst_period, phase = clocks
    start_clock(dut.src_clk_i, src_period, phase)
    start_clock(dut.dst_clk_i, dst_period)
    dut.src_inc_i.value = 0
    await reset_both(dut, max(clocks[:2]))
    total = 0
    seen = 0
    history = [0] * 4

    async def src():
        nonlocal total
        gray = int(dut.src_gray_q.value)
        while True:
            await RisingEdge(dut.src_clk_i)
            now = int(dut.src_gray_q.value)
            assert (now ^ gray).bit_count() <= 1
            gray = now
            total += int(dut.src_inc_i.value)

    async def dst():
        nonlocal seen
        while True:
            await RisingEdge(dut.dst_clk_i)
            seen += (int(dut.dst_count_o.value) - seen) % 2**width
            # What is seen now was counted before the previous edge but one.
            assert seen <= total, "runs ahead"
            assert seen >= history[-4], "more than the synchroniser behind"
            history.append(total)

    # A full turn of the counter within the synchroniser's delay would be ambiguous to the test.
    rates = (1.0, 0.5, 0.1) if 4 * dst_period < 2**width * src_period else (0.1,)
    monitors = [cocotb.start_soon(src()), cocotb.start_soon(dst())]
    for rate in rates:
        # The rare ones as often as it takes: 60 in the mean.
        for _ in range(600 if rate < 0.5 else 300):
            dut.src_inc_i.value = int(random.random() < rate)
            await RisingEdge(dut.src_clk_i)
    dut.src_inc_i.value = 0
    await Timer(src_period + 5 * dst_period, "ps")
    assert total > 15 and seen == total

    for monitor in monitors:
        monitor.cancel()
    await reset_both(dut, max(clocks[:2]))
    assert dut.dst_count_o.value == 0


@pytest.mark.parametrize("width", [4, 9])
def test_prim_sync_gray(width):
    build_and_run("prim_sync_gray", rtl("prim"), {"Width": width}, __name__, sync_jitter=False)
