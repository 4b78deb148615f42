"""Infers rolls and moves from a reading of a race table, weighed by how well the table fits them.

Every outcome that the rules allow is weighed: the roll by the die in the tray, the move by the spots' own chances
(`chances`). A clearly most probable outcome is entered. Several probable ones are asked, the most probable first. If
none fits, the question names the most probable mistake, and people decide whether the table or the record is right.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.readings import SURE, BoardDie, BoardReading
from companion.game.says import Says, each_as, listed
from companion.game.values import AS_IT_LIES, NOT_YET, Choice, Doubt, Explanation, Illegal, NotYet, Proposal
from companion.games.race import core as engine
from companion.games.race.chances import EMPTY, BoardChances, Difference
from companion.games.race.flow import apply, explain, legal, outcome, to_move
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import DieRolled, Moved, PositionSet, RaceState, RollCorrected
from companion.games.race.states import action_text
from companion.games.race.states import says as says_of

MISTAKE = 0.02
"""Rate of moves that the rules forbid, and of other changes to the table."""
CLEAR = SURE
"""Minimum probability to enter an outcome without asking."""
SAME_PLACE_MM = 2.0
"""Maximum distance of a die with the same value from its old place, to count as not rolled."""
MOST_TOLD = 3
ASTRAY = Says(
    "no piece is on another circle, and a waiting one may be missing: put it in the middle of its circle and press"
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
    sheet: RaceSheet, state: RaceState, reading: BoardReading, past: Sequence[Any] = ()
) -> Proposal[Any] | Doubt[Any] | None:
    """The roll, the move or both that a settled table shows; a question if it is unclear; None if nothing
    happened.

    The last roll tells how its die lay: it may still show the same value in the same place.
    Raises: Illegal if nobody has rolled into the tray: dice elsewhere are the others', or count for nothing; and
        where no marker is seen to have moved, but a waiting one may have.
    """
    if outcome(sheet, state) is not None:
        return None
    chances = chances_of(sheet, state, reading)
    if state.die is not None:
        rolls: list[tuple[DieRolled | None, float]] = [(None, 1.0)]
    else:
        seen = _roll(sheet, state, reading, [action for action in past if isinstance(action, DieRolled)])
        is_mistaken = _is_mistaken(sheet, chances, state)
        if isinstance(seen, Doubt):
            if not is_mistaken:
                return seen
            told = Says("the board has changed, {says}", {"says": seen.says})
            happened = tuple(replace(one, key="no") if one.key == NOT_YET else one for one in seen.choices)
            shows = Says("the board has changed, and nobody has rolled") if happened != seen.choices else seen.seen
            return replace(seen, says=told, choices=happened, seen=shows)
        if not seen:
            if is_mistaken:
                words = Says("the board has changed and the tray has no die")
                return _ask_roll(sheet, _mover(sheet, state), [], words)
            raise NotYet(Says("the tray has no die: roll it there, then press"), sheet.cites.roll)
        rolls = seen
    outcomes = [outcome for roll, chance in rolls for outcome in _outcomes(sheet, state, roll, chance)]
    return _weighed(sheet, state, reading, chances, outcomes)


def chances_of(sheet: RaceSheet, state: RaceState, reading: BoardReading) -> BoardChances:
    """The chances of a reading of the state's board. Common spots where no piece stays are looked at too."""
    board = tables_of(sheet, state).board
    beginnings = {color: board.roles[color]["home"] for color in state.pieces}
    passed = (spot for spot, (color, _) in board.owners().items() if color is None)
    spots = dict.fromkeys((*tables_of(sheet, state).place, *passed))
    return BoardChances(reading, (spot for spot in spots if spot in board.spots), beginnings)


def _fit(sheet: RaceSheet, chances: BoardChances, state: RaceState) -> float:
    """The logarithm of how well the table fits a state; only the difference of two such values has a meaning."""
    waiting = {color: spots.count(sheet.home) for color, spots in state.pieces.items()}
    return chances.log_fit(standing(sheet, state), waiting)


def _is_mistaken(sheet: RaceSheet, chances: BoardChances, state: RaceState) -> bool:
    """Whether plain differences make a mistake more probable than a state."""
    return -chances.log_strange(standing(sheet, state)) < math.log(MISTAKE)


def standing(sheet: RaceSheet, state: RaceState) -> dict[str, str]:
    """The colour on each circle of the route; markers at the beginning and arrived ones, all alike, are left out."""
    left_out = {sheet.home, tables_of(sheet, state).names[tables_of(sheet, state).done]}
    return {
        spot.removesuffix("!"): color for color, spots in state.pieces.items() for spot in spots if spot not in left_out
    }


def _outcomes(sheet: RaceSheet, state: RaceState, roll: DieRolled | None, chance: float) -> Iterator[Outcome]:
    """The outcomes that the rules allow after a roll: nothing moved yet, or one of the moves."""
    log_prior = math.log(chance)
    actions: tuple[Any, ...] = ()
    if roll is not None:
        state = apply(sheet, state, roll).state
        actions = (roll,)
    yield Outcome(actions, state, log_prior)
    if state.die is None:
        return
    for move in legal(sheet, state):
        yield Outcome((*actions, move.action), apply(sheet, state, move.action).state, log_prior)


def _weighed(
    sheet: RaceSheet, state: RaceState, reading: BoardReading, chances: BoardChances, outcomes: list[Outcome]
) -> Proposal[Any] | Doubt[Any] | None:
    fits = [o.log_prior + _fit(sheet, chances, o.after) for o in outcomes]
    nearest = outcomes[max(range(len(outcomes)), key=fits.__getitem__)]
    strange = chances.log_strange(standing(sheet, nearest.after)) + max(fits) - nearest.log_prior
    weights = [math.exp(fit - strange) for fit in fits]
    total = sum(weights) + MISTAKE
    ranked = sorted(zip(outcomes, weights, strict=True), key=lambda pair: -pair[1])
    best, weight = ranked[0]
    if weight / total >= CLEAR:
        if not best.actions:
            # some of a colour's markers surely wait, but fewer than by the record: one may be off all circles
            if any(0 < chances.waiting(color) < of.count(sheet.home) for color, of in state.pieces.items()):
                raise Illegal(ASTRAY, sheet.cites.turn)
            if (early := _rolled_early(sheet, state, reading)) is not None:
                raise Illegal(early, sheet.cites.must)
            return None
        note = _repaired(sheet, chances, state, best, outcomes)
        # the rules allow it on this table; half a move is never legal
        return Proposal(best.actions, _sentence(sheet, best), note, is_whole=True)
    likely = [(outcome, w / total) for outcome, w in ranked if w / total >= LIKELY_ENOUGH]
    if sum(weights) < MISTAKE or not any(outcome.actions for outcome, _ in likely):  # never ask with only one answer
        return _mistake(sheet, state, reading, chances, outcomes)
    choices = [
        Choice(
            "; ".join(action_text(sheet, action) for action in outcome.actions) or "nothing",
            _sentence(sheet, outcome),
            outcome.actions[0] if outcome.actions else None,
            outcome.actions[1:],
            round(share, 3),
        )
        for outcome, share in likely
    ]
    if all(choice.actions for choice in choices):
        choices.append(Choice("nothing", Says("nothing yet: look again")))
    says = Says("what has {seat} done?", {"seat": _mover(sheet, state)})
    lay = [standing(sheet, outcome.after).items() for outcome, _ in likely]
    open_spots = {spot for one in lay for spot, _ in one ^ lay[0]}
    if (lies := next((one for one in reading.between if open_spots & set(one.spots)), None)) is not None:
        values = {"color": lies.color, "spots": listed(each_as("spot", lies.spots)), "seat": _mover(sheet, state)}
        says = Says("{color} is between {spots}: what has {seat} done?", values)
    places = _places(sheet, chances, best.after, choices)
    seen = _rolled_early(sheet, state, reading) or Says("the move is not seen clearly")
    return Doubt("move", says, tuple(choices), sheet.cites.turn, places_mm=places, seen=seen)


def _rolled_early(sheet: RaceSheet, state: RaceState, reading: BoardReading) -> Says | None:
    """The sentence if the die in the tray shows another value than the roll that waits for its move; else None."""
    shown = {die.value for die in reading.dice if die.in_tray and die.confidence >= SURE}
    if state.die is None or not shown or state.die in shown or None in shown:
        return None
    values = {"seat": _mover(sheet, state), "die": state.die}
    return Says("{seat} has not moved the {die} yet, and the die shows another number", values)


def _mistake(
    sheet: RaceSheet, state: RaceState, reading: BoardReading, chances: BoardChances, outcomes: list[Outcome]
) -> Doubt[Any]:
    """No outcome fits: at most three answers, the most probable first, and none that the table contradicts."""
    # among equal counts of differences the unmoved table wins: people may not have put it right yet
    nearest = min(outcomes, key=lambda o: (len(chances.differences(standing(sheet, o.after))), len(o.actions)))
    told = _other_roll(sheet, state, chances) if state.die is not None else None
    differences = chances.differences(standing(sheet, nearest.after))
    says, came = (
        Says("the table fits no move: {what}", {"what": _told(differences)}),
        [d for d in differences if d.seen],
    )
    choices, cited = _meant(sheet, state, chances), sheet.cites.must
    if len(came) == 1 and isinstance(meant := choices[0].action, Moved):
        values = {"what": _told(tuple(came)), "die": state.die, "spot": meant.to}
        says = Says("{what}: with a {die} it goes to {spot}", values)
    elif (forbidden := _forbidden(sheet, state, chances)) is not None:
        says, cited = forbidden.says, forbidden.rule
    if told is not None:
        rolled, move = told
        values = {"seat": _mover(sheet, state), "steps": rolled.value, "die": state.die}
        says, cited = Says("{seat} moved {steps}, the die showed {die}", values), sheet.cites.must
        was = Choice("table", Says("the die showed {steps}", values), rolled, (move,), needs_reason=True)
        shown = {die.value for die in reading.dice if die.in_tray and die.confidence >= SURE}
        if rolled.value in shown:
            choices.insert(0, was)
        elif state.die not in shown:
            choices.insert(1, was)
    taken = _as_it_lies(sheet, state, chances)
    del choices[MOST_TOLD - (taken is not None) :]
    if taken is not None:
        choices.append(Choice(AS_IT_LIES, Says("leave it"), taken))
    places = _places(sheet, chances, nearest.after, choices)
    return Doubt("mistake", says, tuple(choices), cited, places_mm=places)


def _forbidden(sheet: RaceSheet, state: RaceState, chances: BoardChances) -> Explanation | None:
    """Why the rules forbid the move that the table shows; None if it does not show one piece on another, free spot."""
    differences = chances.differences(standing(sheet, state))
    left = [d for d in differences if not d.seen]
    came = [d for d in differences if not d.expected]
    if state.die is None or len(differences) != 2 or len(left) != 1 or [d.seen for d in came] != [left[0].expected]:
        return None
    why = explain(sheet, state, sheet.moved(left[0].expected, left[0].spot, came[0].spot))
    return None if why.is_legal else why


def _other_roll(sheet: RaceSheet, state: RaceState, chances: BoardChances) -> tuple[RollCorrected, Any] | None:
    """A move with another value of the die that fits the table."""
    assert state.turn is not None
    for value in engine.DIE:
        corrected = RollCorrected(state.turn, value)
        if value == state.die:
            continue
        after = apply(sheet, state, corrected).state
        for move in legal(sheet, after) if after.die is not None else ():
            if not _is_mistaken(sheet, chances, apply(sheet, after, move.action).state):
                return corrected, move.action
    return None


def _meant(sheet: RaceSheet, state: RaceState, chances: BoardChances) -> list[Choice[Any]]:
    """The legal move of the piece that left its circle, the one that fits best; then all pieces back."""
    lay = standing(sheet, state)
    left = {d.spot for d in chances.differences(lay) if d.expected}
    came = {d.seen for d in chances.differences(lay) if d.seen and d.seen not in {lay[spot] for spot in left}}
    moves = [
        (_fit(sheet, chances, apply(sheet, state, m.action).state), m.move, m.action)
        for m in (legal(sheet, state) if state.die is not None else ())
        if isinstance(m.action, Moved)
        and (m.action.origin in left or (m.action.origin == sheet.home and m.action.color in came))
    ]
    back = Says("put it back") if not left and len(came) == 1 else Says("put the pieces back")
    if len(left) == 1:
        back = Says("put it back on {spot}", {"spot": next(iter(left))})
    choices: list[Choice[Any]] = [Choice("record", back)]
    if moves:
        _, best, action = max(moves, key=lambda fits: fits[0])
        choices.insert(0, Choice(f"meant {best}", Says("put it on {spot}", {"spot": action.to}), action))
    return choices


def _as_it_lies(sheet: RaceSheet, state: RaceState, chances: BoardChances) -> PositionSet | None:
    """The visible table as a position, markers off the route as before; None if it cannot be one."""
    left_out = {sheet.home, tables_of(sheet, state).names[tables_of(sheet, state).done]}
    seen = {spot: chances.seen(spot) for spot in chances.spots}
    if any(seen[spot] != EMPTY for spot in seen.keys() - tables_of(sheet, state).place):
        return None
    pieces = {}
    for color, spots in state.pieces.items():
        # markers that stood on one circle look like one
        on_the_way = [s for s, found in seen.items() if found == color for _ in range(max(1, spots.count(s)))]
        off = [spot for spot in spots if spot in left_out]
        if len(on_the_way) > len(spots):
            return None
        missing = len(spots) - len(on_the_way) - len(off)
        beside = [*[sheet.home] * max(missing, 0), *off][: len(spots) - len(on_the_way)]
        pieces[color] = (*beside, *on_the_way)
    action = PositionSet(pieces)
    return action if explain(sheet, state, action).is_legal else None


def _roll(
    sheet: RaceSheet, state: RaceState, reading: BoardReading, rolls: Sequence[DieRolled]
) -> list[tuple[DieRolled | None, float]] | Doubt[Any]:
    """The die's possible values with their chances; a question if it is unclear; empty without a die.

    Of several dice the one counts that does not lie as after an earlier roll."""
    seat = next(iter(to_move(sheet, state)))
    tray = [die for die in reading.dice if die.in_tray]
    if len(tray) > 1:
        tray = [die for die in tray if not any(_lies_still(die, roll) for roll in rolls)] or tray
    if len(tray) > 1:
        return _ask_roll(sheet, seat, tray, Says("the tray has several dice"))
    if not tray:
        return []
    die = tray[0]
    at_mm = (round(die.x_mm, 1), round(die.y_mm, 1))
    if die.value is None:
        return _ask_roll(sheet, seat, tray, Says("the die cannot be read: {why}", {"why": die.reason or "?"}))
    if rolls and _lies_still(die, rolls[0]):
        rolled = DieRolled(seat, die.value, at_mm)
        yes = Choice("yes", Says("{seat} rolled a {value}", {"seat": seat, "value": die.value}), rolled)
        no: Choice[Any] = Choice(NOT_YET, Says("not rolled yet"), likely=0.8)
        values = {"seat": seat, "value": die.value}
        says = Says("the die has not moved: did {seat} roll a {value} again?", values)
        return Doubt("roll", says, (no, yes), sheet.cites.roll, places_mm=(("die", *at_mm),))
    if die.confidence < SURE:
        return _ask_roll(sheet, seat, tray, Says("the die is not seen clearly"))
    return [(DieRolled(seat, die.value, at_mm), 1.0)]


def _ask_roll(sheet: RaceSheet, seat: str, dice: list[BoardDie], seen: Says) -> Doubt[Any]:
    """The question about the roll, the eyes' most probable value first; or the die is rolled again."""
    told = {die.value: die.confidence for die in dice if die.value is not None}
    values = sorted(engine.DIE, key=lambda value: -told.get(value, 0.0))
    places = tuple((f"die {i + 1}", die.x_mm, die.y_mm) for i, die in enumerate(dice))
    choices = [Choice(str(n), Says("a {value}", {"value": n}), DieRolled(seat, n), likely=told.get(n)) for n in values]
    again: Choice[Any] = Choice("again", Says("{seat} rolls again", {"seat": seat}))
    ordered = (*choices, again) if told else (again, *choices)
    says = Says("{why}. What did {seat} roll?", {"why": seen, "seat": seat})
    return Doubt("roll", says, ordered, sheet.cites.roll, places_mm=places, seen=seen)


def _lies_still(die: BoardDie, roll: DieRolled) -> bool:
    if roll.at_mm is None or roll.value != die.value:
        return False
    return math.dist(roll.at_mm, (die.x_mm, die.y_mm)) <= SAME_PLACE_MM


def has_moved(before: Any, after: Any) -> bool:
    """Whether two readings show two events. They show one roll if the die has the same value in the same place."""
    if not isinstance(before, DieRolled) or not isinstance(after, DieRolled):
        return bool(before != after)
    if before.at_mm is None or after.at_mm is None or (before.seat, before.value) != (after.seat, after.value):
        return before != after
    return math.dist(before.at_mm, after.at_mm) > SAME_PLACE_MM


def _mover(sheet: RaceSheet, state: RaceState) -> str:
    return next(iter(to_move(sheet, state)))


def _sentence(sheet: RaceSheet, outcome: Outcome) -> Says:
    if not outcome.actions:
        return Says("nothing yet")
    return listed([says_of(sheet, action) for action in outcome.actions])


def _repaired(
    sheet: RaceSheet, chances: BoardChances, state: RaceState, best: Outcome, outcomes: list[Outcome]
) -> Says | None:
    """A note on unclear spots that the rules decided and a move could have changed; None without any."""
    lay, lies = standing(sheet, state), standing(sheet, best.after)
    could_change = {spot for outcome in outcomes for spot, _ in lay.items() ^ standing(sheet, outcome.after).items()}
    unsure = [s for s in chances.spots if s in could_change and chances.of(s, lies.get(s, EMPTY)) < SURE]
    if not unsure or not any(isinstance(action, Moved) for action in best.actions):
        return None
    return Says(
        "{spots} could not be seen clearly: the rules allow only this",
        {"spots": listed(each_as("spot", unsure[:MOST_TOLD]))},
    )


def _told(differences: tuple[Difference, ...]) -> Says:
    told = [d.says for d in differences[: MOST_TOLD if len(differences) <= MOST_TOLD else 1]]
    if len(differences) > MOST_TOLD:
        return Says("{what}, and {n} more circles differ", {"what": told[0], "n": len(differences) - 1})
    return listed(told) if told else Says("the spot cannot be identified")


def _places(
    sheet: RaceSheet, chances: BoardChances, expected: RaceState, choices: Iterable[Choice[Any]]
) -> tuple[tuple[str, float, float], ...]:
    """Places to look at: the spots that differ from the expected state, those with a visible piece first. Then the
    spots that the answers name."""
    spots = tables_of(sheet, expected).board.spots
    told = chances.differences(standing(sheet, expected))[:MOST_TOLD]
    differ = [d.spot for d in sorted(told, key=lambda d: not d.seen)]
    named = [spot for c in choices for a in c.actions if isinstance(a, Moved) for spot in (a.origin, a.to)]
    return tuple((spot, *spots[spot]) for spot in dict.fromkeys((*differ, *named)) if spot in spots)
