"""Fits the rule of the confidence in `vision.dice` on dice that the networks never saw.

    python -m bench.train.dice_confidence --photos DIR --models SOURCE=MODELS [--models SOURCE=MODELS ...]

SOURCE is a source of photographs left out of MODELS' training; two of them are joined by +. The same networks also read
rendered scenes, dice that lean and tables without dice, drawn from seeds apart from those of training and bench.
Prints the five numbers, fitted first, then with the constant lowered until hardly a photographed value is both sure
and wrong, few of the dice that lean get a sure one, and nothing that is no die. Also prints, source by source, what a
rule fitted without it says: how many of its values are sure, and how many of these are wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from bench import leaning_dice
from bench.train.dice_data import draw_clutter
from bench.train.dice_scenes import scene
from companion.readings import SURE
from vision.dice import judged, logit
from vision.dice_face import FaceReader
from vision.dice_find import DiceFinder, Found

FRESH_SEED = 5_000_000
FRESH_SCENES = 80
LEANING_SEED = 5_500_000
BARE_SEED, BARE_TABLES = 6_000_000, 250
PULL = 0.02
"""How strongly weights are pulled to 0: few errors must not make them boundless."""

SURE_BUT_WRONG, CAUTION_STEP = 0.00125, 0.05
"""Of all values at most this share may be sure and wrong; the constant is lowered by such steps until it is so."""

LEANING_WEIGHT, LEANING_BUT_SURE = 3.0, 0.055
"""Each value said of a die that leans counts so much in the fit; of all of them at most this share may be sure."""
BARE_WEIGHT = 10.0
"""Each value said of what is no die counts so much; none may be sure."""

Examples = list[tuple[tuple[float, float, float, float], bool]]


def examples(picture: NDArray[np.uint8], truth: list[dict], finder: DiceFinder, faces: FaceReader) -> Examples:
    """Per value said in a picture: the four log odds, and whether it is right."""
    return told(picture, truth, finder.find(picture), faces)


def told(picture: NDArray[np.uint8], truth: list[dict], found: list[Found], faces: FaceReader) -> Examples:
    """The same for these finds."""
    out: Examples = []
    for one, row in zip(found, faces.read(picture, found), strict=True):
        verdict = judged(one, row)
        if verdict is None or not verdict.is_said:
            continue
        under = [t for t in truth if t["box"][0] <= one.x <= t["box"][2] and t["box"][1] <= one.y <= t["box"][3]]
        a, b, c, d = (logit(p) for p in verdict.evidence)
        out.append(((a, b, c, d), any(t["value"] == verdict.value for t in under)))
    return out


def fit(rows: Examples, leaning: Examples, bare: Examples) -> NDArray[np.float64]:
    """Logistic regression by Newton's steps: four weights (not below 0) and the constant."""
    x = np.array([[*a, 1.0] for a, _ in rows + leaning + bare])
    y = np.array([right for _, right in rows + leaning + bare], float)
    counts = np.array([1.0] * len(rows) + [LEANING_WEIGHT] * len(leaning) + [BARE_WEIGHT] * len(bare))
    w = np.array([0.2, 0.2, 0.2, 0.2, 0.0])
    pull = np.diag([PULL, PULL, PULL, PULL, 0.0]) * len(x) / 100
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (counts * (y - p)) - pull @ w
        hessian = (x * (counts * (p * (1 - p) + 1e-6))[:, None]).T @ x + pull
        w = w + np.linalg.solve(hessian, gradient)
        w[:4] = np.maximum(w[:4], 0)
    return w


def is_sure(w: NDArray[np.float64], rows: Examples) -> NDArray[np.bool_]:
    """Which of these values are sure by the rule `w`."""
    return np.array([[*a, 1.0] for a, _ in rows]).reshape(-1, 5) @ w >= float(logit(SURE))


def made_cautious(w: NDArray[np.float64], rows: Examples, leaning: Examples, bare: Examples) -> NDArray[np.float64]:
    """The constant lowered until hardly a value of `rows` is sure and wrong, few `leaning` and no `bare` ones sure."""
    right = np.array([r for _, r in rows])
    for step in range(400):
        lowered = w - np.array([0, 0, 0, 0, CAUTION_STEP * step])
        is_fair = (is_sure(lowered, rows) & ~right).sum() <= SURE_BUT_WRONG * len(rows)
        few_lean = is_sure(lowered, leaning).sum() <= LEANING_BUT_SURE * len(leaning)
        if is_fair and few_lean and not is_sure(lowered, bare).any():
            return np.asarray(lowered)
    raise ValueError("the wrong values are as sure as the right ones: train longer")


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--models", "pairs", multiple=True, required=True, metavar="SOURCE=MODELS")
def main(photos: Path, pairs: tuple[str, ...]) -> None:
    """Prints the rule."""
    cv2.setNumThreads(1)
    lines = [json.loads(line) for line in (photos / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    drawn: Examples = []
    leaning: Examples = []
    bare: Examples = []
    by_source: dict[str, Examples] = {}
    for pair in pairs:
        sources, folder = pair.split("=", 1)
        find, face, inks = (cv2.dnn.readNetFromONNX(f"{folder}/dice_{k}.onnx") for k in ("find", "face", "inks"))
        finder, faces = DiceFinder(find), FaceReader(face, inks)
        for line in lines:
            if line["source"] in sources.split("+"):
                said = examples(cv2.imread(str(photos / line["image"])), line["dice"], finder, faces)
                by_source.setdefault(line["source"], []).extend(said)
        for seed in range(FRESH_SEED, FRESH_SEED + FRESH_SCENES):
            made = scene(np.random.default_rng(seed))
            truth = [{"box": d.box, "value": d.value} for d in made.labels]
            drawn += examples(made.picture, truth, finder, faces)
        for picture, box in leaning_dice.pictures(LEANING_SEED):
            found = [f for f in finder.find(picture) if box[0] < f.x < box[2] and box[1] < f.y < box[3]]
            leaning += told(picture, [], found, faces)
        for table in draw_clutter(BARE_TABLES, BARE_SEED):
            bare += examples(table.picture(), [], finder, faces)
    photographed = [row for said in by_source.values() for row in said]
    for name, said in by_source.items():
        others = [row for other, rows in by_source.items() if other != name for row in rows]
        rule = made_cautious(fit(others + drawn, leaning, bare), others, leaning, bare)
        sure, right = is_sure(rule, said), np.array([r for _, r in said])
        click.echo(
            f"{name}: {len(said)} values, {(~right).sum()} wrong; by a rule of the others {sure.mean():.3f} sure, "
        )
        click.echo(f"  {(sure & ~right).sum()} of them wrong")
    fair = fit(photographed + drawn, leaning, bare)
    click.echo("fitted: ({:.3f}, {:.3f}, {:.3f}, {:.3f}, {:.3f})".format(*fair))
    rule = made_cautious(fair, photographed, leaning, bare)
    click.echo("CONFIDENCE: Rule = ({:.3f}, {:.3f}, {:.3f}, {:.3f}, {:.3f})".format(*rule))
    sure = is_sure(rule, photographed)
    click.echo(
        f"{sure.mean():.3f} of the values sure; of dice that lean {is_sure(rule, leaning).sum()} of {len(leaning)}"
    )


if __name__ == "__main__":
    main()
