# Sourced by the set-up scripts: apt that waits while another program (the updates after boot) holds its lock, and says so,
# and one sentence where there is no network. Uses $sudo.
APT_WAIT_S=${APT_WAIT_S:-600}

apt_get() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout="$APT_WAIT_S" "$@"
}

apt_busy() {
    command -v fuser >/dev/null 2>&1 || return 1
    $sudo fuser /var/lib/dpkg/lock-frontend /var/lib/apt/lists/lock >/dev/null 2>&1
}

apt_wait() {
    waited=0
    while apt_busy; do
        [ "$waited" -gt 0 ] || echo "Another program is installing packages (updates after boot): waiting for it, at most $((APT_WAIT_S / 60)) minutes." >&2
        [ "$waited" -lt "$APT_WAIT_S" ] || { echo "It is still not done: run this again later." >&2; return 1; }
        sleep 5; waited=$((waited + 5))
    done
}

apt_install() {
    apt_wait || return 1
    log=$(mktemp)
    if apt_get update -qq >"$log" 2>&1 && apt_get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1; then
        rm -f "$log"; return 0
    fi
    if grep -qiE 'temporary failure resolving|could not resolve|failed to fetch|network is unreachable' "$log"; then
        echo "There is no network: connect this machine to the internet once, then run this again." >&2
    else
        tail -3 "$log" >&2
    fi
    rm -f "$log"; return 1
}

pip_install() {
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then rm -f "$log"; return 0; fi
    if grep -qiE 'name resolution|network is unreachable|NewConnectionError|Max retries' "$log"; then
        echo "There is no network: connect this machine to the internet once, then run this again." >&2
    else
        tail -5 "$log" >&2
    fi
    rm -f "$log"; return 1
}
