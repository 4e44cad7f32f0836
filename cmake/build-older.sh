#!/bin/sh
# Builds the libraries of an older revision, for what compares them with those at hand; prints their folder. What was built
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
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_CXX_FLAGS=-g1 -DCLGEMM_BUILD_TESTS=OFF -DCLGEMM_BUILD_BENCH=OFF -DCLGEMM_BUILD_TOOLS=OFF \
        -DCLGEMM_BUILD_EXAMPLES=OFF >&2
    cmake --build "$older/build" >&2
    cmake --install "$older/build" >&2
    touch "$installed/done"
fi
echo "$installed/lib"
