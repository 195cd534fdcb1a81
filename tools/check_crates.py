#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every crate of the workspace has to say about itself, and whether those that are published can be.

usage: check_crates.py [--build]

Every crate inherits the licence, the oldest Rust (no dependency needs a newer one) and the lints.
A crate that is published has what a registry shows, and a library has an example. Cargo then packages those
crates and may warn of nothing; with --build the compiler checks each as it is packaged.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from common import BUILD, ROOT, run

INHERITED = ("version", "edition", "rust-version", "license")
SHOWN = ("description", "readme", "documentation", "keywords", "categories")
# Limits of the registry.
MOST = {"keywords": 5, "categories": 5}


def release(text: str) -> tuple[int, ...]:
    """A version of Rust as numbers that compare, 1.89 like 1.89.0."""
    numbers = tuple(map(int, text.split(".")))
    return numbers + (0,) * (3 - len(numbers))


def check_crate(manifest: dict, package: dict) -> list[str]:
    """What is wrong with the manifest of a crate."""
    stated = manifest["package"]
    found = [
        f"{key} is not that of the workspace"
        for key in INHERITED
        if stated.get(key) != {"workspace": True}
    ]
    if manifest.get("lints") != {"workspace": True}:
        found.append("lints are not those of the workspace")
    if package["publish"] == []:
        return found
    found += [f"no {key}" for key in SHOWN if not stated.get(key)]
    for key, most in MOST.items():
        if len(stated.get(key, [])) > most:
            found.append(f"more than {most} {key}")
    folder = Path(package["manifest_path"]).parent
    found += [f"no {name}" for name in ("README.md", "LICENSE") if not (folder / name).is_file()]
    kinds = {kind for target in package["targets"] for kind in target["kind"]}
    if kinds & {"lib", "rlib"} and "bin" not in kinds and "example" not in kinds:
        found.append("a library without an example")
    return found


def packaged(names: list[str]) -> str:
    """What cargo says of packages, if it is anything."""
    command = ["cargo", "package", "--quiet", "--allow-dirty", "--locked", "--no-verify"]
    for name in names:
        command += ["--package", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    failed = done.returncode != 0 or "warning:" in done.stderr
    return done.stderr.strip() or "cargo package failed" if failed else ""


def compiled(packages: dict[str, str]) -> str:
    """What the compiler says of packages (name, version) as they are, outside of the tree.

    They are a workspace of their own that finds its members where a registry would be. It has the
    lock file, the profile and the folder of the tests: what others wrote is compiled already.
    """
    folder = BUILD / "packages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, version in packages.items():
        package = ROOT / f"target/package/{name}-{version}.crate"
        shutil.unpack_archive(package, folder, "gztar")
    shutil.copy(ROOT / "Cargo.lock", folder)
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())
    members = {name: f"{name}-{version}" for name, version in packages.items()}
    (folder / "Cargo.toml").write_text(
        f"[workspace]\nresolver = {workspace['workspace']['resolver']!r}\n"
        f"members = {list(members.values())!r}\n[patch.crates-io]\n"
        + "".join(
            f"{name} = {{ path = {path!r} }}\n"
            for name, path in members.items()
            if name in workspace["workspace"]["dependencies"]
        )
        + profiles((ROOT / "Cargo.toml").read_text())
    )
    command = ["cargo", "check", "--quiet", "--profile", "checked", "--workspace"]
    command += ["--target-dir", str(ROOT / "target")]
    done = run(command, cwd=folder)
    return done.stdout.strip() or ("cargo check failed" if done.returncode else "")


def profiles(manifest: str) -> str:
    """The tables of a manifest that say how to compile, but for crates of the workspace."""
    tables = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    return "".join(
        text for text in tables if text.startswith("[profile.") and ".package.ropewalk" not in text
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true", help="compile each crate as packaged")
    args = parser.parse_args()
    done = run(["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"])
    if done.returncode != 0:
        print(done.stdout)
        return 1
    metadata = json.loads(done.stdout[done.stdout.index("{") :])
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"][
        "rust-version"
    ]
    complaints = []
    members = set(metadata["workspace_members"])
    for package in metadata["packages"]:
        name = package["name"]
        if package["id"] in members:
            manifest = tomllib.loads(Path(package["manifest_path"]).read_text())
            complaints += [f"{name}: {text}" for text in check_crate(manifest, package)]
        elif release(package["rust_version"] or "1") > release(oldest):
            complaints.append(
                f"{name} {package['version']} needs Rust {package['rust_version']}, more than {oldest}"
            )
    print("\n".join(complaints), end="\n" if complaints else "")
    if complaints:
        return 1
    versions = {
        package["name"]: package["version"]
        for package in metadata["packages"]
        if package["id"] in members and package["publish"] != []
    }
    names = sorted(versions)
    said = packaged(names) or (compiled(versions) if args.build else "")
    print(said or f"{len(names)} crates can be published: {', '.join(names)}")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
