"""Center Point in words: the effects of a move, the paragraph that allows it, and why another is not legal."""

from companion.game.says import Says, each_as, listed
from companion.game.values import RuleSheet
from companion.games.center_point.board import INNER
from companion.games.center_point.engine import HOME, CenterCore
from companion.games.race.core import SIX, Move
from companion.games.race.state import Moved

Reason = tuple[Says, str]


cite = RuleSheet("Center Point")


def effects(core: CenterCore, move: Move, die: int) -> tuple[Says, ...]:
    """The effects of a legal move: markers sent back, safety, a short cut, the inner circle, another roll."""
    t = core.t
    color, origin, to, sent = move
    found: list[Says] = []
    if origin == t.home:
        found.append(Says("one more piece is in play", {"spot": t.names[to]}))
    for bit, spot in t.circle_of_bit.items():
        if bit & sent:
            whose = t.colors[core.marker_at(bit)[0]]
            words = "sends {color}'s piece from {spot} back to its beginning"
            found.append(Says(words, {"color": whose, "spot": spot}))
    if is_exception(core, move, die):
        found.append(Says("passes where the path is blocked", {}))
    if to == t.done:
        found.append(Says("enters the inner circle", {}))
    elif t.bit[to] & t.special[color]:
        found.append(Says("becomes safe on {spot} and blocks the path", {"spot": t.names[to]}))
    elif t.names[to].endswith("!"):
        found.append(Says("opens a short cut at {spot}", {"spot": t.circle(to)}))
    if die == SIX and origin == t.home:
        found.append(Says("the six serves as a one: no further roll", {}))
    return tuple(found)


def is_exception(core: CenterCore, move: Move, die: int) -> bool:
    """Whether a legal move is one that Safety c's exception allows past a blocked path."""
    color, origin, to, _ = move
    if origin == core.t.home:
        return False
    for way in core.t.ends(color, origin, die):
        if way[-1] == core.t.circle(to) and not _bits(core, way) & core.settled & ~core.own[color]:
            return False
    return True


def rule_of(core: CenterCore, move: Move, die: int) -> str:
    t = core.t
    color, origin, to, sent = move
    if origin == t.home:
        return cite("Play 1")
    if is_exception(core, move, die):
        return cite("Safety c") if not core.held else cite("gap 20")
    if to == t.done:
        return cite("Play 7")
    if sent & ~t.bit[to]:
        return cite("Safety b")
    if sent:
        return cite("Play 6")
    way = t.way(color, origin, inward=False)
    if t.names[origin].endswith("!") and t.circle(to) not in way[:die]:
        return cite("Bypass c")
    if t.circle(to) in way and way.index(t.circle(to)) + 1 < die:
        return cite("Play 7")
    if any(spot in t.bypass[color] for spot in way[: die - 1]):
        return cite("Bypass b")
    return cite("Play 2")


def _bits(core: CenterCore, spots: list[str]) -> int:
    return sum(core.t.bit[core.t.place[spot]] for spot in spots)


def why_not(core: CenterCore, action: Moved, die: int) -> Reason:
    """Why a move by a marker that is there, of the seat's own colour, is not legal."""
    t = core.t
    color = t.colors.index(action.color)
    if action.origin == HOME:
        return _why_not_enter(core, color, action, die)
    if action.origin == INNER:
        return Says("a piece in the inner circle has arrived and stays", {}), cite("Play 8")
    origin = next(p for p in core.on[color] if t.circle(p) == action.origin)
    for way in t.ends(color, origin, die):
        if way[-1] == action.to:
            return _why_not_way(core, color, way, action)
    return _why_not_there(core, color, origin, action, die)


def _why_not_enter(core: CenterCore, color: int, action: Moved, die: int) -> Reason:
    t = core.t
    start = t.starts[color]
    values = {"color": action.color, "start": start, "die": die, "to": action.to}
    if action.to != start:
        return Says("a {color} piece comes out on {start}, not on {to}", values), cite("Play 1")
    if die not in (1, SIX):
        return Says("a {die} brings no piece out, expected a one or a six", values), cite("Play 1")
    if t.bit[t.start[color]] & core.own[color]:
        return Says("{color}'s own piece is on {start}", values), cite("gap 7")
    return _wrong_sent(core, color, [start], action)


def _why_not_way(core: CenterCore, color: int, way: list[str], action: Moved) -> Reason:
    t = core.t
    values = {"color": action.color, "to": action.to}
    for spot in way[:-1]:
        if t.bit[t.place[spot]] & core.own[color]:
            return Says("{color}'s own piece on {at} may not be passed", {**values, "at": spot}), cite("Play 4")
    if _bits(core, way[-1:]) & core.own[color]:
        return Says("{color}'s own piece is on {to}", values), cite("gap 6")
    for spot in way:
        bit = _bits(core, [spot])
        if bit & core.settled:
            return _blocked(core, color, spot, way)
    return _wrong_sent(core, color, way, action)


def _blocked(core: CenterCore, color: int, spot: str, way: list[str]) -> Reason:
    t = core.t
    owner = core.marker_at(_bits(core, [spot]))[0]
    values = {"owner": t.colors[owner], "at": spot}
    rule = cite("Bypass a") if spot in t.bypass[owner] else cite("Safety c")
    if spot == way[-1]:
        return Says("{owner}'s piece rests on its own {at} and is not sent back", values), cite("gap 8")
    target = t.bit[t.place[way[-1]]] & t.special[color] if way[-1] != INNER else 0
    if target:
        says = Says("{owner}'s piece on its own {at} blocks the path, and there is another move for this roll", values)
        return says, cite("Safety c")
    return Says("{owner}'s piece on its own {at} blocks the path", values), rule


def _wrong_sent(core: CenterCore, color: int, way: list[str], action: Moved) -> Reason:
    """The refusal of a move along a free path that names the wrong markers as sent back."""
    t = core.t
    others = core.all & ~core.own[color]
    landed = _bits(core, way[-1:]) & others
    passed = _bits(core, way[:-1]) & t.special[color] & others
    must = t.colors[core.marker_at(landed)[0]] if landed else None
    values = {"whose": must, "told": listed(each_as("color", action.sent_back) or [Says("nobody")]), "to": action.to}
    if must is not None and (not action.sent_back or action.sent_back[-1] != must):
        words = "{whose}'s piece on {to} must be sent back, and this move sends back {told}"
        return Says(words, values), cite("Play 6")
    if passed:
        return Says("this move may send back other pieces, but not {told}", values), cite("Safety b")
    return Says("this move cannot send back {told}", values), cite("Play 6")


def _why_not_there(core: CenterCore, color: int, origin: int, action: Moved, die: int) -> Reason:
    """No path of this length ends there: the wrong number of steps, no right to the short cut, not the exact number."""
    t = core.t
    way = t.way(color, origin, inward=False)
    steps = way.index(action.to) + 1 if action.to in way else 0
    values = {"color": action.color, "origin": action.origin, "to": action.to, "die": die, "steps": steps}
    circle = t.place[t.circle(origin)]
    if circle in t.inward and action.origin not in t.bypass[color] and not t.names[origin].endswith("!"):
        inward = t.way(color, origin, inward=True)
        if inward[die - 1 : die] == [action.to]:
            says = Says("the piece on {origin} has no right to the short cut: it landed where another stood", values)
            return says, cite("gap 13")
    if action.to == INNER:
        says = Says("to enter the inner circle from {origin} a {steps} is needed, not a {die}", values)
        return (
            (says, cite("Play 7"))
            if 0 < steps <= SIX
            else (Says("{origin} is too far from the inner circle", values), cite("Play 7"))
        )
    if not steps:
        return Says("no path of {color} leads from {origin} to {to}", values), cite("Bypass b")
    if core.held and t.bit[t.place[action.to]] & t.special[color]:
        return _why_not_jump(core, way[:steps], die, values)
    says = Says("steps from {origin} to {to}: {steps}, the die shows {die}", values)
    return says, cite("Play 5" if steps < die else "Play 2")


def _why_not_jump(core: CenterCore, way: list[str], die: int, values: dict[str, object]) -> Reason:
    total = die + SIX * core.held
    values = {**values, "total": total}
    if len(way) != total:
        says = Says("steps from {origin} to {to}: {steps}, the sixes held and the die make {total}", values)
        return says, cite("gap 20")
    if _bits(core, way) & core.own[core.t.seat_color[core.turn]]:
        return Says("a piece of the same colour is on the way to {to}", values), cite("Play 4")
    if not _bits(core, way) & core.settled:
        return Says("the path to {to} is not blocked: only then do held sixes count", values), cite("Safety c")
    return Says("there is another move for a {die}", values), cite("gap 20")
