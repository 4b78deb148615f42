#!/bin/sh
# Gathers Debian's packages that a box needs, so that it installs without a network: bundle.sh OUT ARCH SUITE...
# Each suite gets a folder OUT/SUITE that apt reads. What every Debian has is left out.
set -eu
out=$1 arch=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd -P)
want=$(sed -n '/^Depends:/,/^Recommends:/p' "$here/control" | grep -v '^Recommends' |
    sed 's/^Depends://; s/\${[^}]*},//; s/([^)]*)//g; s/|[^,]*//g' | tr ',\n' '  ')
for suite in "$@"; do
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$out/$suite"
    touch "$work/status"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main" >"$work/sources.list"
    apt="apt-get -qq -o APT::Architecture=$arch -o APT::Architectures=$arch -o Dir::State::lists=$work/lists -o Dir::State::status=$work/status
        -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::Cache::archives=$work/archives
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o Debug::NoLocking=1"
    $apt update
    named=$want
    # bookworm has the older name only
    grep -q '^Package: libglib2.0-0t64$' "$work"/lists/*_Packages* 2>/dev/null || named=$(echo "$want" | sed 's/libglib2.0-0t64/libglib2.0-0/')
    # shellcheck disable=SC2086
    $apt install -y --no-install-recommends --download-only $named >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
    for each in "$work"/archives/*.deb; do
        case $(dpkg-deb -f "$each" Priority) in required) ;; *) cp "$each" "$out/$suite/" ;; esac
    done
    (cd "$out/$suite" && dpkg-scanpackages -m . >Packages 2>/dev/null)
    rm -rf "$work"
done
