#!/bin/sh
# run.sh - checks that a reviewer should not have to make: includes, lengths, formatting, unused code.
set -u
build=${1:-build}
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
check() { # check NAME COMMAND...
    name=$1
    shift
    if output=$("$@" 2>&1) && [ -z "$output" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'tidy: %s\n%s\n' "$name" "$output"
    fi
}
check "includes" python3 tests/tidy/includes.py
check "lengths" python3 tests/tidy/lengths.py
check "dead files" python3 tests/tidy/dead.py
check "folders" python3 tests/tidy/folders.py
check "words" python3 tests/tidy/words.py
check "paths of one machine" sh -c '! git grep -nE "/(home/[a-z]+|root|work|farm)/" -- src tests/unit tests/fuzz tests/fuzz_files tests/tidy cmake bench examples Makefile CMakeLists.txt ":!tests/tidy/run.sh"'
check "formatting" sh -c 'git ls-files "src/*.c" "src/*.h" "tests/unit/*.c" "tests/unit/*.h" "tests/fuzz/*.c" "tests/fuzz/*.h" "tests/fuzz_files/*.c" "tests/fuzz_files/*.h" | xargs clang-format --dry-run -Werror'
check "hooks of the compilers" sh -c 'out=$(sh tests/tidy/tsan-symbols.sh "$1" 2>&1) || [ $? = 77 ] || { echo "$out"; exit 1; }' - "$build/libraddle.so"
check "clang-tidy" python3 tests/tidy/clang_tidy.py "$build"
printf 'tidy: %d passed, %d failed\n' $passed $failed
[ $failed = 0 ]
