#!/bin/sh
# Installs what building, testing and running clgemm takes, on Debian 12 or later and on Ubuntu 24.04 or later.
#   cmake/install-dependencies.sh [--library | --program | --packages | --lint]
#     --library  only what building the library itself takes, without tests, tools, benchmarks and a device to run on
#     --program  that, and what a program takes that uses it: pkg-config, and PoCL as a device
#     --packages what building Debian packages takes, of library, doors and tools
#     --lint     all of it, and what it is checked with besides: clang, clang-format, clang-tidy, Doxygen, lintian,
#                debhelper, libabigail, libclc and Oclgrind
set -eu

library="g++ cmake ninja-build ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers nlohmann-json3-dev"
program="$library pkg-config pocl-opencl-icd"
all="$program libgtest-dev libbenchmark-dev libcli11-dev libclblast-dev wamerican
    gfortran libblas-dev python3-numpy python3-pytest python3-pip python3-matplotlib"
case "${1:-}" in
"") packages="$all" ;;
--library) packages="$library" ;;
--program) packages="$program" ;;
--packages) packages="$library libcli11-dev dpkg-dev file debhelper" ;;
--lint) packages="$all clang-14 clang-format-14 clang-tidy-14 doxygen lintian debhelper abigail-tools
    libclc-14 oclgrind" ;;
*) echo "usage: $0 [--library | --program | --packages | --lint]" >&2; exit 2 ;;
esac

# Nothing to do, and no root needed, where all of them are there.
missing=""
for package in $packages; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "run this as root, to install:$missing" >&2; exit 1; }
    as_root=sudo
fi
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
