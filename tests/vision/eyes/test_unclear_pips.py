"""A ninja whose pips are not clear is shown to the dice reader: without its word no value is said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, shared_renderer, territory
from vision.measure.bodies import Fit, upright
from vision.photo.dice.face import FaceReader
from vision.photo.dice.find import Floats, Found
from vision.readers import Picture
from vision.sim.scene import Body, Scene
from vision.tables.eyes import detect, open_eye, read_ninjas
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes

pytestmark = pytest.mark.nightly

STANDS = {4: (300.0, 150.0), 2: (640.0, 350.0)}
"""The second stands on a territory."""


@dataclass
class Told(FaceReader):
    """Gives a value a chance, and keeps the places it was asked about."""

    value: int
    chance: float
    asked: list[Found] = field(default_factory=list)

    def look(self, picture: Picture, found: list[Found]) -> Floats:
        self.asked += found
        chances = np.full((len(found), 8), (1 - self.chance) / 7, np.float32)
        chances[:, self.value] = self.chance
        return chances


@pytest.fixture(scope="module")
def table() -> Picture:
    land = territory("blue", at=(640, 350))
    top_mm = KIT.piece("territory").size_mm("height")
    dice = (ninja(4, STANDS[4]), ninja(2, STANDS[2], on_mm=top_mm, angle_deg=20))
    return shared_renderer(WIDE_LENS).picture(Scene(bodies=(land, *dice)))


def values(table: Picture, faces: FaceReader | None) -> set[int | None]:
    seen = detect.detect_pieces(table, find_pose(table, WIDE_LENS, KIT), KIT, Shapes.of(KIT), faces=faces)
    return {piece.value for piece in seen.pieces if piece.kind is Kind.NINJA}


def test_clear_pips_need_no_second_word(table: Picture) -> None:
    nobody = Told(value=6, chance=0.99)
    assert values(table, nobody) == {4, 2}
    assert nobody.asked == []


@pytest.mark.parametrize(("chance", "told"), [(0.9, {4, None}), (0.2, {None})])
def test_unclear_pips_need_the_dice_readers_word(
    table: Picture, monkeypatch: pytest.MonkeyPatch, chance: float, told: set[int | None]
) -> None:
    monkeypatch.setattr(read_ninjas, "LIMITS", replace(LIMITS, clear_pips=1.1))
    assert values(table, Told(value=4, chance=chance)) == told


def test_the_dice_reader_is_shown_the_die_where_it_stands(table: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ninjas, "LIMITS", replace(LIMITS, clear_pips=1.1))
    asked = Told(value=4, chance=0.9)
    values(table, asked)
    pose = find_pose(table, WIDE_LENS, KIT)
    half = KIT.piece(Kind.NINJA).size_mm("side") / 2
    heights = {4: half, 2: half + KIT.piece("territory").size_mm("height")}
    for value, at in STANDS.items():
        x, y = pose.to_pixels([(*at, heights[value])])[0]
        assert min(np.hypot(found.x - x, found.y - y) for found in asked.asked) < 1.5


def test_the_real_dice_reader_bears_clear_pips_out(table: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ninjas, "LIMITS", replace(LIMITS, clear_pips=1.1))
    assert values(table, FaceReader()) == {4, 2}


def test_what_lies_between_two_dice_is_none_without_the_dice_readers_word(table: Picture) -> None:
    """Their walls and shadows may look like a die of which the pips are not clear. What stands elsewhere may be none:
    a die's corner beside a samurai was told as a ninja with 0.85."""
    pose, solid = find_pose(table, WIDE_LENS, KIT), Shapes.of(KIT).ninja

    def told(x_mm: float, value: int, confidence: float) -> Detection:
        fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0)
        return Detection(Kind.NINJA, "black", solid, fit, value=value, confidence=confidence)

    clear = [told(200.0, 4, 0.95), told(223.4, 2, 0.95)]
    between, alone = told(211.7, 2, 0.8), told(300.0, 2, 0.8)
    nobody, everybody = Told(value=2, chance=0.1), Told(value=2, chance=0.9)
    assert read_ninjas.confirm_values(table, pose, [*clear, between, alone], everybody) == [*clear, between, alone]
    kept = read_ninjas.confirm_values(table, pose, [*clear, between, alone], nobody)
    assert kept[:2] == clear
    assert [(ninja.place, ninja.value, ninja.confidence) for ninja in kept[2:]] == [(alone.place, None, 0.5)]


@pytest.mark.parametrize(("x_mm", "is_kept"), [(213.9, False), (215.5, True)])
def test_the_wall_of_a_ninja_beside_a_rim_is_no_ninja_that_leans_on_it(
    table: Picture, x_mm: float, is_kept: bool
) -> None:
    """Virtual table, seed 3, throw 33: the three pips of a wall beside a samurai were told as a ninja with 0.83."""
    pose, solid = find_pose(table, WIDE_LENS, KIT), Shapes.of(KIT).ninja
    fits = [Fit(upright(x, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0) for x in (200.0, x_mm)]
    clear = Detection(Kind.NINJA, "black", solid, fits[0], value=1, confidence=0.95)
    wall = Detection(Kind.NINJA, "black", solid, fits[1], confidence=0.83, reason=read_ninjas.LEANING)
    kept = read_ninjas.confirm_values(table, pose, [clear, wall], Told(value=1, chance=0.9))
    assert (wall in kept) is is_kept


@pytest.mark.parametrize("height_mm", [1000, 1250])
@pytest.mark.parametrize(
    ("die", "samurai_at"),
    [
        (empire_die("red", (480.0, 80.0), angle_deg=2.7), (487.4, 77.0)),
        (empire_die("blue", (500.0, 620.0), angle_deg=81.0), (494.1, 619.0)),
    ],
)
def test_a_corner_of_a_die_that_a_samurai_covers_is_not_surely_a_ninja(
    die: Body, samurai_at: tuple[float, float], height_mm: float
) -> None:
    """White beside a shadow looks like a pip: such corners were told as ninjas with up to 0.85."""
    bodies = (territory("red"), territory("blue"), die, samurai("red", samurai_at, on_mm=die.highest_mm))
    picture = shared_renderer(WIDE_LENS, height_mm=height_mm).picture(Scene(bodies=bodies), 1)
    found = [piece for piece in open_eye(WIDE_LENS, KIT).read(picture).pieces if piece.kind is Kind.NINJA]
    assert all(ninja.confidence <= LIMITS.unread_confidence for ninja in found)


def test_a_two_needs_clearer_pips_and_stays_without_a_value(table: Picture) -> None:
    """A one's pip and one beside it look like a two."""
    pose, solid = find_pose(table, WIDE_LENS, KIT), Shapes.of(KIT).ninja
    two, four = (
        Detection(
            Kind.NINJA,
            "black",
            solid,
            Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0),
            value=value,
            confidence=0.93,
        )
        for x_mm, value in ((200.0, 2), (211.7, 4))
    )
    kept = read_ninjas.confirm_values(table, pose, [two, four], Told(value=1, chance=0.9))
    assert [(ninja.place, ninja.value) for ninja in kept] == [(two.place, None), (four.place, 4)]
