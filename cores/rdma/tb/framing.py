# SPDX-License-Identifier: Apache-2.0
"""Packets in words of the network, in both framings: what rdma_spread and rdma_pack do, and rdma_gather and rdma_unpack undo."""

from packets import LANE, PACKED

LANES = 4


class Splitter:
    """Packets of the words that a unit sends; the words are exactly as they have to be."""

    def __init__(self, packed):
        self.packed = packed
        self.open = []  # what is there of a packet
        self.wanted = 0

    def push(self, word, last):
        """The packets that end in this word, and how many begin in it."""
        if not self.packed:
            begun = not self.open
            self.open.append(word)
            return [self.take()] if last else [], int(begun)
        ended, begun = [], 0
        for at in range(LANES):
            lane = word >> 128 * at & (1 << 128) - 1
            if not self.open:
                length = lane >> 112
                if not length & PACKED:
                    assert at > 0 and last and word >> 128 * at == 0, "no header, and no end"
                    return ended, begun
                begun += 1
                self.wanted = 2 + -(-(length & 0x7FF) // LANE)
            self.open.append(lane)
            if len(self.open) == self.wanted:
                ended.append(self.take())
        assert bool(last) == (not self.open), "TLAST is where the last packet ends with the word"
        return ended, begun

    def take(self):
        packet, self.open = self.open, []
        return packet


class Joiner:
    """Words of the packets that a unit is to get. Their parts wait in `parts`, with a mark on the last one of each packet: 2 if nothing is put
    behind it in its word."""

    def __init__(self, packed):
        self.packed = packed
        self.parts = []

    def put(self, packet, alone=False):
        """A packet: its words, or its lanes."""
        self.parts += [(part, (i == len(packet) - 1) << alone) for i, part in enumerate(packet)]

    def word(self, alone=False):
        """The next word, whether it is a last one, and how many parts it takes. `alone`: nothing is put behind a packet that ends in it."""
        if not self.packed:
            return self.parts[0][0], self.parts[0][1] > 0, 1
        word = 0
        for at, (lane, ends) in enumerate(self.parts[:LANES]):
            word |= lane << 128 * at
            if ends and (alone or ends == 2 or at + 1 in (LANES, len(self.parts))):
                return word, True, at + 1
        return word, False, LANES
