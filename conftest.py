# SPDX-License-Identifier: Apache-2.0
"""pytest set-up of the repository: what cannot run here is counted, and with CI=true it fails."""

import os
import pathlib
import resource

import pytest

# They wait for what the Rust tests compile at the same time: late enough, and not last.
LATE, FROM = "tools/test_wheel.py", 0.6

# As crates/testkit has it for Rust: tools/test.sh empties this file at its start, and shows it in
# its summary.
LOGS = pathlib.Path(__file__).resolve().parent / "build" / "test"
SKIPPED = LOGS / "skipped"
# A line for each test: seconds of processor time, name. tools/test.sh shows the longest.
SPENT = LOGS / "spent"
# A test runs this pytest, and what it costs counts there.
NESTED = "PYTEST_CURRENT_TEST" in os.environ


def note(path, line):
    """Adds a line to a log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(line + "\n")


def count(report):
    """Adds a skip to the list; with CI=true it fails. An expected failure is no skip."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    line = f"{report.nodeid}: {why.removeprefix('Skipped: ')}"
    if os.environ.get("CI") == "true":
        report.outcome, report.longrepr = "failed", f"skipped where CI=true: {line}"
        return
    note(SKIPPED, line)


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


def spent():
    """Processor time of this process and of those that it has waited for, in seconds."""
    of = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, of))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Tests wait for each other and for a processor: what each costs is its processor time."""
    before = spent()
    result = yield
    if not NESTED:
        note(SPENT, f"{spent() - before:.1f} {item.nodeid}")
    return result


def pytest_collection_modifyitems(items):
    late = [item for item in items if item.nodeid.startswith(LATE)]
    others = [item for item in items if not item.nodeid.startswith(LATE)]
    at = int(len(others) * FROM)
    items[:] = [*others[:at], *late, *others[at:]]
