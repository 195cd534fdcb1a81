#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Very long runs: the state machines in Rust over 1e9 frames, the RTL against them over 1e8 frames, and the lane through every
# kind of channel with generated traffic. Takes hours on two cores.
#
# usage: [SEED=number] [SOAK_PACKETS=n] tools/soak.sh
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.tools/verilator/bin:$PATH:$HOME/.cargo/bin"

SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
SOAK_PACKETS=${SOAK_PACKETS:-200000}
export SEED
echo "seed: SEED=$SEED"

# The long tests of the crates are marked as ignored.
cargo test --release --workspace -- --ignored --nocapture

failed=0
run() {
    echo "soak: ropewalk sim rifl $*"
    target/release/ropewalk sim rifl --seed "$SEED" --packets "$SOAK_PACKETS" "$@" || failed=1
}
for frame in 256 512; do
    for ber in 0 1e-7 1e-6 1e-5; do
        run --frame-width $frame --ber $ber
    done
    run --frame-width $frame --ber 1e-6 --cable 100m --ppm 100
    run --frame-width $frame --ber 1e-6 --cable 300m --ppm -100 --stall 50
    run --frame-width $frame --burst 1e-7:200:0.5 --stall 20
done
[ $failed = 0 ] && echo "soak: all runs passed (SEED=$SEED)" || echo "soak: some runs FAILED (SEED=$SEED)"
exit $failed
