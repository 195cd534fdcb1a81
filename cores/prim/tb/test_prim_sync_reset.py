# SPDX-License-Identifier: Apache-2.0
"""prim_sync_reset: both edges of the output are synchronous; no pulse is lost, with or without a running clock."""

import cocotb
import pytest
from cocotb.triggers import Edge, RisingEdge, Timer
from cocotb.utils import get_sim_time
from tb_common import StoppableClock, build_and_run, cycles, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def a_pulse_without_a_clock_is_kept(dut):
    stages = params()["Stages"]
    dut.arst_i.value = 0
    clock = StoppableClock(dut.clk_i, 1000)
    await cycles(dut.clk_i, 3 * stages + 3)
    assert dut.rst_o.value == 0
    for length in (1, 10, 5000):
        clock.stop()
        await Timer(1501, "ps")
        dut.arst_i.value = 1
        await Timer(length, "ps")
        assert dut.rst_o.value == 0, "changed without a clock"
        dut.arst_i.value = 0
        await Timer(5000, "ps")
        assert dut.rst_o.value == 0
        clock.start()
        for edge in range(1, 2 * stages + 3):
            await RisingEdge(dut.clk_i)
            assert dut.rst_o.value == int(stages < edge <= 2 * stages + 1), f"before edge {edge}"


@cocotb.test(timeout_time=100, timeout_unit="us")
async def both_edges_are_synchronous(dut):
    random, stages = rng(), params()["Stages"]
    dut.arst_i.value = 0
    origin = int(get_sim_time("ps"))
    start_clock(dut.clk_i, 1000)
    await cycles(dut.clk_i, 3 * stages + 3)
    changes = 0

    async def watch():
        nonlocal changes
        while True:
            await Edge(dut.rst_o)
            changes += 1
            assert (int(get_sim_time("ps")) - origin) % 1000 == 0, "not at a clock edge"

    cocotb.start_soon(watch())
    for number in range(50):
        await RisingEdge(dut.clk_i)
        await Timer(random.randrange(1, 999), "ps")
        dut.arst_i.value = 1
        held = random.randrange(stages + 1, stages + 6)
        for edge in range(1, held + 1):
            await RisingEdge(dut.clk_i)
            assert dut.rst_o.value == int(edge > stages), f"before edge {edge}"
        await Timer(random.randrange(1, 999), "ps")
        dut.arst_i.value = 0
        for edge in range(1, stages + 3):
            await RisingEdge(dut.clk_i)
            assert dut.rst_o.value == int(edge <= stages + 1), f"before edge {edge}"
        assert changes == 2 * (number + 1)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def every_pulse_gives_a_reset(dut):
    """Of any length at any moment, against a synchroniser that jitters: at least Stages + 1 cycles after it."""
    random, stages = rng("pulse"), params()["Stages"]
    dut.arst_i.value = 0
    start_clock(dut.clk_i, 1000)
    await cycles(dut.clk_i, 3 * stages + 6)
    for _ in range(200):
        await Timer(random.randrange(1, 1000), "ps")
        dut.arst_i.value = 1
        await Timer(
            random.choice([1, 1, random.randrange(1, 1000), random.randrange(1, 4000)]), "ps"
        )
        dut.arst_i.value = 0
        high = 0
        for _ in range(3 * stages + 6):
            await RisingEdge(dut.clk_i)
            high += int(dut.rst_o.value)
        assert high >= stages + 1
        assert dut.rst_o.value == 0


EXACT = "a_pulse_without_a_clock_is_kept|both_edges_are_synchronous"


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("jitter", [False, True])
def test_prim_sync_reset(stages, jitter):
    build_and_run(
        "prim_sync_reset",
        rtl("prim"),
        {"Stages": stages},
        __name__,
        test_filter="every_pulse_gives_a_reset" if jitter else EXACT,
        sync_jitter=jitter,
    )
