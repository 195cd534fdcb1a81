#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs area.py or proof.py in the work folder of a FuseSoC target, on the files that FuseSoC has put there.

usage: flow.py synth MODULE [OPTION ...] | flow.py formal LIBRARY [OPTION ...]

The options are those of area.py and of proof.py.

FuseSoC copies each core to a folder of its own (or leaves it where it is, with --no-export). This makes the folder look
like the repository: cores/<library> leads to the core whose files the list for Verilator names. tools/ is there already.
"""

from __future__ import annotations

import os
import sys

import area
import proof
from common import ROOT, fail

COMMANDS = {"synth": (area, "--top"), "formal": (proof, "--only")}


def link_cores() -> None:
    """Makes cores/<library> for every core of the target."""
    folder = ROOT / "cores"
    folder.mkdir(exist_ok=True)
    for listing in ROOT.glob("*.vc"):
        for word in listing.read_text().split():
            if word.endswith(".sv"):
                home = (ROOT / word).resolve().parent.parent
                link = folder / next(home.glob("*.core")).stem
                link.unlink(missing_ok=True)
                # Yosys in WebAssembly follows no absolute link.
                link.symlink_to(os.path.relpath(home, folder))


def main() -> None:
    """Command line."""
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        fail(f"usage: flow.py {'|'.join(COMMANDS)} NAME [OPTION ...]")
    link_cores()
    module, option = COMMANDS[sys.argv[1]]
    name = sys.argv[2] + ("/" if module is proof else "")
    sys.argv[1:] = [option, name, *sys.argv[3:]]
    module.main()


if __name__ == "__main__":
    main()
