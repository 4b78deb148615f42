#!/bin/sh
# System packages that the wheels and the browser test need: installed where we may, else the one line to type.
# Usage: packages.sh run | test
set -eu
want="libgl1 libglib2.0-0"
missing=""
for package in $want; do
    # Debian 13 renamed libglib2.0-0 to libglib2.0-0t64, which provides the old name
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        dpkg-query -W -f='${Status}' "${package}t64" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ "${1:-run}" = test ]; then
    # the headless shell takes a third of the processor time of the whole browser
    command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 ||
        missing="$missing chromium-headless-shell"
    command -v pdftoppm >/dev/null 2>&1 || missing="$missing poppler-utils"
    # the hub's tests run a real broker and a real database of their own
    command -v mosquitto >/dev/null 2>&1 || [ -x /usr/sbin/mosquitto ] || missing="$missing mosquitto"
    ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || missing="$missing postgresql"
fi
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
[ -n "$missing" ] || exit 0
install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then sudo=""
elif sudo -n true 2>/dev/null; then sudo="sudo"
else
    echo "Missing system packages:$missing. Type this once, then run make again:  sudo apt-get update && sudo $install" >&2
    exit 1
fi
echo "Installing system packages:$missing" >&2
. "$(dirname "$0")/apt.sh"
# shellcheck disable=SC2086
apt_install $missing || {
    echo "The packages$missing could not be installed. Type this, then run make again:  sudo apt-get update && sudo $install" >&2
    exit 1
}
