"""A race table: the printed board, its tokens and the dice tray are seen back where the kit and the board say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.kit import kit_of_text
from tests.scenes import SMALL_LENS, to_spot
from vision.sim.marks import PAINT
from vision.sim.virtual import TableError, VirtualTable

pytestmark = pytest.mark.nightly

GAMES = ("center_point", "basic_manipulation")


def race_table(game: str = "center_point", **more: object) -> VirtualTable:
    """A table whose throws are over at once."""
    now = iter(range(0, 10**6, 100))
    return VirtualTable(default_kit(game), SMALL_LENS, clock=lambda: next(now), wait=lambda _: None, **more)  # type: ignore[arg-type]


def test_a_piece_that_another_is_put_on_is_carried_to_its_beginning() -> None:
    """It lay invisible under the other one, and a player looked for it."""
    table = race_table()
    sheet = table._scene.sheet
    assert sheet is not None
    for piece, spot in (
        ("token_green_1", "A13"),
        ("token_red_1", "A8"),
        ("token_red_1", "A13"),
        ("token_red_2", "A13"),
    ):
        table.move(piece, *sheet.places_mm[spot])
    at = {piece["id"]: (piece["x_mm"], piece["y_mm"]) for piece in table.state()["pieces"]}
    home = [sheet.places_mm[spot] for spot in sheet.board.roles["green"]["home"]]
    assert min(np.hypot(*np.subtract(at["token_green_1"], spot)) for spot in home) < 2
    for red in ("token_red_1", "token_red_2"):  # pieces of one colour stand on one another
        assert at[red] == pytest.approx(sheet.places_mm["A13"], abs=2)


def pawn_kit():  # type: ignore[no-untyped-def]
    text = """
game = "center_point"
board = "CP-120"
[mat]
width_mm = 700
height_mm = 500
dictionary = "DICT_APRILTAG_36h11"
marker_mm = 50
markers = { 0 = [-40, 35], 1 = [740, 35], 2 = [740, 465], 3 = [-40, 465] }
board_mm = [0, 0, 500, 500]
tray_mm = [520, 170, 680, 330]
[[pieces]]
kind = "token"
shape = "pawn"
diameter_mm = 16
height_mm = 24
colors = ["red", "yellow", "green", "blue"]
count_each = 4
"""
    return kit_of_text(text)


def seen_color(table: VirtualTable, picture: np.ndarray, at_mm: tuple[float, float, float]) -> str:
    """The colour's word nearest in hue and whiteness to what a place shows."""
    u, v = np.round(table._pose.to_pixels(np.array([at_mm]))[0]).astype(int)
    seen = picture[v - 1 : v + 2, u - 1 : u + 2].reshape(-1, 3).mean(0)[::-1]

    def chroma(rgb) -> np.ndarray:  # type: ignore[no-untyped-def]
        light = (np.asarray(rgb, float) / 255) ** 2.2
        return light / light.sum()

    words = ("red", "yellow", "green", "blue", "white")
    return min(words, key=lambda word: float(np.linalg.norm(chroma(PAINT[word]) - chroma(seen))))


@pytest.mark.parametrize("game", GAMES)
def test_a_new_game_has_four_tokens_of_each_color_at_home(game: str) -> None:
    table = race_table(game)
    spots = table.truth()["spots"]
    board = table._scene.sheet.board  # type: ignore[union-attr]
    assert spots == {spot: color for color in board.colors for spot in board.roles[color]["home"]}
    assert len(table.truth()["dice"]) == 4
    assert not any(die["in_tray"] for die in table.truth()["dice"])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("style", ["plain", "wood", "dark"])
def test_tokens_and_starts_are_seen_in_their_colors(game: str, style: str) -> None:
    table = race_table(game, style=style)
    sheet = table._scene.sheet
    free = [spot for spot in sheet.board.spots if spot not in table.truth()["spots"]][:16]
    tokens = [piece for piece in table.truth()["pieces"] if "spot" in piece]
    for token, spot in zip(tokens[::3], free, strict=False):
        to_spot(table, token["id"], spot)
    picture = table.frame()
    assert picture is not None
    for piece in table.truth()["pieces"]:
        if "spot" in piece:
            assert seen_color(table, picture, (piece["x_mm"], piece["y_mm"], 5.0)) == piece["color"], piece
    taken = table.truth()["spots"]
    for color in sheet.board.colors:
        start = sheet.board.roles[color]["start"]
        if start not in taken:
            x, y = sheet.places_mm[start]
            aside = 0.26 * sheet.board.circle_mm  # beside the star in its middle
            assert seen_color(table, picture, (x + aside, y + aside, 0.0)) == color
            assert seen_color(table, picture, (x, y, 0.0)) == "white"


def test_a_thrown_die_lies_flat_in_the_tray_or_is_cocked_against_its_edge() -> None:
    table = race_table(seed=5)
    values: Counter[int] = Counter()
    cocked = 0
    for _ in range(150):
        id = table.roll()
        die = next(die for die in table.truth()["dice"] if die["id"] == id)
        assert die["in_tray"]
        cocked += die["is_cocked"]
        values[die["value"]] += 1
    assert set(values) == {1, 2, 3, 4, 5, 6}
    assert max(values.values()) < 45
    assert 0 < cocked < 20
    assert sum(die["in_tray"] for die in table.truth()["dice"]) == 1


@pytest.mark.parametrize("value", range(1, 7))
def test_a_throw_may_be_told_how_it_ends(value: int) -> None:
    table = race_table()
    flat = table.roll(value=value, is_cocked=False, seed=value)
    die = next(die for die in table.truth()["dice"] if die["id"] == flat)
    assert (die["value"], die["is_cocked"], die["tilt_deg"]) == (value, False, 0.0)
    other = table.roll("die_white_3", is_cocked=True, seed=value)
    die = next(die for die in table.truth()["dice"] if die["id"] == other)
    assert die["is_cocked"]
    assert 4 < die["tilt_deg"] < 30
    assert [d["in_tray"] for d in table.truth()["dice"]].count(True) == 1


def test_a_token_off_its_spot_is_told_with_the_nearest_one() -> None:
    table = race_table()
    x, y = table._scene.sheet.places_mm["A20"]  # type: ignore[union-attr]
    table.move("token_red_1", x + 3, y)
    token = next(p for p in table.truth()["pieces"] if p["id"] == "token_red_1")
    assert (token["spot"], token["off_mm"]) == ("A20", 3.0)
    assert table.truth()["spots"]["A20"] == "red"


def test_no_two_markers_of_a_new_game_lie_alike() -> None:
    # laid to the hair they looked like print: a reader takes three circles of a colour that look alike for empty ones
    off_mm = [piece["off_mm"] for piece in race_table().truth()["pieces"] if piece.get("kind") == "token"]
    assert len(set(off_mm)) > len(off_mm) / 2


def test_pawns_stand_fall_over_and_are_stood_up() -> None:
    table = VirtualTable(pawn_kit(), SMALL_LENS, wait=lambda _: None)
    id = "token_red_1"

    def pawn() -> dict:  # type: ignore[type-arg]
        return next(p for p in table.truth()["pieces"] if p["id"] == id)

    assert (pawn()["shape"], pawn()["height_mm"], pawn()["is_lying"]) == ("pawn", 24.0, False)
    to_spot(table, id, "A10")
    assert pawn()["spot"] == "A10"
    picture = table.frame()
    assert picture is not None
    x, y = pawn()["x_mm"], pawn()["y_mm"]
    assert seen_color(table, picture, (x, y, 23.0)) == "red"
    table.flip(id)
    assert pawn()["is_lying"]
    assert 10 < pawn()["height_mm"] < 17
    assert table._scene.body(id).lowest_mm == pytest.approx(0, abs=1e-6)
    picture = table.frame()
    assert picture is not None
    assert seen_color(table, picture, (x, y, 10.0)) == "red"
    table.flip(id)
    assert not pawn()["is_lying"]


def test_pieces_of_a_race_table_are_kept_and_laid_again() -> None:
    table = race_table()
    table.roll(seed=2)
    to_spot(table, "token_blue_2", "A30")
    again = race_table()
    again.restore(table.saved())
    assert again.truth() == table.truth()


def test_four_hands_reach_in_from_four_corners() -> None:
    table = race_table()
    ways = set()
    for seat in table.seats:
        table.set_hand(seat)
        assert table.state()["hand"] == seat
        ways.add(table._scene.hand.from_deg)  # type: ignore[union-attr]
    assert len(ways) == 4


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda t: t.move("tray_left", 1, 1), "tray_left belongs to the table"),
        (lambda t: t.roll("token_red_1"), "token_red_1 is no die"),
        (lambda t: t.flip("token_red_1"), "a disk cannot be turned over"),
        (lambda t: t.set_hand("north"), "there is no seat 'north', expected red or yellow or green or blue"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(wrong, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TableError, match=said):
        wrong(race_table())
