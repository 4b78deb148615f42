"""Suspend: what the eyes tell of hangings, rolls and falls, and what they ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.readings import ColorDie, RodSeen, RodsReading
from companion.game.values import Doubt, InPlace, Proposal
from companion.games.suspend import GAME
from companion.games.suspend.events import Event, Fell, Hung, Removed, Rested, Rolled
from companion.games.suspend.state import Phase, SuspendState
from tests.games.test_suspend import after, nearly, position

pytestmark = pytest.mark.slow

interpret = GAME.eyes.interpret
DIE_MM = (620.0, 60.0)


def die_of(color: str | None, confidence: float = 1.0) -> ColorDie:
    return ColorDie(color=color, confidence=confidence, x_mm=DIE_MM[0], y_mm=DIE_MM[1])


def rod(
    color: str | None, zone: str, confidence: float = 1.0, x_mm: float = 0.0, y_mm: float = 0.0, **more: Any
) -> RodSeen:
    return RodSeen(color=color, zone=zone, confidence=confidence, x_mm=x_mm, y_mm=y_mm, **more)


def ends(x_mm: float, y_mm: float) -> tuple[tuple[float, float], ...]:
    return (x_mm - 30, y_mm), (x_mm + 30, y_mm)


def hanging(color: str, x_mm: float = 400.0, y_mm: float = 260.0) -> RodSeen:
    return rod(color, "stand", 0.001, x_mm, y_mm, path_mm=ends(x_mm, y_mm), hangs=0.9)


def table(
    die: ColorDie | None = None, rods: tuple[RodSeen, ...] = (), perhaps: tuple[RodSeen, ...] = ()
) -> RodsReading:
    tips = tuple((rod.color or "", *at) for rod in perhaps if rod.hangs for at in rod.path_mm)
    return RodsReading(die=die, rods=rods, perhaps=perhaps, tips=tips)


def seen(state: SuspendState, *, without: tuple[str, str] | None = None, fallen: tuple[str, ...] = ()) -> RodsReading:
    rods = [
        rod(color, zone)
        for zone, pile in [*((str(at + 1), pile) for at, pile in enumerate(state.piles)), ("draw", state.draw_pile)]
        for color in pile.pieces
    ]
    hang = [hanging(color, x_mm + 30, y_mm) for color, x_mm, y_mm in state.hanging[::2]]
    if without is not None:
        rods.remove(rod(*without))
        hang.append(hanging(without[0]))
    elif state.phase is Phase.REST:
        hang.append(hanging(state.color or ""))
    for color in fallen:
        where = next((i for i, rod in enumerate(hang) if rod.color == color), None)
        hang = [rod for i, rod in enumerate(hang) if i != where]
    return table(None, (*rods, *(rod(color, "stand") for color in fallen)), tuple(hang))


def tips(color: str, x_mm: float = 400.0, y_mm: float = 260.0) -> tuple[tuple[str, float, float], ...]:
    return tuple((color, *at) for at in ends(x_mm, y_mm))


def all_seen_to_hang(state: SuspendState) -> SuspendState:
    """The state after a look that saw every piece hang, at a place of its own."""
    at_mm = [(color, 500.0, 100.0 + 10 * i) for i, color in enumerate(state.hung.pieces)]
    return replace(state, hanging=tuple(tip for one in at_mm for tip in tips(*one)))


def test_the_eyes_tell_rolls_and_hangings() -> None:
    state = nearly()
    assert interpret(state, table(die_of("blue"))).actions == (Rolled("A", "blue", DIE_MM),)
    assert interpret(state, table()) is None
    doubt = interpret(state, table(die_of(None)))
    assert len(doubt.choices) == 6
    assert doubt.places_mm == (("die", 620.0, 60.0),)
    rolled = all_seen_to_hang(after(state, "A rolls blue"))
    assert interpret(rolled, seen(rolled)) is None
    hung = interpret(rolled, seen(rolled, without=("blue", "2"), fallen=("black",)))
    assert hung.actions[:2] == (Hung("A", "blue", "B"), Fell("A", ("black",)))
    assert isinstance(hung.actions[2], Rested)
    assert len(hung.actions[2].hanging) == 2 * rolled.hung.total
    assert interpret(after(rolled, "A hangs blue from B"), seen(rolled)).key == "added"


def test_the_eyes_tell_what_fell_after_a_tap_and_between_turns() -> None:
    hung = after(all_seen_to_hang(nearly()), "A rolls red", "A hangs red")
    rested = interpret(hung, seen(hung, fallen=("red", "black")))
    assert rested.actions[0] == Fell("A", ("red", "black"))
    assert isinstance(rested.actions[1], Rested)
    state = all_seen_to_hang(nearly())
    assert interpret(state, seen(state, fallen=("black",))).actions == (Fell("C", ("black",)),)
    rolled = interpret(state, replace(seen(state, fallen=("black",)), die=die_of("red")))
    assert isinstance(rolled, Proposal)  # else the fallen piece would hide the roll, and nothing new would be there
    assert rolled.actions == (Fell("C", ("black",)), Rolled("A", "red", DIE_MM))


def picked_up(reading: RodsReading, color: str, zone: str) -> RodsReading:
    """The reading after one that hung was put on a pile."""
    one = next(rod for rod in reading.perhaps if rod.color == color)
    return table(None, (*reading.rods, rod(color, zone)), tuple(rod for rod in reading.perhaps if rod != one))


def test_a_piece_that_fell_onto_another_pile_is_said_to_have_fallen() -> None:
    """ "The draw pile has pieces that were not there" was all that was said, and nobody knew whose piece it was."""
    hung = after(all_seen_to_hang(nearly()), "A rolls red", "A hangs red")
    slip = interpret(hung, picked_up(seen(hung), "black", "draw"))
    assert isinstance(slip, Doubt)
    assert str(slip.says) == "black fell and is in the draw pile: put it in the pile of A"


def test_who_made_a_piece_fall_may_have_picked_it_up_before_the_eyes_look() -> None:
    """Mia's piece fell after her turn, and she put it on her pile as the sheet says: "put back what belongs
    elsewhere". A fall before the next player has begun was charged to that player."""
    rods = "orange*4 red*2 yellow*4 green*4 blue*2 black*4"
    hung = position(f"mode=beginner; round 1 A; turn A hang; mover B; A red*2; B blue*2; hung {rods}")
    left = all_seen_to_hang(after(hung, "A hangs red", "A rests"))
    assert interpret(left, picked_up(seen(left), "yellow", "1")).actions == (Fell("A", ("yellow",)),)
    assert interpret(left, seen(left, fallen=("yellow",))).actions == (Fell("A", ("yellow",)),)
    away = interpret(left, picked_up(seen(left), "yellow", "3"))  # nobody's pile here, so on bare felt
    assert away.actions == (Fell("A", ("yellow",)),)
    both = interpret(left, picked_up(seen(left, without=("blue", "2")), "yellow", "2"))
    assert both.actions[:2] == (Hung("B", "blue"), Fell("B", ("yellow",)))
    assert isinstance(both.actions[2], Rested)
    assert (both.actions[2].hidden, both.actions[2].doubled) == ((), ())


def test_the_eyes_tell_a_solo_sculpture() -> None:
    state = all_seen_to_hang(after(GAME.rules.start(1), "A hangs red", "A rests"))
    assert interpret(state, seen(state)) is None
    built = seen(state, without=("orange", "1"))
    back = table(None, (*built.rods, rod("red", "1")), built.perhaps[1:])
    found = interpret(state, back)
    assert found.actions == (Removed("A", "red"), Hung("A", "orange"), Rested("A", tips("orange")))
    more = interpret(after(state, "A hangs blue"), seen(state, without=("green", "1"), fallen=("red",)))
    assert more.actions[:3] == (Removed("A", "blue"), Hung("A", "green"), Fell("A", ("red",)))


def answers(found: object) -> list[tuple[str, tuple[Event, ...]]]:
    return [(choice.key, choice.actions) for choice in found.choices]


def test_the_set_up_is_checked_before_the_first_roll() -> None:
    """The next match began with five pieces still on the stand, and nobody was told."""
    start = GAME.rules.start(2)
    rods = seen(start)
    assert {line.laid for line in GAME.table.seen_set_up(start, rods, None).lines} == {InPlace.YES}
    left = replace(rods.rods[0], zone="stand", confidence=0.0, hangs=0.9)
    wrong = GAME.table.seen_set_up(start, table(None, rods.rods[1:], (left,)), None)
    assert [(line.laid, str(line.says)) for line in wrong.lines[:2]] == [
        (InPlace.NO, "still at the stand: one piece"),
        (InPlace.UNSEEN, "the pile of A: 11 of 12 pieces"),
    ]
    assert GAME.table.seen_set_up(after(start, "A rolls red"), rods, None) is None


def test_the_eyes_ask_for_a_color_the_likeliest_first_and_for_a_die_that_may_not_have_been_rolled() -> None:
    assert answers(interpret(nearly(), table(die_of("blue", 0.7))))[0] == ("blue", (Rolled("A", "blue", DIE_MM),))
    again = interpret(nearly(), table(die_of("blue")), (Rolled("C", "blue"),))
    assert isinstance(again, Doubt)
    assert answers(again) == [("not_yet", ()), ("yes", (Rolled("A", "blue", DIE_MM),))]
    assert isinstance(interpret(nearly(), table(die_of("red")), (Rolled("C", "blue"),)), Proposal)


def rolled_red() -> SuspendState:
    """A hangs red, while four yellow ones and a black one were seen to hang."""
    piles = "A orange*2 red*2 green*2 blue*2 black*2; B orange*2 red*2 green*2 blue*2 black"
    state = position(f"mode=intermediate; round 1 A; turn A hang red; mover B; {piles}; hung yellow*4 black")
    return all_seen_to_hang(state)


def interpreted(state: SuspendState, *more: RodSeen, without: str = "", aside_mm: float = 0.0) -> object:
    """What is said where red was hung, these are seen too, and those that hung are this far aside."""
    look = seen(rolled_red(), without=("red", "1"))
    hang = [hanging(rod.color or "", rod.x_mm + aside_mm, rod.y_mm) for rod in look.perhaps if rod.color != without]
    return interpret(state, table(None, look.rods, (*hang, *more)))


def test_a_piece_whose_tips_are_where_they_were_has_not_fallen() -> None:
    """Faint finds among hanging pieces came again at each look: 20 of 22 questions in 257 presses (9803 to 9879)."""
    faint = rod("yellow", "stand", 0.3, path_mm=ends(500.0, 100.0)[:1])
    assert isinstance(interpreted(rolled_red(), faint), Proposal)
    assert "fell:yellow" in dict(answers(interpreted(replace(rolled_red(), hanging=()), faint)))


def test_a_piece_whose_tips_are_gone_may_have_fallen_unseen() -> None:
    """A second fallen one left no trace (9879)."""
    assert "fell:black" in dict(answers(interpreted(rolled_red(), without="black")))
    unknown = replace(rolled_red(), hanging=rolled_red().hanging[:8])
    assert isinstance(interpreted(unknown, without="black"), Proposal)
    assert isinstance(interpreted(rolled_red(), aside_mm=20.0), Proposal)


def test_one_piece_seen_as_hanging_and_as_perhaps_lying_is_one() -> None:
    """What a hanging red was a rival of counted as a second red that may have fallen (seeds 15 and 9803)."""
    lies = rod("red", "stand", 0.6, path_mm=ends(400.0, 260.0))
    assert isinstance(interpreted(rolled_red(), lies), Proposal)
    assert "fell:red" in dict(answers(interpreted(rolled_red(), replace(lies, path_mm=ends(400.0, 300.0)))))


@pytest.mark.parametrize("other_mm", [(365.0, 420.0), (430.0, 470.0)])
def test_a_tip_belongs_to_one_piece(other_mm: tuple[float, float]) -> None:
    # seed 811: a fallen piece was asked about as two, for another wire seemed to begin at its tip
    state = replace(all_seen_to_hang(nearly()), phase=Phase.HANG, color="blue")
    tip = (360.0, 420.0)
    lies = rod("black", "stand", 0.999, 390.0, 430.0, path_mm=(tip, (420.0, 440.0)))
    perhaps = rod("black", "stand", 0.49, 400.0, 450.0, path_mm=(other_mm, (460.0, 480.0)))
    shown = seen(state, without=("blue", "2"), fallen=("black",))
    shown = replace(shown, rods=(*shown.rods[:-1], lies), perhaps=(*shown.perhaps, perhaps))
    assert isinstance(interpret(state, shown), Proposal if other_mm[0] < 400 else Doubt)


def test_a_piece_that_the_last_look_did_not_show_is_not_missed_again() -> None:
    """A green one under others was asked about at every press of a solo match (seed 13)."""
    solo = GAME.rules.start(1)
    look = seen(solo, without=("red", "1"))
    rods = list(look.rods)
    rods.remove(rod("green", "1"))
    covered = replace(look, rods=tuple(rods))
    assert isinstance(interpret(solo, covered), Doubt)
    found = interpret(replace(solo, hidden=(("green", "A"),)), covered)
    assert found.actions == (Hung("A", "red"), Rested("A", tips("red"), (("green", "A"),)))


def test_what_fell_hangs_no_more_in_memory() -> None:
    """After all had fallen they were missed at each look, for an empty stand kept the old places."""
    assert after(rolled_red(), "A hangs red", "A fell black", "A rests").hanging == rolled_red().hanging[:8]
    hung = all_seen_to_hang(after(GAME.rules.start(1), "A hangs red", "A rests"))
    assert after(hung, "A removes red").hanging == ()


def test_a_press_before_anything_was_done_waits_though_a_piece_is_unsure() -> None:
    rolled = after(nearly(), "A rolls blue")
    rods = seen(rolled).rods
    assert interpret(rolled, table(None, (replace(rods[0], confidence=0.3), *rods[1:]))) is None


def test_a_piece_that_goes_back_is_ticked_off_once_its_pile_shows_it() -> None:
    """Nobody saw it: the phone went on with what had long lain on the pile, and the table page told something else."""
    rolled = all_seen_to_hang(after(nearly(), "A rolls red"))
    left = after(rolled, "A hangs red")
    for reading, laid in (
        (seen(rolled, without=("red", "1")), InPlace.NO),
        (seen(rolled), InPlace.YES),
        (None, InPlace.UNSEEN),
    ):
        assert [checked.laid for checked in GAME.table.seen_back(rolled, left, reading)] == [laid]
