# SPDX-License-Identifier: Apache-2.0
"""Codewords by the thousand, and by the million: all numbers of errors of all kinds, made and checked in SystemVerilog; those that
are taken for others against theory."""

import functools
import math
import os
import pathlib
import time

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, reset, rtl, start_clock

VALUES = 1024
KINDS = ("anywhere", "in a row", "first", "last", "border")
BEYOND = 4  # numbers of wrong symbols beyond T, and then all


@functools.cache
def codewords(n, k, weight):
    """Codewords of this weight: the code is as long between codewords as one can be (MDS)."""
    distance = n - k + 1
    if weight < distance:
        return 0
    return math.comb(n, weight) * sum(
        (-1) ** i * math.comb(weight, i) * (VALUES ** (weight - distance + 1 - i) - 1)
        for i in range(weight - distance + 1)
    )


def missed(n, k, wrong):
    """The share of patterns of this number of wrong symbols that are as near to another codeword as can be corrected."""
    near = 0
    t = (n - k) // 2
    for weight in range(max(wrong - t, 0), min(wrong + t, n) + 1):
        # Of a codeword's symbols `gone` are right, `changed` wrong otherwise; `more` are beside it.
        for gone in range(t + 1):
            more = wrong - weight + gone
            for changed in range(t + 1 - gone - max(more, 0)):
                if 0 <= more <= n - weight:
                    near += (
                        codewords(n, k, weight)
                        * math.comb(weight, gone)
                        * math.comb(weight - gone, changed)
                        * (VALUES - 2) ** changed
                        * math.comb(n - weight, more)
                        * (VALUES - 1) ** more
                    )
    patterns = math.comb(n, wrong) * (VALUES - 1) ** wrong
    return near * 10**30 // patterns / 1e30


def table(value, rows, columns):
    """Counts by kind and number."""
    value = int(value)
    return [
        [value >> 32 * (columns * row + column) & 0xFFFFFFFF for column in range(columns)]
        for row in range(rows)
    ]


@cocotb.test()
async def soak(dut):
    """Up to T wrong symbols corrected, more marked or taken for another codeword, as rarely as calculated."""
    n, k = (int(params()[name]) for name in "NK")
    t, count = (n - k) // 2, int(os.environ["COUNT"])
    start_clock(dut.clk_i, 1000)
    dut.count_i.value = count
    begin = time.monotonic()
    await reset(dut.clk_i, dut.rst_i)
    await RisingEdge(dut.done_o)
    seconds = time.monotonic() - begin
    numbers = [*range(t + BEYOND + 1), n]
    seen, others = (table(v.value, len(KINDS), len(numbers)) for v in (dut.seen_o, dut.missed_o))
    dut._log.info(f"RS({n},{k}): {count} codewords in {seconds:.0f} s, SEED={os.environ['SEED']}")
    dut._log.info(f"  wrong symbols, codewords by kind ({', '.join(KINDS)}), taken for others")
    total, expected = 0, 0.0
    for column, wrong in enumerate(numbers):
        each = [row[column] for row in seen]
        taken = sum(row[column] for row in others)
        text = f"  {wrong:3}" + "".join(f"{number:8}" for number in each)
        if wrong > t:
            theory = sum(each) * missed(n, k, wrong)
            total, expected = total + taken, expected + theory
            text += f"  {taken}, calculated {theory:.2g}"
        dut._log.info(text)
        assert all(each) and not (wrong <= t and taken)
    dut._log.info(f"  {total} taken for another codeword, calculated {expected:.2g}")
    assert int(dut.faults_o.value) == 0, f"codeword {int(dut.first_o.value)}"
    assert sum(map(sum, seen)) >= count
    assert abs(total - expected) <= 5 * expected**0.5 + 1


def simulate(parameters, count):
    here = pathlib.Path(__file__).parent
    sources = [*rtl("prim", "rsfec"), here / "rsfec_bench.sv", here / "rsfec_soak.sv"]
    build_and_run("rsfec_soak", sources, parameters, __name__, env={"COUNT": str(count)})


CODES = {
    "528": {"N": 528, "K": 514},
    "544": {"N": 544, "K": 514},
    "272": {"N": 272, "K": 258},
    "256": {"N": 256, "K": 244, "Symbols": 8, "Steps": 1, "Scan": 16, "Lanes": 1},
    # So weak that there is much to be counted of what is taken for others.
    "528, 6 of parity": {"N": 528, "K": 522},
}


@pytest.mark.long
def test_rsfec_soak():
    simulate(CODES["528"], 4000)


@pytest.mark.long
@pytest.mark.parametrize("code", CODES)
def test_rsfec_soak_long(code, monkeypatch):
    monkeypatch.setenv("TB_TIMEOUT", "3600")
    simulate(CODES[code], 1000000 if code == "528" else 250000)
