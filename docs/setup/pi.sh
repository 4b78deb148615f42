#!/bin/sh
# On Raspberry Pi OS (64 bit, trixie first): apt brings the camera and the pins, the venv sees them.
set -eu
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = aarch64 ] || { echo "make pi: this machine is $(uname -m), expected a 64-bit Raspberry Pi (aarch64)." >&2; exit 1; }
sudo=""; [ "$(id -u)" = 0 ] || sudo="sudo"
$sudo apt-get update -qq
$sudo apt-get install -y --no-install-recommends python3-venv python3-picamera2 python3-lgpio libgl1 libglib2.0-0
python3 -m venv --system-site-packages .venv
# simplejpeg from the wheel: Raspberry Pi OS bookworm builds its own for numpy 1, opencv wants numpy 2
.venv/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[pi]"
touch .venv/.run
echo "Ready: .venv/bin/companion serve"
