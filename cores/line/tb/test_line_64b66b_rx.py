# SPDX-License-Identifier: Apache-2.0
"""line_64b66b_rx (line_gearbox_rx and line_block_lock in it): every bit delay, wrong bits, slips, dead lines, resets."""

import cocotb
from cocotb.triggers import RisingEdge
from line_64b66b_model import BLOCK, WORDS, Receiver, Sender, random_words, value_of
from tb_common import build_and_run, reset, rng, rtl, start_clock

LOCK, BAD = 64, 16  # defaults of the design
# At each wrong place an illegal header comes behind two blocks on average; all 65 of them take more
# than this about never.
BOUND = (LOCK + 800) * BLOCK // 16


class Bench:
    """A line with a sender of random words; what the receiver should say of them, block by block."""

    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.sender, self.line = Sender(random), []
        self.sent = []  # bits of the blocks on the line, as they arrive
        self.words, self.aligned = [], False
        self.wrong = {}  # number of the block: bits of it to turn over

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.dut.data_i.value = 0
        await reset(self.dut.clk_i, self.dut.rst_i)

    def block(self):
        number = len(self.sent)
        bits = self.sender.block(random_words(self.random))
        for at in self.wrong.pop(number, ()):
            bits[at] ^= 1
        self.sent.append(bits)
        self.line += bits

    async def raw(self, word=None):
        dut = self.dut
        if word is None:
            while len(self.line) < 16:
                self.block()
            word, self.line = value_of(self.line[:16]), self.line[16:]
        dut.data_i.value = word
        await RisingEdge(dut.clk_i)
        self.aligned = dut.aligned_o.value == 1
        if not self.aligned:
            self.words = []
        elif dut.valid_o.value == 1:
            k, data, error = (int(x.value) for x in (dut.k_o, dut.data_o, dut.error_o))
            assert not k & error
            self.words.append(None if error else (k, data))

    async def until(self, aligned, limit=BOUND, word=None):
        for _ in range(limit):
            await self.raw(word)
            if self.aligned == aligned:
                return
        raise AssertionError(f"aligned is not {aligned} after {limit} words")

    async def stays_locked(self):
        """For two rounds of the gearbox."""
        for _ in range(66):
            await self.raw()
            assert self.aligned

    def check(self):
        """The words since the lane locked are what the model makes of the line; the number of words that are still under way."""
        receiver = Receiver()
        want = [word for bits in self.sent for word in receiver.block(bits)]
        assert len(self.words) >= WORDS
        # A block and a half may be in the gearbox, and one in the words that leave.
        for behind in range(5 * WORDS):
            end = len(want) - behind
            if want[end - len(self.words) : end] == self.words:
                return
        raise AssertionError("words received are not those of the line")


@cocotb.test()
async def sweep(dut):
    """From every bit delay the border is found, and every word from there on is right."""
    random = rng("sweep")
    bench = Bench(dut, random)
    await bench.start()
    for delay in range(BLOCK):
        await reset(dut.clk_i, dut.rst_i, 2)
        bench = Bench(dut, random)
        bench.line = random.choices([0, 1], k=delay)
        await bench.until(True)
        assert len(bench.sent) >= LOCK
        count = len(bench.words)
        await bench.stays_locked()
        # 32 words in 33 cycles.
        assert len(bench.words) - count == 64
        bench.check()


@cocotb.test()
async def wrong_bits(dut):
    """Each bit of a block in turn: a header damages its block, a bit of the payload three bits, at the border too."""
    random = rng("wrong")
    bench = Bench(dut, random)
    await bench.start()
    await bench.until(True)
    for bit in range(BLOCK):
        # A few blocks apart: fewer headers than may be illegal in a window.
        first = len(bench.sent) + random.randrange(1, 9)
        bench.wrong[first] = [bit]
        while len(bench.sent) < first + 6:
            await bench.raw()
            assert bench.aligned
    bench.check()
    assert None in bench.words


@cocotb.test()
async def bursts(dut):
    """Some bits in a row wrong, anywhere: the verdict of the model, and right again two blocks later."""
    random = rng("bursts")
    bench = Bench(dut, random)
    await bench.start()
    await bench.until(True)
    for _ in range(80):
        first = len(bench.sent) + 2
        at, length = random.randrange(BLOCK), random.randrange(2, 40)
        for bit in range(at, at + length):
            bench.wrong.setdefault(first + bit // BLOCK, []).append(bit % BLOCK)
        while len(bench.sent) < first + random.randrange(6, 12):
            await bench.raw()
            assert bench.aligned
    bench.check()


@cocotb.test()
async def headers(dut):
    """BAD - 1 illegal headers in any LOCK blocks change nothing; BAD of them in a row lose the lane, and it comes back."""
    random = rng("headers")
    bench = Bench(dut, random)
    await bench.start()
    await bench.until(True)
    for _ in range(12):
        first = len(bench.sent) + 1
        # Half a window apart, so that none of the design's windows has more.
        for number in random.sample(range(first, first + LOCK), (BAD - 1) // 2):
            bench.wrong[number] = [random.randrange(2)]
        while len(bench.sent) < first + LOCK:
            await bench.raw()
            assert bench.aligned
    bench.check()
    # In a row 2 * BAD - 1 of them are BAD in one of two windows.
    first = len(bench.sent) + 1
    for number in range(first, first + 2 * BAD - 1):
        bench.wrong[number] = [random.randrange(2)]
    await bench.until(False, 2 * BAD * BLOCK // 16 + 12)
    await bench.until(True)
    for _ in range(66):
        await bench.raw()
    bench.check()


@cocotb.test()
async def bit_slip(dut):
    """Bits that are lost, or come twice, end the lock; it comes back at the new place."""
    random = rng("slip")
    bench = Bench(dut, random)
    await bench.start()
    await bench.until(True)
    for lost in [1, BLOCK - 1, *random.sample(range(2, BLOCK - 1), 6)]:
        while len(bench.line) < lost:
            bench.block()
        bench.line = bench.line[lost:] if random.randrange(2) else bench.line[:lost] + bench.line
        await bench.until(False, 4 * LOCK * BLOCK // 16)
        await bench.until(True)
        await bench.stays_locked()
        bench.check()


@cocotb.test()
async def lock_with_damage(dut):
    """An illegal header while it looks for the border costs time only; a wrong place is never kept."""
    random = rng("damage")
    bench = Bench(dut, random)
    await bench.start()
    for _ in range(6):
        await reset(dut.clk_i, dut.rst_i, 2)
        bench = Bench(dut, random)
        bench.line = random.choices([0, 1], k=random.randrange(BLOCK))
        for number in range(0, 2 * LOCK, LOCK // 2 + 1):
            bench.wrong[number] = [random.randrange(2)]
        await bench.until(True, 4 * BOUND)
        await bench.stays_locked()
        bench.check()


@cocotb.test()
async def dead_lines(dut):
    """A line that stands still loses the lock and never gets one; noise does not keep it."""
    random = rng("dead")
    bench = Bench(dut, random)
    await bench.start()
    for word in (0, 0xFFFF, 0x00FF, None):
        bench = Bench(dut, random)
        await bench.until(True)
        locked = 0
        for cycle in range(3 * LOCK * BLOCK // 16):
            await bench.raw(random.getrandbits(16) if word is None else word)
            locked = bench.aligned if cycle > LOCK * BLOCK // 16 else 0
            assert not locked


def test_line_64b66b_rx():
    build_and_run(
        "line_64b66b_rx",
        rtl("prim", "line"),
        test_module=__name__,
        testcase=[
            "sweep",
            "wrong_bits",
            "bursts",
            "headers",
            "bit_slip",
            "lock_with_damage",
            "dead_lines",
        ],
    )
