#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints every table and figure of the papers, ours beside theirs, and writes a page with plots,
# build/bench/index.html. An interrupted run goes on. Arguments are handed on (--quick, --full,
# --json, --seed N, --fresh).
set -eu
cd "$(dirname "$0")/.."
exec target/release/ropewalk bench --keep build/bench "$@"
