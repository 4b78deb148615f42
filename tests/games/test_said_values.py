"""What the games say in whole matches: each value is of the kind of its slot, and each sentence is in a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from companion.game.cards import is_card
from companion.game.game import Game, seats_of
from companion.game.known import GAMES
from companion.game.says import SLOTS, Says, Slot
from companion.game.values import Illegal
from tests.games import playthrough
from tests.games.test_every_game import folded
from web.words import catalogue
from web.words.collect import has_words

TRIED = 12
"""Actions of the match that are tried in a state, spread over it: most are refused there, with a reason."""
LOOKED_AT, LOOKED_AT_NIGHTLY = 2, 40
"""States of a match."""
IN_NOTATION = {"action", "move", "position", "id", "names", "name", "n", "meld", "melds"}
"""Slots that hold what a program or a person wrote, whatever it is."""


def sentences(value: Any) -> Iterator[Says]:
    """All sentences in a value, those within sentences too."""
    if isinstance(value, Says):
        yield value
        value = dict(value.values)
    if is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from sentences(each)


def said(game: Game[Any, Any], steps: list[tuple[Any, Any]], looks: int) -> Iterator[Says]:
    """All that a game says in some states of a match, and to actions that do not fit them."""
    actions = [action for _, action in steps if action is not None]
    for at in range(0, len(steps), max(1, len(steps) // looks)):
        state, action = steps[at]
        yield from sentences([game.rules.legal(state), game.rules.outcome(state), game.people.question(state)])
        for seat in seats_of(game, state):
            yield from sentences(game.page.view(state, seat))
            yield from sentences(game.page.hints(state, seat, within_ms=0.0))
        if action is not None:
            yield from sentences([game.text.says(action), game.rules.apply(state, action).rulings])
            yield from sentences([t.whole for t in game.table.put_back(state, game.rules.apply(state, action).state)])
        for tried in actions[:: max(1, len(actions) // TRIED)]:
            try:
                yield from sentences(game.rules.apply(state, tried).rulings)
            except Illegal as refused:
                yield from sentences(refused.says)


@pytest.mark.parametrize("looks", [LOOKED_AT, pytest.param(LOOKED_AT_NIGHTLY, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", GAMES)
def test_each_value_is_of_the_kind_of_its_slot_and_each_sentence_has_a_translation(name: str, looks: int) -> None:
    """An ace of clubs went "to the group of Mum", who had seat A; "Put 6♠ 10♠ in their places" stayed English."""
    known = catalogue("de")
    wrong, untold = set(), set()
    for path in playthrough.files():
        if not path.stem.startswith(name):
            continue
        game, *_ = playthrough.head(text := path.read_text(encoding="utf-8"))
        steps = folded(text)
        seats = set(seats_of(game, steps[0][0]))
        for says in said(game, steps, looks):
            if has_words(says.template) and says.template not in known:
                untold.add(says.template)
            for slot, value in says.values.items():
                if not isinstance(value, str) or f"{{{slot}}}" not in says.template:
                    continue
                match SLOTS.get(slot, Slot.TEXT):
                    case Slot.SEAT if value not in seats:
                        wrong.add((slot, value, says.template))
                    case Slot.WORD if value not in known:
                        wrong.add((slot, value, says.template))
                    case Slot.TEXT if slot not in IN_NOTATION and (value in seats or value in known or is_card(value)):
                        wrong.add((slot, value, says.template))
    assert wrong == set()
    assert untold == set()
