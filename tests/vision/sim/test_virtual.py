"""The virtual table does what people do at a table, and shows no more than a camera would."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.known import GAMES
from companion.game.table import overlap_mm
from tests.clock import Clock
from tests.scenes import KIT, SMALL_LENS
from vision.sim.rooms import room_by_chance
from vision.sim.scene import Body
from vision.sim.virtual import TableError, VirtualTable, height_for


@pytest.fixture
def clock() -> Clock:
    return Clock(100.0)


@pytest.fixture
def table(clock: Clock) -> VirtualTable:
    return VirtualTable(KIT, SMALL_LENS, clock=clock, wait=clock.wait)


def piece(table: VirtualTable, id: str) -> dict:
    return next(piece for piece in table.state()["pieces"] if piece["id"] == id)


def outside(table: VirtualTable, kind: str, color: str) -> int:
    return next(o["count"] for o in table.state()["outside"] if (o["kind"], o["color"]) == (kind, color))


def test_a_new_game_is_set_up_as_instructions_1_to_5_say(table: VirtualTable) -> None:
    ids = {p["id"] for p in table.state()["pieces"]}
    assert ids == {"territory_red", "territory_blue", *(f"empire_die_{c}_{i}" for c in ("red", "blue") for i in (1, 2))}
    red, blue = piece(table, "territory_red"), piece(table, "territory_blue")
    assert blue["x_mm"] - red["x_mm"] - 220 == pytest.approx(25)
    assert piece(table, "empire_die_red_2")["height_mm"] == 59
    assert piece(table, "empire_die_red_1")["eye"] == [1, 0, 0]  # towards blue, who sits at the right
    assert piece(table, "empire_die_blue_1")["eye"] == [-1, 0, 0]
    assert outside(table, "ninja", "black") == 30
    assert outside(table, "samurai", "red") == outside(table, "samurai", "blue") == 10


def test_territories_never_lie_on_each_other(table: VirtualTable) -> None:
    table.move("territory_red", 600, 350)
    lands: list[Body] = [b for b in table._scene if b.id.startswith("territory")]
    assert overlap_mm(lands[0].footprint, lands[1].footprint) <= 1e-6


def test_a_piece_put_on_another_lies_on_it(table: VirtualTable) -> None:
    low, high = (table.place("samurai", "red", x, 600) for x in (200, 400))
    table.stack(high, low, aside_mm=(10, 0))
    assert piece(table, high)["height_mm"] == 8
    table.remove(low)
    assert piece(table, high)["height_mm"] == 4
    assert outside(table, "samurai", "red") == 9


def test_a_die_turns_and_shows_the_face_asked_for(table: VirtualTable) -> None:
    id = "empire_die_red_2"
    assert not piece(table, id)["marked_up"]
    table.face_up(id, 2, 1)
    assert piece(table, id)["marked_up"]
    table.turn(id, 30)
    assert piece(table, id)["marked_up"]
    assert piece(table, id)["angle_deg"] == pytest.approx(30)
    table.flip(id)
    assert not piece(table, id)["marked_up"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda t: t.press("reset"), "there is no button 'reset', expected one of end_throw"),
        (lambda t: t.move("samurai_red_1", 1, 1), "there is no piece 'samurai_red_1' on the table"),
        (lambda t: t.throw("red", "territory", (0, 0), (1, 1)), "territory cannot be thrown"),
        (lambda t: t.flip("territory_red"), "a disk cannot be turned over: take a die"),
        (lambda t: t.stack("territory_red", "territory_blue"), "this is too large to lie on another"),
        (lambda t: t.place("ninja", "red", 1, 1), "there is no red ninja, expected black"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(table: VirtualTable, wrong, said: str) -> None:  # type: ignore[no-untyped-def]
    before = table.state()
    with pytest.raises(TableError, match=said.replace("(", r"\(")):
        wrong(table)
    assert table.state() == before


def test_the_camera_sees_the_hand_the_dark_and_the_bump(table: VirtualTable) -> None:
    def frame() -> np.ndarray:
        seen = table.frame()
        return seen.astype(float)

    still = frame()
    table.set_hand("blue")
    assert table.state()["hand"] == "blue"
    assert np.abs(frame() - still).mean() > 3
    table.set_hand(None)
    assert np.abs(frame() - still).mean() < 3
    table.bump(seed=1)
    assert np.abs(frame() - still).mean() > 3
    table.set_light(0.0)
    assert frame().mean() < 0.25 * still.mean()


def test_an_unplugged_camera_gives_nothing(table: VirtualTable) -> None:
    table.frame()
    table.set_plugged(False)
    assert table.frame(0.2) is None
    assert table.live() is None
    table.set_plugged(True)
    assert table.frame() is not None


def fresh() -> VirtualTable:
    return VirtualTable(KIT, seed=3)


def test_pieces_are_kept_and_laid_again() -> None:
    first, saved = fresh(), []
    first.on_change(lambda: saved.append(first.saved()))
    first.throw("red", "ninja", (20, 350), (600, 350), 0.5, seed=7)
    again = fresh()
    again.restore(saved[-1])
    assert {p["id"] for p in again.state()["pieces"]} - {p["id"] for p in fresh().state()["pieces"]} == {
        "ninja_black_1"
    }
    assert again.saved() == saved[-1]


@pytest.mark.parametrize("game", GAMES)
def test_every_camera_sees_all_fiducials(game: str) -> None:
    kit = default_kit(game)
    for seed in range(4):
        room = room_by_chance(kit, seed, height_for(kit), is_fine=True)
        half_mm = kit.mat.marker_mm / 2
        corners = [
            (x + u, y + v, 0.0)
            for x, y in kit.mat.markers.values()
            for u in (-half_mm, half_mm)
            for v in (-half_mm, half_mm)
        ]
        px = room.pose.to_pixels(np.array(corners))
        assert ((px > 0) & (px < (room.lens.width_px, room.lens.height_px))).all()
