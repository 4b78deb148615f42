#!/bin/sh
# Pins anew: every package of run, hub, dev, pi and the benches' peers, with the hashes of all its files (every system and Python from 3.11 on).
# The versions are those of constraints.txt, where it names one. Needs uv: pip install uv
set -eu
cd "$(dirname "$0")/.."
pin() {
    out=$1; shift
    echo 'setuptools>=80' | uv pip compile -q pyproject.toml - "$@" --universal --python-version 3.11 --generate-hashes \
        --no-strip-extras --no-annotate --no-header -c constraints.txt -o "requirements/$out.txt"
}
pin dev --extra dev
pin run
pin hub --extra hub
pin pi --extra pi
echo 'py4swiss>=0.3' | uv pip compile -q - --universal --python-version 3.11 --generate-hashes --no-strip-extras \
    --no-annotate --no-header -c constraints.txt -o requirements/peers.txt
