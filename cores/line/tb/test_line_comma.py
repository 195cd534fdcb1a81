# SPDX-License-Identifier: Apache-2.0
"""line_comma by itself: how many commas and bad words it takes, to the one."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, rng, rtl, start_clock

LOCK, BAD, GOOD = 4, 8, 4  # defaults of the design
COMMAS = [0b01_0111_1100, 0b10_1000_0011]
FILL = 0b01_0101_0101  # holds no comma, nor makes one with its like or a comma beside it


class Bench:
    """A line whose words stand `delay` bits late in the raw words."""

    def __init__(self, dut, random, delay):
        self.dut, self.random, self.delay = dut, random, delay
        self.symbols = params()["Symbols"]
        self.rest = 0

    async def start(self):
        """Reset, with a line that has symbols already."""
        start_clock(self.dut.clk_i, 1000)
        self.dut.rst_i.value = 1
        for _ in range(4):
            await self.word()
        self.dut.rst_i.value = 0

    async def word(self, comma=None, bad=0):
        """A word, with a comma in one of its symbols or none."""
        word = 0
        for symbol in range(self.symbols):
            bits = self.random.choice(COMMAS) if symbol == comma else FILL
            word |= bits << 10 * symbol
        width = 10 * self.symbols
        line = self.rest | word << self.delay
        self.rest = line >> width
        self.dut.data_i.value, self.dut.bad_i.value = line & ((1 << width) - 1), bad
        await RisingEdge(self.dut.clk_i)

    async def comma(self, symbol=0):
        """A comma, and words until it has had its effect; whether the lane is aligned now."""
        await self.word(comma=symbol)
        for _ in range(4):
            await self.word()
        return self.dut.aligned_o.value == 1

    async def lock(self):
        """Aligns the lane with no comma more than it takes."""
        # From reset on the cut is that of the raw words; the comma that moves it does not count.
        for number in range(LOCK + (self.delay != 0)):
            assert self.dut.aligned_o.value == 0, number
            aligned = await self.comma()
        assert aligned


@cocotb.test()
async def commas(dut):
    """As many commas as were asked for align the lane, from every place of the cut."""
    random = rng("commas")
    bench = Bench(dut, random, 0)
    await bench.start()
    for delay in range(10 * bench.symbols):
        bench.delay, bench.rest = delay, 0
        dut.rst_i.value = 1
        for _ in range(3):
            await bench.word()
        dut.rst_i.value = 0
        await bench.lock()


@cocotb.test()
async def strays(dut):
    """LOCK commas in a row elsewhere end the alignment; one at the cut forgives those before it."""
    random = rng("strays")
    bench = Bench(dut, random, random.randrange(10))
    await bench.start()
    await bench.lock()

    async def stray():
        """A comma one bit beside the cut."""
        bench.delay += 1
        aligned = await bench.comma()
        # The bit that is too many is one of the filling: no comma comes of it.
        bench.delay -= 1
        bench.rest &= (1 << bench.delay) - 1
        return aligned

    for _ in range(3):
        for _ in range(LOCK - 1):
            assert await stray()
        assert await bench.comma()
    for _ in range(LOCK - 1):
        assert await stray()
    assert not await stray()


@cocotb.test()
async def bad_words(dut):
    """Bad words in a row, or good ones between them that are not enough, end the alignment; enough of them forgive one."""
    random = rng("bad")
    bench = Bench(dut, random, random.randrange(10))
    await bench.start()
    await bench.lock()
    for _ in range(4 * BAD):
        await bench.word(bad=1)
        for _ in range(GOOD):
            await bench.word()
        assert dut.aligned_o.value == 1
    for number in range(BAD):
        await bench.word(bad=1)
        for _ in range(GOOD - 1):
            await bench.word()
        assert (dut.aligned_o.value == 1) == (number < BAD - 1), number


@pytest.mark.parametrize("symbols", [1, 2])
def test_line_comma(symbols):
    build_and_run(
        "line_comma",
        rtl("line"),
        {"Symbols": symbols},
        __name__,
        testcase=["commas", "strays", "bad_words"],
    )
