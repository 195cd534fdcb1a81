#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Carries a file both ways over a RIFL link of simulated RTL while bits are being flipped, and
# checks both copies.
#
# usage: [FILE=path] tools/demo.sh
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.tools/verilator/bin:$PATH:$HOME/.cargo/bin"

out=build/demo
file=${FILE:-$out/repository.bin}
size=4194304

if [ -n "${FILE:-}" ] && { [ ! -f "$FILE" ] || [ ! -r "$FILE" ]; }; then
    echo "demo: FILE=$FILE is not a readable file" >&2
    exit 2
fi

tools/setup.sh --sim
cargo build --release --features ropewalk/lab

mkdir -p "$out"
rm -f "$out/copy" "$out/copy-back"
if [ -z "${FILE:-}" ]; then
    # The repository itself, over and over, up to a size that meets a good number of bit errors.
    tar -cf "$out/once.tar" --exclude='*.pyc' Makefile README.md LICENSE cores crates docs tools
    : > "$file"
    while [ "$(wc -c < "$file")" -lt $size ]; do cat "$out/once.tar" >> "$file"; done
    truncate -s $size "$file"
    rm "$out/once.tar"
fi

target/release/ropewalk sim rifl --lanes 1 --frame-width 256 --rate 28G --cable 10m --ber 1e-6 \
    --in "$file" --out "$out/copy" --out-back "$out/copy-back" --report report

want=$(sha256sum < "$file")
for copy in "$out/copy" "$out/copy-back"; do
    if [ "$(sha256sum < "$copy")" != "$want" ]; then
        echo "demo: $copy differs from $file" >&2
        exit 1
    fi
done
echo "Both copies of $file are identical ($(wc -c < "$file") bytes, sha256 ${want%% *})."
echo "The report is in $PWD/report/index.html"
