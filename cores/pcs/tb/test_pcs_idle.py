# SPDX-License-Identifier: Apache-2.0
"""pcs_idle: what comes is what went in but for slots of idle, with a source that is faster or slower than the line."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from pcs_words import ERROR, IDLE, traffic
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


def packed(slots):
    return sum((control << 64 | data) << 72 * b for b, (control, data) in enumerate(slots))


class Line:
    def __init__(self, dut, name):
        self.dut, self.random, self.count = dut, rng(name), params()["Blocks"]
        self.source = traffic(self.random)
        self.sent, self.received, self.lost = [], [], 0
        start_clock(dut.clk_i, 1000)

    async def run(self, length, given, taken):
        """Words with these probabilities of a cycle."""
        dut, random, debt, credit = self.dut, self.random, 0.0, 0.0
        for _ in range(length):
            debt, credit = debt + given, credit + taken
            # Even but for a word, as clocks are.
            valid = debt >= 1 + random.random()
            ready = credit >= 1 + random.random()
            debt, credit = debt - valid, credit - ready
            dut.s_valid_i.value, dut.m_ready_i.value = int(valid), int(ready)
            if valid:
                slots = [next(self.source) for _ in range(self.count)]
                self.sent += slots
                dut.s_slot_i.value = packed(slots)
            await RisingEdge(dut.clk_i)
            self.lost += dut.lost_o.value == 1
            if dut.m_ready_i.value == 1:
                value = int(dut.m_slot_o.value)
                found = [value >> 72 * b & ((1 << 72) - 1) for b in range(self.count)]
                self.received += [(slot >> 64, slot & ((1 << 64) - 1)) for slot in found]


def frames(slots):
    return [slot for slot in slots if slot != IDLE]


@cocotb.test()
async def frames_stay(dut):
    """One per cent too fast or too slow: only idle goes and comes."""
    for given, taken in ((0.606, 0.6), (0.6, 0.606), (0.6, 0.6)):
        line = Line(dut, f"stay {given} {taken}")
        dut.s_valid_i.value = dut.m_ready_i.value = 0
        await reset(dut.clk_i, dut.rst_i)
        await line.run(6000, given, taken)
        sent, received = frames(line.sent), frames(line.received)
        assert not line.lost and ERROR not in received
        assert received == sent[: len(received)]
        assert len(sent) - len(received) < 20 * line.count
        change = len(line.received) - len(line.sent)
        dut._log.info(f"{change} slots of {len(line.sent)} put in")
        if given != taken:
            assert (change > 100) if given < taken else (change < -100)


@cocotb.test()
async def frames_that_cannot(dut):
    """A source that is far too fast or slow in a frame without an end: said, and the frame is marked."""
    line = Line(dut, "cannot")
    dut.s_valid_i.value = dut.m_ready_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    line.source = iter([(1, 0xD5555555555555FB), *[(0, 7)] * 100000])
    await line.run(300, 0.9, 0.6)
    assert line.lost
    await cycles(dut.clk_i, 5)
    line.lost = 0
    await line.run(300, 0.1, 0.6)
    assert line.lost and ERROR in line.received


@pytest.mark.parametrize("blocks", [5, 8])
def test_pcs_idle(blocks):
    tests = ["frames_stay", "frames_that_cannot"]
    sources = rtl("prim", "axis", "line", "eth", "rsfec", "pcs")
    build_and_run("pcs_idle", sources, {"Blocks": blocks}, __name__, testcase=tests)
