"""Trains the network that finds an eye on a die's top: `python -m bench.train.top_eye --pictures FOLDER -o
vision/models/top_eye.onnx`.

Its lessons are the tops of dice in labelled pictures. Training varies light, color, glare, sharpness, noise and place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import click
import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.eyes_cameras import lens_of
from bench.harness import picture_at
from bench.train.dice_nets import Residual, conv
from bench.train.nets import Draws, by_steps, export, soft, trained
from calibration.arrays import Floats32
from calibration.pose import find_pose
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from companion.game.readings import Kind
from vision.measure.bodies import Place, faces_seen
from vision.measure.prepared import prepare
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Shapes
from vision.tables.eyes.top_eye import face_of

KIT = default_kit("eyes_of_the_emperor")
BATCH, RATE, DECAY, KEPT = 64, 2e-3, 0.02, 0.99
SIDE, AROUND = 40, 4
"""Side of the network's picture; a lesson's has more pixels on each edge."""
BRIGHT = 0.75
"""Light above this share of saturation is also shown alone, four times as strong."""
STEEP_DEG, SEEN = 20.0, 0.95
"""Maximum tilt of a lesson's die; minimum share of it that is seen."""
GAIN, TINT, TURN, GROWTH, MOVED = 0.2, 0.04, 0.04, 0.05, 0.05
"""Standard deviations: logarithms of light and of color, radians, logarithm of the size, half widths of the picture."""
GLARED, MOST_GLARE, BLURRED, MOST_BLUR_PX, MOST_NOISE = 0.15, 0.5, 0.3, 1.2, 0.015

Lesson = tuple[Floats32, bool]
"""The light of a top (3, H, W), and whether it shows an eye."""


class TopEyeNet(nn.Module):
    """Light (N, 3, SIDE, SIDE) -> the log odds of an eye (N, 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(6, 16, 2), Residual(16), conv(16, 32, 2), Residual(32), conv(32, 48, 2), Residual(48)
        )
        self.drop, self.head = nn.Dropout(0.2), nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        """The log odds of an eye."""
        bright = (x - BRIGHT) / (1 - BRIGHT)
        x = torch.cat([x.clamp(0, 1).sqrt(), bright.clamp(0, 1)], 1)
        return self.head(self.drop(self.body(x).mean((2, 3))))


def of_picture(path: Path) -> list[Lesson]:
    """The visible tops of a labelled picture; none if its fiducials do not fit the camera."""
    label = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    picture, die = picture_at(path), Shapes.of(KIT).empire_die
    try:
        pose = find_pose(picture, lens_of(path.parent, label["camera_id"], label), KIT)
    except ReadingError:
        return []
    image = prepare(picture, pose, KIT)
    lessons = []
    for piece in label["pieces"]:
        if piece["kind"] != Kind.EMPIRE_DIE.value or piece["tilt_deg"] > STEEP_DEG or piece["visible_frac"] < SEEN:
            continue
        place = Place(np.array(piece["centre_mm"]), np.array(piece["R"]))
        for axis, sign, _, is_up in faces_seen(image.view, die, place, LIMITS.min_cosine):
            if is_up and not (piece["marked_up"] and piece["eye_visible_frac"] < SEEN):
                lessons.append((face_of(image, die, place, axis, sign, SIDE, AROUND), bool(piece["marked_up"])))
    return lessons


class TopChanges(Draws):
    """Random changes of tops."""

    def of(self, light: Tensor) -> Tensor:
        """Tops (N, 3, H, W), changed and cut."""
        n = len(light)
        turn = torch.floor(4 * self._uniform((n,))) * math.pi / 2 + TURN * self._normal((n,))
        size = SIDE / light.shape[-1] * torch.exp(GROWTH * self._normal((n,)))
        flip = torch.where(self._uniform((n,)) < 0.5, 1.0, -1.0)
        across, down = size * turn.cos(), size * turn.sin()
        moved = MOVED * self._normal((n, 2))
        rows = [across * flip, -down, moved[:, 0], down * flip, across, moved[:, 1]]
        grid = functional.affine_grid(torch.stack(rows, 1).view(n, 2, 3), [n, 3, SIDE, SIDE], align_corners=False)
        light = functional.grid_sample(light, grid, padding_mode="border", align_corners=False)
        light = light * torch.exp(GAIN * self._normal((n, 1, 1, 1)) + TINT * self._normal((n, 3, 1, 1)))
        glare = self._uniform((n, 1, 1, 1), 0, MOST_GLARE) * (self._uniform((n, 1, 1, 1)) < GLARED)
        noise = self._uniform((n, 1, 1, 1), 0, MOST_NOISE) * light.clamp(0.05).sqrt() * self._normal(light.shape)
        light = light + glare + noise
        is_soft = self._uniform((n,)) < BLURRED
        light[is_soft] = soft(light[is_soft], float(self._uniform((1,), 0.3, MOST_BLUR_PX)))
        return light


def taught(lessons: list[Lesson], steps: int, seed: int) -> TopEyeNet:
    """The network after `steps` batches."""
    torch.manual_seed(seed)
    tops = torch.from_numpy(np.stack([light for light, _ in lessons]))
    have_eye = torch.tensor([float(is_one) for _, is_one in lessons])
    changes, rng = TopChanges(seed, "cpu"), np.random.default_rng(seed)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            some = torch.from_numpy(rng.integers(0, len(tops), BATCH))
            yield changes.of(tops[some]), have_eye[some, None]

    loss_of = functional.binary_cross_entropy_with_logits
    return trained(TopEyeNet(), batches(), by_steps(steps), loss_of, rate=RATE, decay=DECAY, name="top eye", kept=KEPT)


@click.command(help=__doc__)
@click.option("--pictures", type=click.Path(path_type=Path), required=True, help="A folder of labelled pictures.")
@click.option("--steps", default=1500, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(pictures: Path, steps: int, seed: int, out: Path) -> None:
    """Reads the tops, trains and writes."""
    cv2.setNumThreads(1)
    lessons = [lesson for path in sorted(pictures.glob("*.jpg")) for lesson in of_picture(path)]
    click.echo(f"{len(lessons)} tops, {sum(is_one for _, is_one in lessons)} with an eye")
    export(taught(lessons, steps, seed), (3, SIDE, SIDE), out)


if __name__ == "__main__":
    main()
