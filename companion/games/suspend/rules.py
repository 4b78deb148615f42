"""The rules of Suspend as events: what may happen now, and the state after.

A turn is judged in this order (gap 10): the structure comes to rest with the hand away, fallen pieces go to who moved,
and only then somebody may have run out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.errors import NotationError
from companion.game import Applied, Illegal, Ruling
from companion.games.suspend.duel import duel_fall, remove
from companion.games.suspend.house import COLORS, DRAW, HEADINGS, SEATS, Mode, house_of, rule
from companion.games.suspend.rounds import close_round, deal, next_turn, stop
from companion.games.suspend.state import (
    Dropped,
    Event,
    Fell,
    Hung,
    OtherHand,
    Phase,
    Pile,
    Removed,
    Rested,
    Rolled,
    Slid,
    Spot,
    Stopped,
    SuspendState,
    Touched,
)
from companion.says import Says

DEFAULT_SEATS = 4
_OPEN: dict[Phase, tuple[type, ...]] = {
    Phase.ROLL: (Rolled, Fell, Stopped),
    Phase.HANG: (Hung, Touched, Dropped, OtherHand, Fell, Stopped, Removed),
    Phase.REST: (Rested, Fell, Touched, Slid, OtherHand),
    Phase.REMOVE: (Removed, Fell, OtherHand),
    Phase.OVER: (),
}


def start(seats: int | None, options: Mapping[str, str] | None, board: str | None) -> SuspendState:
    """The first state, dealt; one seat means mode solo. Raises: NotationError for a wrong number, key or value."""
    if board is not None:
        raise NotationError("a board file was given, and Suspend has no board: leave it out", "board")
    given = dict(options or {})
    first = given.pop("first_player", SEATS[0])
    if seats == 1:
        given.setdefault("mode", Mode.SOLO)
    house = house_of(given)
    is_solo = house.mode is Mode.SOLO
    count = (1 if is_solo else DEFAULT_SEATS) if seats is None else seats
    if not 1 <= count <= len(SEATS) or (count == 1) != is_solo:
        expected = "1 in a solo game" if is_solo else f"2 to {len(SEATS)}; one plays in mode solo"
        raise NotationError(f"{count} players, expected {expected} ({rule('gap 4')})", "seats")
    names = SEATS[:count]
    if first not in names:
        raise NotationError(f"first_player is {first!r}, expected one of {', '.join(names)}", "first_player")
    return deal(names, house, names, 1, first, (0,) * count)


def open_kinds(state: SuspendState) -> tuple[type, ...]:
    """The kinds of event that the phase leaves open."""
    kinds = _OPEN[state.phase]
    if state.phase is Phase.HANG and state.house.mode is not Mode.SOLO:
        kinds = tuple(kind for kind in kinds if kind is not Removed)
        if state.color is not None:
            kinds = tuple(kind for kind in kinds if kind is not Stopped)
    return kinds


def sources(state: SuspendState, color: str) -> tuple[str, ...]:
    """Where the turn's player may take a piece of a color from: his own pile, else any that has it (gap 8)."""
    if state.pile(state.turn).count(color):
        return (state.turn,)
    if state.house.mode is not Mode.INTERMEDIATE and state.house.mode is not Mode.EXPERT:
        return ()
    others = [seat for seat in state.players if seat != state.turn and state.pile(seat).count(color)]
    return (*others, DRAW) if state.draw_pile.count(color) else tuple(others)


def colors_open(state: SuspendState) -> tuple[str, ...]:
    """The colors that the turn's player may hang."""
    if state.color is not None:
        return (state.color,)
    held = state.pile(state.turn).colors
    return held[:1] if state.house.mode is Mode.BEGINNER and state.house.beginner_strict else held


def apply(state: SuspendState, event: Event) -> Applied[SuspendState]:
    """The state after, with the rulings. Raises: Illegal with the paragraph."""
    _check_open(state, event)
    match event:
        case Rolled():
            return _roll(state, event)
        case Hung():
            return _hang(state, event)
        case Touched(seat):
            says = Says("{seat} repositions the piece: the structure touched the table", {"seat": seat})
            return Applied(_in_hand(state), (Ruling(seat, says, rule("The Rules")),))
        case Slid(seat):
            says = Says("the piece slid to an occupied spot: that is allowed")
            return Applied(state, (Ruling(seat, says, rule("The Rules")),))
        case Dropped(seat):
            says = Says("the piece dropped alone before the hand was away: {seat} tries again", {"seat": seat})
            return Applied(state, (Ruling(seat, says, rule("gap 11")),))
        case OtherHand(seat):
            says = Says("{seat} touched with the other hand: the piece is taken back, the turn is lost", {"seat": seat})
            return _passes(replace(_in_hand(state), lost_turn=seat), (Ruling(seat, says, rule("The Rules")),))
        case Fell():
            return _fall(state, event)
        case Rested(seat):
            return _judge(state, seat)
        case Removed():
            return remove(state, event)
        case Stopped():
            return stop(state)


def _check_open(state: SuspendState, event: Event) -> None:
    if state.phase is Phase.OVER:
        raise Illegal(Says("the match is over"), rule(HEADINGS[state.house.mode]))
    seat = getattr(event, "seat", None)
    if seat is not None and seat not in state.seats:
        values = {"seat": seat, "seats": ", ".join(state.seats)}
        raise Illegal(Says("there is no seat {seat}, expected one of {seats}", values), rule("Setup"))
    if type(event) not in open_kinds(state):
        raise Illegal(_why_closed(state, event), rule(_heading(state)))
    if isinstance(event, Fell):
        charged = {state.turn, state.last_to_move} if state.phase in (Phase.HANG, Phase.REMOVE) else {state.turn}
        if state.phase is Phase.ROLL:
            charged = {state.last_to_move}
        if state.phase is Phase.HANG and state.color is not None:
            charged = {state.turn}
        if seat not in charged:
            values = {"seat": seat, "charged": " or ".join(sorted(filter(None, charged))) or "nobody"}
            says = Says("what falls now is charged to {charged}, not to {seat}", values)
            raise Illegal(says, rule("gap 12"))
    elif seat is not None and seat != state.turn:
        says = Says("it is the turn of {turn}, not of {seat}", {"turn": state.turn, "seat": seat})
        raise Illegal(says, rule(_heading(state)))


def _heading(state: SuspendState) -> str:
    return "Tie" if state.phase is Phase.REMOVE else HEADINGS[state.house.mode]


def _why_closed(state: SuspendState, event: Event) -> Says:
    who = {"seat": state.turn}
    match state.phase:
        case Phase.ROLL:
            return Says("{seat} must roll the color die first", who)
        case Phase.HANG if isinstance(event, Rolled) and state.color is None:
            return Says("no die is rolled in this game: {seat} hangs a piece", who)
        case Phase.HANG:
            return Says("{seat} must hang a piece now", who)
        case Phase.REST:
            return Says("the piece of {seat} hangs: wait until all is at rest", who)
        case _:
            return Says("{seat} must remove a piece now", who)


def _color(color: str) -> str:
    if color not in COLORS:
        values = {"color": color, "colors": ", ".join(COLORS)}
        raise Illegal(Says("{color} is no color of the rods, expected one of {colors}", values), rule("gap 1"))
    return color


def _roll(state: SuspendState, event: Rolled) -> Applied[SuspendState]:
    color = _color(event.color)
    rolled = replace(state, phase=Phase.HANG, color=color)
    found = sources(rolled, color)
    values = {"seat": event.seat, "color": color, "sources": ", ".join(_named(found))}
    if not found:
        says = Says("nobody has {color}, nor the draw pile: the turn of {seat} ends", values)
        return _passes(rolled, (Ruling(event.seat, says, rule("Intermediate Game")),))
    says = Says("{seat} hangs {color} from the own pile", values)
    cited = rule("Intermediate Game")
    if found[0] != event.seat:
        says, cited = Says("{seat} has no {color}: it comes from {sources}", values), rule("gap 8")
    return Applied(rolled, (Ruling(event.seat, says, cited),))


def _named(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("the draw pile" if source == DRAW else f"the pile of {source}" for source in found)


def _hang(state: SuspendState, event: Hung) -> Applied[SuspendState]:
    seat, color, source = event.seat, _color(event.color), event.source or event.seat
    values = {"seat": seat, "color": color, "source": source}
    if event.spot is Spot.OCCUPIED:
        raise Illegal(Says("that spot is occupied: {seat} repositions the piece", values), rule("The Rules"))
    if event.spot is Spot.CONNECTOR and not state.house.connector_in_play:
        raise Illegal(Says("the wooden connector is not in play: {seat} repositions the piece", values), rule("gap 19"))
    if source not in (*state.seats, DRAW):
        raise Illegal(Says("{source} is neither a player nor the draw pile", values), rule("Setup"))
    allowed = colors_open(state)
    if color not in allowed:
        values["must"] = " or ".join(allowed)
        if state.house.mode is Mode.BEGINNER and state.pile(seat).count(color):
            says = Says("{seat} holds {must}, which is longer than {color}: the longest goes first", values)
            raise Illegal(says, rule("Beginner Game"))
        if state.color is not None:
            raise Illegal(Says("{must} was rolled, not {color}", values), rule("Intermediate Game"))
        raise Illegal(Says("{seat} has no {color}", values), rule(HEADINGS[state.house.mode]))
    found = sources(state, color)
    if source not in found:
        values["sources"] = " or ".join(_named(found))
        says = Says("{color} comes from {sources}, not from {source}", values)
        raise Illegal(says, rule("gap 8") if seat in found else rule("Intermediate Game"))
    piece = Pile.of([color])
    after = _with_source(state, source, _source(state, source).minus(piece))
    after = replace(after, hung=state.hung.plus(piece), phase=Phase.REST, color=color, source=source)
    after = replace(after, mover=seat, lost_turn=None)
    told = "{seat} hangs {color}" if source == seat else "{seat} hangs {color} from {source}"
    rulings = [Ruling(seat, Says(told, values), rule(HEADINGS[state.house.mode]))]
    longer = state.pile(seat).colors[0] if state.house.mode is Mode.BEGINNER else color
    if longer != color:
        says = Says("{longer} is longer and still in the pile of {seat}", {**values, "longer": longer})
        rulings.append(Ruling(seat, says, rule("Beginner Game")))
    return Applied(after, tuple(rulings))


def _source(state: SuspendState, source: str) -> Pile:
    return state.draw_pile if source == DRAW else state.pile(source)


def _with_source(state: SuspendState, source: str, pile: Pile) -> SuspendState:
    if source == DRAW:
        return replace(state, draw_pile=pile)
    at = state.seats.index(source)
    return replace(state, piles=(*state.piles[:at], pile, *state.piles[at + 1 :]))


def _in_hand(state: SuspendState) -> SuspendState:
    """The piece just hung is in the hand again, to be repositioned or taken back; before it hung: no change."""
    if state.phase is not Phase.REST or state.color is None or state.source is None:
        return state
    piece = Pile.of([state.color])
    if not state.hung.holds(piece):
        raise Illegal(Says("no {color} hangs any more", {"color": state.color}), rule("gap 11"))
    after = _with_source(state, state.source, _source(state, state.source).plus(piece))
    is_rolled = state.house.mode in (Mode.INTERMEDIATE, Mode.EXPERT)
    color = state.color if is_rolled else None
    return replace(after, hung=state.hung.minus(piece), phase=Phase.HANG, color=color, source=None)


def _passes(state: SuspendState, rulings: tuple[Ruling, ...]) -> Applied[SuspendState]:
    return Applied(next_turn(state), rulings)


def _fall(state: SuspendState, event: Fell) -> Applied[SuspendState]:
    pieces = Pile.of([_color(color) for color in event.pieces])
    if not pieces.total:
        raise Illegal(Says("no piece was named as fallen"), rule("The Rules"))
    if not state.hung.holds(pieces):
        values = {"fallen": str(pieces), "hung": str(state.hung)}
        raise Illegal(Says("{fallen} cannot have fallen: {hung} hangs", values), rule("The Rules"))
    if state.phase is Phase.REMOVE:
        return duel_fall(state, event.seat, pieces)
    seat = event.seat
    after = replace(_with_source(state, seat, state.pile(seat).plus(pieces)), hung=state.hung.minus(pieces))
    values = {"seat": seat, "pieces": str(pieces)}
    later = state.phase is Phase.ROLL or seat != state.turn
    says = Says("{pieces} fell: {seat} picks them up", values)
    ruling = Ruling(seat, says, rule("gap 12") if later else rule("The Rules"))
    if state.phase is not Phase.HANG or later or state.house.mode is Mode.SOLO:
        return Applied(after, (ruling,))
    says = Says("they fell before the hand of {seat} was away: the turn is over", values)
    return _passes(replace(after, lost_turn=seat), (ruling, Ruling(seat, says, rule("gap 11"))))


def _judge(state: SuspendState, seat: str) -> Applied[SuspendState]:
    empty = [player for player in state.players if not state.pile(player).total]
    if empty:
        return close_round(state, empty[0])
    says = Says("all is at rest: {seat} has {count} pieces", {"seat": seat, "count": state.pile(seat).total})
    return _passes(state, (Ruling(seat, says, rule("gap 10")),))
