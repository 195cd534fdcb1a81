# SPDX-License-Identifier: Apache-2.0
"""pcs_marker: four lanes against a model of each; markers are damaged, missing, of another lane, upside down or at the wrong place."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from pcs_link import packed
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

TURNS, BITS = 4, 66
ALL = (1 << BITS) - 1
CONTROL, DATA = 0b01, 0b10  # headers
MISSES = 4  # in a row lose the lock
# M0, M1, M2 of IEEE Std 802.3 table 82-2, as it prints them.
TABLE = """
    C1 68 21  9D 71 8E  59 4B E8  4D 95 7B  F5 07 09  DD 14 C2  9A 4A 26  7B 45 66  A0 24 76  68 C9 FB
    FD 6C 99  B9 91 55  5C B9 B2  1A F8 BD  83 C7 CA  35 36 CD  C4 31 4C  AD D6 B7  5F 66 2A  C0 F0 E5
"""
MARKERS = [int.from_bytes(bytes.fromhex(TABLE)[3 * n : 3 * n + 3], "little") for n in range(20)]


def marker(number, parity):
    """The marker of a lane."""
    data = MARKERS[number] | parity << 24
    return (data | (data ^ 0xFFFFFFFF) << 32) << 2 | CONTROL


# A marker but for its parity, which the receiver compares in one of its two places.
MASK = ALL ^ (0xFF << 26 | 0xFF << 58)
NUMBERS = {marker(number, 0) & MASK: number for number in range(20)}


def parity_of(block):
    """What a block adds to the parity of its lane (table 82-4)."""
    bits = [block >> at & 1 for at in range(BITS)]
    sums = [sum(bits[2 + at :: 8]) % 2 for at in range(8)]
    sums[3] ^= bits[0]
    sums[4] ^= bits[1]
    return sum(bit << at for at, bit in enumerate(sums))


class Lane:
    """What is known of a lane: its number if a marker was seen, the lock, the blocks since a marker."""

    def __init__(self):
        self.forget()

    def forget(self):
        self.number, self.inverted, self.locked = None, False, False
        self.count = self.missed = self.parity = 0

    def take(self, raw, lock):
        """What is given on of a block: it, whether it is at a marker's place, illegal, of wrong parity; what is known then."""
        inverted = self.inverted if self.number is not None else raw & 3 == DATA
        block = raw ^ ALL if inverted else raw
        illegal = raw & 3 in (0, 3)
        number, before = NUMBERS.get(block & MASK), self.number
        due = before is not None and self.count == params()["Period"] - 1
        wrong = due and self.locked and number == before and block >> 26 & 0xFF != self.parity
        if due:
            self.parity = 0
        self.parity ^= parity_of(block)
        self.count = 0 if due else self.count + 1
        if before is None and number is None:
            self.forget()
        elif before is None:
            self.number, self.inverted, self.count = number, inverted, 0
        elif due and number == before:
            self.locked, self.missed = True, 0
        elif due:
            self.missed += 1
            if not self.locked or self.missed == MISSES:
                self.forget()
        here = due or (before is None and number is not None)
        if not lock:
            self.forget()
        known = (self.number, self.inverted) if self.locked else None
        return block, here, illegal, wrong, known


class Stream:
    """Blocks of a lane: markers at their place, most of the time."""

    def __init__(self, random, number):
        self.random, self.period = random, params()["Period"]
        self.begin(number)

    def begin(self, number):
        self.number, self.turned = number, self.random.random() < 0.5
        self.at, self.parity, self.good = self.random.randrange(self.period), 0, 1.0

    def marker(self):
        """Mostly the right one."""
        random = self.random
        if random.random() < self.good:
            spoiled = random.random() < 0.1
            return marker(self.number, self.parity ^ (1 << random.randrange(8) if spoiled else 0))
        if random.random() < 0.2:
            return marker(random.randrange(20), self.parity)
        if random.random() < 0.5:
            return random.getrandbits(64) << 2 | random.choice((CONTROL, DATA))
        return marker(self.number, self.parity) ^ 1 << random.randrange(BITS)

    def next(self):
        random = self.random
        if self.at == 0:
            block, self.parity = self.marker(), 0
            # Times with few markers, and times with many; now and then a block more or less.
            self.good = random.choice((1.0, 0.9, 0.5, 0.2)) if random.random() < 0.1 else self.good
            self.at = random.choice((1, 2)) if random.random() < 0.01 else self.at
        elif random.random() < 0.05:
            block = marker(random.randrange(20), 0)
            # Almost a marker, of which each bit counts.
            block ^= random.choice((0, 1, 1)) << random.randrange(BITS)
        else:
            header = random.choice((CONTROL, DATA) * 10 + (0, 3))
            block = random.getrandbits(64) << 2 | header
        self.parity ^= parity_of(block)
        self.at = (self.at + 1) % self.period
        return block ^ ALL if self.turned else block


class Bench:
    """Feeds the lanes, each at its own pace, and compares what comes with the models."""

    def __init__(self, dut):
        self.dut, self.random = dut, rng("lanes")
        self.lanes = [Lane() for _ in range(TURNS)]
        self.due = [deque() for _ in range(TURNS)]  # what has to come
        self.known = [None] * TURNS
        self.locks = self.losses = self.wrong = 0
        start_clock(dut.clk_i, 1000)
        dut.lock_i.value = dut.valid_i.value = dut.block_i.value = 0

    async def start(self):
        self.lock, self.pause = 0, [0] * TURNS
        self.dut.lock_i.value = self.dut.valid_i.value = 0
        await FallingEdge(self.dut.clk_i)
        await reset(self.dut.clk_i, self.dut.rst_i, 1)
        for lane, due in zip(self.lanes, self.due, strict=True):
            lane.forget()
            due.clear()
        self.known = [None] * TURNS

    def compare(self):
        """One cycle of what comes."""
        dut = self.dut
        valid = int(dut.valid_o.value)
        assert valid & valid - 1 == 0
        wrong = 0
        for n in range(TURNS):
            if valid >> n & 1:
                block, here, illegal, off, known = self.due[n].popleft()
                assert dut.block_o.value == block
                assert (dut.marker_o.value, dut.illegal_o.value) == (here, illegal)
                wrong |= off << n
                self.locks += known is not None and self.known[n] is None
                self.losses += known is None and self.known[n] is not None
                self.known[n] = known
        assert dut.parity_error_o.value == wrong
        self.wrong += wrong != 0
        locked, number = int(dut.locked_o.value), int(dut.number_o.value)
        inverted = int(dut.inverted_o.value)
        for n in range(TURNS):
            assert locked >> n & 1 == (self.known[n] is not None)
            if self.known[n] is not None:
                assert (number >> 5 * n & 31, bool(inverted >> n & 1)) == self.known[n]

    async def step(self, streams):
        """One cycle; a stream that is None has no block."""
        dut, valid, blocks = self.dut, 0, [0] * TURNS
        for n, stream in enumerate(streams):
            self.pause[n] -= 1
            if stream is not None and self.pause[n] <= 0:
                self.pause[n] = self.random.choice((4, 4, 4, 5))
                blocks[n] = stream.next()
                self.due[n].append(self.lanes[n].take(blocks[n], self.lock >> n & 1))
                valid |= 1 << n
        dut.valid_i.value, dut.block_i.value = valid, packed(blocks, BITS)
        await RisingEdge(dut.clk_i)
        self.compare()
        await FallingEdge(dut.clk_i)

    async def rest(self):
        """Until the last block is out."""
        for _ in range(2 * TURNS):
            await self.step([None] * TURNS)
        assert not any(self.due)

    async def set_lock(self, lock):
        """A lane without lock forgets, in one round."""
        await self.rest()
        self.lock = lock
        self.dut.lock_i.value = lock
        for n, lane in enumerate(self.lanes):
            if not lock >> n & 1:
                lane.forget()
                self.losses += self.known[n] is not None
        for _ in range(TURNS):
            await RisingEdge(self.dut.clk_i)
            await FallingEdge(self.dut.clk_i)
        self.known = [known if lock >> n & 1 else None for n, known in enumerate(self.known)]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def anything(dut):
    """Every number on every lane, upright and upside down; locks that come and go by markers alone, by the lock of blocks, by a reset."""
    bench, random = Bench(dut), rng("anything")
    await bench.start()
    streams = [Stream(random, 0) for _ in range(TURNS)]
    for number in range(20):
        for n, stream in enumerate(streams):
            stream.begin((number + 7 * n) % 20)
        await bench.set_lock(15)
        for _ in range(1000):
            await bench.step(streams)
        # Of some lanes the blocks mean nothing for a while.
        await bench.set_lock(random.randrange(16))
        for _ in range(100):
            await bench.step(streams)
        if number % 7 == 6:
            await bench.start()
    dut._log.info("%d locks, %d lost, %d of wrong parity", bench.locks, bench.losses, bench.wrong)
    assert min(bench.locks, bench.losses, bench.wrong) > 20


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def almost_a_marker(dut):
    """A block that differs from a marker in one bit is none, whichever, but for the parity; nor is one upside down in part."""
    bench = Bench(dut)
    await bench.start()
    await bench.set_lock(15)

    class One:
        """One block, and random ones behind it."""

        def __init__(self, block):
            self.left = deque([block, marker(1, 0) ^ 1, *[DATA] * params()["Period"]])

        def next(self):
            return self.left.popleft()

    random = rng("almost")
    for bit in range(BITS):
        blocks = [marker(random.randrange(20), 0) ^ 1 << bit for _ in range(TURNS)]
        blocks = [block ^ ALL if random.random() < 0.5 else block for block in blocks]
        streams = [One(block) for block in blocks]
        for _ in range(4 * params()["Period"]):
            await bench.step(streams)
        await bench.set_lock(0)
        await bench.set_lock(15)
    assert bench.locks == 0


@pytest.mark.parametrize("period", [8])
def test_pcs_marker(period):
    sources = rtl("prim", "axis", "line", "eth", "rsfec", "pcs")
    build_and_run("pcs_marker", sources, {"Period": period}, __name__)
