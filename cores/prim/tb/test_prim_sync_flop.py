# SPDX-License-Identifier: Apache-2.0
"""prim_sync_flop: exactly Stages edges of delay; with jitter Stages or one more, both, and nothing else."""

import os

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def delay(dut):
    """Each change, of one bit or by a jump, comes out whole, after the delay, and in order."""
    random, stages, width = rng(), params()["Stages"], params()["Width"]
    jitter = os.environ["JITTER"] == "1"
    start_clock(dut.clk_i, 1000)
    dut.d_i.value = 0
    dut.rst_i.value = 1
    await cycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    await cycles(dut.clk_i, 3)
    history, word, delays = [0] * (stages + 1), 0, []
    for _ in range(2000):
        if random.random() < 0.4:
            word ^= (
                1 << random.randrange(width) if random.random() < 0.8 else random.getrandbits(width)
            )
        dut.d_i.value = word
        await RisingEdge(dut.clk_i)
        old, new = history[-stages - 1], history[-stages]
        got = int(dut.q_o.value)
        assert got in (old, new) if jitter else got == new
        if old != new:
            delays.append(got == new)
        history.append(word)
    if jitter:
        # Each is a fair draw: less than 40 % of several hundred is out of reach of chance.
        assert len(delays) > 500
        assert min(delays.count(True), delays.count(False)) > 0.4 * len(delays)
    # A change that stands is out one edge late at the most.
    for _ in range(50):
        word ^= 1 << random.randrange(width)
        dut.d_i.value = word
        await cycles(dut.clk_i, stages + 2)
        assert int(dut.q_o.value) == word
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 2)
        assert int(dut.q_o.value) == int(os.environ["RESET_VALUE"])
        dut.rst_i.value = 0
        await cycles(dut.clk_i, stages + 2)


@pytest.mark.parametrize("jitter", [False, True])
@pytest.mark.parametrize("width,stages,value", [(1, 2, 1), (5, 3, 9)])
def test_prim_sync_flop(width, stages, value, jitter):
    parameters = {"Width": width, "Stages": stages, "ResetValue": f"{width}'d{value}"}
    env = {"JITTER": str(int(jitter)), "RESET_VALUE": str(value)}
    build_and_run("prim_sync_flop", rtl("prim"), parameters, __name__, env=env, sync_jitter=jitter)
