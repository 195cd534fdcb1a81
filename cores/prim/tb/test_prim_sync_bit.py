# SPDX-License-Identifier: Apache-2.0
"""prim_sync_bit: exactly Stages edges of delay, reset value."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def delay_and_reset(dut):
    random, stages, value = rng(), params()["Stages"], params()["ResetValue"]
    start_clock(dut.clk_i, 1000)
    for _ in range(30):
        dut.rst_i.value = 1
        dut.d_i.value = 1 - value
        await cycles(dut.clk_i, random.randrange(2, 4))
        assert dut.q_o.value == value
        dut.rst_i.value = 0
        # Nothing of the time in reset is in the chain: the first `stages` values are ResetValue.
        history = [value] * stages
        for _ in range(20):
            bit = random.getrandbits(1)
            dut.d_i.value = bit
            await RisingEdge(dut.clk_i)
            assert dut.q_o.value == history[-stages]
            history.append(bit)


@pytest.mark.parametrize("stages,value", [(2, 0), (3, 1)])
def test_prim_sync_bit(stages, value):
    build_and_run(
        "prim_sync_bit",
        rtl("prim"),
        {"Stages": stages, "ResetValue": value},
        __name__,
        sync_jitter=False,
    )
