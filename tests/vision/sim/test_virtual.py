"""The virtual table does what people do at a table, and shows no more than a camera would."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.known import GAMES
from companion.game.table import overlap_mm
from companion.games.suspend import GAME as SUSPEND
from tests.clock import Clock
from tests.scenes import KIT, SMALL_LENS, to_spot
from vision.sim.render import Renderer
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


def test_what_has_left_the_table_is_brought_back_from_beside_it(table: VirtualTable) -> None:
    """A die that rolled off and a territory dragged over an end were gone for good: only what is thrown had a place."""
    assert table.state()["lost"] == []
    table.move("territory_red", -50, 350)
    table.remove("empire_die_blue_1")
    lost = {(one["kind"], one["color"]): one["count"] for one in table.state()["lost"]}
    assert lost == {("territory", "red"): 1, ("empire_die", "red"): 2, ("empire_die", "blue"): 1}
    assert table.place("empire_die", "blue", 970, 300) == "empire_die_blue_1"
    assert piece(table, "empire_die_blue_1")["eye"] == [-1, 0, 0]  # towards red, as at the start (gap 8)
    table.place("territory", "red", 377.5, 350)
    assert [one["kind"] for one in table.state()["lost"]] == ["empire_die"]


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


def test_a_rod_taken_off_the_stand_lies_with_its_whole_length() -> None:
    """It lay as its drawing from above, shorter than any rod: the reader misread it to the end of the match."""
    kit = default_kit("suspend")
    table = VirtualTable(kit, SMALL_LENS, seats=("A", "B"), seed=5)
    lengths_mm = kit.piece("rod").lengths_mm
    for rod in [rod for rod in table.state()["pieces"] if rod["kind"] == "rod"][:6]:
        table.hang(rod["id"])
        table.move(rod["id"], 150.0, 150.0)
        path = np.array(piece(table, rod["id"])["path"])
        assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(lengths_mm[rod["color"]], rel=0.05)


@pytest.mark.parametrize(("mode", "players", "zones"), [("beginner", 2, ""), ("beginner", 3, "draw")])
def test_a_game_without_the_color_die_has_none_on_its_table(mode: str, players: int, zones: str) -> None:
    """The Beginner Game showed a die, "Throw the die" and an empty draw pile, and used none of them."""
    unused = SUSPEND.table.layout(SUSPEND.rules.start(players, {"mode": mode})).unused
    table = VirtualTable(default_kit("suspend").without(unused), SMALL_LENS, seats=("A", "B", "C")[:players], seed=5)
    state = table.state()
    assert {piece["kind"] for piece in state["pieces"]} == {"stand", "rod"}
    assert state["tray_mm"] is None
    assert {name for name in state["zones_mm"] if name == "draw"} == set(filter(None, [zones]))
    assert SUSPEND.table.layout(SUSPEND.rules.start(2)).unused == ()


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


@pytest.mark.parametrize("text", ["", "{}", '{"pieces": [{"id": "x"}]}', '{"pieces": [{"id": 1, "kind": "card"}]}'])
def test_a_kept_table_that_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(TableError, match="does not parse"):
        fresh().restore(text)


@pytest.mark.nightly
@pytest.mark.parametrize("game", ["center_point", "eyes_of_the_emperor"])
def test_a_frame_after_changes_is_the_frame_drawn_at_once(game: str) -> None:
    now = [0.0]
    table = VirtualTable(default_kit(game), SMALL_LENS, clock=lambda: now[0], wait=lambda _: None, seed=3)
    renderer = Renderer(table.kit, table._pose)
    for step in range(8):
        if step % 3 == 0 and game == "center_point":
            table.roll(seed=step)
            to_spot(table, "token_red_1", f"A{5 + step}")
        elif step % 3 == 0:
            table.throw("red", "ninja", (-60, 350), (600, 350), seed=step)
        elif step == 4:
            table.set_hand(table.seats[0])
        elif step == 5:
            table.set_hand(None)
        elif step == 7:
            table.set_light(0.3)
        now[0] += 0.2
        scene = table._seen()
        kept, spread = renderer.develop(scene)
        if step == 6:
            renderer.light(scene)  # who asks for the light alone leaves nothing undeveloped
        if step % 2 == 0:  # the next frame builds on this one: what is wrong here stays so
            continue
        whole, whole_spread = Renderer(table.kit, table._pose).develop(scene)
        assert np.abs(kept - whole).max() < 0.01
        assert np.abs(spread - whole_spread).max() < 0.01


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


def test_a_seed_is_a_room_and_another_one_is_not() -> None:
    kit = default_kit("center_point")
    first, again, other = (room_by_chance(kit, seed, height_for(kit), is_fine=False) for seed in (5, 5, 6))
    assert (first.lens, first.film, first.lighting) == (again.lens, again.film, again.lighting)
    assert first.lens != other.lens
    assert first.surface != other.surface
