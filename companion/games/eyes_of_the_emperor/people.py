"""The facts of a throw that people answer or correct."""

from __future__ import annotations

from collections.abc import Mapping

from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Correctable
from companion.games.eyes_of_the_emperor import owners, view
from companion.games.eyes_of_the_emperor.facts import Fact, facts_of
from companion.games.eyes_of_the_emperor.house import Options
from companion.games.eyes_of_the_emperor.scene import spoken
from companion.games.eyes_of_the_emperor.state import Action, State, ThrowSettled
from companion.games.eyes_of_the_emperor.table import place_mm


def amended(action: Action, fact: str, value: str) -> Action:
    """The throw with one fact answered or corrected. Raises: NotationError for another fact."""
    if isinstance(action, ThrowSettled) and fact.startswith(owners.FACT):
        scene, answers = owners.told(action.scene, action.answers, fact.removeprefix(owners.FACT), value)
        return ThrowSettled(scene=scene, answers=answers)
    if not isinstance(action, ThrowSettled) or value not in ("yes", "no"):
        raise NotationError(
            f"{fact}={value} amends nothing of this entry, expected yes or no for a fact of a throw", fact
        )
    return ThrowSettled(scene=action.scene, answers={**action.answers, fact: value == "yes"})


def camera_alone(action: Action) -> Action:
    """The throw without answers about it."""
    if not isinstance(action, ThrowSettled):
        return action
    return ThrowSettled(scene=owners.untold(action.scene, action.answers))


def _is_of_none(key: str, known: Mapping[str, Fact]) -> bool:
    """Whether a fact is about a piece that is not there: there is nothing to correct of it before that is."""
    what, _, id = key.partition(":")
    parents = (known.get(f"{parent}:{id}") for parent in ("there", "is"))
    return what in ("in", "up") and any(fact is not None and fact.known is False for fact in parents)


def corrections(state: State, before: State | None = None, action: Action | None = None) -> tuple[Correctable, ...]:
    """The facts of the last throw that people may correct."""
    if state.edge is not None:  # the opponent chooses first: a correction might end the match before
        return ()
    known = view.facts_view(state)
    facts = (
        Correctable(
            fact=key,
            says=fact.says,
            value="unknown" if fact.known is None else "yes" if fact.known else "no",
            choices=(("yes", fact.yes), ("no", fact.no)),
            piece=fact.pieces[0],
            called=spoken(fact.pieces[0]),
        )
        for key, fact in known.items()
        if not _is_of_none(key, known)
    )
    return (*facts, *owners.corrections(state))


def says_fact(action: Action, fact: str, value: str) -> Says:
    """An answer or a correction, in words."""
    if fact.startswith(owners.FACT):
        die = fact.removeprefix(owners.FACT)
        # if the two change places, both are in the valley, before the answer and after it
        is_there = all(place_mm(action, name) is not None for name in (die, value))
        answer = owners.says(die, value, is_there=is_there)
        return Says("{question} {answer}", {"question": owners.question(die), "answer": answer})
    known = facts_of(action.scene, action.answers, Options().cocked_deg) if isinstance(action, ThrowSettled) else {}
    if fact not in known:
        return Says("{fact} = {value}", {"fact": fact, "value": value})
    answer = known[fact].yes if value == "yes" else known[fact].no
    return Says("{question} {answer}", {"question": known[fact].says, "answer": answer})
