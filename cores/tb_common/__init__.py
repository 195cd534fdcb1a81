# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of the cocotb tests.

On the pytest side:       build_and_run, rtl, ROOT
Either side:              golden, frames that the published cores sent
Inside the simulator:     params, rng, start_clock, StoppableClock, reset, Source, Sink, cycles, stall

A test file holds both: coroutines with `@cocotb.test()` (name them without the prefix `test_`, so
that pytest does not collect them) and a pytest function that calls `build_and_run(...)`.
"""

from tb_common.build import ROOT, build_and_run, rtl
from tb_common.sim import (
    Sink,
    Source,
    StoppableClock,
    cycles,
    params,
    reset,
    rng,
    stall,
    start_clock,
)

__all__ = [
    "ROOT",
    "Sink",
    "Source",
    "StoppableClock",
    "build_and_run",
    "cycles",
    "params",
    "reset",
    "rng",
    "rtl",
    "stall",
    "start_clock",
]
