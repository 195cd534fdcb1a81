# SPDX-License-Identifier: Apache-2.0
"""Reference models of the line library, written from the module headers, not from the RTL.

A stream of bits is a list of 0/1 in time order. A word or a step is an integer.
Scramblers: the MSB of a step is first in time. Raw lane words: bit 0 is first in time.
"""


def to_bits(value, width):
    """A step as bits in time order, MSB first."""
    return [value >> i & 1 for i in range(width - 1, -1, -1)]


def from_bits(bits):
    """The reverse of to_bits."""
    value = 0
    for bit in bits:
        value = value << 1 | bit
    return value


def scramble_bits(history, data, order, tap):
    """One bit after the other: out(t) = in(t) ^ out(t - tap) ^ out(t - order).

    history: at least `order` line bits sent before, in time order. Returns the line bits.
    """
    line = list(history)
    for bit in data:
        line.append(bit ^ line[-tap] ^ line[-order])
    return line[len(history) :]


def descramble_bits(history, line, order, tap):
    """One bit after the other: out(t) = line(t) ^ line(t - tap) ^ line(t - order)."""
    past = list(history)
    data = []
    for bit in line:
        data.append(bit ^ past[-tap] ^ past[-order])
        past.append(bit)
    return data


def state_to_history(state, order):
    """State bit 0 is the most recent line bit."""
    return to_bits(state, order)


class Aligner:
    """line_aligner clock by clock. The attributes are what the flip-flops hold in a cycle."""

    def __init__(self, width, words, lock, bad_limit):
        self.width, self.words, self.lock, self.bad_limit = width, words, lock, bad_limit
        self.raw = 0  # has no effect before it is a real word: slip starts at width - 1
        self.data = None  # unknown, and of no interest, until the first clock after a reset
        self.reset()

    def reset(self):
        self.slip = self.width - 1
        self.idx = self.index = 0
        self.first = self.last = False
        self.aligned = False
        self.turn = self.lock  # pass of the search; `lock` is the rest between two searches
        self.mask = [0] * self.words
        self.hits = []  # (slip, index) of what survived the last pass
        self.found = None  # the place to lock to
        self.checked = 0  # frames checked in the present window, while aligned
        self.bad = 0  # illegal ones among them

    def clock(self, data, rst=False):
        """A rising edge with these inputs."""
        if rst:
            self.reset()
            self.raw, self.data = data, None
            return

        word = (data << self.width | self.raw) >> (self.slip + 1) & ((1 << self.width) - 1)
        index = self.idx
        if self.first and self.aligned:
            self._check()
        elif self.found is not None:
            if index == self.found:
                index, self.found, self.aligned = 0, None, True
                self.checked = self.bad = 0
        elif not self.aligned:
            self._search(data)

        self.raw, self.data = data, word
        self.index = index
        self.first = index == 0
        self.last = index == self.words - 1
        self.idx = (index + 1) % self.words

    def _search(self, data):
        legal = data ^ (data << 1 | self.raw >> (self.width - 1)) & ((1 << self.width) - 1)
        if self.turn < self.lock:
            alive = legal if self.turn == 0 else self.mask[self.idx] & legal
            self.mask[self.idx] = alive
            if self.turn == 0:
                self.hits = []
            if self.turn == self.lock - 1:
                self.hits += [(s, self.idx) for s in range(self.width) if alive >> s & 1]
        elif self.idx == 1 and len(self.hits) == 1:
            ((self.slip, self.found),) = self.hits
            self.hits = []
            return
        if self.idx == self.words - 1:
            self.turn = 0 if self.turn == self.lock else self.turn + 1

    def _check(self):
        """The header in the word register."""
        legal = self.data >> (self.width - 2) in (1, 2)
        self.checked += 1
        self.bad += not legal
        if self.bad == self.bad_limit:
            self.aligned = False
        elif self.checked == self.lock:
            self.checked = self.bad = 0


class FrameSource:
    """Frames of `words` words with two sync bits, as aligned words.

    kind "random"     random body
         "scrambled"  what an idle lane sends: a constant body through 1 + x^13 + x^33
    """

    def __init__(self, random, width, words, kind="random"):
        self.random, self.width, self.words, self.kind = random, width, words, kind
        self.state = random.getrandbits(33) | 1
        self.size = width * words

    def frame(self, legal=True):
        """One frame as a list of words, the first one with the sync bits on top."""
        body_width = self.size - 2
        if self.kind == "random":
            sync = self.random.choice((1, 2))
            body = self.random.getrandbits(body_width)
        else:
            sync = 2
            bits = scramble_bits(
                to_bits(self.state, 33), to_bits(1 << (body_width - 16), body_width), 33, 13
            )
            self.state = from_bits(bits[-33:]) if body_width >= 33 else self.state
            body = from_bits(bits)
        if not legal:
            sync = self.random.choice((0, 3))
        frame = sync << body_width | body
        mask = (1 << self.width) - 1
        return [frame >> (self.width * i) & mask for i in range(self.words - 1, -1, -1)]


class Lane:
    """Cuts the line into raw words at a place `delay` bits off; bits can be lost or added."""

    def __init__(self, width, delay, random):
        self.width = width
        self.line = random.getrandbits(delay) if delay else 0  # pending bits, bit 0 first in time
        self.count = delay

    def send(self, word):
        """One word in, one raw word out (if there are enough bits)."""
        self.line |= word << self.count
        self.count += self.width
        raw = []
        while self.count >= self.width:
            raw.append(self.line & ((1 << self.width) - 1))
            self.line >>= self.width
            self.count -= self.width
        return raw

    def lose(self, bits):
        """Drop pending or coming bits: the boundary moves earlier."""
        assert bits <= self.count
        self.line >>= bits
        self.count -= bits

    def add(self, bits):
        """Insert zero bits in front: the boundary moves later."""
        self.line <<= bits
        self.count += bits
