"""Compares a die's pips with each face: drawn faces, turned, moved and scaled, are correlated with the inks of its
upper face.

A second opinion on every die. It has learned nothing, so it works equally well for dice of any make. `likeness`
compares crops, `guided` corrects probabilities.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats32, Picture
from vision.measure.networks import BATCH, MODELS, Network, Run, as_colours
from vision.measure.pip_patterns import PATTERNS, PIP_PITCH, PIP_RADIUS
from vision.photo.dice.face import CROP_PX, PIP_INKS, REACH, FaceReader, Halved, crop_of, hope_of, with_inks
from vision.photo.dice.find import Found
from vision.photo.dice.limits import LIMITS

NO_VALUES = (
    ((-1, -1), (-1, 0), (-1, 1), (0, 0), (1, -1), (1, 0), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)),
)
"""Patterns with more pips than a die has. Without them such a face would look most like a six."""
FACES = {value: pips for value, (pips, *_) in PATTERNS.items()} | dict(enumerate(NO_VALUES, len(PATTERNS) + 1))
QUARTER_TURNS = [value for value, pips in FACES.items() if {(-y, x) for x, y in pips} == set(pips)]
"""Faces that repeat after a quarter turn; the others repeat after half a turn."""


class FaceSamples(NamedTuple):
    """All faces in all tried places, as flattened pixels, sorted by value.

    `faces` (n, _SQUARE_PX ** 2): mean 0 within the square, norm 1. `first` (9,): index of each value's first face.
    `square` (n,): each face's row in `squares` (m, _SQUARE_PX ** 2).
    """

    faces: Floats32
    first: NDArray[np.intp]
    square: NDArray[np.intp]
    squares: Floats32


_SQUARE_PX = CROP_PX // 2
_SHIFTS = LIMITS.tried_shift * np.array(range(-2, 3))
_TURNS = _SHIFTS / PIP_PITCH
_PITCHES = PIP_PITCH + (_SHIFTS[1:] + _SHIFTS[:-1]) / 2
_SIGMA = PIP_RADIUS / 2
_SIZES = 1 + _SHIFTS[::2]
"""What is tried of a face: shifts and distances of pips, in sides; turns in radians; sizes relative to the usual one.
`_SIGMA`: Gaussian radius of a drawn pip, in sides."""


@cache
def laid() -> FaceSamples:
    """All faces in all tried places: 77 MB, computed once."""
    y, x = (v.ravel() - (_SQUARE_PX - 1) / 2 for v in np.mgrid[:_SQUARE_PX, :_SQUARE_PX].astype(np.float32))
    faces: list[Floats32] = []
    squares: list[Floats32] = []
    values, square = [], []
    for size, across, down, turn in product(_SIZES, _SHIFTS, _SHIFTS, _TURNS):
        side_px = _SQUARE_PX / REACH * size
        right, below = x / side_px - across, y / side_px - down
        u, v = right * math.cos(turn) + below * math.sin(turn), below * math.cos(turn) - right * math.sin(turn)
        inside = ((np.abs(u) < LIMITS.compared_reach) & (np.abs(v) < LIMITS.compared_reach)).astype(np.float32)
        for value, pips in FACES.items():
            steps = _PITCHES[:1] if value == 1 else _PITCHES
            ways = ((u, v),) if value in QUARTER_TURNS else ((u, v), (v, -u))
            for step, (a, b) in product(steps, ways):
                far2 = [(a - step * i) ** 2 + (b - step * j) ** 2 for i, j in pips]
                bumps = np.exp(np.min(far2, axis=0) / (-2 * _SIGMA**2))
                bumps = (bumps - (bumps * inside).sum() / inside.sum()) * inside
                faces.append(bumps / np.linalg.norm(bumps))
                values.append(value)
                square.append(len(squares))
        squares.append(inside)
    by_value = np.argsort(values, kind="stable")
    first = np.searchsorted(np.array(values)[by_value], list(FACES))
    return FaceSamples(np.array(faces, np.float32)[by_value], first, np.array(square)[by_value], np.array(squares))


def likeness(inks: Floats32) -> Floats32:
    """The highest correlation of each die's inks with each of `FACES`, (dice, 9); pips may be darker or brighter.

    `inks` (dice, n, height, width): squares with the upper face, from `face_on`.
    """
    ways = laid()
    dice, count = inks.shape[:2]
    flat = inks.reshape(dice * count, *inks.shape[2:])
    small = np.stack(
        [cv2.resize(ink, (_SQUARE_PX, _SQUARE_PX), interpolation=cv2.INTER_AREA).ravel() for ink in flat],
        axis=1,
    )
    sums, sums2 = ways.squares @ small, ways.squares @ small**2
    variance = sums2 - sums**2 / ways.squares.sum(1, keepdims=True)
    alike = np.abs(ways.faces @ small) / np.sqrt(np.maximum(variance, 1e-9))[ways.square]
    best = np.maximum.reduceat(alike, ways.first, axis=0)
    return np.asarray(best.T.reshape(dice, count, len(FACES)).max(1), np.float32)


def borne_out(alike: Floats32, value: int) -> float:
    """Support of the pips' places for `value`: 1 for clear support, 0 undecided, -1 for clear support of another value.

    >>> borne_out(np.array([0.4, 0.4, 0.5, 0.9, 0.7, 0.5]), 4), borne_out(np.array([0.4, 0.3, 0.3, 0.3, 0.3, 0.3]), 1)
    (1.0, 0.0)
    """
    mine, other = float(alike[value - 1]), float(np.delete(alike, value - 1).max())
    is_clear = max(mine, other) >= LIMITS.min_clear_likeness
    return float(np.clip((mine - other) / LIMITS.full_lead, -1, 1)) * is_clear


def is_hazy(chances: Floats32) -> bool:
    """Whether no value has a high probability, given those of (unreadable, 1, ..., 6, no die)."""
    return float(chances[1:7].max()) < LIMITS.max_guided_chance * float(chances[:7].sum())


def guided(chances: Floats32, alike: Floats32) -> Floats32:
    """Probabilities of (unreadable, 1, ..., 6, no die), shifted to values whose face correlates better.

    The sum of the six values stays. No value rises above `LIMITS.max_guided_chance`: the places of pips alone make no
    value sure.

    >>> was = np.array([0.1, 0.02, 0.02, 0.3, 0.02, 0.34, 0.1, 0.1], np.float32)
    >>> print(guided(was, np.array([0.4, 0.4, 0.7, 0.4, 0.5, 0.4])).round(2))
    [0.1  0.   0.   0.54 0.   0.22 0.02 0.1 ]
    """
    out = chances.copy()
    of_die, of_values = float(chances[:7].sum()), float(chances[1:7].sum())
    alike = alike[: len(PATTERNS)]
    if not is_hazy(chances) or float(alike.max()) < LIMITS.min_likeness:
        return out
    values = chances[1:7] * np.exp(LIMITS.likeness_weight * (alike - alike.max()))
    values *= of_values / values.sum()
    best, most = int(values.argmax()), LIMITS.max_guided_chance * of_die
    if values[best] > most:
        values *= (of_values - most) / (of_values - values[best])
        values[best] = most
    out[1:7] = values
    return out


# The pose of a die relative to the camera: direction, size and turn of its upper face. A network finds the pose in the
# face reader's crop. The face is then rectified: seen straight on, upright and at one size, so that its pips can
# confirm a value. The upper faces of dice on one table all have one direction, unless a die leans.


RIGHT, DOWN, SPREAD, SIDE, TURN_COS, TURN_SIN = range(6)
"""The network's answers. First the unit normal of the upper face, to the right and down in the picture, relative to the
ray to the die. Then logarithms of that normal's error (for training only) and of the face's side relative to the box's.
Last the cosine and sine of four times the face's turn."""


class PoseReader:
    """Reads the poses of dice, and compares their pips with each face."""

    def __init__(self, net: Run | None = None) -> None:
        self._net = net if net is not None else Network(MODELS / "dice_pose.onnx")

    def look(self, crops: Sequence[Picture]) -> Floats32:
        """The poses of dice in the face reader's crops, (len(crops), 6)."""
        told = [
            self._net(np.stack([as_colours(crop) for crop in crops[k : k + BATCH]]))
            for k in range(0, len(crops), BATCH)
        ]
        return np.concatenate(told) if told else np.zeros((0, 6), np.float32)

    def weigh(
        self, picture: Halved, found: Sequence[Found], chances: Floats32, faces: FaceReader
    ) -> tuple[Floats32, Floats32, Floats32]:
        """Probabilities, likeness of the pips to each face (len(found), 9), and poses (len(found), 6).

        Unclear dice are also read by `faces` on the rectified upper face. Dice that are still unclear are corrected by
        `guided`. A hopeless detection has likeness 0 and pose nan.
        """
        told, alike = chances.copy(), np.zeros((len(found), len(FACES)), np.float32)
        poses = np.full((len(found), 6), np.nan, np.float32)
        hopeful = np.flatnonzero(hope_of(list(found), chances) >= LIMITS.min_hope)
        if not len(hopeful):
            return told, alike, poses
        crops = [crop_of(picture, found[k]) for k in hopeful.tolist()]
        poses[hopeful] = self.look(crops)
        straight = [face_on(crop, pose) for crop, pose in zip(crops, poses[hopeful], strict=True)]
        alike[hopeful] = likeness(np.stack([with_inks(crop)[3 : 3 + PIP_INKS] for crop in straight]))
        is_aslant = np.hypot(poses[hopeful, RIGHT], poses[hopeful, DOWN]) > LIMITS.min_slant_sine
        is_unclear = told[hopeful, 1:7].max(1) < LIMITS.alone_chance * told[hopeful, :7].sum(1)
        unclear = np.flatnonzero(is_aslant & is_unclear)
        seen = faces.of_crops([straight[k] for k in unclear.tolist()])
        told[hopeful[unclear]] = seen_straight_on(told[hopeful[unclear]], seen)
        for k in hopeful:
            if is_hazy(told[k]):
                told[k] = guided(told[k], alike[k])
        return told, alike, poses


def seen_straight_on(chances: Floats32, straight: Floats32) -> Floats32:
    """Probabilities (n, 8) combined with those of the rectified upper face. The sum of the six values stays."""
    of_values = chances[:, 1:7].sum(1, keepdims=True)
    shares = straight[:, 1:7] / np.maximum(straight[:, 1:7].sum(1, keepdims=True), 1e-6)
    out = chances.copy()
    out[:, 1:7] = (1 - LIMITS.straight_weight) * chances[:, 1:7] + LIMITS.straight_weight * of_values * shares
    return out


def face_on(crop: Picture, pose: Floats32) -> Picture:
    """The rectified upper face of a crop's die: straight on and upright, in a square of REACH of its sides."""
    tilt = normal_of(pose[[RIGHT, DOWN]].astype(np.float64))[:2]
    side_px = CROP_PX / REACH * float(np.exp(np.clip(pose[SIDE], LIMITS.min_log_side, LIMITS.max_log_side)))
    away, turn = np.arctan2(tilt[1], tilt[0]), np.arctan2(pose[TURN_SIN], pose[TURN_COS]) / LIMITS.face_turns
    across = _turned(away) @ np.diag([np.sqrt(1 - tilt @ tilt), 1.0]) @ _turned(-away) @ _turned(turn)
    across = across * REACH * side_px / CROP_PX
    middle = np.full(2, (CROP_PX - 1) / 2)
    warp = np.column_stack([across, middle + tilt * side_px / 2 - across @ middle])
    way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(crop, warp, (CROP_PX, CROP_PX), flags=way, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def _turned(rad: float) -> NDArray[np.float64]:
    return np.array([[np.cos(rad), -np.sin(rad)], [np.sin(rad), np.cos(rad)]])


def upward(found: Sequence[Found], poses: Floats32, width_px: int, height_px: int) -> NDArray[np.float64]:
    """Directions of the upper faces for each tried focal length: unit vectors (focal lengths, len(found), 3) to the
    right, down and away from the camera; nan: unknown."""
    ways = np.full((len(LIMITS.tried_focals), len(found), 3), np.nan)
    for k, (one, pose) in enumerate(zip(found, poses.astype(np.float64), strict=True)):
        for way, focal in zip(ways, LIMITS.tried_focals, strict=True):
            ray = np.array([one.x - width_px / 2, one.y - height_px / 2, focal * max(width_px, height_px)])
            way[k] = from_ahead(ray / np.linalg.norm(ray)) @ normal_of(pose[[RIGHT, DOWN]])
    return ways


def normal_of(tilt: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit normal (to the right, down and away from the camera) of a face with this tilt (2,)."""
    within = tilt / max(1.0, float(np.hypot(*tilt)))
    return np.array([*within, -np.sqrt(1 - within @ within)])


def from_ahead(ray: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest rotation that takes straight ahead to a ray."""
    across = np.array([[0.0, 0.0, ray[0]], [0.0, 0.0, ray[1]], [-ray[0], -ray[1], 0.0]])
    return np.asarray(np.eye(3) + across + across @ across / (1 + ray[2]))


def lies_level(ways: NDArray[np.float64]) -> list[float]:
    """For each die, what the other dice say of its being level: 1 clearly level, 0 unknown, -1 clearly leaning.

    `ways` comes from `upward`; the focal length with the best agreement is used. If at most half of the dice agree, no
    die gets more than 0.

    >>> flat, tipped = [0.0, 0.0, -1.0], [0.0, 0.6, -0.8]
    >>> lies_level(np.array([[flat, flat, flat, tipped]])), lies_level(np.array([[flat]]))
    ([1.0, 1.0, 1.0, -1.0], [0.0])
    """
    told = [0.0] * ways.shape[1]
    known = np.flatnonzero(np.isfinite(ways[0]).all(1))
    if len(known) < 2:
        return told
    apart_deg = np.degrees(np.arccos(np.clip(ways @ ways.transpose(0, 2, 1), -1, 1)))[:, known][:, :, known]
    focal, centre = np.unravel_index(np.minimum(apart_deg, LIMITS.leaning_deg).sum(2).argmin(), apart_deg.shape[:2])
    agreed = known[apart_deg[focal, centre] < LIMITS.leaning_deg].tolist()
    most = 1.0 if 2 * len(agreed) > len(known) else 0.0
    for k in known.tolist():
        mean = ways[focal, [j for j in agreed if j != k] or [j for j in known if j != k]].mean(0)
        off = float(np.degrees(np.arccos(np.clip(ways[focal, k] @ mean / np.linalg.norm(mean), -1, 1))))
        told[k] = min(most, float(np.interp(off, (LIMITS.level_deg, LIMITS.leaning_deg), (1.0, -1.0))))
    return told
