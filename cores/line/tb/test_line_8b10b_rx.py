# SPDX-License-Identifier: Apache-2.0
"""line_8b10b_rx (and line_comma in it): every bit delay, flipped bits, slips, dead lines, resets."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from encdec8b10b import EncDec8B10B
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

LOCK = 4  # default of the design
COM, IDL = (0xBC, 1), (0x7C, 1)
PERIOD = 8  # words between two commas


class Sender:
    """A lane that sends random characters with a comma in every PERIOD-th word, as bits in time order."""

    def __init__(self, random, symbols):
        self.random, self.symbols = random, symbols
        self.rd, self.words = random.randrange(2), []
        self.line, self.count = 0, 0

    def delay(self, bits):
        """Noise in front of what comes."""
        self.line |= self.random.getrandbits(bits) << self.count if bits else 0
        self.count += bits

    def word(self):
        word = [(self.random.randrange(256), 0) for _ in range(self.symbols)]
        if self.random.random() < 0.3:
            word = [IDL] * self.symbols
        if len(self.words) % PERIOD == 0:
            word[0] = COM
        self.words.append(word)
        for byte, k in word:
            self.rd, symbol = EncDec8B10B.enc_8b10b(byte, self.rd, k)
            self.line |= symbol << self.count
            self.count += 10

    def raw(self):
        """The next raw word of the line."""
        width = 10 * self.symbols
        while self.count < width:
            self.word()
        word = self.line & ((1 << width) - 1)
        self.line >>= width
        self.count -= width
        return word


class Bench:
    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.symbols = params()["Symbols"]
        self.got = []  # words of the present alignment: characters, errors
        self.aligned = False

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.dut.data_i.value = 0
        await reset(self.dut.clk_i, self.dut.rst_i)

    async def raw(self, word):
        dut = self.dut
        dut.data_i.value = word
        await RisingEdge(dut.clk_i)
        self.aligned = dut.aligned_o.value == 1
        if not self.aligned:
            self.got = []
            return
        data, k, error = (int(x.value) for x in (dut.data_o, dut.k_o, dut.error_o))
        word = [(data >> 8 * i & 255, k >> i & 1) for i in range(self.symbols)]
        assert (dut.comma_o.value == 1) == (word[0] == COM and not error & 1)
        self.got.append((word, error))

    async def until(self, sender, aligned, words, flip=lambda: 0):
        """Raw words until the lane is aligned or not; at most `words`."""
        for taken in range(words):
            await self.raw(sender.raw() ^ flip())
            if self.aligned == aligned:
                return taken
        raise AssertionError(f"aligned is not {aligned} after {words} words")

    def check(self, sender):
        """All that came since the lane aligned is a piece of what was sent, without error; how far behind."""
        words = [word for word, _ in self.got]
        assert words and not any(error for _, error in self.got)
        # The last word sent may be on its way, cut in two, and two more in the registers.
        for behind in range(6):
            end = len(sender.words) - behind
            if sender.words[end - len(words) : end] == words:
                return behind
        raise AssertionError("words received are not those sent")


# The first comma moves the cut, the second may still meet a wrong disparity; then LOCK of them.
BOUND = (LOCK + 3) * PERIOD


@cocotb.test()
async def sweep(dut):
    """From every bit delay the boundary is found in bounded time, and every word from there on is right."""
    random = rng("sweep")
    bench = Bench(dut, random)
    await bench.start()
    for delay in range(10 * bench.symbols):
        await reset(dut.clk_i, dut.rst_i, 2)
        sender = Sender(random, bench.symbols)
        for _ in range(random.randrange(1, PERIOD)):
            sender.word()
        sender.line >>= delay
        sender.count -= delay
        await bench.until(sender, True, BOUND)
        for _ in range(5 * PERIOD):
            await bench.raw(sender.raw())
            assert bench.aligned
        bench.check(sender)


@cocotb.test()
async def flipped_bits(dut):
    """One flipped bit in 24 words never loses the lane: it costs two points at most, and they come back."""
    random = rng("flips")
    bench = Bench(dut, random)
    await bench.start()
    sender = Sender(random, bench.symbols)
    sender.delay(random.randrange(20))
    await bench.until(sender, True, BOUND)
    for _ in range(60):
        for word in range(24):
            flip = 1 << random.randrange(10 * bench.symbols) if word == 0 else 0
            await bench.raw(sender.raw() ^ flip)
            assert bench.aligned
    errors = sum(error != 0 for _, error in bench.got)
    assert 60 <= errors <= 120, errors


@cocotb.test()
async def bit_slip(dut):
    """Bits that are lost end the alignment, whole symbols too; it comes back at the new place."""
    random = rng("slip")
    bench = Bench(dut, random)
    await bench.start()
    sender = Sender(random, bench.symbols)
    await bench.until(sender, True, BOUND)
    # Any number but whole words, which no receiver could see.
    numbers = [10 * i for i in range(1, bench.symbols)]
    for lost in numbers + random.sample(range(1, 10 * bench.symbols), 9):
        sender.word()
        sender.line >>= lost
        sender.count -= lost
        await bench.until(sender, False, 200)
        await bench.until(sender, True, BOUND)
        for _ in range(2 * PERIOD):
            await bench.raw(sender.raw())
        bench.check(sender)


@cocotb.test()
async def dead_lines(dut):
    """Lines without symbols, or without commas, never align, and end an alignment."""
    random = rng("dead")
    bench = Bench(dut, random)
    await bench.start()
    width = 10 * bench.symbols
    ones = (1 << width) - 1
    for word in (0, ones, ones // 3, 0b0011111010):
        sender = Sender(random, bench.symbols)
        await bench.until(sender, True, BOUND)
        if word != ones // 3:  # that one is D21.5 for ever, which is legal
            for _ in range(40):
                await bench.raw(word)
            assert not bench.aligned
        await reset(dut.clk_i, dut.rst_i, 2)
        for _ in range(200):
            await bench.raw(word)
            assert not bench.aligned


@pytest.mark.parametrize("symbols", [1, 2, 4])
def test_line_8b10b_rx(symbols):
    build_and_run(
        "line_8b10b_rx",
        rtl("prim", "line"),
        {"Symbols": symbols},
        __name__,
        testcase=["sweep", "flipped_bits", "bit_slip", "dead_lines"],
    )
