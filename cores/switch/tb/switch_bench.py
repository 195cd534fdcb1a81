# SPDX-License-Identifier: Apache-2.0
"""The switch among ends of links, each with a node or more behind it, and a scoreboard of packets."""

from collections import Counter, defaultdict

from cocotb.triggers import RisingEdge
from peer import BODY_MASK, DATA, FULL, NOTICE, Beat, End, Header, Link, Packet
from tb_common import params, start_clock

# Of the switch in most benches.
SMALL = {
    "Ports": 4,
    "Nodes": 16,
    "VcWords": 28,
    "MaxWords": 8,
    "Notices": 4,
    "DeadCycles": 400,
}
# port_event_t, from bit 0.
EVENTS = ["credit", "sent", "untold", "notice", "dropped"]
EVENTS += ["stale", "gap", "overrun", "malformed", "aborted", "packet"]


class Bench:
    """`nodes[n]` is the port of node n. Every packet that is sent has to be accounted for once."""

    def __init__(self, dut, random, delay=5, memory=64):
        self.dut, self.random = dut, random
        self.ports = params()["Ports"]
        self.max_words = params()["MaxWords"]
        self.now = 0
        self.ends, self.links = [], []
        for p in range(self.ports):
            end = End(random, self.deliverer(p), memory, f"port {p}")
            self.ends.append(end)
            self.links.append(Link(random, end, delay))
        self.nodes = {p: {p} for p in range(self.ports)}
        self.unique = 0
        self.sent = {}  # key: packet
        self.got = {}  # key: (cycle, port)
        self.noticed = {}  # line (source, destination, flow, class): reasons
        self.told = defaultdict(Counter)  # line: lengths that notices said
        self.times = {}
        self.last = defaultdict(lambda: -1)  # of (source, destination, flow, class)
        self.latencies = []
        self.words_out = [0] * self.ports
        self.events = defaultdict(int)
        for name in ("link_up_i", "s_axis_tvalid", "m_axis_tready"):
            getattr(dut, name).value = 0
        self.begin()

    # ---- What another top does in its own way ----
    def begin(self):
        """Settings, tables and reset at rest, and a clock."""
        self.dut.rst_i.value = 1
        self.dut.table_write_i.value = self.dut.hash_salt_i.value = 0
        self.dut.mark_words_i.value = (1 << len(self.dut.mark_words_i)) - 1
        start_clock(self.dut.clk_i, 1000)

    def in_reset(self):
        return self.dut.rst_i.value == 1

    def watch(self, valids, readies):
        """Each cycle that is not in reset, with what the switch offers and the links take; before anything else."""
        self.count_events(int(self.dut.event_o.value))

    # ---- Packets ----
    def packet(self, source, destination, cls=1, words=1, flow=0, spread=0, hops=7, kind=DATA):
        """A packet with an id in its first bytes and random content."""
        self.unique += 1
        header = Header(kind, cls, 0, spread, 0, words, destination, source, flow, hops)
        content = [self.random.getrandbits(512) for _ in range(words)]
        content[0] = content[0] & BODY_MASK & ~((1 << 48) - 1) | self.unique
        return Packet(header, content)

    def send(self, packet, port=None):
        """Hands a packet to the end of its source."""
        self.sent[packet.key] = packet
        end = self.ends[packet.header.source if port is None else port]
        end.queue[packet.header.cls].append(packet)
        return packet

    def deliverer(self, port):
        return lambda header, words: self.deliver(port, header, words)

    def deliver(self, port, header, words):
        self.words_out[port] += len(words)
        if header.kind == NOTICE:
            assert port in self.nodes[header.destination]
            line = (header.destination, header.source, header.flow, words[0] >> 8 & 255)
            self.noticed.setdefault(line, []).append(words[0] & 255)
            self.told[line][words[0] >> 16 & 255] += 1
            assert header.cls == 0 and header.words == 1
            return
        key = (header.source, words[0] & (1 << 48) - 1)
        packet = self.sent.get(key)
        assert packet is not None, f"port {port}: a packet that nobody sent: {header}"
        assert key not in self.got, f"port {port}: packet {key} came twice"
        self.got[key] = (self.now, port)
        want = packet.header
        assert port in self.nodes[want.destination], f"{key} came to port {port}"
        for name in ("kind", "cls", "spread", "hello", "words", "destination", "source", "flow"):
            assert getattr(header, name) == getattr(want, name), f"{key}: {name} changed"
        assert header.hops == want.hops - 1, f"{key}: {header.hops} hops of {want.hops}"
        assert words[0] & BODY_MASK == packet.words[0] & BODY_MASK, f"{key}: content changed"
        assert words[1:] == packet.words[1:], f"{key}: content changed"
        if not want.spread:
            line = (want.source, want.destination, want.flow, want.cls)
            assert self.last[line] < key[1], f"{key} came behind {self.last[line]}"
            self.last[line] = key[1]

    def accounted(self, exact=True):
        """Every packet came, or its loss is known to its source: by a notice, or as its own loss. Returns how many were lost."""
        own = {packet.key for end in self.ends for packet in end.own_lost}
        missing, both = defaultdict(int), defaultdict(int)
        lengths = defaultdict(Counter)  # of packets that a notice may be about
        for key, packet in self.sent.items():
            h = packet.header
            line = (h.source, h.destination, h.flow, h.cls)
            missing[line] += key not in self.got and key not in own
            both[line] += key in own
            lengths[line][h.words] += not exact or key not in self.got or key in own
        for line in missing | self.noticed:
            most = missing[line] + both[line]  # a packet that was cut at both links
            told = len(self.noticed.get(line, ()))
            said = (
                f"{line}: {missing[line]} missing, {told} notices, {both[line]} lost by the source"
            )
            assert missing[line] <= told, said
            assert not exact or told <= most, said
            wrong = self.told[line] - lengths[line]
            assert not wrong, f"{line}: notices of words {dict(wrong)}"
        if exact:
            assert not own & set(self.got), f"lost and received: {sorted(own & set(self.got))[:4]}"
        return len(own) + sum(missing.values())

    # ---- Time ----
    async def reset(self, cycles=3, tables=True):
        dut = self.dut
        dut.rst_i.value = 1
        for _ in range(cycles):
            await self.cycle()
        dut.rst_i.value = 0
        await self.cycle()  # what is read at an edge is of before it
        while dut.table_ready_o.value != 1:
            await self.cycle()
        if tables:
            for node, ports in self.nodes.items():
                await self.route(node, ports)

    async def route(self, node, ports, inputs=None):
        """From these inputs, or all, this node is reached by these ports."""
        dut = self.dut
        chosen = range(self.ports) if inputs is None else inputs
        dut.table_write_i.value = sum(1 << i for i in chosen)
        dut.table_addr_i.value = node
        dut.table_data_i.value = sum(1 << p for p in ports)
        await self.cycle()
        dut.table_write_i.value = 0

    async def cycle(self, count=1):
        dut = self.dut
        valid, keep, data = dut.m_axis_tvalid, dut.m_axis_tkeep, dut.m_axis_tdata
        for _ in range(count):
            await RisingEdge(dut.clk_i)
            self.now += 1
            now = self.now
            if not self.in_reset():
                valids, readies = int(valid.value), int(dut.m_axis_tready.value)
                self.watch(valids, readies)
                moved = valids & readies
                if moved:
                    words, keeps = int(data.value), int(keep.value)
                    lasts = int(dut.m_axis_tlast.value)
                    for p in range(self.ports):
                        if moved >> p & 1:
                            self.take(p, words >> 512 * p, keeps >> 64 * p & FULL, lasts >> p & 1)
            for link in self.links:
                link.tick(now)
            self.drive()

    def count_events(self, events):
        """Pulses of the switch: self.events[port, name]."""
        at = 0
        while events:
            if events & 1:
                port, name = divmod(at, len(EVENTS))
                self.events[port, EVENTS[name]] += 1
            events >>= 1
            at += 1

    def take(self, p, word, keep, last):
        self.links[p].take(self.now, Beat(word & (1 << 512) - 1, keep, bool(last)))

    def drive(self):
        dut = self.dut
        ups = readies = valids = lasts = users = keeps = words = 0
        for p, link in enumerate(self.links):
            ups |= link.up_switch << p
            readies |= link.ready() << p
            beat = link.give(self.now)
            if beat:
                valids |= 1 << p
                lasts |= beat.last << p
                users |= beat.user << p
                keeps |= beat.keep << 64 * p
                words |= beat.data << 512 * p
        dut.link_up_i.value = ups
        dut.m_axis_tready.value = readies
        dut.s_axis_tvalid.value = valids
        if valids:
            dut.s_axis_tlast.value = lasts
            dut.s_axis_tuser.value = users
            dut.s_axis_tkeep.value = keeps
            dut.s_axis_tdata.value = words

    async def until(self, condition, limit=20000):
        for _ in range(limit):
            if condition():
                return
            await self.cycle()
        raise AssertionError(f"not within {limit} cycles: {self.describe()}")

    def describe(self):
        ends = [f"{e.name} {e.state} {[len(q) for q in e.queue]}" for e in self.ends]
        return f"{len(self.got)} of {len(self.sent)} packets came; {ends}"

    async def start(self, late=None):
        """Reset, all links up, all ends open."""
        await self.reset()
        for p, link in enumerate(self.links):
            link.start(self.now, *(late[p] if late else ()))
        await self.until(self.all_open)
        await self.cycle(20)

    def all_open(self):
        return all(end.state == "open" for end in self.ends)

    def restarted(self):
        """All ports of the switch are open."""
        status = int(self.dut.status_o.value)  # of a port: state, dead
        return all(status >> 3 * p + 1 & 3 == 2 for p in range(self.ports))

    def all_came(self):
        return len(self.got) == len(self.sent)

    async def drain(self, limit=20000):
        await self.until(lambda: all(e.idle() for e in self.ends) and self.all_came(), limit)
        await self.cycle(50)


def offer(bench, packets, sources=None, destinations=None, classes=(1, 2, 3)):
    """Packets of random lengths; returns them."""
    random = bench.random
    sources = sources or range(bench.ports)
    destinations = destinations or list(bench.nodes)
    return [
        bench.send(
            bench.packet(
                random.choice(list(sources)),
                random.choice(list(destinations)),
                random.choice(list(classes)),
                random.randint(1, bench.max_words),
                random.randrange(4),
            )
        )
        for _ in range(packets)
    ]


async def settle(bench, limit=20000):
    """Until nothing is queued, and nothing has come for a while."""
    await bench.until(lambda: all(end.idle() for end in bench.ends) and bench.all_open(), limit)
    before, now = -1, 0
    while before != now:
        await bench.cycle(600)
        before, now = now, len(bench.got) + sum(map(len, bench.noticed.values()))


def chosen(header, ports, salt):
    """The one of these ports that the description gives: a tree, and a bit of the hash where both branches have one."""
    state, masks = 0x9E3779B97F4A7C15 ^ salt << 40, []
    for _ in range(8 + 4):
        state ^= state << 13 & (1 << 64) - 1
        state ^= state >> 7
        state ^= state << 17 & (1 << 64) - 1
        masks.append(state & (1 << 44) - 1)
    masks = masks[8:]
    key = header.source << 28 | header.destination << 12 | header.flow
    at = 1
    while at < 4:
        some = [any(p in ports for p in leaves) for leaves in branches(at)]
        bit = (key & masks[at]).bit_count() & 1 if all(some) else some[1]
        at = 2 * at + bit
    return at - 4


def branches(at):
    """The ports below either branch of a node of the tree of four ports."""
    return ((0, 1), (2, 3)) if at == 1 else ((2 * at - 4,), (2 * at - 3,))
