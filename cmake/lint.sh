#!/bin/sh
# clang-format and clang-tidy over the project's own code; the release preset must have been configured and built.
#   cmake/lint.sh          what must be clean before a change lands
#   cmake/lint.sh --all    Clang's static analyzer, and programs, tests and benchmarks by Clang 14, too: some minutes, in which it
#                          rarely finds anything
set -eu
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run --Werror
twice=$(git ls-files 'tests/*.cpp' 'bench/*.cpp' 'timing/*.cpp' | xargs awk '/^#include/ && seen[FILENAME, $0]++ {print FILENAME ": " $0}')
if [ -n "$twice" ]; then
    printf 'included twice:\n%s\n' "$twice" >&2
    exit 1
fi
analyzer='-clang-analyzer-*' # takes as long as all other checks together
if [ "${1-}" = --all ]; then
    analyzer='clang-analyzer-*'
fi
# The library as it was built: folder by folder, if CMAKE_UNITY_BUILD was set. What files include, which takes most of the time, is
# then read once.
sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/release/compile_commands.json | grep -E "^$PWD/(build/release/)?(src|doors)/.*\.c(pp|xx)$" |
    xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet --checks="$analyzer,-bugprone-suspicious-include"
if [ "${1-}" = --all ]; then
    # Programs and tests file by file, however they were built, and without headers that GCC has precompiled.
    cmake --preset release -B build/lint -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
    gccs_own=--extra-arg=-Wno-unknown-warning-option # the tests have an option that Clang does not know
    git ls-files 'tools/*.cpp' 'examples/*.cpp' | xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/lint --quiet "$gccs_own"
    git ls-files 'tests/*.cpp' 'bench/*.cpp' 'timing/*.cpp' |
        xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/lint --quiet "$gccs_own" \
            --checks='-*,readability-duplicate-include'
fi
echo "lint: clean"
