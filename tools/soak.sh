#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Very long runs: the state machines in Rust over 1e9 frames in either mode, the RTL against them
# over 1e8 frames, a thousand resets, pulled cables and stuck lines each, one lane through every
# kind of channel, and four lanes in extended mode over 1e7 frames of each direction with everything
# wrong at once; HTSP with sixteen channels, one of them blocked, over 1e6 frames with losses, and 1
# GB of it through the kernel, whose receiver is killed a thousand times under load; RDMA over 1e5
# transfers of up to 1 MB, without and with losses, and with resets; 100 MB over engines, links and
# a switch; SLink with wrong bits; 10 GB of files over lanes with everything wrong, a million of
# them in bounded memory, and both ends killed at 200 random moments; all decoders fed by libFuzzer,
# 600 s each; queues and shared memory between threads under Miri; the test benches of further
# widths; and every random test with SEEDS fresh seeds, the short ones with three times as many;
# thirty random mistakes in the RTL of each core, and 150 in the crates. Takes many hours on two
# cores.
#
# usage: [SEED=number] [SOAK_PACKETS=n] [SOAK_TRANSFERS=n] [FAULTS=n] [SOAK_BYTES=n]
# [SOAK_FOLDER=directory] [FUZZ_SECONDS=n] [SEEDS=n] tools/soak.sh
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.tools/verilator/bin:$PATH:$HOME/.cargo/bin"

tools/setup.sh --dev
SEED=$(SEED=${SEED:-fresh} .venv/bin/python tools/seed.py)
SEEDS=${SEEDS:-100}
SOAK_PACKETS=${SOAK_PACKETS:-200000}
SOAK_TRANSFERS=${SOAK_TRANSFERS:-100000}
export SEED
echo "seed: SEED=$SEED"

failed=0
# The long tests of the crates are marked as ignored.
cargo test --profile checked --workspace --features ropewalk/lab --no-fail-fast -- --ignored --nocapture || failed=1
.venv/bin/python -m pytest -n 2 -m long cores tools || failed=1
.venv/bin/python tools/lint.py --every || failed=1
# The lock-free code under Miri, which only a nightly compiler has (rustup component add miri).
cargo +nightly miri test -p ropewalk-stripes --lib -- shared:: edge:: || failed=1

run() {
    core=$1
    shift
    echo "soak: ropewalk sim $core $*"
    target/release/ropewalk sim "$core" --seed "$SEED" "$@" || failed=1
}
one_lane() { run rifl --packets "$SOAK_PACKETS" "$@" && run rifl --compatible --packets "$SOAK_PACKETS" "$@"; }
# At least 1e7 frames with 30 bytes each, 137 a packet or 5.5.
four_lanes() { run rifl --lanes 4 --ber 1e-5 --stall 50 --skew 10 "$@"; }
four_lanes --ppm 100 --packets 75000 --size 1..8192
four_lanes --ppm -100 --packets 1900000 --size 1..300
for frame in 256 512; do
    for ber in 0 1e-7 1e-6 1e-5; do
        one_lane --frame-width $frame --ber $ber
    done
    one_lane --frame-width $frame --ber 1e-6 --cable 100m --ppm 100
    one_lane --frame-width $frame --ber 1e-6 --cable 300m --ppm -100 --stall 50
    one_lane --frame-width $frame --burst 1e-7:200:0.5 --stall 20
done
run htsp --vcs 16 --block 3 --frames 33400 --frame 64..2000 --loss 1e-4 --ber 1e-8
for mode in read write; do
    run slink --mode $mode --crc --ber 1e-5 --lanes 4 --size 4096 --ops 20000
    run slink --mode $mode --crc --ber 1e-7 --lanes 1 --size 524288 --ops 100 --skew 160
done
# Some 100 MB over four nodes and a switch.
run stack --topology star:4 --ber 1e-6 --transfers 4700 --size 1..256K
run rdma --transfers "$SOAK_TRANSFERS"
run rdma --transfers "$SOAK_TRANSFERS" --loss 1% --dup 1% --reorder 1% --late 1% --damage 1% --paths 4
run rdma --transfers "$SOAK_TRANSFERS" --size 1..20K --resets 1000 --local 10% --loss 1% --dup 1% --late 1%
# The whole engine, all channels of all pages at a time: 9 GB of memory.
run rdma --transfers "$SOAK_TRANSFERS" --pages 16 --outstanding 1024 --resets 10 --loss 1% --dup 1% --reorder 1% --late 1% --damage 1%
for topology in fat-tree:128 torus:4x4x4 random:200:7; do
    for workload in uniform bursty all-to-all; do
        run network --topology $topology --workload $workload --load 1 --ber 1e-6
    done
done
tools/fuzz.sh "${FUZZ_SECONDS:-600}" || failed=1
.venv/bin/python tools/mutate.py --seed "$SEED" || failed=1
.venv/bin/python tools/mutate_crates.py --seed "$SEED" || failed=1
.venv/bin/python tools/seeds.py --seeds "$SEEDS" --short $((3 * SEEDS)) || failed=1
[ $failed = 0 ] && echo "soak: all runs passed (SEED=$SEED)" || echo "soak: some runs FAILED (SEED=$SEED)"
exit $failed
