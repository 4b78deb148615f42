#!/bin/sh
# The versions of a box. Each has its own folder in /opt/companion/releases; the link `current` names the one that runs.
#   box.sh configure   build the version of the package, start it, and keep the earlier one (called by dpkg)
#   box.sh starting    before each start of the service: a new version gets three starts, then the earlier one comes back
#   box.sh started     after READY: the new version is good
#   box.sh back        the version before
#   box.sh data DEVICE moves the matches to a partition of their own, for a card whose root is read-only
# COMPANION_ROOT names another root, COMPANION_SYSTEMD=1 a systemd in it: both are for tests.
set -eu
root=${COMPANION_ROOT:-}
base=$root/opt/companion
shared=$root/usr/share/tabletop-companion
MAX_STARTS=3   # starts of a new version before the earlier one comes back; chosen by hand
MAX_WAIT_S=150 # waiting for a new version or for the one that replaces it; a start may take 90 s on a Pi 4

say() { echo "companion: $*"; }
fail() { echo "companion: $*" >&2; exit 1; }
has_systemd() { [ "${COMPANION_SYSTEMD:-}" = 1 ] || { [ -z "$root" ] && [ -d /run/systemd/system ]; }; }
runs() { [ -e "${1:-none}/.ready" ]; }

turn() {
    ln -sfn "$1" "$base/current.new"
    mv -T "$base/current.new" "$base/current"
    sync
}

build() {
    say "unpacking $(basename "$1"): a minute on a Pi"
    rm -rf "$1"; mkdir -p "$1"
    # the venv sees the system's packages: picamera2 and lgpio come from apt. The rest is unpacked, with its byte code
    python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') || return 1
    site=$1/.venv/lib/python$python/site-packages
    python3 -m venv --without-pip --system-site-packages "$1/.venv" &&
        tar -xzf "$shared/site-$python.tar.gz" -C "$site" &&
        printf '#!%s\nfrom companion.cli import main\n\nraise SystemExit(main())\n' "$1/.venv/bin/python" >"$1/.venv/bin/companion" &&
        chmod 755 "$1/.venv/bin/companion" &&
        { "$1/.venv/bin/python" -m compileall -q "$site" >/dev/null 2>&1 || true; } &&
        "$1/.venv/bin/companion" --version >/dev/null && sync && touch "$1/.ready"
}

# What `make pi` of version 0.1 wrote by hand; its unit would hide the package's.
forget_the_first_way() {
    for each in systemd/system/companion.service systemd/system.conf.d/60-companion.conf udev/rules.d/60-companion.rules; do
        rm -f "$root/etc/$each"
    done
    rm -f "$root/usr/local/bin/companion" "$base/source"
}

configure() {
    forget_the_first_way
    new=$base/releases/$(cat "$shared/version")
    old=$(readlink "$base/current" 2>/dev/null || true)
    if ! runs "$new" && ! build "$new"; then
        rm -rf "$new"
        runs "$old" || fail "this version cannot be built here: $(df -h --output=avail "$base" | tail -1 | tr -d ' ') of disk are free"
        say "this version cannot be built here: $(basename "$old") runs on"
        return 0
    fi
    if [ "$old" != "$new" ]; then
        if runs "$old"; then ln -sfn "$old" "$base/previous"; echo 0 >"$base/starts"; fi
        turn "$new"
    fi
    if has_systemd; then
        systemctl daemon-reexec # reads the units and the watchdog's time
        udevadm control --reload || true
        systemctl restart --no-block companion
        waited_s=0
        while [ -e "$base/starts" ] || [ "$(systemctl is-active companion)" != active ]; do
            [ "$waited_s" -lt "$MAX_WAIT_S" ] || fail "the table did not start: journalctl -u companion says why"
            sleep 3; waited_s=$((waited_s + 3))
        done
    else
        rm -f "$base/starts"
    fi
    if [ "$(readlink "$base/current")" != "$new" ]; then say "$(basename "$new") did not start: $(basename "$old") runs again"; return 0; fi
    for each in "$base"/releases/*; do
        [ "$each" = "$new" ] || [ "$each" = "$(readlink "$base/previous" || true)" ] || rm -rf "$each"
    done
    address=$(hostname -I 2>/dev/null | cut -d' ' -f1)
    say "ready: http://$(hostname).local/${address:+ or http://$address/}  (settings: /etc/companion/companion.toml)"
}

starting() {
    [ -e "$base/starts" ] || return 0
    starts=$(($(cat "$base/starts") + 1))
    echo "$starts" >"$base/starts"
    sync
    [ "$starts" -gt "$MAX_STARTS" ] || return 0
    say "$(basename "$(readlink "$base/current")") did not start: the earlier version comes back"
    turn "$(readlink "$base/previous")"
    rm "$base/starts"
}

back() {
    old=$(readlink "$base/previous" 2>/dev/null || true)
    now=$(readlink "$base/current" 2>/dev/null || true)
    runs "$old" || fail "there is no earlier version to go back to"
    ln -sfn "$now" "$base/previous"
    turn "$old"
    rm -f "$base/starts"
    if has_systemd; then systemctl restart companion || fail "$(basename "$old") does not start either: journalctl -u companion says why"; fi
    say "back at $(basename "$old")"
}

data() {
    at=$root/var/lib/companion
    [ -b "${1:-}" ] || fail "expected a partition, such as /dev/sda1: lsblk lists them"
    ! mountpoint -q "$at" || fail "the matches are on a partition of their own already"
    [ "$(blkid -o value -s TYPE "$1")" = ext4 ] ||
        fail "$1 has no ext4 file system: sudo mkfs.ext4 $1 makes one, and deletes what is there"
    new=$(mktemp -d)
    mount "$1" "$new"
    if ls -A "$new" | grep -qv '^lost+found$'; then umount "$new"; fail "$1 is not empty"; fi
    ! has_systemd || systemctl stop companion
    cp -a "$at/." "$new/" || { umount "$new"; fail "$1 is too small"; }
    umount "$new"
    printf 'UUID=%s /var/lib/companion ext4 noatime 0 2\n' "$(blkid -o value -s UUID "$1")" >>"$root/etc/fstab"
    sync
    ! has_systemd || systemctl daemon-reload
    mount "$at"
    ! has_systemd || systemctl start companion
    say "matches are on $1 now; the card has a copy of those played until today"
}

case "${1:-}" in
configure | starting | back) "$1" ;;
started) rm -f "$base/starts" ;;
data) data "${2:-}" ;;
*) fail "expected configure, starting, started, back or data" ;;
esac
