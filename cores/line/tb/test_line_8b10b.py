# SPDX-License-Identifier: Apache-2.0
"""line_8b10b_enc, line_8b10b_dec: the whole code against an independent library, streams, flipped bits.

The library (encdec8b10b) is only asked to encode; what a decoder must say of each of the 1024 words follows from
the set of words that exist. Its symbols have bit 0 = a, like ours.
"""

import cocotb
import pytest
from cocotb.triggers import Timer
from encdec8b10b import EncDec8B10B
from tb_common import ROOT, build_and_run, params, rng, rtl

CONTROLS = [y << 5 | 28 for y in range(8)] + [7 << 5 | x for x in (23, 27, 29, 30)]
CHARACTERS = [(byte, 0) for byte in range(256)] + [(byte, 1) for byte in CONTROLS]
DAMAGED = (0xFE, 1)


def encode(byte, k, rd):
    """Disparity behind the symbol, and the symbol."""
    return EncDec8B10B.enc_8b10b(byte, rd, k)


def code():
    """For each disparity: word -> character."""
    return [{encode(byte, k, rd)[1]: (byte, k) for byte, k in CHARACTERS} for rd in (0, 1)]


def disparity_after(word, rd):
    """By the standard's rule, of any ten bits: block after block, by counting ones."""
    for block, low, high in ((word & 63, 0b111000, 0b000111), (word >> 6, 0b1100, 0b0011)):
        size = 6 if low == 0b111000 else 4
        ones = block.bit_count()
        # In the order of the bits of a word: 000111 is abcdei = 111000.
        if 2 * ones > size or block == low:
            rd = 1
        elif 2 * ones < size or block == high:
            rd = 0
    return rd


def split(value, count, width):
    return [value >> (width * i) & ((1 << width) - 1) for i in range(count)]


def join(values, width):
    return sum(value << (width * i) for i, value in enumerate(values))


# ---- line_8b10b_enc
# -------------------------------------------------------------------------------


async def drive_encoder(dut, characters, rd):
    dut.rd_i.value = rd
    dut.data_i.value = join([byte for byte, _ in characters], 8)
    dut.k_i.value = join([k for _, k in characters], 1)
    await Timer(1, "ns")
    return int(dut.rd_o.value), int(dut.data_o.value)


@cocotb.test()
async def encoder_table(dut):
    """All 268 characters at both disparities, in every place of the word."""
    symbols = params()["Symbols"]
    table = code()
    assert len(table[0]) == len(table[1]) == len(CHARACTERS) == 268
    for place in range(symbols):
        for byte, k in CHARACTERS:
            for rd in (0, 1):
                # D0.4 in front of it changes nothing: its blocks cancel.
                characters = [(0x80, 0)] * symbols
                characters[place] = (byte, k)
                _, word = await drive_encoder(dut, characters, rd)
                after, want = encode(byte, k, rd)
                assert split(word, symbols, 10)[place] == want, (byte, k, rd)
                assert after == disparity_after(want, rd)


@cocotb.test()
async def encoder_stream(dut):
    """Random characters: each symbol, the disparity, and never more than five equal bits in a row."""
    random = rng("encoder")
    symbols = params()["Symbols"]
    rd, line = random.randrange(2), ""
    for _ in range(1000):
        characters = [random.choice(CHARACTERS) for _ in range(symbols)]
        if random.random() < 0.3:
            characters = [(random.choice((0x7E, 0xEB, 0xF1, 0x4A)), 0)] * symbols
        if (0xFC, 1) in characters:
            continue  # K28.7 next to itself is the one pair that may make a longer run
        got_rd, word = await drive_encoder(dut, characters, rd)
        for (byte, k), symbol in zip(characters, split(word, symbols, 10), strict=True):
            rd, want = encode(byte, k, rd)
            assert symbol == want
            line += f"{symbol:010b}"[::-1]
        assert got_rd == rd
    assert "000000" not in line and "111111" not in line


# ---- line_8b10b_dec
# -------------------------------------------------------------------------------


def verdict(table, word, rd):
    """Character, code error, disparity error and disparity behind it."""
    if word in table[rd]:
        return (*table[rd][word], 0, 0, disparity_after(word, rd))
    if word in table[1 - rd]:
        return (*table[1 - rd][word], 0, 1, disparity_after(word, rd))
    return (*DAMAGED, 1, 0, disparity_after(word, rd))


async def check_decoder(dut, table, words, rd):
    """One step, compared symbol by symbol; the disparity behind it."""
    symbols = len(words)
    dut.rd_i.value = rd
    dut.data_i.value = join(words, 10)
    await Timer(1, "ns")
    got = zip(
        split(int(dut.data_o.value), symbols, 8),
        split(int(dut.k_o.value), symbols, 1),
        split(int(dut.code_error_o.value), symbols, 1),
        split(int(dut.disparity_error_o.value), symbols, 1),
        strict=True,
    )
    flags = []
    for word, have in zip(words, got, strict=True):
        *want, rd = verdict(table, word, rd)
        assert have == tuple(want), f"{word:010b} at {rd}: {have}, not {want}"
        flags.append(have[2] or have[3])
    assert int(dut.rd_o.value) == rd
    return rd, flags


@cocotb.test()
async def decoder_table(dut):
    """All 1024 words at both disparities, in every place of the word."""
    random = rng("decoder table")
    symbols = params()["Symbols"]
    table = code()
    for place in range(symbols):
        for word in range(1024):
            for rd in (0, 1):
                words = [random.randrange(1024) for _ in range(symbols)]
                words[place] = word
                await check_decoder(dut, table, words, rd)


@cocotb.test()
async def decoder_flipped_bits(dut):
    """A stream with one flipped bit is found out, and at the latest by the first symbol with a disparity of its own.

    Whatever stands before: the wrong symbol itself, or the first that changes the disparity.
    """
    random = rng("flips")
    symbols = params()["Symbols"]
    table = code()
    for _ in range(300):
        rd = random.randrange(2)
        words, state = [], rd
        for _ in range(8 * symbols):
            state, word = encode(*random.choice(CHARACTERS), state)
            words.append(word)
        # Control characters with one unbalanced block end the wait.
        for _ in range(symbols):
            state, word = encode(0xBC, 1, state)
            words.append(word)
        hit = random.randrange(8 * symbols)
        words[hit] ^= 1 << random.randrange(10)
        errors = []
        for at in range(0, len(words), symbols):
            rd, flags = await check_decoder(dut, table, words[at : at + symbols], rd)
            errors += flags
        assert not any(errors[:hit])
        assert any(errors[hit:]), f"bit error at symbol {hit} not seen"


# ---- the model in crates/wire
# ---------------------------------------------------------------------


def vectors(name):
    text = (ROOT / "crates" / "wire" / "vectors" / "line" / name).read_text()
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


def test_vectors():
    """The vectors of the model say what the library says, row by row."""
    table = code()
    faults = {"ok": (0, 0), "code": (1, 0), "disparity": (0, 1)}
    encoded = vectors("encode.txt")
    assert len(encoded) == 2 * len(CHARACTERS)
    for rd, name, word, after in encoded:
        want = encode(int(name[1:], 16), int(name[0] == "K"), "-+".index(rd))
        assert ("-+".index(after), int(word, 16)) == want
    decoded = vectors("decode.txt")
    assert len(decoded) == 2 * 1024
    for rd, word, name, fault, after in decoded:
        want = verdict(table, int(word, 16), "-+".index(rd))
        character = int(name[1:], 16), int(name[0] == "K")
        assert (*character, *faults[fault], "-+".index(after)) == want


@pytest.mark.parametrize("symbols", [1, 2])
def test_line_8b10b_enc(symbols):
    build_and_run(
        "line_8b10b_enc",
        rtl("line"),
        {"Symbols": symbols},
        __name__,
        testcase=["encoder_table", "encoder_stream"],
    )


@pytest.mark.parametrize("symbols", [1, 2])
def test_line_8b10b_dec(symbols):
    build_and_run(
        "line_8b10b_dec",
        rtl("line"),
        {"Symbols": symbols},
        __name__,
        testcase=["decoder_table", "decoder_flipped_bits"],
    )
