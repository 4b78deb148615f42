"""A second check of doubtful spots: a small network compares each spot with its surroundings.

The network gets the cut-out around a spot, the usual print of such spots, and a sure marker of the colour in question
in the same light. So it need not know the board, the colour or the lamp. Its answer only changes doubtful
probabilities. People are still asked about a spot in doubt, with the more probable answer first.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.board import Board
from companion.game.readings import HIGHEST_IN_DOUBT, SURE
from vision.measure.networks import MODELS, Network, Run
from vision.tables.board.edges import groups_of_spots, plain_spots
from vision.tables.board.limits import LIMITS

Bytes = NDArray[np.uint8]
FULL = 255 / LIMITS.max_light**0.5
CERTAIN = math.log(LIMITS.certain_spot / (1 - LIMITS.certain_spot))


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a marker of a color is on a spot; `like`: a spot with a sure marker of that color, or None."""

    spot: int
    color: str
    like: int | None


class SecondLook:
    """The second check of one board's spots."""

    def __init__(self, board: Board, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "board_again.onnx")
        self._alike = spots_alike(board)

    def weighed(
        self,
        chances: Mapping[int, Mapping[str, float]],
        shown: Bytes,
        at_mm: Floats,
        bleached: Collection[int] = (),
    ) -> dict[int, dict[str, float]]:
        """Each spot's probabilities by color ("": no marker), with the doubtful ones updated by the network. `shown`
        (N, side, side, 3): the cut-outs around all spots, from `as_bytes`. `at_mm` (N, 2): the spots' places.
        `bleached`: spots whose color the light takes away."""
        told = {spot: dict(of) for spot, of in chances.items()}
        asked = list(_questions(chances, at_mm))
        if not asked:
            return told
        cut = CutOuts(shown, self._alike)
        said = self._net(np.stack([cut.shown(one) for one in asked]))[:, 0]
        for one, log_odds in zip(asked, said, strict=True):
            weight = 1 if one.spot in bleached else 0.5  # a camera that the network has not seen
            told[one.spot][one.color] *= float(
                np.exp(weight * np.clip(log_odds, -LIMITS.max_log_odds, LIMITS.max_log_odds))
            )
        for spot in {one.spot for one in asked}:
            told[spot] = _in_doubt(told[spot])
        return told

    def may_hold(self, spots: Iterable[int], shown: Bytes) -> set[int]:
        """The spots that may hold a marker of any color, among spots that seem empty because light washes colors
        out."""
        cut = CutOuts(shown, self._alike)
        asked = [Question(spot, "", None) for spot in spots]
        if not asked:
            return set()
        said = self._net(np.stack([cut.shown(one) for one in asked]))[:, 0]
        return {one.spot for one, log_odds in zip(asked, said, strict=True) if log_odds > LIMITS.min_bleached_log_odds}


class CutOuts:
    """The cut-outs (N, side, side, 3) of one picture, as the network gets them."""

    def __init__(self, shown: Bytes, alike: Mapping[int, tuple[int, ...]]) -> None:
        self._shown, self._spots_alike = shown, alike
        self._middles: dict[tuple[int, ...], Bytes] = {}

    def own(self, spot: int) -> Bytes:
        """The cut-out of a spot."""
        return np.asarray(self._shown[spot], np.uint8)

    def alike(self, spot: int) -> Bytes:
        """The median cut-out of other spots with the same print; black if there are none."""
        spots = self._spots_alike.get(spot, ())
        step = len(spots) // (2 * LIMITS.twin_rank)
        others = spots[::step] if step else tuple(other for other in spots if other != spot)
        if others not in self._middles:
            middle = np.median(self._shown[list(others)], axis=0) if others else np.zeros(self._shown.shape[1:])
            self._middles[others] = middle.astype(np.uint8)
        return self._middles[others]

    def shown(self, one: Question) -> Floats32:
        """(9, side, side), 0 to 1: the spot, the median of spots with its print, and a marker of the color."""
        own = self.own(one.spot)
        like = np.zeros_like(own) if one.like is None else self.own(one.like)
        three = np.concatenate([own, self.alike(one.spot), like], axis=-1)
        return np.asarray(three.transpose(2, 0, 1), np.float32) / np.float32(255)


@dataclass(slots=True)
class KnownLook:
    """A spot's newest cut-out with one content, and the mean log odds of this content in all readings of the look."""

    cut: Bytes
    log_odds: float
    readings: int = 1

    def add(self, log_odds: float) -> None:
        self.readings += 1
        self.log_odds += (log_odds - self.log_odds) / self.readings


class Unchanged:
    """The look of each spot, for each content that was certain.

    A spot with the same look has the same content. It stays certain when its colour loses the markers that print was
    compared with, as at the end of a match. One wrong reading is outweighed by later readings of the same look.
    """

    def __init__(self) -> None:
        self._looks: dict[int, dict[str, KnownLook]] = {}
        self._again: dict[int, list[tuple[float, str]]] = {}

    def held(self, shown: Bytes) -> dict[int, str]:
        """The content of the spots that look as they did when it was certain; "": no marker."""
        self._again = {
            spot: sorted(
                (apart, content)
                for content, look in looks.items()
                if (apart := float(_apart(shown[spot], look.cut).mean())) < LIMITS.unchanged_level
            )
            for spot, looks in self._looks.items()
        }
        nearest = {spot: again[0][1] for spot, again in self._again.items() if again}
        return {spot: content for spot, content in nearest.items() if self._looks[spot][content].log_odds >= CERTAIN}

    def note(self, chances: Mapping[int, Mapping[str, float]], shown: Bytes, unseen: Collection[int]) -> None:
        """Adds a reading of the cut-outs (N, side, side, 3) that `held` got, without the spots `unseen`."""
        for spot in set(range(len(shown))).difference(unseen):
            of = chances.get(spot, {"": 1.0})
            best = max(of, key=lambda color: of[color])
            again = {content for _, content in self._again.get(spot, ())}
            for content in again:
                self._looks[spot][content].add(_log_odds(of.get(content, 0.0)))
            if of[best] >= LIMITS.certain_spot:
                looks = self._looks.setdefault(spot, {})
                if best in again:
                    looks[best].cut = shown[spot].copy()
                else:
                    looks[best] = KnownLook(shown[spot].copy(), _log_odds(of[best]))


def _log_odds(chance: float) -> float:
    odds = math.log(max(chance, 1e-9) / max(1 - chance, 1e-9))
    return min(max(odds, -LIMITS.max_log_odds), LIMITS.max_log_odds)


def spots_alike(board: Board) -> dict[int, tuple[int, ...]]:
    """All spots with the same print as each spot, including itself."""
    printed = (plain_spots(board), *groups_of_spots(board))
    return {spot: tuple(spots) for spots in printed for spot in spots}


def as_bytes(shown: Floats32) -> Bytes:
    """Cut-outs as bytes."""
    return np.asarray(cv2.convertScaleAbs(shown.reshape(len(shown), -1), alpha=FULL), np.uint8).reshape(shown.shape)


def _apart(own: Bytes, other: Bytes) -> Bytes:
    """The difference of two cut-outs, 0 to 255."""
    blue, green, red = cv2.split(cv2.absdiff(own, other))
    return np.asarray(cv2.blur(cv2.max(cv2.max(blue, green), red), (3, 3)), np.uint8)


def _questions(chances: Mapping[int, Mapping[str, float]], at_mm: Floats) -> Iterator[Question]:
    for spot, of in chances.items():
        if max(of.values()) >= SURE:
            continue
        for color, chance in of.items():
            if color and chance >= 1 - SURE:
                sure = [other for other, told in chances.items() if told.get(color, 0.0) >= SURE]
                far = [float(np.linalg.norm(at_mm[other] - at_mm[spot])) for other in sure]
                yield Question(spot, color, sure[int(np.argmin(far))] if sure else None)


def _in_doubt(of: Mapping[str, float]) -> dict[str, float]:
    """The probabilities, scaled to a sum of 1, with none sure."""
    whole = sum(of.values())
    best = max(of, key=lambda color: of[color])
    most = min(of[best] / whole, HIGHEST_IN_DOUBT)
    others = whole - of[best]
    return {
        color: most if color == best else (1 - most) * (chance / others if others else 0.0)
        for color, chance in of.items()
    }
