"""The second look at spots in doubt: what it asks the network, and how far it goes by what that says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from calibration.light import judge
from calibration.pose import find_pose
from companion.game.brought import default_kit, load_board
from companion.game.readings import HIGHEST_IN_DOUBT, SURE
from tests.vision.race_table import LENS, Table, draw
from vision.readers import READERS
from vision.sim.virtual import VIRTUAL_LENS, VirtualTable
from vision.tables.board.again import SecondLook, Unchanged
from vision.tables.board.edges import plain_spots
from vision.tables.board.reader import BoardEye, BoardSeen
from vision.tables.board.view import Floats32

BOARD = load_board("CP-120")
PLACES = np.column_stack([10.0 * np.arange(len(BOARD.spots)), np.zeros(len(BOARD.spots))])
SHOWN = np.zeros((len(BOARD.spots), 41, 41, 3), np.uint8)


class Says:
    """A network that says the same of all it is shown, and keeps that."""

    def __init__(self, log_odds: float) -> None:
        self.log_odds = log_odds
        self.shown: list[Floats32] = []

    def __call__(self, batch: Floats32) -> Floats32:
        self.shown.append(batch)
        return np.full((len(batch), 1), self.log_odds, np.float32)


def test_what_is_sure_is_not_looked_at_again() -> None:
    net = Says(9.0)
    chances = {3: {"red": 0.97, "": 0.03}, 4: {"": 0.99, "blue": 0.01}, 5: {"": 0.6, "blue": 0.01, "red": 0.39}}
    told = SecondLook(BOARD, net).weighed(chances, SHOWN, PLACES)
    assert [told[3], told[4]] == [chances[3], chances[4]]
    assert [len(batch) for batch in net.shown] == [1]  # spot 5 in red alone


@pytest.mark.parametrize(("log_odds", "best"), [(9.0, "red"), (-9.0, "")])
def test_what_the_network_says_moves_a_spot_in_doubt_and_makes_none_sure(log_odds: float, best: str) -> None:
    told = SecondLook(BOARD, Says(log_odds)).weighed({5: {"red": 0.45, "": 0.55}}, SHOWN, PLACES)[5]
    assert max(told, key=lambda color: told[color]) == best
    assert sum(told.values()) == pytest.approx(1.0)
    assert told[best] <= HIGHEST_IN_DOUBT < SURE


def test_a_spot_is_shown_beside_those_printed_like_it_and_the_nearest_sure_marker() -> None:
    spot, *others = plain_spots(BOARD)[:8]
    shown, net = SHOWN.copy(), Says(0.0)
    shown[spot], shown[others] = 100, 50
    chances = {spot: {"red": 0.5, "": 0.5}} | {other: {"red": 0.99, "": 0.01} for other in others}
    shown[others[0]] = 200
    SecondLook(BOARD, net).weighed(chances, shown, PLACES)
    own, alike, like = (float(net.shown[0][0, k].mean()) for k in (0, 3, 6))
    assert own == pytest.approx(0.5 * like, abs=0.01)  # the nearest of the sure ones is the brightest
    assert alike < own


def test_of_washed_out_spots_those_that_look_other_than_their_print_are_looked_at_and_may_hold_a_marker() -> None:
    """A blue disk as white as its paper was surely missing: its circle showed, so it was taken for print."""
    shown, spots = SHOWN.copy(), plain_spots(BOARD)[:20]
    shown[plain_spots(BOARD)] = 200
    shown[spots[3], 25:30, 5:36] = 80  # the shadow by its foot
    assert SecondLook(BOARD, Says(0.1)).may_hold(spots, shown) == {spots[3]}
    assert SecondLook(BOARD, Says(-4.0)).may_hold(spots, shown) == set()
    assert SecondLook(BOARD, Says(0.1)).may_hold([spots[0]], shown) == set()


def seen(table: Table) -> BoardSeen:
    kit = default_kit(BOARD.game)
    picture = draw(table, kit)
    pose = find_pose(picture, LENS, kit)
    return BoardEye(LENS, kit, BOARD).look(picture, pose, judge(picture, pose, kit))


def test_the_network_tells_a_marker_from_print_on_a_board_it_never_saw() -> None:
    ring = plain_spots(BOARD)
    names = list(BOARD.spots)
    red = ring[::9][:4]
    look = seen(Table(BOARD, {names[spot]: "red" for spot in red}))
    empty = [ring[4], ring[14], ring[24]]
    chances = {red[0]: {"red": 0.98, "": 0.02}}
    chances |= {spot: {"red": 0.5, "": 0.5} for spot in (*red[1:], *empty)}
    told = SecondLook(BOARD).weighed(chances, look.shown, look.spots_mm)
    assert all(told[spot]["red"] > 0.7 for spot in red[1:]), told
    assert all(told[spot]["red"] < 0.3 for spot in empty), told


def test_a_spot_that_looks_as_it_did_holds_what_it_held() -> None:
    """The end of a match: with all red markers in, empty red circles were read as markers, 0.98 sure."""
    unchanged, marker = Unchanged(), SHOWN + np.uint8(90)
    unchanged.note({3: {"red": 0.999, "": 0.001}, 4: {"red": 0.9, "": 0.1}}, marker, unseen={5})
    assert unchanged.held(marker + np.uint8(1))[3] == "red"
    assert not unchanged.held(marker).keys() & {4, 5}  # one was in doubt, the other was covered
    unchanged.note({}, SHOWN, unseen=())
    assert (unchanged.held(SHOWN + np.uint8(1))[3], unchanged.held(marker)[3]) == ("", "red")
    assert 3 not in unchanged.held(SHOWN + np.uint8(20))


def test_empty_print_is_no_marker_once_all_markers_of_its_colour_are_in() -> None:
    """The end of a match on the virtual table: the red start and the red safety were empty and read as markers."""
    kit = default_kit("center_point")
    table, eye = (
        VirtualTable(kit, board=BOARD, wait=lambda _: None),
        READERS["board"].open_table(VIRTUAL_LENS, kit, board=BOARD),
    )

    def red(*spots: str) -> set[str]:
        at_mm = [np.add(kit.mat.areas_mm["board_mm"][:2], BOARD.spots[spot]) for spot in spots]
        tokens = [
            {"id": f"token_red_{i}", "kind": "token", "color": "red", "at_mm": [*at, 2.5], "turn": [1, 0, 0, 0]}
            for i, at in enumerate(np.array(at_mm).tolist(), 1)
        ]
        table.restore(json.dumps({"pieces": tokens}))
        picture = table.frame()
        assert picture is not None
        return {name for name, spot in eye.read(picture).spaces.items() if spot.color == "red"}

    assert red("A10", "A20", "B10", "B20") == {"A10", "A20", "B10", "B20"}
    assert red("IN.r1", "IN.r2", "IN.r3", "IN.r4") == {"IN.r1", "IN.r2", "IN.r3", "IN.r4"}
