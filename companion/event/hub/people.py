"""Devices and how they are let in: by a link with a secret of its own; no password anywhere."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from companion.event.hub.desk import HUB, NOBODY, Desk, HubLog, Person
from companion.event.hub.facts import CheckedIn, Fact, JoinBy, Joined, Revoked
from companion.event.hub.joining import code_of, mark_of
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID, Secret
from companion.event.refused import EventRefused
from companion.game.names import cleaned, flaw_of

NAME_LIMIT = 40
SCRYPT_N, SCRYPT_R, SCRYPT_P = 256, 8, 1
"""A secret here is 192 random bits and not a word that somebody chose: nothing is gained by a slower hash."""
SECRET_BYTES = 24
KNOWN = 20_000
"""Tokens with a remembered proof, so that a thousand phones do not cost a hash at every request."""
ONCE = frozenset({Role.TABLE_REFEREE, Role.HEAD_REFEREE, Role.ORGANISER})
"""Roles whose invitation lets one device in."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """The content of a link: its event, role and person."""

    id: str
    event: str
    role: Role
    name: str
    entrant: str | None

    @property
    def asks_name(self) -> bool:
        """Whether the person types their own name: staff with a link that names nobody."""
        return self.role in ONCE and not self.name


def hashed(secret: str, salt: bytes) -> bytes:
    """A secret's hash: all that is kept of it."""
    return hashlib.scrypt(secret.encode(), salt=salt, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P)


class Admissions:
    """Invitations and devices of all events of a desk."""

    def __init__(self, desk: Desk, new_secret: Callable[[int], str] = secrets.token_urlsafe) -> None:
        self._desk = desk
        self._new_secret = new_secret
        self._proved: dict[bytes, Secret] = {}

    def made(self, kind: str, event: str, about: dict[str, str | None], id_: str | None = None) -> str:
        """Makes and keeps a secret; gives the token ``ID.SECRET``, which is kept nowhere."""
        secret, salt = self._new_secret(SECRET_BYTES), secrets.token_bytes(16)
        id_ = id_ or secrets.token_hex(8)
        kept = Secret(id_, kind, event, salt, hashed(secret, salt), json.dumps(about), self._desk.wall_s())
        self._desk.store.keep(kept)
        return f"{id_}.{secret}"

    def proved(self, token: str, kind: str) -> Secret | None:
        """The secret that a token proves, None for a wrong or used token."""
        id_, _, secret = token.partition(".")
        if not id_ or not secret or len(token) > 200 or not token.isascii():
            return None
        known = self._proved.get(digest := hashlib.sha256(token.encode()).digest())
        kept = self._desk.store.secret(id_)
        if kept is None or kept.kind != kind:
            return None
        if known != kept:
            if not hmac.compare_digest(kept.hash, hashed(secret, kept.salt)):
                return None
            if len(self._proved) >= KNOWN:
                self._proved.clear()
            self._proved[digest] = kept
        return kept

    # invitations

    def organiser_link(self, url: str) -> str:
        return f"{url}in/{self.invite(HUB_ID, Role.ORGANISER)}"

    def welcome(self, url: str) -> list[str]:
        """The lines to print at the start: the organiser's link, while no organiser's device is let in."""
        if any(not device.is_revoked for device in self._desk.log(HUB_ID).hall.devices.values()):
            return []
        return [f"Organiser, open this once (it lets one device in): {self.organiser_link(url)}"]

    def invite(self, event: str, role: Role, name: str = "", entrant: str | None = None) -> str:
        """A link's code: its device gets this role. A staff link lets one device in. Raises: EventRefused."""
        about = {"role": str(role), "name": self._name(name), "entrant": entrant}
        return self.made("invite", event, about)

    def _name(self, typed: str) -> str:
        """A person's name as typed, cleaned. Raises: EventRefused: it is not a name for a person."""
        name = cleaned(typed)
        if name and (flaw := flaw_of(name, NAME_LIMIT)):
            raise EventRefused(flaw.says.template, **flaw.says.values)
        return name

    def invitation(self, code: str) -> Invitation:
        """The invitation behind a code. Raises: EventRefused."""
        kept = self.proved(code, "invite")
        if kept is None:
            raise EventRefused("this link is no longer valid: ask the organiser for a new one")
        about = json.loads(kept.about)
        return Invitation(kept.id, kept.event, Role(about["role"]), about["name"], about["entrant"])

    def accept(self, code: str, name: str, *, address: str = "", device: str = "") -> str:
        """Lets a device in by a code (`name`: for a code without a name); returns its token. Raises: EventRefused."""
        found = self.invitation(code)
        named = self._name(name) if found.asks_name else found.name
        if found.role in ONCE and not self._desk.store.spend(found.id, self._desk.wall_s()):
            raise EventRefused("this link is no longer valid: ask the organiser for a new one")
        return self.let_in(found.event, found.role, named, found.entrant, address=address, device=device)

    def let_in(
        self,
        event: str,
        role: Role,
        name: str,
        entrant: str | None,
        by: Person = HUB,
        *,
        way: JoinBy = JoinBy.CARD,
        address: str = "",
        device: str = "",
    ) -> str:
        """Registers a device and returns its token. `device`: the player's until now; its name is free again."""
        name = name or str(role).replace("_", " ")
        token = self.made("device", event, {"role": str(role), "name": name, "entrant": entrant})
        joined = Joined(token.partition(".")[0], role, name, entrant, way, mark_of(event, address))
        known = self._desk.log(event).hall.devices.get(device)
        is_player = known is not None and known.joined.role is Role.PLAYER and not known.is_revoked
        facts: tuple[Fact, ...] = (joined, Revoked(device)) if is_player else (joined,)
        log = self._desk.log(event)
        if entrant is not None and way is not JoinBy.OPEN and log.hall.check_in == log.tournament.next_number:
            facts = (*facts, CheckedIn(log.hall.check_in, entrant))  # who has a card or the hall's code is in the hall
        self._desk.say(event, facts, by)
        if is_player:
            self._desk.store.spend(device, self._desk.wall_s())
        return token

    def hall_code(self, log: HubLog) -> str | None:
        """Today's code of the hall, if phones join by it."""
        joining = log.hall.joining
        return code_of(joining.key, self._desk.wall_s()) if joining.way is JoinBy.CODE else None

    def take_name(self, log: HubLog, entrant: str, *, code: str = "", address: str = "", device: str = "") -> str:
        """A phone takes an entrant's name and gives up its earlier one. The first one gets it. Raises: EventRefused."""
        event, way = log.tournament, log.hall.joining.way
        if way is JoinBy.CARD:
            raise EventRefused("players join with a personal card here: ask the desk for yours")
        today = self.hall_code(log)
        if today is not None and not hmac.compare_digest(today, code if code.isascii() else ""):
            raise EventRefused("this is not today's hall code: see the big screen or ask at the desk")
        if entrant not in event.entrants:
            raise EventRefused("unknown entrant {entrant}", entrant=entrant)
        others = [each for each in log.hall.device_of(entrant) if each != device]
        if len(others) >= max(1, len(event.entrants[entrant].members)):
            words = "another phone already follows as {name}: ask the organiser to sign it out"
            raise EventRefused(words, name=event.says(entrant))
        named = event.says(entrant)
        return self.let_in(log.id, Role.PLAYER, named, entrant, way=way, address=address, device=device)

    # devices

    def person(self, tokens: list[str], event: str) -> Person:
        """The identity of a device at an event: the strongest role of its tokens there or in the whole hub."""
        found = [NOBODY]
        for token in tokens:
            kept = self.proved(token, "device")
            if kept is not None and kept.event in (HUB_ID, event) and not self._is_out(kept):
                about = json.loads(kept.about)
                found.append(Person(about["name"], Role(about["role"]), kept.id, about["entrant"]))
        order = list(Role)
        return max(found, key=lambda each: order.index(each.role))

    def _is_out(self, device: Secret) -> bool:
        """Whether the log says that a device was let go: a page may ask before its token is spent."""
        known = self._desk.known(device.event).hall.devices.get(device.id)
        return known is not None and known.is_revoked

    def revoke(self, log: HubLog, device: str, by: Person) -> None:
        """A device is out from now on; the hub keeps one organiser at least. Raises: EventRefused."""
        left = [key for key, each in log.hall.devices.items() if not each.is_revoked]
        if log.id == HUB_ID and left == [device]:
            raise EventRefused("this is the last organiser's device: let another one in first")
        self._desk.say(log.id, Revoked(device), by)
        self._desk.store.spend(device, self._desk.wall_s())
