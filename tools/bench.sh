#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the figures of RIFL links: efficiency by packet size, latency, stall after one bit error, goodput and latency at several
# bit error rates, link-up time, simulation speed, the tables of the paper; and writes a page with plots. Arguments are handed
# on (--quick, --long, --json, --seed N).
set -eu
cd "$(dirname "$0")/.."
exec target/release/ropewalk bench rifl --report build/bench "$@"
