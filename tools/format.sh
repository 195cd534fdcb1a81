#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats everything in place: SystemVerilog, Rust, Python. `tools/lint.py` checks the same.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"

.venv/bin/python tools/lint.py --format
cargo fmt --all
cargo fmt --manifest-path crates/peers/Cargo.toml
ruff format --quiet .
ruff check --quiet --fix . || true
