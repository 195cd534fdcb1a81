# SPDX-License-Identifier: Apache-2.0
"""Headers and packets as README.md describes them. A character is its byte, with bit 8 for control characters."""

from tb_common import ROOT

LANES, SYMBOLS = 4, 2
IDL, HLD, COM, PAD, STP, END = 0x17C, 0x15C, 0x1BC, 0x1F7, 0x1FB, 0x1FD
REQUEST, DATA, DONE, NOTICE = range(4)
BLOCK = 2048


def crc(data, width, polynomial):
    """From all ones, most significant bit first."""
    register, top = (1 << width) - 1, 1 << width - 1
    for byte in data:
        register ^= byte << width - 8
        for _ in range(8):
            register = (register << 1 ^ (polynomial if register & top else 0)) & (2 * top - 1)
    return register


def header(kind, *, read=0, crc_mode=1, size=0, beats=1, number=0, address=0):
    """The 64 bits; address: bits 31:3 of it, or what a notice says, in place."""
    low = read | number >> 3 << 1 | kind << 2 | crc_mode << 4 | size << 5 | beats % 65536 << 8
    bits = low | ((address & ~7) | number & 7) << 32
    data = bits.to_bytes(8, "little")
    return bits | crc(data[:3] + data[4:], 8, 0x07) << 24


def has_data(bits):
    kind = bits >> 2 & 3
    return kind == DATA or (kind == REQUEST and not bits & 1)


def characters(bits, data, coding=0):
    """A packet in the order of sending, to the end of its last word; coding 1: for 64b/66b."""
    lanes = 1 << (bits >> 5 & 7)
    piece = lanes * SYMBOLS
    line = [IDL] * lanes + [STP] * lanes
    covered = bits.to_bytes(8, "little")
    line += covered
    for at in range(0, len(data), BLOCK):
        block = data[at : at + BLOCK]
        line += [PAD] * (-len(line) % piece)
        line += block
        if bits >> 4 & 1:
            line += crc(covered + block, 16, 0x1021).to_bytes(2, "big")
            if coding:
                line += bytes(-len(line) % piece)
        covered = b""
    line.append(END)
    return line + [PAD] * (-len(line) % piece)


def deal(line, lanes):
    """Words of all lanes, those that are not in use idle."""
    words = []
    for at in range(0, len(line), lanes * SYMBOLS):
        word = [[IDL] * SYMBOLS for _ in range(LANES)]
        for i, character in enumerate(line[at : at + lanes * SYMBOLS]):
            word[i % lanes][i // lanes] = character
        words.append(word)
    return words


def packet(bits, data=b"", coding=0):
    """Words of a packet."""
    return deal(characters(bits, data, coding), 1 << (bits >> 5 & 7))


def pack(word, width=9):
    return sum(c << width * i for i, c in enumerate(c for lane in word for c in lane))


def unpack(value):
    flat = [value >> 9 * i & 511 for i in range(LANES * SYMBOLS)]
    return [flat[SYMBOLS * lane : SYMBOLS * (lane + 1)] for lane in range(LANES)]


def vectors():
    """(header, data, words) of each packet in the vectors of crates/wire."""
    text = (ROOT / "crates" / "wire" / "vectors" / "slink" / "packets.txt").read_text()
    for row in text.splitlines():
        if row.startswith("#"):
            continue
        lanes, bits, sent = row.split()
        line, at = [], 0
        while at < len(sent):
            control = sent[at] == "K"
            at += control
            line.append(int(sent[at : at + 2], 16) | control << 8)
            at += 2
        bits = int(bits, 16)
        count = 8 * ((bits >> 8 & 0xFFFF) or 65536) if has_data(bits) else 0
        data = bytes((7 * i + i // 256) % 256 for i in range(count))
        yield bits, data, deal(line, int(lanes))


def some_packets(random, count, beats=12):
    """Random (header, data) of every kind."""
    for _ in range(count):
        kind = random.choice([REQUEST, REQUEST, DATA, DATA, DONE, NOTICE])
        bits = header(
            kind,
            read=random.randrange(2),
            crc_mode=random.randrange(2),
            size=random.randrange(3),
            beats=random.randrange(1, beats),
            number=random.randrange(16),
            address=random.getrandbits(32),
        )
        length = 8 * (bits >> 8 & 0xFFFF) if has_data(bits) else 0
        yield bits, random.randbytes(length)


def lanes_of(bits):
    return 1 << (bits >> 5 & 7)


def beats_of(data):
    return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]


# Bits of an rx_t, from bit 0 on; the beat or header is above them.
TOLD = ("hold", "known", "damaged", "clean", "ends", "good", "data", "header")


class Events:
    """Keeps what a slink_rx tells: look() behind each clock edge."""

    def __init__(self, dut):
        self.dut, self.events = dut, []
        self.inside = False  # of a packet, behind the last event taken

    def look(self):
        events = self.events
        told = int(self.dut.rx_o.value)  # an rx_t
        data = told >> len(TOLD)
        told = {name: told >> at & 1 for at, name in enumerate(TOLD)}
        if told["header"]:
            events.append(("header", data))
        if told["data"]:
            events.append(("data", data))
        if told["good"]:
            events.append(("good",))
        if told["ends"]:
            events.append(("end", told["clean"]))
        if told["damaged"]:
            events.append(("damaged", told["known"]))

    def take(self):
        """The events so far, in their grammar: a packet is ended once, and outside of packets nothing is told."""
        events, self.events = self.events, []
        inside = self.inside
        for event in events:
            match event[0]:
                case "header":
                    assert not inside
                    inside = True
                case "data" | "good":
                    assert inside
                case "end":
                    assert inside
                    inside = False
                case "damaged":
                    assert inside == event[1]
                    inside = False
        self.inside = inside
        return events


def wanted(bits, data):
    """What a good packet tells, without where the blocks end."""
    return [("header", bits), *(("data", beat) for beat in beats_of(data)), ("end", 1)]


def plain(events):
    return [event for event in events if event[0] != "good"]


def usable(events):
    """The beats that were found good."""
    good = []
    waiting = []
    for event in events:
        if event[0] == "data":
            waiting.append(event[1])
        elif event[0] == "good":
            good += waiting
        if event[0] != "data":
            waiting = []
    return good
