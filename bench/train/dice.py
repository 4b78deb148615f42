"""Trains the five dice networks: `python -m bench.train.dice --photos DIR -o DIR` (extra `train`).

Draws scenes and bare tables, and adds the photographs with a stated licence. The finder is trained first. Its
detections then serve to train the face readers and the network that judges a detection by its surroundings. `--without
SOURCE` leaves a source of photographs out, for figures of unseen sources. `bench.train.in_bytes` quantises the
networks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.train import dice_lessons as lessons
from bench.train.dice_lessons import DieSpot, Lesson, Sample
from bench.train.dice_nets import (
    SMOOTHED,
    Context,
    DieFinderNet,
    FaceNet,
    PoseNet,
    face_loss,
    find_loss,
    pose_loss,
)
from bench.train.nets import by_steps, export, trained
from vision.photo.dice.face import COLOURS, CROP_PX, INKS
from vision.photo.dice.find import DiceFinder

BATCH = {"find": 64, "face": 256, "inks": 256, "context": 256, "pose": 96}
CHANNELS = (3, 6)
"""Input channels of each face reader: red, green, blue; the second also gets three inks."""
STEPS = {"find": 12_000, "face": 8_000, "inks": 8_000, "context": 8_000, "pose": 10_000}
RATE, DECAY = 2e-3, 0.02
BARE, PHOTOGRAPHED, LEANING, NONE = 0.1, 0.3, 0.12, 0.25
"""Shares of lessons: bare tables (finder), photographs, leaning dice (faces, pose), and other things."""
BARE_SEED = 2_000_000
Lots = Sequence[tuple[float, Sequence[Any]]]
"""The material of lessons, with the share of each."""


class DrawnLessons(torch.utils.data.IterableDataset[Lesson]):
    """Endless lessons from lots, each lot drawn with its share; empty lots are left out."""

    def __init__(self, lots: Lots, lesson: Callable[[np.random.Generator, Any], Lesson], seed: int) -> None:
        self._lots = [(share, lot) for share, lot in lots if share > 0 and len(lot)]
        self._lesson, self._seed = lesson, seed

    def __iter__(self) -> Iterator[Lesson]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng((self._seed, worker.id if worker else 0))
        shares = np.array([share for share, _ in self._lots])
        while True:
            lot = self._lots[int(rng.choice(len(shares), p=shares / shares.sum()))][1]
            yield self._lesson(rng, lot[int(rng.integers(len(lot)))])


class School:
    """All samples, and the training of each network with them."""

    def __init__(self, samples: Sequence[Sample], steps: float, workers: int, device: str) -> None:
        self._steps, self._workers, self._device = steps, workers, device
        self._drawn = [s for s in samples if s.source == "drawn"]
        self._bare = [s for s in samples if s.source == "bare"]
        self._photos = [s for s in samples if s.source not in ("drawn", "bare")]
        self._dice = [spot for s in samples for spot in lessons.spots_of(s)]
        self._finds: list[DieSpot] = []

    def find(self) -> nn.Module:
        """The trained finder. Its detections are examples for the other networks."""
        some = len(self._photos) > 0
        lots = ((1 - BARE - some * PHOTOGRAPHED, self._drawn), (BARE, self._bare), (PHOTOGRAPHED, self._photos))
        net = self._taught("find", DieFinderNet(), lots, lessons.square, find_loss)
        finder = DiceFinder(lambda batch: net(torch.from_numpy(batch)).detach().numpy())
        every = (*self._drawn, *self._bare, *self._photos)
        self._finds = [spot for sample in every for spot in lessons.found_in(sample, finder)]
        click.echo(f"{len(self._finds)} finds, {sum(bool(spot.is_die) for spot in self._finds)} of them dice")
        return net

    def face(self, which: int) -> nn.Module:
        """A trained face reader: of the colours, or also of the inks."""
        photos = [spot for spot in self._dice if spot.face is not None and not spot.sample.has_poses]
        clear = [spot for spot in self._dice if spot.face is not None and spot.sample.has_poses]
        lots = (
            (1 - PHOTOGRAPHED - LEANING - NONE, clear),
            (PHOTOGRAPHED, photos),
            (LEANING, [spot for spot in clear if spot.face == 0]),
            (NONE, [spot for spot in self._finds if spot.face == lessons.NO_DIE]),
        )
        name = "inks" if which == INKS else "face"
        net = FaceNet(CHANNELS[which])
        return self._taught(name, net, lots, lambda rng, spot: lessons.face(rng, spot, which == INKS), face_loss)

    def context(self) -> nn.Module:
        """The trained network that judges a detection by its surroundings."""
        lots = [(0.5, [s for s in (*self._finds, *self._dice) if s.is_die is answer]) for answer in (True, False)]

        def loss_of(out: Tensor, is_die: Tensor) -> Tensor:
            softened = SMOOTHED + (1 - 2 * SMOOTHED) * is_die
            return functional.binary_cross_entropy_with_logits(out, softened)

        return self._taught("context", Context(), lots, lessons.context, loss_of)

    def pose(self) -> nn.Module:
        """The trained network for a die's pose, without photographs: they have no poses in their labels."""
        posed = [spot for spot in self._dice if spot.pose is not None]
        lots = ((1 - LEANING, posed), (LEANING, [spot for spot in posed if spot.face == 0]))
        return self._taught("pose", PoseNet(), lots, lessons.pose, pose_loss)

    def _taught(
        self, name: str, net: nn.Module, lots: Lots, lesson: Callable[..., Lesson], loss_of: Callable[..., Tensor]
    ) -> nn.Module:
        torch.manual_seed(0)
        many = {"num_workers": self._workers, "multiprocessing_context": "fork"} if self._workers else {}
        batches = torch.utils.data.DataLoader(DrawnLessons(lots, lesson, 5), batch_size=BATCH[name], **many)
        share_of = by_steps(max(2, round(STEPS[name] * self._steps)))
        return trained(net, batches, share_of, loss_of, rate=RATE, decay=DECAY, name=name, device=self._device).cpu()


@click.command()
@click.option("--photos", type=click.Path(path_type=Path, exists=True), help="Folder with labels.jsonl.")
@click.option("--without", multiple=True, metavar="SOURCE", help="A source of photographs to leave out.")
@click.option("--scenes", default=30_000, help="Number of drawn scenes; a tenth as many bare tables are added.")
@click.option("--steps", default=1.0, help="Share of the usual number of batches.")
@click.option("--workers", default=0, help="Processes that draw and cut.")
@click.option("--device", default="cpu")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(
    photos: Path | None, without: tuple[str, ...], scenes: int, steps: float, workers: int, device: str, out: Path
) -> None:
    """Writes the networks."""
    cv2.setNumThreads(1)
    seeds = [(lessons.drawn, range(scenes)), (lessons.bare, range(BARE_SEED, BARE_SEED + max(2, scenes // 10)))]
    if workers:
        with ProcessPoolExecutor(workers) as pool:
            samples = [one for make, some in seeds for one in pool.map(make, some, chunksize=8)]
    else:
        samples = [make(seed) for make, some in seeds for seed in some]
    samples += lessons.photographs(photos, without) if photos is not None else []
    school = School(samples, steps, workers, device)
    export(school.find(), (3, lessons.SIDE_PX, lessons.SIDE_PX), out / "dice_find.onnx", of_any_size=True)
    for name, which in (("face", COLOURS), ("inks", INKS)):
        export(school.face(which), (CHANNELS[which], CROP_PX, CROP_PX), out / f"dice_{name}.onnx")
    export(school.context(), (6, CROP_PX, CROP_PX), out / "dice_context.onnx")
    export(school.pose(), (3, CROP_PX, CROP_PX), out / "dice_pose.onnx")


if __name__ == "__main__":
    main()
