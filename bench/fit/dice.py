"""Fits the confidence of dice on photographs that the networks were not trained on.

    python -m bench.fit dice --photos DIR --models SOURCE=MODELS [--models SOURCE=MODELS ...] -o vision/models/

SOURCE is a source of photographs left out of MODELS' training; join two sources by +. The same networks also read
leaning dice and tables without dice, drawn from other seeds than those of training and bench.

CONFIDENCE is fitted on the detections that the rule IS_A_DIE accepts. Its constant is lowered until three errors are
rare: confident wrong values on photographs, confident values of leaning dice, and confident values without a die. Also
prints, for each source, the share of confident values and their errors under a CONFIDENCE fitted without that source.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from bench.dice import networks_of
from bench.drawn import leaning_dice, notdice
from bench.fit import logistic
from bench.harness import Line, label_lines, picture_at
from bench.train.dice_lessons import bare as bare_table
from calibration.arrays import Floats32
from companion.game.readings import SURE
from vision.photo.dice.face import ContextReader, FaceReader
from vision.photo.dice.find import DiceFinder, Found
from vision.photo.dice.limits import LIMITS
from vision.photo.dice.pose import PoseReader
from vision.photo.dice.reader import (
    IS_A_DIE,
    RULES_FILE,
    Rule,
    are_dice,
    chance,
    judged,
    logit,
    signs_of_a_die,
    weigh,
    weighed,
)

LEANING_SEED = 5_500_000
BARE_SEED, BARE_TABLES = 7_000_000, 200
PLAIN_SEEDS = (9_600_000, 9_700_000, 9_800_000, 9_900_000)
"""Seeds of drawn/notdice.py's drawings for counting false detections; the bench measures on others."""
PULL = 0.02
"""Strength of the pull of weights towards 0, which keeps them bounded when there are few errors."""
STEP = 0.05
"""A constant is changed by such steps."""

SURE_BUT_WRONG = 0.00125
"""Maximum share of all values that may be sure and wrong."""
LEANING_BUT_SURE = 0.055
"""Maximum share of the values of leaning dice that may be sure."""
BARE_WEIGHT, BARE_BUT_SURE = 10.0, 0.003
"""Weight of each value read without a die; maximum number of sure values per table crowded with dominoes."""
ALIKE = 2.2
"""Maximum ratio of sides between a detection and its labelled die, if the detection's middle is in the die."""

Floats64 = NDArray[np.float64]
Box = tuple[float, float, float, float]
Examples = list[tuple[tuple[float, ...], bool]]
"""Evidence values, and the correct answer (yes or no)."""


@dataclass(frozen=True, slots=True)
class Find:
    """A detection: evidence that it is a die, evidence for its value, the value read (None: no value), whether the
    value can never be confident, and whether it is right."""

    found: Found
    signs: tuple[float, ...]
    evidence: tuple[float, ...]
    value: int | None
    is_doubtful: bool
    is_right: bool


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """A picture: the values of its dice, and its detections."""

    truth: tuple[int, ...]
    finds: tuple[Find, ...]

    def kept(self, rule: Rule, plainly: float) -> list[Find]:
        """The detections that a rule accepts as dice."""
        likely = [chance(find.signs, rule) for find in self.finds]
        kept = are_dice(likely, [find.found.side_px for find in self.finds], plainly)
        return [find for find, keep in zip(self.finds, kept, strict=True) if keep]

    def is_read_right(self, rule: Rule, plainly: float) -> bool:
        """Whether the values read are those of the picture's dice."""
        return sorted(find.value for find in self.kept(rule, plainly) if find.value) == sorted(self.truth)


def values(shown: list[LabelledPicture], rule: Rule = IS_A_DIE, plainly: float = LIMITS.alone_chance) -> Examples:
    """Evidence for the values of detections that this rule accepts, unless doubtful, and whether the values are
    right."""
    return said([find for one in shown for find in one.kept(rule, plainly)])


def said(kept: list[Find]) -> Examples:
    """Evidence for the values of these detections, unless doubtful, and whether the values are right."""
    return [(find.evidence, find.is_right) for find in kept if find.value and not find.is_doubtful]


@dataclass(frozen=True)
class Networks:
    """One set of networks; the pose network was trained without photographs."""

    finder: DiceFinder
    faces: FaceReader
    context: ContextReader
    poses: PoseReader = field(default_factory=PoseReader)

    def weigh(self, picture: NDArray[np.uint8]) -> tuple[list[Found], Floats32, Floats32, list[float]]:
        """All detections, the probabilities of their values, the evidence around them, and how far the package's dice
        confirm each other as level."""
        found, chances, alike, ways = weigh(picture, self.finder.find(picture), self.faces, self.context, self.poses)
        levels = [verdict.evidence[-1] if verdict else 0.0 for verdict in judged(found, chances, alike, ways)]
        return found, chances, alike, levels

    def see(self, picture: NDArray[np.uint8], truth: list[Line]) -> LabelledPicture:
        """All detections in a picture with these labelled dice."""
        return LabelledPicture(tuple(t["value"] for t in truth), finds(*self.weigh(picture), truth))

    def see_leaning(self, picture: NDArray[np.uint8], box: Box) -> Examples:
        """The values read in a box with one unreadable die; two level dice are near it.

        A doubtful value gets such low evidence that it is never confident.
        """
        kept = LabelledPicture((), finds(*self.weigh(picture), [])).kept(IS_A_DIE, LIMITS.alone_chance)
        mine = [f for f in kept if f.value and box[0] < f.found.x < box[2] and box[1] < f.found.y < box[3]]
        return [(tuple(-7.0 for _ in f.evidence) if f.is_doubtful else f.evidence, False) for f in mine]


def finds(
    found: list[Found], chances: Floats32, alike: Floats32, levels: list[float], truth: list[Line]
) -> tuple[Find, ...]:
    """The output of `Networks.weigh` as detections with evidence. Each labelled die belongs to the detection with the
    most heat in it."""
    left, out = list(truth), []
    for one, row, pips, level in sorted(zip(found, chances, alike, levels, strict=True), key=lambda of: -of[0].heat):
        verdict = weighed(one, row, pips, level)
        mine = min((t for t in left if _is_at(one, t["box"])), key=lambda t: _away_px(one, t["box"]), default=None)
        if mine is not None:
            left.remove(mine)
        is_right = mine is not None and mine["value"] == verdict.value
        value = verdict.value if verdict.is_said else None
        out.append(Find(one, signs_of_a_die(one, row), verdict.evidence, value, verdict.doubt is not None, is_right))
    return tuple(out)


def _away_px(one: Found, box: Box) -> float:
    return float(np.hypot((box[0] + box[2]) / 2 - one.x, (box[1] + box[3]) / 2 - one.y))


def _is_at(one: Found, box: Box) -> bool:
    side = float(np.sqrt((box[2] - box[0]) * (box[3] - box[1])))
    is_within = box[0] <= one.x <= box[2] and box[1] <= one.y <= box[3]
    return is_within and 1 / ALIKE < one.side_px / side < ALIKE


def fit(rows: Examples, counts: Floats64) -> Floats64:
    """The weights (at least 0) and the constant, with `counts` as weights of the examples."""
    looks = np.array([evidence for evidence, _ in rows])
    pull = np.append(np.full(looks.shape[1], PULL * len(rows) / 100), 0.0)
    return logistic(looks, np.array([answer for _, answer in rows]), pull, counts=counts, is_positive=True)


def fit_confidence(rows: Examples, leaning: Examples, bare: Examples) -> Floats64:
    """The rule of the confidence, before `made_cautious`."""
    counts = [1.0] * len(rows + leaning) + [BARE_WEIGHT] * len(bare)
    return fit(rows + leaning + bare, np.array(counts))


def says(w: Floats64, rows: Examples, least: float) -> NDArray[np.bool_]:
    """Which of these examples the rule `w` gives at least this probability."""
    return np.array([[*evidence, 1.0] for evidence, _ in rows]).reshape(-1, len(w)) @ w >= float(logit(least))


def lowered(w: Floats64, by: float) -> Floats64:
    """The rule with a lower constant."""
    return np.append(w[:-1], w[-1] - by)


def made_cautious(w: Floats64, rows: Examples, leaning: Examples, bare: Examples, most: int) -> Floats64:
    """The rule with its constant lowered until hardly a value of `rows` is confident and wrong, few of `leaning` and at
    most `most` of `bare` are confident."""
    right = np.array([r for _, r in rows])
    for step in range(400):
        rule = lowered(w, STEP * step)
        is_fair = (says(rule, rows, SURE) & ~right).sum() <= SURE_BUT_WRONG * len(rows)
        few_lean = says(rule, leaning, SURE).sum() <= LEANING_BUT_SURE * len(leaning)
        if is_fair and few_lean and says(rule, bare, SURE).sum() <= most:
            return rule
    raise ValueError("the wrong values are as sure as the right ones: train longer")


def _written(rule: Sequence[float] | Floats64) -> str:
    return "(" + ", ".join(f"{w:.3f}" for w in rule) + ")"


@dataclass(frozen=True, slots=True)
class NetFinds:
    """The detections of one set of networks: by source, and on tables with leaning dice, crowded tables without dice
    and plain tables without dice."""

    by_source: dict[str, list[LabelledPicture]]
    leaning: Examples
    bare: list[LabelledPicture]
    plain: list[LabelledPicture]


def _seen(photos: Path, pair: str) -> NetFinds:
    cv2.setNumThreads(1)
    sources, folder = pair.split("=", 1)
    networks = Networks(*networks_of(Path(folder)))
    by_source: dict[str, list[LabelledPicture]] = {}
    for line in label_lines(photos):
        if line["source"] in sources.split("+"):
            picture = picture_at(photos / line["image"])
            by_source.setdefault(line["source"], []).append(networks.see(picture, line["dice"]))
    seen = NetFinds(
        by_source,
        [row for picture, box in leaning_dice.pictures(LEANING_SEED) for row in networks.see_leaning(picture, box)],
        [networks.see(bare_table(seed).picture, []) for seed in range(BARE_SEED, BARE_SEED + BARE_TABLES)],
        [networks.see(picture, []) for seed in PLAIN_SEEDS for _, picture in notdice.pictures(seed)],
    )
    click.echo(f"{pair}: read")
    return seen


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--models", "pairs", multiple=True, required=True, metavar="SOURCE=MODELS")
@click.option("-o", "--out", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of the models.")
def command(photos: Path, pairs: tuple[str, ...], out: Path) -> None:
    """Writes the rule of the confidence to a file."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        seen = list(pool.map(_seen, [photos] * len(pairs), pairs))
    by_source: dict[str, list[LabelledPicture]] = {}
    for one in seen:
        by_source |= one.by_source
    leaning = [p for one in seen for p in one.leaning]
    bare, plain = [p for one in seen for p in one.bare], [p for one in seen for p in one.plain]
    photographs = [one for shown in by_source.values() for one in shown]
    right = sum(one.is_read_right(IS_A_DIE, LIMITS.alone_chance) for one in photographs)
    made_up = sum(len(one.kept(IS_A_DIE, LIMITS.alone_chance)) for one in plain)
    click.echo(f"{right} of {len(photographs)} photographs right, {made_up} dice made up in {len(plain)} without dice")
    rule = _confidence_rule(
        {name: values(shown) for name, shown in by_source.items()},
        leaning,
        values(bare) + values(plain),
        int(BARE_BUT_SURE * len(bare)),
    )
    kept = {"is_a_die": IS_A_DIE, "confidence": np.round(rule, 2).tolist()}
    (out / RULES_FILE.name).write_text(json.dumps(kept) + "\n", encoding="utf-8")


def _confidence_rule(by_source: dict[str, Examples], leaning: Examples, nothing: Examples, most: int) -> Floats64:
    for name, mine in by_source.items():
        others = [row for other, rows in by_source.items() if other != name for row in rows]
        rule = made_cautious(fit_confidence(others, leaning, nothing), others, leaning, nothing, most)
        sure, right = says(rule, mine, SURE), np.array([r for _, r in mine])
        click.echo(
            f"{name}: {len(right)} values, {(~right).sum()} wrong; by a rule of the others {sure.mean():.3f} sure, "
            f"{(sure & ~right).sum()} of them wrong"
        )
    photographed = [row for rows in by_source.values() for row in rows]
    fair = fit_confidence(photographed, leaning, nothing)
    click.echo(f"CONFIDENCE fitted: {_written(fair)}")
    rule = made_cautious(fair, photographed, leaning, nothing, most)
    click.echo(f"CONFIDENCE: Rule = {_written(rule)}")
    click.echo(
        f"{says(rule, photographed, SURE).mean():.3f} of {len(photographed)} values sure; "
        f"of dice that lean {says(rule, leaning, SURE).sum()} of {len(leaning)}; "
        f"{len(nothing)} were said of what is no die"
    )
    return rule


def main(argv: Sequence[str]) -> None:
    """Called by `bench.fit`."""
    command(list(argv), prog_name="python -m bench.fit dice")
