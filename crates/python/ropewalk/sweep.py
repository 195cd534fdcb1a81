# SPDX-License-Identifier: Apache-2.0
"""Many simulations, here or on the workers of a Dask cluster, and one table of them.

    from ropewalk import sweep

    sweep.run("grid.toml", "results.parquet")
    sweep.run("grid.toml", "results.parquet", scheduler="tcp://cluster:8786")

The table is the same, byte for byte, wherever the cases ran. A worker needs this package and a
checkout, which the environment variable ROPEWALK_ROOT names. What is done is in the journal beside
the table: a sweep that was cut short goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._native import RopewalkError, Sweep, run_case

__all__ = ["Verdict", "run"]

ATTEMPTS = 5
"""How often a case is run whose worker is lost each time."""

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Verdict:
    """How a sweep has ended."""

    ok: bool
    """Every case has a good result."""
    cases: int
    """Rows of the table."""
    resumed: int
    """Cases that the journal had already."""
    bad: int
    """Cases with a bad result."""
    out: Path
    """The table."""
    document: str
    """The same as `ropewalk sweep --json` prints it."""
    line: str
    """The same in a line."""


def run(
    grid: _Path,
    out: _Path | None = None,
    *,
    scheduler: Any = None,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Verdict:
    """Runs the cases of a grid that are not done yet, and writes the table.

    `scheduler` is the address of a Dask scheduler, or a `distributed.Client`; without it `jobs`
    threads of this process do it, one for each processor. `progress` hears how many of the missing
    cases are done, and how many they are; only with a scheduler. A case that cannot be run raises
    RopewalkError, which names it. After an interrupt of the keyboard no case is begun; here those
    that are under way are finished first.
    """
    if scheduler is not None and jobs is not None:
        raise ValueError(f"jobs {jobs} with a scheduler: accepted is one of the two")
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs {jobs}: accepted are 1 or more")
    sweep = Sweep(os.fspath(grid), None if out is None else os.fspath(out), fresh)
    if scheduler is None:
        sweep.run_here(jobs or os.cpu_count() or 1)
    elif cases := sweep.missing():
        _on_cluster(sweep, cases, scheduler, progress or (lambda done, total: None))
    document, line = sweep.finish()
    found = json.loads(document)
    counts = (found[name] for name in ("ok", "cases", "resumed", "bad"))
    return Verdict(*counts, Path(found["out"]), document, line)


def _on_cluster(
    sweep: Sweep, cases: list[str], scheduler: Any, progress: Callable[[int, int], object]
) -> None:
    """Has the workers run the cases; each counts as soon as its outcome is here."""
    try:
        import distributed
        import distributed.scheduler
    except ImportError as error:
        raise RopewalkError("there is no Dask here: pip install 'ropewalk[sweep]'") from error
    own = not isinstance(scheduler, distributed.Client)
    client = distributed.Client(scheduler) if own else scheduler
    try:
        # Not pure: a case that runs again is no reason to look for an older result.
        futures = client.map(run_case, cases, pure=False)
        names = {future.key: case for future, case in zip(futures, cases, strict=True)}
        attempts = dict.fromkeys(cases, 1)
        waiting = distributed.as_completed(futures)
        del futures
        done = 0
        for future in waiting:
            case = names.pop(future.key)
            if future.status == "finished":
                sweep.add(future.result())
                done += 1
                progress(done, len(cases))
                continue
            error = future.exception() if future.status == "error" else None
            if error is not None and not isinstance(error, distributed.scheduler.KilledWorker):
                raise error
            if attempts[case] == ATTEMPTS:
                raise RopewalkError(f"{case}: its worker was lost, {ATTEMPTS} times")
            attempts[case] += 1
            again = client.submit(run_case, case, pure=False)
            names[again.key] = case
            waiting.add(again)
    finally:
        if own:
            client.close()


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m ropewalk.sweep", allow_abbrev=False)
    parser.add_argument("grid", metavar="GRID")
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--scheduler", metavar="ADDRESS", required=True)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()

    def shown(done: int, total: int) -> None:
        if sys.stderr.isatty() and not options.quiet:
            print(f"\r{done} of {total} cases", end="", file=sys.stderr, flush=True)

    try:
        verdict = run(
            options.grid,
            options.out,
            scheduler=options.scheduler,
            fresh=options.fresh,
            progress=shown,
        )
    except KeyboardInterrupt:
        return 130
    except (RopewalkError, ValueError) as error:
        print(f"ropewalk: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"ropewalk: the scheduler {options.scheduler}: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(verdict.document, end="")
    elif not options.quiet:
        print(verdict.line)
    return 0 if verdict.ok else 1


if __name__ == "__main__":
    sys.exit(_main())
