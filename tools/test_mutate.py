# SPDX-License-Identifier: Apache-2.0
"""Random mutants: a small design is really mutated, simulated and compared; the list of suites names tests that exist."""

import json
import sys

import mutate
import pytest
from common import ANY_LENGTH, ROOT, run

LINE = (
    "mutate -mode inv -module m -cell $1 -port Y -portbit 0 -wire store -wirebit 0 "
    "-src cores/prim/rtl/m.sv:66.9 -src cores/prim/rtl/m.sv:76.18-76.48"
)


def test_a_mutation_is_named_by_its_place():
    assert (
        mutate.where(LINE)
        == "inv of store[0] (cores/prim/rtl/m.sv:66.9, cores/prim/rtl/m.sv:76.18-76.48)"
    )


def test_a_suite_draws_from_its_files():
    def holds(*files):
        return mutate.Suite("prim", "any", [], list(files)).holds(LINE)

    assert holds("*") and holds("m.sv") and holds("*", "!other.sv")
    assert not holds("other*.sv") and not holds("*", "!m.sv") and not holds("!other.sv")


@pytest.fixture
def suite(monkeypatch):
    """The skid buffer, with the folder and the results of a test."""
    folder = ROOT / "build" / "mutate-test"
    monkeypatch.setattr(mutate, "FOLDER", folder)
    monkeypatch.setattr(mutate, "RESULTS", folder / "results.json")
    test = "cores/prim/tb/test_prim_skid.py::test_prim_skid[2]"
    made = mutate.Suite("prim", "skid", [test], ["*"])
    (folder / "results.json").unlink(missing_ok=True)
    monkeypatch.setattr(mutate, "read_suites", lambda core: [made])
    return made


@pytest.mark.long
def test_mutants_are_killed_and_kept(suite):
    assert mutate.measure("prim", count=3, seed=1, jobs=1)
    kept = json.loads(mutate.RESULTS.read_text())
    assert [(row["core"], row["mutants"], row["killed"]) for row in kept] == [("prim", 3, 3)]


def test_a_survivor_is_no_success_and_an_equal_design_is_no_mistake(suite, monkeypatch, capsys):
    monkeypatch.setattr(mutate, "killed", lambda suite, number: False)
    assert not mutate.measure("prim", count=2, seed=1, jobs=1)
    assert "survived: prim/skid: " in capsys.readouterr().out
    # Stuck at the value that the pin has anyhow: what the checker proves equal does not count.
    suite.mutations = [suite.mutations[0].replace("mutate -mode ", "select -none; #")]
    assert mutate.equivalent(suite, 1)


def test_every_suite_names_tests_of_its_core():
    words = ["--collect-only", "-q", "-p", "no:cacheprovider", *ANY_LENGTH, "cores"]
    done = run([sys.executable, "-m", "pytest", *words])
    collected = set(done.stdout.splitlines())
    for path in sorted((ROOT / "cores").glob("*/mutants.toml")):
        for made in mutate.read_suites(path.parent.name):
            for node in made.tests:
                assert node.startswith(f"cores/{made.core}/tb/")
                assert any(one == node or one.startswith(f"{node}[") for one in collected), node
