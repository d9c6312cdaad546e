#!/bin/sh
# debugger-library.sh - makes the copy of libraddle.so that a debugger sees (src/drive/process/launch.c): without debug
# information, and with "raddle." before the name of every function that it does not export. The names stand in the
# section .gnu_debugdata, where gdb looks for them and no tool that strips a package takes them away. The copy
# has a build-id of its own: by that of the library a debugger would find the library's debug information.
#
#   debugger-library.sh NM OBJCOPY LIBRARY COPY
set -eu
names=$4.names symbols=$4.symbols
"$1" "$3" | awk '
    $2 ~ /[A-Z]/ { exported[$3] = 1 }
    $2 ~ /[tdbr]/ { local[$3] = 1 }
    END { for (name in local) if (!(name in exported)) print name, "raddle." name }' >"$names"
"$2" --strip-debug --redefine-syms="$names" "$3" "$symbols.all"
"$2" --only-keep-debug "$symbols.all" "$symbols"
"$2" --remove-section=.comment --remove-section=.note.gnu.build-id "$symbols"
xz -T1 -6 -c "$symbols" >"$symbols.xz"
"$2" --strip-all "$3" "$4"
if "$2" --dump-section .note.gnu.build-id="$symbols" "$4" 2>/dev/null; then
    head -c 16 "$symbols" >"$names" # the length of the name, of the build-id, the type, the name
    tail -c +17 "$symbols" | LC_ALL=C tr '\000-\377' '\001-\377\000' >>"$names"
    "$2" --update-section .note.gnu.build-id="$names" "$4"
fi
"$2" --add-section .gnu_debugdata="$symbols.xz" "$4"
rm -f "$names" "$symbols" "$symbols.all" "$symbols.xz"
