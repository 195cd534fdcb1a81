# SPDX-License-Identifier: Apache-2.0
"""Packed arrays as vectors of elements."""


def field(signal, index, width):
    """Element `index` of a packed array of `width` bits per element."""
    return int(signal.value) >> index * width & (1 << width) - 1


class Packed:
    """A packed array that is written element by element."""

    def __init__(self, signal, width):
        self.signal, self.width, self.now = signal, width, 0
        signal.value = 0

    def set(self, index, value):
        mask = (1 << self.width) - 1
        self.now = self.now & ~(mask << index * self.width) | (value & mask) << index * self.width
        self.signal.value = self.now
