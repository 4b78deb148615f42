"""The table's name in its network, by multicast DNS: a phone finds it without an address. Failing is no failure."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from types import TracebackType
from typing import Any

from companion.cli.address import own_address

SERVICE = "_http._tcp.local."

_LOGGER = logging.getLogger(__name__)


class Announced:
    """Announces the pages as long as the block lasts, from a thread: registering probes the network for a second."""

    def __init__(self, port: int, name: str = "Companion", interfaces: list[str] | None = None) -> None:
        self._port, self._name, self._interfaces = port, name, interfaces
        self._zeroconf: Any = None
        self._done = threading.Event()

    def __enter__(self) -> Announced:
        threading.Thread(target=self._announce, name="mdns", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.wait(2.0)
        if self._zeroconf is not None:
            with contextlib.suppress(Exception):
                self._zeroconf.close()

    def _announce(self) -> None:
        try:
            from zeroconf import ServiceInfo, Zeroconf

            host = socket.gethostname().split(".")[0]
            address = own_address() if self._interfaces is None else self._interfaces[0]
            told = ServiceInfo(
                SERVICE,
                f"{self._name} {host}.{SERVICE}",
                addresses=[socket.inet_aton(address)],
                port=self._port,
                properties={"path": "/"},
                server=f"{host}.local.",
            )
            self._zeroconf = Zeroconf() if self._interfaces is None else Zeroconf(interfaces=self._interfaces)
            self._zeroconf.register_service(told, allow_name_change=True)
        except Exception as error:  # the thread's edge: a table without a name is still a table
            _LOGGER.info("the table's name is not announced: %s", error)
        finally:
            self._done.set()
