# SPDX-License-Identifier: Apache-2.0
"""prim_ram_1r1w: random reads and writes against an array, old data on a collision, hold."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, rng, rtl, start_clock


@cocotb.test(timeout_time=100, timeout_unit="us")
async def random_access(dut):
    random, width, depth = rng(), params()["Width"], params()["Depth"]
    start_clock(dut.clk_i, 1000)
    memory = [None] * depth
    shown = None
    collisions = 0
    for step in range(depth + 2000):
        fill = step < depth
        write = int(fill or random.random() < 0.5)
        read = int(not fill and random.random() < 0.6)
        wr_addr = step if fill else random.randrange(depth)
        rd_addr = wr_addr if random.random() < 0.2 else random.randrange(depth)
        data = random.getrandbits(width)
        dut.wr_en_i.value, dut.wr_addr_i.value, dut.wr_data_i.value = write, wr_addr, data
        dut.rd_en_i.value, dut.rd_addr_i.value = read, rd_addr
        await RisingEdge(dut.clk_i)
        # What stands before the edge is the result of the edge before: held or newly read.
        assert shown is None or dut.rd_data_o.value == shown
        if read:
            shown = memory[rd_addr]
            collisions += write and wr_addr == rd_addr
        if write:
            memory[wr_addr] = data
        # The assignments of the next turn take effect after this edge.
    assert collisions > 20


@pytest.mark.parametrize(
    "width,depth,ultra", [(1, 2, 0), (242, 100, 0), (40, 300, 0), (40, 300, 1)]
)
def test_prim_ram_1r1w(width, depth, ultra):
    parameters = {"Width": width, "Depth": depth, "Ultra": ultra}
    build_and_run("prim_ram_1r1w", rtl("prim"), parameters, __name__)
