# SPDX-License-Identifier: Apache-2.0
"""switch_scheduler by itself: what stands is a matching of what is requested, and no request waits for ever."""

import cocotb
from cocotb.triggers import FallingEdge
from tb_common import build_and_run, params, rng, rtl, start_clock

CLASSES = 4
PATIENCE, LONGEST = 15, 6


class Matches:
    """The scheduler, with matches that last as long as a test says; what it promises is checked in every cycle."""

    def __init__(self, dut):
        self.dut, self.ports = dut, params()["Ports"]
        self.requests = set()  # (input, output, class)
        self.asked = [set(), set()]  # that stood in the cycles before
        self.left = {}  # input: cycles of its match
        self.match = {}  # input: (output, class)
        start_clock(dut.clk_i, 1000)

    async def reset(self):
        self.dut.rst_i.value = 1
        self.dut.req_i.value = self.dut.finish_i.value = 0
        for _ in range(3):
            await FallingEdge(self.dut.clk_i)
        self.dut.rst_i.value = 0
        self.left, self.match, self.asked = {}, {}, [set(), set()]

    async def cycle(self, lasts):
        """One cycle; `lasts(input, output)` cycles are what a match takes. The matches that are new."""
        dut, n = self.dut, self.ports
        ended = [i for i, left in self.left.items() if left == 1]
        dut.finish_i.value = sum(1 << i for i in ended)
        dut.req_i.value = sum(1 << (i * n + j) * CLASSES + c for i, j, c in self.requests)
        self.asked = [self.asked[1], set(self.requests)]
        await FallingEdge(dut.clk_i)
        self.left = {i: left - 1 for i, left in self.left.items() if left > 1}
        self.match = {i: self.match[i] for i in self.left}
        valid, new = int(dut.match_valid_o.value), {}
        for i in range(n):
            j = int(dut.match_port_o.value) >> (n - 1).bit_length() * i & n - 1
            c = int(dut.match_class_o.value) >> 2 * i & 3
            if i in self.match:
                assert valid >> i & 1 and self.match[i] == (j, c), f"the match of {i} changes"
            elif valid >> i & 1:
                assert (i, j, c) in self.asked[1], f"{i} to {j}, class {c}: nobody asked for it"
                new[i] = self.match[i] = j, c
                self.left[i] = lasts(i, j)
        outputs = [j for j, _ in self.match.values()]
        assert len(outputs) == len(set(outputs)), f"two inputs have one output: {self.match}"
        return new


@cocotb.test()
async def any_requests(dut):
    """Requests and lengths at random: a matching of what is requested, in every cycle."""
    bench, random = Matches(dut), rng("any")
    await bench.reset()
    every = [(i, j, c) for i in range(bench.ports) for j in range(bench.ports) for c in range(4)]
    count = 0
    for _ in range(3000):
        if random.random() < 0.3:
            bench.requests = {it for it in every if random.random() < random.choice((0.05, 0.5))}
        count += len(await bench.cycle(lambda i, j: random.randint(1, LONGEST)))
    assert count > 1000


@cocotb.test()
async def never_free_at_the_same_time(dut):
    """Each request of each pair, while its input and its output are never free in the same cycle: it is served in the time promised."""
    bench = Matches(dut)
    n = bench.ports
    bound = 4 * n * n * (PATIENCE + LONGEST + 4)
    waits = {}
    for i, j, c in [(i, j, c) for i in range(n) for j in range(n) for c in range(CLASSES)]:
        await bench.reset()
        other = (j + 1) % n
        bench.requests = {(k, j, c) for k in range(n) if k != i} | {(i, other, c)}

        def lasts(k, output, i=i):
            """Never as long as what is left of the match at the other side of the pair."""
            facing = [left for m, left in bench.left.items() if (m == i) != (k == i)]
            return LONGEST if LONGEST not in facing else LONGEST - 1

        for _ in range(2 * LONGEST):
            await bench.cycle(lasts)
        bench.requests.add((i, j, c))
        for wait in range(bound + 1):
            waits[i, j, c] = wait
            if (await bench.cycle(lasts)).get(i) == (j, c):
                break
        else:
            raise AssertionError(f"{i} to {j}, class {c}: not served in {bound} cycles")
    dut._log.info("longest wait %d of %d cycles", max(waits.values()), bound)
    # They have waited for the token, and were not free by chance.
    assert min(waits.values()) >= PATIENCE


def test_switch_scheduler():
    build_and_run(
        "switch_scheduler",
        rtl("prim", "switch"),
        parameters={"Ports": 4, "Patience": PATIENCE},
        test_module=__name__,
    )
