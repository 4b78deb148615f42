"""The rules of Suspend as events: what may happen now, and the state after.

A turn is judged in this order (gap 10): the structure comes to rest with the hand away, fallen pieces go to who moved,
and only then somebody may have run out.
"""

from collections.abc import Mapping
from dataclasses import replace

from companion.game.errors import NotationError
from companion.game.says import Says, each_as, either, listed
from companion.game.values import Applied, Choice, Doubt, Illegal, Ruling
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
    Spot,
    Stopped,
    Told,
    Touched,
)
from companion.games.suspend.house import COLORS, DRAW, HEADINGS, SEATS, Mode, house_of, no_color, rule
from companion.games.suspend.rounds import close_round, deal, duel_fall, next_turn, remove, stop
from companion.games.suspend.state import Fallen, Phase, Pile, SuspendState, pieces_says, pile_says

DEFAULT_SEATS = 4
_FREE: tuple[type, ...] = (Hung, Removed, Fell, Touched, Slid, Dropped, OtherHand, Stopped)
"""Events that may happen at any time of a solo game."""
_OPEN: dict[Phase, tuple[type, ...]] = {
    Phase.ROLL: (Rolled, Fell, Stopped),
    Phase.HANG: (Hung, Touched, Dropped, OtherHand, Fell, Stopped),
    Phase.REST: (Rested, Fell, Touched, Slid, OtherHand, Told),
    Phase.REMOVE: (Removed, Fell, OtherHand),
    Phase.OVER: (),
}


def start(seats: int | None = None, options: Mapping[str, str] | None = None) -> SuspendState:
    """The first state, dealt; one seat means mode solo. Raises: NotationError for a wrong number, key or value."""
    given = dict(options or {})
    first = given.pop("first_player", SEATS[0])
    if seats == 1:
        given.setdefault("mode", Mode.SOLO)
    house = house_of(given)
    is_solo = house.mode is Mode.SOLO
    count = (1 if is_solo else DEFAULT_SEATS) if seats is None else seats
    if not 1 <= count <= len(SEATS) or (count == 1) != is_solo:
        words = "this takes 2 to {most}, not {n}: one plays solo"
        if is_solo:
            words = "a solo game takes one, not {n}"
        raise NotationError(Says(words, {"n": count, "most": len(SEATS)}), "seats")
    names = SEATS[:count]
    if first not in names:
        values = {"seat": first, "seats": listed(each_as("seat", names))}
        raise NotationError(Says("{seat} cannot begin: {seats} play", values), "first_player")
    return deal(names, house, names, 1, first, (0,) * count)


def open_kinds(state: SuspendState) -> tuple[type, ...]:
    if state.house.mode is Mode.SOLO and state.phase is not Phase.OVER:
        return (*_FREE, Rested) if state.phase is Phase.REST else _FREE
    kinds = _OPEN[state.phase]
    if state.phase is Phase.HANG and state.color is not None:
        kinds = tuple(kind for kind in kinds if kind is not Stopped)
    if state.phase is Phase.REST and state.fallen is not Fallen.UNTOLD:
        kinds = tuple(kind for kind in kinds if kind is not Told)
    return kinds


def is_hanging(state: SuspendState) -> bool:
    return Hung in open_kinds(state)


def sources(state: SuspendState, color: str) -> tuple[str, ...]:
    """Piles that the turn's player may take a piece of a color from: his own, else any with that color (gap 8)."""
    if state.pile(state.turn).count(color):
        return (state.turn,)
    if not state.house.has_die:
        return ()
    others = [seat for seat in state.players if seat != state.turn and state.pile(seat).count(color)]
    return (*others, DRAW) if state.draw_pile.count(color) else tuple(others)


def colors_open(state: SuspendState) -> tuple[str, ...]:
    if state.color is not None and state.house.mode is not Mode.SOLO:
        return (state.color,)
    held = state.pile(state.turn).colors
    return held[:1] if state.house.mode is Mode.BEGINNER and state.house.beginner_strict else held


def apply(state: SuspendState, event: Event) -> Applied[SuspendState]:
    """The state after, with the rulings. Raises: Illegal with the paragraph."""
    _check_open(state, event)
    match event:
        case Touched(seat) | Slid(seat) | Dropped(seat) | OtherHand(seat) if state.house.mode is Mode.SOLO:
            return Applied(state, (Ruling(seat, Says("built freely: that is allowed"), rule("Solo Game")),))
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
            return _other_hand(state, seat)
        case Told(seat, is_just_hung):
            words = "the {color} piece that fell is the one just hung" if is_just_hung else "another {color} fell"
            ruling = Ruling(seat, Says(words, {"color": state.color}), rule("gap 11"))
            return Applied(replace(state, fallen=Fallen.JUST_HUNG if is_just_hung else None), (ruling,))
        case Fell():
            return _fall(state, event)
        case Rested(seat, hanging, hidden, doubled):
            hanging = hanging or state.hanging
            return _judge(replace(state, hanging=hanging, hidden=hidden, doubled=doubled), seat)
        case Removed():
            return remove(state, event)
        case Stopped():
            return stop(state)


def _check_open(state: SuspendState, event: Event) -> None:
    if state.phase is Phase.OVER:
        raise Illegal(Says("the match is over"), rule(HEADINGS[state.house.mode]))
    seat = getattr(event, "seat", None)
    if seat is not None and seat not in state.seats:
        values = {"seat": seat, "seats": listed(each_as("seat", state.seats))}
        raise Illegal(Says("unknown seat {seat}, expected one of {seats}", values), rule("Setup"))
    if type(event) not in open_kinds(state):
        raise Illegal(_why_closed(state, event), rule(_heading(state)))
    if isinstance(event, Fell):
        may_be = charged(state)
        if seat not in may_be:
            values = {"seat": seat, "charged": either(each_as("seat", sorted(may_be)) or [Says("nobody")])}
            says = Says("what falls now is charged to {charged}, not to {seat}", values)
            raise Illegal(says, rule("gap 12"))
    elif seat is not None and seat != state.turn:
        says = Says("it is the turn of {turn}, not of {seat}", {"turn": state.turn, "seat": seat})
        raise Illegal(says, rule(_heading(state)))


def charged(state: SuspendState) -> set[str]:
    """Seats that may be charged with a fall now: the player at turn, or the last to move if nobody has begun (gap
    12)."""
    last = {state.last_to_move} if state.last_to_move is not None else set()
    if state.house.mode is Mode.SOLO:
        return {state.turn}
    match state.phase:
        case Phase.ROLL:
            return last
        case Phase.REMOVE:
            return {state.turn} | {seat for seat in last if seat in state.players}
        case Phase.HANG if state.color is None:
            return {state.turn} | last
        case _:
            return {state.turn}


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
            return Says("the piece of {seat} hangs: wait until nothing moves", who)
        case _:
            return Says("{seat} must remove a piece now", who)


def _color(color: str) -> str:
    if color not in COLORS:
        raise Illegal(no_color(color), rule("gap 1"))
    return color


def _roll(state: SuspendState, event: Rolled) -> Applied[SuspendState]:
    color = _color(event.color)
    rolled = replace(state, phase=Phase.HANG, color=color)
    found = sources(rolled, color)
    values: dict[str, object] = {"seat": event.seat, "color": color}
    if not found:
        says = Says("nobody has {color}, nor the draw pile: the turn of {seat} ends", values)
        return Applied(next_turn(rolled), (Ruling(event.seat, says, rule("Intermediate Game")),))
    says = Says("{seat} is to hang {color} from their own pile", values)
    cited = rule("Intermediate Game")
    if found[0] != event.seat:
        values["sources"] = either([pile_says(source) for source in found])
        says, cited = Says("{seat} has no {color}: it comes from {sources}", values), rule("gap 8")
    return Applied(rolled, (Ruling(event.seat, says, cited, is_minor=True),))  # the board shows what is to be hung


def _hang(state: SuspendState, event: Hung) -> Applied[SuspendState]:
    seat, color, source = event.seat, _color(event.color), event.source or event.seat
    values: dict[str, object] = {"seat": seat, "color": color, "source": source}
    is_free = state.house.mode is Mode.SOLO
    if event.spot is Spot.OCCUPIED and not is_free:
        raise Illegal(Says("that spot is occupied: {seat} repositions the piece", values), rule("The Rules"))
    if event.spot is Spot.CONNECTOR and not (is_free or state.house.connector_in_play):
        raise Illegal(Says("the wooden connector is not in play: {seat} repositions the piece", values), rule("gap 19"))
    if source not in (*state.seats, DRAW):
        raise Illegal(Says("{source} is neither a player nor the draw pile", values), rule("Setup"))
    allowed = colors_open(state)
    if color not in allowed:
        if source in state.seats and source != seat:
            says = Says(
                "it is the turn of {turn}, and {color} comes from the pile of {seat}",
                {"turn": seat, "color": color, "seat": source},
            )
            raise Illegal(says, rule(HEADINGS[state.house.mode]))
        values["must"] = either(each_as("color", allowed) or [Says("nothing")])
        if state.house.mode is Mode.BEGINNER and state.pile(seat).count(color):
            says = Says("{seat} still has {must}, which is longer than {color}", values)
            raise Illegal(says, rule("Beginner Game"))
        if state.color is not None:
            raise Illegal(Says("{must} was rolled, not {color}", values), rule("Intermediate Game"))
        raise Illegal(Says("{seat} has no {color}", values), rule(HEADINGS[state.house.mode]))
    found = sources(state, color)
    if source not in found:
        values |= {"sources": either([pile_says(each) for each in found]), "source": pile_says(source)}
        says = Says("{color} comes from {sources}, not from {source}", values)
        raise Illegal(says, rule("gap 8") if seat in found else rule("Intermediate Game"))
    piece = Pile.of([color])
    after = state.with_pile(source, state.pile(source).minus(piece))
    after = replace(after, hung=state.hung.plus(piece), phase=Phase.REST, color=color, source=source)
    after = replace(after, mover=seat, lost_turn=None, fallen=None)
    told = "{seat} hangs {color}" if source == seat else "{seat} hangs {color} from {source}"
    values["source"] = pile_says(source)
    rulings = [Ruling(seat, Says(told, values), rule(HEADINGS[state.house.mode]))]
    longer = state.pile(seat).colors[0] if state.house.mode is Mode.BEGINNER else color
    if longer != color:
        says = Says("{longer} is longer and still in the pile of {seat}", {**values, "longer": longer})
        rulings.append(Ruling(seat, says, rule("Beginner Game")))
    return Applied(after, tuple(rulings))


def _in_hand(state: SuspendState) -> SuspendState:
    """The piece just hung is in the hand again, to be repositioned or taken back; before it hung: no change."""
    if state.phase is not Phase.REST or state.color is None or state.source is None:
        return state
    if state.fallen is Fallen.JUST_HUNG:
        raise Illegal(Says("the {color} piece just hung has fallen", {"color": state.color}), rule("gap 11"))
    if state.fallen is Fallen.UNTOLD:
        says = Says("first say which {color} fell: the one just hung, or another", {"color": state.color})
        raise Illegal(says, rule("gap 11"))
    piece = Pile.of([state.color])
    after = state.with_pile(state.source, state.pile(state.source).plus(piece))
    color = state.color if state.house.has_die else None
    return replace(after, hung=state.hung.minus(piece), phase=Phase.HANG, color=color, source=None)


def _other_hand(state: SuspendState, seat: str) -> Applied[SuspendState]:
    """The piece goes back and the turn is lost. A fallen piece is in the player's pile already (gap 15)."""
    words = "{seat} touched with the other hand: the piece is taken back, the turn is lost"
    taken_back = state
    if state.fallen is Fallen.JUST_HUNG:
        words = "{seat} touched with the other hand: the turn is lost"
    else:
        taken_back = _in_hand(state)
    ruling = Ruling(seat, Says(words, {"seat": seat}), rule("The Rules"))
    return Applied(next_turn(replace(taken_back, lost_turn=seat)), (ruling,))


def _fall(state: SuspendState, event: Fell) -> Applied[SuspendState]:
    pieces = Pile.of([_color(color) for color in event.pieces])
    if not pieces.total:
        raise Illegal(Says("no piece was named as fallen"), rule("The Rules"))
    if not state.hung.holds(pieces):
        told = {"fallen": pieces.says, "hung": state.hung.says}
        raise Illegal(Says("{fallen} cannot have fallen: what hangs is {hung}", told), rule("The Rules"))
    if state.phase is Phase.REMOVE:
        return duel_fall(state, event.seat, pieces)
    seat = event.seat
    after = state.with_pile(seat, state.pile(seat).plus(pieces))
    after = after.unhung(pieces)
    values = {"seat": seat, "pieces": pieces.says}
    later = state.phase is Phase.ROLL or seat != state.turn
    says = Says("{pieces} fell: add to the pile of {seat}", values)
    ruling = Ruling(seat, says, rule("gap 12") if later else rule("The Rules"))
    if state.house.mode is Mode.SOLO:
        says = Says("{pieces} fell: back to the pile", values)
        return Applied(after, (Ruling(seat, says, rule("Solo Game")),))
    if state.phase is Phase.REST:
        return Applied(replace(after, fallen=_fallen(state, pieces)), (ruling,))
    if later:
        return Applied(after, (ruling,))
    says = Says("pieces fell before {seat}'s hand was away: the turn is over", values)
    return Applied(next_turn(replace(after, lost_turn=seat)), (ruling, Ruling(seat, says, rule("gap 11"))))


def _fallen(state: SuspendState, pieces: Pile) -> Fallen | None:
    """Whether the piece just hung is among those that fell: only people can tell it from others of its color."""
    color = state.color or ""
    if state.fallen is Fallen.JUST_HUNG or not pieces.count(color):
        return state.fallen
    return Fallen.JUST_HUNG if pieces.count(color) == state.hung.count(color) else Fallen.UNTOLD


def question(state: SuspendState) -> Doubt[Event] | None:
    """Which of several pieces of one color fell: only the one just hung is repositioned or taken back."""
    if state.fallen is not Fallen.UNTOLD:
        return None
    values = {"color": state.color}
    choices: tuple[Choice[Event], ...] = (
        Choice("just_hung", Says("the {color} piece just hung", values), Told(state.turn, True)),
        Choice("another", Says("another {color}", values), Told(state.turn, False)),
    )
    return Doubt("fallen", Says("Which {color} fell?", values), choices, rule("gap 11"))


def _judge(state: SuspendState, seat: str) -> Applied[SuspendState]:
    empty = [player for player in state.players if not state.pile(player).total]
    if empty:
        return close_round(state, empty[0])
    says = Says("{seat} has {pieces} left", {"seat": seat, "pieces": pieces_says(state.pile(seat).total)})
    return Applied(next_turn(state), (Ruling(seat, says, rule("gap 10"), is_minor=True),))
