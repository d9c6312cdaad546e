#!/bin/sh
# debugger-library.sh - makes the copy of libraddle.so that a debugger sees (src/drive/process/launch.c): without debug
# information, and with "raddle." before the name of every function that it does not export.
#
#   debugger-library.sh NM OBJCOPY LIBRARY COPY
set -eu
names=$4.names
"$1" "$3" | awk '
    $2 ~ /[A-Z]/ { exported[$3] = 1 }
    $2 ~ /[tdbr]/ { local[$3] = 1 }
    END { for (name in local) if (!(name in exported)) print name, "raddle." name }' >"$names"
"$2" --strip-debug --redefine-syms="$names" "$3" "$4"
rm -f "$names"
