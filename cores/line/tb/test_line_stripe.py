# SPDX-License-Identifier: Apache-2.0
"""line_stripe, line_unstripe: the place of every character over 1, 2 and 4 lanes, sizes that change, gaps."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import ROOT, build_and_run, params, reset, rng, rtl, start_clock

IDLE = 0x17C
WIDTH = 9  # of a character with its k


def deal(characters, lanes_in_use, lanes, symbols):
    """Words of all lanes: character i to lane i mod L, one after the other; the rest idle."""
    piece = lanes_in_use * symbols
    words = []
    for start in range(0, len(characters), piece):
        word = [[IDLE] * symbols for _ in range(lanes)]
        for i, character in enumerate(characters[start : start + piece]):
            word[i % lanes_in_use][i // lanes_in_use] = character
        words.append(word)
    return words


def pack(characters):
    return sum(c << WIDTH * i for i, c in enumerate(characters))


def unpack(value, count):
    return [value >> WIDTH * i & ((1 << WIDTH) - 1) for i in range(count)]


def flat(word):
    """The symbols of all lanes, lane 0 first."""
    return [character for lane in word for character in lane]


def packets(random, lanes, symbols, count):
    """(log2 of the lanes in use, beats, pieces of each) for random packets."""
    total = lanes * symbols
    for _ in range(count):
        size = random.randrange(lanes.bit_length())
        beats = []
        for last in [False] * random.randrange(4) + [True]:
            whole = lanes >> size
            pieces = random.randrange(1, whole + 1) if last else whole
            beats.append(([random.getrandbits(WIDTH) for _ in range(total)], pieces))
        yield size, beats


def beat_words(size, beat, pieces, lanes, symbols):
    used = 1 << size
    return deal(beat[: pieces * used * symbols], used, lanes, symbols)


# ---- line_stripe
# ----------------------------------------------------------------------------------


@cocotb.test()
async def deals(dut):
    """Every word of every lane, with and without waiting, idle words between."""
    random = rng("stripe")
    lanes, symbols = params()["Lanes"], params()["Symbols"]
    start_clock(dut.clk_i, 1000)
    dut.s_valid_i.value = 0
    dut.m_ready_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    idle = [IDLE] * (lanes * symbols)
    for size, beats in packets(random, lanes, symbols, 150):
        dut.size_i.value = size
        rate = random.choice((0.3, 1.0))
        for beat, pieces in beats:
            while random.random() > rate:
                dut.s_valid_i.value, dut.m_ready_i.value = 0, 1
                await RisingEdge(dut.clk_i)
                assert unpack(int(dut.m_data_o.value), len(idle)) == idle
            dut.s_valid_i.value = 1
            dut.s_data_i.value, dut.s_pieces_i.value = pack(beat), pieces - 1
            words = beat_words(size, beat, pieces, lanes, symbols)
            assert len(words) == pieces
            while words:
                ready = random.random() < rate
                dut.m_ready_i.value = ready
                await RisingEdge(dut.clk_i)
                assert unpack(int(dut.m_data_o.value), len(idle)) == flat(words[0])
                if ready:
                    words.pop(0)
                    assert dut.s_ready_o.value == (not words)
                else:
                    assert dut.s_ready_o.value == 0
        dut.s_valid_i.value = 0


# ---- line_unstripe
# --------------------------------------------------------------------------------


@cocotb.test()
async def collects(dut):
    """The characters of a packet come back as they were, whatever was left of the one before."""
    random = rng("unstripe")
    lanes, symbols = params()["Lanes"], params()["Symbols"]
    start_clock(dut.clk_i, 1000)
    dut.s_valid_i.value = 0
    dut.size_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    expected = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_valid_o.value == 1:
                size, beat, pieces = expected.pop(0)
                count = pieces * symbols << size
                assert dut.m_pieces_o.value == pieces - 1
                assert unpack(int(dut.m_data_o.value), count) == beat[:count]

    cocotb.start_soon(watch())
    for size, beats in packets(random, lanes, symbols, 150):
        cut = random.random() < 0.2  # the end is lost: the next packet begins all the same
        for at, (beat, pieces) in enumerate(beats):
            whole = lanes >> size
            words = beat_words(size, beat, pieces, lanes, symbols)
            last = at == len(beats) - 1
            for piece, word in enumerate(words):
                while random.random() < 0.2:
                    dut.s_valid_i.value = 0
                    await RisingEdge(dut.clk_i)
                dut.size_i.value = size
                dut.s_valid_i.value = 1
                dut.s_data_i.value = pack(flat(word))
                dut.s_first_i.value = at == 0 and piece == 0
                end = last and piece == len(words) - 1 and not cut
                dut.s_last_i.value = end
                if end or piece == whole - 1:
                    expected.append((size, beat, piece + 1))
                await RisingEdge(dut.clk_i)
    dut.s_valid_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    assert not expected


SHAPES = [(4, 2), (1, 2), (2, 1)]


@pytest.mark.parametrize(("lanes", "symbols"), SHAPES)
def test_line_stripe(lanes, symbols):
    build_and_run(
        "line_stripe",
        rtl("line"),
        {"Lanes": lanes, "Symbols": symbols},
        __name__,
        testcase="deals",
    )


@pytest.mark.parametrize(("lanes", "symbols"), SHAPES)
def test_line_unstripe(lanes, symbols):
    build_and_run(
        "line_unstripe",
        rtl("line"),
        {"Lanes": lanes, "Symbols": symbols, "Width": WIDTH},
        __name__,
        testcase="collects",
    )


def test_vectors():
    """The model in crates/wire deals as these tests do."""
    text = (ROOT / "crates" / "wire" / "vectors" / "line" / "stripe.txt").read_text()
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert {row[0] for row in rows} == {"1", "2", "4"}
    for used, plain, *words in rows:
        characters = [int(c[1:], 16) | (c[0] == "K") << 8 for c in plain.split(",")]
        want = deal(characters, int(used), 4, 2)
        got = [
            [
                [int(c[1:], 16) | (c[0] == "K") << 8 for c in lane.split(",")]
                for lane in w.split("|")
            ]
            for w in words
        ]
        assert got == want
