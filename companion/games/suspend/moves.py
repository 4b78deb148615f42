"""The moves that are open now, why others are not, and how a match ended: the answers around `rules.apply`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import msgspec

from companion.game.errors import NotationError
from companion.game.game import Layout
from companion.game.says import Says
from companion.game.values import Asks, ChoiceView, Correctable, Move, Outcome, PutBack, Score, tried
from companion.games.suspend.events import (
    Dropped,
    Event,
    Fell,
    Hung,
    OtherHand,
    Removed,
    Rested,
    Rolled,
    Slid,
    Stopped,
    Told,
    Touched,
    event_of_text,
    event_text,
    says,
)
from companion.games.suspend.house import COLORS, DRAW, HEADINGS, Mode, rule
from companion.games.suspend.rounds import stands
from companion.games.suspend.rules import apply, charged, colors_open, open_kinds, sources
from companion.games.suspend.state import Phase, Pile, SuspendState, pieces_says, pile_says


def legal(state: SuspendState) -> tuple[Move[Event], ...]:
    """The events open now. What falls cannot be listed: the kind, with its constraint."""
    kinds, seat = open_kinds(state), state.turn
    moves: list[Move[Event]] = []
    if Rolled in kinds:
        moves += [_move(state, Rolled(seat, color)) for color in COLORS]
    if Hung in kinds:
        for color in colors_open(state):
            for source in sources(state, color):
                moves.append(_move(state, Hung(seat, color, None if source == seat else source)))
    if Removed in kinds:
        moves += [_move(state, Removed(seat, color)) for color in state.hung.colors]
    for kind in (Rested, Touched, Slid, Dropped, OtherHand):
        if kind in kinds and tried(apply, state, kind(seat)).is_legal:
            moves.append(_move(state, kind(seat)))
    if Told in kinds:
        moves += [_move(state, Told(seat, is_just_hung)) for is_just_hung in (True, False)]
    if Fell in kinds and state.hung.total:
        moves += [_fell(state, who) for who in sorted(charged(state))]
    if Stopped in kinds:
        moves.append(replace(_move(state, Stopped()), needs_all=True))
    return tuple(moves)


def _fell(state: SuspendState, who: str) -> Move[Event]:
    asks = tuple(
        Asks(
            color,
            Says("{color}", {"color": color}),
            tuple(ChoiceView(str(n), Says("{count}", {"count": n})) for n in range(state.hung.count(color) + 1)),
            given="0",
        )
        for color in state.hung.colors
    )
    effects = (Says("of the hanging pieces: {hung}", {"hung": state.hung.says}),)
    says = Says("pieces fall because of {seat}", {"seat": who})
    seats = tuple(dict.fromkeys((state.turn, who)))
    made = partial(_fell_by, state, who)
    return Move(None, f"{who} fell ...", says, effects, rule("The Rules"), asks, seats, made=made)


def _fell_by(state: SuspendState, who: str, values: Mapping[str, str]) -> Event:
    """The fall of given numbers of pieces of each color. Raises: NotationError if nothing fell."""
    fallen = tuple(color for color in state.hung.colors for _ in range(int(values[color])))
    if not fallen:
        raise NotationError("no piece fell by these numbers, expected at least one", "fell")
    return Fell(who, fallen)


def _move(state: SuspendState, event: Event) -> Move[Event]:
    applied = apply(state, event)
    effects = tuple(ruling.says for ruling in applied.rulings)
    return Move(event, event_text(event), says(event), effects, applied.rulings[0].rule)


def amended(event: Event, fact: str, value: str) -> Event:
    """An event with one corrected fact: the color rolled, or the piece hung. Raises: NotationError."""
    if fact == "rolled" and isinstance(event, Rolled) and value in COLORS:
        return msgspec.structs.replace(event, color=value)
    told = event_of_text(value) if fact == "hung" and isinstance(event, Hung) else None
    if not isinstance(told, Hung):
        raise NotationError(f"{fact} is no fact of this entry: nothing to amend", fact)
    return told


def says_fact(event: Event, fact: str, value: str) -> Says:
    return says(amended(event, fact, value))


def corrections(state: SuspendState, before: SuspendState, event: Event) -> tuple[Correctable, ...]:
    if isinstance(event, Rolled):
        colors = tuple(ChoiceView(color, Says("{color}", {"color": color})) for color in COLORS)
        return (Correctable("rolled", Says("Which color did {seat} roll?", {"seat": event.seat}), event.color, colors),)
    if not isinstance(event, Hung):
        return ()
    hangings = tuple(ChoiceView(move.move, move.text) for move in legal(before) if isinstance(move.action, Hung))
    return (Correctable("hung", Says("What was hung?"), event_text(event), hangings),)


def to_move(state: SuspendState) -> tuple[str, ...]:
    return () if state.phase is Phase.OVER else (state.turn,)


def score(state: SuspendState) -> dict[str, Score]:
    """Points of the tournament; in the other games the pieces left, in a duel the pieces removed."""
    if state.house.mode is Mode.EXPERT and not state.removed:
        return {seat: Score(float(points)) for seat, points in zip(state.seats, state.points, strict=True)}
    words = "{pieces} removed" if state.removed else "{pieces} left"
    told = zip(state.seats, state.removed or [pile.total for pile in state.piles], strict=True)
    return {seat: Score(float(n), Says(words, {"pieces": pieces_says(n)})) for seat, n in told}


def outcome(state: SuspendState) -> Outcome | None:
    if state.phase is not Phase.OVER:
        return None
    if not state.winners:
        return Outcome((), stands(state), rule("Solo Game"), dict.fromkeys(state.seats, 0.0))
    cited = "Tie" if state.removed else HEADINGS[state.house.mode]
    return Outcome.of([(seat,) for seat in state.winners], state.seats, rule("gap 23" if state.winners[1:] else cited))


def layout(state: SuspendState) -> Layout:
    """Kinds of piece and areas without use: without a color die nobody draws either."""
    if state.house.has_die:
        return Layout()
    return Layout(unused=("color_die", "die_mm") if state.draw_pile.total else ("color_die", "die_mm", "draw_pile_mm"))


def put_back(before: SuspendState, after: SuspendState) -> tuple[PutBack, ...]:
    return tuple(
        PutBack(Says("hang {pieces} again", {"pieces": missing.says}))
        if place is None
        else PutBack(Says("put {pieces} back on {pile}", {"pieces": missing.says, "pile": pile_says(place)}))
        for place, missing in to_lay(before, after)
    )


def to_lay(before: SuspendState, after: SuspendState) -> list[tuple[str | None, Pile]]:
    """The pieces that each pile lacks when a step is taken back; last those to hang again (None)."""
    places: dict[str | None, tuple[Pile, Pile]] = {seat: (before.pile(seat), after.pile(seat)) for seat in before.seats}
    places |= {DRAW: (before.draw_pile, after.draw_pile), None: (before.hung, after.hung)}
    missing = {place: was.minus(now) for place, (was, now) in places.items()}
    return [(place, pile) for place, pile in missing.items() if pile.total]
