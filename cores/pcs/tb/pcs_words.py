# SPDX-License-Identifier: Apache-2.0
"""Slots, words and frames of CGMII for the tests of this folder."""

IDLE = (0xFF, 0x0707070707070707)
ERROR = (0xFF, 0xFEFEFEFEFEFEFEFE)
LOCAL_FAULT = (0x01, 0x0100009C)


def word(slots):
    """Characters and control bits of a word."""
    data = sum(characters << 64 * b for b, (_, characters) in enumerate(slots))
    return data, sum(control << 8 * b for b, (control, _) in enumerate(slots))


def slots(data, ctrl, count):
    return [(ctrl >> 8 * b & 0xFF, data >> 64 * b & 0xFFFFFFFFFFFFFFFF) for b in range(count)]


def traffic(random):
    """Frames and gaps without end."""
    while True:
        yield 0x01, random.getrandbits(56) << 8 | 0xFB
        for _ in range(random.randrange(8)):
            yield 0, random.getrandbits(64)
        end = random.randrange(8)
        rest = int.from_bytes(bytes([0xFD, *[7] * (7 - end)]), "little") << 8 * end
        yield 0xFF << end & 0xFF, rest | random.getrandbits(8 * end) if end else rest
        for _ in range(random.choice((0, 0, 1, 2))):
            yield IDLE


class Blocks:
    """Raw words of a lane become blocks, cut where the first word begins."""

    def __init__(self):
        self.bits, self.count, self.blocks = 0, 0, []

    def word(self, raw):
        self.bits |= raw << self.count
        self.count += 16
        if self.count >= 66:
            self.blocks.append(self.bits & ((1 << 66) - 1))
            self.bits >>= 66
            self.count -= 66
