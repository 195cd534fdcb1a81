#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the figures of the cores beside the published ones and writes a page with plots for each,
# build/bench/CORE/index.html. RIFL: efficiency by packet size, latency, stall after one bit error,
# goodput and latency at several bit error rates, link-up time, simulation speed, the tables of the
# paper. HTSP: bandwidth, frame rate and latency by frame size, channels, simulation speed. RDMA:
# message rate, time and throughput by size, one after the other and many at a time. SLink: latency
# of all modes against the formula, bandwidth by size. Chunk: the paper's tables and figures,
# transports on this machine beside those that `make peers` builds, codes. Network: scaling up to
# 1024 nodes in the model, what losslessness buys. Arguments are handed on (--quick, --json, --seed
# N).
set -eu
cd "$(dirname "$0")/.."
for core in rifl htsp rdma slink chunk network; do
    target/release/ropewalk bench $core --report build/bench/$core "$@"
done
