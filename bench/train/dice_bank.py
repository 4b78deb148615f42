"""A folder of drawn scenes in the form of the labelled photographs: images/ and labels.jsonl.

python -m bench.train.dice_bank DIR --scenes 2000 --photos DIR
"""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import click
import cv2
import numpy as np

from bench.train.dice_scenes import MARGIN_PX, close, scene

SIDE_PX = 320
CLOSE = 0.4
"""Share of scenes with dice from near."""


def grounds(photos: Path | None) -> list[np.ndarray]:
    """Natural pictures to throw dice on: scikit-image's own (public domain, CC0) and licensed card pictures."""
    from skimage import data  # of the extra `train`

    found = []
    for name in ("astronaut", "coffee", "coins", "chelsea", "brick", "grass", "gravel", "page", "text"):
        picture = getattr(data, name)()
        found.append(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR) if picture.ndim == 2 else picture[..., 2::-1].copy())
    labels = photos.parent / "cards" / "labels.jsonl" if photos else None
    if labels is not None and labels.exists():
        lines = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
        for line in [x for x in lines if "none" not in x["license"]][::6]:
            picture = cv2.imread(str(labels.parent / line["image"]))
            found.append(cv2.resize(picture, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA))
    return found


def _ground(rng: np.random.Generator, pictures: list[np.ndarray]) -> np.ndarray | None:
    if not pictures or rng.random() > 0.2:
        return None
    picture = pictures[int(rng.integers(len(pictures)))]
    need = SIDE_PX + 2 * MARGIN_PX
    grow = max(need / min(picture.shape[:2]), 1.0) * rng.uniform(1, 1.5)
    picture = cv2.resize(picture, None, fx=grow, fy=grow)
    y, x = (int(rng.integers(n - need + 1)) for n in picture.shape[:2])
    return (picture[y : y + need, x : x + need] / 255 * rng.uniform(0.6, 1.1)).astype(np.float32)


def _make(task: tuple[str, int, int, str | None]) -> list[str]:
    folder, first, count, photos = task
    cv2.setNumThreads(1)
    pictures = grounds(Path(photos) if photos else None)
    lines = []
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        is_close = rng.random() < CLOSE
        made = close(rng, SIDE_PX, SIDE_PX) if is_close else scene(rng, SIDE_PX, SIDE_PX, _ground(rng, pictures))
        name = f"images/{seed:06d}.jpg"
        cv2.imwrite(f"{folder}/{name}", made.picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 98))])
        dice = [
            {"box": d.box, "value": d.value, "seen": round(d.seen, 3), "pose": np.round(d.pose, 4).tolist()}
            for d in made.labels
        ]
        lines.append(json.dumps({"image": name, "source": "rendered", "dice": dice, "can_roll": made.can_roll}))
    return lines


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--scenes", default=2000, help="So many, about 0.2 s each; the same seeds give the same scenes.")
@click.option("--photos", type=click.Path(path_type=Path, exists=True), help="Pictures beside it are thrown on too.")
@click.option("--workers", default=2)
def main(folder: Path, scenes: int, photos: Path | None, workers: int) -> None:
    """Draws scenes into a folder."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    block = 50
    tasks = [(str(folder), k, min(block, scenes - k), str(photos) if photos else None) for k in range(0, scenes, block)]
    with multiprocessing.Pool(workers) as pool, (folder / "labels.jsonl").open("w", encoding="utf-8") as out:
        for lines in pool.imap(_make, tasks):
            out.write("".join(line + "\n" for line in lines))
            out.flush()


if __name__ == "__main__":
    main()
