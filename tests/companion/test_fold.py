"""What an entry cannot mean changes nothing and is said: a past is never lost over it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.values import Applied
from companion.games.eyes_of_the_emperor import GAME
from companion.match.inputs import CallReferee, Undo
from companion.match.match import Match
from companion.match.present import facts_of
from companion.record.entry import Entry
from companion.record.fold import Folded, fold
from companion.record.log import Log
from tests.companion.looks import LANDS, START
from tests.seeds import seeds

BEGAN = ("began", {"game": GAME.name, "options": {}, "seats": None})
THROW = ("action", {"action": f"throw {START}"})
EDGE = ("action", {"action": {"type": "edge_crossed", "thrower": "red"}})
ASKED = {"entry": 3, "fact": "blue.1/T blue", "value": "yes", "reason": "asked"}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    opened = Log(tmp_path / "eyes.db")
    yield opened
    opened.close()


def entered(log: Log, *entries: tuple[str, Any]) -> Log:
    for kind, body in entries:
        log.append(1.0, kind, "Ann", body)
    return log


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("amended", {**ASKED, "value": "perhaps"}, "blue.1/T blue=perhaps amends nothing of this entry"),
        ("retracted", {}, "it has no 'entry', expected a whole number"),
        ("action", {"action": {"type": "juggled"}}, "the action does not parse"),
    ],
)
def test_an_entry_that_does_not_fit_changes_nothing_and_is_said(log: Log, kind: str, body: Any, said: str) -> None:
    entered(log, BEGAN, ("called", {"words": ""}), THROW, EDGE)
    fair = fold(GAME, log.entries())
    entered(log, (kind, body))
    match = Match(GAME, log, wall_s=lambda: 2.0, monotonic_s=lambda: 2.0)
    try:
        view = match.view("red")
        assert view.history[0].entry == 5
        assert "does not fit and changes nothing" in str(view.history[0].says)
        assert said in str(view.history[0].says)
        folded = fold(GAME, log.entries())
        assert (folded.state, folded.steps, folded.seats) == (fair.state, fair.steps, fair.seats)
        # it goes on: with an undo of what stood before, too
        assert match.submit(CallReferee(by="red")).entry == 6
        assert view.undo.entry == 4
        assert match.submit(Undo(entry=4, by="red")).entry == 7
        assert [step.entry.seq for step in fold(GAME, log.entries()).steps] == [3]
    finally:
        match.close()


def stumbles(state: Any, action: Any) -> Applied[Any]:
    """A version of the game that fails in judging a throw with one answer, or a restart."""
    if "blue.1/T blue" in getattr(action, "answers", {}):
        raise KeyError("blue.1")
    if "restart" in GAME.text.action(action):
        raise NotationError("restarts are no longer played")
    return GAME.rules.apply(state, action)


def test_a_judgement_that_fails_is_no_end_of_the_match(log: Log) -> None:
    entered(log, BEGAN, THROW, EDGE, ("action", {"action": {"type": "opponent_chose", "restart": True}}))
    entered(log, ("amended", {**ASKED, "entry": 2, "fact": "in:blue.1"}), ("amended", {**ASKED, "entry": 2}))
    folded = fold(replace(GAME, rules=replace(GAME.rules, apply=stumbles)), log.entries())
    assert [e.seq for e in folded.steps[0].amended_by] == [5]  # the answer that it does not stumble over stands
    assert str(folded.misfits[6]) == "does not fit and changes nothing: the rules stumble over it (KeyError: 'blue.1')"
    assert str(folded.misfits[4]) == "does not fit and changes nothing: restarts are no longer played"
    assert [step.entry.seq for step in folded.steps] == [2, 3, 4]
    assert folded.steps[2].before == folded.steps[2].after == folded.state


def test_options_that_the_game_does_not_have_are_left_out_and_said(log: Log) -> None:
    option = GAME.options[0]
    kept = {option.key: option.choices[-1]}
    body = {"game": GAME.name, "options": {**kept, "of_an_older_version": "yes"}, "seats": None}
    entered(log, ("began", body), THROW)
    folded = fold(GAME, log.entries())
    assert folded.state.options == GAME.rules.start(None, kept).options
    assert "without the options that do not fit" in str(folded.misfits[1])
    assert len(folded.steps) == 1


def _of_many_kinds(chance: random.Random, seq: int) -> tuple[str, Any]:
    """Something that may be entered as the entry `seq`, or that another version entered."""
    about = chance.randint(1, seq)
    fact = chance.choice(("in:blue.1", "up:red.2", "owner:blue.2", "there:blue.1", "of_another_version"))
    value = chance.choice(("yes", "no", "red.1", "blue", "perhaps"))
    thrown = chance.choice((START, LANDS + "E red.1 377.5,350; E blue.1 746.5,350; E blue.2 850,350 up"))
    kinds = (
        ("action", {"action": f"throw {thrown}"}),
        ("action", {"action": chance.choice(("juggled", {"type": "edge_crossed", "thrower": "red"}))}),
        ("amended", {"entry": about, "fact": fact, "value": value, "reason": "asked"}),
        ("retracted", {"entry": about}),
        ("called", {"words": ""} if chance.random() < 0.5 else {}),
        ("came", {"entry": about}),
        ("took_seat", {"seat": "red", "name": "Ann", "phone": "a"}),
    )
    return chance.choices(kinds, (6, 1, 6, 4, 1, 1, 1))[0]


@pytest.mark.parametrize("seed", seeds(8, 60))
def test_a_match_gone_on_with_and_one_that_was_restarted_are_the_same(log: Log, seed: int) -> None:
    chance = random.Random(seed)
    folds: list[Folded[Any, Any]] = [fold(GAME, entered(log, BEGAN).entries())]
    for seq in range(2, 12):
        kind, body = _of_many_kinds(chance, seq)
        entry: Entry = log.append(1.0, kind, "Ann", body)
        folds.append(fold(GAME, (*folds[-1].entries, entry), folds[-1]))
        anew = fold(GAME, log.entries())
        assert folds[-1] == anew
        assert fold(GAME, log.entries(), chance.choice(folds)) == anew
        assert not {entry.seq for entry in anew.undoable()} & anew.retracted


@pytest.mark.parametrize(("ends_s", "told"), [(1900.0, ["played in 15 minutes"]), (400.0, [])])
def test_a_clock_that_was_set_back_has_measured_no_time(log: Log, ends_s: float, told: list[str]) -> None:
    """A box without a clock of its own, set by a phone in the middle of a match, told "played in -10 minutes"."""
    for at_s, (kind, body) in ((1000.0, BEGAN), (ends_s, THROW)):
        log.append(at_s, kind, "Ann", body)
    said = [str(says) for says in facts_of(fold(GAME, tuple(log.entries())))]
    assert [words for words in said if words.startswith("played")] == told
