#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Feeds everything that reads bytes of strangers with what libFuzzer makes of honest ones, each for
# SECONDS seconds (default 60). A stable Rust and g++ are enough; nothing is installed.
#
# usage: tools/fuzz.sh [SECONDS] [TARGET...]
#
# What ends a target stays in fuzz/artifacts; `target/fuzz/.../release/TARGET FILE` feeds it once
# more. When it is mended, put the file into fuzz/found/TARGET: the tests feed it from then on.
# Memory is bounded: a target that takes more than MEMORY megabytes (default 1024) has failed.
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:$HOME/.cargo/bin"

seconds=${1:-60}
case $seconds in '' | *[!0-9]*) echo "fuzz.sh: seconds, not '$seconds'" >&2; exit 2 ;; esac
[ $# = 0 ] || shift
memory=${MEMORY:-1024}

# As cargo-fuzz asks for them. The address sanitizer is the one thing that a stable compiler does
# only if it is told to.
host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address \
-Cllvm-args=-sanitizer-coverage-stack-depth --cfg fuzzing -Ccodegen-units=1"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build --release --manifest-path fuzz/Cargo.toml \
    --target "$host" --target-dir target/fuzz
programs=target/fuzz/$host/release

targets=$($programs/seeds target/fuzz/seeds)
[ $# = 0 ] || targets=$*
failed=""
for target in $targets; do
    if [ ! -x "$programs/$target" ]; then echo "fuzz.sh: no target '$target'" >&2; exit 2; fi
    mkdir -p "target/fuzz/corpus/$target" fuzz/artifacts
    log=target/fuzz/$target.log
    if "$programs/$target" -max_total_time="$seconds" -rss_limit_mb="$memory" -timeout=20 -max_len=20000 -print_final_stats=1 \
        -artifact_prefix="fuzz/artifacts/$target-" "target/fuzz/corpus/$target" "target/fuzz/seeds/$target" > "$log" 2>&1; then
        said=ok
    else
        said=FAILED failed="$failed $target"
        tail -n 40 "$log"
    fi
    stat() { sed -n "s/^stat::$1: *//p" "$log"; }
    printf '%-18s %-6s %9s runs  %5s MB at most\n' "$target" $said "$(stat number_of_executed_units)" "$(stat peak_rss_mb)"
done
[ -z "$failed" ] && echo "fuzz: nothing found" || { echo "fuzz: found something in$failed"; exit 1; }
