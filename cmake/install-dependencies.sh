#!/bin/sh
# Installs what building, testing and running clgemm takes, on Debian 12 or later and on Ubuntu 24.04 or later.
#   cmake/install-dependencies.sh [--lint]     --lint: also clang-format and clang-tidy
set -eu

packages="g++ cmake ninja-build pkg-config
    ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers pocl-opencl-icd
    nlohmann-json3-dev libgtest-dev libbenchmark-dev libcli11-dev libclblast-dev wamerican
    gfortran python3-numpy python3-pytest python3-matplotlib"
case "${1:-}" in
"") ;;
--lint) packages="$packages clang-format-14 clang-tidy-14" ;;
*) echo "usage: $0 [--lint]" >&2; exit 2 ;;
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
