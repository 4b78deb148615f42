"""Basic Manipulation in words: the effects of a move, the paragraph that allows it, and why another is not legal."""

from companion.game.says import Says, each_as, listed
from companion.game.values import RuleSheet
from companion.games.basic_manipulation.engine import HOLD, NO_MATE, ManipulationCore
from companion.games.race.core import SIX, Move
from companion.games.race.state import Moved

Reason = tuple[Says, str]

cite = RuleSheet("Basic Manipulation")


def effects(core: ManipulationCore, move: Move, die: int) -> tuple[Says, ...]:
    """The effects of a legal move: attacks and set-backs, safety, the diamond, THE WORLD, the refuge, another roll."""
    t = core.t
    color, origin, to, sent = move
    found: list[Says] = []
    spot = t.circle(to)
    if origin == t.home:
        found.append(Says("one more piece is in play", {"spot": spot}))
    if sent:
        other = core.marker_at(sent)[0]
        values = {"color": t.colors[other], "spot": spot}
        if other == t.mate[color]:
            found.append(Says("sets the partner's {color} piece on {spot} back: no move avoids it", values))
        else:
            found.append(Says("attacks {color}'s piece on {spot}: it goes to its holding position", values))
    if origin != t.home:
        found += _effects_of_way(core, color, t.circle(origin), spot, die)
    if origin == t.home and die == SIX and not t.six_enter_again:
        found.append(Says("the six brings out: no further roll", {}))
    return tuple(found)


def _effects_of_way(core: ManipulationCore, color: int, origin: str, spot: str, die: int) -> list[Says]:
    t = core.t
    found: list[Says] = []
    way, beyond = _way_to(core, color, origin, spot, die)
    if beyond:
        found.append(Says("goes one space beyond {safety}, whose occupant remains", {"safety": way[die - 1]}))
    if way and way[-1] == t.world:
        found.append(Says("THE WORLD carries it to {spot}", {"spot": spot}))
    elif origin in t.beasts and way and way[0] == t.beasts[origin]:
        found.append(Says("turns in to the diamond by {star}", {"star": way[0]}))
    if spot in t.beasts:
        found.append(Says("is safe on THE BEAST {spot} and may turn inwards there", {"spot": spot}))
    elif spot in t.star_of:
        found.append(Says("is safe on the STAR-BEAST {spot}", {"spot": spot}))
    elif spot in t.refuges[color] and origin not in t.refuges[color]:
        found.append(Says("enters the home refuge", {}))
    return found


def _way_to(core: ManipulationCore, color: int, origin: str, spot: str, die: int) -> tuple[list[str], bool]:
    """The path of a roll to a spot, and whether it goes one space beyond an occupied safety."""
    t = core.t
    corner = t.entrances.index(spot) if spot in t.entrances else NO_MATE
    ends = [spot]
    if corner == color:
        ends.append(t.world)
    elif corner != NO_MATE:
        ends.append(t.starts[corner])
    ways = t.ways(color, origin, die)
    for way in ways:
        if way[-1] in ends:
            return way, False
    for way in ways:
        if way[-1] in t.safeties:
            for further in t.steps(color, way[-1], rested=False):
                if further in ends:
                    return [*way, further], True
    return [], False


def rule_of(core: ManipulationCore, move: Move, die: int) -> str:
    t = core.t
    color, origin, to, sent = move
    spot = t.circle(to)
    if origin == t.home:
        return cite("Special playing rule") if to == t.entrance[color] else cite("Bring out")
    way, beyond = _way_to(core, color, t.circle(origin), spot, die)
    other = core.marker_at(sent)[0] if sent else NO_MATE
    if other != NO_MATE and other == t.mate[color]:
        return cite("Set-back")
    if spot in t.entrances and spot != t.entrances[color]:
        return cite("Home refuge entrance 2") if sent else cite("Home refuge entrance 1")
    if t.is_partners and core.t.colors_of_seat[core.turn][0] != color:
        return cite("Partners assistance")
    if beyond:
        return cite("Safety areas")
    if way and way[-1] == t.world:
        return cite("The World")
    if sent:
        return cite("Attack")
    if spot in t.refuges[color]:
        return cite("Home refuge")
    if t.circle(origin) in t.beasts and way and way[0] == t.beasts[t.circle(origin)]:
        return cite("Safety areas")
    return cite("Moving the tokens")


def why_not(core: ManipulationCore, action: Moved, die: int) -> Reason:
    """Why a move by a token that is there, of a colour the seat moves, is not legal."""
    t = core.t
    color = t.colors.index(action.color)
    if action.origin == HOLD:
        return _why_not_out(core, color, action, die)
    origin = next(p for p in core.on[color] if t.circle(p) == action.origin)
    if t.is_exact and origin == t.right[color]:
        values = {"die": die, "free": core.free_in_line(color)}
        return Says(
            "from THE WORLD into the refuge takes {free}, the number of free spaces there, not a {die}", values
        ), cite("gap 11")
    way, beyond = _way_to(core, color, action.origin, action.to, die)
    if way:
        return _why_not_way(core, color, way, beyond, action, die)
    return _why_not_there(core, color, action, die)


def _why_not_out(core: ManipulationCore, color: int, action: Moved, die: int) -> Reason:
    t = core.t
    values = {"color": action.color, "start": t.starts[color], "die": die, "to": action.to}
    if action.to == t.entrances[color]:
        if die != 1:
            return Says("a {die} does not retake the entrance: only a one does", values), cite("Special playing rule")
        if not t.bit[t.entrance[color]] & core.all & ~core.own[color] & ~core.friends(color):
            return Says("no opponent stands on {to}", values), cite("Special playing rule")
        if t.is_next_turn and not core._is_fresh(color, t.bit[t.entrance[color]]):
            return Says("{to} may be retaken only on the turn after the attack", values), cite("gap 18")
        return _wrong_sent(core, action.to, action)
    if action.to != t.starts[color]:
        return Says("a {color} piece comes out on {start}, not on {to}", values), cite("Bring out")
    if die not in (1, SIX):
        return Says("a {die} brings no piece out, expected a one or a six", values), cite("Bring out")
    return _why_not_landing(core, color, action.to, action)


def _why_not_way(core: ManipulationCore, color: int, way: list[str], beyond: bool, action: Moved, die: int) -> Reason:
    t = core.t
    values = {"color": action.color, "to": action.to}
    for spot in way[:-1]:
        if t.passing_bits([spot]) & core.own[color]:
            return Says("{color}'s own piece on {at} may not be passed", {**values, "at": spot}), cite(
                "Moving the tokens"
            )
    if beyond:
        safety = way[die - 1]
        bit = t.bit[t.place[safety]]
        if not bit & core.all:
            values["safety"] = safety
            return Says("{safety} is free: a piece goes beyond it only when another piece is there", values), cite(
                "Safety areas"
            )
        if t.is_two and bit & core.friends(color):
            return Says("a piece of the same player is on {at}", {**values, "at": safety}), cite("gap 13")
    return _why_not_landing(core, color, action.to, action)


def _why_not_landing(core: ManipulationCore, color: int, spot: str, action: Moved) -> Reason:
    t = core.t
    if spot == t.world:
        values = {"origin": action.origin, "entrance": t.entrances[color]}
        says = Says("no piece stays on THE WORLD, it leads to {entrance} at once: say {origin}-{entrance}", values)
        return says, cite("The World")
    bit = t.bit[t.place[spot]]
    values = {"color": action.color, "to": spot, "mate": t.colors[t.mate[color]] if t.mate[color] != NO_MATE else ""}
    if bit & core.own[color]:
        return Says("{color}'s own piece is on {to}", values), cite("gap 13")
    if bit & core.friends(color):
        if t.is_two:
            return Says("{mate}, of the same player, stands on {to}", values), cite("gap 13")
        if spot in t.safeties:
            return Says("{mate} rests safe on {to}: go one space beyond", values), cite("Safety areas")
        if action.sent_back == (values["mate"],):
            return Says("the partner may be set back only where no other move is left", values), cite("Set-back")
        return Says("the partner {mate} stands on {to} and would be set back", values), cite("Set-back")
    if spot in t.safeties and bit & core.all:
        return Says("the piece on {to} rests safe: go one space beyond", values), cite("Safety areas")
    if spot in t.entrances and spot != t.entrances[color]:
        return _why_not_door(core, color, spot, action)
    return _wrong_sent(core, spot, action)


def _why_not_door(core: ManipulationCore, color: int, spot: str, action: Moved) -> Reason:
    t = core.t
    owner = t.entrances.index(spot)
    bit = t.bit[t.place[spot]]
    values = {"owner": t.colors[owner], "to": spot, "start": t.starts[owner]}
    if t.is_partners and owner == t.mate[color]:
        if bit & core.all:
            return Says("{to} is not free for a partner", values), cite("Home refuge entrance 1")
    elif owner == t.mate[color] or not bit & core.own[owner]:
        says = Says("{to} may be entered only to attack {owner}'s piece on it: land on {start}", values)
        return says, cite("Home refuge entrance 2")
    return _wrong_sent(core, spot, action)


def _wrong_sent(core: ManipulationCore, spot: str, action: Moved) -> Reason:
    """The refusal of a move along a free path that names the wrong token as sent back."""
    t = core.t
    bit = t.bit[t.place[spot]]
    told = listed(each_as("color", action.sent_back) or [Says("nobody")])
    if bit & core.all:
        values = {"whose": t.colors[core.marker_at(bit)[0]], "spot": spot, "told": told}
        words = "{whose}'s piece on {spot} must be sent back, and this move sends back {told}"
        return Says(words, values), cite("Attack")
    return Says("this move cannot send back {told}", {"told": told}), cite("Attack")


def _why_not_there(core: ManipulationCore, color: int, action: Moved, die: int) -> Reason:
    """No path of this length ends there."""
    t = core.t
    values = {"color": action.color, "origin": action.origin, "to": action.to, "die": die}
    if action.to in t.safeties and action.to in t.board.spots and action.to not in t.beasts:
        beast = t.star_of[action.to]
        if beast != action.origin and any(beast in way for way in t.ways(color, action.origin, die)):
            return Says("only a piece that starts from {beast} may turn inwards", {"beast": beast}), cite(
                "Safety areas"
            )
    for steps in range(1, SIX + 1):
        if steps != die and any(way[-1] == action.to for way in t.ways(color, action.origin, steps)):
            says = Says("steps from {origin} to {to}: {steps}, the die shows {die}", {**values, "steps": steps})
            return says, cite("Home refuge" if action.to in t.refuges[color] else "Moving the tokens")
        to_world = action.to == t.entrances[color] and steps != die
        if to_world and any(way[-1] == t.world for way in t.ways(color, action.origin, steps)):
            says = Says("steps from {origin} to THE WORLD: {steps}, the die shows {die}", {**values, "steps": steps})
            return says, cite("gap 10")
    return Says("no path of {color} leads from {origin} to {to} with a {die}", values), cite("Moving the tokens")
