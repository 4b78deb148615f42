"""The table's name in its network, by multicast DNS, so that phones find it without an address. A failure is only
logged."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from types import TracebackType
from typing import Any

from companion.app.address import TableAddress, own_address, own_name

SERVICE = "_http._tcp.local."
AGAIN_S = 10.0
"""Interval between looks at the network's address."""

_LOGGER = logging.getLogger(__name__)


class Announced:
    """Announces the pages from a thread as long as the block lasts, and again whenever the network appears or
    changes."""

    def __init__(self, doors: TableAddress, name: str = "Companion", interfaces: list[str] | None = None) -> None:
        self._doors, self._name, self._interfaces = doors, name, interfaces
        self._zeroconf: Any = None
        self._told = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="mdns", daemon=True)

    def __enter__(self) -> Announced:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(2.0)
        self._withdraw()

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                self._announce()
            except Exception as error:  # the thread's edge: a table without a name is still a table
                _LOGGER.info("the table's name is not announced: %s", error)
            self._ended.wait(AGAIN_S)

    def _announce(self) -> None:
        from zeroconf import ServiceInfo, Zeroconf

        address = own_address() if self._interfaces is None else self._interfaces[0]
        if address == self._told:
            return
        self._withdraw()
        host = own_name()
        told = ServiceInfo(
            SERVICE,
            f"{self._name} {host.removesuffix('.local')}.{SERVICE}",
            addresses=[socket.inet_aton(address)],
            port=self._doors.port,
            properties={"path": "/"},
            server=f"{host}.",
        )
        self._told = address
        self._zeroconf = Zeroconf() if self._interfaces is None else Zeroconf(interfaces=self._interfaces)
        self._zeroconf.register_service(told, allow_name_change=True)

    def _withdraw(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            with contextlib.suppress(Exception):
                zeroconf.close()
