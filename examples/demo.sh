#!/bin/sh
# demo.sh - what `make demo` shows: a bug that a thousand ordinary runs do not find, found, reported and replayed.
set -eu
build=${1:-build}
raddle=$build/raddle
out=$build/demo
mkdir -p "$out"
rm -f "$out"/*.sched

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say "examples/bank.c has a bug. Compiled and run as usual, a hundred times:"
${CC:-gcc} -g -O1 -pthread examples/bank.c -o "$out/bank-plain"
failures=0 i=0
while [ $i -lt 100 ]; do
    "$out/bank-plain" >/dev/null 2>&1 || failures=$((failures + 1))
    i=$((i + 1))
done
echo "$failures of 100 runs failed"

say "Compiled with raddle cc, and run under schedules that Raddle chooses:"
show "$raddle" cc -g -O1 -pthread examples/bank.c -o "$out/bank"
printf '\033[1m$ %s run %s\033[0m\n\n' "$raddle" "$out/bank"
status=0
"$raddle" run -o "$out" "$out/bank" || status=$?
[ $status = 1 ] || { echo "the demo's bug was not found (exit status $status)"; exit 1; }

set -- "$out"/bank.assertion.*.sched
schedule=$1
say "The schedule is in a file. Replayed on real threads, ten times:"
printf '\033[1m$ %s replay --times 10 --quiet %s\033[0m\n' "$raddle" "$schedule"
status=0
"$raddle" replay --times 10 --quiet "$schedule" || status=$?
[ $status = 1 ] || { echo "the replay did not show the bug (exit status $status)"; exit 1; }
echo "exit status 1: every replay showed the same bug"
say "Next: $raddle replay --gdb $schedule   or   $raddle run ./your-own-test"
