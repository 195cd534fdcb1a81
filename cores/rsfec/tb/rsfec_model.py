# SPDX-License-Identifier: Apache-2.0
"""Reed-Solomon codes as polynomial division, symbol by symbol: what a codeword is, and nothing of how to correct one.

Symbols are integers, bit i the coefficient of x^i; the first of a list is first on the line.
"""

import functools


class Code:
    """RS(n, k) over GF(2^width), roots x^0 to x^(n-k-1), shortened."""

    def __init__(self, n, k, width=10, poly=9):
        self.n, self.k, self.width, self.poly = n, k, width, poly
        self.parity, self.t = n - k, (n - k) // 2
        generator, root = [1], 1  # the highest power first
        for _ in range(self.parity):
            moved = [*generator, 0]
            for i, coefficient in enumerate(generator):
                moved[i + 1] ^= self.mul(coefficient, root)
            generator, root = moved, self.mul(root, 2)
        self.generator = generator[1:]
        # By what leaves the register: what it leaves behind, as one number.
        self.rows = [
            self.pack([self.mul(g, top) for g in self.generator]) for top in range(1 << width)
        ]

    def mul(self, a, b):
        """Bit by bit."""
        product = 0
        while b:
            if b & 1:
                product ^= a
            a <<= 1
            if a >> self.width:
                a ^= 1 << self.width | self.poly
            b >>= 1
        return product

    def pack(self, symbols):
        """The first one on top."""
        return functools.reduce(lambda number, symbol: number << self.width | symbol, symbols, 0)

    def unpack(self, number, count):
        mask = (1 << self.width) - 1
        return [number >> self.width * i & mask for i in reversed(range(count))]

    def remainder(self, message):
        """Of message * x^parity."""
        top, mask = self.width * (self.parity - 1), (1 << self.width * self.parity) - 1
        register = 0
        for symbol in message:
            register = (register << self.width & mask) ^ self.rows[register >> top ^ symbol]
        return self.unpack(register, self.parity)

    def encode(self, message):
        return [*message, *self.remainder(message)]

    def is_codeword(self, symbols):
        return self.remainder(symbols[: self.k]) == symbols[self.k :]


def words(symbols, size, width):
    """Words of the line: symbol 0 in the low bits."""
    return [
        sum(symbol << width * i for i, symbol in enumerate(symbols[at : at + size]))
        for at in range(0, len(symbols), size)
    ]


def symbols(words, size, width):
    """The reverse of words."""
    mask = (1 << width) - 1
    return [word >> width * i & mask for word in words for i in range(size)]
