# SPDX-License-Identifier: Apache-2.0
"""pytest set-up of the repository: what cannot run here is counted, and with CI=true it fails."""

import os
import pathlib

import pytest

# They wait for what the Rust tests compile at the same time: late enough, and not last.
LATE, FROM = "tools/test_wheel.py", 0.6

# As crates/testkit has it for Rust: tools/test.sh empties this file at its start, and shows it in
# its summary.
SKIPPED = pathlib.Path(__file__).resolve().parent / "build" / "test" / "skipped"


def count(report):
    """Adds a skip to the list; with CI=true it fails. An expected failure is no skip."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    line = f"{report.nodeid}: {why.removeprefix('Skipped: ')}"
    if os.environ.get("CI") == "true":
        report.outcome, report.longrepr = "failed", f"skipped where CI=true: {line}"
        return
    SKIPPED.parent.mkdir(parents=True, exist_ok=True)
    with SKIPPED.open("a") as file:
        file.write(line + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    count(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    count(report)
    return report


def pytest_collection_modifyitems(items):
    late = [item for item in items if item.nodeid.startswith(LATE)]
    others = [item for item in items if not item.nodeid.startswith(LATE)]
    at = int(len(others) * FROM)
    items[:] = [*others[:at], *late, *others[at:]]
