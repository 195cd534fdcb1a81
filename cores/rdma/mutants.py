#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/rdma can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the test bench of that module
and its proof, if it has one, are run on it, and each has to refuse it. With TEXT only mutants whose file or text contains it are tried.
Takes some ten minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

# Module: its test bench and its proof.
JUDGES = {
    "rdma_queues": ("test_rdma_queues.py::test_rdma_queues[4-2]", "queues"),
    "rdma_id_pool": ("test_rdma_id_pool.py::test_rdma_id_pool[3-5-2]", "id_pool"),
    "rdma_status": ("test_rdma_status.py::test_rdma_status[2-2]", "status"),
    "rdma_cutter": ("test_rdma_cutter.py::test_rdma_cutter[8]", "cutter"),
    "rdma_ring": ("test_rdma_ring.py::test_rdma_ring", None),
    "rdma_check": ("test_rdma_port.py::test_rdma_port[128-7]", None),
    "rdma_collect": ("test_rdma_port.py::test_rdma_port[128-7]", None),
    "rdma_port": ("test_rdma_port.py::test_rdma_port[128-7]", None),
    "rdma_crc": ("test_rdma_send.py::test_rdma_send", None),
    "rdma_fetch": ("test_rdma_send.py::test_rdma_send", None),
    "rdma_frame": ("test_rdma_send.py::test_rdma_send", None),
    "rdma_pacer": ("test_rdma_send.py::test_rdma_send", None),
}

# File, text in it, replacement.
MUTANTS = [
    ("rdma_queues", "&& (!is_in || (take && take_transfer_o == put_transfer_i))", ""),
    ("rdma_queues", "|| (take && take_transfer_o == put_transfer_i)", ""),
    ("rdma_queues", "|| (take && only && take_queue_i == put_queue_i)", ""),
    ("rdma_queues", "take && only && take_queue_i == put_queue_i", "take && only"),
    ("rdma_queues", "take && only && take_queue_i", "take && take_queue_i"),
    ("rdma_queues", "(read_q && read_queue_q == take_queue_i) ? next_entry : first_by_take", "first_by_take"),
    ("rdma_queues", "(read_q && read_queue_q == take_queue_i)", "read_q"),
    ("rdma_queues", "read_q <= take && !only", "read_q <= take && only"),
    ("rdma_queues", "if (take) first_by_put_q[take_queue_i] <= 1'b0;", ""),
    ("rdma_queues", "if (take && only) nonempty_q", "if (take) nonempty_q"),
    ("rdma_queues", ".wr_en_i(put && !alone)", ".wr_en_i(1'b0)"),
    ("rdma_queues", ".flip_i(put),", ".flip_i(put_valid_i && !clearing_q),"),
    ("rdma_queues", "put = put_valid_i && !clearing_q", "put = put_valid_i"),
    ("rdma_id_pool", "&& ((taken_at_put ^ returned_at_put) & mask_of(put_slot)) != '0", ""),
    ("rdma_id_pool", "(put_offset & id_t'(Step - 1)) == '0 &&", ""),
    ("rdma_id_pool", "&& 32'(put_offset >> StepShift) < 32'(Count)", ""),
    ("rdma_id_pool", "take_valid_o = fifo_valid && !filling_q", "take_valid_o = fifo_valid"),
    ("rdma_id_pool", "fill_slot_q != slot_t'(Count - 1)", "fill_slot_q != slot_t'(Count - 2)"),
    ("rdma_id_pool", "take = take_valid_o && take_ready_i", "take = take_ready_i"),
    ("rdma_id_pool", ".s_valid_i(filling_q || put)", ".s_valid_i(filling_q || put_valid_i)"),
    ("rdma_status", ".flip_mask_i(read_mask_i & over)", ".flip_mask_i(read_mask_i & finished_at_read)"),
    ("rdma_status", ".flip_mask_i(read_mask_i & over)", ".flip_mask_i(over)"),
    ("rdma_status", "start = start_i && (start_idle_o & start_mask) != '0", "start = start_i"),
    ("rdma_status", "| (finished_at_start ^ seen_at_start)", ""),
    ("rdma_status", "&& ((started_at_finish ^ finished_at_finish) & finish_mask) != '0", ""),
    ("rdma_status", "(failed_at_finish ^ {Channels{finish_error_i}})", "{Channels{finish_error_i}}"),
    ("rdma_status", "over[c] ? failed_at_read[c] :", ""),
    ("rdma_status", "finish_i && !clearing_q", "finish_i"),
    ("rdma_cutter", "- number_t'(borrow)", ""),
    ("rdma_cutter", "first ? '0 : s_number_i - number_t'(borrow)", "s_number_i - number_t'(borrow)"),
    ("rdma_cutter", "at_boundary ? s_number_i + 1'b1 : s_number_i", "s_number_i"),
    ("rdma_cutter", "(s_size_i <= 32'(room)) ? bytes_t'(s_size_i) : room", "room"),
    ("rdma_cutter", "(s_size_i <= 32'(room))", "(s_size_i < 32'(room) - 32'd1)"),
    ("rdma_cutter", "!first && !(last_o && !at_boundary)", "!first && !last_o"),
    ("rdma_cutter", "busy_q || (s_valid_i && first)", "busy_q || s_valid_i"),
    ("rdma_cutter", "&& !(first && !busy_q && m_ready_i)", ""),
    ("rdma_cutter", "first ? ahead : {Shift{1'b0}}", "ahead"),
    ("rdma_ring", "{issue_place_i[1:0], issue_place_i[PlaceWidth-1:2]}", "issue_place_i"),
    ("rdma_ring", "issue_four_i ? place_behind : PlaceWidth'(place_behind[StepWidth-1:0])", "place_behind"),
    ("rdma_ring", "{answer_step_i[StepWidth-1:0], answer_step_i[PlaceWidth-1:StepWidth]}", "answer_step_i"),
    ("rdma_check", "size != '0 &&", ""),
    ("rdma_check", "bytes > ~address[31:0]", "bytes >= ~address[31:0]"),
    ("rdma_check", "bytes > ~address[31:0]", "1'b0"),
    ("rdma_check", "is_long == long_i &&", ""),
    ("rdma_check", "32'(priority_o) < Priorities", "32'(priority_o) <= Priorities"),
    ("rdma_check", "is_long == (size > ShortMessage)", "is_long == (size >= ShortMessage)"),
    ("rdma_check", "size <= LongMessage &&", ""),
    ("rdma_check", "&& (!is_long || notify)", ""),
    ("rdma_check", "line_i[192+:3] != '0", "1'b0"),
    ("rdma_collect", "&& now.second == s_second_i", ""),
    ("rdma_collect", "now.channel == s_channel_i &&", ""),
    ("rdma_collect", "now.is_long == s_long_i &&", ""),
    ("rdma_collect", "own_idle && !shadowed", "!shadowed"),
    ("rdma_collect", "own_idle && !shadowed", "own_idle"),
    ("rdma_collect", "&& (!s_long_i || next_idle)", ""),
    ("rdma_collect", "{32{s_long_i}}", "{32{1'b1}}"),
    ("rdma_collect", "(last || !good)", "last"),
    ("rdma_collect", "(s_valid_i && s_forget_i) ||", ""),
    ("rdma_collect", "!line_valid_o || line_ready_i", "1'b1"),
    ("rdma_collect", "now.words | s_words_i", "stored.words | s_words_i"),
    ("rdma_collect", "s_second_i ? now.priority_ : priority_", "priority_"),
    ("rdma_port", "if (s_axi_wstrb[8*i+:8] != {8{lanes[i]}}) broken = 1'b1;", ""),
    ("rdma_port", "(failed_q || refused) ? SlvErr : Okay", "refused ? SlvErr : Okay"),
    ("rdma_port", "(offset & ~(size_bytes - 12'd1)) + size_bytes", "offset + size_bytes"),
    ("rdma_port", "|| (s_axi_awburst != Incr && s_axi_awlen != '0)", ""),
    ("rdma_port", "{32{upper_half || all}}, {32{!upper_half}}", "64'hffff_ffff_ffff_ffff"),
    ("rdma_port", "read_mask_o[s_axi_araddr[8:3]] = 1'b1;", "read_mask_o = '1;"),
    ("rdma_port", "read_o = take && known", "read_o = s_axi_arvalid && known"),
    ("rdma_port", "known = s_axi_araddr[AddrWidth-1] && s_axi_arlen == '0", "known = s_axi_arlen == '0"),
    ("rdma_crc", "zeros_i(state_pad_q[5:3])", "zeros_i(3'd0)"),
    ("rdma_crc", "zeros_i(high_pad_q)", "zeros_i(state_pad_q[2:0])"),
    ("rdma_crc", "state_q <= part_q[0] ^ Start", "state_q <= part_q[0]"),
    ("rdma_crc", "part_q[2][31-i]", "part_q[1][31-i]"),
    ("rdma_fetch", "to_boundary < 7'(BurstWords) ? to_boundary : 7'(BurstWords)", "7'(BurstWords)"),
    ("rdma_fetch", "failed_q || (read && m_axi_rresp[1])", "read && m_axi_rresp[1]"),
    ("rdma_fetch", "failed_q || (read && m_axi_rresp[1])", "failed_q"),
    ("rdma_fetch", "failed && !job_done", "failed"),
    ("rdma_fetch", "room_t'(word_out) + room_t'(fewer)", "room_t'(word_out)"),
    ("rdma_fetch", "+ 38'(index_q)", ""),
    ("rdma_fetch", "turned_last ? '0 : index_q + 6'd1", "index_q + 6'd1"),
    ("rdma_frame", "-chosen.footer.bytes[5:0]", "6'd0"),
    ("rdma_frame", "{8{7'(i) < packet_i.size}}", "8'hff"),
    ("rdma_frame", "reply_valid_i ? reply_i.epoch : epoch_i", "epoch_i"),
    ("rdma_frame", "packet_ready_o = reply_ready_o && !reply_valid_i", "packet_ready_o = reply_ready_o"),
    ("rdma_frame", "if (drops) state_q <= WordNone; else", ""),
    ("rdma_frame", "out_q.reports && step", "out_q.reports"),
    ("rdma_frame", "block_i.footer.index == block_i.footer.last", "1'b1"),
    ("rdma_pacer", "!rests || !over[31]", "1'b1"),
    ("rdma_pacer", "look && !due && !keeps", "look && !due"),
    ("rdma_pacer", "m_ready_i && !passing", "m_ready_i"),
    ("rdma_pacer", "passes = !s_block_i.managed", "passes = 1'b1"),
    ("rdma_port", "(!rvalid_q || (s_axi_rready && left_q == '0))", "1'b1"),
]  # fmt: skip


def mutant(module, old, new):
    bench, proof = JUDGES[module]
    demands = [(bench, [Test((f"cores/rdma/tb/{bench}",), ran="SEED=")])]
    if proof is not None:
        demands.append((f"proof {proof}", [Proof(f"rdma/{proof}")]))
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("rdma", __doc__, [mutant(*row) for row in MUTANTS], env={"TB_TIMEOUT": "120"})
