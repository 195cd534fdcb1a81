# SPDX-License-Identifier: Apache-2.0
"""The core files, as they are used outside this repository: a foreign FuseSoC project with each core; one list of files."""

import os
import re
import shutil
import subprocess

import filelist
import four_state
import pytest
from common import ROOT, tool, tool_env
from instance import instance

CORES = filelist.libraries()
FORMAL = [core for core in CORES if (ROOT / "cores" / core / "formal").is_dir()]

# The C++ of a testbench runs shorter than it compiles.
QUICK = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0"
# The run-time library of Verilator is the same for all.
QUICK += rf" CXX={tool('python3')}\ {ROOT}/tools/cxx_store.py"

# A core of somebody else's, whose top module holds one of ours, as tools/instance.py prints it.
USER = """CAPI=2:
name: "acme:boards:{core}:1.0.0"
filesets:
  rtl:
    depend: ["ropewalk:cores:{core}"]
    files: [acme.sv]
    file_type: systemVerilogSource
targets:
  default:
    filesets: [rtl]
  lint:
    filesets: [rtl]
    toplevel: acme
    flow: lint
    flow_options: {{tool: verilator, verilator_options: [-Wall]}}
  bitstream:
    filesets: [rtl]
    toplevel: acme
    flow: vivado
    flow_options: {{part: xcvu9p-flga2104-2L-e}}
    flags: {{tool: vivado}}
  image:
    filesets: [rtl]
    toplevel: acme
    default_tool: quartus
    tools: {{quartus: {{family: Stratix 10, device: 1SG280HU2F50E2VG}}}}
"""


class Project:
    """A FuseSoC project outside the tree."""

    def __init__(self, folder):
        self.folder = folder

    def fusesoc(self, *words):
        """Runs FuseSoC, which has to succeed; what it says."""
        done = subprocess.run(
            [tool("fusesoc"), *words],
            cwd=self.folder,
            env=tool_env() | {"MAKEFLAGS": QUICK, "XDG_CONFIG_HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def target(self, target, core, *stage):
        """Runs a target of one of our cores."""
        return self.fusesoc("run", *stage, "--target", target, f"ropewalk:cores:{core}")

    def made(self, core, target, pattern):
        """The file of a work folder."""
        found = list(self.folder.glob(f"build/*_{core}_*/{target}*/{pattern}"))
        assert len(found) == 1, found
        return found[0].read_text()


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """What FuseSoC notes when a project adds ours as libraries."""
    project = Project(tmp_path_factory.mktemp("libraries"))
    for name in ("cores", "tools"):
        project.fusesoc("library", "add", "--sync-type", "local", name, str(ROOT / name))
    return project.folder / "fusesoc.conf"


@pytest.fixture
def project(libraries, tmp_path):
    """A project of a test's own, which has added ours."""
    shutil.copy(libraries, tmp_path)
    return Project(tmp_path)


def constrained(project, core, target, tool_name, owner):
    """Constraints of the crossing cells stand in the project of a vendor's tool, if the core has cells of prim."""
    crosses = any(file.startswith("cores/prim/") for file in filelist.files_for(core))
    content = filelist.yaml.safe_load((ROOT / "cores/prim/prim.core").read_text())
    version = "1.0.0" if owner == "acme_boards_" else "0.1.0"
    name = f"{owner}{core}_{version}"
    name = name.replace(".", "_") if tool_name == "quartus" else name
    (made,) = project.folder.glob(f"build/{owner}{core}_*/{target}*/{name}.tcl")
    for entry in content["filesets"][f"constraints_{tool_name}"]["files"]:
        # A file of another type than the set's is only put beside the project; scripts read it.
        file = entry if isinstance(entry, str) else next(iter(entry))
        found = list(project.folder.glob(f"build/{owner}{core}_*/{target}*/**/{file}"))
        assert bool(found) == crosses, file
        assert entry != file or made.read_text().count(file) == int(crosses), file


# Of the others each is linted as a part of a foreign core, below.
OFTEN = ("prim", "rdma", "node")


@pytest.mark.parametrize(
    "core",
    [core if core in OFTEN else pytest.param(core, marks=pytest.mark.long) for core in CORES],
)
def test_lint(project, core):
    project.target("lint", core)


@pytest.mark.parametrize("core", CORES)
def test_a_foreign_core_builds_on_ours(project, core):
    content = filelist.yaml.safe_load((ROOT / f"cores/{core}/{core}.core").read_text())
    top = content["targets"]["default"]["toplevel"]
    (project.folder / "acme.core").write_text(USER.format(core=core))
    # What is ours is linted whole; of the text to begin with, that nothing drives and reads it yet.
    quiet = "".join(f"// verilator lint_{{0}} {rule}\n" for rule in ("UNDRIVEN", "UNUSEDSIGNAL"))
    text = f"{quiet.format('off')}module acme;\n{instance(top)}\nendmodule\n{quiet.format('on')}"
    (project.folder / "acme.sv").write_text(text)
    project.fusesoc("--cores-root", ".", "run", "--target", "lint", f"acme:boards:{core}")
    # What was copied for that is no core, and does not take the place of ours.
    assert "build/" not in project.fusesoc("--cores-root", ".", "core", "list")
    # The user's targets have names of their own.
    for target, tool_name in (("bitstream", "vivado"), ("image", "quartus")):
        words = ["run", "--setup", "--target", target, f"acme:boards:{core}"]
        project.fusesoc("--cores-root", ".", *words)
        constrained(project, core, target, tool_name, "acme_boards_")


def test_the_project_of_the_book(tmp_path):
    """Its files and commands, as docs/src/using-the-cores.md prints them, in an empty folder."""
    page = (ROOT / "docs/src/using-the-cores.md").read_text()
    files = re.findall(r"<!-- file: (\S+) -->\n\n```\w+\n(.*?)```\n", page, re.DOTALL)
    for name, text in files:
        (tmp_path / name).write_text(text)
    (commands,) = re.findall(r"<!-- commands: cable -->\n\n```\n(.*?)```\n", page, re.DOTALL)
    done = subprocess.run(
        ["bash", "-e", "-c", commands.replace("~/ropewalk", str(ROOT))],
        cwd=tmp_path,
        env=tool_env() | {"MAKEFLAGS": QUICK, "XDG_CONFIG_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "\nPASS: " in done.stdout, done.stdout[-6000:]
    (made,) = tmp_path.glob("build/acme_boards_cable_1.0.0/bitstream/acme_*_1.0.0.tcl")
    assert "vivado_project.tcl" in made.read_text()


@pytest.mark.parametrize("core", CORES)
def test_sim(project, core):
    assert "\nPASS: " in project.target("sim", core)


# Icarus takes a minute for some eighty cycles of the wide sums, and two minutes for two engines
# that clear their tables; of the others, it takes longest for the last two.
SLOW = ("rsfec", "rifl_fec", "rdma", "rifl", "htsp")
FOUR_STATES = [pytest.param(core, marks=pytest.mark.long if core in SLOW else ()) for core in CORES]


@pytest.mark.parametrize("core", FOUR_STATES)
def test_sim_with_four_states(core):
    passed, said = four_state.simulate(core)
    assert passed, said[-6000:]


def test_a_sim_that_fails_is_told_by_the_exit_status(project):
    """The testbench of another list of files: the CRC has another polynomial."""
    broken = project.folder / "broken"
    shutil.copytree(ROOT / "cores/prim", broken)
    rtl = broken / "rtl/prim_crc.sv"
    text = rtl.read_text()
    assert text.count("32'h04c1_1db7") == 1
    rtl.write_text(text.replace("32'h04c1_1db7", "32'h04c1_1db5"))
    words = ["run", "--target", "sim", "ropewalk:cores:prim"]
    done = subprocess.run(
        [tool("fusesoc"), "--config", os.devnull, "--cores-root", str(broken), *words],
        cwd=project.folder,
        env=tool_env() | {"MAKEFLAGS": QUICK},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0 and "FAIL: CRC" in done.stdout + done.stderr


@pytest.mark.parametrize("core", CORES)
def test_projects_for_vendors_have_all_sources_and_the_top(project, core):
    files = {file.rsplit("/", 1)[1] for file in filelist.files_for(core)}
    content = filelist.yaml.safe_load((ROOT / f"cores/{core}/{core}.core").read_text())
    top = content["targets"]["default"]["toplevel"]
    for tool_name, mark in (("vivado", "read_verilog -sv {"), ("quartus", "SYSTEMVERILOG_FILE ")):
        project.target(tool_name, core, "--setup")
        name = f"ropewalk_cores_{core}_0{'.1.' if tool_name == 'vivado' else '_1_'}0.tcl"
        made = project.made(core, tool_name, name)
        lines = [line for line in made.splitlines() if mark in line]
        assert {line.rsplit("/", 1)[1].rstrip("}") for line in lines} == files
        assert f"set_property top {top} " in made or f"TOP_LEVEL_ENTITY {top}\n" in made
        constrained(project, core, tool_name, tool_name, "ropewalk_cores_")


def test_synth(project):
    assert "LUT" in project.target("synth", "prim")


@pytest.mark.parametrize("core", FORMAL)
def test_formal_has_the_files_of_every_proof(project, core):
    project.target("formal", core, "--setup")
    (folder,) = project.folder.glob(f"build/*_{core}_*/formal")
    command = [tool("python"), "tools/flow.py", "formal", core, "--list"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith(f"{core}/"), done.stdout + done.stderr


def test_formal(project):
    assert "proofs as expected" in project.target("formal", "eth")


# --- one list of files ---


@pytest.fixture
def tree(tmp_path):
    """Two small cores."""
    for name, depend in (("low", ""), ("high", '    depend: ["ropewalk:cores:low"]\n')):
        folder = tmp_path / name
        (folder / "rtl").mkdir(parents=True)
        (folder / f"rtl/{name}_one.sv").touch()
        (folder / f"{name}.core").write_text(
            f'CAPI=2:\nname: "ropewalk:cores:{name}:0.1.0"\nfilesets:\n  rtl:\n{depend}'
            f"    files: [rtl/{name}_one.sv]\n    file_type: systemVerilogSource\n"
            "targets:\n  default: {filesets: [rtl]}\n"
        )
    return tmp_path


def test_lists_and_files_agree(tree):
    assert filelist.complaints() == []
    assert filelist.complaints(tree) == []
    assert list(filelist.read_cores(tree)) == ["low", "high"]


def test_a_file_in_no_list_is_a_fault(tree):
    (tree / "low/rtl/low_two.sv").touch()
    assert filelist.complaints(tree) == ["low/rtl/low_two.sv stands in no core file"]


def test_a_list_with_a_missing_file_is_a_fault(tree):
    (tree / "high/rtl/high_one.sv").unlink()
    wanted = ["high/high.core names rtl/high_one.sv, which does not exist"]
    assert filelist.complaints(tree) == wanted


def test_a_file_that_is_listed_twice_is_a_fault(tree):
    core = tree / "low/low.core"
    core.write_text(core.read_text().replace("_one.sv]", "_one.sv, rtl/low_one.sv]"))
    assert filelist.complaints(tree) == ["low/low.core names rtl/low_one.sv twice"]


@pytest.mark.parametrize("mistake", ["no_such", "high"])
def test_wrong_dependencies_are_told(tree, mistake, capsys):
    core = tree / "high/high.core"
    core.write_text(core.read_text().replace("cores:low", f"cores:{mistake}"))
    with pytest.raises(SystemExit):
        filelist.read_cores(tree)
    said = capsys.readouterr().err
    assert "high.core: depends on" in said and said.count("\n") == 1


def test_whoever_reads_the_list_may_stop():
    command = f"{tool('python')} tools/filelist.py | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1


def test_plain_lists():
    def said(*words):
        command = [tool("python"), "tools/filelist.py", *words]
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()

    assert said("--lib", "rifl") == filelist.files_for("rifl")
    assert said("--lib", "rifl", "--only") == filelist.library_files("rifl")
    assert said("--absolute", "--lib", "eth") == [str(ROOT / f) for f in filelist.files_for("eth")]
    small = said("--top", "axis_rotate")
    assert small == ["cores/axis/rtl/axis_rotate.sv"]
