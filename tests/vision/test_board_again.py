"""The second look at spots in doubt: what it asks the network, and how far it goes by what that says."""

import json

import numpy as np
import pytest

from calibration.arrays import Floats32
from companion.game.brought import default_kit, load_board
from companion.game.readings import HIGHEST_IN_DOUBT, SURE
from vision.readers import READERS
from vision.sim.virtual import VIRTUAL_LENS, VirtualTable
from vision.tables.board.again import SecondLook, Unchanged
from vision.tables.board.edges import apart_by_color, print_seen
from vision.tables.board.signs import sample_grid_mm

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


@pytest.mark.parametrize(("log_odds", "best"), [(9.0, "red"), (-9.0, "")])
def test_what_the_network_says_moves_a_spot_in_doubt_and_makes_none_sure(log_odds: float, best: str) -> None:
    told = SecondLook(BOARD, Says(log_odds)).weighed({5: {"red": 0.45, "": 0.55}}, SHOWN, PLACES)[5]
    assert max(told, key=lambda color: told[color]) == best
    assert sum(told.values()) == pytest.approx(1.0)
    assert told[best] <= HIGHEST_IN_DOUBT < SURE


def test_a_spot_that_looks_as_it_did_holds_what_it_held() -> None:
    """The end of a match: with all red markers in, empty red circles were read as markers, 0.98 sure."""
    unchanged, marker = Unchanged(), SHOWN + np.uint8(90)
    unchanged.note({3: {"red": 0.999, "": 0.001}, 4: {"red": 0.9, "": 0.1}}, marker, unseen={5})
    assert unchanged.held(marker + np.uint8(1))[3] == "red"
    assert not unchanged.held(marker).keys() & {4, 5}  # one was in doubt, the other was covered
    assert unchanged.held(SHOWN) == {}
    unchanged.note({}, SHOWN, unseen=())
    assert (unchanged.held(SHOWN + np.uint8(1))[3], unchanged.held(marker)[3]) == ("", "red")
    unchanged.note({3: {"red": 0.5, "": 0.5}}, marker, unseen=())
    assert 3 not in unchanged.held(marker)  # the certain reading stays alone
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


BM = load_board("BM-129")
NAMES = list(BM.spots)
X, Y = sample_grid_mm()


CREAM, PALE_YELLOW = (0.5, 0.65, 0.8), (0.62, 0.85, 0.87)


def empty_board() -> Floats32:
    shown = np.full((len(NAMES), *X.shape, 3), CREAM, np.float32)
    return np.asarray(shown + np.random.default_rng(0).normal(0, 0.02, shown.shape), np.float32)


def lay(shown: Floats32, spot: str, ink: tuple[float, float, float], x_mm: float, y_mm: float) -> None:
    """A marker of 16 mm with its shadow."""
    of = shown[NAMES.index(spot)]
    of[np.hypot(X - x_mm - 1.5, Y - y_mm - 1.5) < 8] = 0.2
    of[np.hypot(X - x_mm, Y - y_mm) < 8] = ink


def test_a_marker_that_a_lamp_bleaches_to_the_print_s_colour_shows_something_else() -> None:
    # a yellow marker under a lamp was as pale as the wood's cream circles: the spot was said empty, and nobody asked
    shown = empty_board()
    for spot, x_mm in (("O9", 1.5), ("O30", -1.0)):
        lay(shown, spot, PALE_YELLOW, x_mm, 1.0)
    seen = print_seen(shown, BM, apart_by_color(shown, BM))
    assert {NAMES[i] for i in seen.strange} == {"O9", "O30"}
    assert not seen.plain & seen.strange
    assert {"O8", "O10", "O42", "y.h1", "r.hre"} <= {NAMES[i] for i in seen.plain}


def test_markers_that_look_alike_are_no_print_where_more_circles_of_the_colour_look_alike() -> None:
    # three centred green markers in a row passed for print, and the paler empty circle for a sure marker
    shown = empty_board()
    for spot in ("g.r2", "g.r3", "g.r4"):
        lay(shown, spot, (0.1, 0.5, 0.1), 0.0, 0.0)
    plain = {NAMES[i] for i in print_seen(shown, BM, apart_by_color(shown, BM)).plain}
    assert plain >= {"g.hre", "g.r1", "g.h1"}
    assert not plain & {"g.r2", "g.r3", "g.r4"}
