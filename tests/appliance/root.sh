#!/bin/sh
# `make pi` in a fresh Debian 13 root, as root: sh tests/appliance/root.sh ROOT
# Made by: debootstrap --variant=minbase trixie ROOT. Installs twice, updates, goes back, is offered a version that does not
# start, lets the unit be checked, starts its command against a real notify socket, and is removed. What only Raspberry Pi
# OS has is left out by COMPANION_ANY=1; systemd itself does not run in there.
set -eu
root=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
at() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 COMPANION_ANY=1 ${PIP_CERT:+PIP_CERT=$PIP_CERT} sh -eu -c "$1"; }
expect() { at "$2" && echo "ok    $1" || { echo "FAILS $1"; exit 1; }; }
refuse() { if at "$2"; then echo "FAILS $1"; exit 1; else echo "ok    $1"; fi; }

mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
trap 'umount "$root/proc" "$root/dev"' EXIT
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/etc/ssl/certs"
at 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git make ca-certificates python3 python3-venv systemd >/dev/null'
[ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$root$PIP_CERT"
rm -rf "$root/srv/origin" "$root/root/companion"
git clone -q --bare "$here" "$root/srv/origin"
at 'git config --global --add safe.directory "*"; git config --global user.name T; git config --global user.email t@t; git -C /srv/origin branch -f trial HEAD; git clone -q -b trial /srv/origin /root/companion'

expect "make pi, once" 'cd /root/companion && make -s pi'
expect "it runs" 'companion --version'
expect "the user is its own" 'id companion | grep -q video && [ "$(stat -c %U /var/lib/companion)" = companion ]'
at 'echo "seats = 4" >>/etc/companion/companion.toml; touch /var/lib/companion/kept; readlink /opt/companion/current >/root/first'
expect "make pi, twice: nothing is built again, settings stay" 'cd /root/companion && make -s pi | tee /tmp/again && ! grep -q building /tmp/again && grep -q "seats = 4" /etc/companion/companion.toml'
expect "the unit is in order" 'systemd-analyze verify /etc/systemd/system/companion.service'
at "sed -i 's/^seats = 4//' /etc/companion/companion.toml"
cat >"$root/root/notified.py" <<'PY'
"""Starts the unit's own command as its user and hears what it tells systemd."""
import os, pwd, re, signal, socket, subprocess, urllib.request
unit = open("/etc/systemd/system/companion.service").read()
command = re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split()
os.makedirs("/run/companion", exist_ok=True)
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind("/run/companion/notify")
os.chmod("/run/companion/notify", 0o777)
heard.settimeout(180)
who = pwd.getpwnam("companion")
os.chown("/run/companion", who.pw_uid, who.pw_gid)
env = {"NOTIFY_SOCKET": "/run/companion/notify", "WATCHDOG_USEC": "6000000", "HOME": "/var/lib/companion",
       "LG_WD": "/run/companion", "PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
with open("/tmp/port", "w") as f:
    f.write(open("/etc/companion/companion.toml").read().replace("port = 80 ", "port = 8099 "))
command[-1] = "/tmp/port"
run = subprocess.Popen(command, env=env, user="companion", group="companion", cwd="/var/lib/companion")
first, second = heard.recv(200), heard.recv(200)
page = urllib.request.urlopen("http://127.0.0.1:8099/join", timeout=60).status
run.send_signal(signal.SIGTERM)
last = b""
while not last.startswith(b"STOPPING"):
    last = heard.recv(200)
print(first, second, page, last, run.wait(30))
os.remove("/run/companion/notify")
assert first.startswith(b"READY=1") and second == b"WATCHDOG=1" and page == 200 and run.returncode == 0
PY
expect "its command tells a notify socket READY, WATCHDOG, STOPPING" 'python3 /root/notified.py'

at 'cd /srv && rm -rf next && git clone -q -b trial origin next && cd next && echo >>README.md && git commit -qam "Next" && git push -q origin trial'
expect "companion update takes the next version" 'companion update && [ "$(readlink /opt/companion/current)" != "$(cat /root/first)" ] && companion --version'
expect "companion update --back" 'companion update --back && [ "$(readlink /opt/companion/current)" = "$(cat /root/first)" ] && companion --version'
at 'cd /srv/next && echo "raise SystemExit(3)" >>companion/__init__.py && git commit -qam "Broken" && git push -q origin trial'
refuse "a version that does not start is refused" 'companion update'
expect "and the one before still runs" '[ "$(readlink /opt/companion/current)" = "$(cat /root/first)" ] && companion --version'
expect "removal leaves matches and settings, and nothing else" 'sh /root/companion/docs/setup/pi.sh remove && [ -e /var/lib/companion/kept ] && [ -e /etc/companion/companion.toml ] && [ ! -e /opt/companion ] && [ ! -e /usr/local/bin/companion ] && [ ! -e /etc/systemd/system/companion.service ]'
expect "removal of all leaves nothing" 'sh /root/companion/docs/setup/pi.sh remove --all && [ ! -e /var/lib/companion ] && [ ! -e /etc/companion ] && ! getent passwd companion'
