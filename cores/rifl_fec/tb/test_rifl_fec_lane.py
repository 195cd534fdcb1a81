# SPDX-License-Identifier: Apache-2.0
"""Transmitter and receiver of a lane against what crates/wire makes of the same words (crates/wire/examples/rifl_fec_vectors.rs);
the control of two lanes."""

import itertools
import pathlib

import cocotb
from cocotb.triggers import RisingEdge
from tb_common import ROOT, build_and_run, reset, rng, rtl, start_clock

FOLDER = ROOT / "crates" / "wire" / "vectors" / "rifl_fec"
WORDS, STILL = 40, (19, 39)  # cycles in which the transmitter takes no word
LATENCY = 8
OFF, ON, AUTO = range(3)
PLAIN, CODED, PEER_ONLY, OWN_ONLY, PARTIAL = range(5)
ABSENT = 3  # the bench's parameter


def lines(name):
    text = (FOLDER / name).read_text().splitlines()
    return [line.split() for line in text if not line.startswith("#")]


@cocotb.test()
async def transmits_as_the_model(dut):
    """Codewords bit for bit."""
    random = rng("transmits")
    found = lines("transmit.txt")
    data = [int(word, 16) for kind, word in found if kind == "word"]
    expected = [int(word, 16) for kind, word in found if kind == "line"]
    start_clock(dut.clk_i, 1000)
    dut.use_i.value = 1
    dut.line_i.value = dut.index_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    words, sent = iter(data), []
    for cycle in range(len(expected) + LATENCY):
        index = cycle % WORDS
        dut.index_i.value = index
        word = None if index in STILL else next(words, None)
        dut.data_i.value = random.getrandbits(64) if word is None else word
        await RisingEdge(dut.clk_i)
        sent.append(int(dut.sent_o.value))
    assert sent[LATENCY:] == expected


@cocotb.test()
async def receives_as_the_model(dut):
    """Every word, with its mark, through errors, slips, losses and changes of the setting; what is heard and counted."""
    *steps, counts = lines("receive.txt")
    start_clock(dut.clk_i, 1000)
    dut.use_i.value = 1
    dut.line_i.value = dut.index_i.value = dut.data_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    corrected = uncorrectable = 0
    for number, (line, wanted, *_) in enumerate([*steps, ["0", "0"]]):
        dut.line_i.value, dut.use_i.value = int(line, 16), int(wanted)
        await RisingEdge(dut.clk_i)
        if not number:
            continue
        # What the cycle before made of its word.
        line, _, word, bad, heard = steps[number - 1]
        corrected += int(dut.corrected_o.value)
        uncorrectable += int(dut.uncorrectable_o.value)
        got = int(dut.give_o.value), int(dut.heard_o.value)
        assert got == (word != "-", int(heard)), f"word {number - 1}"
        if word != "-":
            expected = int(line if word == "=" else word, 16), int(bad)
            assert (int(dut.data_o.value), int(dut.bad_o.value)) == expected, f"word {number - 1}"
    assert [corrected, uncorrectable] == list(map(int, counts))


@cocotb.test()
async def a_reset_forgets_places(dut):
    """Also where codewords stay at their places: three markers are needed as at the beginning."""
    line = itertools.cycle(int(word, 16) for kind, word in lines("transmit.txt") if kind == "line")
    start_clock(dut.clk_i, 1000)
    dut.use_i.value = 1
    dut.line_i.value = dut.index_i.value = dut.data_i.value = 0
    for _ in range(3):
        for cycle in range(12 * WORDS):
            # As long as a codeword, so that places have their numbers again.
            dut.rst_i.value = cycle < WORDS
            dut.line_i.value = next(line)
            await RisingEdge(dut.clk_i)
            if cycle == 6 * WORDS:
                assert not int(dut.heard_o.value)
        assert int(dut.heard_o.value)


@cocotb.test()
async def states_of_two_lanes(dut):
    """What is said of every setting and what is heard; changes at borders of codewords; auto follows one lane, and until no lane
    has been heard for as long as is said."""
    random = rng("states")
    start_clock(dut.clk_i, 1000)
    dut.use_i.value = 1
    dut.mode_i.value = dut.heard_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    coded = 0

    async def cycles(count):
        nonlocal coded
        for _ in range(count):
            await RisingEdge(dut.clk_i)
            before, coded = coded, int(dut.coded_o.value)
            assert coded == before or int(dut.index_o.value) == 0, "at the border"

    combinations = list(itertools.product((OFF, ON), range(4)))
    for mode, heard in [*combinations, *random.choices(combinations, k=20)]:
        dut.mode_i.value, dut.heard_i.value = mode, heard
        await cycles(random.randint(WORDS + 3, 2 * WORDS))
        names = (OWN_ONLY, PARTIAL, PARTIAL, CODED) if mode else (PLAIN, *[PEER_ONLY] * 3)
        assert (coded, int(dut.state_o.value)) == (mode, names[heard])
    dut.mode_i.value = dut.heard_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    coded, dut.mode_i.value = 0, AUTO
    for lane in (1, 2):
        await cycles(5 * WORDS + random.randrange(WORDS))
        assert not coded
        dut.heard_i.value = lane
        await cycles(10 * ABSENT * WORDS)
        assert coded
        dut.heard_i.value = 0
        await cycles(ABSENT * WORDS)
        assert coded
        await cycles(2 * WORDS)


def test_rifl_fec_lane():
    sources = [
        *rtl("prim", "rsfec", "rifl_fec"),
        pathlib.Path(__file__).with_name("rifl_fec_lane.sv"),
    ]
    build_and_run("rifl_fec_lane", sources, {}, __name__)
