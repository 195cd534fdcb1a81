# SPDX-License-Identifier: Apache-2.0
"""line_64b66b_enc, line_64b66b_dec: every mixture of words, and the verdict on damaged blocks."""

import itertools
import pathlib

import cocotb
from cocotb.triggers import Timer
from line_64b66b_model import (
    CODE,
    CONTROL,
    DATA,
    ORDER,
    WORDS,
    Scrambler,
    bits_of,
    decode,
    encode,
    random_words,
    value_of,
)
from tb_common import ROOT, build_and_run, rng, rtl


async def encoded(dut, words):
    dut.k_i.value = sum(k << i for i, (k, _) in enumerate(words))
    dut.data_i.value = sum(value << 16 * i for i, (_, value) in enumerate(words))
    await Timer(1, "ns")
    return bits_of(int(dut.header_o.value), 2), bits_of(int(dut.payload_o.value), 64)


async def decoded(dut, header, payload):
    dut.header_i.value, dut.payload_i.value = value_of(header), value_of(payload)
    await Timer(1, "ns")
    k, data, error = (int(x.value) for x in (dut.k_o, dut.data_o, dut.error_o))
    assert k & error == 0
    return [None if error >> i & 1 else (k >> i & 1, data >> 16 * i & 0xFFFF) for i in range(WORDS)]


@cocotb.test()
async def mixtures(dut):
    """Control words in every place, of every kind: as the model has them, and back."""
    random = rng("mixtures")
    for places in itertools.product((0, 1), repeat=WORDS):
        for kind in range(16):
            for _ in range(4):
                words = [
                    (1, random.choice([kind, random.randrange(16)]))
                    if k
                    else (0, random.getrandbits(16))
                    for k in places
                ]
                block = await encoded(dut, words)
                assert block == encode(words), words
                assert await decoded(dut, *block) == words


@cocotb.test()
async def spare_bits(dut):
    """What is above the kind of a control word does not leave."""
    random = rng("spare")
    for _ in range(200):
        words = random_words(random, 0.5)
        loud = [(k, value | k * random.getrandbits(12) << 4) for k, value in words]
        assert await encoded(dut, loud) == encode(words)


def test_the_code_has_distance_four():
    assert len(CODE) == 16
    assert min((a ^ b).bit_count() for a, b in itertools.combinations(CODE, 2)) == 4


def test_published_blocks():
    """Order of bits, headers and scrambler: the first blocks of a frame in P. Thaler, "64B/66B overview", IEEE 802.3 10GEPON study group, 2006.

    The first one, of idle characters, fills the descrambler.
    """
    line = [(1, 0x7BFFF0800000001E), (1, 0x623016AAAAAD1578), (2, 0x6A767C6EC581E108)]
    plain = [(CONTROL, 0xD555555555555578), (DATA, 0x8B0E380577200008)]
    descrambler, scrambler = Scrambler([0] * ORDER), Scrambler(bits_of(line[0][1], 64))
    descrambler.step(bits_of(line[0][1], 64), descramble=True)
    for (header, payload), (kind, value) in zip(line[1:], plain, strict=True):
        assert bits_of(header, 2) == kind
        assert value_of(descrambler.step(bits_of(payload, 64), descramble=True)) == value
        assert value_of(scrambler.step(bits_of(value, 64))) == payload


@cocotb.test()
async def single_bits(dut):
    """Each bit of a block turned over: what is not data is seen, and damages no word but its own, or all."""
    random = rng("single")
    for places in itertools.product((0, 1), repeat=WORDS):
        words = [(1, random.randrange(16)) if k else (0, random.getrandbits(16)) for k in places]
        header, payload = encode(words)
        for bit in range(2):
            wrong = list(header)
            wrong[bit] ^= 1
            assert await decoded(dut, wrong, payload) == [None] * WORDS
        for bit in range(64):
            wrong = list(payload)
            wrong[bit] ^= 1
            got = await decoded(dut, header, wrong)
            changed = [i for i in range(WORDS) if got[i] != words[i]]
            assert got == decode(header, wrong)
            if header == CONTROL and bit < 8:
                assert got == [None] * WORDS
            else:
                assert len(changed) == 1 and (got[changed[0]] is None) == places[changed[0]]


@cocotb.test()
async def control_blocks(dut):
    """Of a block of control words alone up to three wrong bits in each of its bytes are seen."""
    random = rng("control")
    for _ in range(1500):
        words = [(1, random.randrange(16)) for _ in range(WORDS)]
        header, payload = encode(words)
        wrong = list(payload)
        for byte in random.sample(range(8), random.randrange(1, 9)):
            for bit in random.sample(range(8), random.randrange(1, 4)):
                wrong[8 * byte + bit] ^= 1
        got = await decoded(dut, header, wrong)
        assert None in got
        assert all(g in (None, w) for g, w in zip(got, words, strict=True))


@cocotb.test()
async def anything(dut):
    """Any header with any payload, and control blocks with some bits wrong: the verdict of the model."""
    random = rng("anything")
    for turn in range(3000):
        if turn % 2:
            header, payload = random.choices([0, 1], k=2), random.choices([0, 1], k=64)
            if turn % 4 == 1:
                payload[:8] = bits_of(random.choice(list(CODE)), 8)
        else:
            header, payload = encode(random_words(random, 0.5))
            for _ in range(random.randrange(1, 6)):
                payload[random.randrange(64)] ^= 1
        assert await decoded(dut, header, payload) == decode(header, payload)


def test_vectors():
    """The vectors of crates/wire say what the model says, row by row."""
    text = (ROOT / "crates" / "wire" / "vectors" / "line" / "blocks.txt").read_text()
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert len(rows) == 256
    damaged = 0
    for header, payload, *words in rows:
        header, payload = bits_of(int(header, 16), 2), bits_of(int(payload, 16), 64)
        want = [
            None
            if word == "-"
            else (1, int(word[1:], 16))
            if word[0] == "K"
            else (0, int(word, 16))
            for word in words
        ]
        assert decode(header, payload) == want
        if None in want:
            damaged += 1
        else:
            assert encode(want) == (header, payload)
    assert damaged > 50


def test_line_64b66b():
    build_and_run(
        "line_64b66b_bench",
        [*rtl("prim", "line"), pathlib.Path(__file__).with_name("line_64b66b_bench.sv")],
        test_module=__name__,
        testcase=["mixtures", "spare_bits", "single_bits", "control_blocks", "anything"],
    )
