# SPDX-License-Identifier: Apache-2.0
"""prim_sync_reset: assertion without a clock edge, release on the Stages-th edge."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def assertion_needs_no_clock(dut):
    dut.clk_i.value = 0
    dut.rst_async_i.value = 0
    await Timer(10, "ps")
    dut.rst_async_i.value = 1
    await Timer(10, "ps")
    assert dut.rst_o.value == 1
    dut.rst_async_i.value = 0
    await Timer(5000, "ps")
    assert dut.rst_o.value == 1, "released without a clock"


@cocotb.test(timeout_time=100, timeout_unit="us")
async def release_is_synchronous(dut):
    random, stages = rng(), params()["Stages"]
    start_clock(dut.clk_i, 1000)
    for _ in range(50):
        await RisingEdge(dut.clk_i)
        await Timer(random.randrange(1, 999), "ps")
        dut.rst_async_i.value = 1
        await Timer(1, "ps")
        assert dut.rst_o.value == 1
        # Also pulses much shorter than a clock period are stretched.
        await RisingEdge(dut.clk_i) if random.getrandbits(1) else await Timer(1, "ps")
        await Timer(random.randrange(1, 400), "ps")
        dut.rst_async_i.value = 0
        for edge in range(1, stages + 3):
            await RisingEdge(dut.clk_i)
            assert dut.rst_o.value == int(edge <= stages), f"before edge {edge}"


@pytest.mark.parametrize("stages", [2, 3])
def test_prim_sync_reset(stages):
    build_and_run("prim_sync_reset", rtl("prim"), {"Stages": stages}, __name__)
