# SPDX-License-Identifier: Apache-2.0
"""switch_core with eight ports: what share of the words it moves under saturating uniform traffic."""

import cocotb
from switch_bench import Bench
from tb_common import build_and_run, params, rng, rtl

WARM = 400
# Words of a packet, classes, cycles; share of the words, of the least port and of all.
CASES = [
    (1, [1], 12000, 0.95, 0.96),
    (1, [0, 1, 2, 3], 8000, 0.9, 0.936),
    (4, [1, 2, 3], 8000, 0.88, 0.931),
]


async def saturate(bench, words, classes, cycles):
    """Every source always has packets for everyone; words a cycle and port, of 1."""
    for _ in range((WARM + cycles) // words + 40):
        for source in range(bench.ports):
            cls = bench.random.choice(classes)
            bench.send(bench.packet(source, bench.random.randrange(bench.ports), cls, words))
    await bench.cycle(WARM)
    before = list(bench.words_out)
    await bench.cycle(cycles)
    shares = [
        (after - start) / cycles for start, after in zip(before, bench.words_out, strict=True)
    ]
    for end in bench.ends:
        for queue in end.queue:
            for packet in queue:
                del bench.sent[packet.key]
            queue.clear()
    await bench.drain()
    return min(shares), sum(shares) / len(shares)


@cocotb.test()
async def uniform_random(dut):
    """Uniform random traffic at every input without a pause.

    With packets of one word and one class every port moves 95 % of the words.
    The outputs that are drawn are not drawn alike, and what is too much for one waits in the memory
    of its class: of 24 seeds the least port moves 95.7 % and all move 97.3 %. Classes and longer
    packets are bounded by the matches that are found at all, not by memory: 95.7 and 95.0 % on the
    mean of 6 seeds, with deviations of half a percent.
    """
    bench = Bench(dut, rng("uniform"), memory=params()["VcWords"])
    await bench.start()
    for words, classes, cycles, least_bound, bound in CASES:
        least, mean = await saturate(bench, words, classes, cycles)
        said = f"packets of {words} words, classes {classes}: least {least:.3f}, mean {mean:.3f}"
        dut._log.info(said)
        assert mean >= bound and least >= least_bound, said
    assert bench.accounted() == 0


def test_switch_rate():
    build_and_run(
        "switch_core",
        rtl("prim", "switch"),
        parameters={"Ports": 8, "Nodes": 16, "VcWords": 254, "MaxWords": 16, "DeadCycles": 400},
        test_module=__name__,
    )
