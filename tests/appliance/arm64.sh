#!/bin/sh
# The release for arm64 in Debian roots of bookworm and trixie, here by emulation: sh tests/appliance/arm64.sh OUT [SUITE...]
# Installs, updates, power cuts and removal (root.sh); the readings of ten pictures against this machine's; the quick tests.
# Needs root; about an hour for each suite on two cores. OUT keeps release, roots and pictures for the next run.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd -P)
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- bookworm trixie
sudo="" . "$here/docs/setup/apt.sh"
command -v mmdebstrap >/dev/null && command -v qemu-aarch64-static >/dev/null && command -v arch-test >/dev/null && command -v dh >/dev/null ||
    apt_install mmdebstrap qemu-user-static binfmt-support arch-test debhelper lintian
mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
update-binfmts --enable qemu-aarch64
export KEY="$out/test.key"
[ -e "$KEY" ] || openssl genpkey -algorithm ed25519 -out "$KEY"
cd "$here"
[ -e "$out/release/SHA256SUMS.sig" ] || sh docs/setup/release.sh "$out/release" arm64
lintian --fail-on error,warning --tag-display-limit 0 "$out"/release/*.deb
if [ ! -e "$out/ten/readings.jsonl" ]; then
    .venv/bin/python -m tests.appliance.readings make "$out/ten"
    .venv/bin/python -m tests.appliance.readings read "$out/ten" >"$out/ten.jsonl"
    mv "$out/ten.jsonl" "$out/ten/readings.jsonl"
fi
failed=0
for suite in "$@"; do
    tar=$out/$suite.tar
    [ -e "$tar" ] || mmdebstrap -q --variant=minbase --arch=arm64 --include=ca-certificates "$suite" "$tar"
    echo "== $suite, arm64"
    CUTS="${CUTS:-20 60 120 180 240}" sh tests/appliance/root.sh "$out/release" "$tar" "$out/ten" || failed=1
    [ "${QUICK:-1}" = 1 ] || continue
    root=$(mktemp -d)
    tar -xf "$tar" -C "$root"
    cp /etc/resolv.conf "$root/etc/"
    [ -z "${PIP_CERT:-}" ] || { mkdir -p "$root$(dirname "$PIP_CERT")"; cp "$PIP_CERT" "$root$PIP_CERT"; }
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    git clone -q "$here" "$root/root/companion"
    chroot "$root" /usr/bin/env -i QEMU_CPU=cortex-a72 HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 ${PIP_CERT:+PIP_CERT=$PIP_CERT} sh -euc '
        apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git make python3 python3-venv >/dev/null
        git config --global --add safe.directory "*"; cd /root/companion && make quick' || failed=1
    umount -l "$root/proc" "$root/dev"
    rm -rf --one-file-system "$root"
done
exit $failed
