# SPDX-License-Identifier: Apache-2.0
"""rifl_clock_offset: the difference of two counts in each window, as far as its range goes."""

import cocotb
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, rng, rtl, start_clock

WINDOW, MOST = 1 << 6, 2**15


async def begin(dut):
    start_clock(dut.clk_i, 1000)
    dut.own_i.value = dut.received_i.value = 0
    dut.aligned_i.value = dut.rst_i.value = 1
    await cycles(dut.clk_i, 3)
    dut.rst_i.value = 0


class Counts:
    """What the counts of the windows so far were. The first one was not aligned from its start."""

    def __init__(self, dut):
        self.dut, self.own, self.lead, self.whole, self.shown = dut, 0, 0, False, 0

    async def step(self, own, received, aligned=1):
        dut = self.dut
        dut.own_i.value, dut.received_i.value, dut.aligned_i.value = own, received, aligned
        await RisingEdge(dut.clk_i)
        assert dut.offset_o.value.to_signed() == self.shown
        if self.own >= WINDOW:
            self.shown = self.lead if self.whole else 0
            self.own, self.lead, self.whole = self.own - WINDOW, received - own, bool(aligned)
        else:
            lead = self.lead + received - own
            self.lead = lead if -MOST <= lead < MOST else self.lead
            self.whole = self.whole and bool(aligned)
        self.own += own


@cocotb.test()
async def the_difference_of_each_window(dut):
    """Whatever comes in a cycle; a window in which the lane was not aligned gives 0."""
    await begin(dut)
    random, counts = rng("clock_offset"), Counts(dut)
    seen = set()
    for _ in range(100):
        peer = random.choice(((0, 1), (1,), (1, 2), (2, 3), (0, 3)))
        aligned = random.random() < 0.9
        for _ in range(random.randrange(WINDOW)):
            await counts.step(random.choice((0, 1, 2)), random.choice(peer), int(aligned))
        seen.add(counts.shown)
    assert len(seen) > 20 and min(seen) < 0 < max(seen)


@cocotb.test()
async def it_stops_at_the_end_of_its_range(dut):
    """As long as no own frame is counted the window lasts: the lead grows to the end of its
    range, and does not turn over."""
    await begin(dut)
    counts = Counts(dut)
    while counts.own < WINDOW:
        await counts.step(1, 1)
    await counts.step(0, 3)
    for _ in range(MOST // 3 + 50):
        await counts.step(0, 3)
    while counts.own < WINDOW:
        await counts.step(1, 3)
    await counts.step(1, 1)
    await counts.step(1, 1)
    assert MOST - 3 <= counts.shown == dut.offset_o.value.to_signed()


def test_rifl_clock_offset():
    build_and_run(
        toplevel="rifl_clock_offset",
        sources=rtl("prim", "axis", "line", "rifl"),
        parameters={"Window": 6},
        test_module="test_rifl_clock_offset",
    )
