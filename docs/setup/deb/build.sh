#!/bin/sh
# Builds the Debian package of this checkout: sh docs/setup/deb/build.sh OUT [ARCH [PYTHON...]]
# ARCH: this machine's, or arm64. PYTHON: the versions whose packages go in (3.11 is bookworm's, 3.13 trixie's); this one's, or all.
# KEY=FILE: the secret Ed25519 key of the releases; its public half goes in, so that the box knows the next release.
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd -P)
out=$1 arch=${2:-$(dpkg --print-architecture)}
shift; [ $# = 0 ] || shift
[ $# -gt 0 ] || set -- "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
sudo=""; [ "$(id -u)" = 0 ] || sudo="sudo"
. "$here/docs/setup/apt.sh"
command -v dh >/dev/null || apt_install debhelper || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$work/venv/bin/python
python3 -m venv "$work/venv"
# setuptools and packaging, by their hashes
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$here/requirements/pi.txt" | grep -E '^(setuptools|packaging)==' >"$work/tools.txt"
pip_install "$python" -m pip -qq install --disable-pip-version-check --require-hashes -r "$work/tools.txt"

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$here/companion/__init__.py")
# a checkout without the version's tag is older than that version
if commit=$(git -C "$here" log -1 --format=%cd.%h --date=format:%Y%m%d%H%M%S 2>/dev/null); then
    [ "$(git -C "$here" describe --tags --exact-match 2>/dev/null)" = "v$version" ] || version="$version~git$commit"
fi
tree=$work/tabletop-companion
mkdir -p "$tree" "$out"
cp -r "$here/docs/setup/deb" "$tree/debian"
rm "$tree/debian/build.sh"
cp "$here/docs/setup/box.sh" "$here/docs/setup/install.sh" "$here/docs/setup/companion.toml" "$here/docs/setup/watchdog.conf" "$here/docs/appliance.md" "$tree"
cp "$here/docs/setup/companion.service" "$tree/debian/tabletop-companion.companion.service"
cp "$here/docs/setup/udev.rules" "$tree/debian/tabletop-companion.udev"
cp "$here/CHANGELOG.md" "$tree/news.md"
echo "$version" >"$tree/version"
printf '#!/bin/sh\nexec /opt/companion/current/.venv/bin/companion "$@"\n' >"$tree/companion"
chmod +x "$tree/companion" "$tree/box.sh" "$tree/install.sh"
: >"$tree/release.pem" # empty: an unsigned build
[ -z "${KEY:-}" ] || openssl pkey -in "$KEY" -pubout -out "$tree/release.pem"
printf 'tabletop-companion (%s) stable; urgency=medium\n\n  * See news.md.\n\n -- The Companion authors <maintainers@users.noreply.github.com>  %s\n' \
    "$version" "$(date -R)" >"$tree/debian/changelog"
(cd "$here" && tar -cf - --exclude='./.venv*' --exclude=./.git --exclude=./build --exclude='__pycache__' .) | (mkdir "$work/source" && tar -xf - -C "$work/source")
"$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$tree" "$work/source"
"$python" "$here/docs/setup/deb/environment.py" "$here/requirements/pi.txt" "$(ls "$tree"/tabletop_companion-*.whl)" "$tree" "$arch" "$@"
# a release also has the wheel and the source, for those who install by pip
if [ -n "${KEY:-}" ]; then
    cp "$tree"/tabletop_companion-*.whl "$out/"
    (cd "$work/source" && "$python" -c 'from setuptools import build_meta; build_meta.build_sdist("../sdist")' >"$work/log" 2>&1) ||
        { tail -20 "$work/log" >&2; exit 1; }
    cp "$work"/sdist/*.tar.gz "$out/"
fi
(cd "$tree" && dpkg-buildpackage -b -d -us -uc -a"$arch" >"$work/log" 2>&1) || { tail -20 "$work/log" >&2; exit 1; }
mv "$work"/tabletop-companion_*.deb "$out/"
ls "$out"/tabletop-companion_"$version"_*.deb
