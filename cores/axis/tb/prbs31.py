# SPDX-License-Identifier: Apache-2.0
"""PRBS-31 bit by bit: the reference for the parallel RTL. Shares no trick with it."""

START = 0x5555_5555


class Prbs31:
    """b[n] = b[n-31] ^ b[n-28]; `seed` bit 0 is the oldest of the 31 bits before the first one."""

    def __init__(self, seed):
        self.history = [seed >> i & 1 for i in range(31)]
        if not any(self.history):
            self.history = [START >> i & 1 for i in range(31)]

    def bit(self):
        new = self.history[0] ^ self.history[3]
        self.history = self.history[1:] + [new]
        return new

    def integer(self, bits):
        return sum(self.bit() << i for i in range(bits))

    def bytes(self, count):
        return bytes(self.integer(8) for _ in range(count))


class Lengths:
    """Packet lengths of axis_prbs_source."""

    def __init__(self, seed):
        self.prbs = Prbs31(~seed & 0x7FFF_FFFF)
        # Packet 0 takes the newest 16 of the starting bits, every further packet 16 new ones.
        self.next = sum(bit << i for i, bit in enumerate(self.prbs.history[15:]))

    def draw(self, low, high):
        span = max(high - low, 0) + 1
        length = low + (self.next * span >> 16)
        self.next = self.prbs.integer(16)
        return length
