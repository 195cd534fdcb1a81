# SPDX-License-Identifier: Apache-2.0
"""line_deskew: every skew, lanes in use, damaged markers, skew that changes, lanes that go, words with gaps."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

WIDTH = 12
BAD = 4  # default of the design


class Bench:
    """All lanes carry the number of the word, each late by its own skew."""

    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.lanes, self.depth = params()["Lanes"], params()["Depth"]
        self.period = 2 * self.depth
        self.time = 1  # no marker while the reset stands
        self.skew = [0] * self.lanes
        self.use = (1 << self.lanes) - 1
        self.aligned = self.use
        self.damaged = set()  # (number of the word, lane) whose marker does not arrive
        self.gap = 0  # clocks in which a lane has one without a word; 0: it has none
        self.silent = 0  # lanes that bring no words

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.drive()
        await reset(self.dut.clk_i, self.dut.rst_i)

    def drive(self):
        data = marker = valid = 0
        for lane in range(self.lanes):
            number = self.time - self.skew[lane]
            if self.gap:
                turn, place = divmod(number, self.gap)
                number = (self.gap - 1) * turn + place
                if place == self.gap - 1:
                    # What is there without a word means nothing.
                    data |= self.random.getrandbits(WIDTH) << WIDTH * lane
                    marker |= self.random.randrange(2) << lane
                    continue
            valid |= 1 << lane
            data |= (number % (1 << WIDTH)) << WIDTH * lane
            if number % self.period == 0 and (number, lane) not in self.damaged:
                marker |= 1 << lane
        self.dut.data_i.value, self.dut.marker_i.value = data, marker
        self.dut.valid_i.value = valid & ~self.silent
        self.dut.use_i.value, self.dut.aligned_i.value = self.use, self.aligned

    async def clock(self):
        """One word of each lane; whether deskewed, with the words that came out of the lanes in use."""
        self.drive()
        await RisingEdge(self.dut.clk_i)
        self.time += 1
        data = int(self.dut.data_o.value)
        marker = int(self.dut.marker_o.value)
        lanes = [lane for lane in range(self.lanes) if self.use >> lane & 1]
        words = [data >> WIDTH * lane & ((1 << WIDTH) - 1) for lane in lanes]
        markers = [marker >> lane & 1 for lane in lanes]
        return self.dut.deskewed_o.value == 1, words, markers

    async def until(self, deskewed, limit):
        for _ in range(limit):
            if (await self.clock())[0] == deskewed:
                return
        raise AssertionError(f"deskewed is not {deskewed} after {limit} words, skew {self.skew}")

    async def right(self, count):
        """The next `count` words leave together, in order, with the least delay."""
        for _ in range(count):
            deskewed, words, markers = await self.clock()
            assert deskewed and self.dut.valid_o.value == 1
            latest = max(s for lane, s in enumerate(self.skew) if self.use >> lane & 1)
            want = (self.time - 2 - latest) % (1 << WIDTH)
            assert words == [want] * len(words), self.skew
            assert len(set(markers)) == 1 or self.damaged


# A marker of each lane is at most a period away; a window that closes in vain costs one more.
def bound(bench):
    return 3 * bench.period


@cocotb.test()
async def every_skew(dut):
    """From any skew below Depth, at any time, for any lanes in use."""
    random = rng("skew")
    bench = Bench(dut, random)
    await bench.start()
    for turn in range(60):
        bench.skew = [random.randrange(bench.depth) for _ in range(bench.lanes)]
        if turn < 4:  # the extremes
            bench.skew = [
                0 if (lane ^ turn) & 1 else bench.depth - 1 for lane in range(bench.lanes)
            ]
        bench.use = random.randrange(1, 1 << bench.lanes) if turn % 2 else (1 << bench.lanes) - 1
        dut.rst_i.value = 1
        await bench.clock()
        dut.rst_i.value = 0
        for _ in range(random.randrange(bench.period)):
            await bench.clock()
        await bench.until(True, bound(bench))
        await bench.right(3 * bench.period)


@cocotb.test()
async def too_much(dut):
    """A skew of Depth is never taken for another."""
    random = rng("much")
    bench = Bench(dut, random)
    await bench.start()
    if bench.lanes > 1:
        late = random.randrange(bench.lanes)
        bench.skew[late] = bench.depth
        for _ in range(6 * bench.period):
            assert not (await bench.clock())[0]
        bench.skew[late] -= 1
        await bench.until(True, bound(bench))
        await bench.right(bench.period)


@cocotb.test()
async def damaged_markers(dut):
    """BadLimit - 1 damaged markers in a row change nothing, one more ends it; none of a search is taken for another."""
    random = rng("damaged")
    bench = Bench(dut, random)
    await bench.start()
    bench.skew = [random.randrange(bench.depth) for _ in range(bench.lanes)]
    await bench.until(True, bound(bench))
    while bench.time % bench.period:
        await bench.right(1)

    def damage(periods):
        first = bench.time + bench.period
        lane = random.randrange(bench.lanes)
        bench.damaged = {(first + bench.period * n, lane) for n in range(periods)}

    damage(BAD - 1)
    await bench.right((BAD + 2) * bench.period)
    if bench.lanes > 1:
        while bench.time % bench.period:
            await bench.right(1)
        damage(BAD)
        await bench.until(False, (BAD + 2) * bench.period)
        await bench.until(True, bound(bench))
        await bench.right(bench.period)


@cocotb.test()
async def changes(dut):
    """Another skew, other lanes in use, a lane that is not aligned: each ends it, and it comes back."""
    random = rng("changes")
    bench = Bench(dut, random)
    await bench.start()
    full = bench.use
    for turn in range(20):
        bench.use = bench.aligned = full
        await bench.until(True, bound(bench))
        await bench.right(2)
        what = turn % 3 if bench.lanes > 1 else 1
        if what == 0:
            lane = random.randrange(bench.lanes)
            skew = bench.skew[lane]
            spread = max(s for i, s in enumerate(bench.skew) if i != lane)
            lowest = min(s for i, s in enumerate(bench.skew) if i != lane)
            # Within reach, and another.
            legal = [
                s
                for s in range(2 * bench.depth)
                if s != skew and max(s, spread) - min(s, lowest) < bench.depth
            ]
            bench.skew[lane] = random.choice(legal)
            # Its own marker and the others' come apart now.
            await bench.until(False, (BAD + 2) * bench.period)
        elif what == 1:
            bench.aligned = full ^ 1 << random.randrange(bench.lanes)
            await bench.until(False, 3)
            for _ in range(bench.period * 3):
                assert not (await bench.clock())[0]
        else:
            bench.use = full ^ 1 << random.randrange(bench.lanes)
            await bench.until(False, 3)
            await bench.until(True, bound(bench))
            # Lanes that are not in use may do what they like.
            bench.aligned = bench.use
            await bench.right(bench.period)
            bench.use = bench.aligned = full
            await bench.until(False, 3)


async def together(bench, words):
    """The next `words` words leave together, in order, none left out."""
    last, clocks = None, 0
    while words:
        deskewed, got, markers = await bench.clock()
        clocks += 1
        assert deskewed
        if bench.dut.valid_o.value == 0:
            continue
        words -= 1
        assert got == [got[0]] * len(got) and len(set(markers)) == 1
        assert last is None or got[0] == (last + 1) % (1 << WIDTH)
        last = got[0]
    return clocks


@cocotb.test()
async def gaps(dut):
    """Clocks without a word, in each lane at another time: from any skew, in order, at the pace of the lanes."""
    random = rng("gaps")
    bench = Bench(dut, random)
    await bench.start()
    for _ in range(40):
        bench.gap = random.choice([5, 33])
        bench.skew = [random.randrange(bench.depth - 1) for _ in range(bench.lanes)]
        bench.use = random.randrange(1, 1 << bench.lanes)
        bench.aligned = bench.use
        dut.rst_i.value = 1
        await bench.clock()
        dut.rst_i.value = 0
        await bench.until(True, 2 * bound(bench))
        words = 10 * bench.gap
        clocks = await together(bench, words)
        assert clocks <= words * bench.gap // (bench.gap - 1) + 2
    # A lane that brings no words any more ends it, when those of another one find no room.
    if bench.lanes > 1:
        bench.use = bench.aligned = 0b11
        await bench.until(True, 2 * bound(bench))
        bench.silent = 0b10
        await bench.until(False, 2 * bench.depth + 4)
        bench.silent = 0
        await bench.until(True, 2 * bound(bench))
        await together(bench, 2 * bench.period)


@cocotb.test()
async def gap_at_the_limit(dut):
    """A gap in the latest lane takes what a skew of Depth - 2 has left: that is not too much, one more is."""
    random = rng("gap at the limit")
    bench = Bench(dut, random)
    await bench.start()
    if bench.lanes == 1:
        return
    for late in range(bench.lanes):
        bench.skew = [0] * bench.lanes
        bench.skew[late] = bench.depth - 2
        dut.rst_i.value = 1
        await bench.clock()
        dut.rst_i.value = 0
        await bench.until(True, bound(bench))
        await bench.right(random.randrange(1, bench.period))

        async def gap(late=late):
            bench.silent = 1 << late
            bench.drive()
            await together(bench, 1)
            bench.silent = 0
            bench.skew[late] += 1

        await gap()
        # One clock without a word, and the skew is the most there may be.
        assert await together(bench, 2 * bench.period) == 2 * bench.period + 1
        await gap()
        await bench.until(False, 4)


@pytest.mark.parametrize(("lanes", "depth"), [(1, 4), (2, 2), (4, 16), (3, 8)])
def test_line_deskew(lanes, depth):
    build_and_run(
        "line_deskew",
        rtl("prim", "line"),
        {"Lanes": lanes, "Width": WIDTH, "Depth": depth},
        __name__,
        testcase=[
            "every_skew",
            "too_much",
            "damaged_markers",
            "changes",
            "gaps",
            "gap_at_the_limit",
        ],
    )
