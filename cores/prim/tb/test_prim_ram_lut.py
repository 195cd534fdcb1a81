# SPDX-License-Identifier: Apache-2.0
"""prim_ram_lut: reads follow the address without a clock, writes appear after the edge only."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tb_common import build_and_run, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def random_access(dut):
    random, width, depth = rng(), params()["Width"], params()["Depth"]
    start_clock(dut.clk_i, 1000)
    memory = {}
    for _ in range(1500):
        await FallingEdge(dut.clk_i)
        write, wr_addr = random.getrandbits(1), random.randrange(depth)
        data = random.getrandbits(width)
        dut.wr_en_i.value, dut.wr_addr_i.value, dut.wr_data_i.value = write, wr_addr, data
        for rd_addr in (random.randrange(depth), wr_addr):
            dut.rd_addr_i.value = rd_addr
            await Timer(10, "ps")
            assert rd_addr not in memory or dut.rd_data_o.value == memory[rd_addr]
        await RisingEdge(dut.clk_i)
        if write:
            memory[wr_addr] = data
        await Timer(10, "ps")
        assert wr_addr not in memory or dut.rd_data_o.value == memory[wr_addr]
    assert len(memory) == depth


@pytest.mark.parametrize("width,depth", [(1, 2), (70, 13)])
def test_prim_ram_lut(width, depth):
    build_and_run("prim_ram_lut", rtl("prim"), {"Width": width, "Depth": depth}, __name__)
