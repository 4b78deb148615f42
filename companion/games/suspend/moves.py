"""What is open now, why not, and how a match ended: the answers around `rules.apply`."""

from __future__ import annotations

from companion.game import Explanation, Illegal, Move, Outcome, PutBack
from companion.games.suspend.house import COLORS, HEADINGS, Mode, rule
from companion.games.suspend.notation import event_text
from companion.games.suspend.rules import apply, colors_open, open_kinds, sources
from companion.games.suspend.state import (
    Dropped,
    Event,
    Fell,
    Hung,
    OtherHand,
    Phase,
    Removed,
    Rested,
    Rolled,
    Slid,
    Stopped,
    SuspendState,
    Touched,
)
from companion.says import Says


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
        if kind in kinds and explain(state, kind(seat)).is_legal:
            moves.append(_move(state, kind(seat)))
    if Fell in kinds and state.hung.total and (state.phase is not Phase.ROLL or state.last_to_move):
        who = state.last_to_move if state.phase is Phase.ROLL else seat
        effects = (Says("of what hangs: {hung}", {"hung": str(state.hung)}),)
        says = Says("pieces fall, and {seat} caused it", {"seat": who})
        moves.append(Move(None, f"{who} fell ...", says, effects, rule("The Rules")))
    if Stopped in kinds:
        moves.append(_move(state, Stopped()))
    return tuple(moves)


def _move(state: SuspendState, event: Event) -> Move[Event]:
    applied = apply(state, event)
    effects = tuple(ruling.says for ruling in applied.rulings)
    return Move(event, event_text(event), says(event), effects, applied.rulings[0].rule)


def says(event: Event) -> Says:
    """The event in words."""
    match event:
        case Rolled(seat, color):
            return Says("{seat} rolls {color}", {"seat": seat, "color": color})
        case Hung(seat, color, None):
            return Says("{seat} hangs {color}", {"seat": seat, "color": color})
        case Hung(seat, color, source):
            return Says("{seat} hangs {color} from {source}", {"seat": seat, "color": color, "source": source})
        case Touched(seat):
            return Says("the piece of {seat} makes the structure touch the table", {"seat": seat})
        case Slid(seat):
            return Says("the piece of {seat} slides to an occupied spot", {"seat": seat})
        case Dropped(seat):
            return Says("the piece of {seat} drops before the hand is away", {"seat": seat})
        case OtherHand(seat):
            return Says("the other hand of {seat} touches a suspended piece", {"seat": seat})
        case Fell(seat, pieces):
            return Says("{pieces} fell, by {seat}", {"seat": seat, "pieces": " ".join(pieces)})
        case Rested(seat):
            return Says("all is at rest, the hand of {seat} away", {"seat": seat})
        case Removed(seat, color):
            return Says("{seat} removes {color}", {"seat": seat, "color": color})
        case Stopped():
            return Says("the players stop")


def explain(state: SuspendState, event: Event) -> Explanation:
    """Whether and why an event is legal: by trying it."""
    try:
        applied = apply(state, event)
    except Illegal as error:
        return Explanation(False, error.says, error.rule)
    said = applied.rulings[0]
    return Explanation(True, Says("legal: {said}", {"said": str(said.says)}), said.rule)


def score(state: SuspendState) -> dict[str, float]:
    """Points of the tournament; in the other games the pieces left, in a duel the pieces removed."""
    if state.removed:
        return dict(zip(state.seats, map(float, state.removed), strict=True))
    if state.house.mode is Mode.EXPERT:
        return dict(zip(state.seats, map(float, state.points), strict=True))
    return {seat: float(pile.total) for seat, pile in zip(state.seats, state.piles, strict=True)}


def outcome(state: SuspendState) -> Outcome | None:
    """Who won, once the match is over; a solo sculpture has no winner."""
    if state.phase is not Phase.OVER:
        return None
    shares = {seat: 1 / len(state.winners) if seat in state.winners else 0.0 for seat in state.seats}
    if not state.winners:
        said = Says("the sculpture stands with {count} pieces", {"count": state.hung.total})
        return Outcome((), said, rule("Solo Game"), shares)
    said = Says("{winners} wins", {"winners": " and ".join(state.winners)})
    cited = rule("Tie") if state.removed else rule(HEADINGS[state.house.mode])
    if len(state.winners) > 1:
        said, cited = Says("{winners} share the win", dict(said.values)), rule("gap 23")
    return Outcome(state.winners, said, cited, shares)


def put_back(before: SuspendState, after: SuspendState) -> tuple[PutBack, ...]:
    """What to do with the rods when a step is taken back: which pile gets what, what is to be hung again."""
    told = []
    places = {f"the pile of {seat}": (before.pile(seat), after.pile(seat)) for seat in before.seats}
    places["the draw pile"] = (before.draw_pile, after.draw_pile)
    for place, (was, now) in places.items():
        missing = [color for color in COLORS for _ in range(was.count(color) - now.count(color))]
        if missing:
            told.append(PutBack(Says("put {pieces} back on {place}", {"pieces": " ".join(missing), "place": place})))
    missing = [color for color in COLORS for _ in range(before.hung.count(color) - after.hung.count(color))]
    if missing:
        told.append(PutBack(Says("hang {pieces} again", {"pieces": " ".join(missing)})))
    return tuple(told)
