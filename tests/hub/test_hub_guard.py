"""One hostile address, with everything it can open, shuts nobody out of a hub."""

from __future__ import annotations

import http.client

from tests.hub.hall import Hall
from tests.web.test_guard import connected, is_closed, until
from web.site.line import CONNECTIONS
from web.site.server import Server


def test_half_open_connections_of_one_address_keep_nobody_out(hall: Hall) -> None:
    """1,100 of them took every connection that the hub had, and it gave none up."""
    with Server(hall.app, "127.0.0.1", 0).running() as server:
        held = [connected(server, b"GET / HTTP/1.1\r\n") for _ in range(3 * CONNECTIONS)]
        newcomer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10, source_address=("127.0.0.3", 0))
        newcomer.request("GET", "/e/cup", headers={"Host": "localhost"})
        answer = newcomer.getresponse()
        assert (answer.status, b"Cup" in answer.read()) == (200, True)
        newcomer.close()
        assert until(lambda: sum(not is_closed(line) for line in held) <= CONNECTIONS)
        for line in held:
            line.close()
