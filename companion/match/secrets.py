"""Secrets that seats gave to their own phones, before the rules show them to all.

They are only in memory. The log holds a salted hash of each. A restart forgets them, and so does the game once they are
public. One thread owns this object; views get a frozen copy.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from companion.game.game import Game
from companion.match.inputs import Tell
from companion.record.body import Sealed
from companion.record.entry import Writing, written
from companion.record.fold import Folded

S = TypeVar("S")
A = TypeVar("A")

Held = Mapping[str, Any]
"""Each seat's secret."""
SALT_BYTES = 16


class Secrets(Generic[S, A]):
    """The secrets of the seats of one match."""

    def __init__(self, game: Game[S, A]) -> None:
        self._game = game
        self.held: Held = {}

    def told(self, folded: Folded[S, A], given: Tell) -> Writing:
        """Keeps a seat's secret. Returns the entry for it, which reveals nothing.

        Raises: Illegal; NotationError: it is not a secret, or cannot be one now.
        """
        secret = self._game.secrets.secret_of(folded.state, given.seat, given.text)
        self.held = {**self.held, given.seat: secret}
        salt = secrets.token_hex(SALT_BYTES)  # never stored: without it the hash reveals nothing
        seal = hashlib.sha256(f"{salt} {given.text}".encode()).hexdigest()
        return written(given.by, Sealed(given.seat, seal))

    def followed(self, before: S, after: S) -> None:
        """Updates or drops the secrets after the match went on, or a step was taken back."""
        kept = {
            seat: self._game.secrets.kept(secret, seat, before, after)
            for seat, secret in self.held.items()
            if before != after
        }
        if kept:
            self.held = {seat: secret for seat, secret in kept.items() if secret is not None}

    def forget(self, seat: str | None = None) -> None:
        """Forgets one seat's secret, or all."""
        self.held = {other: secret for other, secret in self.held.items() if seat is not None and other != seat}


def known_to(game: Game[S, A], state: S, seat: str | None, held: Held) -> S:
    """The state as `seat` knows it by its own secret, without other seats' secrets."""
    if seat is None or seat not in held:
        return state
    known: S = game.secrets.known_to(state, seat, held[seat])
    return known
