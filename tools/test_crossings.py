# SPDX-License-Identifier: Apache-2.0
"""Tests of the check of clock crossings: each fault that it is there to find, and a design without one."""

import os
import shutil
import tomllib
from collections import defaultdict

import constraints
import crossings
import netgraph
import pytest
from common import BUILD, ROOT
from filelist import files_for

MARK = "// SPDX-License-Identifier: Apache-2.0\n"
PORTS = """  input logic a_clk_i, input logic b_clk_i, input logic c_clk_i, input logic arst_i, input logic a_rst_i,
  input logic b_rst_i, input logic [3:0] a_i, output logic [3:0] b_o"""
TABLE = {
    "ports": {
        "a_clk_i": ["a_rst_i", "a_i"],
        "b_clk_i": ["b_rst_i", "b_o"],
        "c_clk_i": [],
    },
    "asynchronous": ["arst_i"],
}
BIT = "prim_sync_bit u_{0} (.clk_i(b_clk_i), .rst_i(b_rst_i), .d_i({1}), .q_o({2}));"

# Each with what is to be found: kind and source of every fault.
BAD = {
    "logic": (
        f"""logic [3:0] a_q; always_ff @(posedge a_clk_i) a_q <= a_i;
        {BIT.format("bit", "a_q == 5", "b_o[0]")}""",
        [("logic", "a_q")],
    ),
    "port_into_synchroniser": (BIT.format("bit", "a_i[0]", "b_o[0]"), [("logic", "a_i")]),
    "word": (
        """logic [3:0] a_q; always_ff @(posedge a_clk_i) a_q <= a_i;
        always_ff @(posedge b_clk_i) b_o <= b_o + a_q;""",
        [("path", "a_q")],
    ),
    "input_of_another_clock": ("always_ff @(posedge b_clk_i) b_o <= a_i;", [("path", "a_i")]),
    "output_of_another_clock": ("always_ff @(posedge a_clk_i) b_o <= a_i;", [("path", "b_o")]),
    "fifo": (
        """logic [3:0] mem[16]; logic [3:0] wr_q, rd_q;
        always_ff @(posedge a_clk_i) begin wr_q <= wr_q + 1'b1; mem[wr_q] <= a_i; end
        always_ff @(posedge b_clk_i) begin rd_q <= rd_q + 1'b1; b_o <= mem[rd_q]; end""",
        [("path", "mem")],
    ),
    "gate_of_another_clock": (
        """logic a_q, b_q, clk; always_ff @(posedge a_clk_i) a_q <= a_i[0];
        always_ff @(posedge b_clk_i) b_q <= b_o[0];
        prim_clock_gate u_gate (.clk_i(b_clk_i), .en_i(a_q), .clk_o(clk));
        always_ff @(posedge clk) b_o <= {3'b0, b_q};""",
        [("path", "a_q")],
    ),
    "clocked_memory": (
        """(* ram_style = "block" *) logic [3:0] mem[512]; logic [8:0] wr_q, rd_q;
        always_ff @(posedge a_clk_i) begin wr_q <= wr_q + 1'b1; mem[wr_q] <= a_i; end
        always_ff @(posedge b_clk_i) begin rd_q <= rd_q + 1'b1; b_o <= mem[rd_q]; end""",
        [("path", "mem")],
    ),
    "asynchronous_reset": (
        "always_ff @(posedge b_clk_i or posedge arst_i) if (arst_i) b_o <= '0; else b_o <= b_o + 1'b1;",
        [("asynchronous", "arst_i")],
    ),
    "reset_as_data": ("always_ff @(posedge b_clk_i) b_o <= {3'b0, arst_i};", [("reset", "arst_i")]),
    "reset_of_another_clock": (
        "always_ff @(posedge b_clk_i) if (a_rst_i) b_o <= '0; else b_o <= b_o + 1'b1;",
        [("reset", "a_rst_i")],
    ),
    "reset_from_logic": (
        """logic a_q, rst; always_ff @(posedge a_clk_i) a_q <= a_i[0];
        prim_sync_reset u_rst (.clk_i(b_clk_i), .arst_i(arst_i && a_q), .rst_o(rst)); assign b_o = {3'b0, rst};""",
        [("logic", "a_q"), ("logic", "arst_i")],
    ),
    "fan_out": (
        f"""logic a_q; always_ff @(posedge a_clk_i) a_q <= a_i[0];
        {BIT.format("one", "a_q", "b_o[0]")} {BIT.format("two", "a_q", "b_o[1]")}""",
        [("fan-out", "a_q")],
    ),
    "bus": (
        f"""logic [3:0] a_q; always_ff @(posedge a_clk_i) a_q <= a_i;
        for (genvar i = 0; i < 4; i++) begin : gen_bit {BIT.format("bit", "a_q[i]", "b_o[i]")} end""",
        [("bus", "a_q")],
    ),
    "wide_synchroniser": (
        """logic a_q, c_q; always_ff @(posedge a_clk_i) {a_q, c_q} <= {a_i[0] & a_i[1], a_i[2]}; assign b_o[3:2] = '0;
        prim_sync_flop #(.Width(2)) u_two (.clk_i(b_clk_i), .rst_i(b_rst_i), .d_i({a_q, c_q}), .q_o(b_o[1:0]));""",
        [("bus", "u_two")],
    ),
    "word_in_a_third_clock": (
        """logic [3:0] a_q, addr, c_q; logic unused_0, unused_1, unused_2; logic [3:0] unused_3;
        always_ff @(posedge a_clk_i) a_q <= a_i;
        prim_sync_request #(.AddrWidth(4), .DataWidth(4)) u_request (.src_clk_i(a_clk_i), .src_rst_i(a_rst_i), .src_req_i(a_i[0]),
          .src_addr_i(a_q), .src_ack_o(unused_0), .src_lost_o(unused_1), .src_data_o(unused_3), .dst_clk_i(b_clk_i),
          .dst_rst_i(b_rst_i), .dst_req_o(unused_2), .dst_addr_o(addr), .dst_ack_i(1'b1), .dst_data_i(b_o));
        always_ff @(posedge c_clk_i) c_q <= addr;
        (* keep *) logic [3:0] kept; assign kept = c_q;
        always_ff @(posedge b_clk_i) b_o <= addr;""",
        [("path", "u_request.addr_q")],
    ),
    "made_clock": (
        "logic [3:0] q; always_ff @(posedge (b_clk_i & b_rst_i)) q <= q + 1'b1; assign b_o = q;",
        [("clock", "q"), ("path", "q")],
    ),
    "clock_as_data": ("always_ff @(posedge b_clk_i) b_o <= {3'b0, a_clk_i};", [("path", "a_clk_i")]),
    "latch": ("always_latch if (b_rst_i) b_o[0] = a_i[0];", [("clock", "$dlatch*")]),
}  # fmt: skip

GOOD = f"""logic [3:0] a_q, answer, data, m_data; logic a_go_q, stop_q, a_rst, ack, lost, req, s_ready, m_valid, m_ready_q, valid, changed;
  logic [3:0] addr, count, value;
  prim_sync_reset u_rst (.clk_i(a_clk_i), .arst_i(arst_i || stop_q), .rst_o(a_rst));
  always_ff @(posedge b_clk_i) stop_q <= answer[0];
  always_ff @(posedge a_clk_i) if (a_rst || a_rst_i) a_q <= '0; else a_q <= a_i ^ data;
  always_ff @(posedge a_clk_i) a_go_q <= a_i[0] & s_ready & ack & !lost;
  {BIT.format("bit", "a_go_q", "m_ready_q")}
  prim_fifo_async #(.Width(4), .Depth(4)) u_fifo (.s_clk_i(a_clk_i), .s_rst_i(a_rst_i), .s_valid_i(a_go_q), .s_ready_o(s_ready),
    .s_data_i(a_q), .m_clk_i(b_clk_i), .m_sync_clk_i(b_clk_i), .m_rst_i(b_rst_i), .m_valid_o(m_valid),
    .m_ready_i(m_ready_q), .m_data_o(m_data));
  prim_sync_gray u_gray (.src_clk_i(a_clk_i), .src_rst_i(a_rst_i), .src_inc_i(a_go_q), .dst_clk_i(b_clk_i),
    .dst_rst_i(b_rst_i), .dst_count_o(count));
  prim_sync_request #(.AddrWidth(4), .DataWidth(4)) u_request (.src_clk_i(a_clk_i), .src_rst_i(a_rst_i), .src_req_i(a_i[1]),
    .src_addr_i(a_q), .src_ack_o(ack), .src_lost_o(lost), .src_data_o(data), .dst_clk_i(b_clk_i), .dst_rst_i(b_rst_i),
    .dst_req_o(req), .dst_addr_o(addr), .dst_ack_i(req), .dst_data_i(answer));
  prim_sync_setting #(.Width(4)) u_setting (.src_clk_i(a_clk_i), .src_rst_i(a_rst_i), .src_value_i(a_q), .dst_clk_i(b_clk_i),
    .dst_valid_o(valid), .dst_changed_o(changed), .dst_value_o(value));
  always_ff @(posedge b_clk_i) if (m_valid && valid && !changed) answer <= addr ^ count ^ m_data ^ value;
  assign b_o = answer;"""


@pytest.fixture(scope="module")
def netlist():
    """All examples, elaborated at once; each is a top of its own."""
    # Each process of a parallel run makes its own.
    folder = BUILD / f"test_crossings{os.environ.get('PYTEST_XDIST_WORKER', '')}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    examples = {name: body for name, (body, _) in BAD.items()} | {"good": GOOD}
    names = []
    for name, body in examples.items():
        names.append(folder / f"ex_{name}.sv")
        names[-1].write_text(f"{MARK}module ex_{name} (\n{PORTS}\n);\n{body}\nendmodule\n")
    files = files_for("prim") + [str(n.relative_to(ROOT)) for n in names]
    return crossings.elaborate([n.stem for n in names], {}, files)


def look(netlist, name, **changes):
    """A top with the findings of the check."""
    cells = tomllib.loads(crossings.CELLS.read_text())
    top = crossings.Top(netgraph.load(netlist, f"ex_{name}"), {**TABLE, **changes}, cells)
    return top, [(f.kind, f.source.split(" ")[0]) for f in top.check()]


@pytest.mark.parametrize("name", BAD)
def test_each_fault_is_found_and_nothing_else(netlist, name):
    _, found = look(netlist, name)
    want = BAD[name][1]
    assert len(found) == len(want)
    for (kind, source), (want_kind, want_source) in zip(found, want, strict=True):
        assert kind == want_kind and (source == want_source or want_source.endswith("*")), found


def test_a_design_without_a_fault_is_clean(netlist):
    top, found = look(netlist, "good")
    assert found == []
    assert set(top.instances.values()) == set(top.cells)


def test_clocks_with_aligned_edges_are_one(netlist):
    assert look(netlist, "word", groups=[["a_clk_i", "b_clk_i"]])[1] == []


def test_every_port_belongs_somewhere(netlist):
    ports = {**TABLE["ports"], "a_clk_i": ["a_i"]}
    assert look(netlist, "good", ports=ports)[1] == [("port", "a_rst_i"), ("reset", "a_rst_i")]
    ports = {**TABLE["ports"], "b_clk_i": ["b_rst_i", "b_o", "a_i"]}
    assert ("port", "a_i") in look(netlist, "good", ports=ports)[1]
    ports = {**TABLE["ports"], "b_clk_i": ["b_rst_i", "b_o", "nothing_*"]}
    assert look(netlist, "good", ports=ports)[1] == [("port", "nothing_*")]


def test_an_exception_has_a_reason_and_a_use(netlist):
    table = {
        "allow": [{"kind": "fan-out", "source": "a_q", "reason": "each lane looks at its own"}]
    }
    top, found = look(netlist, "fan_out", **table)
    assert found == [] and crossings.idle_exceptions(table, top.excused) == []
    top, _ = look(netlist, "good", **table)
    assert len(crossings.idle_exceptions(table, top.excused)) == 1
    table["allow"][0]["reason"] = ""
    top, _ = look(netlist, "fan_out", **table)
    assert len(crossings.idle_exceptions(table, top.excused)) == 1


def test_no_core_is_left_out():
    """What other cores are made of is looked at inside of them."""
    parts = {"prim", "axis", "line"}
    cores = {path.parent.name for path in (ROOT / "cores").glob("*/rtl")}
    tables = {path.parent.name for path in (ROOT / "cores").glob("*/crossings.toml")}
    assert tables == cores - parts


# --- constraints ---


def constrain(netlist, folder, monkeypatch):
    """What the constraints in a folder leave open in the good example, and files that are of no use."""
    monkeypatch.setattr(constraints, "FOLDER", folder)
    top, _ = look(netlist, "good")
    used = defaultdict(set)
    return constraints.check(top, netlist.parent, used), constraints.unused(used, top.cells)


def test_every_crossing_is_constrained(netlist, monkeypatch):
    assert constrain(netlist, constraints.FOLDER, monkeypatch) == ([], [])


CHANGES = {
    "vivado/prim_sync_flop.tcl": ("set_max_delay -datapath_only", "list"),
    "vivado/prim_sync_reset.tcl": ("REF_PIN_NAME == PRE", "REF_PIN_NAME == D"),
    "vivado/prim_sync_gray.tcl": ("ropewalk::gray", "list"),
    "vivado/prim_fifo_async.tcl": ("ropewalk::stored", "list"),
    "vivado/prim_sync_request.tcl": ("addr_q] $done", "addr_q] $asked"),
    "vivado/prim_sync_setting.tcl": ("ropewalk::held", "list"),
    "vivado/ropewalk_cells.tcl": ("[shortest $target]", "[shortest [clocks $from]]"),
    "sdc/prim_sync_flop.sdc": ("ropewalk::level", "list"),
    "sdc/prim_sync_reset.sdc": ("set_false_path -to", "list"),
    "sdc/prim_sync_gray.sdc": ("ropewalk::gray", "list"),
    "sdc/prim_fifo_async.sdc": ("ropewalk::held", "list"),
    "sdc/prim_sync_request.sdc": ("ropewalk::held [ropewalk::registers $instance addr_q]", ""),
    "sdc/prim_sync_setting.sdc": ("ropewalk::held", "list"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_constraint_that_is_missing_or_wrong_is_seen(netlist, tmp_path, monkeypatch, name):
    shutil.copytree(constraints.FOLDER, tmp_path / "constraints")
    path = tmp_path / "constraints" / name
    assert CHANGES[name][0] in path.read_text()
    path.write_text(path.read_text().replace(*CHANGES[name]))
    missing, _ = constrain(netlist, tmp_path / "constraints", monkeypatch)
    assert missing


def test_a_file_without_a_cell_and_a_cell_without_a_file(netlist, tmp_path, monkeypatch):
    shutil.copytree(constraints.FOLDER, tmp_path / "constraints")
    folder = tmp_path / "constraints/vivado"
    (folder / "prim_sync_gray.tcl").rename(folder / "prim_sync_grey.tcl")
    _, idle = constrain(netlist, tmp_path / "constraints", monkeypatch)
    assert idle == [
        "vivado/prim_sync_grey.tcl is of no cell",
        "prim_sync_gray has no vivado/prim_sync_gray.tcl",
    ]


@pytest.mark.parametrize("name", ["vivado/prim_sync_setting.tcl", "sdc/prim_sync_setting.sdc"])
def test_a_register_that_is_called_otherwise_is_seen(netlist, tmp_path, monkeypatch, name):
    shutil.copytree(constraints.FOLDER, tmp_path / "constraints")
    path = tmp_path / "constraints" / name
    path.write_text(path.read_text().replace(" value_q", " word_q"))
    missing, idle = constrain(netlist, tmp_path / "constraints", monkeypatch)
    assert any("value_q -> " in what for what, _ in missing) and len(idle) >= 1


def test_a_mistake_in_a_file_ends_in_one_line(netlist, tmp_path, monkeypatch, capsys):
    shutil.copytree(constraints.FOLDER, tmp_path / "constraints")
    path = tmp_path / "constraints/vivado/prim_sync_setting.tcl"
    path.write_text(path.read_text() + "set_max_dealy 3\n")
    with pytest.raises(SystemExit):
        constrain(netlist, tmp_path / "constraints", monkeypatch)
    assert (
        capsys.readouterr()
        .err.splitlines()[0]
        .endswith('constraints for vivado: invalid command name "set_max_dealy"')
    )
