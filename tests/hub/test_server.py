"""The hub's process among the limits of its system."""

from __future__ import annotations

import subprocess
import sys

ASKS = "from companion.cli.hub_server import open_files; print(open_files())"


def test_more_phones_than_debian_allows_open_files_at_first_are_let_in() -> None:
    """Each phone's stream is an open file, and the limit of 1,024 let no more in than a thousand."""
    limits = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096)); "
    done = subprocess.run([sys.executable, "-c", limits + ASKS], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 4096
