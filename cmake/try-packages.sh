#!/bin/sh
# Installs the Debian packages in a fresh Debian 12, compiles and runs the README's first program there on PoCL, and removes
# them. Needs root, debootstrap, and the packages (cmake --workflow --preset packages).
#   cmake/try-packages.sh [folder]     where the fresh Debian is made, and stays; it must not exist. Default: build/debian
set -eu
cd "$(dirname "$0")/.."
root=${1:-$PWD/build/debian}
debootstrap --variant=minbase --include=ca-certificates bookworm "$root"
for setting in /etc/apt/apt.conf.d /etc/resolv.conf /etc/hosts; do # how this machine reaches the packages' mirror
    [ ! -e "$setting" ] || cp -rL "$setting" "$root$(dirname "$setting")/"
done
[ ! -e /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"

mkdir "$root/try"
cp build/packages/packages/*.deb "$root/try/"
awk '/^```c( |$)/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md > "$root/try/first.c"
# PoCL asks these for processors and memory.
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys"
trap 'umount "$root/proc" "$root/sys"' EXIT
chroot "$root" sh -euc '
    export DEBIAN_FRONTEND=noninteractive HOME=/root
    apt-get update -q
    apt-get install -y -q --no-install-recommends gcc libc6-dev pocl-opencl-icd /try/*.deb
    cc /try/first.c -o /try/first -lclgemm
    [ "$(/try/first)" = "$(printf "4 5\n10 11")" ]
    clgemm-info
    apt-get purge -y -q "libclgemm*" clgemm-tools
    left=$(find /usr /etc /var/lib/dpkg/info -name "*clgemm*")
    [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
    echo "installed, used and removed"'
