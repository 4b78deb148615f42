"""What the network of rods learns from: crops are turned with all that is known of them, and wires may be lacquered."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train import rods  # noqa: E402
from bench.train.rods import CROP, Lessons, Varied  # noqa: E402
from bench.train.rods_lessons import WAYS, Lesson  # noqa: E402
from bench.train.rods_net import Seer  # noqa: E402
from vision.tables.rods.limits import LIMITS  # noqa: E402
from vision.tables.rods.tips import CLASSES  # noqa: E402

STEEL, RED, MAT = (0.6, 0.6, 0.6), (0.2, 0.2, 0.9), (0.3, 0.5, 0.3)
RED_TIP, WIRE = CLASSES.index("red"), CLASSES.index("wire")
SIDE = 600


def straight() -> Lesson:
    """A red rod along a row, which leads to the right from its left end on."""
    name, owners, ways = (np.zeros((SIDE // LIMITS.cells_per_answer,) * 2, np.uint8) for _ in range(3))
    name[148:152, 100:200], name[148:152, 200:206] = WIRE, RED_TIP
    owners[148:152, 100:206] = RED_TIP
    light = (
        np.array([MAT, STEEL, *[RED] * (len(CLASSES) - 2)], np.float16)[name]
        .repeat(LIMITS.cells_per_answer, 0)
        .repeat(LIMITS.cells_per_answer, 1)
    )
    places = np.array([(300, column) for column in range(200, 412, 2)], np.int32)
    return Lesson(light, name, (owners > 0).astype(np.uint8), ways, owners, places)


def test_crops_are_turned_with_the_ways_of_their_rods() -> None:
    light, name, hangs, way, owners = Lessons([straight()], "cpu").batch(np.random.default_rng(3), 24)
    assert light.shape == (24, 3, CROP, CROP)
    along = across = 0
    for one in range(24):
        rows, columns = torch.nonzero(name[one] == WIRE, as_tuple=True)
        x, y = way[one, :, rows, columns]
        for right, down, is_along in ((x, y, True), (-y, x, False)):
            at = (rows + 6 * down).round().long(), (columns + 6 * right).round().long()
            is_in = (
                (at[0] >= 0)
                & (at[0] < CROP // LIMITS.cells_per_answer)
                & (at[1] >= 0)
                & (at[1] < CROP // LIMITS.cells_per_answer)
            )
            on = int((name[one][at[0][is_in], at[1][is_in]] > 0).sum())
            along, across = (along + on, across) if is_along else (along, across + on)
    assert along > 20 * across
    assert torch.equal(owners > 0, name > 0)
    assert torch.equal(hangs > 0, name > 0)
    assert WAYS == 256


def test_a_lacquered_wire_has_the_color_of_its_tip_and_the_mat_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rods, "LACQUERED", 1.0)
    lesson = straight()
    light = torch.from_numpy(lesson.light.astype(np.float32)).permute(2, 0, 1)[None]
    name, owners = (torch.from_numpy(map_.astype(np.int64))[None] for map_ in (lesson.classes, lesson.owners))
    seen = Varied(2, "cpu")._lacquered(light, name, owners)[0]
    blue, _, red = seen[:, 300, 300].tolist()
    assert red > 2.5 * blue
    np.testing.assert_allclose(seen[:, 20, 20], MAT, atol=0.01)
    np.testing.assert_array_equal(Varied(2, "cpu")._lacquered(light, name * 0, owners), light)


def test_the_network_says_all_classes_what_hangs_and_both_ways_of_every_second_cell() -> None:
    said = Seer().eval()(torch.zeros(1, 3, 64, 96))
    assert said.shape == (1, len(CLASSES) + 5, 64 // LIMITS.cells_per_answer, 96 // LIMITS.cells_per_answer)
