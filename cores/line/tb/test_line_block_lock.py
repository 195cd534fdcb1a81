# SPDX-License-Identifier: Apache-2.0
"""line_block_lock: in each cycle what the rules of its header say, for any headers."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock


class Model:
    def __init__(self, lock, window, limit):
        self.lock, self.window, self.limit = lock, window, limit
        self.locked, self.row, self.seen, self.bad = False, 0, 0, 0

    def block(self, legal):
        """Whether it asks for a slip."""
        if not self.locked:
            self.row = self.row + 1 if legal else 0
            if self.row == self.lock:
                self.locked, self.seen, self.bad = True, 0, 0
            return not legal
        self.seen += 1
        self.bad += not legal
        if self.bad == self.limit:
            self.locked, self.row = False, 0
            return True
        if self.seen == self.window:
            self.seen = self.bad = 0
        return False


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def rules(dut):
    """Runs of good and bad lines, blocks with gaps, resets, until all of it has come about."""
    random = rng("rules")
    start_clock(dut.clk_i, 1000)
    dut.valid_i.value = dut.header_i.value = 0
    await reset(dut.clk_i, dut.rst_i)
    lock, window, limit = (params()[name] for name in ("LockBlocks", "Window", "BadLimit"))
    model, runs, locks, losses = Model(lock, window, limit), 0, 0, 0
    while runs < 150 or locks <= 5 or losses <= 5:
        runs += 1
        if random.random() < 0.1:
            await reset(dut.clk_i, dut.rst_i)
            model = Model(lock, window, limit)
        # In the mean one less or one more than is borne.
        share = random.choice([0, (limit - 1) / window, (limit + 1) / window, 0.5])
        for _ in range(random.randrange(3 * max(lock, window))):
            valid = random.random() < 0.8
            legal = random.random() >= share
            dut.valid_i.value = int(valid)
            dut.header_i.value = random.choice([1, 2] if legal else [0, 3])
            await RisingEdge(dut.clk_i)
            assert (dut.locked_o.value == 1) == model.locked
            before = model.locked
            slip = model.block(legal) if valid else False
            assert (dut.slip_o.value == 1) == slip
            locks += model.locked > before
            losses += model.locked < before
        dut.valid_i.value = 0


@pytest.mark.parametrize(
    ("lock", "window", "limit"),
    [(64, 64, 16), (2, 2, 1), (5, 5, 5), (12, 12, 1), (64, 1024, 65), (20, 5, 2)],
)
def test_line_block_lock(lock, window, limit):
    build_and_run(
        "line_block_lock",
        rtl("prim", "line"),
        {"LockBlocks": lock, "Window": window, "BadLimit": limit},
        __name__,
        testcase="rules",
    )
