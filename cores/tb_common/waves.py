# SPDX-License-Identifier: Apache-2.0
"""Waveforms of the book: what signals of a test bench do, cycle by cycle.

A test records them and compares them with docs/src/waves/<name>.json, from which tools/docs.py draws
the picture. With WAVEFORMS=write it writes that file instead: a picture of the book is always what the
RTL does.
"""

import json
import os

from cocotb.triggers import RisingEdge

from tb_common.build import ROOT

FOLDER = ROOT / "docs/src/waves"
# Signals that are drawn as a line, and what stands for a value that nobody is to look at.
LEVELS, NOTHING = ("0", "1"), "x"


class Waveform:
    """Signals at each rising edge of a clock, as what samples them sees them.

    clk      the clock
    signals  for each label a function that gives what is shown: 0 or 1 for a line; a text for a value;
             None where nothing of interest is there
    """

    def __init__(self, clk, signals):
        self.clk, self.signals = clk, signals
        self.seen = {label: [] for label in signals}

    async def record(self, cycles):
        """Records these cycles, the one that ends with the next edge first."""
        for _ in range(cycles):
            await RisingEdge(self.clk)
            for label, value in self.signals.items():
                now = value()
                self.seen[label].append(NOTHING if now is None else str(now))

    def rows(self):
        """The signals in the form of WaveDrom."""
        rows = [{"name": "clock", "wave": "p" + "." * (len(next(iter(self.seen.values()))) - 1)}]
        for label, values in self.seen.items():
            wave, data = "", []
            for before, now in zip([None, *values], values, strict=False):
                if now == before:
                    wave += "."
                elif now in (*LEVELS, NOTHING):
                    wave += now
                else:
                    wave += "="
                    data.append(now)
            rows.append({"name": label, "wave": wave} | ({"data": data} if data else {}))
        return rows

    def check(self, name):
        """The picture of the book shows this."""
        text = json.dumps({"signal": self.rows()}, indent=1) + "\n"
        path = FOLDER / f"{name}.json"
        if os.environ.get("WAVEFORMS") == "write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is missing: run this test with WAVEFORMS=write"
        said = "is not what the RTL does: run this test with WAVEFORMS=write"
        assert path.read_text() == text, f"{path} {said}"


def level(signal, index=0):
    """A bit of a signal, as a level."""
    return lambda: int(signal.value) >> index & 1


def shown(valid, text):
    """A text while a level is 1, else nothing."""
    return lambda: text() if valid() else None
