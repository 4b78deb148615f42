"""Infers rolls and moves from a look at a race table, weighed by how well the table fits them.

Every outcome that the rules allow is weighed: the roll by the die in the tray, the move by the spots' own chances
(`chances`). A clearly most probable outcome is entered. Several probable ones are asked, the most probable first. If
none fits, the question names the most probable mistake, and people decide whether the table or the record is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.game.game import Choice, Doubt, Illegal, NotYet, Proposal
from companion.game.readings import SURE, BoardDie, BoardReading
from companion.game.says import Says, each_as, listed
from companion.games._race import core as engine
from companion.games._race.chances import EMPTY, BoardChances
from companion.games._race.state import DieRolled, PositionSet, RaceState, RollCorrected

if TYPE_CHECKING:
    from companion.games._race.game import RaceGame

MISTAKE = 0.02
"""How often people make a move that the rules forbid, or something else changes the table."""
CLEAR = SURE
"""Minimum probability to enter an outcome without asking."""
SAME_PLACE_MM = 2.0
"""Maximum distance of a die with the same value from its old place, to count as not rolled."""
MOST_TOLD = 3
ASTRAY = Says(
    "no piece is seen on another circle, and one that waited may be gone: put it in the middle of its circle and press"
)
LIKELY_ENOUGH = 0.02
"""Minimum probability to offer an outcome as an answer of its own."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that may have happened since the last entry: the actions, and the state after them."""

    actions: tuple[Any, ...]
    after: RaceState
    log_prior: float


def interpret(
    game: RaceGame, state: RaceState, reading: BoardReading, before: Any = None
) -> Proposal[Any] | Doubt[Any] | None:
    """The roll, the move or both that a settled table shows; a question where it is unclear; None where nothing
    happened.

    `before` is the last roll that stands: its die may still show the same value in the same place.
    Raises: Illegal where nobody has rolled into the tray: dice elsewhere are the others', or count for nothing; and
        where no marker is seen to have moved, but a waiting one may have.
    """
    if game.outcome(state) is not None:
        return None
    chances = chances_of(game, state, reading)
    if state.die is not None:
        rolls: list[tuple[DieRolled | None, float]] = [(None, 1.0)]
    else:
        seen = _roll(game, state, reading, before)
        if isinstance(seen, Doubt):
            return seen
        if not seen:
            if _is_mistaken(game, chances, state):
                return _unrolled(game, state)
            raise NotYet(Says("no die lies in the tray: roll it there, then press"), game.cites.roll)
        rolls = seen
    outcomes = [outcome for roll, chance in rolls for outcome in _outcomes(game, state, roll, chance)]
    return _weighed(game, state, chances, outcomes)


def chances_of(game: RaceGame, state: RaceState, reading: BoardReading) -> BoardChances:
    """The chances of a look at the board that a state is played on."""
    board = game.board(state)
    beginnings = {color: board.roles[color]["home"] for color in state.pieces}
    return BoardChances(reading, (spot for spot in game.tables(state).place if spot in board.spots), beginnings)


def _fit(game: RaceGame, chances: BoardChances, state: RaceState) -> float:
    """The logarithm of how well the table fits a state; only the difference of two such values has a meaning."""
    waiting = {color: spots.count(game.home) for color, spots in state.pieces.items()}
    return chances.log_fit(standing(game, state), waiting)


def _is_mistaken(game: RaceGame, chances: BoardChances, state: RaceState) -> bool:
    """Whether plain differences make a mistake more probable than a state."""
    return -chances.log_strange(standing(game, state)) < math.log(MISTAKE)


def standing(game: RaceGame, state: RaceState) -> dict[str, str]:
    """The colour on each circle of the way; markers at the beginning and arrived ones, all alike, are left out."""
    left_out = {game.home, game.tables(state).names[game.tables(state).done]}
    return {
        spot.removesuffix("!"): color for color, spots in state.pieces.items() for spot in spots if spot not in left_out
    }


def _outcomes(game: RaceGame, state: RaceState, roll: DieRolled | None, chance: float) -> Iterator[Outcome]:
    """The outcomes that the rules allow after a roll: nothing moved yet, or one of the moves."""
    log_prior = math.log(chance)
    actions: tuple[Any, ...] = ()
    if roll is not None:
        state = game.apply(state, roll).state
        actions = (roll,)
    yield Outcome(actions, state, log_prior)
    if state.die is None:
        return
    for move in game.legal(state):
        yield Outcome((*actions, move.action), game.apply(state, move.action).state, log_prior)


def _weighed(
    game: RaceGame, state: RaceState, chances: BoardChances, outcomes: list[Outcome]
) -> Proposal[Any] | Doubt[Any] | None:
    fits = [o.log_prior + _fit(game, chances, o.after) for o in outcomes]
    nearest = outcomes[max(range(len(outcomes)), key=fits.__getitem__)]
    strange = chances.log_strange(standing(game, nearest.after)) + max(fits) - nearest.log_prior
    weights = [math.exp(fit - strange) for fit in fits]
    total = sum(weights) + MISTAKE
    ranked = sorted(zip(outcomes, weights, strict=True), key=lambda pair: -pair[1])
    best, weight = ranked[0]
    if weight / total >= CLEAR:
        if not best.actions:
            if any(_is_one_astray(game, chances, state, color) for color in state.pieces):
                raise Illegal(ASTRAY, game.cites.turn)
            return None
        return Proposal(best.actions, _sentence(game, best), _repaired(game, chances, state, best, outcomes))
    if sum(weights) < MISTAKE:
        return _mistake(game, state, chances, outcomes)
    likely = [(outcome, w / total) for outcome, w in ranked if w / total >= LIKELY_ENOUGH]
    choices = [
        Choice(
            _key(game, outcome),
            _sentence(game, outcome),
            outcome.actions[0] if outcome.actions else None,
            outcome.actions[1:],
            round(share, 3),
        )
        for outcome, share in likely
    ]
    if all(choice.actions for choice in choices):
        choices.append(Choice("nothing", Says("nothing yet: look again")))
    says = Says("what has {seat} done?", {"seat": _mover(game, state)})
    return Doubt("move", says, tuple(choices), game.cites.turn, places_mm=_places(game, chances, best.after))


def _is_one_astray(game: RaceGame, chances: BoardChances, state: RaceState, color: str) -> bool:
    """Whether some of a colour's markers surely wait, but fewer than by the record: one may be off all circles."""
    return 0 < chances.waiting(color) < state.pieces[color].count(game.home)


def _mistake(game: RaceGame, state: RaceState, chances: BoardChances, outcomes: list[Outcome]) -> Doubt[Any]:
    """No outcome fits: the most probable mistake, and the question who is right."""
    # among equal counts of differences the unmoved table wins: people may not have put it right yet
    nearest = min(outcomes, key=lambda o: (len(chances.differences(standing(game, o.after))), len(o.actions)))
    told = _other_roll(game, state, chances) if state.die is not None else None
    choices: list[Choice[Any]] = []
    if told is not None:
        rolled, move = told
        values = {"seat": _mover(game, state), "steps": rolled.value, "die": state.die}
        says = Says("{seat} moved {steps}, the die showed {die}", values)
        right = Says("the table is right: the die showed {steps}", values)
        choices.append(Choice("table", right, rolled, (move,), likely=None, needs_reason=True))
    else:
        differences = chances.differences(standing(game, nearest.after))
        says = Says("the table fits no move: {what}", {"what": _told(differences)})
    choices.append(Choice("record", Says("what was entered is right: put the pieces so, then press again")))
    for move in _near_moves(game, state, chances) if state.die is not None else ():
        meant = Says("{move} was meant: put the table right", {"move": move.text})
        choices.append(Choice(f"meant {move.move}", meant, move.action))
    taken = _as_it_lies(game, state, chances)
    if taken is not None:
        choices.append(Choice("as_it_lies", Says("play on with the table as it lies"), taken, needs_reason=True))
    places = _places(game, chances, nearest.after)
    return Doubt("mistake", says, tuple(choices), game.cites.must, places_mm=places)


def _other_roll(game: RaceGame, state: RaceState, chances: BoardChances) -> tuple[RollCorrected, Any] | None:
    """A move with another value of the die that fits the table."""
    assert state.turn is not None
    for value in engine.DIE:
        corrected = RollCorrected(state.turn, value)
        if value == state.die:
            continue
        after = game.apply(state, corrected).state
        for move in game.legal(after) if after.die is not None else ():
            if not _is_mistaken(game, chances, game.apply(after, move.action).state):
                return corrected, move.action
    return None


def _near_moves(game: RaceGame, state: RaceState, chances: BoardChances) -> list[Any]:
    """The legal moves that fit the table best, the best first."""
    fits = [(_fit(game, chances, game.apply(state, m.action).state), m) for m in game.legal(state)]
    return [move for _, move in sorted(fits, key=lambda pair: -pair[0])[:MOST_TOLD]]


def _as_it_lies(game: RaceGame, state: RaceState, chances: BoardChances) -> PositionSet | None:
    """The visible table as a position to play on with; None if it cannot be one.

    Markers not seen on the way stay at the beginning or the goal, where they were.
    """
    left_out = {game.home, game.tables(state).names[game.tables(state).done]}
    seen = {spot: chances.seen(spot) for spot in game.tables(state).place if spot in game.board(state).spots}
    pieces = {}
    for color, spots in state.pieces.items():
        on_the_way = [spot for spot, found in seen.items() if found == color]
        off = [spot for spot in spots if spot in left_out]
        if len(on_the_way) > len(spots):
            return None
        missing = len(spots) - len(on_the_way) - len(off)
        beside = [*[game.home] * max(missing, 0), *off][: len(spots) - len(on_the_way)]
        pieces[color] = (*beside, *on_the_way)
    action = PositionSet(pieces)
    try:
        game.apply(state, action)
    except Illegal:
        return None
    return action


def _roll(
    game: RaceGame, state: RaceState, reading: BoardReading, before: Any
) -> list[tuple[DieRolled | None, float]] | Doubt[Any]:
    """The possible values of the die in the tray, each with its chance; a question where it is unclear; empty without a
    die."""
    seat = next(iter(game.to_move(state)))
    tray = [die for die in reading.dice if die.in_tray]
    if len(tray) > 1:
        tray = [die for die in tray if not _lies_still(die, before)]
    if len(tray) > 1:
        return _ask_roll(game, seat, Says("several dice lie in the tray: what did {seat} roll?", {"seat": seat}), tray)
    if not tray:
        return []
    die = tray[0]
    at_mm = (round(die.x_mm, 1), round(die.y_mm, 1))
    if die.value is None:
        says = Says("the die cannot be read: {why}. What did {seat} roll?", {"seat": seat, "why": die.reason or "?"})
        return _ask_roll(game, seat, says, tray)
    if _lies_still(die, before):
        rolled = DieRolled(seat, die.value, at_mm)
        yes = Choice("yes", Says("{seat} rolled a {value}", {"seat": seat, "value": die.value}), rolled)
        no: Choice[Any] = Choice("no", Says("not rolled yet"), likely=0.8)
        values = {"seat": seat, "value": die.value}
        says = Says("the die lies as it lay: did {seat} roll a {value} too?", values)
        return Doubt("roll", says, (no, yes), game.cites.roll, places_mm=(("die", *at_mm),))
    if die.confidence < SURE:
        says = Says("what did {seat} roll?", {"seat": seat})
        return _ask_roll(game, seat, says, tray)
    return [(DieRolled(seat, die.value, at_mm), 1.0)]


def _ask_roll(game: RaceGame, seat: str, says: Says, dice: list[BoardDie]) -> Doubt[Any]:
    """The question about the roll, the eyes' most probable value first; or the die is rolled again."""
    told = {die.value: die.confidence for die in dice if die.value is not None}
    values = sorted(engine.DIE, key=lambda value: -told.get(value, 0.0))
    places = tuple((f"die {i + 1}", die.x_mm, die.y_mm) for i, die in enumerate(dice))
    choices = [Choice(str(n), Says("a {value}", {"value": n}), DieRolled(seat, n), likely=told.get(n)) for n in values]
    again: Choice[Any] = Choice("again", Says("{seat} rolls again", {"seat": seat}))
    is_told = bool(told)
    ordered = (*choices, again) if is_told else (again, *choices)
    return Doubt("roll", says, ordered, game.cites.roll, places_mm=places)


def _unrolled(game: RaceGame, state: RaceState) -> Doubt[Any]:
    """The question about the roll where the board has changed and the tray holds no die."""
    seat = _mover(game, state)
    says = Says("the board has changed and no die lies in the tray: what did {seat} roll?", {"seat": seat})
    return _ask_roll(game, seat, says, [])


def _lies_still(die: BoardDie, before: Any) -> bool:
    if not isinstance(before, DieRolled) or before.at_mm is None or before.value != die.value:
        return False
    return math.dist(before.at_mm, (die.x_mm, die.y_mm)) <= SAME_PLACE_MM


def is_same_roll(before: Any, after: Any) -> bool:
    """Whether two looks show one roll: the same value in the same place."""
    if not isinstance(before, DieRolled) or not isinstance(after, DieRolled):
        return False
    if before.at_mm is None or after.at_mm is None or (before.seat, before.value) != (after.seat, after.value):
        return False
    return math.dist(before.at_mm, after.at_mm) <= SAME_PLACE_MM


def _mover(game: RaceGame, state: RaceState) -> str:
    return next(iter(game.to_move(state)))


def _key(game: RaceGame, outcome: Outcome) -> str:
    return "; ".join(game.action_text(action) for action in outcome.actions) or "nothing"


def _sentence(game: RaceGame, outcome: Outcome) -> Says:
    if not outcome.actions:
        return Says("nothing yet")
    return listed([game.says(action) for action in outcome.actions])


def _repaired(
    game: RaceGame, chances: BoardChances, state: RaceState, best: Outcome, outcomes: list[Outcome]
) -> Says | None:
    """A note on unclear spots that the rules decided; None without any. Spots that no move could have changed do not
    count."""
    lay, lies = standing(game, state), standing(game, best.after)
    could_change = {spot for outcome in outcomes for spot, _ in lay.items() ^ standing(game, outcome.after).items()}
    unsure = [s for s in chances.spots if s in could_change and chances.of(s, lies.get(s, EMPTY)) < SURE]
    if not unsure:
        return None
    return Says(
        "{spots} could not be seen clearly: the rules leave only this",
        {"spots": listed(each_as("spot", unsure[:MOST_TOLD]))},
    )


def _told(differences: tuple[Any, ...]) -> Says:
    told = []
    for d in differences[:MOST_TOLD]:
        seen, expected = each_as("color", (d.seen, d.expected))
        values = {"spot": d.spot, "seen": seen, "expected": expected}
        if not d.expected:
            told.append(Says("{seen} on {spot}", values))
        elif not d.seen:
            told.append(Says("no {expected} on {spot}", values))
        else:
            told.append(Says("{seen} on {spot} instead of {expected}", values))
    return listed(told) if told else Says("it cannot be told apart")


def _places(game: RaceGame, chances: BoardChances, expected: RaceState) -> tuple[tuple[str, float, float], ...]:
    """Places to look at: the spots that differ from the expected state, those with a visible piece first."""
    spots = game.board(expected).spots
    told = chances.differences(standing(game, expected))[:MOST_TOLD]
    return tuple((d.spot, *spots[d.spot]) for d in sorted(told, key=lambda d: not d.seen))
