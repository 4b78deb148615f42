"""Rummy tables as a camera may tell them, random ones, and a slow, obvious way to find the best play.

It shares nothing with the solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from random import Random

from companion.game.readings import CardSeen, TableCard
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import RummyState

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = "CDHS"
VALUE = {rank: min(at + 1, 10) for at, rank in enumerate(RANKS)}
JOKER_VALUE = 25

Meld = tuple[str, ...]


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


def value(card: str) -> int:
    return JOKER_VALUE if card.startswith("JK") else VALUE[card[:-1]]


def identity(card: str) -> str:
    return card.removeprefix("JK=")


@lru_cache(maxsize=1)
def short_melds() -> tuple[Meld, ...]:
    """Every jokerless group, and every sequence of three to five."""
    row = [*RANKS, "A"]
    melds = [
        tuple(rank + suit for rank in row[low : low + size])
        for suit in SUITS
        for size in (3, 4, 5)
        for low in range(len(row) - size + 1)
    ]
    for rank in RANKS:
        melds += [tuple(rank + suit for suit in chosen) for size in (3, 4) for chosen in combinations(SUITS, size)]
    return tuple(melds)


def random_position(rng: Random, cards: int, hand: int, jokers: int, packs: int = 2) -> tuple[tuple[Meld, ...], Meld]:
    """A legal table of about so many cards, some of them declared jokers, and a hand from the rest of the packs."""
    left = Counter({rank + suit: packs for rank in RANKS for suit in SUITS})
    row = [*RANKS, "A"]
    table: list[Meld] = []
    while sum(map(len, table)) < cards:
        if rng.random() < 0.55:
            suit, size = rng.choice(SUITS), rng.choice((3, 3, 4, 5, 7))
            low = rng.randrange(len(row) - size + 1)
            meld = [rank + suit for rank in row[low : low + size]]
        else:
            rank = rng.choice(RANKS)
            meld = [rank + suit for suit in sorted(rng.sample(SUITS, rng.choice((3, 4))))]
        stands = rng.randrange(len(meld)) if jokers and rng.random() < 0.3 else None
        real = Counter(card for at, card in enumerate(meld) if at != stands)
        if real - left:
            if rng.random() < 0.01:
                break
            continue
        left -= real
        if stands is not None:
            meld[stands] = "JK=" + meld[stands]
            jokers -= 1
        table.append(tuple(meld))
    deck = [*left.elements(), *["JK"] * jokers]
    rng.shuffle(deck)
    return tuple(table), tuple(deck[:hand])


def brute_force(table: tuple[Meld, ...], hand: Meld) -> int:
    """Most points that can leave the hand, by trying every part of the hand, every joker's fate and every partition."""
    lies = [card for meld in table for card in meld]
    standing = [card for card in lies if card.startswith("JK")]
    real = Counter(card for card in lies if not card.startswith("JK"))
    parts = {tuple(sorted(part)) for size in range(1, len(hand) + 1) for part in combinations(hand, size)}
    for part in sorted(parts, key=lambda part: -sum(map(value, part))):
        there = real + Counter(card for card in part if card != "JK")
        for fates in product((False, True), repeat=len(standing)):
            freed = [joker for joker, is_freed in zip(standing, fates, strict=True) if is_freed]
            if any(not there[identity(joker)] for joker in freed):
                continue
            kept = Counter(identity(j) for j, is_freed in zip(standing, fates, strict=True) if not is_freed)
            free = part.count("JK") + len(freed)
            if _partition(tuple(sorted((there + kept).elements())), free):
                return sum(map(value, part))
    return 0


@lru_cache(maxsize=200_000)
def _partition(cards: tuple[str, ...], free: int) -> bool:
    """Whether the cards and so many free jokers, all of them, can lie in melds."""
    if not cards:
        return free == 0  # two jokers make no meld alone
    first, rest = cards[0], cards[1:]
    for others in _beside()[first]:
        if sum(card not in rest for card in others) > free:
            continue
        for by_joker in product((False, True), repeat=len(others)):
            used = sum(by_joker)
            if used > free:
                continue
            left = list(rest)
            try:
                for card, joker in zip(others, by_joker, strict=True):
                    if not joker:
                        left.remove(card)
            except ValueError:
                continue
            if _partition(tuple(left), free - used):
                return True
    return False


@lru_cache(maxsize=1)
def _beside() -> dict[str, list[Meld]]:
    """For each card the other cards of every short meld that it is in."""
    beside: dict[str, list[Meld]] = {}
    for meld in short_melds():
        for at, card in enumerate(meld):
            beside.setdefault(card, []).append((*meld[:at], *meld[at + 1 :]))
    return beside
