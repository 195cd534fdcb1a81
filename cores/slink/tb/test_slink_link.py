# SPDX-License-Identifier: Apache-2.0
"""slink_phy between slink_tx and slink_rx: skew, clocks, COM and idle words, flipped bits, lines that go and come."""

import itertools
import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from slink_model import (
    DATA,
    DONE,
    SYMBOLS,
    Events,
    beats_of,
    header,
    packet,
    plain,
    some_packets,
    usable,
    wanted,
)
from tb_common import Source, build_and_run, cycles, rng, rtl, start_clock

ALL = 0b1111
PERIOD = 1000
COM_PERIOD, COM_LIMIT = 32, 127
MAX_SKEW = 16  # of slink_phy
# Both forms of K28.5 and K28.3, as raw bits.
COM_FORMS = {int(bits[::-1], 2) for bits in ("0011111010", "1100000101")}
IDL_FORMS = {int(bits[::-1], 2) for bits in ("0011110011", "1100001100")}
# A search of the deskew takes three periods at most, alignment five; both with some clocks of ways
# and skew.
UP_LIMIT = 12 * COM_PERIOD
# In 64b/66b the search goes through 66 places, with a few blocks for each, and then demands 64
# blocks.
UP_LIMIT_BLOCKS = UP_LIMIT + 4500


def coding():
    """1: 64b/66b."""
    return int(os.environ["CODING"])


def word_bits():
    """Raw bits of a lane in a cycle."""
    return 16 if coding() else 10 * SYMBOLS


def any_flip(random):
    """A bit of any lane."""
    return 1 << 20 * random.randrange(4) + random.randrange(word_bits())


class Link(Events):
    def __init__(self, dut, random):
        super().__init__(dut)
        self.random = random
        self.raw = []  # of lane 0, from the sender
        self.data = Source(
            dut.a_clk_i, dut.d_valid_i, dut.d_ready_o, dut.d_data_i, random, rate=1.0
        )

    async def start(self, ratio=1.0, delays=(0, 0, 0, 0), use=ALL):
        dut = self.dut
        start_clock(dut.a_clk_i, PERIOD, 300)
        start_clock(dut.b_clk_i, 2 * round(PERIOD * ratio / 2))
        dut.s_valid_i.value = dut.s_header_i.value = dut.flip_i.value = 0
        dut.coding_i.value = coding()
        dut.use_i.value = use
        self.delay(delays)
        dut.a_rst_i.value = dut.b_rst_i.value = 1
        await cycles(dut.a_clk_i, 8)
        dut.a_rst_i.value = dut.b_rst_i.value = 0
        cocotb.start_soon(self._watch_a())
        cocotb.start_soon(self._watch_b())

    def delay(self, delays):
        self.dut.delay_i.value = sum(d << 9 * lane for lane, d in enumerate(delays))

    async def _watch_a(self):
        while True:
            await RisingEdge(self.dut.a_clk_i)
            self.raw.append(int(self.dut.raw_o.value) & 0xFFFFF)
            assert self.dut.overflow_o.value == 0

    async def _watch_b(self):
        while True:
            await RisingEdge(self.dut.b_clk_i)
            self.look()

    async def up(self, want=1):
        limit = UP_LIMIT_BLOCKS if coding() else UP_LIMIT
        for _ in range(limit):
            await RisingEdge(self.dut.b_clk_i)
            if self.dut.up_o.value == want:
                return
        raise AssertionError(f"up_o is not {want} after {limit} words")

    async def send(self, bits, data):
        self.data.send(beats_of(data))
        self.dut.s_header_i.value = bits
        self.dut.s_valid_i.value = 1
        while True:
            await RisingEdge(self.dut.a_clk_i)
            if self.dut.s_ready_o.value == 1:
                break
        self.dut.s_valid_i.value = 0

    async def settle(self):
        """Until all that was sent has arrived: the longest way is 26 words, the receiver's stages are few."""
        await cycles(self.dut.a_clk_i, 80)

    def delays(self):
        """Less than MaxSkew words apart."""
        base = self.random.randrange(170)
        return [base + self.random.randrange(word_bits() * (MAX_SKEW - 1)) for _ in range(4)]


def commas(raw):
    return [at for at, word in enumerate(raw) if word & 1023 in COM_FORMS]


def idle(word):
    return word & 1023 in COM_FORMS | IDL_FORMS and word >> 10 in IDL_FORMS


async def whole_way(dut, random, ratio):
    link = Link(dut, random)
    await link.start(ratio, link.delays())
    await link.up()
    want = []
    for bits, data in some_packets(random, 50, beats=30):
        link.data.rate = random.choice([0.3, 1.0])
        await link.send(bits, data)
        want += wanted(bits, data)
        await cycles(dut.a_clk_i, random.choice([0, 0, 3, 40]))
    await link.settle()
    assert plain(link.take()) == want


@cocotb.test()
async def slower(dut):
    """Any skew; the line is slower than the receiver's clock."""
    await whole_way(dut, rng("slower"), 0.99)


@cocotb.test()
async def faster(dut):
    """Any skew; the line is faster than the receiver's clock."""
    await whole_way(dut, rng("faster"), 1.01)


@cocotb.test()
async def fewer_lanes(dut):
    """Lanes that are not wired bring noise, and nothing else needs them."""
    random = rng("fewer")
    size = random.randrange(2)
    lanes = 1 << size
    link = Link(dut, random)
    await link.start(use=(1 << lanes) - 1, delays=link.delays())

    async def noise():
        while True:
            dut.flip_i.value = random.getrandbits(80) >> 20 * lanes << 20 * lanes
            await RisingEdge(dut.a_clk_i)

    cocotb.start_soon(noise())
    await link.up()
    for _ in range(5):
        bits = header(DATA, read=1, size=size, beats=3)
        data = random.randbytes(24)
        await link.send(bits, data)
        await link.settle()
        assert plain(link.take()) == wanted(bits, data)


@cocotb.test()
async def commas_come(dut):
    """Every 32 words where nothing is sent; in front of a packet at the latest that would begin 127 words behind the last."""
    random = rng("commas")
    link = Link(dut, random)
    await link.start()
    await link.up()
    link.raw.clear()
    await cycles(dut.a_clk_i, 10 * COM_PERIOD)
    at = commas(link.raw)
    assert [b - a for a, b in itertools.pairwise(at)] == [COM_PERIOD] * (len(at) - 1)
    link.raw.clear()
    longest = 0
    for bits, data in some_packets(random, 120, beats=4):
        await link.send(bits, data)
        longest = max(longest, len(packet(bits, data)))
    await cycles(dut.a_clk_i, 2 * COM_PERIOD)
    at = commas(link.raw)
    gaps = [b - a for a, b in itertools.pairwise(at)]
    # And the clock in which it is demanded, and those in which it is sent.
    assert len(gaps) > 5 and max(gaps) <= COM_LIMIT + longest + 4


@cocotb.test()
async def long_packets_leave_a_gap(dut):
    """One idle word for each 4096 of a packet, so that the elastic buffer of the receiver is empty again."""
    random = rng("gap")
    link = Link(dut, random)
    await link.start()
    await link.up()
    bits = header(DATA, read=1, size=0, beats=2100)
    data = random.randbytes(8 * 2100)
    await link.send(bits, data)
    await link.send(header(DONE), b"")
    await link.settle()
    # The last idle words in front of the last packet.
    end = len(link.raw) - 1
    while idle(link.raw[end]):
        end -= 1
    while not idle(link.raw[end]):
        end -= 1
    gap = 0
    while idle(link.raw[end - gap]):
        gap += 1
    assert gap >= len(packet(bits, data)) // 4096 == 2
    assert plain(link.take()) == wanted(bits, data) + wanted(header(DONE), b"")


@cocotb.test()
async def flipped_bits(dut):
    """One in a packet: it arrives right, or it is not said to be good. The next one arrives."""
    random = rng("flips")
    link = Link(dut, random)
    await link.start(delays=link.delays())
    await link.up()

    async def flip(words):
        await cycles(dut.a_clk_i, random.randrange(words))
        dut.flip_i.value = any_flip(random)
        await RisingEdge(dut.a_clk_i)
        dut.flip_i.value = 0

    for _ in range(120):
        bits = header(DATA, read=1, size=random.randrange(3), beats=random.randrange(1, 9))
        data = random.randbytes(8 * (bits >> 8 & 0xFFFF))
        cocotb.start_soon(flip(len(packet(bits, data)) + 30))
        await link.send(bits, data)
        await link.settle()
        events = link.take()
        if events and events[-1][0] == "end":
            assert plain(events) == wanted(bits, data)
        else:
            # Without its END alone, the data of the packet were right.
            assert usable(events) in ([], beats_of(data))
        # Also closes what was cut off.
        await link.send(header(DONE), b"")
        await link.settle()
        assert plain(link.take())[-2:] == wanted(header(DONE), b"")


@cocotb.test()
async def line_goes_and_comes(dut):
    """Noise takes the link down; with other skew it comes back, and packets pass."""
    random = rng("down")
    link = Link(dut, random)
    await link.start(delays=link.delays())
    for _ in range(4):
        await link.up()
        bits = header(DATA, read=1, size=2, beats=4)
        data = random.randbytes(32)
        await link.send(bits, data)
        await link.settle()
        assert plain(link.take())[-6:] == wanted(bits, data)
        for _ in range(500):
            dut.flip_i.value = random.getrandbits(80)
            await RisingEdge(dut.a_clk_i)
        assert dut.up_o.value == 0
        dut.flip_i.value = 0
        link.delay(link.delays())


@cocotb.test()
async def skew_at_the_limit(dut):
    """Each lane in turn is the first or the last one, by as much as is allowed."""
    random = rng("skew")
    link = Link(dut, random)
    # Words with gaps: one less.
    limit = word_bits() * (MAX_SKEW - 1 - coding())
    for lane in range(4):
        others = random.randrange(2) * limit
        base = random.randrange(200)
        delays = [base + (limit - others if at == lane else others) for at in range(4)]
        if lane == 0:
            await link.start(delays=delays)
        else:
            for _ in range(500):
                dut.flip_i.value = random.getrandbits(80)
                await RisingEdge(dut.a_clk_i)
            assert dut.up_o.value == 0
            dut.flip_i.value = 0
            link.delay(delays)
        await link.up()
        await link.settle()
        link.take()
        for _ in range(4):
            bits = header(DATA, read=1, size=2, beats=4)
            data = random.randbytes(32)
            await link.send(bits, data)
            await link.settle()
            assert plain(link.take()) == wanted(bits, data)


@cocotb.test()
async def latency(dut):
    """From the header's offer to its arrival: its words and one constant, whatever the lanes."""
    link = Link(dut, rng("latency"))
    await link.start(delays=[20] * 4)
    await link.up()
    constants = []
    for size in range(3):
        for _ in range(6):
            await cycles(dut.a_clk_i, 7)
            link.take()
            dut.s_header_i.value = header(DONE, size=size)
            dut.s_valid_i.value = 1
            count = 0
            while not link.events:
                await RisingEdge(dut.a_clk_i)
                count += 1
                if dut.s_ready_o.value == 1:
                    dut.s_valid_i.value = 0
            words = 1 + (4 >> size)
            constants.append(count - words)
            await link.settle()
    # A COM that is due moves a packet by a word at most; the crossing takes two or three clocks.
    # In 64b/66b, when it comes in its block and in the 33 cycles of eight blocks matters as well.
    assert max(constants) - min(constants) <= (7 if coding() else 2), constants
    print("latency beside the header's words:", sorted(set(constants)))


@cocotb.test()
async def share_of_the_line(dut):
    """4 KB over one lane in 64b/66b: what of the raw bits is data, with and without CRC."""
    random = rng("share")
    link = Link(dut, random)
    await link.start()
    await link.up()
    for crc_mode, least in ((0, 0.9667), (1, 0.9656)):
        words, turns = [], 80  # whether a packet's, of the words that are taken
        bits = header(DATA, read=1, size=0, beats=512, crc_mode=crc_mode)
        data = random.randbytes(4096)
        cocotb.start_soon(link.send(bits, data))
        for _ in range(33 * turns):
            await RisingEdge(dut.a_clk_i)
            if dut.tx_ready_o.value == 1:
                words.append(dut.tx_idle_o.value == 0)
        assert len(words) == 32 * turns
        part = 8 * 4096 / (16 * sum(words)) * 32 / 33
        print(f"4096 bytes over one lane, CRC {crc_mode}: {part:.4f} of the raw bits")
        assert part >= least
        await link.settle()
        assert plain(link.take()) == wanted(bits, data)


@cocotb.test()
async def every_wrong_bit(dut):
    """Each raw bit around a packet of one lane turned over, CRC on: never other data said to be good, and the next packet arrives."""
    random = rng("every")
    link = Link(dut, random)
    await link.start(delays=[20] * 4)
    await link.up()
    bits = header(DATA, read=1, size=0, beats=1)
    # From the word that leaves when the packet is offered to the second block behind it.
    first, last = 4, len(packet(bits, bytes(8))) + 18

    async def flip(word, bit):
        await cycles(dut.a_clk_i, word)
        dut.flip_i.value = 1 << bit
        await RisingEdge(dut.a_clk_i)
        dut.flip_i.value = 0

    for at in range(first * word_bits(), last * word_bits()):
        data = random.randbytes(8)

        cocotb.start_soon(flip(*divmod(at, word_bits())))
        await link.send(bits, data)
        await link.settle()
        events = link.take()
        assert usable(events) in ([], beats_of(data)), at
        await link.send(header(DONE), b"")
        await link.settle()
        assert plain(link.take())[-2:] == wanted(header(DONE), b"")


BOTH = [
    "slower",
    "faster",
    "fewer_lanes",
    "flipped_bits",
    "line_goes_and_comes",
    "skew_at_the_limit",
]
ONE = [["commas_come", "long_packets_leave_a_gap"], ["share_of_the_line", "every_wrong_bit"]]


# Where a cycle more in the crossing counts, the synchronisers do not jitter.
@pytest.mark.parametrize("exact", [0, 1])
@pytest.mark.parametrize("code", [0, 1])
def test_slink_link(code, exact):
    build_and_run(
        "slink_link_bench",
        [
            *rtl("prim", "line", "slink"),
            pathlib.Path(__file__).with_name("slink_link_bench.sv"),
        ],
        test_module=__name__,
        testcase=["latency"] if exact else BOTH + ONE[code],
        env={"CODING": str(code)},
        sync_jitter=not exact,
    )
