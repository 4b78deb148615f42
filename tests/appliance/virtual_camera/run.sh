#!/bin/sh
# The real picamera2 on libcamera's virtual camera, ruled on, as root: sh tests/appliance/virtual_camera/run.sh ROOT
# ROOT is a Debian 13 root (debootstrap --variant=minbase trixie ROOT); the tree's last commit is run in it. heap.c answers
# for the kernel's DMA heaps, stand_in.py for what only a Pi's camera has, play.py plays.
set -eu
root=$1
here=$(cd "$(dirname "$0")/../../.." && pwd)
at() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 OMP_NUM_THREADS=1 ${PIP_CERT:+PIP_CERT=$PIP_CERT} sh -eu -c "$1"; }

mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
trap 'umount "$root/proc" "$root/dev"' EXIT
cp /etc/resolv.conf "$root/etc/resolv.conf"
packages="python3-libcamera libcamera-ipa python3-prctl python3-venv python3-dev gcc libc6-dev libcap-dev libgl1 libglib2.0-0t64 ca-certificates"
at "dpkg -s $packages >/dev/null 2>&1 || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null; }"
[ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$root$PIP_CERT"
rm -rf "$root/srv/tree" "$root/srv/play" "$root/srv/frames"
mkdir -p "$root/srv/tree" "$root/usr/share/libcamera/pipeline/virtual"
git -C "$here" archive HEAD | tar -xf - -C "$root/srv/tree"
at '[ -x /opt/cam/bin/python ] || python3 -m venv --system-site-packages /opt/cam
/opt/cam/bin/pip install -q --disable-pip-version-check --require-hashes -r /srv/tree/requirements/pi.txt
/opt/cam/bin/pip install -q --disable-pip-version-check picamera2
gcc -shared -fPIC -O1 -Wall -o /srv/heap.so /srv/tree/tests/appliance/virtual_camera/heap.c'
cat >"$root/usr/share/libcamera/pipeline/virtual/virtual.yaml" <<'YAML'
%YAML 1.1
---
"Virtual0":
  supported_formats:
  - width: 1280
    height: 720
    frame_rates:
    - 15
    - 30
  frames:
    path: "/srv/frames/"
    scale_mode: "fill"
  location: "CameraLocationFront"
  model: "rendered table"
YAML
at 'cd /srv && LD_PRELOAD=/srv/heap.so PYTHONPATH=/srv/tree LIBCAMERA_LOG_LEVELS="*:ERROR" timeout -k 5 300 /opt/cam/bin/python /srv/tree/tests/appliance/virtual_camera/play.py /srv/frames /srv/play'
