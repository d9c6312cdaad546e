#!/bin/sh
# clang-tidy.sh - the analyser over every source file; what was found clean before is not looked at again.
set -u
build=${1:-build}
mkdir -p "$build/tidy"
# clang does not know all of gcc's options
sed -e 's/-fno-tree-loop-distribute-patterns//' -e 's/-Wno-builtin-declaration-mismatch//' -e 's/-Wno-tsan//' \
    "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
git ls-files --cached --others --exclude-standard 'src/*.c' | while read -r file; do
    stamp=$build/tidy/$(echo "$file" | tr / _).ok
    sum=$(cat "$file" .clang-tidy $(git ls-files 'src/*.h' 'src/*.def') | cksum)
    [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ] || printf '%s\t%s\t%s\n' "$file" "$stamp" "$sum"
done >"$build/tidy/todo"
cut -f1 "$build/tidy/todo" | xargs -r -P "$(nproc)" -n 4 clang-tidy -p "$build/tidy" --quiet >"$build/tidy/log" 2>&1
if grep -E '(warning|error):' "$build/tidy/log"; then
    exit 1
fi
while IFS="$(printf '\t')" read -r file stamp sum; do
    echo "$sum" >"$stamp"
done <"$build/tidy/todo"
