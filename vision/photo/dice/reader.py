"""Reads dice on any photograph, each with an honest confidence.

The value is that of the face that points upward in the room. `vision.tables.board.dice` reads the dice in the tray of a
calibrated table.
"""

import json
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Picture
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, DiceReading, DieSeen
from vision.drawing import FEW_LETTERS, Drawing, ink_of, told
from vision.measure.networks import MODELS
from vision.measure.pictures import is_tag, overlapping
from vision.photo.dice.face import NO_DIE, ContextReader, FaceReader, Halved, hope_of
from vision.photo.dice.find import DiceFinder, Found
from vision.photo.dice.limits import LIMITS
from vision.photo.dice.pose import PoseReader, borne_out, lies_level, upward
from vision.photo.legible import must_be_sharp, must_show_something

Rule = tuple[float, ...]
RULES_FILE = MODELS / "dice_sure.json"
"""Both rules, fitted by `bench fit dice`."""
_RULES: dict[str, list[float]] = json.loads(RULES_FILE.read_text(encoding="utf-8"))
IS_A_DIE: Rule = tuple(_RULES["is_a_die"])
"""Logistic rule for the probability of a die: weights of the features of `signs_of_a_die`, and the constant."""

CONFIDENCE: Rule = tuple(_RULES["confidence"])
"""Logistic rule of the confidence. Weights of: logit(face), logit(heat), logit(heat in another view), support by the
pips' places, evidence by other dice that this die is level. Last the constant. The pips' places are a second opinion,
because that method has learned nothing."""
VAGUE, TIPPED = "its pips are not clear", "it lies otherwise than the dice beside it: it may lean"
OTHER = "it may be something else than a die"
UNLIKE = "its pips lie otherwise than those of that value"
"""Also the reason if another face fits clearly better, as faces with seven to nine pips do."""
OVER_ANOTHER = "it lies over another find, and one of the two may be none"


class ValueSigns(NamedTuple):
    """The features for `CONFIDENCE`; `pips`: the support by the pips' places."""

    face: float
    heat: float
    heat_again: float
    pips: float
    level: float


def logit(chance: float) -> float:
    """Log odds, at most `LIMITS.max_log_odds` either way."""
    odds = np.log((chance + 1e-9) / (1 - chance + 1e-9))
    return float(np.clip(odds, -LIMITS.max_log_odds, LIMITS.max_log_odds))


def chance(evidence: tuple[float, ...], rule: Rule) -> float:
    """The probability by a logistic rule, 0 to 1.

    >>> round(chance((0.0, 0.0), (1.0, 2.0, 0.0)), 3), chance((1.0, 0.0), (1.0, 2.0, 0.0)) > 0.5
    (0.5, True)
    """
    return float(1 / (1 + np.exp(-(sum(w * x for w, x in zip(rule, evidence, strict=False)) + rule[-1]))))


class DiceEye:
    """Reads the dice of photographs with five networks. Not thread-safe."""

    def __init__(
        self,
        finder: DiceFinder | None = None,
        faces: FaceReader | None = None,
        context: ContextReader | None = None,
        poses: PoseReader | None = None,
    ) -> None:
        self._finder = finder if finder is not None else DiceFinder()
        self._faces = faces if faces is not None else FaceReader()
        self._context = context if context is not None else ContextReader()
        self._poses = poses if poses is not None else PoseReader()

    def read(self, picture: Picture) -> DiceReading:
        """All dice of a picture. Raises: ReadingError: too_dark, too_bright, blurred."""
        must_show_something(picture)
        must_be_sharp(picture)
        looks = weigh(picture, self._finder.find(picture), self._faces, self._context, self._poses)
        h, w = picture.shape[:2]
        pairs = [(one, verdict) for one, verdict in zip(looks[0], judged(*looks), strict=True) if verdict is not None]
        seen = [_die_of(one, verdict, w, h) for one, verdict in pairs if not is_tag(picture, one.x, one.y, one.side_px)]
        kept = _in_doubt_together([die for die in seen if die is not None])
        return DiceReading(dice=tuple(sorted(kept, key=lambda d: (d.box[1], d.box[0]))))

    def draw(self, picture: Picture, reading: DiceReading) -> Picture:
        """Boxes with value and confidence. Green: sure; amber and dashed: unsure; red with a question mark: no
        value."""
        drawing = Drawing(picture, FEW_LETTERS)
        for die in reading.dice:
            x0, y0, x1, y1 = die.box
            corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
            ink = ink_of(die.confidence, die.value is not None)
            drawing.outline(corners, ink, is_dashed=die.confidence < SURE)
            drawing.label(["?" if die.value is None else f"{die.value}  {told(die.confidence)}"], corners, ink)
        return drawing.finished()


def weigh(
    picture: Picture, found: list[Found], faces: FaceReader, context: ContextReader, poses: PoseReader
) -> tuple[list[Found], Floats32, Floats32, NDArray[np.float64]]:
    """The input of `judged`: detections with their surroundings, probabilities (n, 8), likeness of the pips to each
    face (n, 9), and directions of the upper faces (`upward`)."""
    halved = Halved(picture)
    chances, alike, lying = poses.weigh(halved, found, faces.look(halved, found), faces)
    height, width = picture.shape[:2]
    return with_context(context, halved, found, chances), chances, alike, upward(found, lying, width, height)


def with_context(reader: ContextReader, picture: Halved, found: list[Found], chances: Floats32) -> list[Found]:
    """The detections. Those with a fair chance of being a die, by the finder alone or with the face readers, are judged
    by their surroundings."""
    told = list(found)
    heats = np.array([one.heat for one in found])
    hopeful = np.flatnonzero((hope_of(found, chances) >= LIMITS.min_hope) | (heats >= LIMITS.context_heat)).tolist()
    for k, one in zip(hopeful, reader.look(picture, [found[k] for k in hopeful]), strict=True):
        told[k] = one
    return told


@dataclass(frozen=True, slots=True)
class DieVerdict:
    """The result for a detection: its best value, whether the value is reported, and whether there are pips at all.

    `is_die`: probability of a die. `evidence`: features for `CONFIDENCE`. `doubt`: the reason why the value is never
    sure.
    """

    value: int
    is_said: bool
    has_pips: bool
    is_die: float
    evidence: ValueSigns
    doubt: str | None

    @property
    def has_clear_pips(self) -> bool:
        """Whether the pips' places confirm the value."""
        return self.is_said and self.evidence.pips >= LIMITS.min_support

    @property
    def confidence(self) -> float:
        """The expected rate of right values, at most the probability of a die."""
        said = min(chance(self.evidence, CONFIDENCE), self.is_die)
        return min(said, HIGHEST_IN_DOUBT) if self.doubt else said

    @property
    def reason(self) -> str | None:
        """The reason why a value is not sure."""
        if self.confidence >= SURE or self.doubt:
            return self.doubt
        if self.is_die < SURE:
            return OTHER
        return UNLIKE if self.evidence.pips < 0 else "it is not clear enough"


def judged(found: list[Found], chances: Floats32, alike: Floats32, ways: Floats) -> list[DieVerdict | None]:
    """The verdicts on a picture's detections, from the results of `weigh`; None: not a die.

    `ways`: directions of the upper faces (`upward`).
    """
    is_die = [chance(signs_of_a_die(one, row), IS_A_DIE) for one, row in zip(found, chances, strict=True)]
    likely = [one if stands else 0.0 for one, stands in zip(is_die, are_whole(found, is_die), strict=True)]
    kept = are_dice(likely, [one.side_px for one in found], LIMITS.alone_chance)
    verdicts: list[DieVerdict | None] = [None] * len(found)
    dice = np.flatnonzero(kept)
    for k, level in zip(dice, lies_level(ways[:, dice]), strict=True):
        verdicts[k] = weighed(found[k], chances[k], alike[k], level)
    for k in np.flatnonzero((np.array(likely) >= LIMITS.die_in_group) & ~np.array(kept, bool)):
        verdict = weighed(found[k], chances[k], alike[k])
        if verdict.has_clear_pips and found[k].by_context >= LIMITS.clear_chance:
            verdicts[k] = replace(verdict, is_said=False)
    return verdicts


def are_whole(found: list[Found], likely: list[float]) -> list[bool]:
    """Whether each detection is neither a part of a die nor several dice. Of two detections within one another the more
    probable one stays.

    >>> die, pip = Found(50, 50, 60, 60, 0.8), Found(60, 50, 12, 12, 0.9)
    >>> are_whole([die, pip], [0.9, 0.3]), are_whole([die, pip], [0.2, 0.3])
    ([True, False], [False, True])
    """
    stands = [True] * len(found)
    for k in sorted(range(len(found)), key=lambda k: -likely[k]):
        for j in range(len(found)):
            if (
                stands[k]
                and stands[j]
                and likely[j] < likely[k]
                and (_is_part(found[j], found[k]) or _is_part(found[k], found[j]))
            ):
                stands[j] = False
    return stands


def _is_part(one: Found, of: Found) -> bool:
    is_within = abs(one.x - of.x) < of.width / 2 and abs(one.y - of.y) < of.height / 2
    return is_within and LIMITS.same_size_ratio * one.side_px < of.side_px


def are_dice(likely: list[float], sides_px: list[float], plainly: float) -> list[bool]:
    """The detections that count as dice, given each one's probability and side in pixels (see `LIMITS.alone_chance`).

    >>> are_dice([0.9, 0.6, 0.6, 0.4], [30, 28, 80, 30], 0.86), are_dice([0.6], [30], 0.86)
    ([True, True, False, False], [False])
    """
    chances, sizes = np.array(likely), np.log(np.maximum(sides_px, 1e-6))
    is_like = np.abs(sizes[:, None] - sizes) < np.log(LIMITS.same_size_ratio)
    np.fill_diagonal(is_like, val=False)
    beside = is_like @ np.where(chances >= LIMITS.die_in_group, chances, 0.0)
    enough = np.where(beside >= LIMITS.alone_chance, LIMITS.die_in_group, plainly)
    return [bool(is_die) for is_die in chances >= enough]


def weighed(found: Found, chances: Floats32, alike: Floats32, level: float = 0.0) -> DieVerdict:
    """The verdict on a detection, as if it were a die. `level`: evidence by other dice that it is level
    (`lies_level`)."""
    share = chances[:7] / max(1e-6, float(chances[:7].sum()))
    value = 1 + int(np.argmax(share[1:]))
    told = float(share[value])
    has_pips = told >= float(share[0]) / 2
    pips = borne_out(alike, value)
    counts = max(level, 1 - float(share[0]) / LIMITS.leaning_unreadable, 0.0)
    is_vague = told < LIMITS.min_sure_chance or (told < LIMITS.alone_chance and pips < LIMITS.min_support)
    is_unlike = pips <= -LIMITS.min_support or 0 < float(alike[value - 1]) < LIMITS.min_face_likeness
    doubts = (
        (VAGUE, is_vague),
        (TIPPED, level <= -1),
        (OTHER, found.by_context < LIMITS.clear_chance),
        (UNLIKE, is_unlike),
    )
    evidence = ValueSigns(
        logit(told * (1 - float(chances[NO_DIE]))),
        logit(found.heat),
        logit(warmth_again(found)),
        LIMITS.contrary_weight * pips if pips < 0 else counts * pips,
        level,
    )
    return DieVerdict(
        value,
        is_said=has_pips,
        has_pips=has_pips,
        is_die=chance(signs_of_a_die(found, chances), IS_A_DIE),
        evidence=evidence,
        doubt=next((why for why, holds in doubts if holds), None),
    )


def warmth_again(found: Found) -> float:
    """The second highest heat among the looks that should see this die; its own heat if no other look can see it."""
    return max(found.heats[1], LIMITS.min_heat) if len(found.heats) > 1 else found.heat


def clearest(chances: Floats32) -> float:
    """The highest probability among the values and "unreadable", if it is a die."""
    return float(chances[:7].max() / max(1e-6, float(chances[:7].sum())))


def signs_of_a_die(found: Found, chances: Floats32) -> tuple[float, float, float, float, float]:
    """The features for `IS_A_DIE`."""
    warm = [logit(max(heat, LIMITS.min_heat)) for heat in found.heats or (found.heat,)]
    return (
        logit(found.heat),
        sum(warm) / len(warm),
        logit(1 - float(chances[NO_DIE])),
        float(np.log(clearest(chances))),
        logit(found.by_context),
    )


def _die_of(found: Found, verdict: DieVerdict | None, width_px: int, height_px: int) -> DieSeen | None:
    """The reported die of one detection; None: not a die."""
    x0, x1 = max(0.0, found.x - found.width / 2), min(float(width_px), found.x + found.width / 2)
    y0, y1 = max(0.0, found.y - found.height / 2), min(float(height_px), found.y + found.height / 2)
    if verdict is None or x1 - x0 < 2 or y1 - y0 < 2:
        return None
    box = (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
    if verdict.is_said:
        sure = round(verdict.confidence, 4)
        return DieSeen(value=verdict.value, box=box, confidence=sure, reason=verdict.reason)
    if verdict.has_pips and verdict.evidence.pips >= LIMITS.min_support:
        reason = OTHER
    elif verdict.has_pips:
        reason = "the pips of the top face cannot be read"
    elif x0 <= 1 or y0 <= 1 or x1 >= width_px - 1 or y1 >= height_px - 1:
        reason = "the picture's edge cuts the die off"
    else:
        reason = "the die leans, or its top face is hidden"
    return DieSeen(value=None, box=box, confidence=round(verdict.is_die, 4), reason=reason)


def _in_doubt_together(dice: list[DieSeen]) -> list[DieSeen]:
    """The dice; if two boxes share more than half, neither die is sure, because one may be false."""
    boxes = [np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) for x0, y0, x1, y1 in (die.box for die in dice)]
    for k in {k for pair in overlapping(boxes) for k in pair}:
        sure = min(dice[k].confidence, HIGHEST_IN_DOUBT)
        dice[k] = replace(dice[k], confidence=sure, reason=dice[k].reason or OVER_ANOTHER)
    return dice


open_eye = DiceEye
