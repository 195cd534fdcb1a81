#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package for this machine: build/wheels/ropewalk-*.whl.
#
# usage: tools/wheel.sh [--profile NAME] [FOLDER]
#
#   --profile  Cargo's profile; default release
#   FOLDER     where the wheel goes; default build/wheels
set -eu
profile=release
if [ "${1:-}" = --profile ]; then
    profile=${2:?"wheel.sh: --profile needs a name"}
    shift 2
fi
if [ $# -gt 1 ]; then
    echo "usage: tools/wheel.sh [--profile NAME] [FOLDER]" >&2
    exit 2
fi
mkdir -p "${1:-$(dirname "$0")/../build/wheels}"
folder=$(cd "${1:-$(dirname "$0")/../build/wheels}" && pwd)
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"
export PATH
rm -f "$folder"/ropewalk-*.whl
maturin build --quiet --profile "$profile" --compatibility linux \
    --manifest-path crates/python/Cargo.toml --out "$folder"
ls "$folder"/ropewalk-*.whl
