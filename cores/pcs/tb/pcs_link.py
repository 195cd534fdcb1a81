# SPDX-License-Identifier: Apache-2.0
"""A link for the tests of this folder: its lanes go back to it through the channel of a bench."""

from enum import IntEnum

import cocotb
from cocotb.triggers import RisingEdge
from pcs_words import IDLE, LOCAL_FAULT, slots, traffic, word
from tb_common import cycles, params, reset, rng, start_clock

LANES = 20
State = IntEnum(  # state_e of pcs_pkg
    "State",
    "NO_SIGNAL NO_BLOCK_LOCK NO_MARKER SAME_NUMBER ALIGNING SKEW_EXCEEDED NO_CODEWORD HIGH_SER HIGH_BER UP PEER_MODE"
    " REMOTE_FAULT",
    start=0,
)


def packed(values, width):
    return sum(int(value) << width * at for at, value in enumerate(values))


class Link:
    """Traffic into the transmitter; what the receiver gives; a channel between them."""

    lanes = LANES

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.count = params()["Blocks"]
        self.sent, self.received, self.source = [], [], traffic(self.random)
        self.parity, self.blocks, self.cycle, self.taken, self.given = [0] * LANES, 0, 0, [], []
        self.origin, self.delays = list(range(self.lanes)), [0] * self.lanes
        self.inverted, self.signal = [0] * self.lanes, [1] * self.lanes
        self.caui, self.shifts = 0, [0] * self.lanes
        self.held, self.credit, self.lost = int(params().get("Hold", 1)), 0.0, 0
        self.noise = lambda: 0
        start_clock(dut.clk_i, 1000)

    def channel(self):
        dut = self.dut
        dut.caui_i.value, dut.shift_i.value = self.caui, packed(self.shifts, 7)
        dut.from_i.value, dut.delay_i.value = packed(self.origin, 5), packed(self.delays, 12)
        dut.invert_i.value, dut.signal_i.value = packed(self.inverted, 1), packed(self.signal, 1)

    def shuffle(self, skew):
        self.random.shuffle(self.origin)
        self.delays = [self.random.randrange(skew + 1) for _ in range(self.lanes)]
        self.inverted = [self.random.getrandbits(1) for _ in range(self.lanes)]
        self.channel()

    def arrives(self):
        """Number and polarity of the lane at each place of the receiver."""
        return self.origin, self.inverted

    async def begin(self):
        """Idle, and no look at what comes: quicker."""
        dut = self.dut
        dut.tx_rst_i.value, dut.tx_valid_i.value = 1, 1
        dut.tx_data_i.value, dut.tx_ctrl_i.value = word([IDLE] * self.count)
        dut.noise_i.value = 0
        self.channel()
        await reset(dut.clk_i, dut.rst_i)
        dut.tx_rst_i.value = 0

    async def start(self):
        await self.begin()
        cocotb.start_soon(self._run())

    def next_word(self):
        return [next(self.source) for _ in range(self.count)]

    async def _run(self):
        dut, offered = self.dut, self.next_word()
        while True:
            dut.tx_data_i.value, dut.tx_ctrl_i.value = word(offered)
            dut.noise_i.value = self.noise()
            await RisingEdge(dut.clk_i)
            self.cycle += 1
            taken = dut.tx_valid_i.value == 1 and dut.tx_ready_o.value == 1
            if not self.held:
                # The rate of the line with markers in it: 160 blocks in 33 cycles.
                self.credit += 160 / 33 / self.count
                dut.tx_valid_i.value = int(self.credit >= 1)
                self.credit -= self.credit >= 1
            self.lost += dut.tx_lost_o.value == 1
            if taken and dut.tx_rst_i.value == 0:
                self.sent += offered
                self.taken.append(self.cycle)
                offered = self.next_word()
            if dut.rx_valid_o.value == 1:
                found = slots(int(dut.rx_data_o.value), int(dut.rx_ctrl_o.value), self.count)
                self.received += found
                self.given.append(self.cycle)
            if dut.parity_error_o.value != 0:
                for lane in range(LANES):
                    self.parity[lane] += int(dut.parity_error_o.value) >> lane & 1
            self.blocks += dut.block_error_o.value == 1

    def state(self):
        value = int(self.dut.status_o.value)
        return value >> 5, value & 31

    async def becomes(self, state, limit, lane=None):
        """Waits for a state; the cycles that it took."""
        for waited in range(limit):
            if self.state()[0] == state and lane in (None, self.state()[1]):
                return waited
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"state {self.state()}, not {state} {lane} in {limit} cycles")

    async def up(self):
        return await self.becomes(State.UP, 30000)

    async def lanes_anew(self, skew):
        """Lanes in any order, polarity and skew, and a reset: local fault, then up, and each lane
        is found as it is."""
        dut = self.dut
        self.shuffle(skew)
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 5)
        dut.rst_i.value = 0
        await RisingEdge(dut.clk_i)
        self.received.clear()
        await cycles(dut.clk_i, 100)
        assert len(self.received) >= 98 * self.count and set(self.received) == {LOCAL_FAULT}
        waited = await self.up()
        dut._log.info(f"up after {waited} cycles")
        numbers, inverted = self.arrives()
        assert int(dut.number_o.value) == packed(numbers, (self.lanes - 1).bit_length())
        assert int(dut.inverted_o.value) == packed(inverted, 1)
        await cycles(dut.clk_i, 400)  # from the middle of a frame to the next one

    async def rate(self):
        """160 blocks in 33 cycles, less the rows of markers; the words that come are as many."""
        await self.start()
        await self.up()
        await cycles(self.dut.clk_i, 200)
        span = 33 * params()["Period"]  # 8 periods
        sent, received = len(self.sent), len(self.received)
        await cycles(self.dut.clk_i, span)
        share = 160 * (params()["Period"] - 1)
        assert len(self.sent) - sent == share
        assert abs(len(self.received) - received - share) <= 2 * LANES
        self.dut._log.info(f"{share} blocks in {span} cycles")

    async def latency(self, most):
        """Cycles from a word at the transmitter to the same word at the receiver, lanes in step and
        without a channel."""
        await self.start()
        await self.up()
        ages = []
        for _ in range(3):
            self.taken.clear()
            self.given.clear()
            first = await self.intact(1000) // self.count
            # The words that were taken and given since the lists are empty.
            given = self.given[-(len(self.received) // self.count) :]
            sent = self.taken[-(len(self.sent) // self.count) :]
            ages += [g - sent[first + i] for i, g in enumerate(given)]
        self.dut._log.info(f"latency {min(ages)} to {max(ages)} cycles, 2 of the bench among them")
        assert max(ages) <= most

    async def resets(self, skew, periods):
        """Either end alone, at any time; up again within these periods, and intact."""
        dut, random = self.dut, self.random
        self.shuffle(skew)
        await self.start()
        await self.up()
        for _ in range(3):
            await cycles(dut.clk_i, random.randrange(300))
            ports = [(dut.rst_i,), (dut.tx_rst_i,), (dut.rst_i, dut.tx_rst_i)]
            for port in random.choice(ports):
                port.value = 1
            await cycles(dut.clk_i, random.randrange(2, 40))
            dut.rst_i.value = dut.tx_rst_i.value = 0
            await cycles(dut.clk_i, periods * params()["Period"])
            await self.up()
            await self.intact(300)

    async def intact(self, count):
        """What comes is what was sent, slot for slot; which one of those came first."""
        self.sent, self.received = [], []
        await cycles(self.dut.clk_i, 400)
        self.received.clear()
        await cycles(self.dut.clk_i, count)
        assert len(self.received) > 4 * count
        first = self.received[:30]
        begin = next(i for i in range(len(self.sent)) if self.sent[i : i + 30] == first)
        assert self.received == self.sent[begin : begin + len(self.received)]
        assert len(self.sent) - begin - len(self.received) < 600
        return begin
