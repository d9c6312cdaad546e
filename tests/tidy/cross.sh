#!/bin/sh
# cross.sh - compiles the runtime for aarch64 where Debian's cross compiler is installed: only the files of src/rt/arch
# may depend on the machine.
set -eu
build=${1:-build}
compiler=aarch64-linux-gnu-gcc
if ! command -v $compiler >/dev/null 2>&1; then
    echo "cross: skipped, $compiler is not installed"
    exit 0
fi
# it is only compiled: no debug information, and as little optimisation as its warnings need
cmake -S . -B "$build/aarch64" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 \
    -DCMAKE_C_COMPILER=$compiler >"$build/aarch64.log" 2>&1 || { cat "$build/aarch64.log"; exit 1; }
cmake --build "$build/aarch64" --target raddle_rt -j "$(nproc)" >"$build/aarch64.log" 2>&1 || { cat "$build/aarch64.log"; exit 1; }
echo "cross: libraddle.so for aarch64 compiles and links"
