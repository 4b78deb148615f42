"""A small network for rods in a view from above: wires, tips by colour, and hanging rods.

For every second cell the network (`bench/train/rods.py`) gives the probability of the mat, a wire, or a tip of a
colour. It also gives the direction of the rod there: along wires, and from a tip inwards. A plain threshold mistook
dark lines and spots for wires and tips, or missed them. Without directions, paths across other rods looked like wires.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from calibration.arrays import Floats, Floats32
from vision.measure.networks import MODELS, Network
from vision.tables.board.view import CELL_MM, BoardView
from vision.tables.rods.limits import LIMITS

CLASSES = ("mat", "wire", "black", "blue", "green", "yellow", "red", "orange")


@dataclass(frozen=True, eq=False)
class RodMaps:
    """Probabilities at every second cell (rows, columns): of each of `classes`, and that a rod there hangs. `wire_ways`
    (2, rows, columns): cosine and sine of twice the wire's angle. `tip_ways`: those of the tip's angle. Short vectors
    are unsure."""

    classes: dict[str, Floats32]
    wire_ways: Floats32
    tip_ways: Floats32
    hangs: Floats32


def seen_light(view: BoardView) -> Floats32:
    """The network's input (rows, columns, 3): square roots of light."""
    return view.roots(LIMITS.max_light)


@lru_cache(maxsize=1)
def _net() -> Network:
    return Network(MODELS / "rods.onnx")


def seen(view: BoardView) -> RodMaps:
    """The network's answer for a view."""
    light = seen_light(view)
    rows, columns = light.shape[:2]
    more = [(0, 0), (0, -rows % LIMITS.net_multiple_px), (0, -columns % LIMITS.net_multiple_px)]
    said = _net()(np.pad(light.transpose(2, 0, 1), more, "edge")[None])[0]
    said = said[:, : -(-rows // LIMITS.cells_per_answer), : -(-columns // LIMITS.cells_per_answer)]
    logits, hangs, ways = said[: len(CLASSES)], said[len(CLASSES)], said[len(CLASSES) + 1 :]
    odds = np.asarray(cv2.exp(logits.reshape(len(logits), -1)), np.float32).reshape(logits.shape)
    shares = odds / odds.sum(axis=0)
    return RodMaps(dict(zip(CLASSES, shares, strict=True)), ways[:2], ways[2:], 1 / (1 + np.exp(-hangs)))


# Candidates for tips: spots where the network sees a tip, with their possible colours. The wire between two tips
# decides later (`wires`). A tip that another rod crosses shows as two spots. Two spots of a colour nearer than the
# length of a tip are therefore one tip. Tips of two colours may touch.


COLORS = CLASSES[2:]
OFTEN, SELDOM = LIMITS.hardly, LIMITS.rare
MISTAKEN = {
    "black": {"blue": OFTEN, "green": OFTEN, "red": SELDOM},
    "blue": {"black": OFTEN},
    "green": {"black": OFTEN},
    "yellow": {"orange": OFTEN},
    "red": {"orange": OFTEN, "black": SELDOM},
    "orange": {"red": OFTEN, "yellow": OFTEN},
}
"""Probability that a spot of the first colour has another: in shade all look dark, and in warm light red looks
orange."""


@dataclass(frozen=True, slots=True)
class Tip:
    """A candidate for a tip: its middle on the table and its possible colours with their shares, largest first. Also
    its plainness (0 to 1), and its wire's direction; the length of that vector is the confidence, about 1 at most."""

    x_mm: float
    y_mm: float
    colors: dict[str, float]
    plain: float
    way: tuple[float, float] = (0.0, 0.0)
    hangs: float = 0.0
    """Probability that its rod hangs."""

    @property
    def color(self) -> str:
        return next(iter(self.colors))


def find_tips(view: BoardView, seen: RodMaps) -> list[Tip]:
    """All candidates, the plainest first."""
    step_mm = CELL_MM * LIMITS.cells_per_answer
    any_tip = np.asarray(sum(seen.classes[color] for color in COLORS), np.float32)
    spots = np.asarray(cv2.GaussianBlur(any_tip, (0, 0), LIMITS.half_tip_mm / 2 / step_mm), np.float32)
    half = round(LIMITS.half_tip_mm / step_mm)
    tips = []
    for row, column in _peaks(spots, [seen.classes[color] for color in COLORS], step_mm):
        ends = np.minimum((row + half + 1, column + half + 1), spots.shape).tolist()
        window = (slice(max(0, row - half), ends[0]), slice(max(0, column - half), ends[1]))
        weight = np.asarray(any_tip[window], np.float64)
        total = float(weight.sum()) + 1e-9
        shares = _perhaps({color: float(seen.classes[color][window].sum()) / total for color in COLORS})
        rows, columns = np.indices(weight.shape)
        middle = np.array(
            [window[1].start + (columns * weight).sum() / total, window[0].start + (rows * weight).sum() / total]
        )
        x, y = view.to_table(middle[None] * LIMITS.cells_per_answer)[0]
        tips.append(
            Tip(
                float(x),
                float(y),
                {c: s for c, s in sorted(shares.items(), key=lambda one: -one[1]) if s >= LIMITS.rare},
                min(1.0, float(spots[row, column])),
                (
                    float((seen.tip_ways[0][window] * weight).sum() / total),
                    float((seen.tip_ways[1][window] * weight).sum() / total),
                ),
                float((seen.hangs[window] * weight).sum() / total),
            )
        )
    return tips


def _perhaps(shares: dict[str, float]) -> dict[str, float]:
    """The shares of the colours, partly moved to colours that look alike; the wire's length decides between them."""
    mine = {color: share * (1 - sum(MISTAKEN[color].values())) for color, share in shares.items()}
    for color, others in MISTAKEN.items():
        for other, part in others.items():
            mine[other] += shares[color] * part
    return mine


def places_of(tips: Sequence[Tip]) -> Floats:
    """The tips' positions, (N, 2) in mm."""
    return np.array([[tip.x_mm, tip.y_mm] for tip in tips]).reshape(-1, 2)


def _peaks(spots: Floats32, of_colors: Sequence[Floats32], step_mm: float) -> list[tuple[int, int]]:
    """The middles (row, column) of spots: first those plainly of one colour, the plainest first, then the others."""
    found = [(False, float(spots[at]), at, -1) for at in _maxima(spots)]
    for color, map_ in enumerate(of_colors):
        blurred = np.asarray(cv2.GaussianBlur(map_, (0, 0), LIMITS.half_tip_mm / 2 / step_mm), np.float32)
        plain = [at for at in _maxima(blurred) if blurred[at] >= LIMITS.even_chance * spots[at]]
        found += [(True, float(spots[at]), at, color) for at in plain]
    kept: list[tuple[tuple[int, int], int]] = []
    for is_plain, _, at, color in sorted(found, reverse=True):
        if all(
            math.hypot(at[0] - row, at[1] - column) * step_mm
            >= (LIMITS.half_tip_mm if is_plain and color != other else LIMITS.tip_mm)
            for (row, column), other in kept
        ):
            kept.append((at, color))
    return [at for at, _ in kept]


def _maxima(map_: Floats32) -> list[tuple[int, int]]:
    values, highest = (of.ravel() for of in (map_, cv2.dilate(map_, np.ones((3, 3), np.uint8))))
    at = np.flatnonzero(values > LIMITS.hardly)
    return [divmod(k, map_.shape[1]) for k in at[values[at] >= highest[at]].tolist()]
