"""Rummy tables as a camera may tell them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.game.readings import CardSeen, TableCard
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import RummyState


def turn(table: str, hand: str, packs: int | None = None, **options: str) -> RummyState:
    return GAME.shorthand.state_of_table(table, hand, packs, options)


@dataclass(frozen=True)
class Seen:
    """A reading: cards, and which of them lie together."""

    cards: tuple[CardSeen, ...]
    melds: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyCard(CardSeen):
    chances: Mapping[str, float]


def seen(*melds: str, confidence: float = 1.0) -> Seen:
    cards: list[CardSeen] = []
    places = []
    for meld in melds:
        words = meld.split()
        places.append(tuple(range(len(cards), len(cards) + len(words))))
        for word in words:
            rank, suit = ("JOKER", None) if word == "JK" else (word[:-1], word[-1])
            corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
            cards.append(CardSeen(rank=rank, suit=suit, corners=corners, confidence=confidence))
    return Seen(tuple(cards), tuple(places))


def placed(*melds: tuple[str, float, float]) -> Seen:
    """A reading of cards in fans 25 mm apart, each from its own place in mm."""
    cards: list[TableCard] = []
    groups = []
    for words, x, y in melds:
        names = words.split()
        groups.append(tuple(range(len(cards), len(cards) + len(names))))
        for k, name in enumerate(names):
            rank, suit = ("JOKER", None) if name == "JK" else (name[:-1], name[-1])
            at = x + 25 * k
            corners = ((at, y), (at + 63, y), (at + 63, y + 88), (at, y + 88))
            chances = {name: 1.0}
            cards.append(
                TableCard(rank=rank, suit=suit, corners=corners, corners_mm=corners, confidence=1.0, chances=chances)
            )
    return Seen(tuple(cards), tuple(groups))
