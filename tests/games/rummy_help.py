"""Rummy tables as a camera may tell them."""

from companion.game.cards import is_card
from companion.game.readings import RummyReading, TableCard
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.state import RummyState
from companion.games.manipulation_rummy.weighing import KINDS


def turn(table: str, hand: str, packs: int | None = None, **options: str) -> RummyState:
    return GAME.shorthand.state_of_table(table, hand, packs, options)


def card(name: str, x: float, y: float, confidence: float = 1.0) -> TableCard:
    """A card with its left top corner at a place in mm; any name that is none is one that cannot be read."""
    rank, suit = ("JOKER", None) if name == "JK" else (name[:-1], name[-1])
    corners = ((x, y), (x + 63, y), (x + 63, y + 88), (x, y + 88))
    chances = {name: confidence, "": (1 - confidence) / KINDS} if is_card(name) else {}
    return TableCard(rank=rank, suit=suit, corners=corners, corners_mm=corners, confidence=confidence, chances=chances)


def seen(*melds: str, confidence: float = 1.0) -> RummyReading:
    return placed(*((meld, 0.0, 100.0 * row) for row, meld in enumerate(melds)), confidence=confidence)


def placed(*melds: tuple[str, float, float], confidence: float = 1.0) -> RummyReading:
    """A reading of cards in fans 25 mm apart, each from its own place in mm."""
    cards: list[TableCard] = []
    groups = []
    for words, x, y in melds:
        names = words.split()
        groups.append(tuple(range(len(cards), len(cards) + len(names))))
        cards += [card(name, x + 25 * k, y, confidence) for k, name in enumerate(names)]
    return RummyReading(cards=tuple(cards), melds=tuple(groups), face_down=0)
