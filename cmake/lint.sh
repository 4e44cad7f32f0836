#!/bin/sh
# clang-format and clang-tidy over the project's own code; the release preset must have been configured and built.
set -eu
cd "$(dirname "$0")/.."

git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run --Werror
git ls-files 'src/*.cpp' 'doors/*.cpp' 'tools/*.cpp' 'examples/*.cpp' |
    xargs -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet
echo "lint: clean"
