# SPDX-License-Identifier: Apache-2.0
"""Building a simulator with Verilator and running cocotb tests in it."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import time

CORES = pathlib.Path(__file__).resolve().parent.parent
ROOT = CORES.parent
sys.path.append(str(ROOT / "tools"))

# Random initial values and random X: a register that a test relies on without reset shows up.
BUILD_ARGS = ["-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert", "--quiet"]
# The C++ of these small models compiles longer than it runs: do not optimise it hard.
BUILD_ARGS += ["-CFLAGS", "-Og"]
# Modules stay what they are: two of a kind would be two texts, up to three times as much C++.
BUILD_ARGS += ["-fno-inline"]

# What every design includes. Reading it takes most of the time of compiling a small one: it is
# compiled once. So is cocotb's main program, for any model: what it sees of one is in MODEL.
HEADERS = ("verilated.h",)
HEADER = "verilated_precompiled.h"
MAIN = "verilator.o"
MODEL = CORES / "tb_common" / "model"
# A later standard brings templates that take half of a small design's time and are not used.
STANDARD = "CFG_CXXFLAGS_STD=-std=gnu++14"
# What runs once, at the start of a simulation, is half of the text of many a design.
COLD = '#undef VL_ATTR_COLD\\n#define VL_ATTR_COLD __attribute__((cold, optimize("O0")))\\n'

# A simulation that failed in less than these seconds is repeated, for what its assertions and buses
# show.
EXPLAINED = 120


def rtl(*libraries):
    """All RTL files of the named libraries and of no other, e.g. rtl("prim", "axis"), as their core files list them."""
    # A simulation imports this module too, and has no use for what reads the lists.
    from filelist import library_files

    return [ROOT / file for library in libraries for file in library_files(library)]


def rules(sources):
    """Files that bind the rules of streams and buses to every library whose RTL is among the sources."""
    libraries = {path.parent.parent.name for path in sources if path.parent.name == "rtl"}
    bound = [
        path for name in sorted(libraries) for path in (CORES / name / "tb").glob("*_rules.sv")
    ]
    if not bound:
        return []
    needed = [
        *(CORES / "prim" / "rtl").glob("prim_assert.sv"),
        *(CORES / "axis" / "rules").glob("*.sv"),
    ]
    return [*(path for path in sorted(needed) if path not in sources), *bound]


def _digest(sources, arguments):
    """Hash of everything that decides what the simulator does."""
    import cocotb

    h = hashlib.sha256()
    h.update(json.dumps([arguments, cocotb.__version__, sys.version], sort_keys=True).encode())
    for source in sources:
        path = pathlib.Path(source)
        h.update(str(path).encode() + b"\0" + path.read_bytes())
    return h.hexdigest()


def _runtime_folder(build_args):
    """Where the compiled Verilator run-time library and its headers for these arguments are kept.

    They are the same for every design and take longer to compile than most of them.
    """
    include = ROOT / ".tools" / "verilator" / "include"
    words = [BUILD_ARGS, list(build_args), HEADERS, COLD, STANDARD]
    h = hashlib.sha256(json.dumps(words).encode())
    library = sorted(include.glob("verilated*.[ch]*"))
    for source in [*library, include / "verilated.mk", *sorted(MODEL.iterdir())]:
        if source.is_file():
            h.update(source.read_bytes())
    return ROOT / "build" / "tb" / ".runtime" / h.hexdigest()[:12]


def _store_runtime(build_dir, runtime):
    """Keep the run-time objects and the compiled headers of a build; each appears whole or not at all."""
    # The header's compiled form is what says that all is there.
    others = [build_dir / name for name in (MAIN, HEADER, f"{HEADER}.gch")]
    for item in (*build_dir.glob("verilated*.o"), *others):
        if item.exists() and not (runtime / item.name).exists():
            part = runtime / f".{item.name}.{os.getpid()}"
            shutil.copyfile(item, part)
            part.replace(runtime / item.name)


@contextlib.contextmanager
def _locked(path, exclusive):
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def _runtime_filled_once(runtime):
    """Around a build: the first one with a run-time library compiles it, and others wait for that."""
    if runtime is None or (runtime / f"{HEADER}.gch").is_file():
        yield
        return
    runtime.mkdir(parents=True, exist_ok=True)
    with _locked(runtime / "lock", exclusive=True):
        yield


def _jitter(wanted):
    """Whether the synchronisers jitter: the testbench may refuse, the environment may switch it on or off."""
    chosen = os.environ.get("SYNC_JITTER", "")
    assert chosen in ("", "0", "1"), f"SYNC_JITTER is 0 or 1, not {chosen!r}"
    return wanted is not False and (chosen == "1" or (wanted is True and chosen != "0"))


def _explaining(wanted):
    """Whether assertions of the testbench that fail show their values, and buses their accesses.

    pytest rewrites the assertions for that; either takes longer than many a simulation.
    """
    if wanted:
        return {"COCOTB_REWRITE_ASSERTION_FILES": "*.py", "TB_BUS_LOG": "1"}
    return {"COCOTB_REWRITE_ASSERTION_FILES": ""}


def _described(design):
    """Whether the design is only to be written down: tools/mutate.py makes a netlist of it, and runs the test on that."""
    place = os.environ.get("TB_DESCRIBE")
    if place:
        pathlib.Path(place).write_text(json.dumps(design))
    return bool(place)


def build_and_run(
    toplevel,
    sources,
    parameters=None,
    test_module=None,
    testcase=None,
    test_filter=None,
    defines=None,
    build_args=(),
    env=None,
    sync_jitter=None,
):
    """Build `toplevel` with Verilator, run the cocotb tests of `test_module`, fail on any failure.

    Tests see the signals of `toplevel`; those inside its instances are not there.

    toplevel     module name
    sources      files, absolute or relative to the repository root (see rtl())
    parameters   dict of module parameters; strings are SystemVerilog literals ("12'h02f")
    test_module  name of the Python module with the cocotb tests (normally `__name__`)
    testcase     name or list of names of the cocotb tests to run; default all
    test_filter  regular expression instead: runs the tests whose names it is found in
    defines      dict of preprocessor macros
    build_args   more arguments of Verilator
    env          more environment variables of the simulation (strings)
    sync_jitter  True: every synchroniser takes one cycle more, at random (prim_sync_flop), unless SYNC_JITTER=0
                 is set; the default for a testbench that checks nothing to the cycle. False: never, for
                 one that does. Default: if SYNC_JITTER=1 is set.

    Random numbers come from the environment variable SEED, which conftest.py sets, and which is
    printed. With several in SEEDS it simulates with each, whatever fails (tools/seeds.py).

    What every stream and bus of the libraries keeps is checked in every run (see rules()).

    The simulator lies in build/tb/<toplevel>/<hash of parameters> and is rebuilt only when the
    content of a source or an argument changes. A simulation that runs longer than TB_TIMEOUT seconds
    (default 600) is ended and counts as failed. WAVES=1 writes dump.vcd into the run folder, which
    is kept then, after a failure, and with COCOTB_ENABLE_PROFILING=1. A simulation that failed soon
    is repeated with the values of its assertions and what passes over buses (TB_BUS_LOG=1).
    """
    __tracebackhide__ = True  # a failure is explained by the simulator's log, not by this function
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import Verilator

    class CachedVerilator(Verilator):
        """The runner that takes the run-time objects and compiled headers from where they are stored."""

        runtime = None

        def _build_command(self):
            verilate, make = super()._build_command()
            # All of it as one file: the many that Verilator splits a large design into take nearly
            # twice the processor time, most of it for the same headers. With a process of pytest
            # for each processor there is none left.
            make.append("VM_PARALLEL_BUILDS=0")
            # Tests see the signals of `toplevel` and nothing inside its instances: large designs
            # compile in a fraction of the time and run faster.
            at = verilate.index("--public-flat-rw")
            verilate[at : at + 1] = ["--public-depth", "1"]
            if self.runtime is None:
                return [verilate, make]
            including_model = (
                f"echo '#include \"{MODEL}/tb_model.inc\"' >> {self.build_dir}/Vtop.cpp"
            )
            verilated = [verilate, ["sh", "-c", including_model]]
            make.append(STANDARD)
            if (self.runtime / f"{HEADER}.gch").is_file():
                stored = sorted(map(str, self.runtime.glob("*.o")))
                # Where they do not suit its flags, the compiler reads the headers themselves.
                # A level of optimisation behind ours would be that of cocotb's own file alone.
                including = [f"CXX=g++ -include {self.runtime / HEADER}", "OPT_FAST="]
                return [*verilated, ["cp", *stored, str(self.build_dir)], [*make, *including]]
            # The first build makes all of it, the headers with the flags that it compiles with.
            text = "".join(f"#include <{name}>\\n" for name in HEADERS) + COLD
            compiling = f"$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c -x c++-header {HEADER} -o $@"
            rule = f"{HEADER}.gch: ; printf '{text}' > {HEADER} && {compiling}"
            main = [*make, f"CXX=g++ -iquote {MODEL}", MAIN]
            return [*verilated, main, make, [*make, f"--eval={rule}", f"{HEADER}.gch"]]

        def _get_sim_cmd_prefix(self):
            # A design that never answers must not hang the whole run.
            return ["timeout", "--kill-after=10", str(limit), *super()._get_sim_cmd_prefix()]

    limit = int(os.environ.get("TB_TIMEOUT", "600"))
    parameters = dict(parameters or {})
    defines = dict(defines or {})
    seeds = list(map(int, os.environ.get("SEEDS", os.environ["SEED"]).split()))
    waves = bool(os.environ.get("WAVES"))
    sources = [pathlib.Path(s) if os.path.isabs(s) else ROOT / s for s in sources]
    design = {"top": toplevel, "sources": [str(s) for s in sources], "parameters": parameters}
    if _described({**design, "defines": defines}):
        return
    netlist = os.environ.get("TB_NETLIST")
    sources = [pathlib.Path(netlist)] if netlist else [*sources, *rules(sources)]
    built_in = {} if netlist else parameters  # a netlist has them already
    build_args = [*build_args, *(["-Wno-fatal"] if netlist else [])]  # and is nobody's text
    arguments = [toplevel, built_in, defines, BUILD_ARGS, list(build_args), waves]
    arguments += [netlist] if netlist else []  # several designs may have one top and no parameters
    shape = hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()[:12]

    home = ROOT / "build" / "tb" / toplevel
    build_dir = home / shape
    home.mkdir(parents=True, exist_ok=True)
    lock = home / f"{shape}.lock"
    stamp = build_dir / "built.sha256"
    digest = _digest(sources, arguments)

    # The runner finds Verilator through PATH.
    tools = ROOT / ".tools" / "verilator" / "bin"
    if str(tools) not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = f"{tools}{os.pathsep}{os.environ['PATH']}"
    os.environ.setdefault("COCOTB_MAX_PARALLEL_BUILD_JOBS", "1")

    runner = CachedVerilator()
    with _locked(lock, exclusive=True):
        if not stamp.is_file() or stamp.read_text() != digest:
            shutil.rmtree(build_dir, ignore_errors=True)
            # Tracing changes the flags of the library: such builds neither use nor fill the store.
            runner.runtime = None if waves else _runtime_folder(build_args)
            with _runtime_filled_once(runner.runtime):
                runner.build(
                    sources=sources,
                    hdl_toplevel=toplevel,
                    parameters=built_in,
                    defines=defines,
                    build_args=BUILD_ARGS + list(build_args),
                    build_dir=build_dir,
                    timescale=("1ps", "1ps"),
                    waves=waves,
                    always=True,
                )
                if runner.runtime is not None:
                    _store_runtime(build_dir, runner.runtime)
            # Only the program is needed from here on; the objects would fill the disk.
            for item in (*build_dir.glob("*.o"), *build_dir.glob("*.a"), *build_dir.glob("*.gch")):
                item.unlink()
            stamp.write_text(digest)

    test = os.environ.get("PYTEST_CURRENT_TEST", toplevel).split(" ")[0].split("::")[-1]
    run_dir = build_dir / "run" / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', test)}.{os.getpid()}"
    extra = {"TB_TOPLEVEL": toplevel, "TB_PARAMETERS": json.dumps(parameters), **(env or {})}
    extra |= {"COCOTB_TRUST_INERTIAL_WRITES": "1"}  # what tb_common/quick.py needs
    more = ["+sync_jitter"] if _jitter(sync_jitter) else []
    more += os.environ.get("TB_PLUSARGS", "").split()

    def simulate(seed, explain=False):
        """One simulation; what is wrong with it, if anything."""
        shutil.rmtree(run_dir, ignore_errors=True)
        run_dir.mkdir(parents=True)
        print(f"SEED={seed} {toplevel} {parameters} in {run_dir}")
        fault = f"cocotb tests failed, SEED={seed}, see {run_dir}"
        os.environ["SEED"] = str(seed)  # the runner prefers it to what it is given
        with _locked(lock, exclusive=False):
            try:
                results = runner.test(
                    test_module=test_module,
                    hdl_toplevel=toplevel,
                    hdl_toplevel_lang="verilog",
                    build_dir=build_dir,
                    test_dir=run_dir,
                    testcase=testcase,
                    test_filter=test_filter,
                    seed=seed,
                    extra_env=extra | _explaining(explain),
                    test_args=[
                        "+verilator+rand+reset+2",
                        f"+verilator+seed+{seed % (2**31 - 1) + 1}",
                        *more,
                    ],
                    waves=waves,
                    timescale=("1ps", "1ps"),
                )
            except (SystemExit, RuntimeError):
                # The simulator failed or stopped, or a test in it failed; its log is printed.
                return fault
        total, failed = get_results(results)
        assert total > 0, f"{test_module}: no cocotb test was run (testcase={testcase})"
        if failed:
            return fault
        if not (waves or os.environ.get("COCOTB_ENABLE_PROFILING")):
            shutil.rmtree(run_dir, ignore_errors=True)
        return ""

    def explained(seed):
        """One simulation, and where it fails soon the same once more with the values of its assertions."""
        begin = time.monotonic()
        fault = simulate(seed)
        mutated = netlist or "COCOTB_MAX_FAILURES" in os.environ
        if fault and not mutated and time.monotonic() - begin < EXPLAINED:
            print("The same again, with the values of the assertions, and what passes over buses:")
            if not simulate(seed, explain=True):
                fault += " (it passed when it was repeated)"
        return fault

    faults = [fault for each in seeds if (fault := explained(each))]
    assert not faults, "\n".join(faults)
