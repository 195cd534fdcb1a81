# SPDX-License-Identifier: Apache-2.0
"""Watches the buses of a node: the rules of AXI4 and AXI4-Stream for what it offers, and what has begun there and not ended."""

import cocotb
from cocotb.triggers import RisingEdge

# What the node offers: valid, ready, and what has to stay while nobody takes it.
CHANNELS = {
    "m_axi_ar": ("m_axi_arvalid", "m_axi_arready", ("m_axi_araddr", "m_axi_arlen")),
    "m_axi_aw": ("m_axi_awvalid", "m_axi_awready", ("m_axi_awaddr", "m_axi_awlen")),
    "m_axi_w": ("m_axi_wvalid", "m_axi_wready", ("m_axi_wdata", "m_axi_wstrb", "m_axi_wlast")),
    "m_axis": ("m_axis_tvalid", "m_axis_tready", ("m_axis_tdata", "m_axis_tlast")),
    "s_axi_b": ("s_axi_bvalid", "s_axi_bready", ("s_axi_bid", "s_axi_bresp")),
    "s_axi_r": ("s_axi_rvalid", "s_axi_rready", ("s_axi_rdata", "s_axi_rlast")),
}


class Monitor:
    """From now on, in every cycle."""

    def __init__(self, node):
        self.node = node
        self.bursts = 0  # that have ended at memory, of both kinds
        self.clear()
        cocotb.start_soon(self.run())

    def clear(self):
        self.offered = {}
        self.reads, self.writes, self.answers = [], [], 0
        self.beats = {"r": 0, "w": 0}
        self.user_writes = self.user_reads = 0
        self.early = False  # the address that is offered stands in writes already
        self.begun = False  # a packet is leaving

    def idle(self):
        """Nothing has begun that has not ended."""
        counts = self.reads, self.writes, self.answers, self.user_writes, self.user_reads
        return not any(counts) and not self.begun and not self.offered

    async def run(self):
        pin, clock = self.node.pin, RisingEdge(self.node.dut.clk_i)
        channels = [
            (name, pin(valid), pin(ready), [pin(part) for part in parts])
            for name, (valid, ready, parts) in CHANNELS.items()
        ]
        taken = [
            (name, pin(f"{name}valid"), pin(f"{name}ready"))
            for name in ("m_axi_r", "m_axi_b", "s_axi_aw", "s_axi_ar")
        ]
        reset, lengths = pin("rst_i"), {"r": pin("m_axi_arlen"), "w": pin("m_axi_awlen")}
        last = {name: pin(f"{name}last") for name in ("m_axi_r", "m_axi_w", "s_axi_r", "m_axis_t")}
        while True:
            await clock
            if reset.value == 1:
                self.clear()
                continue
            moved = {name for name, valid, ready in taken if valid.value == 1 and ready.value == 1}
            for name, valid, ready, parts in channels:
                word = None
                if valid.value == 1:
                    word = tuple(int(part.value) for part in parts)
                before = self.offered.pop(name, None)
                assert before in (None, word), f"{name}: what was offered has changed"
                if word is not None and ready.value == 1:
                    moved.add(name)
                elif word is not None:
                    self.offered[name] = word
            if "m_axi_ar" in moved:
                self.reads.append(int(lengths["r"].value))
            if "m_axi_r" in moved:
                self.beat("r", self.reads, last["m_axi_r"].value == 1)
            if "m_axi_aw" in moved:
                if not self.early:
                    self.writes.append(int(lengths["w"].value))
                self.early = False
                self.answers += 1
            elif "m_axi_aw" in self.offered and not self.writes and not self.early:
                # Data may come before their address is taken, not before it is offered.
                self.writes.append(int(lengths["w"].value))
                self.early = True
            if "m_axi_w" in moved:
                self.beat("w", self.writes, last["m_axi_w"].value == 1)
            self.answers -= "m_axi_b" in moved
            assert self.answers >= 0, "a response to nothing"
            self.user_writes += ("s_axi_aw" in moved) - ("s_axi_b" in moved)
            self.user_reads += "s_axi_ar" in moved
            self.user_reads -= "s_axi_r" in moved and last["s_axi_r"].value == 1
            if "m_axis" in moved:
                self.begun = last["m_axis_t"].value != 1

    def beat(self, kind, bursts, last):
        assert bursts, f"{kind}: a word of no burst"
        assert last == (self.beats[kind] == bursts[0]), f"{kind}: LAST at the wrong word"
        self.beats[kind] += 1
        if last:
            bursts.pop(0)
            self.beats[kind] = 0
            self.bursts += 1
