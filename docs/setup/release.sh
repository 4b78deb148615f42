#!/bin/sh
# Makes a release in OUT: KEY=FILE sh docs/setup/release.sh OUT [ARCH [SUITE=PYTHON...]]
# OUT is what a USB stick or a web address holds: install.sh, the package, Debian's packages beside it, checksums, signature.
# KEY is the secret key, made once by: openssl genpkey -algorithm ed25519 -out companion.key. Keep it off the net.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd -P)
out=$1 arch=${2:-arm64}
shift; [ $# = 0 ] || shift
[ $# -gt 0 ] || set -- bookworm=3.11 trixie=3.13
[ -f "${KEY:-}" ] || { echo "make release: KEY=FILE is missing, expected the secret key of the releases (docs/release.md)" >&2; exit 2; }
openssl pkey -in "$KEY" -noout 2>/dev/null || { echo "make release: $KEY is not a key that openssl reads" >&2; exit 2; }
rm -rf "$out"; mkdir -p "$out"
out=$(cd "$out" && pwd -P)
suites="" pythons=""
for each in "$@"; do suites="$suites ${each%=*}" pythons="$pythons ${each#*=}"; done
# shellcheck disable=SC2086
KEY=$KEY sh "$here/docs/setup/deb/build.sh" "$out" "$arch" $pythons
# shellcheck disable=SC2086
sh "$here/docs/setup/deb/bundle.sh" "$out/debs" "$arch" $suites
awk -v key="$(openssl pkey -in "$KEY" -pubout)" '{gsub(/@KEY@/, key)} 1' "$here/docs/setup/install.sh" >"$out/install.sh"
(cd "$here" && .venv/bin/python -m companion print quickstart -o "$out/quickstart.pdf" >/dev/null)
(cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
openssl pkeyutl -sign -inkey "$KEY" -rawin -in "$out/SHA256SUMS" -out "$out/SHA256SUMS.sig"
echo "release: $out ($(du -sh "$out" | cut -f1))"
