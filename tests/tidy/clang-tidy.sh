#!/bin/sh
# clang-tidy.sh - the analyser over every source file; what was found clean before is not looked at again.
#
# A function that the analyser cannot get through is given up after so many states. The tool's own limit is 225000, and
# then most of the time goes into functions that are given up all the same. With a third of it the same code is reached
# (clang --analyze -Xclang -analyzer-checker=debug.Stats counts the blocks of each function that are not), but for the
# files below. NODES=225000 takes the tool's limit for all.
set -u
build=${1:-build}
nodes=${NODES:-75000}
deep='src/detect/lockchain.c src/detect/lockset.c src/report/text/race_text.c src/rt/hook/memory/instrumented.c src/search/exitblock/atomic_blocks.c
      src/explore/loop.c'
mkdir -p "$build/tidy"
# clang does not know all of gcc's options
sed -e 's/-fno-tree-loop-distribute-patterns//' -e 's/-ffat-lto-objects//' -e 's/-Wno-builtin-declaration-mismatch//' -e 's/-Wno-tsan//' \
    "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
rest=$(cat .clang-tidy "$0" $(git ls-files 'src/*.h' 'src/*.def') | cksum)
git ls-files --cached --others --exclude-standard 'src/*.c' | while read -r file; do
    stamp=$build/tidy/$(echo "$file" | tr / _).ok
    limit=$nodes
    case " $(echo $deep) " in *" $file "*) limit=225000 ;; esac
    sum="$(cksum <"$file") $rest $limit"
    [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ] || printf '%s\t%s\t%s\t%s\n' "$limit" "$file" "$stamp" "$sum"
done >"$build/tidy/todo"
for limit in $(cut -f1 "$build/tidy/todo" | sort -un); do
    awk -v limit="$limit" '$1 == limit { print $2 }' "$build/tidy/todo" |
        xargs -r -P "$(nproc)" -n 4 clang-tidy -p "$build/tidy" --quiet --extra-arg=-Xclang --extra-arg=-analyzer-config \
            --extra-arg=-Xclang --extra-arg="max-nodes=$limit"
done >"$build/tidy/log" 2>&1
if grep -E '(warning|error):' "$build/tidy/log"; then
    exit 1
fi
while IFS="$(printf '\t')" read -r limit file stamp sum; do
    echo "$sum" >"$stamp"
done <"$build/tidy/todo"
