# SPDX-License-Identifier: Apache-2.0
# Thin on purpose: every target is one script in tools/, which can be run by hand as well.

.PHONY: help build demo test check bench peers library wheel soak fuzz lint format regs area proof mutants crate-mutants board docs clean
export PATH := $(CURDIR)/.tools/verilator/bin:$(CURDIR)/.venv/bin:$(PATH):$(HOME)/.cargo/bin
PYTHON := .venv/bin/python

help:
	@echo "make demo    carry a file over a noisy link, cycle by cycle, and check the copies (FILE=path for your own)"
	@echo "make test    everything that is checked before a change is taken (SEED=fresh for other random numbers)"
	@echo "make check   lint, unit tests and a test bench of each core: for every day"
	@echo "make build   target/release/ropewalk"
	@echo "make library libropewalk for programs in C: header, static and shared library, pkg-config file, in PREFIX (build/library)"
	@echo "make wheel   the Python package for this machine, in build/wheels"
	@echo "make bench   every table and figure of the papers, ours beside theirs, in build/bench/index.html"
	@echo "make peers   target/peers/release/ropewalk-peers, which measures TCP and QUIC libraries as our transport is measured"
	@echo "make area    LUTs, flip-flops, memories and logic levels of one lane and of four, against their limits"
	@echo "make proof   the formal proofs"
	@echo "make mutants random mistakes in the RTL of every core (CORE=name for one): what share the tests see"
	@echo "make crate-mutants  random mistakes in the crates wire and chunk: what share the tests see"
	@echo "make board   SLink placed and routed for an ECP5 with its transceiver: clock rates, what it uses"
	@echo "make lint    format and lint of SystemVerilog, Rust and Python; make format repairs the format"
	@echo "make regs    everything that is made from the register descriptions, cores/*/regs/*.rdl"
	@echo "make soak    long runs: 1e9 frames in the model, 1e8 in RTL, 1000 resets, pulled cables and stuck lines each"
	@echo "make fuzz    everything that reads bytes of strangers, fed by libFuzzer (SECONDS=60 for each)"
	@echo "make docs    the book, in build/docs"
	@echo "make clean   remove what was built (the installed tools stay)"

build:
	@tools/setup.sh --sim
	cargo build --release -p ropewalk --features lab,aws-lc

demo:
	@tools/demo.sh

test:
	@tools/test.sh

check:
	@tools/test.sh --check

bench: build peers
	@tools/bench.sh

library:
	@tools/library.sh $(or $(PREFIX),build/library)

wheel:
	@tools/setup.sh --dev
	@tools/wheel.sh

peers:
	cargo build --release --locked --manifest-path crates/peers/Cargo.toml --target-dir target/peers

soak: build
	@tools/soak.sh

fuzz:
	@tools/fuzz.sh $(or $(SECONDS),60)

lint:
	@tools/setup.sh --dev
	@$(PYTHON) tools/lint.py

format:
	@tools/setup.sh --dev
	@tools/format.sh

regs:
	@tools/setup.sh --dev
	@$(PYTHON) tools/regs.py

area:
	@tools/setup.sh --dev
	@$(PYTHON) tools/area.py

proof:
	@tools/setup.sh --dev
	@$(PYTHON) tools/proof.py

mutants:
	@tools/setup.sh --dev
	@$(PYTHON) tools/mutate.py $(CORE)

crate-mutants:
	@tools/setup.sh --dev
	@$(PYTHON) tools/mutate_crates.py

board:
	@tools/setup.sh --board
	@$(PYTHON) tools/board.py

docs: build
	@tools/setup.sh --dev
	@$(PYTHON) tools/docs.py

clean:
	rm -rf build target report
