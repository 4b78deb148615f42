#!/bin/sh
# The appliance on Raspberry Pi OS (trixie or bookworm, 64 bit). Run it again at any time: it brings what is missing, leaves
# settings and matches alone, and ends with the table's address.
#   pi.sh install | update [--back] | remove [--all]
# COMPANION_ROOT names another root (a test's), COMPANION_SYSTEMD=1 a systemd in it; COMPANION_ANY=1 allows any machine and leaves out what only a Pi has.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd -P)  # the folder itself: `update` comes by the link that this ends in
root=${COMPANION_ROOT:-}
base=$root/opt/companion
state=$root/var/lib/companion
etc=$root/etc/companion
sudo=""; [ "$(id -u)" = 0 ] || sudo="sudo"
. "$here/docs/setup/apt.sh"

say() { echo "companion: $*"; }
fail() { echo "make pi: $*" >&2; exit 1; }
has_systemd() { [ "${COMPANION_SYSTEMD:-}" = 1 ] || { [ -z "$root" ] && [ -d /run/systemd/system ]; }; }

# as whoever owns the checkout: git looks into nobody else's, and root's would be an update that fetches nothing
git_here() {
    owner=$(stat -c %U "$here")
    if [ "$(id -u)" = 0 ] && [ "$owner" != root ]; then
        setpriv --reuid="$owner" --regid="$(stat -c %G "$here")" --init-groups --reset-env git -C "$here" "$@"
    else
        git -C "$here" "$@"
    fi
}

must_be_a_pi() {
    [ "${COMPANION_ANY:-}" = 1 ] && return 0
    arch=$(dpkg --print-architecture 2>/dev/null || echo "no Debian")
    [ "$arch" = arm64 ] || fail "this system is $arch, expected 64-bit Raspberry Pi OS (arm64): a 32-bit system on a 64-bit processor does not do."
    memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
    [ "$memory" -ge 900 ] || fail "this machine has $memory MB of memory, expected 1 GB or more: a Pi Zero 2 W is too small, take a Pi 4 or 5."
}

packages() {
    want="python3-venv python3-dev libgl1 fonts-dejavu-core psmisc network-manager openssl"
    [ "${COMPANION_ANY:-}" = 1 ] || want="$want python3-picamera2 python3-lgpio"
    glib=libglib2.0-0; apt-cache show libglib2.0-0t64 >/dev/null 2>&1 && glib=libglib2.0-0t64
    missing=""
    for package in $want $glib; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    # shellcheck disable=SC2086
    apt_install $missing || exit 1
}

user() {
    getent group gpio >/dev/null || $sudo groupadd --system gpio
    getent passwd companion >/dev/null || $sudo useradd --system --home-dir /var/lib/companion --shell /usr/sbin/nologin --groups video,gpio companion
    $sudo usermod -a -G video,gpio companion
}

# A version is a folder of its own: the link `current` is turned to it only once it runs.
release() {
    version=$(git_here rev-parse --short=12 HEAD 2>/dev/null || date +%Y%m%d%H%M%S)
    target=$base/releases/$version
    if [ ! -e "$target/.ready" ]; then
        say "building $version"
        $sudo mkdir -p "$target"
        (cd "$here" && tar -cf - --exclude='./.venv*' --exclude=./.git --exclude='__pycache__' .) | $sudo tar -xf - -C "$target"
        # the venv sees the system's packages: picamera2 and lgpio come from apt
        $sudo python3 -m venv --system-site-packages "$target/.venv"
        pip="$sudo $target/.venv/bin/python -m pip install -q --disable-pip-version-check"
        # every package by its hash, then ourselves by the setuptools among them
        { pip_install $pip --require-hashes -r "$target/requirements/pi.txt" && pip_install $pip --no-deps --no-build-isolation "$target"; } || { $sudo rm -rf "$target"; exit 1; }
        $sudo "$target/.venv/bin/companion" --version >/dev/null || { $sudo rm -rf "$target"; fail "the new version does not start; nothing was changed"; }
        sync  # ready is what a power cut leaves whole
        $sudo touch "$target/.ready"
    fi
    turn "$target"
    prune
}

turn() {
    before=$(readlink "$base/current" 2>/dev/null || true)
    [ "$before" = "$1" ] && return 0
    [ -z "$before" ] || $sudo ln -sfn "$before" "$base/previous"
    $sudo ln -sfn "$1" "$base/current.new"
    $sudo mv -T "$base/current.new" "$base/current"
}

prune() {
    for old in "$base"/releases/*; do
        [ "$old" = "$(readlink "$base/current")" ] || [ "$old" = "$(readlink "$base/previous" 2>/dev/null)" ] || $sudo rm -rf "$old"
    done
}

settle() {
    $sudo mkdir -p "$etc" "$state" "$root/etc/systemd/system" "$root/etc/systemd/system.conf.d" "$root/etc/udev/rules.d" "$root/usr/local/bin"
    [ -e "$etc/companion.toml" ] || $sudo cp "$here/docs/setup/companion.toml" "$etc/companion.toml"
    $sudo cp "$here/docs/setup/companion.service" "$root/etc/systemd/system/companion.service"
    $sudo cp "$here/docs/setup/watchdog.conf" "$root/etc/systemd/system.conf.d/60-companion.conf"
    $sudo cp "$here/docs/setup/udev.rules" "$root/etc/udev/rules.d/60-companion.rules"
    $sudo ln -sfn /opt/companion/current/.venv/bin/companion "$root/usr/local/bin/companion"
    $sudo ln -sfn "$here" "$base/source"
    $sudo chown -R companion: "$state"
    if has_systemd; then
        $sudo udevadm control --reload >/dev/null 2>&1 || true
        $sudo systemctl daemon-reexec  # reads units and the watchdog's time
        $sudo systemctl enable -q companion
        $sudo systemctl restart companion || true  # it waits for READY; what did not start is taken back below
    fi
}

healthy() {
    has_systemd || return 0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(systemctl is-active companion)" = active ] && return 0
        sleep 3
    done
    return 1
}

back() {
    old=$(readlink "$base/previous" 2>/dev/null || true)
    [ -n "$old" ] && [ -e "$old/.ready" ] || fail "there is no earlier version to go back to"
    turn "$old"
    if has_systemd; then $sudo systemctl restart companion || fail "$(basename "$old") does not start either: journalctl -u companion tells why"; fi
    say "back at $(basename "$old")"
}

ready() {
    address=$(hostname -I 2>/dev/null | awk '{print $1}')
    say "ready: http://${address:-$(hostname).local}/  (settings: $etc/companion.toml)"
    if [ -n "$address" ]; then
        "$base/current/.venv/bin/python" -c "import segno, sys; segno.make(sys.argv[1], micro=False).terminal(compact=True)" "http://$address/" || true
    fi
}

case "${1:-install}" in
install)
    must_be_a_pi; packages; user; $sudo mkdir -p "$base/releases"; release; settle
    healthy || fail "the table did not start: journalctl -u companion tells why"
    ready ;;
update)
    if [ "${2:-}" = --back ]; then back; exit 0; fi
    must_be_a_pi; packages
    [ -z "$(git_here remote 2>/dev/null)" ] || git_here pull -q --ff-only || fail "the new version could not be fetched: is there a network?"
    release; settle
    healthy || { back; fail "the new version did not start: the earlier one runs again"; }
    ready ;;
remove)
    if has_systemd; then $sudo systemctl disable -q --now companion || true; fi
    $sudo rm -rf "$base" "$root/etc/systemd/system/companion.service" "$root/etc/systemd/system.conf.d/60-companion.conf" "$root/etc/udev/rules.d/60-companion.rules" "$root/usr/local/bin/companion"
    if [ "${2:-}" = --all ]; then
        $sudo rm -rf "$state" "$etc"
        getent passwd companion >/dev/null && $sudo userdel companion
        say "removed, matches and settings too"
    else
        say "removed; matches stay in $state, settings in $etc (remove --all takes them too)"
    fi ;;
*) fail "expected install, update [--back] or remove [--all]" ;;
esac
