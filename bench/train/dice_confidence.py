"""Fits the rule of the confidence in `vision.dice` on dice that the networks never saw.

    python -m bench.train.dice_confidence --photos DIR --models SOURCE=MODELS [--models SOURCE=MODELS ...]

SOURCE is a source of photographs left out of MODELS' training; two of them are joined by +. The same networks also read
rendered scenes and dice that lean, all drawn from seeds apart from those of training and bench.
Prints the five numbers, fitted first, then with the constant lowered until hardly a photographed value is both sure
and wrong, and few of the dice that lean get a sure one.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from bench import leaning_dice
from bench.train.dice_scenes import scene
from companion.readings import SURE
from vision.dice import DOUBT, IS_A_DIE, RATHER_NOT, logit
from vision.dice_face import FaceReader
from vision.dice_find import DiceFinder, Found

FRESH_SEED = 5_000_000
FRESH_SCENES = 80
LEANING_SEED = 5_500_000
PULL = 0.02
"""How strongly weights are pulled to 0: few errors must not make them boundless."""

SURE_BUT_WRONG, CAUTION_STEP = 0.00125, 0.05
"""Of all values at most this share may be sure and wrong; the constant is lowered by such steps until it is so."""

LEANING_BUT_SURE = 0.08
"""Of the values said of dice that lean at most this share may be sure."""

Examples = list[tuple[tuple[float, float, float, float], bool]]


def examples(picture: NDArray[np.uint8], truth: list[dict], finder: DiceFinder, faces: FaceReader) -> Examples:
    """Per value said in a picture: the four log odds, and whether it is right."""
    return told(picture, truth, finder.find(picture), faces)


def told(picture: NDArray[np.uint8], truth: list[dict], found: list[Found], faces: FaceReader) -> Examples:
    """The same for these finds."""
    out: Examples = []
    for one, row in zip(found, faces.read(picture, found), strict=True):
        share = row[:7] / max(1e-6, float(row[:7].sum()))
        value = 1 + int(np.argmax(share[1:]))
        chance = float(share[value])
        is_die = float(np.sqrt(one.heat * (1 - row[7])))
        if chance < RATHER_NOT * share[0] or is_die * chance**DOUBT < IS_A_DIE:
            continue
        under = [t for t in truth if t["box"][0] <= one.x <= t["box"][2] and t["box"][1] <= one.y <= t["box"][3]]
        right = any(t["value"] == value for t in under)
        chances = (chance * (1 - float(row[7])), float(one.opinion[value]), one.heat, 1 - float(share[0]))
        a, b, c, d = (logit(p) for p in chances)
        out.append(((a, b, c, d), right))
    return out


def fit(rows: Examples) -> NDArray[np.float64]:
    """Logistic regression by Newton's steps: four weights (not below 0) and the constant."""
    x = np.array([[*a, 1.0] for a, _ in rows])
    y = np.array([right for _, right in rows], float)
    w = np.array([0.2, 0.2, 0.2, 0.2, 0.0])
    pull = np.diag([PULL, PULL, PULL, PULL, 0.0]) * len(rows) / 100
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (y - p) - pull @ w
        hessian = (x * (p * (1 - p) + 1e-6)[:, None]).T @ x + pull
        w = w + np.linalg.solve(hessian, gradient)
        w[:4] = np.maximum(w[:4], 0)
    return w


def made_cautious(w: NDArray[np.float64], rows: Examples, leaning: Examples) -> NDArray[np.float64]:
    """The constant lowered until hardly a value of `rows` would be sure and wrong, and few of `leaning` sure."""
    x, right = np.array([[*a, 1.0] for a, _ in rows]), np.array([r for _, r in rows])
    tilted = np.array([[*a, 1.0] for a, _ in leaning])
    sure = float(logit(SURE))
    for step in range(400):
        lowered = w - np.array([0, 0, 0, 0, CAUTION_STEP * step])
        is_fair = ((x @ lowered >= sure) & ~right).sum() <= SURE_BUT_WRONG * len(rows)
        if is_fair and (tilted @ lowered >= sure).sum() <= LEANING_BUT_SURE * len(leaning):
            return np.asarray(lowered)
    raise ValueError("the wrong values are as sure as the right ones: train longer")


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--models", "pairs", multiple=True, required=True, metavar="SOURCE=MODELS")
def main(photos: Path, pairs: tuple[str, ...]) -> None:
    """Prints the rule."""
    cv2.setNumThreads(1)
    lines = [json.loads(line) for line in (photos / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    rows: Examples = []
    photographed: Examples = []
    leaning: Examples = []
    for pair in pairs:
        sources, folder = pair.split("=", 1)
        find, face, inks = (cv2.dnn.readNetFromONNX(f"{folder}/dice_{k}.onnx") for k in ("find", "face", "inks"))
        finder, faces = DiceFinder(find), FaceReader(face, inks)
        mine: Examples = []
        for line in lines:
            if line["source"] in sources.split("+"):
                mine += examples(cv2.imread(str(photos / line["image"])), line["dice"], finder, faces)
        drawn: Examples = []
        for seed in range(FRESH_SEED, FRESH_SEED + FRESH_SCENES):
            made = scene(np.random.default_rng(seed))
            truth = [{"box": d.box, "value": d.value} for d in made.labels]
            drawn += examples(made.picture, truth, finder, faces)
        for picture, box in leaning_dice.pictures(LEANING_SEED):
            found = [f for f in finder.find(picture) if box[0] < f.x < box[2] and box[1] < f.y < box[3]]
            leaning += told(picture, [], found, faces)
        for name, said in ((sources, mine), ("drawn", drawn)):
            click.echo(f"{name}: {len(said)} values, {sum(not right for _, right in said)} wrong")
        photographed += mine
        rows += mine + drawn
    fair = fit(rows + leaning)
    click.echo("fitted: ({:.3f}, {:.3f}, {:.3f}, {:.3f}, {:.3f})".format(*fair))
    rule = made_cautious(fair, photographed, leaning)
    click.echo("CONFIDENCE: Rule = ({:.3f}, {:.3f}, {:.3f}, {:.3f}, {:.3f})".format(*rule))


if __name__ == "__main__":
    main()
