#!/bin/sh
# The release for arm64 in Debian roots of bookworm and trixie, here by emulation: sh tests/appliance/arm64.sh OUT [SUITE...]
# KEY=FILE: tries build/release, which `make release KEY=FILE` has made; without it, a release with a test key is made first.
# STAGES names those of root.sh to run; all without it. Needs root. OUT keeps release, roots and pictures for the next run.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd -P)
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- trixie bookworm
sudo="" . "$here/docs/setup/apt.sh"
command -v mmdebstrap >/dev/null && command -v qemu-aarch64-static >/dev/null && command -v arch-test >/dev/null && command -v dh >/dev/null ||
    apt_install mmdebstrap qemu-user-static binfmt-support arch-test debhelper lintian
mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
update-binfmts --enable qemu-aarch64
cd "$here"
release=$here/build/release
if [ -z "${KEY:-}" ]; then
    KEY=$out/test.key release=$out/release
    [ -e "$KEY" ] || openssl genpkey -algorithm ed25519 -out "$KEY"
    [ -e "$release/SHA256SUMS.sig" ] || KEY=$KEY sh docs/setup/release.sh "$release" arm64
fi
export KEY
[ -e "$release/SHA256SUMS.sig" ] || { echo "make arm64: there is no $release: make release KEY=$KEY makes it" >&2; exit 2; }
lintian --fail-on error,warning --tag-display-limit 0 "$release"/*.deb
if [ ! -e "$out/ten/readings.jsonl" ]; then
    .venv/bin/python -m tests.appliance.readings make "$out/ten"
    .venv/bin/python -m tests.appliance.readings read "$out/ten" >"$out/ten.jsonl"
    mv "$out/ten.jsonl" "$out/ten/readings.jsonl"
fi
# what unpacks runs unemulated (root.sh)
export NATIVE="$out/native"
if [ ! -e "$NATIVE/fast" ]; then
    mmdebstrap -q --variant=minbase trixie "$NATIVE"
    mkdir "$NATIVE/fast"
    for each in tar gzip sha256sum md5sum cp rm find sort dpkg-deb; do ln -s "/native/usr/bin/$each" "$NATIVE/fast/$each"; done
fi
failed=0
for suite in "$@"; do
    [ -e "$out/$suite.tar" ] || { mmdebstrap -q --variant=minbase --include=make --arch=arm64 "$suite" "$out/new.tar" && mv "$out/new.tar" "$out/$suite.tar"; }
    echo "== $suite, arm64"
    # shellcheck disable=SC2086
    sh tests/appliance/root.sh "$release" "$out/$suite.tar" "$out/ten" "$out/$suite" ${STAGES:-} || failed=1
done
exit $failed
