#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is checked before a change is taken. Every step runs even if one before it failed; the summary at the end
# says which did.
#
# usage: [SEED=number] tools/test.sh
#
# Random tests take their seed from SEED. Without one a fresh seed is drawn and printed.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH="$PWD/.tools/verilator/bin:$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"
export PATH

tools/setup.sh --dev || exit $?
# The report page is looked at in a browser; on a machine of one's own that test may be left out, in CI it may not.
tools/setup.sh --browser || [ "${CI:-}" != true ] || exit 2

SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
export SEED
echo "seed: SEED=$SEED"

summary=""
failed=0
step() {
    name=$1
    shift
    echo
    echo "=== $name"
    begin=$(date +%s)
    if "$@"; then said=ok; else said=FAILED failed=1; fi
    took=$(($(date +%s) - begin))
    summary="$summary$(printf '\n  %-8s %5d s  %s' $said $took "$name")"
}

rust_tests() { cargo test --release --workspace --no-fail-fast; }

python_tests() {
    folders=""
    for folder in cores tools tests; do [ -d $folder ] && folders="$folders $folder"; done
    # shellcheck disable=SC2086 # a list of folders
    .venv/bin/python -m pytest -n 2 $folders
}

step "build" cargo build --release
step "lint" .venv/bin/python tools/lint.py
step "Rust tests" rust_tests
step "Python tests (cores, tools)" python_tests
step "formal proofs" .venv/bin/python tools/proof.py

echo
echo "=== summary (seed SEED=$SEED)$summary"
[ $failed = 0 ] && echo "All checks passed." || echo "Some checks FAILED."
exit $failed
