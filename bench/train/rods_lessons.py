"""Lessons about rods: tables seen straight from above as the reader sees them, cell by cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.labels import lens_of
from bench.harness import Line, picture_at
from calibration.arrays import Floats
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import find_pose
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from companion.game.kit import Kit
from vision.sim.rod_table import MAT
from vision.sim.scene import Surface
from vision.sim.virtual import VirtualTable
from vision.tables.board.view import BoardView, view_of
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import CLASSES, seen_light

TIP_BREADTH = 1.8
WAYS = 256
MOST_HUNG = 25
"""Maximum number of hanging rods at a virtual table: late in a match the stand is crowded."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A table from above (rows, columns, 3), roots of light; at every second cell its class, and whether it hangs."""

    light: NDArray[np.float16]
    classes: NDArray[np.uint8]
    hangs: NDArray[np.uint8]
    ways: NDArray[np.uint8]
    """Direction of the rod from its nearer end, in `WAYS`ths of a turn from x towards y."""
    owners: NDArray[np.uint8]
    """The color of each cell's rod, as a class; 0: none."""
    places: NDArray[np.int32]
    """Cells (row, column) along rods."""


def lesson(view: BoardView, kit: Kit, rods: Sequence[tuple[str, Floats, bool]]) -> Lesson:
    """The labels of a view with known rods (colour, path (N, 3) in mm, whether it is loose)."""
    rod = kit.piece("rod")
    light = seen_light(view)
    rows, columns = light.shape[:2]
    classes, hangs, ways, owners = (np.zeros((rows, columns), np.uint8) for _ in range(4))
    pieces: list[tuple[float, Floats, int, float, tuple[int, int, int]]] = []
    for color, path, is_loose in rods:
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        fine = np.arange(0.0, s[-1], 1.0)
        points = np.column_stack([np.interp(fine, s, path[:, i]) for i in range(3)])
        cells = np.array([view.to_cells(view.lift(p[None, :2], p[2]))[0] for p in points])
        is_tip = (fine < rod.size_mm("tip")) | (fine > s[-1] - rod.size_mm("tip"))
        cells_a_mm = float(np.linalg.norm(np.diff(cells, axis=0), axis=1).mean())
        for k in range(len(cells) - 1):
            broad = rod.size_mm("wire") * (TIP_BREADTH if is_tip[k] else 1.0) * cells_a_mm
            name = CLASSES.index(color) if is_tip[k] else CLASSES.index("wire")
            x, y = (cells[k + 1] - cells[k]) * (1 if k < len(cells) / 2 else -1)
            way = round(float(np.arctan2(y, x)) / (2 * np.pi) * WAYS) % WAYS
            more = (0 if is_loose else 1, way, CLASSES.index(color))
            pieces.append((float(points[k, 2]), cells[k : k + 2], name, broad, more))
    for _, ends, name, broad, more in sorted(pieces, key=lambda piece: piece[0]):
        a, b = (tuple(int(v) for v in np.rint(end * 16)) for end in ends)
        for map_, value in zip((classes, hangs, ways, owners), (name, *more), strict=True):
            cv2.line(map_, a, b, value, max(1, round(broad)), cv2.LINE_8, 4)
    places = np.array([piece[1][0][::-1] for piece in pieces]).round().astype(np.int32)
    return Lesson(
        light.astype(np.float16),
        *(map_[:: LIMITS.cells_per_answer, :: LIMITS.cells_per_answer] for map_ in (classes, hangs, ways, owners)),
        places,
    )


@dataclass(frozen=True, eq=False)
class RodTable:
    """A picture of a Suspend table, its camera's lens, and all rods: color, path (N, 3) in mm, whether it is loose."""

    picture: NDArray[np.uint8]
    lens: Lens
    rods: list[tuple[str, Floats, bool]]

    def view(self) -> BoardView:
        """The table from straight above, as the reader sees it. Raises: ReadingError."""
        kit = default_kit("suspend")
        pose = find_pose(self.picture, self.lens, kit)
        box = (0.0, 0.0, kit.mat.width_mm, kit.mat.height_mm)
        return view_of(
            self.picture, pose, judge(self.picture, pose, kit), box, kit.piece("rod").size_mm("wire") * LIMITS.fair
        )


def pictured(path: Path, label: Line) -> RodTable:
    """A path-traced table with its label."""
    rods = [(rod["colour"], np.array(rod["path_mm"]), bool(rod["loose"])) for rod in label["rods"]]
    return RodTable(picture_at(path), lens_of(label), rods)


def virtual(seed: int) -> RodTable:
    """A virtual table: some rods hang, some are around the stand, on a mat of any color."""
    rng, now = np.random.default_rng(seed), [0.0]
    color = MAT if seed % 3 == 0 else tuple(int(v) for v in rng.integers(40, 220, 3))
    over = VirtualTable(
        default_kit("suspend"),
        seats="ABCD"[: int(rng.integers(2, 5))],
        seed=int(rng.integers(1 << 30)),
        surface=Surface(color=(color[0], color[1], color[2])),
        clock=lambda now=now: now[0],  # type: ignore[misc]
        wait=lambda s, now=now: now.__setitem__(0, now[0] + s),  # type: ignore[misc]
    )
    ids = [str(rod["id"]) for rod in over.truth()["rods"]]
    for id in rng.permutation(ids)[: int(rng.integers(0, MOST_HUNG))]:
        over.hang(str(id))
    for id in rng.permutation(ids)[: int(rng.integers(0, 3))]:
        over.lay(str(id), "stand")
    over.roll(value=int(rng.integers(1, 7)), is_cocked=False)
    now[0] += 20.0
    picture = over.frame()
    assert picture is not None
    rods = [(r["color"], np.array(r["path_mm"]), not r["is_hung"]) for r in json.loads(over.saved())["rods"]]
    return RodTable(picture, over.lens, rods)


def lesson_of(table: RodTable) -> Lesson | None:
    """The lesson of a table; None: the reader refuses the picture."""
    try:
        return lesson(table.view(), default_kit("suspend"), table.rods)
    except ReadingError:
        return None


def of_picture(path: Path, label: Line) -> Lesson | None:
    """The lesson of a path-traced table; None: the reader refuses the picture."""
    return lesson_of(pictured(path, label))


def of_virtual_table(seed: int) -> Lesson | None:
    """The lesson of a virtual table."""
    return lesson_of(virtual(seed))
