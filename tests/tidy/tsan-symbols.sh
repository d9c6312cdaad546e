#!/bin/sh
# tsan-symbols.sh LIBRADDLE - every __tsan_* symbol that an installed compiler can emit, or that its headers offer to
# programs, is exported by the library; names those that are not. Exit status 77: no compiler to compare with.
set -eu

lib=${1:?usage: tsan-symbols.sh path/to/libraddle.so}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/names"

names_in() { # FILE: what a compiler's own code mentions; also as __builtin___tsan_*
    grep -aoh '__tsan_[a-z0-9_]*' "$1" >>"$tmp/names" || true
}

functions_of() { # FILE: what a header declares
    [ ! -f "$1" ] || grep -oh '__tsan_[a-z0-9_]*(' "$1" | tr -d '(' >>"$tmp/names"
}

headers_of() { # DIRECTORY with the compiler's own headers
    functions_of "$1/sanitizer/tsan_interface.h"
    functions_of "$1/sanitizer/tsan_interface_atomic.h"
}

if command -v gcc >/dev/null; then
    for program in cc1 cc1plus; do
        path=$(gcc -print-prog-name=$program)
        if [ -f "$path" ]; then
            names_in "$path"
        fi
    done
    headers_of "$(gcc -print-file-name=include)"
fi
if command -v clang >/dev/null; then
    clang=$(readlink -f "$(command -v clang)")
    names_in "$clang"
    for path in $(ldd "$clang" | awk '/libLLVM|libclang/ { print $3 }'); do
        names_in "$path"
    done
    headers_of "$(clang -print-resource-dir)/include"
fi
if [ ! -s "$tmp/names" ]; then
    echo "tsan-symbols: neither gcc nor clang is installed" >&2
    exit 77
fi

# clang's pass puts names together: __tsan_read and a size, __tsan_atomic, a size and an operation.
sort -u "$tmp/names" | while read -r name; do
    case $name in
    __tsan_vptr_* | __tsan_external_*) ;;
    *read | *write)
        for size in 1 2 4 8 16; do
            echo "$name$size"
        done
        continue
        ;;
    *_atomic)
        for bits in 8 16 32 64 128; do
            for operation in load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand \
                compare_exchange_strong compare_exchange_weak compare_exchange_val; do
                echo "${name}${bits}_$operation"
            done
        done
        continue
        ;;
    esac
    echo "$name"
done | grep -v '_$' |
    grep -vx '__tsan_atomic[0-9]*' | # types in clang's header
    sort -u >"$tmp/wanted"

nm -D --defined-only "$lib" | awk '$2 ~ /[TW]/ { print $3 }' | sort -u >"$tmp/exported"
if comm -23 "$tmp/wanted" "$tmp/exported" | grep . >"$tmp/missing"; then
    echo "tsan-symbols: not exported by $lib:" >&2
    sed 's/^/    /' "$tmp/missing" >&2
    exit 1
fi
echo "tsan-symbols: all $(wc -l <"$tmp/wanted") names are exported"
