# SPDX-License-Identifier: Apache-2.0
"""rdma_readers: of every page the first free channel, from none taken to all, whatever the other pages do."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

CHANNELS = range(64)


class Bench:
    """Sets the inputs of a cycle, compares all outputs with a set for each page, takes the edge."""

    def __init__(self, dut):
        self.dut, self.pages = dut, range(params()["Pages"])
        start_clock(dut.clk_i, 1000)
        dut.page_i.value = dut.open_i.value = dut.close_i.value = 0
        dut.close_page_i.value = dut.close_channel_i.value = 0

    async def start(self):
        """Reset: it is not ready for as many cycles as there are pages."""
        dut = self.dut
        dut.open_i.value = dut.close_i.value = 0
        await FallingEdge(dut.clk_i)
        await reset(dut.clk_i, dut.rst_i, 1)
        for _ in self.pages:
            assert dut.ready_o.value == 0
            await RisingEdge(dut.clk_i)
        assert dut.ready_o.value == 1
        await FallingEdge(dut.clk_i)
        self.taken = [set() for _ in self.pages]
        self.opened = []

    def shown(self, page):
        """The channels of a page that show as open: without what the step before took."""
        return self.taken[page] - {channel for at, channel in self.opened if at == page}

    async def step(self, page, take=False, close=None):
        """Looks at a page, takes its free channel if there is one, gives (page, channel) back.

        Nothing is taken in the step behind one that took.
        """
        dut, shown = self.dut, self.shown(page)
        free = [channel for channel in CHANNELS if channel not in shown]
        take = take and bool(free) and not self.opened
        dut.page_i.value = page
        dut.open_i.value = take
        dut.close_i.value = close is not None
        if close is not None:
            dut.close_page_i.value, dut.close_channel_i.value = close
        await RisingEdge(dut.clk_i)
        assert dut.free_o.value == bool(free)
        if free:
            assert dut.channel_o.value == free[0]
        self.opened = [(page, free[0])] if take else []
        if take:
            self.taken[page].add(free[0])
        if close is not None:
            self.taken[close[0]].remove(close[1])
        await FallingEdge(dut.clk_i)

    async def take(self, page, close=None):
        """Takes the free channel of a page, and waits until that shows."""
        await self.step(page, True, close)
        await self.step(page)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def all_taken_and_back(dut):
    """Every channel of every page is taken, in turn; each that is given back, in any order, is the next that is taken."""
    bench, random = Bench(dut), rng("all")
    await bench.start()
    for _ in CHANNELS:
        for page in bench.pages:
            await bench.take(page)
    assert all(taken == set(CHANNELS) for taken in bench.taken)
    for page in bench.pages:
        for channel in random.sample(CHANNELS, len(CHANNELS)):
            await bench.take(page, close=(page, channel))
            # It was full in that cycle, and nothing was taken.
            assert bench.taken[page] == set(CHANNELS) - {channel}
            await bench.take(page)
    # Where all are free again the first is the first.
    for page in bench.pages:
        for channel in random.sample(CHANNELS, len(CHANNELS)):
            await bench.step(random.choice(bench.pages), close=(page, channel))
    assert not any(bench.taken)
    for page in bench.pages:
        await bench.step(page)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def random_pages(dut):
    """Pages from empty to full, one opened while one is closed, of the same page too; a reset frees all."""
    bench, random = Bench(dut), rng("random")
    await bench.start()
    for step in range(6000):
        often = (0.9, 0.4)[step // 1000 % 2]
        close = None
        if random.random() < 0.6:
            page = random.choice(bench.pages)
            if shown := bench.shown(page):
                close = page, random.choice(sorted(shown))
        await bench.step(random.choice(bench.pages), random.random() < often, close)
        if step == 3500:
            await bench.start()


@pytest.mark.parametrize("pages", [2, 4])
def test_rdma_readers(pages):
    build_and_run("rdma_readers", rtl("prim", "rdma"), {"Pages": pages}, __name__)
