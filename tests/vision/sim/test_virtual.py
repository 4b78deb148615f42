"""The virtual table does what people do at a table, and shows no more than a camera would."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.readings import SURE
from companion.game.table import overlap_mm
from companion.games.suspend import GAME as SUSPEND
from tests.clock import Clock
from tests.scenes import KIT, SMALL_LENS
from vision.sim.scene import Body
from vision.sim.virtual import TableError, VirtualTable
from vision.tables.rods.reader import open_eye


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


def throw(table: VirtualTable, clock: Clock, seat: str = "red", kind: str = "ninja", **more: object) -> str:
    red = seat == "red"
    ends = {"from_mm": (-60.0, 350.0) if red else (1060.0, 350.0), "aim_mm": (600.0, 350.0) if red else (400.0, 350.0)}
    id = table.throw(seat, kind, **{**ends, "power": 0.5, "seed": 3, **more})
    clock.now_s += 5
    return id


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


def test_a_thrown_piece_leaves_the_supply_and_lies_in_the_valley(table: VirtualTable, clock: Clock) -> None:
    id = throw(table, clock)
    assert outside(table, "ninja", "black") == 29
    assert piece(table, id)["kind"] == "ninja"
    assert throw(table, clock, "blue", "samurai").startswith("samurai_blue")
    assert outside(table, "samurai", "blue") == 9


def test_a_throw_is_seen_on_its_way_and_then_at_rest(table: VirtualTable, clock: Clock) -> None:
    table.throw("red", "ninja", (-60.0, 350.0), (600.0, 200.0), seed=5)
    assert table.state()["is_moving"]
    first = table._seen().bodies
    clock.now_s += 0.4
    later = table._seen().bodies
    clock.now_s += 4
    end = table._seen().bodies
    assert first != later != end
    assert not table.state()["is_moving"]
    assert end == table._scene.bodies


def test_there_are_only_so_many_samurai(table: VirtualTable, clock: Clock) -> None:
    for i in range(10):
        table.place("samurai", "red", 60 + 60 * i, 80)
    with pytest.raises(TableError, match="every red samurai is on the table: take one out first"):
        throw(table, clock, "red", "samurai")


def test_a_dragged_territory_takes_along_what_lies_on_it(table: VirtualTable) -> None:
    table.move("territory_red", 300, 200)
    assert (piece(table, "territory_red")["x_mm"], piece(table, "territory_red")["y_mm"]) == (300, 200)
    assert piece(table, "empire_die_red_2")["x_mm"] == 300
    assert piece(table, "empire_die_red_2")["height_mm"] == 59


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


def test_buttons_are_forwarded() -> None:
    pressed: list[str] = []
    table = VirtualTable(
        KIT, SMALL_LENS, buttons={name: lambda name=name: pressed.append(name) for name in ("end_throw", "undo")}
    )
    for name in ("end_throw", "undo", "call_referee"):
        table.press(name)
    assert pressed == ["end_throw", "undo"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda t: t.press("reset"), "there is no button 'reset', expected one of end_throw"),
        (lambda t: t.set_hand("green"), "there is no seat 'green', expected red or blue"),
        (lambda t: t.move("samurai_red_1", 1, 1), "there is no piece 'samurai_red_1' on the table"),
        (lambda t: t.throw("red", "territory", (0, 0), (1, 1)), "territory cannot be thrown"),
        (lambda t: t.set_light(9), "the light is 9, expected 0"),
        (lambda t: t.flip("territory_red"), "a disk cannot be turned over: take a die"),
        (lambda t: t.stack("territory_red", "territory_blue"), "this is too large to lie on another"),
        (lambda t: t.place("pawn", "red", 1, 1), "there is no piece of kind 'pawn'"),
        (lambda t: t.place("ninja", "red", 1, 1), "there is no red ninja, expected black"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(table: VirtualTable, wrong, said: str) -> None:  # type: ignore[no-untyped-def]
    before = table.state()
    with pytest.raises(TableError, match=said.replace("(", r"\(")):
        wrong(table)
    assert table.state() == before


def test_frames_come_at_the_camera_s_pace_with_fresh_noise(table: VirtualTable, clock: Clock) -> None:
    first = table.frame()
    began = clock.now_s
    second = table.frame()
    assert second is not None
    assert clock.now_s - began == pytest.approx(0.11)
    assert first.shape == (SMALL_LENS.height_px, SMALL_LENS.width_px, 3)
    assert (first != second).any()
    assert np.abs(first.astype(int) - second).mean() < 5


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


def test_many_threads_may_use_it_at_once(clock: Clock) -> None:
    table = VirtualTable(KIT, SMALL_LENS, clock=clock, wait=lambda _: None)
    failed: list[BaseException] = []

    def busy(seat: str) -> None:
        try:
            for _ in range(4):
                table.throw(seat, "ninja", (0.0, 350.0), (500.0, 350.0))
                assert table.frame() is not None
                table.state()
        except BaseException as error:  # the thread's catch-all
            failed.append(error)

    threads = [threading.Thread(target=busy, args=(seat,)) for seat in ("red", "blue")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    clock.now_s += 60
    inside = sum(piece["kind"] == "ninja" for piece in table.state()["pieces"])
    assert inside + outside(table, "ninja", "black") == 30


@pytest.mark.nightly
def test_a_black_face_of_the_color_die_is_seen_as_black(clock: Clock) -> None:
    """Mirrored lamps made it as light as the mat: each black roll was asked about."""
    kit = default_kit("suspend")
    table = VirtualTable(kit, seats=("A", "B"), seed=5, clock=clock, wait=clock.wait)
    eye = open_eye(table.lens, kit)
    for _ in range(3):
        table.roll(value=kit.piece("color_die").colors.index("black") + 1, is_cocked=False)
        clock.now_s += 5
        die = eye.read(table.frame()).die
        assert die.color == "black"
        assert die.confidence >= SURE


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


@pytest.mark.parametrize(("mode", "players", "zones"), [("beginner", 2, ""), ("beginner", 3, "draw"), ("solo", 1, "")])
def test_a_game_without_the_color_die_has_none_on_its_table(mode: str, players: int, zones: str) -> None:
    """The Beginner Game showed a die, "Throw the die" and an empty draw pile, and used none of them."""
    unused = SUSPEND.table.layout(SUSPEND.rules.start(players, {"mode": mode})).unused
    table = VirtualTable(default_kit("suspend").without(unused), SMALL_LENS, seats=("A", "B", "C")[:players], seed=5)
    state = table.state()
    assert {piece["kind"] for piece in state["pieces"]} == {"stand", "rod"}
    assert state["tray_mm"] is None
    assert {name for name in state["zones_mm"] if name == "draw"} == set(filter(None, [zones]))
    assert SUSPEND.table.layout(SUSPEND.rules.start(2)).unused == ()
