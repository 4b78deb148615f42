#!/bin/sh
# A release in a fresh Debian root without a network: KEY=FILE sh tests/appliance/root.sh RELEASE ROOT.tar PICTURES
# RELEASE: made by docs/setup/release.sh with KEY. ROOT.tar: made by mmdebstrap --variant=minbase --arch=ARCH trixie ROOT.tar.
# PICTURES: made by tests/appliance/readings.py, with the readings of this machine in readings.jsonl.
# Needs root and, for another ARCH, qemu-user with binfmt. Installs; refuses a bad signature, a changed file, a full disk and
# an older release; cuts the power at each step of an update; takes back what does not start; goes back; keeps matches of a
# read-only root through a power cut; removes; purges.
set -eu
release=$1 tar=$2 pictures=$3
here=$(cd "$(dirname "$0")" && pwd)
: "${KEY:?the key of the release}"
work=$(mktemp -d)
root=$work/root
mkdir "$root"
tar -xf "$tar" -C "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind "$release" "$root/mnt"
end() {
    umount -l "$work/over/var/lib/companion" "$work/over/proc/cmdline" "$work/over/proc" "$work/over/dev" "$work/over" "$work/upper" 2>/dev/null || true
    [ -z "${loop:-}" ] || losetup -d "$loop" 2>/dev/null || true
    for each in proc dev mnt opt var/lib/companion; do umount -l "$work/root/$each" 2>/dev/null || true; done
    rm -rf --one-file-system "$work"
}
trap end EXIT
failed=0
# qemu's own processor has SVE, whose emulation multiplies matrices wrongly (7.2); a Pi 4 has a Cortex-A72
at() { unshare -n sh -c 'ip link set lo up; exec "$@"' sh chroot "$root" /usr/bin/env -i QEMU_CPU=cortex-a72 HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 COMPANION_ANY=1 sh -eu -c "$1"; }
expect() { if at "$2" >"$work/said" 2>&1; then echo "ok    $1"; else echo "FAILS $1"; grep -v "^Setting up\|^Unpacking\|^Selecting\|^Preparing\|^Processing" "$work/said" | tail -15; failed=1; fi; }
refuse() { # NAME COMMAND WORDS: it fails, says these words, and what ran still runs
    if at "$2" >"$work/said" 2>&1 || ! grep -q "$3" "$work/said"; then echo "FAILS $1"; grep -v "^Setting up\|^Unpacking\|^Selecting\|^Preparing\|^Processing" "$work/said" | tail -15; failed=1; else echo "ok    $1"; fi
}
sign() { (cd "$1" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS) && openssl pkeyutl -sign -inkey "$KEY" -rawin -in "$1/SHA256SUMS" -out "$1/SHA256SUMS.sig"; }
# another VERSION of the release in FOLDER; the Python code of a broken one raises
another() {
    mkdir -p "$1"
    cp -r "$release/install.sh" "$release/debs" "$1"
    dpkg-deb -R "$release"/tabletop-companion_*.deb "$work/deb"
    sed -i "s/^Version: .*/Version: $2/" "$work/deb/DEBIAN/control"
    echo "$2" >"$work/deb/usr/share/tabletop-companion/version"
    if [ "${3:-}" = broken ]; then
        for each in "$work"/deb/usr/share/tabletop-companion/site-*.tar.gz; do
            mkdir -p "$work/site/companion"
            echo "raise SystemExit(3)" >"$work/site/companion/__init__.py"
            tar -czf "$each" -C "$work/site" .
        done
    fi
    (cd "$work/deb" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | xargs md5sum >DEBIAN/md5sums)
    dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/deb" "$1/tabletop-companion_$2_$(dpkg-deb -f "$release"/tabletop-companion_*.deb Architecture).deb" >/dev/null
    rm -rf "$work/deb"
    sign "$1"
}
runs='companion --version >/dev/null && basename "$(readlink /opt/companion/current)"'
one=$(basename "$release"/tabletop-companion_*.deb | cut -d_ -f2)

# without openssl there is no signature to check; Raspberry Pi OS has it
suite=$(. "$root/etc/os-release"; echo "$VERSION_CODENAME")
cp -r "$release/debs/$suite" "$root/tmp/debs"
at 'cd /tmp/debs && for each in libssl3*.deb openssl_*.deb; do [ ! -e "$each" ] || dpkg -i "$each" >/dev/null; done'
rm -rf "$root/tmp/debs"

cp -r "$release" "$root/root/bad"
echo >>"$root/root/bad/SHA256SUMS"
refuse "a bad signature changes nothing" 'sh /root/bad/install.sh' "the signature is wrong"
cp "$release/SHA256SUMS" "$root/root/bad/"
for each in "$root"/root/bad/tabletop-companion_*.deb; do echo x >>"$each"; done
refuse "a changed file changes nothing" 'sh /root/bad/install.sh' "does not match its checksum"
rm -rf "$root/root/bad"
expect "nothing was installed by them" '! dpkg-query -W tabletop-companion'
expect "the first installation" 'sh /mnt/install.sh'
expect "it runs" "[ \"\$($runs)\" = '$one' ]"
expect "its user is its own" 'id companion | grep -q video'
expect "the unit is in order" 'systemd-analyze verify /usr/lib/systemd/system/companion.service'
expect "doctor looks at the box" 'companion doctor >/tmp/doctor 2>&1 || grep -q camera /tmp/doctor'
expect "the demo answers" 'companion demo --port 8099 --no-hints >/tmp/demo 2>&1 & it=$!; for _ in $(seq 120); do sleep 1; python3 -c "import urllib.request as u; u.urlopen(\"http://127.0.0.1:8099/join\", timeout=60)" 2>/dev/null && { kill $it; exit 0; }; done; cat /tmp/demo; exit 1'
cp -r "$pictures" "$root/root/ten"
cp "$here/readings.py" "$root/root/"
expect "every reader reads ten pictures" '/opt/companion/current/.venv/bin/python /root/readings.py read /root/ten >/root/ten.jsonl'
if python3 "$here/readings.py" compare "$pictures/readings.jsonl" "$root/root/ten.jsonl"; then echo "ok    they read the same as on this machine"; else failed=1; fi
at 'mkdir -p /var/lib/companion; touch /var/lib/companion/kept; echo "seats = 4" >>/etc/companion/companion.toml'
expect "again: nothing is built, settings stay" 'companion update /mnt >/tmp/again && ! grep -q building /tmp/again && grep -q "seats = 4" /etc/companion/companion.toml'

another "$root/root/two" "$one+2"
refuse "an update with a full disk changes nothing" 'mkdir /tmp/small; mount -t tmpfs -o size=20m none /tmp/small; TMPDIR=/tmp/small companion update /root/two' "the disk is full"
at 'umount /tmp/small' || true
# a power cut: every process of the update dies at once. The box must run, and the next update must end well
steps=0
for after_s in ${CUTS:-2 5 8 12 16 20 25 30 40 50}; do
    (at 'exec companion update /root/two' >"$work/cut" 2>&1) &
    cut=$!
    sleep "$after_s"
    if ! kill -0 $cut 2>/dev/null; then break; fi
    for each in /proc/[0-9]*; do [ "$(readlink "$each/root" 2>/dev/null)" != "$root" ] || kill -9 "${each#/proc/}" 2>/dev/null || true; done
    wait $cut 2>/dev/null || true
    steps=$((steps + 1))
    at "$runs" >"$work/runs" 2>&1 || { echo "FAILS after a power cut at $after_s s nothing runs"; cat "$work/runs"; failed=1; }
done
echo "ok    $steps power cuts, and a version ran after each"
expect "the update ends well afterwards" "companion update /root/two && [ \"\$($runs)\" = '$one+2' ] && [ -e /var/lib/companion/kept ] && dpkg --audit"
refuse "an older release is refused" 'companion update /mnt' "older than"
expect "companion update --back" "companion update --back && [ \"\$($runs)\" = '$one' ]"
expect "and forth again" "companion update --back && [ \"\$($runs)\" = '$one+2' ]"
another "$root/root/three" "$one+3" broken
refuse "a version that does not start is refused" 'companion update /root/three' "runs on"
expect "and the one before still runs" "[ \"\$($runs)\" = '$one+2' ]"
# a read-only root, as raspi-config's overlay makes it, with the matches on a partition of their own
truncate -s 64M "$work/data.img"
mkfs.ext4 -q "$work/data.img"
loop=$(losetup --find --show "$work/data.img")
expect "matches move to a partition of their own" "sh /usr/lib/tabletop-companion/box.sh data $loop && [ -e /var/lib/companion/kept ]"
umount "$root/var/lib/companion" || failed=1
mkdir "$work/over" "$work/upper"
touch "$work/began"
writable=$root root=$work/over
boots() { # a tmpfs is laid over the root, which stays as it is; what fstab names is mounted as usual
    mount -t tmpfs none "$work/upper"
    mkdir "$work/upper/data" "$work/upper/work"
    mount -t overlay -o "lowerdir=$writable,upperdir=$work/upper/data,workdir=$work/upper/work" overlay "$root"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    echo "boot=overlay" >"$root/tmp/cmdline"
    mount --bind "$root/tmp/cmdline" "$root/proc/cmdline"
    at 'mount -a'
}
power_cut() { umount -l "$root/var/lib/companion" "$root/proc/cmdline" "$root/proc" "$root/dev" "$root" "$work/upper" || true; }
log=/var/lib/companion/matches/overlay.db
boots
expect "a match is written on a read-only root" "mkdir -p /var/lib/companion/matches && echo changed >/etc/hostname && /opt/companion/current/.venv/bin/python -c '
from pathlib import Path
from companion.record.log import Log
log = Log(Path(\"$log\"))
for each in range(9): log.append(float(each), \"note\", \"box\", {\"n\": each})
log.close()'"
cp -r "$release" "$root/root/again"
refuse "an update of a read-only root is refused" 'sh /root/again/install.sh' "read-only"
power_cut
boots
expect "after a power cut the match is whole, and the root as before" "[ \"\$(/opt/companion/current/.venv/bin/python -c '
from pathlib import Path
from companion.record.log import read_log
print(len(read_log(Path(\"$log\"))))')\" = 9 ] && ! grep -q changed /etc/hostname && $runs"
power_cut
root=$writable
[ -z "$(find "$root" -xdev -newer "$work/began" ! -path "$root/proc*" ! -path "$root/dev*" | head -3)" ] || { echo "FAILS the root was written to"; failed=1; }
losetup -d "$loop"

expect "removal leaves matches and settings, and nothing else" 'apt-get remove -y tabletop-companion && [ -e /var/lib/companion/kept ] && [ -e /etc/companion/companion.toml ] && [ ! -e /opt/companion ] && ! command -v companion'
expect "purging leaves nothing" 'apt-get purge -y tabletop-companion && [ ! -e /var/lib/companion ] && [ ! -e /etc/companion ] && [ ! -e /usr/share/tabletop-companion ]'
exit $failed
