"""A second look at spots that the rules leave in doubt: a small network sees each beside what else is known.

It is shown the cut-out about a spot, how the other spots printed like it look, and a marker of the color in question
that is sure in this light. So it need not know the board, the color or the lamp. What it says only moves chances that
are in doubt: a spot that people were asked about is still asked, with the likelier answer first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.board import Board
from companion.readings import HIGHEST_IN_DOUBT, SURE
from vision.networks import MODELS, Network, Run
from vision.tables.board_print import groups_of_spots, plain_spots
from vision.tables.board_signs import MOST_LIGHT
from vision.tables.board_view import Floats, Floats32

Bytes = NDArray[np.uint8]
FULL = 255 / MOST_LIGHT**0.5
LEAST = 0.02
"""What is less likely is not looked at again."""
WEIGHT, MOST_LOG_ODDS = 0.4, 5.0
"""What the network says (log odds) counts so much, and at most so much. On cameras that it had not seen, a third to a
half mended the most and broke nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a marker of a color stands on a spot; `like` is a spot where one does for sure."""

    spot: int
    color: str
    like: int | None


class SecondLook:
    """The second look at one board's spots."""

    def __init__(self, board: Board, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "board_again.onnx")
        printed = (plain_spots(board), *groups_of_spots(board))
        self._alike = {spot: [other for other in spots if other != spot] for spots in printed for spot in spots}

    def weighed(
        self, chances: Mapping[int, Mapping[str, float]], shown: Floats32, at_mm: Floats
    ) -> dict[int, dict[str, float]]:
        """The chances of each spot by color ("" for none), those in doubt looked at again: `shown` (N, side, side, 3)
        are the cut-outs about all spots, as `board_signs.Patches`, `at_mm` (N, 2) their places."""
        told = {spot: dict(of) for spot, of in chances.items()}
        asked = list(_questions(chances, at_mm))
        if not asked:
            return told
        seen = np.stack([self._shown(one, shown) for one in asked])
        said = np.mean([self._net(np.ascontiguousarray(way))[:, 0] for way in (seen, seen[..., ::-1])], axis=0)
        for one, log_odds in zip(asked, said, strict=True):
            told[one.spot][one.color] *= float(np.exp(WEIGHT * np.clip(log_odds, -MOST_LOG_ODDS, MOST_LOG_ODDS)))
        for spot in {one.spot for one in asked}:
            told[spot] = _in_doubt(told[spot])
        return told

    def _shown(self, one: Question, shown: Floats32) -> Floats32:
        """(9, side, side): the spot, how those printed alike look, and a marker of the color; 0 to 1."""
        others = self._alike.get(one.spot)
        nothing = np.zeros_like(shown[one.spot], np.uint8)
        alike = np.median(as_bytes(shown[others]), axis=0) if others else nothing
        like = nothing if one.like is None else as_bytes(shown[one.like])
        three = np.concatenate([as_bytes(shown[one.spot]), alike.astype(np.uint8), like], axis=-1)
        return np.asarray(three.transpose(2, 0, 1), np.float32) / np.float32(255)


def as_bytes(shown: Floats32) -> Bytes:
    """Cut-outs as bytes."""
    return np.asarray(np.rint(shown * np.float32(FULL)), np.uint8)


def _questions(chances: Mapping[int, Mapping[str, float]], at_mm: Floats) -> Iterator[Question]:
    for spot, of in chances.items():
        if max(of.values()) >= SURE:
            continue
        for color, chance in of.items():
            if color and chance >= LEAST:
                sure = [other for other, told in chances.items() if told.get(color, 0.0) >= SURE]
                far = [float(np.linalg.norm(at_mm[other] - at_mm[spot])) for other in sure]
                yield Question(spot, color, sure[int(np.argmin(far))] if sure else None)


def _in_doubt(of: Mapping[str, float]) -> dict[str, float]:
    """The chances together 1, and none sure."""
    whole = sum(of.values())
    best = max(of, key=lambda color: of[color])
    most = min(of[best] / whole, HIGHEST_IN_DOUBT)
    others = whole - of[best]
    return {
        color: most if color == best else (1 - most) * (chance / others if others else 0.0)
        for color, chance in of.items()
    }
