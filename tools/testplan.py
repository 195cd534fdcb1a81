#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test plan of the cores, from data: what each core promises, and which tests and proofs hold it to that.

usage: testplan.py [CORE ...] [--check]

cores/CORE/testplan.toml lists intents: `name`, `says` (what has to hold), `tests` (BENCH::TEST, a coroutine of
cores/CORE/tb/test_BENCH.py) and `proofs` (lines of cores/CORE/formal/proofs.txt). BENCH::* stands for all tests of a bench. Prints
the plan as Markdown, each test with the first line of its own documentation. `--check` prints nothing but what is wrong:
a name that there is not, a test or proof that stands under no intent, a test that no run of its bench selects, a core
without a plan.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib

from common import ROOT, fail


def documented(core: str) -> dict[str, str]:
    """Every coroutine of the core's test benches: BENCH::TEST and the first line of its documentation."""
    found = {}
    for path in sorted((ROOT / "cores" / core / "tb").glob("test_*.py")):
        bench = path.stem.removeprefix("test_")
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.AsyncFunctionDef) and any(
                "cocotb.test" in ast.unparse(decorator) for decorator in node.decorator_list
            ):
                # Many tests have a sentence for a name.
                text = ast.get_docstring(node) or node.name.replace("_", " ")
                found[f"{bench}::{node.name}"] = text.split("\n")[0].rstrip(".")
    return found


def selects(run: ast.Call) -> bool:
    """Whether a run of a bench names its tests itself: not all of them, and none handed to it."""
    chosen = [word.value for word in run.keywords if word.arg in ("testcase", "test_filter")]
    return any(not (isinstance(value, ast.Name) and value.id.islower()) for value in chosen)


def unselected(core: str) -> list[str]:
    """Coroutines of benches all of whose runs name their tests, and none of them these."""
    found = []
    for path in sorted((ROOT / "cores" / core / "tb").glob("test_*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        runs = [call for call in calls if ast.unparse(call.func) == "build_and_run"]
        if not runs or not all(map(selects, runs)):
            continue
        texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
        names = [text for text in texts if re.fullmatch(r"[\w|^$]{4,}", str(text))]
        bench = path.stem.removeprefix("test_")
        for test in documented(core):
            of, name = test.split("::")
            if of == bench and not any(re.search(str(text), name) for text in names):
                found.append(test)
    return found


def proved(core: str) -> set[str]:
    """Names of the core's proofs; those that have to be refuted only show that others can fail."""
    listing = ROOT / "cores" / core / "formal" / "proofs.txt"
    lines = listing.read_text().splitlines() if listing.is_file() else []
    lines = [line.split("#")[0] for line in lines]
    return {
        line.split("|")[0].strip() for line in lines if "|" in line and "expect=fail" not in line
    }


def spread(name: str, tests: dict[str, str]) -> list[str]:
    """The tests that a name stands for."""
    if not name.endswith("::*"):
        return [name]
    return [test for test in tests if test.startswith(name[:-1])] or [name]


def complaints(core: str) -> list[str]:
    """What is wrong with a core's plan."""
    path = ROOT / "cores" / core / "testplan.toml"
    where = path.relative_to(ROOT)
    if not path.is_file():
        return [f"{where}: there is none"]
    tests, proofs = documented(core), proved(core)
    plan = tomllib.loads(path.read_text())["intent"]
    named = {t for intent in plan for n in intent.get("tests", []) for t in spread(n, tests)}
    shown = {p for intent in plan for p in intent.get("proofs", [])}
    return [
        *(f"{where}: there is no test {name}" for name in sorted(named - tests.keys())),
        *(f"{where}: there is no proof {name}" for name in sorted(shown - proofs)),
        *(f"{where}: no intent names the test {name}" for name in sorted(tests.keys() - named)),
        *(f"{where}: no intent names the proof {name}" for name in sorted(proofs - shown)),
        *(f"cores/{core}: no run of the bench selects {name}" for name in unselected(core)),
    ]


def markdown(core: str) -> str:
    """The plan of a core."""
    tests = documented(core)
    plan = tomllib.loads((ROOT / "cores" / core / "testplan.toml").read_text())["intent"]
    lines = [f"## {core}", "", "| intent | tests and proofs |", "|---|---|"]
    for intent in plan:
        names = [t for name in intent.get("tests", []) for t in spread(name, tests)]
        held = [f"`{name}`: {tests[name]}".replace("|", "\\|") for name in names]
        held += [f"proof `{core}/{name}`" for name in intent.get("proofs", [])]
        lines.append(f"| **{intent['name']}** {intent['says']} | {'<br>'.join(held)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Command line."""
    every = sorted(path.parent.name for path in (ROOT / "cores").glob("*/tb"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cores", nargs="*", metavar="CORE")
    parser.add_argument("--check", action="store_true", help="say what is wrong, print no plan")
    args = parser.parse_args()
    if unknown := set(args.cores) - set(every):
        fail(f"no core {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    cores = args.cores or every
    wrong = [line for core in cores for line in complaints(core)]
    for line in wrong:
        print(line, file=sys.stderr)
    if not args.check and not wrong:
        print("\n".join(markdown(core) for core in cores), end="")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
