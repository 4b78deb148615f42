#!/bin/sh
# Installs or updates Companion on 64-bit Raspberry Pi OS (bookworm or trixie). Read it first, then:
#   sudo sh install.sh [FOLDER or ADDRESS]     (without one: the folder of this file, such as a USB stick)
# Nothing is changed before the signature and every file's checksum are right. No network is needed with a folder.
set -eu
KEY='@KEY@' # the public key of the releases (Ed25519); a box that has one already keeps to its own
SHARED=/usr/share/tabletop-companion
FREE_MB=1500 # the package, its environment (420 MB) and copies of both during an update

fail() { echo "companion: $*" >&2; exit 1; }
from=${1:-$(cd "$(dirname "$0")" && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # NAME: puts that file of the release into $work
    case "$from" in
    http://* | https://*)
        python3 -c 'import shutil, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as come, open(sys.argv[2], "wb") as out: shutil.copyfileobj(come, out)' \
            "${from%/}/$1" "$work/$1" 2>/dev/null || fail "${from%/}/$1 cannot be fetched: is there a network?" ;;
    *) [ -f "$from/$1" ] || fail "$from has no $1, expected the folder of a release"
        cp "$from/$1" "$work/$1" || fail "the disk is full: $(df -h --output=avail "$work" | tail -1 | tr -d ' ') are free" ;;
    esac
}

# what this machine is
arch=$(dpkg --print-architecture 2>/dev/null || echo "no Debian")
if [ "${COMPANION_ANY:-}" != 1 ]; then
    [ "$arch" = arm64 ] || fail "this system is $arch, expected 64-bit Raspberry Pi OS (arm64): a 32-bit system on a 64-bit processor is not enough"
    memory_mb=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
    [ "$memory_mb" -ge 900 ] || fail "this machine has $memory_mb MB of memory, expected 1 GB or more: a Pi Zero 2 W is too small, take a Pi 4 or 5"
fi
! grep -qE 'boot=overlay|overlayroot=[a-z]' /proc/cmdline ||
    fail "the root of this box is read-only: sudo raspi-config nonint do_overlayfs 1, restart, then try again"
[ "$(id -u)" = 0 ] || fail "this needs root: sudo sh $0 $*"

# what the release says, and who says it
if [ -f "$SHARED/version" ]; then
    [ -s "$SHARED/release.pem" ] || fail "this box was installed from a checkout: update it there, with git pull and make pi"
    cp "$SHARED/release.pem" "$work/key.pem"
else
    echo "$KEY" >"$work/key.pem"
fi
command -v openssl >/dev/null || fail "openssl is missing: it comes with Raspberry Pi OS; sudo apt-get install openssl"
fetch SHA256SUMS
fetch SHA256SUMS.sig
openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/SHA256SUMS" -sigfile "$work/SHA256SUMS.sig" >/dev/null 2>&1 ||
    fail "the signature is wrong: this is not a release of ours, or it is damaged. Nothing was changed"
# all of a folder, also what is only printed or read
wrong="a file does not match its checksum: copy or fetch the release again. Nothing was changed"
[ ! -d "$from" ] || (cd "$from" && sha256sum --quiet --ignore-missing --check "$work/SHA256SUMS" >/dev/null 2>&1) || fail "$wrong"
package=$(awk '{print $2}' "$work/SHA256SUMS" | grep "^tabletop-companion_.*_$arch\.deb$" | tail -1)
[ -n "$package" ] || fail "this release has no package for $arch"
version=${package#*_}; version=${version%_*}
installed=$(dpkg-query -W -f='${Version}' tabletop-companion 2>/dev/null || true)
if [ -n "$installed" ] && dpkg --compare-versions "$version" lt "$installed"; then
    fail "this release is $version, older than $installed on this box: companion update --back goes back one version"
fi
free_mb=$(df -m --output=avail /opt | tail -1)
[ "$free_mb" -ge "$FREE_MB" ] || fail "$free_mb MB are free, expected $FREE_MB: delete old pictures (companion doctor), then try again"

# the files, each by its checksum
fetch "$package"
codename=$(. /etc/os-release; echo "$VERSION_CODENAME")
options="-o DPkg::Lock::Timeout=600"
if [ -d "$from/debs/$codename" ]; then # Debian's packages are beside it: no network is needed
    mkdir "$work/debs"
    cp -r "$from/debs/$codename" "$work/debs/"
    echo "deb [trusted=yes] file:$work/debs/$codename ./" >"$work/sources.list"
    options="$options -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists -o APT::Sandbox::User=root"
    mkdir -p "$work/lists/partial"
fi
awk -v package="$package" -v debs="debs/$codename/" '$2 == package || index($2, debs) == 1' "$work/SHA256SUMS" >"$work/ours"
[ -d "$work/debs" ] || sed -i '/  debs\//d' "$work/ours"
(cd "$work" && sha256sum --quiet --check ours >/dev/null 2>&1) ||
    fail "$wrong"

# a power cut may have stopped the last one
dpkg --configure -a >/dev/null 2>&1 || true
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
apt-get -qq $options update >"$work/log" 2>&1 || { tail -3 "$work/log" >&2; fail "the package lists cannot be read: is there a network?"; }
# shellcheck disable=SC2086
camera=$(apt-cache $options madison python3-picamera2 python3-lgpio | awk '{print $1}' | sort -u) # Raspberry Pi OS has them
# shellcheck disable=SC2086
apt-get -qq $options install -y --reinstall --no-install-recommends -o Dpkg::Options::=--force-confold "$work/$package" $camera ||
    fail "the installation stopped; what ran before still runs. Try again"
running=$(basename "$(readlink /opt/companion/current)")
[ "$running" = "$version" ] || fail "$version did not start: $running runs again"
