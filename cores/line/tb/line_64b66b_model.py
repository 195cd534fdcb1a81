# SPDX-License-Identifier: Apache-2.0
"""A 64b/66b lane as lists of bits in the order of the line, written from cores/line/README.md.

A word is (k, value): 16 bits of data, or with k = 1 one of 16 kinds. A word that means nothing is None.
"""

ORDER, TAP = 58, 39
WORDS = 4  # of a block
BLOCK = 66
DATA, CONTROL = [0, 1], [1, 0]  # sync headers, first bit first


def bits_of(value, count):
    return [value >> i & 1 for i in range(count)]


def value_of(bits):
    return sum(bit << i for i, bit in enumerate(bits))


def protect(value):
    """Four bits, three parities of three of them each, and the parity of all seven."""
    bits = bits_of(value, 4)
    bits += [sum(b for i, b in enumerate(bits) if i != left) % 2 for left in (2, 1, 0)]
    return value_of(bits) | sum(bits) % 2 << 7


CODE = {protect(value): value for value in range(16)}


def encode(words):
    """Header and payload of four words, not scrambled."""
    if not any(k for k, _ in words):
        return DATA, [bit for _, value in words for bit in bits_of(value, 16)]
    payload = bytearray()
    for k, value in words:
        payload += bytes([protect(value), 0]) if k else value.to_bytes(2, "little")
    first = next(i for i, (k, _) in enumerate(words) if k)
    # The byte in the place of the type goes behind the first kind.
    if first == 0:
        payload[1] = payload[0]
    else:
        payload[2 * first + 1] = payload[0]
    payload[0] = protect(sum(k << i for i, (k, _) in enumerate(words)))
    return CONTROL, [bit for byte in payload for bit in bits_of(byte, 8)]


def decode(header, payload):
    """Four words, None for those that mean nothing."""
    payload = [value_of(payload[at : at + 8]) for at in range(0, 64, 8)]
    if header == DATA:
        return [(0, low | high << 8) for low, high in zip(payload[::2], payload[1::2], strict=True)]
    mask = CODE.get(payload[0], 0)
    if header != CONTROL or not mask:
        return [None] * WORDS
    places = [i for i in range(WORDS) if mask >> i & 1]
    words = []
    for i in range(WORDS):
        low, high = payload[2 * i : 2 * i + 2]
        if i in places:
            if i == 0:
                low, high = high, 0
            elif i == places[0]:
                high = 0
            words.append((1, CODE[low]) if low in CODE and high == 0 else None)
        elif i == 0:
            words.append((0, payload[2 * places[0] + 1] | high << 8))
        else:
            words.append((0, low | high << 8))
    return words


class Scrambler:
    """history: the last bits of the line."""

    def __init__(self, history):
        self.history = list(history)

    def step(self, bits, descramble=False):
        history, out = self.history[-ORDER:], []
        for bit in bits:
            other = bit ^ history[-TAP] ^ history[-ORDER]
            out.append(other)
            history.append(bit if descramble else other)
        self.history = history
        return out


class Sender:
    """Words in, bits of the line out; keeps what was sent."""

    def __init__(self, random):
        self.scrambler = Scrambler(random.choices([0, 1], k=ORDER))
        self.blocks = []

    def block(self, words):
        self.blocks.append(words)
        header, payload = encode(words)
        return header + self.scrambler.step(payload)


class Receiver:
    """Bits of the line in, from the border of a block on; words out. The first ones may be wrong."""

    def __init__(self):
        self.scrambler = Scrambler([0] * ORDER)

    def block(self, bits):
        return decode(bits[:2], self.scrambler.step(bits[2:], descramble=True))


def random_words(random, control=0.3):
    """Four words; with control words among them, of any kind and in any place."""
    share = random.choice([0, 0, control, 1])
    return [
        (1, random.randrange(16)) if random.random() < share else (0, random.getrandbits(16))
        for _ in range(WORDS)
    ]
