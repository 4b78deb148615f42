"""One hostile address, with everything it can open, shuts nobody out of a hub."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
from pathlib import Path

from companion.event.facts import Entered, EventBegan
from companion.event.hub.desk import HUB
from companion.event.hub.facts import GameChosen
from companion.event.settings import Settings
from tests.hub.hall import Hall
from tests.web.test_guard import is_closed, until
from web.site.line import CONNECTIONS

ROOT = Path(__file__).resolve().parents[2]
HOSTILE, NEWCOMER = "127.0.1.1", "127.0.0.3"
HUB_WITHIN = """
import sys
from web.site import line
line.HEADER_S = 300.0
from companion.cli import main
main(sys.argv[1:])
"""
"""`companion hub`, so patient that its caps alone must help."""


def test_half_open_connections_of_one_address_keep_nobody_out(tmp_path: Path) -> None:
    """1,100 of them took every connection that the hub had, and it gave none up."""
    hall = Hall(tmp_path / "hub" / "hub.db")
    hall.desk.begin("cup", (EventBegan("Cup", Settings(rounds=3)), GameChosen("suspend"), Entered("a", "Ann")), HUB)
    hall.close()
    asked = ["hub", "--data", str(tmp_path), "--host", "127.0.0.1", "--port", "0"]
    command = ["prlimit", "--nofile=1300", "--", sys.executable, "-c", HUB_WITHIN, *asked]
    log = (tmp_path / "log").open("w+")
    with log, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as hub:
        assert hub.stdout is not None
        port = next(int(found[1]) for line in hub.stdout if (found := re.search(r"hub is at .*:(\d+)/", line)))
        held = [socket.create_connection(("127.0.0.1", port), 10, (HOSTILE, 0)) for _ in range(1100)]
        for line in held:
            line.sendall(b"GET / HTTP/1.1\r\n")
        newcomer = http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(NEWCOMER, 0))
        newcomer.request("GET", "/e/cup")
        answer = newcomer.getresponse()
        assert (answer.status, b"Cup" in answer.read()) == (200, True)
        newcomer.close()
        assert until(lambda: sum(not is_closed(line) for line in held) <= CONNECTIONS)
        for line in held:
            line.close()
        hub.terminate()
        hub.wait(20)
        log.seek(0)
        assert "Traceback" not in log.read()
