"""Reads playing cards on any photograph: indices are found, read and grouped to cards; no calibration.

Steps: `find` (places of indices and backs), `index` (rank and suit), `group` (indices of one card, fans and doubles).
"""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Picture
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, CardSeen, CardsReading
from vision.drawing import Drawing, ink_of, told
from vision.measure.networks import MODELS
from vision.measure.pictures import overlapping
from vision.photo.cards.find import MAX_LONG_SIDE_PX, IndexFinder, IndexSpot, is_oblong
from vision.photo.cards.group import Group, are_opposite, crowd_height_px, grouped, less_doubled
from vision.photo.cards.index import IndexReader, best_each, name_of
from vision.photo.cards.limits import LIMITS
from vision.photo.legible import must_be_sharp, must_show_something

SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
DISAGREES = "it may be one card with the one over it: their indices lie in opposite corners and say different cards"


class CardsEye:
    """Reads all cards of a picture."""

    def __init__(self, models: Path = MODELS) -> None:
        self._finder = IndexFinder(models / "cards_find.onnx")
        self._reader = IndexReader(models / "cards_read.onnx")
        self._sure = np.array(json.loads((models / "cards_sure.json").read_text(encoding="utf-8"))["weights"])

    def read(self, picture: Picture) -> CardsReading:
        """The cards of a BGR picture. Raises: ReadingError: too_dark, too_bright, blurred."""
        must_show_something(picture)
        must_be_sharp(picture)
        return self.told(*self.look(picture))

    def look(self, picture: Picture) -> tuple[list[Group], list[IndexSpot]]:
        """All evidence before judgement: indices grouped to cards, and places of face-down cards."""
        spots, backs = self._finder.find(picture)
        backs = [back for back in backs if is_oblong(picture, back)]
        indices = best_each(self._reader.read(picture, spots))
        tall = crowd_height_px(indices)
        if tall is not None:
            scale = min(LIMITS.crowd_index_px / tall, MAX_LONG_SIDE_PX / max(picture.shape[:2]))
            more = self._finder.find_at(picture, scale)
            indices = best_each(indices + self._reader.read(picture, more))
        return less_doubled(grouped(indices)), backs

    def told(self, groups: list[Group], backs: list[IndexSpot]) -> CardsReading:
        """The reading: all cards certain enough to be reported."""
        pairs = [(group, _seen(group, self._sure)) for group in groups]
        kept = _in_doubt_together([(group, card) for group, card in pairs if _is_said(group, card)])
        kept = [card for card in kept if card.suit or not any(_covers(card, back) for back in backs)]
        face_down = [back for back in backs if not any(_covers(card, back) for card in kept)]
        return CardsReading(
            cards=tuple(sorted(kept, key=lambda c: (c.corners[0][1], c.corners[0][0]))), face_down=len(face_down)
        )

    def draw(self, picture: Picture, reading: CardsReading) -> Picture:
        """Outlines, names and confidences on a copy of the picture."""
        drawing = Drawing(picture)
        for card in reading.cards:
            ink = ink_of(card.confidence)
            drawing.outline(card.corners, ink, is_dashed=card.confidence < SURE, is_ground=True)
            name = f"{card.rank}{SIGNS[card.suit] if card.suit else ''}"
            sure = "" if card.confidence >= SURE else f" {told(card.confidence)}"
            drawing.label([f"{name}{sure}"], np.mean(card.corners, 0), ink)
        return drawing.finished()


def features(group: Group) -> tuple[tuple[str, str | None], NDArray[np.float64]]:
    """The most probable card, and the features for its confidence.

    Logits of the card's probability, of being an index and of the finder's score; whether the card has several indices;
    logarithm of the height in px.
    """
    order = np.argsort(group.cards)[::-1]
    is_index = max(index.is_index for index in group.indices)
    tall = max(index.spot.height_px for index in group.indices)
    score = max(index.spot.score for index in group.indices)
    row = [
        _logit(float(group.cards[order[0]])),
        _logit(is_index),
        _logit(score),
        float(len(group.indices) > 1),
        float(np.log(min(tall, LIMITS.clear_index_px))),
    ]
    return name_of(int(order[0])), np.array(row)


def _logit(p: float) -> float:
    p = min(p, LIMITS.max_chance)
    return float(np.log(p / (1 - p)))


def _seen(group: Group, sure: NDArray[np.float64]) -> CardSeen:
    (rank, suit), row = features(group)
    confidence = 1 / (1 + np.exp(-(row @ sure[:-1] + sure[-1])))
    corners = [(round(float(x), 1), round(float(y), 1)) for x, y in group.corners]
    return CardSeen(
        rank=rank,
        suit=suit,
        corners=(corners[0], corners[1], corners[2], corners[3]),
        confidence=round(float(confidence), 4),
    )


def _is_said(group: Group, card: CardSeen) -> bool:
    if card.suit is None:
        return len(group.indices) > 1 and card.confidence >= LIMITS.min_joker_confidence
    return card.confidence >= LIMITS.min_confidence


def _in_doubt_together(pairs: list[tuple[Group, CardSeen]]) -> list[CardSeen]:
    """The cards, with doubt for lone indices in opposite corners with different values: perhaps one card."""
    cards = [card for _, card in pairs]
    for i, j in overlapping([np.array(card.corners, np.float64) for card in cards]):
        one, other = pairs[i][0].indices, pairs[j][0].indices
        if len(one) == len(other) == 1 and are_opposite(one[0], other[0]):
            for k in (i, j):
                sure = min(cards[k].confidence, HIGHEST_IN_DOUBT)
                cards[k] = replace(cards[k], confidence=sure, reason=DISAGREES)
    return cards


def _covers(card: CardSeen, back: IndexSpot) -> bool:
    """Whether the middle of a possible back is well inside a face-up card."""
    depth = cv2.pointPolygonTest(np.array(card.corners, np.float32), (back.x, back.y), True)
    return bool(depth > LIMITS.covered_depth * back.height_px)


open_eye = CardsEye
