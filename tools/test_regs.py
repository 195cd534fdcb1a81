# SPDX-License-Identifier: Apache-2.0
"""Tests of regs.py: what it writes passes the linters for other maps too, and what is stale is found."""

import re
import shutil
import subprocess
import sys

import pytest
import regs
from common import ROOT, tool

SMALL = """
enum mode_e { off = 1'b0 { desc = "Off."; }; on = 1'b1 { desc = "On."; }; };
regfile port_f {
  default sw = rw; default hw = r;
  reg { desc = "Settings."; field { desc = "Mode."; encode = mode_e; } mode[0:0] = 1;
        field { desc = "Height."; } height[15:8] = 0x20; } settings @ 0x0;
  reg { desc = "Seen."; field { desc = "Bits."; sw = r; hw = w; } bits[31:0]; } seen @ 0x4;
};
regfile table_f {
  default regwidth = 64;
  reg { desc = "Count."; field { desc = "Value."; sw = r; hw = w; } value[63:0]; } first @ 0x0;
  reg { desc = "Count."; field { desc = "Value."; sw = r; hw = w; } value[63:0]; } second @ 0x8;
};
addrmap small {
  name = "Small"; desc = "A map with arrays.";
  default regwidth = 32; default accesswidth = 32;
  port_f port[4] @ 0x0 += 0x10; port->desc = "One for each port.";
  external table_f table @ 0x80; table->desc = "Answered elsewhere.";
};
"""


@pytest.fixture
def small(tmp_path):
    """The map above, in the place where its name belongs."""
    source = tmp_path / "cores/small/regs/small.rdl"
    source.parent.mkdir(parents=True)
    source.write_text(SMALL)
    return source


def test_a_map_with_arrays_needs_no_waiver(small):
    files = regs.systemverilog(regs.compiled(small), small)
    folder = small.parent
    for name, text in files.items():
        (folder / name).write_text(text)
    names = [str(folder / "small_regs_pkg.sv"), str(folder / "small_regs.sv")]
    for command in (
        [tool("verilator"), "--lint-only", "-Wall", "--top-module", "small_regs", *names],
        [tool("verible-verilog-lint"), f"--rules_config={ROOT}/tools/verible.rules", *names],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "TableSecond = 4'h8" in files["small_regs_pkg.sv"]


def test_constants_and_page_of_a_map(small):
    top = regs.compiled(small)
    rust = regs.rust(top, small)
    settings = re.search(r'name: "port\.settings",\s+offset: (\w+),\s+width: (\w+)', rust)
    assert settings.groups() == ("0x0", "32")
    assert re.search(r'name: "table\.second",\s+offset: 0x88,\s+width: 64', rust)
    assert 'Field::new("height", 8, 8, 0x20, Write::Kept)' in rust
    assert "pub const COUNT: usize = 4;" in rust and "pub const STRIDE: u32 = 0x10;" in rust
    page = regs.markdown(top, small)
    assert "| 0x004 + 0x10 n | `seen` | 32 | read only |" in page
    assert "| 15..8 | `height` | read, write | 0x20 | Height. |" in page
    assert "| 1 | `on` | On. |" in page


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('desc = "Height.";', ""), "small.port[].settings.height has no description"),
        (("@ 0x80;", "@ 0x84;"), "cannot make, see above"),
        (("addrmap small {", "addrmap other {"), "cores/other/regs/other.rdl"),
    ],
)
def test_a_mistake_is_named(small, change, complaint):
    small.write_text(SMALL.replace(*change))
    done = subprocess.run(
        [sys.executable, "tools/regs.py", "--check", str(small)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert complaint in (done.stdout + done.stderr).replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_what_is_stale_is_found_and_repaired(tmp_path):
    for name in ("tools", "cores/rifl/regs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in (".venv", ".tools"):
        (tmp_path / name).symlink_to((ROOT / name).resolve())
    for name in ("cores/rifl/rtl", "crates/wire/src/rifl", "docs/src"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / ".rustfmt.toml", tmp_path)

    def run(*options):
        command = [sys.executable, "tools/regs.py", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert run("--check")[0] == 1
    assert run()[0] == 0
    assert run("--check") == (0, "")
    page = tmp_path / "docs/src/rifl-registers.md"
    assert page.read_text() == (ROOT / "docs/src/rifl-registers.md").read_text()
    page.write_text(page.read_text() + "\n")
    status, said = run("--check")
    assert status == 1 and "docs/src/rifl-registers.md; run make regs" in said


def test_states_of_the_transmitter_have_the_numbers_of_the_rtl():
    package = (ROOT / "cores/rifl/rtl/rifl_pkg.sv").read_text()
    names = re.search(r"enum logic \[2:0\] \{([^}]*)\} tx_state_e", package)[1]
    rtl = [re.sub(r"(?<!^)(?=[A-Z])", "_", n.strip()[2:]).lower() for n in names.split(",")]
    found = {e.type_name: e for e in regs.enums(regs.compiled(ROOT / "cores/rifl/regs/rifl.rdl"))}
    assert {m.name: m.value for m in found["tx_state_e"]} == {n: i for i, n in enumerate(rtl)}
