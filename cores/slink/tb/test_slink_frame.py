# SPDX-License-Identifier: Apache-2.0
"""slink_tx and slink_rx: packets to the words of the lanes and back, and everything that may happen to them on the way."""

import os

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from slink_model import (
    BLOCK,
    COM,
    DATA,
    DONE,
    END,
    HLD,
    IDL,
    LANES,
    PAD,
    REQUEST,
    STP,
    SYMBOLS,
    Events,
    beats_of,
    characters,
    crc,
    deal,
    has_data,
    header,
    lanes_of,
    pack,
    packet,
    plain,
    some_packets,
    unpack,
    usable,
    vectors,
    wanted,
)
from tb_common import Source, build_and_run, cycles, reset, rng, rtl, start_clock

IDLE = [[IDL] * SYMBOLS for _ in range(LANES)]
ASKS = [[HLD] * SYMBOLS for _ in range(LANES)]
ERROR = 0x200


def coding():
    """Of the line: 1 is 64b/66b."""
    return int(os.environ["CODING"])


def padding(word, lanes):
    return all(c == PAD for lane in word[:lanes] for c in lane)


def long_packets():
    """The begin of packets that have many beats, one for each bit of their count."""
    for bit in range(9, 16):
        beats = (1 << bit) + 2
        bits, data = header(REQUEST, beats=beats, number=5), bytes(8 * beats)
        yield bits, data, packet(bits, data, coding())[:200]


def some_word(random, kinds):
    return [random.choices(kinds, k=SYMBOLS) for _ in range(LANES)]


# ---- slink_tx
# -------------------------------------------------------------------------------------


class Transmitter:
    """Sends packets and keeps the words that come out."""

    def __init__(self, dut, random):
        self.dut, self.words = dut, []
        self.data = Source(dut.clk_i, dut.d_valid_i, dut.d_ready_o, dut.d_data_i, random, rate=1.0)
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            word = unpack(int(self.dut.m_data_o.value))
            if self.dut.m_ready_i.value == 0:
                continue
            if self.dut.m_idle_o.value == 1:
                assert word == IDLE
                self.words.append(None)
            else:
                self.words.append(word)

    async def send(self, bits, data):
        self.data.send(beats_of(data))
        # What stands in the place of the code does not matter.
        self.dut.s_header_i.value = bits ^ 0xA5 << 24
        self.dut.s_valid_i.value = 1
        while True:
            await RisingEdge(self.dut.clk_i)
            if self.dut.s_ready_o.value == 1:
                break
        self.dut.s_valid_i.value = 0


async def transmitter(dut, random):
    dut.s_valid_i.value = dut.hold_i.value = dut.ask_i.value = dut.spoil_i.value = 0
    dut.s_header_i.value = 0
    dut.m_ready_i.value, dut.coding_i.value = 1, coding()
    start_clock(dut.clk_i, 1000)
    await reset(dut.clk_i, dut.rst_i)
    await cycles(dut.clk_i, 2)
    return Transmitter(dut, random)


@cocotb.test()
async def sends_the_vectors(dut):
    """Every word as the model has it, none more."""
    tx = await transmitter(dut, rng("vectors"))
    for bits, data, words in vectors():
        # The first beat is there before it is needed.
        tx.data.send(beats_of(data))
        tx.words.clear()
        await tx.send(bits, b"")
        await cycles(dut.clk_i, 3)
        sent = [word for word in tx.words if word is not None]
        assert sent == words, f"{bits:016x}"


@cocotb.test()
async def spoils(dut):
    """Data that are no good: END stands one place too late."""
    random = rng("spoil")
    tx = await transmitter(dut, random)
    dut.spoil_i.value = 1
    for bits, data in some_packets(random, 40):
        line = characters(bits, data, coding())
        at = max(at for at, character in enumerate(line) if character == END)
        line[at : at + 2] = [IDL, END]
        tx.data.send(beats_of(data))
        tx.words.clear()
        await tx.send(bits, b"")
        await cycles(dut.clk_i, 3)
        words = [word for word in tx.words if word is not None]
        assert words == deal(line, lanes_of(bits)), f"{bits:016x}"


@cocotb.test()
async def sends_what_comes_late(dut):
    """Data that come late, packets without a gap, holds, which move whole packets only, HLD in any word; in 64b/66b, words that are not taken."""
    random = rng("late")
    tx = await transmitter(dut, random)

    asked, stop = 0, False

    async def holds():
        nonlocal asked
        while not stop:
            dut.hold_i.value = random.random() < 0.3
            ask, ready = random.random() < 0.1, not coding() or random.random() < 0.9
            dut.ask_i.value, dut.m_ready_i.value = ask, ready
            await RisingEdge(dut.clk_i)
            asked += ask and ready
        dut.hold_i.value = dut.ask_i.value = 0
        dut.m_ready_i.value = 1

    holding = cocotb.start_soon(holds())
    sent = list(some_packets(random, 60, beats=20))
    for bits, data in sent:
        tx.data.rate = random.choice([0.1, 0.5, 1.0])
        await tx.send(bits, data)
        await cycles(dut.clk_i, random.choice([0, 0, 1, 5]))
    stop = True
    await holding
    await cycles(dut.clk_i, 3)
    assert asked == tx.words.count(ASKS)
    words = iter([word for word in tx.words if word != ASKS])
    for bits, data in sent:
        lanes, begun = lanes_of(bits), False
        for want in packet(bits, data, coding()):
            if padding(want, lanes):
                continue
            word = next(words)
            while (word is None and not begun) or (word and padding(word, lanes)):
                word = next(words)
            assert word == want, f"{bits:016x}"
            begun = True
    assert set(words) <= {None}


@cocotb.test()
async def goes_on_with_a_long_packet(dut):
    """However many beats are to come, the packet does not end before."""
    for bits, data, words in long_packets():
        tx = await transmitter(dut, rng("long"))
        tx.data.send(beats_of(data[: 8 * 400]))
        dut.s_header_i.value, dut.s_valid_i.value = bits, 1
        await cycles(dut.clk_i, len(words) + 10)
        sent = [word for word in tx.words if word is not None]
        assert sent[: len(words)] == words, f"{bits:016x}"


# ---- slink_rx
# -------------------------------------------------------------------------------------


class Receiver(Events):
    """Feeds words and keeps what is told."""

    async def word(self, word):
        """A word, or none."""
        self.dut.s_valid_i.value = word is not None
        if word is not None:
            self.dut.s_data_i.value = pack(word, 10)
        await RisingEdge(self.dut.clk_i)
        self.look()

    async def feed(self, words):
        for word in words:
            await self.word(word)
        await self.word(None)
        await self.word(None)


async def receiver(dut):
    dut.s_valid_i.value, dut.coding_i.value = 0, coding()
    start_clock(dut.clk_i, 1000)
    await reset(dut.clk_i, dut.rst_i)
    return Receiver(dut)


@cocotb.test()
async def takes_the_vectors(dut):
    """Every packet of the model; between two of them anything but an STP."""
    random = rng("vectors")
    rx = await receiver(dut)
    for bits, data, words in vectors():
        await rx.feed(words)
        events = rx.take()
        assert plain(events) == wanted(bits, data), f"{bits:016x}"
        assert usable(events) == beats_of(data)
        if bits >> 4 & 1:
            # A block at a time.
            assert events.count(("good",)) == -(-len(data) // 2048)
        kinds = [IDL, COM, PAD, END, 7, ERROR | 9]
        await rx.feed([some_word(random, kinds) for _ in range(random.randrange(4))])
        assert rx.take() == []


@cocotb.test()
async def takes_it_with_gaps(dut):
    """Words that come late, PAD or HLD between words, packets one behind the other, idle words."""
    random = rng("gaps")
    rx = await receiver(dut)
    for bits, data in some_packets(random, 120, beats=20):
        lanes = lanes_of(bits)
        pads = [[[PAD] * SYMBOLS] * lanes + [[random.getrandbits(10)] * SYMBOLS] * (LANES - lanes)]
        rate = random.choice([0, 0.3])
        for at, word in enumerate(packet(bits, data, coding())):
            while random.random() < rate:
                await rx.word(
                    random.choice([None, ASKS, pads[0]]) if at else random.choice([None, ASKS])
                )
            # The lanes that are not in use may do what they like within a packet.
            if at:
                for lane in range(lanes, LANES):
                    word[lane] = [random.getrandbits(10), random.choice([7, IDL, END, PAD])]
            await rx.word(word)
        if random.random() < 0.5:
            await rx.feed([IDLE] * random.randrange(3))
            events = rx.take()
            assert plain(events) == wanted(bits, data)
            assert usable(events) == beats_of(data)
        else:
            await rx.word(None)
            await rx.word(None)
            assert plain(rx.take()) == wanted(bits, data)


@cocotb.test()
async def waits_for_the_end_of_a_long_packet(dut):
    """However many beats are to come, data are taken and nothing ends."""
    for bits, data, words in long_packets():
        rx = await receiver(dut)
        await rx.feed(words)
        found = plain(rx.events)
        assert len(found) > 40 and found == wanted(bits, data)[: len(found)], f"{bits:016x}"


@cocotb.test()
async def every_damage_is_told(dut):
    """Each character of a packet made impossible, another one or a control character; words lost, doubled and put in."""
    random = rng("damage")
    rx = await receiver(dut)
    for size in range(3):
        lanes = 1 << size
        # Always the same: an STP put into it begins a packet, whose header must not be good by
        # chance.
        data = bytes(range(1, 25))
        bits = header(REQUEST, size=size, beats=3, number=9, address=0x1000)
        next_bits = header(DATA, read=1, size=random.randrange(3), beats=1, number=3)
        after = packet(next_bits, data[:8])
        line = characters(bits, data)
        good = packet(bits, data)

        async def turn(
            words, harmless, note, bits=bits, data=data, next_bits=next_bits, after=after
        ):
            await rx.feed([*words, *after])
            events = rx.take()
            tail = wanted(next_bits, data[:8])
            assert plain(events)[-len(tail) :] == tail, note
            first = plain(events)[: -len(tail)]
            if first and first[-1][0] == "end":
                assert harmless and first == wanted(bits, data), note
            else:
                assert first == [] or first[-1][0] == "damaged", note
                assert usable(events)[:-1] in ([], beats_of(data)), note

        for at, word in enumerate(good):
            for lane in range(lanes):
                for symbol in range(SYMBOLS):
                    was = word[lane][symbol]
                    flipped = was ^ random.randrange(1, 256) if was < 256 else random.getrandbits(8)
                    for put in (was | ERROR, flipped, STP, END, PAD, IDL, COM, HLD):
                        if put == was:
                            continue
                        changed = [[list(pair) for pair in w] for w in good]
                        changed[at][lane][symbol] = put
                        # The idle character in front, and padding behind END, mean nothing.
                        place = (at * SYMBOLS + symbol) * lanes + lane
                        harmless = place < lanes or place > line.index(END)
                        await turn(changed, harmless, (size, at, lane, symbol, put))
        for at in range(len(good)):
            await turn(good[:at] + good[at + 1 :], False, (size, "lost", at))
            if at:
                await turn([*good[:at], IDLE, *good[at:]], False, (size, "idle", at))
                twice = good[: at + 1] + good[at:]
                await turn(twice, at == len(good) - 1, (size, "twice", at))
            await turn(good[:at], False, (size, "cut", at))


@cocotb.test()
async def a_wrong_header_is_told_at_once(dut):
    """Not with the next packet: that may be long in coming."""
    rx = await receiver(dut)
    for size in range(3):
        lanes = 1 << size
        good = packet(header(REQUEST, size=size, beats=3, number=9, address=0x1000), bytes(24))
        words = good[: 1 + 8 // (SYMBOLS * lanes)]
        for place in range(SYMBOLS * lanes, SYMBOLS * lanes + 8):
            changed = [[list(pair) for pair in word] for word in words]
            at, rest = divmod(place, SYMBOLS * lanes)
            changed[at][rest % lanes][rest // lanes] ^= 1
            await rx.feed(changed)
            assert [event[0] for event in plain(rx.take())] == ["damaged"], (size, place)
            await rx.feed([IDLE] * 2)
            rx.take()


@cocotb.test()
async def two_bits_a_period_apart(dut):
    """Two wrong bits that one code of the whole packet would miss: its blocks have codes of their own, and both are known to be damaged."""
    random = rng("period")
    rx = await receiver(dut)
    period = 32767  # bits: the order of x modulo the polynomial
    for size in range(3):
        lanes = 1 << size
        data = random.randbytes(3 * BLOCK)
        bits = header(DATA, read=1, size=size, beats=len(data) // 8)
        first = random.randrange(8 * len(data) - period)
        wrong = bytearray(data)
        for at in (first, first + period):
            wrong[at // 8] ^= 0x80 >> at % 8
        covered = bits.to_bytes(8, "little")
        assert crc(covered + data, 16, 0x1021) == crc(covered + wrong, 16, 0x1021)
        line = characters(bits, data)
        for at in (first, first + period):
            # A word of each lane in front of the header; codes stand in words of their own.
            byte = at // 8
            line[2 * lanes + 8 + byte + byte // BLOCK * 2 * lanes] ^= 0x80 >> at % 8
        await rx.feed(deal(line, lanes))
        events = rx.take()
        assert events[0] == ("header", bits) and events[-1] == ("damaged", 1)
        good = usable(events)
        assert good == beats_of(data)[: len(good)] and len(good) == first // 8 // BLOCK * BLOCK // 8


@cocotb.test()
async def without_crc(dut):
    """An impossible symbol among the data is known but passes; anywhere else it ends the packet."""
    random = rng("plain")
    rx = await receiver(dut)
    for size in range(3):
        bits = header(DATA, read=1, crc_mode=0, size=size, beats=2)
        data = random.randbytes(16)
        good = packet(bits, data)
        header_words = 4 >> size
        for at in range(1, len(good)):
            for lane in range(1 << size):
                changed = [[list(pair) for pair in w] for w in good]
                changed[at][lane][0] |= ERROR
                await rx.feed(changed)
                if at == len(good) - 1 and lane == 0:
                    # A lost END is known at the latest when the next packet starts.
                    await rx.feed(packet(header(DONE)))
                    events = rx.take()[:-2]
                else:
                    events = rx.take()
                if at <= header_words:
                    assert events == [("damaged", 0)]
                elif at < len(good) - 1:
                    assert plain(events) == wanted(bits, data)[:-1] + [("end", 0)]
                    assert usable(events) == beats_of(data)
                elif lane == 0:
                    assert events[-1] == ("damaged", 1)


@cocotb.test()
async def other_lanes_than_its_header_says(dut):
    """STP and header have to agree, and a wrong code is no header."""
    rx = await receiver(dut)
    for size in range(3):
        for other in range(8):
            bits = header(DONE, size=other)
            words = packet(header(DONE, size=size))
            line = characters(header(DONE, size=size), b"")
            start = 2 << size
            line[start : start + 8] = bits.to_bytes(8, "little")
            assert len(deal(line, 1 << size)) == len(words)
            await rx.feed(deal(line, 1 << size))
            want = wanted(bits, b"") if other == size else [("damaged", 0)]
            assert rx.take() == want


@cocotb.test()
async def noise(dut):
    """Anything: it is told in order, and the packet behind it arrives."""
    random = rng("noise")
    rx = await receiver(dut)
    for _ in range(40):
        for _ in range(40):
            if random.random() < 0.1:
                words = packet(*next(some_packets(random, 1)))
                for word in words[: random.randrange(len(words))]:
                    await rx.word(word)
            kind = random.choice([[PAD, 5], [END, 5, STP], [IDL, STP, ERROR | 3, 8, 9, END, PAD]])
            await rx.word(some_word(random, kind))
        bits, data = next(some_packets(random, 1))
        await rx.feed(packet(bits, data))
        tail = wanted(bits, data)
        assert plain(rx.take())[-len(tail) :] == tail
        assert has_data(bits) or not data


@pytest.mark.parametrize("code", [0, 1])
def test_slink_tx(code):
    build_and_run(
        "slink_tx",
        rtl("prim", "line", "slink"),
        test_module=__name__,
        testcase=[
            "sends_the_vectors",
            "goes_on_with_a_long_packet",
            "spoils",
            "sends_what_comes_late",
        ][2 * code :],
        env={"CODING": str(code)},
    )


@pytest.mark.parametrize("code", [0, 1])
def test_slink_rx(code):
    build_and_run(
        "slink_rx",
        rtl("prim", "line", "slink"),
        test_module=__name__,
        testcase=["takes_it_with_gaps"]
        if code
        else [
            "takes_the_vectors",
            "takes_it_with_gaps",
            "waits_for_the_end_of_a_long_packet",
            "every_damage_is_told",
            "a_wrong_header_is_told_at_once",
            "two_bits_a_period_apart",
            "without_crc",
            "other_lanes_than_its_header_says",
            "noise",
        ],
        env={"CODING": str(code)},
    )


def test_vectors():
    """The model in crates/wire sends as these tests do."""
    rows = list(vectors())
    assert {lanes_of(bits) for bits, _, _ in rows} == {1, 2, 4}
    for bits, data, words in rows:
        assert packet(bits, data) == words
