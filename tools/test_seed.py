# SPDX-License-Identifier: Apache-2.0
"""Seeds: which one a run takes, and that the hunt reports every seed that fails."""

import math
import sys
from pathlib import Path

import pytest
import seed
import seeds


def test_a_run_takes_the_number_in_the_repository(monkeypatch):
    monkeypatch.delenv("SEED", raising=False)
    assert str(seed.seed()) == Path(seed.__file__).with_name("seed").read_text().strip()


def test_a_number_is_taken_as_it_is(monkeypatch):
    monkeypatch.setenv("SEED", "4294967295")
    assert seed.seed() == 4294967295


def test_fresh_draws(monkeypatch):
    monkeypatch.setenv("SEED", "fresh")
    assert len({seed.seed() for _ in range(8)}) > 1


@pytest.mark.parametrize("text", ["abc", "-1", "4294967296", "1.5"])
def test_anything_else_is_named(monkeypatch, text):
    monkeypatch.setenv("SEED", text)
    with pytest.raises(ValueError, match=f"SEED='{text}' is neither a number up to 4294967295"):
        seed.seed()


def some_test(code):
    return seeds.Test(
        "some", [sys.executable, "-c", f"import os; seed = int(os.environ['SEED']); {code}"]
    )


def test_the_hunt_names_every_seed_that_fails(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(seeds, "BUILD", seeds.ROOT / "build" / tmp_path.name)
    monkeypatch.setattr(seeds, "fresh", iter(range(10)).__next__)
    test = seeds.hunt(some_test("exit(seed % 3 == 2)"), seeds=4, short=10, below=60)
    assert (test.runs, test.failed) == (10, [2, 5, 8])
    said = capsys.readouterr().out
    assert all(f"FAILED some SEED={number} " in said for number in (2, 5, 8))
    assert "some: 10 seeds, 3 failed" in said


def test_a_call_with_several_seeds_tells_which_fail(monkeypatch, tmp_path):
    monkeypatch.setattr(seeds, "BUILD", seeds.ROOT / "build" / tmp_path.name)
    monkeypatch.setattr(seeds, "fresh", iter(range(30)).__next__)
    code = """
import os
bad = [seed for seed in os.environ["SEEDS"].split() if int(seed) % 7 == 6]
exit("\\n".join(f"cocotb tests failed, SEED={seed}, see there" for seed in bad) or 0)
"""
    test = seeds.Test("some", [sys.executable, "-c", code], most=10)
    seeds.hunt(test, seeds=4, short=25, below=60)
    assert (test.runs, test.failed) == (25, [6, 13, 20])


def test_a_long_test_has_fewer_seeds(monkeypatch):
    monkeypatch.setattr(seeds, "fresh", iter(range(10)).__next__)
    assert seeds.hunt(some_test("pass"), seeds=4, short=10, below=0).runs == 4


def test_a_hunt_goes_on_where_it_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(seeds, "BUILD", seeds.ROOT / "build" / tmp_path.name)
    monkeypatch.setattr(seeds, "fresh", iter(range(100)).__next__)
    text = tmp_path / "text"
    text.write_text("one")
    kept = tmp_path / "kept.json"

    def part(number, until=math.inf):
        test = some_test("exit(seed == 3)")
        test.files = [str(text)]
        seeds.hunt(test, number, number, 60, seeds.Record(kept), until)
        return test.runs, test.failed

    assert part(5) == (5, [3])
    assert part(7) == (7, [3])
    # Without time nothing is run, and what was counted stays.
    assert part(9, until=0) == (7, [3])
    assert part(8) == (8, [3])
    # Another text is another test.
    text.write_text("two")
    assert part(2) == (2, [])
