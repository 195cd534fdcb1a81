# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import ROOT, rtl

BAD = [
    ("rdma_check", {"Priorities": 0}, "rule 1 <= Priorities <= 16, got 0"),
    ("rdma_check", {"Priorities": 17}, "rule 1 <= Priorities <= 16, got 17"),
    ("rdma_collect", {"Pages": 6}, "rule Pages is a power of two >= 2, got 6"),
    ("rdma_port", {"DataWidth": 32}, "rule DataWidth is 64, 128 or 256, got 32"),
    ("rdma_port", {"IdWidth": 0}, "rule 1 <= IdWidth <= 32, got 0"),
    ("rdma_port", {"IdWidth": 33}, "rule 1 <= IdWidth <= 32, got 33"),
    ("rdma_cutter", {"BlockBytes": 1}, "rule BlockBytes is a power of two, 2 to 2^31, got 1"),
    ("rdma_cutter", {"BlockBytes": 96}, "rule BlockBytes is a power of two, 2 to 2^31, got 96"),
    ("rdma_cutter", {"AddrWidth": 33}, "rule AddrWidth >= 34, got 33"),
    ("rdma_cutter", {"TagWidth": 0}, "rule TagWidth >= 1, got 0"),
    ("rdma_core", {"Pages": 32}, "rule Pages is a power of two, 2 to 16, got 32"),
    ("rdma_handler", {"Transfers": 128}, "rule Transfers is a power of two, 256 to 2048, got 128"),
    ("rdma_handler", {"Outstanding": 16}, "rule 1 <= Outstanding <= 15, got 16"),
    ("rdma_metadata", {"Transfers": 5}, "rule Transfers is a power of two >= 4, got 5"),
    ("rdma_pick", {"Priorities": 0}, "rule 1 <= Priorities <= 16, got 0"),
    ("rdma_queue_number", {"Priorities": 17}, "rule 1 <= Priorities <= 16, got 17"),
    ("rdma_segmenter", {"Transfers": 4096}, "is a power of two, 256 to 2048, got 4096"),
    ("rdma_segmenter", {"Outstanding": 0}, "rule 1 <= Outstanding <= 15, got 0"),
    ("rdma_segmenter", {"Reserve": 512}, "rule Reserve < TidCount, got 512"),
    ("rdma_table", {"Transfers": 384}, "rule Transfers is a power of two >= 256, got 384"),
    ("rdma_flags", {"Words": 1}, "rule Words >= 2, got 1"),
    ("rdma_flags", {"Bits": 0}, "rule Bits >= 1, got 0"),
    ("rdma_flags", {"Readers": 0}, "rule Readers >= 1, got 0"),
    ("rdma_id_pool", {"Count": 1}, "rule Count >= 2, got 1"),
    ("rdma_id_pool", {"Step": 3}, "rule Step is a power of two, got 3"),
    ("rdma_id_pool", {"IdWidth": 8}, "rule First + (Count - 1) * Step < 2^IdWidth, got IdWidth 8"),
    ("rdma_queues", {"Transfers": 2}, "rule Transfers is a power of two >= 4, got 2"),
    ("rdma_queues", {"Transfers": 12}, "rule Transfers is a power of two >= 4, got 12"),
    ("rdma_queues", {"Queues": 1}, "rule Queues >= 2, got 1"),
    ("rdma_queues", {"TagWidth": 0}, "rule TagWidth >= 1, got 0"),
    ("rdma_ring", {"FlowBlocks": 3}, "rule FlowBlocks is a power of two >= 2, got 3"),
    ("rdma_ring", {"FlowWidth": 1}, "rule FlowWidth >= 2, got 1"),
    ("rdma_unframe", {"BufferWords": 48}, "rule BufferWords is a power of two, 64 to 4096, got 48"),
    ("rdma_write", {"PlaceWidth": 13}, "rule PlaceWidth <= 12, got 13"),
    ("rdma_windows", {"Domains": 3}, "rule Domains is a power of two >= 2, got 3"),
    ("rdma_admit", {"Senders": 3}, "rule Senders is a power of two, 2 to 64, got 3"),
    ("rdma_admit", {"Senders": 128}, "rule Senders is a power of two, 2 to 64, got 128"),
    ("rdma_windows", {"Windows": 32}, "rule Windows is a power of two, 2 to 16, got 32"),
    ("rdma_memory_pins", {"MemoryWidth": 128}, "rule MemoryWidth is 256 or 512, got 128"),
    ("rdma_memory_pins", {"MemoryUserWidth": 0}, "rule MemoryUserWidth >= 1, got 0"),
    ("rdma", {"AddrWidth": 32}, "rule 33 <= AddrWidth <= 48, got 32"),
    ("rdma_admit", {"Tick": 2048}, "rule Tick is a power of two, 4096 to 65536, got 2048"),
    ("rdma_admit", {"Tick": 6000}, "rule Tick is a power of two, 4096 to 65536, got 6000"),
    ("rdma_drain", {"Bursts": 0}, "rule Bursts >= 1, got 0"),
    ("rdma_fetch", {"AddrWidth": 12}, "rule 13 <= AddrWidth <= 64, got 12"),
    ("rdma_fetch", {"BurstWords": 65}, "rule 1 <= BurstWords <= 64, got 65"),
    ("rdma_fetch", {"LeadWords": 0}, "rule 1 <= LeadWords <= 16, got 0"),
    ("rdma_fetch", {"LeadWords": 17}, "rule 1 <= LeadWords <= 16, got 17"),
    (
        "rdma_fetch",
        {"BufferWords": 31, "BurstWords": 16},
        "rule BufferWords >= 32 and >= BurstWords, got 31",
    ),
    ("axis_realign", {"Bytes": 48}, "rule Bytes is a power of two, 2 to 128, got 48"),
    ("axis_realign", {"LengthWidth": 6}, "rule LengthWidth > 7, got 6"),
    ("rdma_status", {"Pages": 1}, "rule Pages >= 2, got 1"),
    ("rdma_status", {"Channels": 1}, "rule Channels >= 2, got 1"),
]


def lint(top, parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += map(str, rtl("prim", "axis", "rdma"))
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(("top", "parameters", "rule"), BAD)
def test_refused(top, parameters, rule):
    done = lint(top, parameters)
    assert done.returncode != 0
    assert rule in done.stdout + done.stderr
