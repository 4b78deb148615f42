"""One match in numbers, from its log."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from companion.game.game import Game, seats_of
from companion.game.known import game_named, names
from companion.game.values import Outcome
from companion.record.entry import ASKED, Amended, Asked, Entry, GivenUp, LeftSeat, MatchBegan, TookSeat
from companion.record.fold import Step, fold

PAUSE_S = 900.0
"""Longest time between two entries that counts as played: people go to bed in between."""


class Sat(Struct, frozen=True, omit_defaults=True, gc=False):
    """One seat at the end of a match. `name`: the person's name there; None: nobody took the seat."""

    seat: str
    name: str | None = None
    points: float | None = None
    place: int | None = None
    has_won: bool = False


class Play(Struct, frozen=True, omit_defaults=True, gc=False):
    """A match, or a play entered by people. Times are wall-clock seconds."""

    name: str
    """The log's name, such as ``suspend-0004``; of a play from elsewhere the source and its own number."""
    game: str
    title: str
    began_s: float
    played_s: float
    seats: tuple[Sat, ...]
    is_over: bool = True
    asked: int = 0
    overruled: int = 0
    dice: Mapping[str, Mapping[str, int]] = {}
    """Count of each rolled value, by seat."""
    comment: str = ""
    has_log: bool = True

    @property
    def id(self) -> str:
        """A name that no play of another box has."""
        return f"{self.name}@{self.began_s:.0f}" if self.has_log else self.name


def play_of(name: str, entries: Sequence[Entry]) -> Play | None:
    """A match from its entries; None if nothing was begun, or this box does not know the game. Raises: LogError."""
    began = next((entry.body for entry in entries if isinstance(entry.body, MatchBegan)), None)
    if began is None or began.game not in names():
        return None
    game = game_named(began.game)
    folded = fold(game, entries)
    outcome, scores = game.rules.outcome(folded.state), game.rules.score(folded.state)
    people = _people(entries, folded.judged)
    winners = () if outcome is None else outcome.winners
    points = {seat: float(score.summed.points) for seat, score in scores.items()}
    places = {} if outcome is None or not outcome.winners else _places(points, outcome)
    times_s = [entry.at_s for entry in entries if not isinstance(entry.body, GivenUp)]
    return Play(
        name=name,
        game=game.name,
        title=getattr(folded.state, "title", None) or game.title,
        began_s=times_s[0],
        played_s=sum(max(0.0, min(after - at, PAUSE_S)) for at, after in pairwise(times_s)),
        seats=tuple(
            Sat(seat, people.get(seat), points.get(seat), places.get(seat), seat in winners)
            for seat in seats_of(game, folded.state)
        ),
        is_over=outcome is not None,
        asked=sum(isinstance(e.body, Asked) or _is_amended(e, answers=True) for e in entries),
        overruled=sum(_is_amended(e, answers=False) for e in entries),
        dice=_dice(game, folded.steps),
    )


def _places(points: Mapping[str, float], outcome: Outcome) -> Mapping[str, int]:
    """Each seat's place: by its share in tournament play, then by points. Fewer are better if winners have fewer."""
    others = [points[seat] for seat in points if seat not in outcome.winners]
    way = 0.0
    if others and outcome.winners:
        way = sum(points[seat] for seat in outcome.winners) / len(outcome.winners) - sum(others) / len(others)
    worth = {
        seat: (outcome.points.get(seat, float(seat in outcome.winners)), (seat not in outcome.winners) * way * number)
        for seat, number in points.items()
    }
    return {seat: 1 + sum(other > own for other in worth.values()) for seat, own in worth.items()}


def _people(entries: Iterable[Entry], judged: int) -> Mapping[str, str]:
    """The people by seat at the last judged action; a phone that is drawn at the virtual table is nobody."""
    found: dict[str, str] = {}
    for entry in entries:
        match entry.body:
            case TookSeat(seat=seat, name=name, is_stand_in=False) if entry.seq <= judged or seat not in found:
                found[seat] = name
            case TookSeat(seat=seat) | LeftSeat(seat=seat) if entry.seq <= judged:
                found.pop(seat, None)
    return found


def _is_amended(entry: Entry, *, answers: bool) -> bool:
    return isinstance(entry.body, Amended) and (entry.body.reason == ASKED) is answers


def _dice(game: Game[Any, Any], steps: Iterable[Step[Any, Any]]) -> Mapping[str, Mapping[str, int]]:
    """The values that each seat rolled: of ``die_rolled``, ``roll_corrected``, and actions with `dice`."""
    found: dict[str, Counter[str]] = {}
    before = None
    for step in steps:
        action, tag = step.action, getattr(getattr(step.action, "__struct_config__", None), "tag", None)
        if step.before == step.after:
            continue
        if tag == "roll_corrected" and before is not None:
            found[before.seat][str(before.value)] -= 1
        if tag in ("die_rolled", "roll_corrected"):
            found.setdefault(action.seat, Counter())[str(action.value)] += 1
            before = action
        elif dice := [str(value) for value in getattr(action, "dice", ()) if isinstance(value, int)]:
            for seat in game.rules.to_move(step.before)[:1]:
                found.setdefault(seat, Counter()).update(dice)
    return {seat: dict(sorted((+values).items())) for seat, values in sorted(found.items()) if +values}
