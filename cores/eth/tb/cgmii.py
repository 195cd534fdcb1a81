# SPDX-License-Identifier: Apache-2.0
"""Frames on a 100 Gb/s media-independent interface, byte by byte, from the text of IEEE 802.3.

A line is a list of characters (byte, control). Nothing here knows words or beats: the rules are those
of clause 81 for a stream of bytes of which every eighth is a lane 0.
"""

import zlib

IDLE, START, TERMINATE, ERROR, SEQUENCE = 0x07, 0xFB, 0xFD, 0xFE, 0x9C
PREAMBLE = [0x55] * 6 + [0xD5]
LOCAL, REMOTE = 1, 2


def fcs(data):
    """The four bytes behind the data, first on the line first."""
    return zlib.crc32(data).to_bytes(4, "little")


def padded(data):
    """What a transmitter makes of a short packet."""
    return data + bytes(max(0, 60 - len(data)))


def frame(data, check=None):
    """Characters of a frame with these bytes (no padding) up to the terminate character."""
    body = data + (fcs(data) if check is None else check)
    return [(START, 1), *((b, 0) for b in PREAMBLE), *((b, 0) for b in body), (TERMINATE, 1)]


def idle(count):
    return [(IDLE, 1)] * count


def ordered_set(kind):
    return [(SEQUENCE, 1)] + [(b, 0) for b in (0, 0, kind, 0, 0, 0, 0)]


def words(line, size):
    """Cut into words of `size` bytes: (data, control), filled up with idle."""
    line = line + idle(-len(line) % size)
    cut = []
    for at in range(0, len(line), size):
        part = line[at : at + size]
        data = int.from_bytes(bytes(b for b, _ in part), "little")
        cut.append((data, sum(c << i for i, (_, c) in enumerate(part))))
    return cut


def characters(words, size):
    """The other way round."""
    line = []
    for data, control in words:
        line += [(data >> 8 * i & 255, control >> i & 1) for i in range(size)]
    return line


class Frame:
    """A frame found on a line: `start` and `end` are places of its first and last control character."""

    def __init__(self, start):
        self.start, self.end = start, None
        self.body = b""
        self.marked = False  # an error character was in it

    @property
    def data(self):
        return self.body[:-4]

    @property
    def good(self):
        return not self.marked and fcs(self.body[:-4]) == self.body[-4:]


def decode(line, least_gap=5):
    """Frames on a transmitted line and its ordered sets, with every rule checked.

    Returns (frames, [(place, kind)]). A frame that is open at the end of the line is left out.
    """
    frames, sets = [], []
    at, quiet = 0, least_gap
    while at < len(line):
        byte, control = line[at]
        if (byte, control) == (START, 1):
            assert at % 8 == 0, f"start in lane {at % 8}"
            assert quiet >= least_gap, f"gap of {quiet} bytes before {at}"
            found = Frame(at)
            if line[at + 1 : at + 8] != [(b, 0) for b in PREAMBLE]:
                assert at + 8 > len(line), f"preamble at {at}"
                break
            at += 8
            body = bytearray()
            while at < len(line) and line[at] != (TERMINATE, 1):
                byte, control = line[at]
                assert not control or byte == ERROR, f"{byte:#x} in a frame at {at}"
                found.marked |= bool(control)
                body.append(byte)
                at += 1
            if at == len(line):
                break
            found.body, found.end = bytes(body), at
            assert len(body) >= 64, f"{len(body)} bytes at {found.start}"
            frames.append(found)
            quiet = 1
        elif (byte, control) == (SEQUENCE, 1):
            assert at % 8 == 0, f"sequence in lane {at % 8}"
            kind = line[at + 3][0]
            assert line[at : at + 8] == ordered_set(kind), f"ordered set at {at}"
            sets.append((at, kind))
            at += 7
            quiet += 8
        else:
            assert (byte, control) == (IDLE, 1), f"({byte:#x}, {control}) at {at}"
            quiet += 1
        at += 1
    return frames, sets
