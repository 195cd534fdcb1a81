# SPDX-License-Identifier: Apache-2.0
"""prim_counter_bank: every increment is counted once, whatever is read or cleared meanwhile."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


class Bench:
    """Random increments in every cycle, and what the counters have to be."""

    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.count, self.width = params()["Count"], params()["IncWidth"]
        literal = int(params()["IncWidths"].split("h")[1], 16)
        self.widths = [(literal >> 8 * i) & 255 for i in range(self.count)]
        self.totals = [0] * self.count
        self.rate = 0.7
        dut.clear_i.value = dut.rd_req_i.value = dut.rd_addr_i.value = dut.inc_i.value = 0

    async def run(self):
        while True:
            word = 0
            for i, width in enumerate(self.widths):
                value = self.random.getrandbits(width) if width else 0
                if self.random.random() < 0.1:
                    value = (1 << width) - 1
                if self.random.random() > self.rate:
                    value = 0
                # Bits above the own width have to be ignored.
                junk = self.random.getrandbits(self.width) >> width << width
                word |= (value | junk) << (i * self.width)
                self.totals[i] += value
            self.dut.inc_i.value = word
            await RisingEdge(self.dut.clk_i)

    async def read(self, index):
        dut = self.dut
        dut.rd_addr_i.value = index
        dut.rd_req_i.value = 1
        for _ in range(self.count + 5):
            await RisingEdge(dut.clk_i)
            if dut.rd_ack_o.value == 1:
                dut.rd_req_i.value = 0
                return int(dut.rd_data_o.value)
        raise AssertionError(f"counter {index} was not read in time")

    async def settle(self):
        """Stops the increments until all of them have arrived."""
        self.rate = 0
        await cycles(self.dut.clk_i, 2 * (self.count + 1) + 4)

    async def check(self):
        await self.settle()
        before = list(self.totals)
        for index in self.random.sample(range(self.count), self.count):
            assert await self.read(index) == before[index] % 2 ** params()["Width"], index
        self.rate = 0.7


async def start(dut, name):
    start_clock(dut.clk_i, 1000)
    bench = Bench(dut, rng(name))
    await reset(dut.clk_i, dut.rst_i)
    # What is counted before the first turn of a counter is forgotten.
    await cycles(dut.clk_i, bench.count + 2)
    cocotb.start_soon(bench.run())
    return bench


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def counts(dut):
    bench = await start(dut, "counts")
    for _ in range(3):
        await cycles(dut.clk_i, bench.random.randint(200, 500))
        await bench.check()
    assert sum(bench.totals) > 0
    assert all(bool(total) == bool(width) for total, width in zip(bench.totals, bench.widths, strict=True))  # fmt: skip


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def reads_while_counting(dut):
    """What is read never falls, never runs ahead and is never more than two rounds behind."""
    bench = await start(dut, "reads")
    history = []

    async def watch():
        while True:
            history.append(list(bench.totals))
            await RisingEdge(dut.clk_i)

    cocotb.start_soon(watch())
    await cycles(dut.clk_i, 3 * bench.count + 20)
    for _ in range(60):
        index = bench.random.randrange(bench.count)
        value = await bench.read(index)
        late = history[-2 * (bench.count + 1) - 6][index]
        if bench.totals[index] < 2 ** params()["Width"]:
            assert late <= value <= bench.totals[index]
        await cycles(dut.clk_i, bench.random.randrange(4))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def clears(dut):
    """A clear takes all that was there, and nothing that comes two rounds later."""
    bench = await start(dut, "clears")
    for _ in range(4):
        await cycles(dut.clk_i, bench.random.randint(50, 200))
        await bench.settle()
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        await cycles(dut.clk_i, 2 * (bench.count + 1) + 2)
        bench.totals = [0] * bench.count
        if bench.random.random() < 0.5:
            assert await bench.read(bench.random.randrange(bench.count)) == 0
        bench.rate = 0.7
        await cycles(dut.clk_i, bench.random.randint(50, 200))
        await bench.check()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def clears_while_counting(dut):
    """Nothing that was counted before the clear is there behind it."""
    bench = await start(dut, "under way")
    for _ in range(4 * bench.count):
        await cycles(dut.clk_i, bench.random.randint(2 * bench.count, 3 * bench.count))
        before = list(bench.totals)
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        await cycles(dut.clk_i, 2 * (bench.count + 1) + 2)
        await bench.settle()
        for index in (0, bench.random.randrange(bench.count)):
            assert await bench.read(index) <= bench.totals[index] - before[index]
        bench.rate = 0.7


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def nothing_is_lost_at_a_turn(dut):
    """The widest increment in every single cycle fills the sums to the brim."""
    bench = await start(dut, "brim")
    bench.random.random = lambda: 0.05
    await cycles(dut.clk_i, 300)
    await bench.check()


# Widths of the increments, counter 0 first; one of each kind, absent ones, and an odd number of
# them.
@pytest.mark.parametrize(
    ("widths", "width"), [([1, 5, 0, 2, 1], 64), ([2, 1], 5), ([3] * 9 + [0] * 7, 20)]
)
def test_prim_counter_bank(widths, width):
    literal = sum(w << 8 * i for i, w in enumerate(widths))
    parameters = {
        "Count": len(widths),
        "Width": width,
        "IncWidth": max(widths),
        "IncWidths": f"{8 * len(widths)}'h{literal:x}",
    }
    build_and_run("prim_counter_bank", rtl("prim"), parameters, __name__)
