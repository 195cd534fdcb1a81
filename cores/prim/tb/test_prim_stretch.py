# SPDX-License-Identifier: Apache-2.0
"""prim_stretch: follows, and lasts from the last cycle in which the input was high."""

import cocotb
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock


@cocotb.test()
async def lasts(dut):
    random, least = rng("stretch"), params()["Cycles"]
    dut.d_i.value = 0
    start_clock(dut.clk_i, 1000)
    await reset(dut.clk_i, dut.rst_i)
    left = 0  # cycles for which the output is to stay high
    driven = 0
    for _ in range(3000):
        await RisingEdge(dut.clk_i)
        assert int(dut.q_o.value) == int(left > 0)
        left = least if driven else max(0, left - 1)
        driven = int(random.random() < (0.5 if driven else 0.06))
        dut.d_i.value = driven


def test_prim_stretch():
    build_and_run(
        toplevel="prim_stretch",
        sources=rtl("prim"),
        parameters={"Cycles": 16},
        test_module="test_prim_stretch",
    )
