# SPDX-License-Identifier: Apache-2.0
"""Tests of the scripts: that they find what they are there to find, and say it in one line."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import check_crates
import check_tree
import filelist
import logic_levels
import pytest
from common import ROOT

import docs


def script(*words, cwd=ROOT, **env):
    """Run a command; its exit status, standard output and standard error."""
    done = subprocess.run(
        [str(w) for w in words],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


# --- file lists ---


def test_files_come_dependencies_first():
    files = filelist.files_for("rifl")
    libs = [Path(f).parts[1] for f in files]
    assert list(dict.fromkeys(libs)) == ["prim", "axis", "line", "rifl"]
    libs = [Path(f).parts[1] for f in filelist.files_for("eth")]
    assert list(dict.fromkeys(libs)) == ["prim", "axis", "eth"]
    own = [Path(f).stem for f in files if "/rifl/" in f]
    assert own == sorted(own, key=lambda n: not n.endswith("_pkg"))


def test_every_module_has_the_name_of_its_file():
    for name in filelist.files_for("rifl") + filelist.library_files("eth"):
        found = re.findall(
            r"^\s*(?:module|package)\s+(\w+)", (ROOT / name).read_text(), re.MULTILINE
        )
        assert found == [Path(name).stem]


# --- logic levels, on netlists small enough to count by hand ---


def cell(kind, **pins):
    """A cell; outputs are the pins that drive."""
    outputs = {"O", "Q", "DOA", "CO", "DOH"}
    return {
        "type": kind,
        "port_directions": {p: "output" if p in outputs else "input" for p in pins},
        "connections": {p: [b] for p, b in pins.items()},
    }


def netlist(**cells):
    """A module with the clock on bit 2."""
    return logic_levels.Netlist(
        {
            "cells": cells,
            "ports": {
                "clk_i": {"direction": "input", "bits": [2]},
                "y_o": {"direction": "output", "bits": [13]},
            },
            "netnames": {"clk_i": {"bits": [2]}, "a": {"bits": [10]}},
        }
    )


def test_levels_between_flip_flops():
    graph = netlist(
        ff1=cell("FDRE", C=2, D=3, Q=10),
        lut1=cell("LUT2", I0=10, I1=4, O=11),
        inv=cell("INV", I=11, O=12),
        lut2=cell("LUT6", I0=12, O=13),
        ff2=cell("FDRE", C=2, D=13, CE=11, Q=14),
    )
    domains = graph.domains()
    assert domains["clk_i"].levels == 2  # two LUTs, the inverter is free
    assert (
        domains["clk_i"].end_points == 2
    )  # D and CE of the second; the D of the first is an input
    assert domains["(outputs)"].levels == 2


def test_reading_distributed_ram_is_a_level():
    graph = netlist(
        ff1=cell("FDRE", C=2, D=3, Q=10),
        ram=cell("RAM32M16", WCLK=2, ADDRA=10, DOA=11, DIA=5, WE=6),
        lut=cell("LUT2", I0=11, O=13),
        ff2=cell("FDRE", C=2, D=13, Q=14),
    )
    assert graph.domains()["clk_i"].levels == 2


def test_clock_behind_a_buffer_has_its_own_name():
    graph = netlist(
        buf=cell("BUFG", I=2, O=20),
        lut=cell("LUT2", I0=10, O=13),
        ff2=cell("FDRE", C=20, D=13, Q=10),
    )
    assert set(graph.domains()) == {"clk_i", "(outputs)"}


def test_a_combinational_loop_is_named():
    graph = netlist(
        lut1=cell("LUT2", I0=11, O=10),
        lut2=cell("LUT2", I0=10, O=11),
        ff=cell("FDRE", C=2, D=11, Q=14),
    )
    with pytest.raises(SystemExit, match="loop"):
        graph.domains()


# --- limits of the area report ---


def test_a_broken_limit_is_reported():
    import area

    good = {
        "lut": 5372,
        "lut_memory": 1013,
        "ff": 3522,
        "bram36": 3.5,
        "levels": {"phy_tx_clk_i": 12, "frame_clk_i": 14, "(outputs)": 99},
    }
    assert all(value <= limit for _, value, limit in area.verdicts(good))
    for change in (
        {"lut": 5373},
        {"lut_memory": 1014},
        {"ff": 3523},
        {"bram36": 4},
        {"levels": {"phy_rx_clk_i": 13}},
        {"levels": {"frame_clk_i": 15}},
    ):
        assert any(value > limit for _, value, limit in area.verdicts({**good, **change})), change


def test_a_broken_limit_of_htsp_is_reported():
    import area

    one = {"lut": 3000, "lut_memory": 400, "ff": 3500, "levels": {"clk_i": 11}}
    good = {"lut": 7000, "lut_memory": 900, "ff": 9000, "levels": {"clk_i": 14, "(outputs)": 99}}
    assert all(value <= limit for _, value, limit in area.htsp_verdicts("4", good, one))
    for change in ({"lut": 7001}, {"lut_memory": 901}, {"ff": 78001}, {"levels": {"clk_i": 15}}):
        rows = area.htsp_verdicts("4", {**good, **change}, one)
        assert any(value > limit for _, value, limit in rows), change


def test_a_broken_limit_on_depth_is_reported():
    import area

    for levels, ok in ((14, True), (15, False)):
        rows = area.depths({"levels": {"clk_i": levels, "(outputs)": 99}})
        assert all(value <= limit for _, value, limit in rows) == ok


# --- figures ---


def test_a_table_of_the_benchmark_is_read(capsys):
    import figures

    bench = [
        "Other",
        "x   1",
        "",
        "Gap, long",
        "link     a   b",
        "1/256    1 984   -",
        "note; 5 with",
        "",
    ]
    rows = figures.section(bench, "Gap")
    assert figures.pick(rows, "1/256") == ["1 984", "-"]
    for wrong in (lambda: figures.section(bench, "Nothing"), lambda: figures.pick(rows, "2/256")):
        with pytest.raises(SystemExit):
            wrong()
    assert "'Nothing'" in capsys.readouterr().err


# --- mutants ---


def test_a_mistake_is_made_in_its_module_whatever_the_white_space():
    import mutants

    source = "package p; a && b; endpackage\nmodule m (x);\n  y = a\n    &&b;\nendmodule\n"
    mutant = mutants.Mutant("m", "a && b", "a", [])
    assert mutants.mutate(source, mutant) == source.replace("a\n    &&b", "a")
    assert mutants.mutate(source, mutants.Mutant("m", "a || b", "a", [])) is None


def test_every_mutant_is_a_mistake_in_a_file_that_is_there():
    for core in ("prim", "axis", "line", "eth", "rifl", "rifl_fec", "htsp", "rdma", "slink"):
        status, out, err = script(sys.executable, f"cores/{core}/mutants.py", "--list")
        assert (status, err) == (0, "") and len(out.splitlines()) > 15, core


class Verdict:
    """A check that has made up its mind."""

    def __init__(self, refuses):
        self.refuses = lambda tree: refuses


@pytest.mark.parametrize(
    ("demands", "good"),
    [([[True], [True]], True), ([[True], [False]], False), ([[False, True], [True]], True)],
)
def test_every_demand_has_to_refuse_by_one_of_its_checks(demands, good, tmp_path, capsys):
    import mutants

    path = tmp_path / "cores/prim/rtl/m.sv"
    path.parent.mkdir(parents=True)
    path.write_text("module m ();\n  a;\nendmodule\n")
    named = [(str(n), [Verdict(said) for said in checks]) for n, checks in enumerate(demands)]
    mutant = mutants.Mutant("m", "a;", "b;", named)
    assert mutants.attempt("prim", mutant, mutants.Tree(tmp_path, {})) is good
    assert ("ACCEPTS" in capsys.readouterr().out) is not good
    assert "  a;\n" in path.read_text()


# --- proof list ---


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("a | prove | 5", "5 fields|fields"),
        ("a | guess | 5 | top | Makefile", "mode 'guess'"),
        ("a | prove | x | top | Makefile", "depth 'x'"),
        ("a | prove | 5 | top | cores/nothing.sv", "no file cores/nothing.sv"),
        ("a | prove | 5 | top | Makefile | engine=magic", "engine 'magic'"),
        ("a | prove | 5 | top | Makefile | wibble=1", "unknown option wibble"),
        ("a | prove | 5 | top | @nolib", "no library 'nolib'"),
    ],
)
def test_mistakes_in_a_proof_list_are_named(line, complaint, capsys):
    import proof

    with pytest.raises(SystemExit):
        proof.parse_line(line, "proofs.txt:1", "prim")
    said = capsys.readouterr().err
    assert re.search(complaint, said) and said.count("\n") == 1


def test_a_proof_line_is_read():
    import proof

    found = proof.parse_line(
        "a | prove | 5 | top | Makefile README.md | expect=fail -GWidth=4", "x:1", "prim"
    )
    assert (found.wanted, found.files, found.overrides) == (
        "FAIL",
        ["Makefile", "README.md"],
        ["-GWidth=4"],
    )
    assert "read_slang -j 1 -D FORMAL --top top -G Width=4 Makefile README.md" in proof.sby_text(
        found
    )


def test_a_proof_key_follows_the_content(tmp_path, monkeypatch):
    import common

    monkeypatch.setattr(common, "ROOT", tmp_path)
    (tmp_path / "a.sv").write_text("one")
    before = common.content_hash(["a.sv"], "x")
    assert common.content_hash(["a.sv"], "x") == before
    assert common.content_hash(["a.sv"], "y") != before
    (tmp_path / "a.sv").write_text("two")
    assert common.content_hash(["a.sv"], "x") != before


# --- the flows themselves, on a repository with one small module ---

COUNTER = """// SPDX-License-Identifier: Apache-2.0
module prim_count #(
  parameter int unsigned Last = 9
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       en_i,
  output logic [3:0] count_o
);
  always_ff @(posedge clk_i) begin
    if (rst_i || (en_i && count_o == 4'(Last))) count_o <= '0;
    else if (en_i) count_o <= count_o + 4'd1;
  end
`ifdef FORMAL
  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb begin
    if (!past_q) assume (rst_i);
`ifndef EMPTY
    if (past_q) assert (count_o <= 4'd9);
`endif
  end
`endif
endmodule
"""


CORE = """CAPI=2:
name: "ropewalk:cores:prim:0.1.0"
filesets:
  rtl:
    files: [rtl/prim_count.sv]
    file_type: systemVerilogSource
targets:
  default:
    filesets: [rtl]
"""


@pytest.fixture
def small_repository(tmp_path):
    """The scripts and one module, with our tools."""
    (tmp_path / "tools").mkdir()
    for name in (ROOT / "tools").glob("*.py"):
        shutil.copy(name, tmp_path / "tools")
    for name in (".venv", ".tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "cores/prim/rtl").mkdir(parents=True)
    (tmp_path / "cores/prim/formal").mkdir()
    (tmp_path / "cores/prim/rtl/prim_count.sv").write_text(COUNTER)
    (tmp_path / "cores/prim/prim.core").write_text(CORE)
    return tmp_path


def test_proofs_pass_fail_and_refuse_to_prove_nothing(small_repository):
    (small_repository / "cores/prim/formal/proofs.txt").write_text(
        "good    | prove | 3  | prim_count | @prim\n"
        "refuted | bmc   | 12 | prim_count | @prim -GLast=10 expect=fail\n"
        "broken  | bmc   | 12 | prim_count | @prim -GLast=10\n"
        "empty   | prove | 3  | prim_count | @prim -DEMPTY\n"
    )
    status, out, err = script(sys.executable, "tools/proof.py", cwd=small_repository)
    assert status == 1 and "2 of 4" in out
    assert "prim/broken, prim/empty" in err.splitlines()[-1]
    # What passed is remembered, what failed is not.
    _, out, _ = script(sys.executable, "tools/proof.py", "--only", "good", cwd=small_repository)
    assert "cached" in out
    status, out, _ = script(
        sys.executable, "tools/proof.py", "--only", "broken", cwd=small_repository
    )
    assert status == 1 and "cached" not in out


def test_area_of_a_counter(small_repository):
    status, out, err = script(
        sys.executable, "tools/area.py", "--top", "prim_count", "--json", cwd=small_repository
    )
    assert status == 0, err
    found = json.loads(out)
    assert (found["ff"], found["bram36"], found["lut_memory"]) == (4, 0, 0)
    assert 1 <= found["levels"]["clk_i"] <= 3
    assert 1 <= found["lut"] <= found["lut_cells"] <= 10


def test_lint_finds_what_each_tool_is_there_for(small_repository):
    shutil.copy(ROOT / "tools/verible.rules", small_repository / "tools")
    module = small_repository / "cores/prim/rtl/prim_count.sv"

    def lint(what):
        status, out, _ = script(
            sys.executable, "tools/lint.py", "--only", what, cwd=small_repository
        )
        assert status == (0 if out.endswith("lint: clean\n") else 1)
        return out

    for what in ("verilator", "yosys", "surelog", "verible"):
        assert "clean" in lint(what), what
    module.write_text(COUNTER.replace("endmodule", "  logic  Spare;\nendmodule"))
    assert "UNUSEDSIGNAL" in lint("verilator")
    assert "signal-name-style" in lint("verible lint")
    assert "make format" in lint("verible format")
    module.write_text(COUNTER.replace("endmodule", "  prim_absent u_absent ();\nendmodule"))
    for what in ("yosys", "surelog"):
        assert "prim_absent" in lint(what), what


# --- house rules ---

MARK = "// " + check_tree.MARK + "\n"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.rs", "fn main() {}\n", "no SPDX"),
        ("a.rs", MARK + "// /wor" + "k/main\n", "a path of one machine"),
        (
            "a.py",
            "# " + check_tree.MARK + "\nx = 'https://py" + "pi.org/simple'\n",
            "a registry host",
        ),
        ("rtl/a.sv", MARK + "/* verilator lint_" + "off WIDTH */\n", "lint waiver"),
        ("a.sv", MARK + "wire x; \n", "trailing blanks"),
        ("a.sv", MARK + "wire x;", "no newline"),
        ("a.bin", "\0" * 1_000_001, "bytes"),
        ("cores/x/rtl/a.sv", MARK + "// " + "abc" * 33 + "\n", "a comment of 102 columns"),
        ("crates/x/src/a.rs", MARK + "// " + "abc" * 33 + "\n", "a comment of 102 columns"),
        ("cores/x/rtl/a.sv", MARK + "wire x;\n" * 400, "401 lines"),
    ],
)
def test_house_rules_find_what_breaks_them(name, text, complaint, tmp_path, monkeypatch):
    monkeypatch.setattr(check_tree, "ROOT", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = check_tree.check_file(Path(name))
    assert len(found) == 1 and complaint in found[0]


def test_house_rules_accept_a_good_file(tmp_path, monkeypatch):
    monkeypatch.setattr(check_tree, "ROOT", tmp_path)
    (tmp_path / "a.sv").write_text(MARK + "module a;\nendmodule\n")
    assert check_tree.check_file(Path("a.sv")) == []


def test_house_rules_find_a_source_that_git_would_not_see(tmp_path, monkeypatch):
    monkeypatch.setattr(check_tree, "ROOT", tmp_path)
    (tmp_path / "crates/report").mkdir(parents=True)
    (tmp_path / "crates/report/mod.rs").write_text(MARK)
    script("git", "init", "-q", cwd=tmp_path)
    (tmp_path / ".gitignore").write_text("/report/\n")
    assert check_tree.ignored_sources() == []
    (tmp_path / ".gitignore").write_text("report/\n")
    assert check_tree.ignored_sources() == [Path("crates/report/mod.rs")]


# --- set-up and demo: bad circumstances end in one line ---


def bare_path(tmp_path, *programs):
    """A PATH on which only these programs are found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in programs:
        target = shutil.which(name)
        assert target
        (folder / name).symlink_to(target)
    return str(folder)


def test_setup_without_root_names_the_missing_packages(tmp_path):
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/setup.sh", tmp_path / "tools")
    path = bare_path(tmp_path, "sh", "cat", "mkdir", "dirname")
    (tmp_path / "bin/id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "bin/id").chmod(0o755)
    status, out, err = script("tools/setup.sh", "--dev", "--browser", cwd=tmp_path, PATH=path)
    assert status == 2 and out == "" and err.count("\n") == 1
    packages = "g++ make perl zlib1g-dev liblz4-dev python3-venv tcl libpython3-dev chromium"
    assert all(package in err for package in packages.split()), err


@pytest.mark.parametrize(
    ("have", "enough"), [("1.9.0", False), ("1.88.1", False), ("1.89.0", True)]
)
def test_setup_names_a_rust_that_is_too_old(tmp_path, have, enough):
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/setup.sh", tmp_path / "tools")
    (tmp_path / "Cargo.toml").write_text('rust-version = "1.89"\n')
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    # The step behind it needs a Python.
    python = {".venv/bin/python": "exit 1", "bin/python3": "exit 1", "bin/id": "echo 1000"}
    for name, body in {**python, "bin/cargo": f"echo cargo {have}"}.items():
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    status, _, err = script("tools/setup.sh", cwd=tmp_path, PATH=path)
    wanted = "Python 3.11 or newer is needed" if enough else f"Rust {have} is too old: install 1.89"
    assert status == 2 and wanted in err and err.count("\n") == 1


BUSY = """#!/bin/sh
echo "$*" >> calls
[ "$(grep -c . calls)" -gt 2 ] && exit 0
echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)" >&2
exit 100
"""


@pytest.mark.parametrize("waits", [True, False])
def test_setup_waits_for_another_package_manager(tmp_path, waits):
    """It holds a lock for two tries; another failure of it ends at once."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/setup.sh", tmp_path / "tools")
    shutil.copy(ROOT / "Cargo.toml", tmp_path)
    path = bare_path(tmp_path, "sh", "cat", "mkdir", "dirname", "grep", "sed", "tail")
    text = BUSY if waits else BUSY.replace("Could not get lock", "No space left on")
    for name, body in (("id", "#!/bin/sh\necho 0\n"), ("apt-get", text), ("sleep", "#!/bin/sh\n")):
        (tmp_path / "bin" / name).write_text(body)
        (tmp_path / "bin" / name).chmod(0o755)
    home = str(tmp_path)
    status, out, err = script("tools/setup.sh", cwd=tmp_path, PATH=path, HOME=home)
    calls = (tmp_path / "calls").read_text().splitlines()
    verbs = ["update" if "update" in call else "install" for call in calls]
    assert status == 2
    if waits:
        assert verbs == ["update", "update", "update", "install"]
        assert out.count("another package manager") == 1 and "cargo is missing" in err
    else:
        assert verbs == ["update"] and "No space left on" in err


def test_setup_refuses_unknown_options():
    status, _, err = script("tools/setup.sh", "--everything")
    assert status == 2 and "--everything" in err and err.count("\n") == 1


def test_setup_has_nothing_to_do_the_second_time():
    script("tools/setup.sh", "--dev")
    before = {p: p.stat().st_mtime_ns for p in (ROOT / ".tools").rglob("*") if p.name != ".lock"}
    status, out, err = script("tools/setup.sh", "--dev")
    assert (status, out, err) == (0, "", "")
    assert before == {
        p: p.stat().st_mtime_ns for p in (ROOT / ".tools").rglob("*") if p.name != ".lock"
    }


def test_a_skip_is_counted_and_in_ci_it_fails(tmp_path):
    shutil.copyfile(ROOT / "conftest.py", tmp_path / "conftest.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    text = "import pytest\n\n\n@pytest.mark.skip(reason='no tool')\ndef test_one():\n    pass\n"
    (tmp_path / "test_one.py").write_text(text)
    pytest_here = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    skipped = tmp_path / "build" / "test" / "skipped"
    status, out, _ = script(*pytest_here, cwd=tmp_path, CI="true")
    assert status == 1 and "skipped where CI=true: test_one.py::test_one: no tool" in out
    assert not skipped.exists()
    assert script(*pytest_here, cwd=tmp_path, CI="")[0] == 0
    assert skipped.read_text() == "test_one.py::test_one: no tool\n"


def test_demo_with_a_missing_file_says_so_at_once():
    status, out, err = script("tools/demo.sh", FILE="no/such/file")
    assert (status, out) == (2, "") and err == "demo: FILE=no/such/file is not a readable file\n"


# --- the book ---


def test_the_picture_is_what_its_script_draws():
    status, _, _ = script(sys.executable, "tools/picture.py", "--check")
    assert status == 0


def test_links_between_pages_lead_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "cores").rglob("*.md"), *(ROOT / "docs/src").glob("*.md")]
    assert len(pages) > 5
    for page in pages:
        for link in re.findall(r"\]\((?![a-z]+:)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.relative_to(ROOT)}: {link}"


BOOK = {
    "SUMMARY.md": "# A book\n\n- [Begin](begin.md)\n\n# Lanes\n\n- [Skew](skew.md)\n",
    "begin.md": "# Begin\n\nSee [skew](skew.md#deskew).\n",
    "skew.md": "# Skew\n\nLanes differ.\n\n## Deskew\n\nA FIFO of each lane waits for `marker` and <marker>.\n",
}


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A small book and where it is written to."""
    source = tmp_path / "src"
    source.mkdir()
    for name, text in BOOK.items():
        (source / name).write_text(text)
    monkeypatch.setattr(docs, "SOURCE", source)
    return source, tmp_path / "out"


def test_the_book_has_parts_and_a_search(book):
    _, out = book
    assert docs.render(out) == 2
    page = (out / "begin.html").read_text()
    assert page.index('class="part">Lanes') < page.index('href="skew.html"')
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("chromium is not installed: tools/setup.sh --browser")

    def found(question):
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        address = f"file://{out}/begin.html?q={question}"
        profile = f"--user-data-dir={out.parent / 'profile'}"
        status, dom, err = script(*command, profile, address)
        assert status == 0, err
        return re.search(r'<div id="found">(.*?)</div>', dom)[1]

    assert found("FIFO%20lane") == '<a href="skew.html#deskew">Skew: Deskew</a>'
    # What names it in a heading comes first.
    links = re.findall(r'href="(.*?)"', found("skew"))
    assert links == ["skew.html#skew", "skew.html#deskew", "begin.html#begin"]
    assert found("plesiochronous") == "nothing found"
    assert found("") == ""


def test_the_book_draws_waveforms(book):
    source, out = book
    rows = [
        {"name": "clock", "wave": "p."},
        {"name": "s_axis_tdata", "wave": "x=", "data": ["<7>"]},
    ]
    (source / "waves").mkdir()
    (source / "waves/skew.json").write_text(json.dumps({"signal": rows}))
    (source / "skew.md").write_text(BOOK["skew.md"] + "\n<!-- waveform: skew -->\n")
    docs.render(out)
    (picture,) = re.findall(r'<div class="waveform">(.*?)</div>', (out / "skew.html").read_text())
    assert picture.startswith("<svg") and picture.endswith("</svg>")
    assert ">s_axis_tdata<" in picture and ">&lt;7><" in picture.replace("&gt;", ">")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("begin.md", "# Begin\n\n[nowhere](skew.md#reskew)\n", "no heading skew.html#reskew"),
        ("begin.md", "# Begin\n\n<!-- waveform: skew -->\n", "no waveform waves/skew.json"),
        ("more.md", "# More\n", "SUMMARY.md and docs/src differ in more.md"),
        (
            "SUMMARY.md",
            "# A book\n\n* [Begin](begin.md)\n",
            "neither a heading nor a page: * [Begin]",
        ),
    ],
)
def test_a_book_that_leads_nowhere_is_not_written(book, capsys, name, text, said):
    source, out = book
    (source / name).write_text(text)
    with pytest.raises(SystemExit):
        docs.render(out)
    assert said in capsys.readouterr().err and not out.exists()


def test_an_instance_has_all_of_the_head():
    status, out, _ = script("tools/instance.py", "rdma")
    assert status == 0
    assert "localparam int unsigned PortWidth = $clog2(Pages) + 13;" in out
    assert not re.search(r"\.PortWidth *\(", out), "no parameter"
    for name in ("DataWidth", "MemoryUser", "clk_i", "m_axi_aruser", "irq_o"):
        assert re.search(rf"^  \.{name} *\({name}\),?$", out, re.MULTILINE), name
    status, out, err = script("tools/instance.py", "rdna")
    assert (status, out) == (2, "") and "no module 'rdna'" in err


def test_an_instance_ties_off_whole_names():
    status, out, _ = script("tools/instance.py", "htsp", "--unused", "s_axil", "irq_o")
    assert status == 0 and "logic irq_o" not in out and "logic s_axil" not in out
    assert "s_axis_tvalid;  // input" in out
    # A letter too few: not all of the user's streams as well.
    status, out, err = script("tools/instance.py", "htsp", "--unused", "s_axi")
    assert (status, out) == (2, "") and "no port is 's_axi'" in err and "s_axil_awaddr" in err


def test_requirements_pin_everything():
    for name in ("requirements.txt", "requirements-sim.txt"):
        for line in (ROOT / name).read_text().splitlines():
            assert (
                not line
                or line.startswith(("#", "-r "))
                or re.fullmatch(r"[\w.-]+==[\w.]+(; python_version < .*)?", line)
            ), line


def test_what_is_long_in_a_crate_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(check_tree, "ROOT", tmp_path)
    body = "    x();\n" * 99
    text = MARK + f"fn short() {{\n{body[:-9]}}}\n\npub fn long(\n    x: u8,\n) {{\n{body}}}\n"
    for name, wanted in (("src/a.rs", True), ("src/tests.rs", False), ("tests/a.rs", False)):
        path = Path("crates/x") / name
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
        found = check_tree.check_file(path)
        assert found == (["line 103: long has 103 lines, 100 at most"] if wanted else [])
    path = Path("crates/x/src/b.rs")
    (tmp_path / path).write_text(MARK + "//\n" * 800)
    assert check_tree.check_file(path) == ["801 lines: 800 at most, split it by meaning"]


# --- crates ---


def manifest(**fields):
    """A crate that can be published, with some fields changed."""
    whole = {key: {"workspace": True} for key in check_crates.INHERITED}
    whole |= dict.fromkeys(check_crates.SHOWN, "text") | {
        "keywords": ["one"],
        "categories": ["one"],
    }
    return {"package": whole | fields, "lints": {"workspace": True}}


def package(folder, kinds=("lib", "example"), publish=None):
    """What Cargo tells of it."""
    for name in ("README.md", "LICENSE"):
        (folder / name).write_text("text")
    targets = [{"kind": [kind]} for kind in kinds]
    return {"publish": publish, "manifest_path": str(folder / "Cargo.toml"), "targets": targets}


def test_a_crate_that_is_whole_is_not_complained_of(tmp_path):
    assert check_crates.check_crate(manifest(), package(tmp_path)) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rust-version": "1.70"}, "rust-version is not that of the workspace"),
        ({"description": None}, "no description"),
        ({"keywords": ["a", "b", "c", "d", "e", "f"]}, "more than 5 keywords"),
    ],
)
def test_what_a_crate_lacks_is_named(tmp_path, fields, said):
    assert check_crates.check_crate(manifest(**fields), package(tmp_path)) == [said]


def test_a_library_has_an_example_and_a_readme(tmp_path):
    bare = package(tmp_path, ["lib"])
    (tmp_path / "README.md").unlink()
    found = check_crates.check_crate(manifest(), bare)
    assert found == ["no README.md", "a library without an example"]
    assert check_crates.check_crate(manifest(description=None), {**bare, "publish": []}) == []


def test_versions_of_rust_compare_as_numbers():
    assert (
        check_crates.release("1.89")
        == check_crates.release("1.89.0")
        < check_crates.release("1.100")
    )


CRYPTOGRAPHY = {"ring", "snow", "spake2", "zeroize", "curve25519-dalek"}


@pytest.mark.parametrize(("feature", "found"), [("rifl", set()), ("chunk", CRYPTOGRAPHY)])
def test_only_who_wants_sealed_chunks_compiles_cryptography(feature, found):
    tree = ["cargo", "tree", "--package", "ropewalk-wire", "--edges", "normal", "--prefix", "none"]
    status, out, said = script(*tree, "--no-default-features", "--features", feature)
    assert status == 0, said
    packages = {line.split()[0] for line in out.splitlines() if line}
    assert "ropewalk-wire" in packages
    assert packages & CRYPTOGRAPHY == found


def suites_of_crate_mutants():
    """What each line of crates/mutants.toml tests: packages, tests that it names, features."""
    for suite in tomllib.loads((ROOT / "crates/mutants.toml").read_text())["suites"]:
        for line in suite["tests"]:
            words = line.split(" -- ")[0].split()
            given = {"-p": [], "--test": [], "--features": []}
            for option, value in itertools.pairwise(words):
                given.get(option, []).append(value)
            features = ",".join(given["--features"]).split(",")
            features += [] if "--no-default-features" in words else ["default"]
            yield line, given["-p"], given["--test"], features


def test_crate_mutants_name_tests_that_there_are():
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    crates = {it["name"]: it for it in json.loads(done.stdout)["packages"]}
    for line, packages, tests, features in suites_of_crate_mutants():
        enabled, left = set(), list(features)
        while left:
            name = left.pop()
            if name not in enabled:
                enabled.add(name)
                left += [it for p in packages for it in crates[p]["features"].get(name, [])]
        targets = {
            it["name"]: it for p in packages for it in crates[p]["targets"] if "test" in it["kind"]
        }
        for test in tests:
            assert test in targets, f"{line}: there is no test {test}"
            missing = set(targets[test].get("required-features", [])) - enabled
            assert not missing, f"{line}: {test} needs {missing}"
