"""Identifies a phone by its own secret in a cookie, and checks that a request comes from our own page. `Tries` counts
the tries of each address, so that nobody guesses a number.

A phone's secret never leaves its cookie: the match knows the phone by a hash of it. The cookie is HttpOnly and
SameSite=Strict. It is given by `/state`, which only our own script calls, and never by a page. A browser withholds a
Strict cookie from a page reached by a link from elsewhere. If such a page answered with a new cookie, the phone would
lose its seat.
"""

import hashlib
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from flask import Request, Response

COOKIE = "companion_phone"
COOKIE_DAYS = 180
MOST_KNOWN = 4096
SECRET_MIN, SECRET_MAX = 32, 64
LOCAL_ENDINGS = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Endings of names that no public name server can give away, so that a foreign page cannot use them."""


def phone_of(request: Request) -> str | None:
    """The match's id for this phone, or None before it has its secret."""
    secret = request.cookies.get(COOKIE, "")
    if not (SECRET_MIN <= len(secret) <= SECRET_MAX and secret.isascii()):
        return None
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


def give_secret(response: Response, new_secret: Callable[[int], str]) -> None:
    """Puts a new secret into the phone's cookie."""
    response.set_cookie(
        COOKIE, new_secret(32), max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict", secure=False, path="/"
    )


def is_own_host(host: str, ours: Iterable[str] = ()) -> bool:
    """Whether a Host header is an address of the table itself and not a foreign name that points at it.

    >>> [is_own_host(h) for h in ("192.168.4.1:8080", "[::1]:80", "table.local", "raspberrypi", "evil.example")]
    [True, True, True, True, False]
    """
    name = hostname(host)
    if name is None:
        return False
    if name in {hostname(our) for our in ours} or "." not in name or name.endswith(LOCAL_ENDINGS):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_here(address: str | None) -> bool:
    """Whether a request came from this machine. Test: its address can be bound here. A Host header proves nothing.

    >>> [is_here(a) for a in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7", "", None)]
    [True, True, True, False, False, False]
    """
    try:
        came_from = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    bare = getattr(came_from, "ipv4_mapped", None) or came_from
    if bare.is_loopback:
        return True
    family = socket.AF_INET if bare.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(bare), 0))
    except OSError:
        return False
    return not bare.is_unspecified


def is_loopback(url: str) -> bool:
    """Whether an address is valid only on the machine itself.

    >>> [is_loopback(u) for u in ("http://127.0.0.1:80/", "http://[::1]/", "http://localhost/", "http://192.168.4.1/")]
    [True, True, True, False]
    """
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def hostname(host: str) -> str | None:
    """The name in ``name:port``, lower case, without brackets; None for an invalid one."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def is_same_origin(request: Request) -> bool:
    """Whether a browser reports that our own page sent this: the Origin header names the requested host."""
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    return origin.lower() == f"{request.scheme}://{request.host}".lower()


class Tries:
    """The tries of each address: at most `most` of them within `for_s`."""

    def __init__(self, clock: Callable[[], float], most: int, for_s: float) -> None:
        self.most, self.for_s = most, for_s
        self._clock = clock
        self._tried_s: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def may(self, address: str, *, counts: bool = True) -> bool:
        """Whether an address may try now. If so, and if `counts`, this uses up one try."""
        now_s = self._clock()
        with self._lock:
            tried_s = [at_s for at_s in self._tried_s.get(address, ()) if now_s - at_s < self.for_s]
            if len(tried_s) >= self.most:
                return False
            if counts:
                if len(self._tried_s) >= MOST_KNOWN:
                    self._tried_s.clear()
                self._tried_s[address] = [*tried_s, now_s]
            return True

    def forget(self, address: str) -> None:
        """Gives an address all its tries back."""
        with self._lock:
            self._tried_s.pop(address, None)
