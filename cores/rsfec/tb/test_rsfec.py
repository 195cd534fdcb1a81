# SPDX-License-Identifier: Apache-2.0
"""rsfec_encoder and rsfec_decoder: codewords against polynomial division, every kind of error, latency to the cycle."""

import math
import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from rsfec_model import Code, symbols, words
from rsfec_vectors import read_vectors
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

CORRECT, NO_INDICATION, NO_CORRECTION = range(3)
DEFAULTS = {
    "Width": 10,
    "Poly": 9,
    "N": 528,
    "K": 514,
    "Symbols": 32,
    "Steps": 2,
    "Scan": 8,
    "Lanes": 4,
}


def latency(p, mode):
    """Of the decoder, from its header."""
    arrival = -(-p["N"] // p["Symbols"]) - 1
    solve = (p["N"] - p["K"]) // p["Steps"]
    return arrival + (solve + p["Scan"] + 5, solve + 7, 4)[mode]


class Bench:
    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.p = DEFAULTS | {k: int(str(v).split("'d")[-1]) for k, v in params().items()}
        self.code = Code(self.p["N"], self.p["K"], self.p["Width"], self.p["Poly"])
        self.size, self.width = self.p["Symbols"], self.p["Width"]
        self.group = 1 if self.code.n % self.size == 0 else 2  # codewords that begin with a word
        start_clock(dut.clk_i, 1000)

    def message(self):
        return [self.random.getrandbits(self.width) for _ in range(self.code.k)]

    def pattern(self, places):
        """Errors at these places, none of them zero."""
        errors = [0] * self.code.n
        for place in places:
            errors[place] = self.random.randrange(1, 1 << self.width)
        return errors

    async def run(self, messages, patterns, mode=CORRECT, pace=1.0):
        """Sends messages with errors through; what came of each codeword, and when the first word came."""
        dut = self.dut
        dut.mode_i.value, dut.valid_i.value = mode, 0
        await reset(dut.clk_i, dut.rst_i)
        rubbish = [self.random.getrandbits(self.width) for _ in range(self.code.parity)]
        sent = [symbol for message in messages for symbol in [*message, *rubbish]]
        noise = [symbol for pattern in patterns for symbol in pattern]
        data, noise = words(sent, self.size, self.width), words(noise, self.size, self.width)
        period = self.group * self.code.n // self.size
        assert len(data) % period == 0
        total, step, moved = len(data), 0, 0
        coded, out, seen = [], [], []
        begun = {}
        while len(out) < total:
            # More words than there are, so that the last ones leave.
            valid = self.random.random() < pace
            dut.valid_i.value = valid
            dut.mode_i.value = self.random.randrange(3)  # taken during the reset alone
            if valid:
                dut.first_i.value = step % period == 0
                dut.data_i.value = data[step] if step < total else 0
                dut.noise_i.value = noise[step] if step < total else 0
                step += 1
            await RisingEdge(dut.clk_i)
            moved += 1
            if dut.coded_valid_o.value:
                begun.setdefault("coded", moved)
                coded.append(int(dut.coded_o.value))
                assert int(dut.coded_first_o.value) == ((len(coded) - 1) % period == 0)
            if dut.valid_o.value:
                begun.setdefault("out", moved)
                assert int(dut.first_o.value) == (len(out) % period == 0)
                out.append(int(dut.data_o.value))
                seen.append(
                    (
                        int(dut.bad_o.value),
                        int(dut.corrected_o.value),
                        int(dut.uncorrectable_o.value),
                        int(dut.errors_o.value),
                        int(dut.weight_o.value),
                    )
                )
            else:
                assert not int(dut.corrected_o.value) and not int(dut.uncorrectable_o.value)
        n = self.code.n
        sent = symbols(coded[:total], self.size, self.width)
        received = symbols(out, self.size, self.width)
        part = self.size // self.group
        results, self.weights = [], []  # what each codeword seems to have of errors
        for number in range(len(messages)):
            codeword = sent[number * n : (number + 1) * n]
            assert codeword == self.code.encode(messages[number])
            parts = range(number * n // part, (number + 1) * n // part)
            marks = {seen[at // self.group][0] >> at % self.group & 1 for at in parts}
            assert len(marks) == 1, "a codeword is marked as a whole"
            at = parts[0] // self.group
            self.weights.append(seen[at][4])
            results.append(
                (codeword, received[number * n : (number + 1) * n], marks.pop(), seen[at][1:3])
            )
        lanes = [0] * self.p["Lanes"]
        width = (self.size // len(lanes)).bit_length()
        for _, _, _, errors, _ in seen:
            for lane in range(len(lanes)):
                lanes[lane] += errors >> width * lane & ((1 << width) - 1)
        corrected = sum(s[1] for s in seen), sum(s[2] for s in seen)
        assert corrected == tuple(sum(r[3][i] for r in results) for i in range(2))
        return results, lanes, begun

    def patterns(self):
        """Up to T errors of all kinds: places."""
        n, t, random = self.code.n, self.code.t, self.random
        yield []
        yield [0]
        yield [n - 1]
        yield range(t)
        yield range(n - t, n)
        yield range(self.code.k - t // 2, self.code.k - t // 2 + t)
        for begin in range(0, n, max(1, n // 12)):
            begin = min(begin, n - t)
            yield range(begin, begin + t)
        for count in range(1, t + 1):
            yield random.sample(range(n), count)
            yield [0, *random.sample(range(1, n), count - 1)]
            yield [n - 1, *random.sample(range(n - 1), count - 1)]

    def filled(self, patterns):
        """Whole groups."""
        patterns = [list(p) for p in patterns]
        return patterns + [[]] * (-len(patterns) % self.group)


def miscorrection(code):
    """Which share of all syndromes T errors or fewer leave."""
    values = 1 << code.width
    patterns = sum(math.comb(code.n, i) * (values - 1) ** i for i in range(code.t + 1))
    return patterns / values**code.parity


def placed(errors, n):
    return [errors.get(place, 0) for place in range(n)]


def lanes_of(patterns, count):
    lanes = [0] * count
    for pattern in patterns:
        for place, error in enumerate(pattern):
            lanes[place % count] += error != 0
    return lanes


@cocotb.test()
async def corrects(dut):
    """Everything up to T errors, at the edges, in bursts, anywhere; lanes and codewords counted; words that wait."""
    for pace in (1.0, 0.6):
        bench = Bench(dut, f"corrects {pace}")
        patterns = [bench.pattern(p) for p in bench.filled(bench.patterns())]
        messages = [bench.message() for _ in patterns]
        for mode in (CORRECT, NO_INDICATION):
            results, lanes, begun = await bench.run(messages, patterns, mode, pace)
            for pattern, (codeword, received, bad, reports) in zip(patterns, results, strict=True):
                assert received == codeword and not bad
                assert reports == (any(pattern), 0)
            assert lanes == lanes_of(patterns, len(lanes))
            if mode == NO_INDICATION:
                assert bench.weights == [sum(map(bool, pattern)) for pattern in patterns]
            if pace == 1.0:
                found = begun["out"] - begun["coded"]
                assert found == latency(bench.p, mode)
                dut._log.info(f"latency of the decoder: {found} cycles in mode {mode}")


@cocotb.test()
async def marks(dut):
    """More than T errors: as received and marked, or another codeword that is as near, as rarely as the theory says."""
    bench = Bench(dut, "marks")
    code = bench.code
    counts = [code.t + 1 + i % 4 for i in range(40)] + [code.n] * 4
    places = [bench.random.sample(range(code.n), count) for count in counts]
    # Bursts, and between good ones.
    places += [range(at, at + code.t + 1) for at in range(0, code.n - code.t, code.n // 7)]
    places = bench.filled(
        [p for pair in zip(places, [[]] * len(places), strict=True) for p in pair]
    )
    patterns = [bench.pattern(p) for p in places]
    messages = [bench.message() for _ in patterns]
    results, *_ = await bench.run(messages, patterns)
    # Words that wait change nothing.
    assert (await bench.run(messages, patterns, pace=0.6))[0] == results
    missed = 0
    for pattern, (codeword, received, bad, reports) in zip(patterns, results, strict=True):
        arrived = [a ^ b for a, b in zip(codeword, pattern, strict=True)]
        if not any(pattern):
            assert received == codeword and not bad and reports == (0, 0)
        elif bad:
            assert received == arrived and reports == (0, 1)
        else:
            missed += 1
            assert code.is_codeword(received) and received != codeword
            assert sum(a != b for a, b in zip(received, arrived, strict=True)) <= code.t
            assert reports == (1, 0)
    wrong = sum(map(any, patterns))
    expected = wrong * miscorrection(code)
    assert abs(missed - expected) <= 5 * expected**0.5 + 0.5
    dut._log.info(f"{missed} of {wrong} taken for another codeword, calculated {expected:.2g}")
    results, *_ = await bench.run(messages, patterns, NO_INDICATION)
    assert not any(bad for _, _, bad, _ in results)
    # What is beyond all correction seems so, or nearly.
    for pattern, weight in zip(patterns, bench.weights, strict=True):
        assert code.t // 2 <= weight <= code.t + 1 if any(pattern) else weight == 0


@cocotb.test()
async def only_checks(dut):
    """Without correction a codeword passes as it is, marked if anything is wrong with it."""
    bench = Bench(dut, "checks")
    code = bench.code
    counts = [0, 1, 0, 0, 1, code.t, code.t + 1, 0, 20 % code.n, 0]
    patterns = [bench.pattern(bench.random.sample(range(code.n), count)) for count in counts]
    messages = [bench.message() for _ in patterns]
    results, lanes, begun = await bench.run(messages, patterns, NO_CORRECTION)
    for pattern, (codeword, received, bad, reports) in zip(patterns, results, strict=True):
        assert received == [a ^ b for a, b in zip(codeword, pattern, strict=True)]
        assert bad == any(pattern) and reports == (0, bad)
    assert not any(lanes)
    assert begun["out"] - begun["coded"] == latency(bench.p, NO_CORRECTION)


@cocotb.test()
async def as_the_model(dut):
    """The codewords of crates/wire, with their errors: the same parity, the same verdict, the same corrections."""
    bench = Bench(dut, "model")
    code = bench.code
    vectors = read_vectors(code.n, code.k)
    messages = [vector.message for vector in vectors]
    patterns = [placed(vector.errors, code.n) for vector in vectors]
    results, _, _ = await bench.run(messages, patterns)
    for vector, pattern, (codeword, received, bad, reports) in zip(
        vectors, patterns, results, strict=True
    ):
        assert codeword[code.k :] == vector.parity
        changed = [a ^ b ^ c for a, b, c in zip(received, codeword, pattern, strict=True)]
        assert changed == placed(vector.corrections or {}, code.n)
        assert bad == (vector.corrections is None) and reports == (bool(vector.corrections), bad)


@cocotb.test()
async def encoder_latency(dut):
    """Two cycles from a word to the same word with its parity."""
    bench = Bench(dut, "encoder")
    _, _, begun = await bench.run([bench.message()] * 2, [bench.pattern([])] * 2)
    assert begun["coded"] == 3  # the first edge takes the word


@cocotb.test()
async def many(dut):
    """Random messages with any number of errors, in number by what the environment says."""
    bench = Bench(dut, "many")
    code, random = bench.code, bench.random
    missed = beyond = 0
    for _ in range(int(os.environ["ROUNDS"])):
        counts = [random.choice((0, random.randrange(code.t + 4))) for _ in range(200)]
        patterns = [bench.pattern(random.sample(range(code.n), count)) for count in counts]
        results, _, _ = await bench.run([bench.message() for _ in counts], patterns)
        for count, (codeword, received, bad, reports) in zip(counts, results, strict=True):
            if count <= code.t:
                assert received == codeword and reports == (count > 0, 0) and not bad
            else:
                beyond, missed = beyond + 1, missed + (not bad)
    dut._log.info(f"{beyond} codewords with more than {code.t} errors, {missed} taken for others")
    assert missed <= 1  # theory: two in a million


REGULAR = ["corrects", "marks", "only_checks", "encoder_latency"]
SMALL = {"Width": 4, "Poly": "4'd3", "Symbols": 2}
CODES = {
    "528": ({}, [*REGULAR, "as_the_model"]),
    "small, whole words": (SMALL | {"N": 12, "K": 6, "Scan": 3, "Lanes": 2}, REGULAR),
    "small, half words": (SMALL | {"N": 15, "K": 11, "Scan": 5, "Lanes": 1}, REGULAR),
}
LONG = {
    "528": {},
    "544": {"N": 544},
    "272": {"N": 272, "K": 258},
    "528 by 16": {"Symbols": 16},
    "544 by 16": {"N": 544, "Symbols": 16},
}


def simulate(parameters, tests, **more):
    sources = [*rtl("prim", "rsfec"), pathlib.Path(__file__).with_name("rsfec_bench.sv")]
    build_and_run("rsfec_bench", sources, parameters, __name__, testcase=tests, **more)


@pytest.mark.parametrize("code", CODES)
def test_rsfec(code):
    simulate(*CODES[code])


@pytest.mark.long
@pytest.mark.parametrize("code", LONG)
def test_rsfec_long(code):
    tests = [*REGULAR, "as_the_model", "many"]
    simulate(LONG[code], tests, env={"ROUNDS": "20"})
