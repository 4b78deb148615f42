#!/bin/sh
# A release in a Debian root without a network: KEY=FILE sh tests/appliance/root.sh RELEASE BASE.tar PICTURES WORK [STAGE...]
# RELEASE: made by docs/setup/release.sh with KEY. BASE.tar: mmdebstrap --variant=minbase --include=make --arch=ARCH SUITE BASE.tar.
# PICTURES: made by tests/appliance/readings.py, with the readings of this machine in readings.jsonl.
# WORK keeps the root after the first installation, as `installed`. Each later stage runs in a layer over it and can be run alone:
#   install   refuses a bad signature and a changed file; installs, starts, answers
#   read      every reader reads PICTURES as on this machine
#   update    full disks, an older release, a power cut before and in each step, a version that does not start, back and forth
#   readonly  the matches of a read-only root outlive a power cut
#   remove    removal, purge
#   quick     `make quick` with the packages of requirements/dev.txt, which are gathered here
#   shell     a root to look at
# Needs root and, for another ARCH, qemu-user with binfmt. NATIVE, a folder with a root of this machine's ARCH, makes that
# quicker: its tar, gzip and the like then run in place of emulated ones.
set -eu
release=$1 tar=$2 pictures=$3 keep=$4
shift 4
[ $# -gt 0 ] || set -- install read update readonly remove quick
here=$(cd "$(dirname "$0")/../.." && pwd -P)
: "${KEY:?the key of the release}"
work=$(mktemp -d)
root=$work/root
mkdir -p "$root" "$keep"
failed=0
ours="native usr/lib64 usr/lib/x86_64-linux-gnu"
bare() { # lets the root go, whatever hangs in it
    for each in var/lib/companion proc/cmdline proc dev mnt tmp/small $ours .; do umount -l "$work/over/$each" "$work/root/$each" 2>/dev/null || true; done
    umount -l "$work/upper" "$work/layer" 2>/dev/null || true
}
end() {
    bare
    [ -z "${loop:-}" ] || losetup -d "$loop" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
path=/usr/local/sbin:${NATIVE:+/native/fast:}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
dress() {
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    echo "DPkg::Path \"$path\";" >"$1/etc/apt/apt.conf.d/99path"
    [ -n "${NATIVE:-}" ] || return 0
    mkdir -p "$1/native" "$1/usr/lib64" "$1/usr/lib/x86_64-linux-gnu"
    [ -e "$1/lib64" ] || ln -s usr/lib64 "$1/lib64"
    mount --bind "$NATIVE" "$1/native"
    for each in usr/lib64 usr/lib/x86_64-linux-gnu; do mount --bind "$NATIVE/$each" "$1/$each"; done
}
# the installed root as it was, in a layer of its own: layer [OPTIONS of its tmpfs]
layer() {
    bare
    mkdir -p "$work/layer"
    mount -t tmpfs -o "${1:-size=6g}" none "$work/layer"
    mkdir "$work/layer/data" "$work/layer/work"
    mount -t overlay -o "lowerdir=$keep/installed,upperdir=$work/layer/data,workdir=$work/layer/work" overlay "$root"
    dress "$root"
    mount --bind "$release" "$root/mnt"
}
# qemu's own processor has SVE, whose emulation multiplies matrices wrongly (7.2); a Pi 4 has a Cortex-A72
at() { unshare -n sh -c 'ip link set lo up; exec "$@"' sh chroot "$root" /usr/bin/env -i QEMU_CPU=cortex-a72 HOME=/root PATH="$path" LC_ALL=C.UTF-8 COMPANION_ANY=1 sh -eu -c "$1"; }
ok() { echo "ok    $1 ($(($(date +%s) - began)) s)"; }
fails() { echo "FAILS $1"; grep -v "^Setting up\|^Unpacking\|^Selecting\|^Preparing\|^Processing" "$work/said" | tail -15; failed=1; }
expect() { began=$(date +%s); if at "$2" >"$work/said" 2>&1; then ok "$1"; else fails "$1"; fi; }
refuse() { # NAME COMMAND WORDS: it fails and says these words
    began=$(date +%s); if at "$2" >"$work/said" 2>&1 || ! grep -q "$3" "$work/said"; then fails "$1"; else ok "$1"; fi
}
sign() { (cd "$1" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS) && openssl pkeyutl -sign -inkey "$KEY" -rawin -in "$1/SHA256SUMS" -out "$1/SHA256SUMS.sig"; }
# a later VERSION of the release in FOLDER, without its large libraries: the steps stay, each takes seconds. A broken one raises
another() {
    rm -rf "$1" "$work/deb"
    mkdir -p "$1/debs"
    cp "$release/install.sh" "$1"
    cp -r "$release/debs/$suite" "$1/debs/"
    dpkg-deb -R "$release"/tabletop-companion_*.deb "$work/deb"
    echo "$2" >"$work/deb/usr/share/tabletop-companion/version"
    for each in "$work"/deb/usr/share/tabletop-companion/site-*.tar.gz; do
        mkdir "$work/site"
        tar -xzf "$each" -C "$work/site" --exclude='./cv2' --exclude='./onnxruntime' --exclude='./numpy' --exclude='./highspy' --exclude='./*.libs' --exclude='*.onnx'
        [ "${3:-}" != broken ] || echo "raise SystemExit(3)" >"$work/site/companion/__init__.py"
        tar -I "gzip -1" -cf "$each" -C "$work/site" .
        rm -rf "$work/site"
    done
    sed -i "s/^Version: .*/Version: $2/" "$work/deb/DEBIAN/control"
    (cd "$work/deb" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | xargs md5sum >DEBIAN/md5sums)
    dpkg-deb --root-owner-group -Zgzip -z1 -b "$work/deb" "$1/tabletop-companion_$2_$(dpkg-deb -f "$release"/tabletop-companion_*.deb Architecture).deb" >/dev/null
    rm -rf "$work/deb"
    sign "$1"
}
runs='companion --version >/dev/null && basename "$(readlink /opt/companion/current)"'
one=$(basename "$release"/tabletop-companion_*.deb | cut -d_ -f2)
suite=$(tar -xOf "$tar" ./usr/lib/os-release | sed -n 's/^VERSION_CODENAME=//p')

install() {
    rm -rf "$keep/installed" "$keep/root"
    mkdir "$keep/root"
    tar -xf "$tar" -C "$keep/root"
    mount --bind "$keep/root" "$root"
    dress "$root"
    mount --bind "$release" "$root/mnt"
    # without openssl there is no signature to check; Raspberry Pi OS has it
    cp -r "$release/debs/$suite" "$root/tmp/debs"
    at 'cd /tmp/debs && for each in libssl3*.deb openssl_*.deb openssl-provider*.deb; do [ ! -e "$each" ] || dpkg -i "$each" >/dev/null; done'
    rm -rf "$root/tmp/debs"
    cp -r "$release" "$root/root/bad"
    echo >>"$root/root/bad/SHA256SUMS"
    refuse "a bad signature changes nothing" 'sh /root/bad/install.sh' "the signature is wrong"
    cp "$release/SHA256SUMS" "$root/root/bad/"
    for each in "$root"/root/bad/tabletop-companion_*.deb; do echo x >>"$each"; done
    refuse "a changed file changes nothing" 'sh /root/bad/install.sh' "does not match its checksum"
    rm -rf "$root/root/bad"
    expect "nothing was installed by them" '! dpkg-query -W tabletop-companion'
    expect "the first installation, without a network" 'sh /mnt/install.sh'
    expect "it runs" "[ \"\$($runs)\" = '$one' ] && dpkg --audit"
    expect "its user is its own" 'id companion | grep -q video'
    expect "the unit is in order" 'systemd-analyze verify /usr/lib/systemd/system/companion.service'
    expect "doctor looks at the box" 'companion doctor >/tmp/doctor 2>&1 || grep -q camera /tmp/doctor'
    expect "the demo answers" 'companion demo --port 8099 --no-hints >/tmp/demo 2>&1 & it=$!; for _ in $(seq 120); do sleep 1; python3 -c "import urllib.request as u; u.urlopen(\"http://127.0.0.1:8099/join\", timeout=60)" 2>/dev/null && { kill $it; exit 0; }; done; cat /tmp/demo; exit 1'
    at 'mkdir -p /var/lib/companion; touch /var/lib/companion/kept; echo "seats = 4" >>/etc/companion/companion.toml'
    bare
    [ ! -e "$keep"/root/opt/companion/releases/*/.ready ] || mv "$keep/root" "$keep/installed"
}

read_() {
    layer
    cp -r "$pictures" "$root/root/ten"
    rm "$root/root/ten/readings.jsonl"
    cp "$here/tests/appliance/readings.py" "$root/root/"
    expect "every reader reads ten pictures" '/opt/companion/current/.venv/bin/python /root/readings.py read /root/ten >/root/ten.jsonl'
    cp "$root/root/ten.jsonl" "$keep/"
    if python3 "$here/tests/appliance/readings.py" compare "$pictures/readings.jsonl" "$keep/ten.jsonl"; then ok "they read the same as on this machine"; else failed=1; fi
}

# power_off NAME COMMAND CONDITION [mid]: the power goes off when the update calls COMMAND and CONDITION holds of its words ($*);
# with mid, half a second later. Every process dies at once. Then a version must run, and the next update must end well
power_off() {
    began=$(date +%s)
    layer
    umount "$root/mnt"
    mount --bind "$keep" "$root/mnt"
    cat >"$root/usr/local/sbin/$2" <<SHIM
#!/bin/sh
PATH=\${PATH#/usr/local/sbin:}
if $3; then
    ${4:+$2 "\$@" & sleep 0.5}
    touch /cut
    exec sleep 999
fi
exec $2 "\$@"
SHIM
    chmod +x "$root/usr/local/sbin/$2"
    (at 'exec companion update /mnt/two' >"$work/said" 2>&1) &
    it=$!
    while [ ! -e "$root/cut" ] && kill -0 $it 2>/dev/null; do sleep 0.1; done
    [ -e "$root/cut" ] || { fails "the update has no step: $1"; return; }
    for each in /proc/[0-9]*; do [ "$(readlink "$each/root" 2>/dev/null)" != "$root" ] || kill -9 "${each#/proc/}" 2>/dev/null || true; done
    wait $it 2>/dev/null || true
    rm "$root/cut" "$root/usr/local/sbin/$2"
    now=$(at "$runs" 2>"$work/said") || { fails "a power cut $1: nothing runs"; return; }
    if at "companion update /mnt/two && [ \"\$($runs)\" = '$one+2' ] && [ -e /var/lib/companion/kept ] && grep -q 'seats = 4' /etc/companion/companion.toml && dpkg --audit" >"$work/said" 2>&1; then
        ok "a power cut $1: $now runs, and the next update ends well"
    else fails "a power cut $1: the next update fails"; fi
}

update() {
    another "$keep/two" "$one+2"
    another "$keep/three" "$one+3" broken
    layer
    expect "again: nothing is built, settings stay" 'companion update /mnt >/tmp/again && ! grep -q unpacking /tmp/again && grep -q "seats = 4" /etc/companion/companion.toml'
    umount "$root/mnt"
    mount --bind "$keep" "$root/mnt"
    refuse "an update with a full temporary disk changes nothing" 'mkdir /tmp/small; mount -t tmpfs -o size=2m none /tmp/small; TMPDIR=/tmp/small companion update /mnt/two' "the disk is full"
    at 'umount /tmp/small' || true
    refuse "an update without enough space changes nothing" 'fallocate -l $(($(df -B1 --output=avail /opt | tail -1) - 1000000000)) /full; companion update /mnt/two' "MB are free, expected"
    refuse "a disk that fills up while dpkg unpacks" 'fallocate -l $(($(df -B1 --output=avail /opt | tail -1) - 3000000)) /fuller; dpkg -i /mnt/two/tabletop-companion_*.deb' "No space left"
    expect "and the version before still runs" "[ \"\$($runs)\" = '$one' ]"
    at 'rm -f /fuller /full; dpkg --unpack /mnt/two/tabletop-companion_*.deb >/dev/null' # frees the package before
    expect "a disk that fills up while the version is made" 'fallocate -l $(($(df -B1 --output=avail /opt | tail -1) - 4000000)) /fuller; dpkg --configure -a; df /opt'
    grep -q "runs on" "$work/said" || fails "the version before runs on"
    expect "and the version before still runs" "[ \"\$($runs)\" = '$one' ]"
    at 'rm -f /fuller'
    expect "with space again the update ends well" "companion update /mnt/two && [ \"\$($runs)\" = '$one+2' ] && [ -e /var/lib/companion/kept ] && dpkg --audit"
    umount "$root/mnt"
    mount --bind "$release" "$root/mnt"
    refuse "an older release is refused" 'companion update /mnt' "older than"
    expect "companion update --back" "companion update --back && [ \"\$($runs)\" = '$one' ]"
    expect "and forth again" "companion update --back && [ \"\$($runs)\" = '$one+2' ]"
    umount "$root/mnt"
    mount --bind "$keep" "$root/mnt"
    refuse "a version that does not start is refused" 'companion update /mnt/three' "runs on"
    expect "and the one before still runs" "[ \"\$($runs)\" = '$one+2' ]"
    # the steps of install.sh, dpkg and box.sh, in turn
    power_off "before the signature is checked" openssl 'true'
    power_off "before the checksums" sha256sum 'true'
    power_off "before the package lists" apt-get 'echo "$*" | grep -q " update$"'
    power_off "before dpkg unpacks" dpkg-deb 'echo "$*" | grep -q fsys-tarfile'
    power_off "while dpkg unpacks" dpkg-deb 'echo "$*" | grep -q fsys-tarfile' mid
    power_off "before the environment is made" python3 'echo "$*" | grep -q -- "-m venv"'
    power_off "while it is unpacked" tar 'echo "$*" | grep -q site-packages' mid
    power_off "before it is marked as whole" touch 'echo "$*" | grep -q ready'
    power_off "before the version before is noted" ln 'echo "$*" | grep -q previous'
    power_off "before the link is made" ln 'echo "$*" | grep -q current.new'
    power_off "before the link is turned" mv 'echo "$*" | grep -q current.new'
    power_off "after it" sync '[ "$(cat /usr/share/tabletop-companion/version)" = "$(basename "$(readlink /opt/companion/current)")" ]'
    power_off "before earlier versions are removed" rm 'echo "$*" | grep -q starts'
}

# a read-only root, as raspi-config's overlay makes it, with the matches on a partition of their own
readonly_() {
    layer
    truncate -s 64M "$work/data.img"
    mkfs.ext4 -q "$work/data.img"
    loop=$(losetup --find --show "$work/data.img")
    expect "matches move to a partition of their own" "sh /usr/lib/tabletop-companion/box.sh data $loop && [ -e /var/lib/companion/kept ]"
    umount "$root/var/lib/companion" || failed=1
    mkdir -p "$work/over" "$work/upper"
    touch "$work/began"
    writable=$root root=$work/over
    log=/var/lib/companion/matches/overlay.db
    boots
    expect "a match is written on a read-only root" "mkdir -p /var/lib/companion/matches && echo changed >/etc/hostname && /opt/companion/current/.venv/bin/python -c '
from pathlib import Path
from companion.record.log import Log
log = Log(Path(\"$log\"))
for each in range(9): log.append(float(each), \"note\", \"box\", {\"n\": each})
log.close()'"
    mkdir "$root/root/again"
    cp "$release"/install.sh "$release"/SHA256SUMS* "$root/root/again"
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
    loop=""
}
boots() { # a tmpfs is laid over the root, which stays as it is; what fstab names is mounted as usual
    mount -t tmpfs none "$work/upper"
    mkdir "$work/upper/data" "$work/upper/work"
    mount -t overlay -o "lowerdir=$writable,upperdir=$work/upper/data,workdir=$work/upper/work" overlay "$root"
    dress "$root"
    echo "boot=overlay" >"$root/tmp/cmdline"
    mount --bind "$root/tmp/cmdline" "$root/proc/cmdline"
    at 'mount -a'
}
power_cut() {
    for each in var/lib/companion proc/cmdline proc dev $ours .; do umount -l "$root/$each" 2>/dev/null || true; done
    umount -l "$work/upper"
}

remove() {
    layer
    expect "removal leaves matches and settings, and nothing else" 'apt-get remove -y tabletop-companion && [ -e /var/lib/companion/kept ] && [ -e /etc/companion/companion.toml ] && [ ! -e /opt/companion ] && ! command -v companion'
    expect "purging leaves nothing" 'apt-get purge -y tabletop-companion && [ ! -e /var/lib/companion ] && [ ! -e /etc/companion ] && [ ! -e /usr/share/tabletop-companion ]'
}

# pip takes long under emulation: the venv is filled from here, as a box's is, and make finds it done
quick() {
    layer
    arch=$(dpkg-deb -f "$release"/tabletop-companion_*.deb Architecture)
    python=$(basename "$(dirname "$(ls -d "$keep"/installed/opt/companion/releases/*/.venv/lib/python*/site-packages)")")
    sums=$(sha256sum "$here/requirements/dev.txt" | cut -c1-12)
    site=$keep/dev-$sums/site-${python#python}.tar.gz
    if [ ! -e "$site" ]; then
        mkdir -p "$keep/dev-$sums"
        "$here/.venv/bin/python" "$here/docs/setup/deb/environment.py" "$here/requirements/dev.txt" - "$keep/dev-$sums" "$arch" "${python#python}"
    fi
    git clone -q "$here" "$root/root/companion"
    at "cd /root/companion && python3 -m venv --without-pip .venv"
    tar -xzf "$site" -C "$root/root/companion/.venv/lib/$python/site-packages"
    cp -r "$here"/.venv/lib/python*/site-packages/tabletop_companion-*.dist-info "$root/root/companion/.venv/lib/$python/site-packages/"
    echo /root/companion >"$root/root/companion/.venv/lib/$python/site-packages/companion.pth"
    touch "$root/root/companion/.venv/.dev"
    expect "make quick" "cd /root/companion && make quick"
    grep -E "passed|failed" "$work/said" | tail -1
}

shell() {
    layer
    unshare -n sh -c 'ip link set lo up; exec "$@"' sh chroot "$root" /usr/bin/env -i QEMU_CPU=cortex-a72 HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
        PATH="$path" COMPANION_ANY=1 sh -i
}

[ -e "$keep/installed" ] || [ "$1" = install ] || set -- install "$@"
for stage in "$@"; do
    case $stage in read | readonly) stage=${stage}_ ;; esac
    "$stage"
    [ -e "$keep/installed" ] || exit 1
done
exit $failed
