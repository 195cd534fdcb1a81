# SPDX-License-Identifier: Apache-2.0
"""What the packet ring of an interface does by itself, and what of it reaches NumPy.

The same sender, whose frames were made before, sends over a cable: to a ring whose frames are
dropped as they come, and to `ropewalk.htsp.Receiver`. Both take turns, and the medians count. On a
machine with other work run it with `chrt -f 1`: where processors are short, whoever copies is late,
and a ring that is only emptied is not.

usage: python htsp_rate.py [--bytes N] [--rounds N] [--burst N] [--least SHARE]     (rope0 and rope1: a cable)
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

from ropewalk import _native, htsp


def ring(total: int, burst: int) -> tuple[int, float]:
    """Bytes and seconds of the ring alone."""
    load = _native.HtspLoad("rope0", burst)
    count, seconds, _ = _native.measure_ring("rope1", total)
    load.stop()
    return count, seconds


def numpy(total: int, burst: int) -> tuple[int, float, int]:
    """Bytes and seconds of arrays, and places where something is missing but the start."""
    with htsp.Receiver("rope1", channels=[0], timeout=10) as receiver:
        load = _native.HtspLoad("rope0", burst)
        count, begun = 0, 0.0
        for batch in receiver:
            if batch.data.size and not begun:
                begun = time.perf_counter()
                continue
            count += batch.data.nbytes
            if count >= total:
                break
        seconds = time.perf_counter() - begun
        load.stop()
        return count, seconds, len(receiver.missing()) - 1


def main() -> int:
    """Prints a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=4 << 30)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--burst", type=int, default=8192)
    parser.add_argument("--least", type=float, default=0.0)
    asked = parser.parse_args()
    rates: dict[str, list[float]] = {"ring": [], "numpy": []}
    gaps = 0
    for _ in range(asked.rounds):
        count, seconds = ring(asked.bytes, asked.burst)
        rates["ring"].append(count * 8e-9 / seconds)
        count, seconds, missing = numpy(asked.bytes, asked.burst)
        rates["numpy"].append(count * 8e-9 / seconds)
        gaps += missing
    medians = {name: statistics.median(values) for name, values in rates.items()}
    share = medians["numpy"] / medians["ring"]
    print(
        json.dumps(
            {
                "ring_gbps": round(medians["ring"], 2),
                "numpy_gbps": round(medians["numpy"], 2),
                "share": round(share, 3),
                "gaps": gaps,
                "rounds": {name: [round(it, 2) for it in all_] for name, all_ in rates.items()},
            }
        )
    )
    return int(share < asked.least)


if __name__ == "__main__":
    sys.exit(main())
