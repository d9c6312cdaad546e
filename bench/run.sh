#!/bin/sh
# run.sh - the measurements of `make bench`. Timings are the best of several rounds; compare ratios within one run.
set -eu
build=${1:-build}
raddle=$build/raddle
out=$build/bench
mkdir -p "$out"
cc=${CC:-gcc}

$cc -O2 -D_GNU_SOURCE -Isrc bench/switch.c src/rt/thread/ctx.c "src/rt/arch/ctx_$(uname -m).S" src/base/bug.c -o "$out/switch"
$cc -g -O2 -pthread bench/points.c -o "$out/points"
$raddle cc -O1 -pthread bench/reads.c -o "$out/reads"
$raddle cc -O1 -pthread bench/two.c -o "$out/two"

echo "-- one operation"
"$out/switch"
python3 bench/points.py "$raddle" "$out/points" "$out/reads"

echo "-- the pure parts alone, on programs as data"
"$build/pure"

echo "-- executions of the two-thread example (2 threads x 3 lock; x++; unlock, all accesses instrumented)"
"$raddle" bench --isolation fork "$out/two"
"$raddle" bench --isolation exec -t 0.5 "$out/two"

echo "-- executions in one process, whole proofs, long executions (bench/speed.md)"
python3 bench/speed.py "$raddle" "$out"
python3 bench/steps.py "$raddle" "$out"

echo "-- calls of library functions (bench/calls.md)"
python3 bench/calls.py "$raddle" "$out"

echo "-- computing programs: few variables watched, and all (bench/overhead.md)"
python3 bench/overhead.py "$raddle" "$out"

echo "-- detectors (bench/detectors.md)"
python3 bench/detectors.py "$raddle" "$out"

echo "-- from the shell to the prompt"
"$raddle" cc -O0 -pthread tests/programs/bug/lost_update.c -o "$out/lost_update"
python3 bench/shell.py "$raddle" "$out/lost_update"

echo "-- what samplers see, time to the first bug, a variable that is rarely used: bench/*.md"
python3 bench/orders.py "$raddle" "$out"
python3 bench/first_bug.py "$raddle" "$out"
python3 bench/frequency.py "$raddle" "$out"
python3 bench/samplers.py "$raddle" "$out"
