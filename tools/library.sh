#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library for programs in C: libropewalk (static and shared), ropewalk.h, and the file
# by which pkg-config finds them.
#
# usage: tools/library.sh [--built FOLDER] PREFIX
#
#   --built  where Cargo has put the library already; otherwise it is built, as a release
set -eu
built=""
if [ "${1:-}" = --built ]; then
    built=${2:?"library.sh: --built needs a folder"}
    shift 2
fi
if [ $# != 1 ] || [ -z "$1" ]; then
    echo "usage: tools/library.sh [--built FOLDER] PREFIX" >&2
    exit 2
fi
mkdir -p "$1/lib/pkgconfig" "$1/include"
prefix=$(cd "$1" && pwd)
[ -z "$built" ] || built=$(cd "$built" && pwd)
cd "$(dirname "$0")/.."
if [ -z "$built" ]; then
    PATH="$PATH:$HOME/.cargo/bin" cargo build --release -p ropewalk-c
    built=${CARGO_TARGET_DIR:-target}/release
fi
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
# Until 1.0 each minor version is another binary interface; crates/c/build.rs says the same.
case $version in
0.*) interface=${version%.*} ;;
*) interface=${version%%.*} ;;
esac
install -m 644 crates/c/include/*.h "$prefix/include"
install -m 644 "$built/libropewalk_c.a" "$prefix/lib/libropewalk.a"
install -m 755 "$built/libropewalk_c.so" "$prefix/lib/libropewalk.so.$version"
ln -sf "libropewalk.so.$version" "$prefix/lib/libropewalk.so.$interface"
ln -sf "libropewalk.so.$interface" "$prefix/lib/libropewalk.so"
cat > "$prefix/lib/pkgconfig/ropewalk.pc" << END
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: ropewalk
Description: Lossless links, from the wire to the host
Version: $version
Libs: -L\${libdir} -lropewalk
Libs.private: -lpthread -ldl -lm
Cflags: -I\${includedir}
END
echo "libropewalk $version is in $prefix"
