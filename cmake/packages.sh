#!/bin/sh
# packages.sh - makes sure that what Raddle needs is installed. On Debian the missing packages are installed with
# apt-get (through sudo when not root); elsewhere the list is printed and the build stops.
#
#   packages.sh build     what building and the demo need
#   packages.sh test      what the tests need, too
#   packages.sh slow      what the slow tests need, too (tests/e2e/run.py --slow)
#   packages.sh site      what `make site` needs, too
#   packages.sh package   what making packages needs, too
#   packages.sh eval      what the evaluation needs, too: it draws plots
set -eu

build="gcc g++ libc6-dev make cmake libdw-dev libjansson-dev gdb xz-utils"
test="gdbserver libglib2.0-dev libnspr4-dev libapr1-dev pkg-config pigz pbzip2 lbzip2 zstd bzip2 sqlite3 curl ccache libcmocka-dev libgtest-dev catch2 doctest-dev libcriterion-dev libboost-test-dev clang libomp-dev clang-format clang-tidy python3 python3-jsonschema libxml2-utils mkdocs python3-yaml gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

test="$test chromium chromium-driver" # the pages are tested in a browser
package="dpkg-dev file binutils gzip tar"
slow="$package lintian debootstrap meson ninja-build mandoc man-db zsh fish"

wanted=$build
[ "${1:-build}" = test ] && wanted="$build $test"
[ "${1:-build}" = slow ] && wanted="$build $test $slow"
[ "${1:-build}" = site ] && wanted="$build python3 mkdocs libjs-jquery"
[ "${1:-build}" = package ] && wanted="$build $package"
[ "${1:-build}" = eval ] && wanted="$build python3 python3-matplotlib"

if ! command -v dpkg-query >/dev/null 2>&1; then
    for tool in cc c++ make cmake xz; do
        command -v "$tool" >/dev/null 2>&1 && continue
        echo "raddle: this is no Debian system; please install the equivalents of: $wanted" >&2
        exit 1
    done
    exit 0
fi

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "raddle: please install:$missing" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "raddle: please install, as root:$missing" >&2; exit 1; }
    sudo=sudo
fi
echo "installing:$missing"
log=$(mktemp)
install() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1; }
if ! install; then # the package lists may be missing or old
    $sudo apt-get update >"$log" 2>&1 && install || { tail -n 20 "$log" >&2; exit 1; }
fi
rm -f "$log"
