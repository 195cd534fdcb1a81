# SPDX-License-Identifier: Apache-2.0
"""pcs_words: rows in any order of lanes leave as words, each at its cycle."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from pcs_link import LANES, packed
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

BITS = 66


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def rows(dut):
    """Random rows, four or more cycles apart; every bit of a word is of the lane that has its number, whichever that is."""
    random, blocks = rng("rows"), params()["Blocks"]
    start_clock(dut.clk_i, 1000)
    dut.valid_i.value = dut.row_i.value = dut.source_i.value = 0
    rest, due = (
        deque(),
        deque(),
    )  # blocks without a word yet; when a word has to come, and its blocks
    now = pause = 0
    for _ in range(30):
        # The order of lanes changes while no row is there.
        await FallingEdge(dut.clk_i)
        await reset(dut.clk_i, dut.rst_i, 1)
        source = random.sample(range(LANES), LANES)
        dut.source_i.value = packed(source, 5)
        rest.clear()
        due.clear()
        for cycle in range(200):
            pause -= 1
            dut.valid_i.value = 0
            # None is under way at the end.
            if pause <= 0 and cycle < 190:
                row = [random.getrandbits(BITS) for _ in range(LANES)]
                dut.valid_i.value, dut.row_i.value = 1, packed(row, BITS)
                pause = random.choice((4, 4, 4, 5, 9))
                rest.extend(row[lane] for lane in source)
                for number in range(len(rest) // blocks):
                    # A row of 8 has room for two words, one that finds four left over for three.
                    word = [rest.popleft() for _ in range(blocks)]
                    due.append((now + 2 + number, packed(word, BITS)))
            await RisingEdge(dut.clk_i)
            comes = bool(due) and due[0][0] == now
            assert dut.valid_o.value == comes
            if comes:
                assert dut.block_o.value == due.popleft()[1]
            now += 1
            await FallingEdge(dut.clk_i)
        assert not due


@pytest.mark.parametrize("blocks", [5, 8])
def test_pcs_words(blocks):
    sources = rtl("prim", "axis", "line", "eth", "rsfec", "pcs")
    build_and_run("pcs_words", sources, {"Blocks": blocks}, __name__)
