"""What a look says of the set-up before the first throw: what the sheet prescribes, and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.readings import EyesReading, Kind
from companion.game.values import InPlace, SeenSetUp
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.state import State
from tests.companion.looks import LANDS, TextLook, retold

STACKS = LANDS + "E die.1 374,348 down; E blue.1 626,349 down"
"""The set-up as a camera sees it: of each stack the upper die, of one of them no eye."""


def seen(text: str, *, was_right: bool = False, state: State | None = None) -> SeenSetUp | None:
    return GAME.table.seen_set_up(state or State(), TextLook(text).reading, was_right=was_right)


def told(found: SeenSetUp | None, laid: InPlace = InPlace.NO) -> list[str]:
    return [str(line.says) for line in found.lines if line.laid is laid]


def unsure(reading: EyesReading, kind: Kind, confidence: float) -> EyesReading:
    return retold(reading, lambda p: p.kind == kind, confidence=confidence)


def test_instructions_1_to_5_a_table_that_is_set_up_is_told_so_and_what_no_camera_sees() -> None:
    found = seen(STACKS)
    assert found.laid is InPlace.YES
    assert [line.rule for line in found.lines] == [f"Eyes of the Emperor, Instructions {n}" for n in (1, 2, 2, 5)]
    assert str(found.beyond).startswith("no camera sees the lower die of a stack")


@pytest.mark.parametrize(
    ("red_x_mm", "said"),
    [
        (377.5, []),
        (367.5, []),
        (350.0, ["the territories are 52 mm apart: about an inch (25 mm) is right"]),
        (402.0, ["the territories are 0 mm apart: about an inch (25 mm) is right"]),
    ],
)
def test_instructions_1_the_territories_lie_about_an_inch_apart(red_x_mm: float, said: list[str]) -> None:
    assert told(seen(STACKS.replace("377.5,350", f"{red_x_mm},350").replace("374,348", f"{red_x_mm - 3},348"))) == said


def test_instructions_1_the_territories_lie_in_the_middle_towards_the_players() -> None:
    moved = "T red 377.5,270; T blue 622.5,270; E die.1 374,268 down; E blue.1 626,269 down"
    assert told(seen(moved)) == ["the territories are 8 cm off the middle of the valley"]
    across = "T red 500,227.5; T blue 500,472.5; E die.1 500,225 down; E blue.1 500,475 down"
    assert told(seen(across)) == ["the territories are across the valley: one belongs towards each player's end"]


@pytest.mark.parametrize(
    ("dice", "said"),
    [
        ("E die.1 374,348 down; E blue.1 626,349 down; E blue.2 800,100 down", ["an empire die is next to the stacks"]),
        ("E die.1 374,348 down", ["blue: no empire die is seen in the middle of the territory"]),
        (
            "E die.1 374,348 down; E blue.1 660,349 down",
            ["blue: an empire die is 38 mm from the middle of the territory"],
        ),
        (
            "E blue.1 374,348 down; E red.1 626,349 down",
            [
                "red: the die on its territory has the other side's eye",
                "blue: the die on its territory has the other side's eye",
            ],
        ),
        (
            "E red.1 374,348 up; E blue.1 626,349 down",
            ["red: the eye of the upper die looks up, but should look at the opponent"],
        ),
    ],
)
def test_instructions_2_the_dice_are_stacked_on_their_territories(dice: str, said: list[str]) -> None:
    assert told(seen(LANDS + dice)) == said


@pytest.mark.parametrize(
    ("thrown", "said"),
    [
        ("S red.s1 100,100", ["red samurai: 1 in the valley, at the start all are outside"]),
        ("S blue.s1 100,100; S blue.s2 200,100", ["blue samurai: 2 in the valley, at the start all are outside"]),
        ("N n1 100,100", ["ninja: 1 in the valley, at the start all are outside"]),
        ("N n1 100,100 v3; N n2 200,100", ["ninja: 2 in the valley, at the start all are outside"]),
    ],
)
def test_instructions_4_and_5_samurai_and_ninjas_lie_outside(thrown: str, said: list[str]) -> None:
    assert told(seen(f"{STACKS}; {thrown}")) == said


def test_what_is_not_seen_is_a_doubt_and_not_a_fault() -> None:
    hidden = seen(STACKS.replace("T blue 622.5,350; ", ""))
    assert told(hidden) == []
    assert told(hidden, InPlace.UNSEEN) == ["the blue territory is not seen"]
    without = seen("T red 377.5,350; E die.1 374,348 down; E die.2 626,349 down; E red.2 500,100 down")
    assert told(without) == ["an empire die is next to the stacks"]  # of the other it is not seen where it belongs
    covered = seen(STACKS.replace("E blue.1 626,349 down", "S blue.s1 624,351"))
    assert told(covered, InPlace.UNSEEN) == [
        "something covers the middle of the blue territory: its empire dice can't be seen"
    ]
    faint = GAME.table.seen_set_up(State(), unsure(TextLook(STACKS + "; S red.s1 9,9").reading, Kind.SAMURAI, 0.7))
    assert told(faint) == []
    assert told(faint, InPlace.UNSEEN) == ["red samurai: perhaps one in the valley, at the start all are outside"]
    eyeless = TextLook(STACKS.replace(" down", "")).reading
    dice = tuple(replace(p, marked_up=None) for p in eyeless.pieces)
    found = GAME.table.seen_set_up(State(), replace(eyeless, pieces=dice))
    assert told(found) == []
    assert len(told(found, InPlace.UNSEEN)) == 2
