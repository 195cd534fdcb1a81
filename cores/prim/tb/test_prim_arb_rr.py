# SPDX-License-Identifier: Apache-2.0
"""prim_arb_rr against a search loop; fairness; pointer moves on acknowledge only; reset."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tb_common import build_and_run, params, reset, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def against_model(dut):
    random, n = rng(), params()["N"]
    start_clock(dut.clk_i, 1000)
    dut.req_i.value = 0
    dut.ack_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    start = 0
    for step in range(2000):
        await FallingEdge(dut.clk_i)
        density = random.choice((0.1, 0.5, 1.0))
        req = sum(1 << i for i in range(n) if random.random() < density)
        ack = int(random.random() < 0.7)
        rst = int(step % 97 == 96)
        dut.req_i.value, dut.ack_i.value, dut.rst_i.value = req, ack, rst
        await RisingEdge(dut.clk_i)
        order = [(start + k) % n for k in range(n)]
        winner = next((i for i in order if req >> i & 1), None)
        assert dut.gnt_valid_o.value == int(winner is not None)
        assert dut.gnt_o.value == (0 if winner is None else 1 << winner)
        assert dut.gnt_idx_o.value == (winner or 0)
        if rst:
            start = 0
        elif ack and winner is not None:
            start = (winner + 1) % n


@cocotb.test(timeout_time=100, timeout_unit="us")
async def fair(dut):
    """Under full load everybody is served equally often, in order."""
    n = params()["N"]
    start_clock(dut.clk_i, 1000)
    dut.req_i.value = 2**n - 1
    dut.ack_i.value = 1
    await reset(dut.clk_i, dut.rst_i)
    first = int(dut.gnt_idx_o.value)
    for step in range(1, 5 * n):
        await RisingEdge(dut.clk_i)
        assert dut.gnt_idx_o.value == (first + step) % n


@cocotb.test(timeout_time=100, timeout_unit="us")
async def combinational(dut):
    """A request is granted in the same cycle."""
    n = params()["N"]
    start_clock(dut.clk_i, 1000)
    dut.req_i.value = 0
    dut.ack_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    for i in range(n):
        dut.req_i.value = 1 << i
        await Timer(10, "ps")
        assert dut.gnt_o.value == 1 << i
        dut.req_i.value = 0
        await Timer(10, "ps")
        assert dut.gnt_o.value == 0 and dut.gnt_valid_o.value == 0


@pytest.mark.parametrize("n", [1, 5, 16])
def test_prim_arb_rr(n):
    build_and_run("prim_arb_rr", rtl("prim"), {"N": n}, __name__)
