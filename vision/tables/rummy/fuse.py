"""Several readings of one settled card table made into one: common findings stay, the others become unsure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.game.readings import HIGHEST_IN_DOUBT, RummyReading, TableCard
from vision.readers import Fused
from vision.tables.rummy.limits import SAME_CARD_MM

DISAGREE = "the pictures of the still table do not agree"


def fused(readings: Sequence[RummyReading]) -> Fused[RummyReading]:
    """Fuses readings of an unmoved card table: the last picture's cards, each with its lowest confidence.

    The readings agree if all have the same cards. A card that another picture lacks or reads differently is in doubt.
    Raises: ValueError: no readings.
    """
    if not readings:
        raise ValueError("found no readings, expected at least one of the table at rest")
    last = max(reversed(readings), key=lambda reading: len(reading.cards))
    told = [Counter((card.rank, card.suit) for card in reading.cards) for reading in readings]
    agree = all(one == told[0] for one in told)
    cards = tuple(_fused(card, readings) for card in last.cards)
    return Fused(replace(last, cards=cards), agree)


def _fused(card: TableCard, readings: Sequence[RummyReading]) -> TableCard:
    seen = [_nearest(card, reading) for reading in readings]
    same = [one for one in seen if one is not None and (one.rank, one.suit) == (card.rank, card.suit)]
    confidence = min(one.confidence for one in (card, *same))
    names = {name for one in seen if one is not None for name in one.chances}
    chances = {
        name: sum(one.chances.get(name, 0.0) if one else name == "" for one in seen) / len(seen) for name in names
    }
    card = replace(card, chances=chances if card.chances else {})
    if len(same) == len(readings):
        return replace(card, confidence=confidence)
    return replace(card, confidence=min(confidence, HIGHEST_IN_DOUBT), reason=card.reason or DISAGREE)


def _nearest(card: TableCard, reading: RummyReading) -> TableCard | None:
    x_mm, y_mm = card.middle_mm

    def away(other: TableCard) -> float:
        x, y = other.middle_mm
        return float(((x - x_mm) ** 2 + (y - y_mm) ** 2) ** 0.5)

    found = min(reading.cards, key=away, default=None)
    return found if found is not None and away(found) <= SAME_CARD_MM else None
