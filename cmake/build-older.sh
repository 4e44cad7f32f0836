#!/bin/sh
# Builds the library of an older revision, to be compared with the one at hand; prints its folder. What was built
# before is used again.
#   cmake/build-older.sh REVISION FOLDER     v0.2.0, say, or HEAD~1
set -eu
cd "$(dirname "$0")/.."
[ $# = 2 ] || { sed -n '2,4s/^# \?//p' "$0" >&2; exit 2; }
commit=$(git rev-parse --verify --short=12 "$1^{commit}")
older=$2/$commit
installed=$older/installed
if [ ! -e "$installed/done" ]; then
    rm -rf "$older"
    mkdir -p "$older/source"
    git archive "$commit" | tar -x -C "$older/source"
    cmake -G Ninja -S "$older/source" -B "$older/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$installed" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCLGEMM_BUILD_TESTS=OFF -DCLGEMM_BUILD_BENCH=OFF -DCLGEMM_BUILD_TOOLS=OFF \
        -DCLGEMM_BUILD_EXAMPLES=OFF -DCLGEMM_BUILD_DOORS=OFF >&2
    cmake --build "$older/build" >&2
    cmake --install "$older/build" >&2
    touch "$installed/done"
fi
echo "$installed/lib"
