# SPDX-License-Identifier: Apache-2.0
"""slink_session against another end written from README.md, over a way that loses packets."""

from itertools import pairwise

import cocotb
from cocotb.triggers import RisingEdge
from slink_model import NOTICE, header
from tb_common import build_and_run, cycles, rng, rtl, start_clock

PERIOD = 64
FIRST, HEARD, UP = 8, 9, 10


def hello(code, own, echo=0):
    return header(NOTICE, address=code << 3 | own << 8 | echo << 20)


def fields(bits):
    """Code, the sender's number, the other one."""
    high = bits >> 32
    return high >> 3 & 31, high >> 8 & 4095, high >> 20


class End:
    """The rules once more; what it has to say is in `due`."""

    def __init__(self, session):
        self.session, self.peer, self.up, self.due = session, None, False, True
        self.fresh = False  # the other end was heard in this session

    def say(self):
        self.due = False
        if not self.fresh:
            return hello(FIRST, self.session, self.peer or 0)
        return hello(UP if self.up else HEARD, self.session, self.peer)

    def hear(self, bits):
        """Whether what was under way is of the past."""
        code, own, echo = fields(bits)
        news = self.peer != own or (self.up and code == FIRST)
        heard = code != FIRST and echo == self.session
        if news:
            self.peer, self.up, self.due = own, False, True
        self.fresh = True
        self.up |= heard
        self.due |= code != UP or not heard
        return news

    def renew(self):
        self.session = (self.session + 1) % 4096
        self.up, self.due, self.fresh = False, True, False


class Bench:
    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.said, self.forgets = [], 0

    async def start(self, session):
        dut = self.dut
        dut.renew_i.value = dut.hello_valid_i.value = dut.m_ready_i.value = 0
        dut.hello_i.value = 0
        start_clock(dut.clk_i, 1000)
        await self.reset(session)

    async def reset(self, session):
        self.dut.rst_i.value, self.dut.session_i.value = 1, session
        await cycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0

    async def clock(self, ready=1, bits=None, renew=0):
        """A cycle; what was said in it."""
        dut = self.dut
        dut.m_ready_i.value, dut.renew_i.value = ready, renew
        dut.hello_valid_i.value = bits is not None
        dut.hello_i.value = bits or 0
        await RisingEdge(dut.clk_i)
        self.forgets += int(dut.forget_o.value)
        if dut.m_valid_o.value == 1 and ready:
            # The code is put in by slink_tx.
            return int(dut.m_header_o.value)
        return None


def same(bits, want):
    mask = ~(0xFF << 24)
    return bits is not None and bits & mask == want & mask


@cocotb.test()
async def repeats_itself_once_a_period(dut):
    """While nobody answers, it says its number in every period, and no more often."""
    bench = Bench(dut, rng("period"))
    await bench.start(7)
    said = [await bench.clock() is not None for _ in range(20 * PERIOD)]
    places = [at for at, one in enumerate(said) if one]
    assert {b - a for a, b in pairwise(places)} == {PERIOD}


@cocotb.test()
async def comes_up(dut):
    """Whatever is lost, both ends come up, and fall silent then. A new number on either side begins again, once each."""
    random = rng("up")
    bench = Bench(dut, random)
    session = random.randrange(4096)
    await bench.start(session)
    other = End(random.randrange(4096))
    for turn in range(30):
        loss = random.choice([0, 0.5, 0.9])
        silent, timer, to_dut = 0, 0, None
        forgets = bench.forgets
        # With one of ten packets in each direction, some hundred periods; the random way ends in a
        # sure one.
        for clock in range(200 * PERIOD):
            said = await bench.clock(random.random() < 0.5, to_dut)
            to_dut = None
            lost = clock < 50 * PERIOD and random.random() < loss
            assert said is None or fields(said)[1] == session
            if said is not None and not lost:
                other.hear(said)
            timer = max(timer - 1, 0)
            if other.due or (not other.up and timer == 0):
                words = other.say()
                timer = PERIOD
                if clock >= 50 * PERIOD or random.random() >= loss:
                    to_dut = words
            silent = 0 if said is not None or to_dut is not None else silent + 1
            if silent > 3 * PERIOD and clock > 60 * PERIOD:
                break
        assert dut.up_o.value == 1 and other.up and silent > 3 * PERIOD
        if turn:
            assert bench.forgets - forgets <= 1
        what = random.randrange(3)
        if what == 0:
            other = End((other.session + random.randrange(1, 4096)) % 4096)
        elif what == 1:
            await bench.clock(0, None, renew=1)
            session = (session + 1) % 4096
        else:
            session = (session + random.randrange(1, 4096)) % 4096
            await bench.reset(session)
        if what:
            await bench.clock(0)
            assert dut.up_o.value == 0


@cocotb.test()
async def says_what_the_rules_say(dut):
    """Any hellos, those of past sessions too: state and answers are those of the rules, cycle by cycle."""
    random = rng("rules")
    bench = Bench(dut, random)
    await bench.start(7)
    rules = End(7)
    for _ in range(3000):
        bits = None
        if random.random() < 0.2:
            own = random.choice([5, 6])
            echo = random.choice([7, 8, rules.session, rules.session])
            bits = hello(random.choice([FIRST, HEARD, UP]), own, echo)
        renew = int(random.random() < 0.01 and bits is None)
        due, want = rules.due, rules.say()
        rules.due = due
        ready = random.randrange(2)
        up = rules.up
        forgets = bench.forgets
        said = await bench.clock(ready, bits, renew)
        assert int(dut.up_o.value) == up
        if due and ready:
            assert same(said, want)
            rules.due = False
        elif said is not None:
            # By its timer.
            assert same(said, want) and not up
        news = rules.hear(bits) if bits is not None else False
        if renew:
            rules.renew()
        assert bench.forgets - forgets == int(news or renew)


@cocotb.test()
async def other_notices(dut):
    """Only a hello is one."""
    bench = Bench(dut, rng("other"))
    await bench.start(7)
    for code in set(range(32)) - {FIRST, HEARD, UP}:
        await bench.clock(0, hello(code, 9, 7))
        await bench.clock(0)
        assert dut.up_o.value == 0 and bench.forgets == 0
    assert same(await bench.clock(1), hello(FIRST, 7))


def test_slink_session():
    build_and_run(
        "slink_session",
        rtl("slink"),
        {"Period": PERIOD},
        __name__,
    )
