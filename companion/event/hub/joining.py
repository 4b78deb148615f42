"""Joining of players' phones to an event, and the phones that the desk can distinguish."""

import hashlib
import ipaddress
import itertools
import time
from collections.abc import Sequence

from companion.event.hub.facts import JoinBy, Joined
from companion.event.hub.hall import Hall
from companion.game.says import Says

DIGITS = 6
WORDS = {
    JoinBy.CARD: Says("personal card"),
    JoinBy.CODE: Says("today's hall code"),
    JoinBy.OPEN: Says("a tap on a name"),
}

BEHIND_ROUTER = Says(
    "If all phones come through one router, choose personal cards: other phones look like one there, "
    "and a referee confirms each result."
)


def code_of(key: str, at_s: float) -> str:
    """The hall's code of a day, six digits; another day has another code.

    >>> code_of("key", 0.0) == code_of("key", 3600.0), code_of("key", 0.0) == code_of("key", 200_000.0)
    (True, False)
    """
    day = time.strftime("%Y-%m-%d", time.localtime(at_s))
    number = int.from_bytes(hashlib.sha256(f"{key}:{day}".encode()).digest()[:8])
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def network_of(address: str) -> str:
    """The part of an address that one device cannot change at will: all of IPv4, the network's part of IPv6.

    >>> network_of("192.168.4.7"), network_of("::ffff:192.168.4.7"), network_of("2001:db8::1"), network_of("")
    ('192.168.4.7', '192.168.4.7', '2001:db8::', '')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False).network_address)


def mark_of(event: str, address: str) -> str:
    """The stored mark of a phone's address, to distinguish phones; empty for an unknown address."""
    network = network_of(address)
    return hashlib.sha256(f"{event}:{network}".encode()).hexdigest()[:16] if network else ""


def are_apart(hall: Hall, devices: Sequence[str]) -> bool:
    """Whether devices are surely different ones: each joined by a card of its own, or from another address."""
    known = [hall.devices.get(device) for device in devices]
    joined = [each.joined for each in known if each is not None and not each.is_revoked]
    return len(joined) == len(devices) and all(_differ(*two) for two in itertools.combinations(joined, 2))


def _differ(one: Joined, other: Joined) -> bool:
    if one.device == other.device:
        return False
    is_by_card = one.way is JoinBy.CARD and other.way is JoinBy.CARD
    return is_by_card or (bool(one.mark and other.mark) and one.mark != other.mark)
