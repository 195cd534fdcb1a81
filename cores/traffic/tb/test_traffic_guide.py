# SPDX-License-Identifier: Apache-2.0
"""The CSV file of the user guide, as the host writes it into the registers, played to the cycle."""

import csv
from pathlib import Path

import cocotb
from tb_common import build_and_run, rng, rtl
from traffic_bench import Beat, Bench

HERE = Path(__file__).resolve().parent


def random_bytes(length, seed):
    """What LENGTH@SEED is: SplitMix64, eight bytes of each number."""
    data, mask = b"", (1 << 64) - 1
    while len(data) < length:
        seed = seed + 0x9E3779B97F4A7C15 & mask
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        data += (z ^ z >> 31).to_bytes(8, "little")
    return data[:length]


def guide(width):
    """The beats of A to B, read from the file without the host's program."""
    lines = (HERE / "guide.csv").read_text().splitlines()
    beats, idle = [], 0
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["direction"] != "ab":
            continue
        text = row["bytes"]
        if not text:
            idle += int(row["wait"] or 1)
            continue
        data = random_bytes(*map(int, text.split("@"))) if "@" in text else bytes.fromhex(text)
        cycles = int(row["cycle"] or idle + int(row["wait"] or 0))
        at, idle = bool(row["cycle"]), 0
        for k in range(0, len(data), width):
            last = row["last"] != "0" and k + width >= len(data)
            beats.append(Beat(data[k : k + width], last, cycles, at))
            cycles, at = 0, False
    return beats


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_file_of_the_user_guide(dut):
    """The writes that `ropewalk traffic encode` prints for it play its beats, each in its cycle: with a sink that is ready, and with one that is not."""
    bench = Bench(dut, rng("guide"))
    await bench.start()
    beats = guide(bench.width)
    for share in (0, 0.4):
        bench.hinder(bench.sink, share)
        bench.m.forget()
        for line in (HERE / "guide_orders.txt").read_text().splitlines():
            address, value = (int(word, 16) for word in line.split())
            assert await bench.regs.write_word(address, value)
        await bench.played()
        bench.check_times(beats, 1)
        assert len(bench.m.beats) == 2 + 47


def test_traffic_guide():
    build_and_run(
        "traffic",
        rtl("prim", "axis", "traffic"),
        parameters={"Bytes": 32, "PlayDepth": 64, "CaptureDepth": 16, "CounterWidth": 48},
        test_module=__name__,
        sync_jitter=True,
    )
