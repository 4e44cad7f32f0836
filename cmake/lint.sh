#!/bin/sh
# clang-format and clang-tidy over the project's own code, of which Clang 14 must also compile what is not looked at any closer;
# the release preset must have been configured and built.
set -eu
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run --Werror
git ls-files 'src/*.cpp' 'doors/*.cpp' 'tools/*.cpp' 'examples/*.cpp' |
    xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet
git ls-files 'tests/*.cpp' 'bench/*.cpp' |
    xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet --checks='-*,readability-duplicate-include'
echo "lint: clean"
