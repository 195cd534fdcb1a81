# SPDX-License-Identifier: Apache-2.0
"""line_64b66b_tx (and line_gearbox_tx in it): the bits of the line against the model, the pace, resets."""

import itertools

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from line_64b66b_model import BLOCK, ORDER, WORDS, Scrambler, bits_of, encode
from tb_common import build_and_run, cycles, params, rng, rtl, start_clock

CYCLES = 33  # of eight blocks
LATENCY = 5


class Bench:
    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.lanes = params()["Lanes"]
        self.words, self.line, self.ready = [], [], []

    async def run(self, count):
        """Random words of all lanes; what was taken, and the bits of each lane."""
        dut = self.dut
        for _ in range(count):
            share = self.random.choice([0, 0.3, 1])
            words = [
                (1, self.random.randrange(16))
                if self.random.random() < share
                else (0, self.random.getrandbits(16))
                for _ in range(self.lanes)
            ]
            dut.s_k_i.value = sum(k << i for i, (k, _) in enumerate(words))
            dut.s_data_i.value = sum(value << 16 * i for i, (_, value) in enumerate(words))
            await RisingEdge(dut.clk_i)
            self.ready.append(int(dut.s_ready_o.value))
            if self.ready[-1]:
                self.words.append(words)
            self.line.append(int(dut.data_o.value))

    def bits(self, lane):
        return [bit for raw in self.line for bit in bits_of(raw >> 16 * lane & 0xFFFF, 16)]

    def expected(self, lane):
        scrambler = Scrambler([1] * ORDER)
        bits = []
        for at in range(0, len(self.words) - WORDS + 1, WORDS):
            header, payload = encode([words[lane] for words in self.words[at : at + WORDS]])
            bits += header + scrambler.step(payload)
        return bits


@cocotb.test()
async def line(dut):
    """From a reset at any time: every bit of every lane, 5 cycles behind the words, and one cycle of 33 without a word."""
    random = rng("line")
    start_clock(dut.clk_i, 1000)
    for _ in range(6):
        dut.rst_i.value = 1
        await cycles(dut.clk_i, random.randrange(3, 6))
        dut.rst_i.value = 0
        bench = Bench(dut, random)
        await bench.run(random.randrange(10, 12 * CYCLES))
        pace = bench.ready
        stops = [at for at, ready in enumerate(pace) if not ready]
        assert all(b - a == CYCLES for a, b in itertools.pairwise(stops))
        assert len(stops) >= len(pace) // CYCLES
        for lane in range(bench.lanes):
            got, want = bench.bits(lane), bench.expected(lane)
            first = 16 * LATENCY
            assert not any(got[:first])
            usable = min(len(got) - first, len(want) // BLOCK * BLOCK)
            assert got[first : first + usable] == want[:usable], lane
            assert usable >= min(len(want), len(got) - first) - BLOCK


@pytest.mark.parametrize("lanes", [1, 4])
def test_line_64b66b_tx(lanes):
    build_and_run(
        "line_64b66b_tx",
        rtl("prim", "line"),
        {"Lanes": lanes},
        __name__,
        testcase="line",
    )
