"""Samurai and ninjas are conserved: a piece that was there or was thrown is seen, is hidden, or has left the valley.

A throw adds one piece of each emperor (Instructions 7, 8 and 10). `missed` names those that may be hidden now. `new_of`
counts those that the throw added.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from companion.game.readings import CHANCE_WRONG, HIGHEST_IN_DOUBT, Hideout, Kind
from companion.game.says import Says
from companion.games.eyes_of_the_emperor.facts import is_doubted, is_there, lies_in_valley, nameless
from companion.games.eyes_of_the_emperor.owners import LEAVES, At, Places, left_from, moved_to, places_before
from companion.games.eyes_of_the_emperor.rules import counted, remembered, throws
from companion.games.eyes_of_the_emperor.scene import (
    SAMURAI_EACH,
    SEATS,
    Hiding,
    Lying,
    Rest,
    Scene,
    across_mm,
    apart_mm,
    below,
    dice_names,
    is_below,
    kind_of,
)
from companion.games.eyes_of_the_emperor.settled import SAME_MM
from companion.games.eyes_of_the_emperor.state import State

LIFTED_MM = 2.0
"""Maximum offset of a samurai on an unseen one: 4 mm higher, seen at up to 25 degrees."""
TILTED_DEG = 6.0
"""Maximum change of an untouched samurai's lean. One that leans on another by 5.4 degrees may be fitted as level."""
LEVEL_DEG = 1.0
"""Maximum lean of a flat samurai."""
UNTOLD_MM = 1.0
"""Minimum overlap of samurai that are surely on each other."""
HIDDEN_MM = 5.0
"""Maximum offset of a samurai that another one hides: seed 712, throw 26, on a coarse camera."""
THROWN_MM = 100.0
"""A thrown samurai comes to rest about this far from its target."""
MOST_MOVED = 6
"""Maximum number of touched and thrown samurai of a colour for which all assignments are weighed."""
GOT_UNDER_FLAT, GOT_UNDER, STAYED_UNDER = 1 / 50_000, 1 / 4, 4 / 5
"""Chance that a moved samurai is under an untouched flat one, under a leaning one, under one whose support moved."""
CLIMBED = 1 / 400
"""Maximum chance that one of two dice that came to one place is on the other, if it was not before. In 4,000 simulated
throws at four rigid dice close together, `moved_to` expects 430 such pairs, and there was none."""
LEANS = 1 / 50
"""Maximum chance that a die leans by more than 10 degrees: 2 of 209 that throws moved on the virtual table did."""
CHANCE_DIGITS = 6
MOST_READ = 0.95
"""Maximum probability that a reported order is right: of 36 sure reports, two were wrong."""

SEEN = (
    Says("the camera counts no piece more than before"),
    Says("the camera counts one piece more than before"),
    Says("both pieces of this throw are seen"),
)
"""Sentences by the number of a throw's pieces that are seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingSeen:
    """A reported hiding place, and the pieces that would all be on the die, or at least one of them (`on_it`)."""

    hiding: Hiding
    report: Hideout
    on_it: Collection[str]

    def area_mm2(self, die: str, before: Scene | None) -> float | None:
        """The area, as far as a die may be there; None: it may be an unrecognized object."""
        whole_mm2, level_mm2 = self.report.area_mm2, self.report.level_mm2
        if whole_mm2 is None:
            return None
        area_mm2 = whole_mm2 if level_mm2 is None else level_mm2 + LEANS * (whole_mm2 - level_mm2)
        is_under_die = bool(self.on_it) and all(kind_of(id) is Kind.EMPIRE_DIE for id in self.on_it)
        stacks = () if before is None else [{rest.piece, rest.on} for rest in before.rests_on]
        may_have_been = before is None or die in before.unseen or any({id, die} in stacks for id in self.on_it)
        if is_under_die and not may_have_been:
            return CLIMBED * min(area_mm2, across_mm(Kind.EMPIRE_DIE) ** 2)
        return area_mm2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """Pieces of one kind: names of pieces that may be in the valley, and the number added by a throw."""

    kind: Kind
    color: str | None
    lay: tuple[str, ...]
    thrown: int


@remembered
def stocks(state: State) -> tuple[Stock, ...]:
    """The stocks before the next throw. Empty if the previous table is unknown."""
    if state.scene is None and state.throw > 0:
        return ()
    kinds: list[tuple[Kind, str | None]] = [*((Kind.SAMURAI, seat) for seat in SEATS), (Kind.NINJA, None)]
    return tuple(
        Stock(
            kind=kind,
            color=color,
            lay=tuple(_lay(state, kind, color)),
            thrown=sum(throws(state, seat) == kind.value for seat in SEATS if color in (None, seat)),
        )
        for kind, color in kinds
    )


def _lay(state: State, kind: Kind, color: str | None) -> Iterator[str]:
    """Pieces that were seen or may have been hidden, without pieces picked out since (Rules 1 and 2)."""
    scene, count = state.scene, counted(state)
    if scene is None or count is None:
        return
    is_picked_out = ("ninjas" if kind is Kind.NINJA else "samurai") in state.refill
    stays = {name for seat in SEATS for name in count.occupying[seat]} if is_picked_out else None
    # a piece under another counts once people confirmed it
    seen = (p.id for p in scene.of(kind, color) if state.answers.get(f"is:{p.id}", not is_below(p.id)))
    hidden = (
        name
        for name in scene.unseen
        if kind_of(name) is kind
        and (color is None or name.startswith(f"{color}."))
        and lies_in_valley(scene, state.answers, name) is not False
    )
    yield from (name for name in (*seen, *hidden) if stays is None or name in stays)


def missed(state: State, before: Scene | None, scene: Scene) -> tuple[str, ...]:
    """The samurai that are not seen and may be hidden: under one that the throw moved or added, or where they were.

    An untouched one covers nothing new. A ninja hides nowhere.
    """
    names: list[str] = []
    for stock in (stock for stock in stocks(state) if stock.kind is Kind.SAMURAI):
        lost = _lost(state, stock, scene)
        lain = before.of(Kind.SAMURAI) if before is not None else ()
        covers = [
            piece for piece in scene.of(Kind.SAMURAI) if not is_below(piece.id) and not _is_untouched(piece, lain)
        ]
        may_be_new = bool(lost) and _may_lie_under(before, scene, stock, covers)
        names += [name for name in lost if may_be_new or _lies_hidden_still(state.scene, scene, name)]
    return tuple(names)


def _lost(state: State, stock: Stock, scene: Scene) -> list[str]:
    """Names of missing samurai, earlier ones first. A find that was unclear before does not count as a samurai."""
    lain = () if state.scene is None else state.scene.pieces
    was_unclear = {piece.id for piece in lain if not is_there(piece)}
    alike = [piece for piece in scene.of(stock.kind, stock.color) if not is_below(piece.id)]
    seen = {piece.id for piece in alike if is_there(piece) or not _is_untouched(piece, lain)}
    lower = sum(is_below(piece.id) for piece in scene.of(stock.kind, stock.color))
    lay = [name for name in stock.lay if name not in was_unclear or name in seen]
    count = min(len(lay) + stock.thrown, SAMURAI_EACH) - len(seen) - lower
    free = (f"{stock.color}.s{i}" for i in range(1, SAMURAI_EACH + 1))
    names = (*lay, *(name for name in free if name not in stock.lay))
    here = {piece.id for piece in alike}
    return [name for name in names if name not in here and not is_below(name)][: max(0, count)]


def _may_lie_under(before: Scene | None, scene: Scene, stock: Stock, covers: Collection[Lying]) -> bool:
    """Whether a missing samurai may be exactly on or under one of these, over all assignments to those seen."""
    if before is None:
        return True
    lain = before.of(Kind.SAMURAI)
    came_from = _came_from(before, scene, stock)
    seen = [p for p in scene.of(Kind.SAMURAI, stock.color) if not is_below(p.id) and not _is_untouched(p, lain)]
    if len(came_from) > MOST_MOVED:
        return bool(covers)
    whole, hidden = 0.0, 0.0
    for ways in permutations(range(len(came_from)), len(seen)):
        chance = math.prod(_came_to(came_from[i], piece) for i, piece in zip(ways, seen, strict=True))
        missing = [came_from[i] for i in range(len(came_from)) if i not in ways]
        here = sum(_came_to(one, cover) for one in missing for cover in covers)
        whole, hidden = whole + chance, hidden + chance * here * math.pi * HIDDEN_MM**2
    return hidden > CHANCE_WRONG * LEAVES * whole


def _came_from(before: Scene, scene: Scene, stock: Stock) -> list[Places]:
    """The earlier places of the samurai that were touched, those that were hidden, and () for each thrown one."""
    touched = [p for p in before.of(Kind.SAMURAI) if not is_below(p.id) and not _is_untouched(p, scene.pieces)]
    lay = [p for p in touched if p.id in stock.lay and (is_there(p) or scene.piece(p.id) is not None)]
    own = [((1.0, (p.x_mm, p.y_mm)),) for p in lay]
    covers = tuple((1 / len(touched), (p.x_mm, p.y_mm)) for p in touched)
    hidden = [covers for name in before.unseen if name in stock.lay and covers]
    return [*own, *hidden, *[()] * stock.thrown]


def _came_to(places: Places, piece: Lying) -> float:
    """Probability density, per mm2, that a throw brought a samurai here."""
    return moved_to(places, (piece.x_mm, piece.y_mm)) if places else 1 / (math.pi * THROWN_MM**2)


def _lies_hidden_still(before: Scene | None, scene: Scene, name: str) -> bool:
    """Whether a samurai that may have been hidden may still be: all samurai that may hide it are untouched."""
    if before is None or name not in before.unseen:
        return False
    return all(_is_untouched(cover, scene.pieces) for cover in before.of(Kind.SAMURAI))


def _is_untouched(piece: Lying, lain: Collection[Lying]) -> bool:
    return any(
        (was.kind, was.color) == (piece.kind, piece.color)
        and apart_mm(was, piece) <= SAME_MM
        and abs((was.tilt_deg or 0.0) - (piece.tilt_deg or 0.0)) <= TILTED_DEG
        for was in lain
    )


def perhaps_lifted(before: Scene | None, scene: Scene) -> Scene:
    """The scene with samurai that may be on others of their colour, since an unseen one may lift them: in doubt.

    A samurai that is 4 mm higher than it seems is seen up to `LIFTED_MM` aside, so a gap may be an overlap.
    """
    if not any(kind_of(name) is Kind.SAMURAI for name in scene.unseen):
        return scene
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    told = {frozenset((rest.piece, rest.on)) for rest in scene.rests_on}
    reach_mm = across_mm(Kind.SAMURAI) + LIFTED_MM
    more = (
        Rest(piece=upper.id, on=lower.id, confidence=HIGHEST_IN_DOUBT)
        for upper, lower in permutations(scene.of(Kind.SAMURAI), 2)
        if upper.color == lower.color
        and apart_mm(upper, lower) < reach_mm
        and frozenset((upper.id, lower.id)) not in told
        and not _is_untouched(upper, lain)
    )
    return replace(scene, rests_on=(*scene.rests_on, *more))


def with_orders(before: Scene | None, scene: Scene) -> Scene:
    """The scene with the order of samurai on each other weighed: by the reading, and by what came last or lay so
    before.

    The order of two that kept their places stays. One that came to rest on an untouched one is most probably on top.
    """
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    lay = _orders(before) if before is not None else {}
    lay_on_moved = {
        upper
        for (upper, lower), chance in lay.items()
        if chance >= 0.5
        if before is not None and (was := before.piece(lower)) is not None
        if not _is_untouched(was, scene.pieces)
    }
    lying = {piece.id: piece for piece in scene.of(Kind.SAMURAI) if not is_below(piece.id)}
    told = {ids: chance for ids, chance in _orders(scene).items() if lying.keys() >= set(ids)}

    def weighed(one: str, other: str, read: float) -> float:
        a, b = lying[one], lying[other]
        if (one, other) in lay and _has_stayed(a, lain) and _has_stayed(b, lain):
            return _looked_again(lay[one, other], read)
        if _is_untouched(a, lain) == _is_untouched(b, lain):
            return read
        still, came = (b, a) if _is_untouched(b, lain) else (a, b)
        if still.id in lay_on_moved:
            under = STAYED_UNDER
        else:
            under = GOT_UNDER_FLAT if _lies_flat(scene, still, came.id) else GOT_UNDER
        return _together(read, 1 - under if came is a else under)

    kept = [rest for rest in scene.rests_on if (rest.piece, rest.on) not in told]
    for (one, other), chance in told.items():
        if one > other:
            continue
        read = min(max(chance, 1 - MOST_READ), MOST_READ)
        is_over = across_mm(Kind.SAMURAI) - apart_mm(lying[one], lying[other]) > UNTOLD_MM
        chance = weighed(one, other, read) if is_over else chance
        pair = (one, other) if chance >= 0.5 else (other, one)
        chance = max(chance, 1 - chance)
        if is_over and 1 - chance > CHANCE_WRONG:  # the other order is possible too
            chance = min(chance, HIGHEST_IN_DOUBT)
            kept.append(Rest(piece=pair[1], on=pair[0], confidence=1 - chance))
        kept.append(Rest(piece=pair[0], on=pair[1], confidence=chance))
    return replace(scene, rests_on=tuple(kept))


def _orders(scene: Scene) -> dict[tuple[str, str], float]:
    """The chance that one samurai is above another, for each ordered pair of names that are on each other."""
    told: dict[tuple[str, str], float] = {}
    for rest in scene.rests_on:
        if kind_of(rest.piece) is kind_of(rest.on) is Kind.SAMURAI:
            told[rest.piece, rest.on] = rest.confidence
            told[rest.on, rest.piece] = 1 - rest.confidence
    return told


def _together(one: float, other: float) -> float:
    """The combined probability of two independent sources."""
    return one * other / (one * other + (1 - one) * (1 - other))


def _looked_again(was: float, read: float) -> float:
    """Probability after one more look at two still samurai. Looks at one heap share their error: none adds up."""
    certain = max(was, 1 - was)
    if (was >= 0.5) == (read >= 0.5):
        return max(was, read, key=lambda chance: abs(chance - 0.5))
    if certain > MOST_READ or certain >= HIGHEST_IN_DOUBT > max(read, 1 - read):
        return was
    return min(max(_together(was, read), 1 - HIGHEST_IN_DOUBT), HIGHEST_IN_DOUBT)


def _has_stayed(piece: Lying, lain: Collection[Lying]) -> bool:
    """Whether a samurai kept its place, however it leans now."""
    return any(was.color == piece.color and apart_mm(was, piece) <= SAME_MM for was in lain)


def _lies_flat(scene: Scene, samurai: Lying, upper: str) -> bool:
    """Whether a samurai is flat on the table or a territory, where nothing gets below it. At a rim something might."""
    samurai_mm = across_mm(Kind.SAMURAI)
    margins = [margin.margin_mm for seat in SEATS if (margin := scene.depth(samurai.id, seat)) is not None]
    beside = (*scene.of(Kind.EMPIRE_DIE), *scene.of(Kind.NINJA))
    return (
        (samurai.tilt_deg or 0.0) <= LEVEL_DEG
        and not any(-UNTOLD_MM < margin_mm < samurai_mm for margin_mm in margins)
        and not any(rest.piece == samurai.id and rest.on != upper for rest in scene.rests_on)
        and all(apart_mm(samurai, piece) > samurai_mm for piece in beside)
    )


def is_hidden_still(before: Scene, scene: Scene, name: str) -> bool:
    """Whether a piece that may be hidden has stayed as it was: nothing that it may be under or behind has moved."""
    if name not in scene.unseen:
        return False
    if kind_of(name) is Kind.SAMURAI:
        return _lies_hidden_still(before, scene, name)
    covers = [before.piece(id) for hiding in before.hidings for id in hiding.behind]
    is_covered = bool(before.hidings) and all(hiding.behind for hiding in before.hidings)
    return is_covered and all(cover is not None and _is_untouched(cover, scene.pieces) for cover in covers)


def could_get_under(state: State, scene: Scene, carried: Collection[str], one_of: Collection[str]) -> bool:
    """Whether an empire die may now be under all pieces `carried` and under one piece of `one_of`.

    No die can be under pieces that have not moved since all dice were seen elsewhere or had left.
    """
    before = state.scene
    if before is None or any(
        kind_of(name) is Kind.EMPIRE_DIE and lies_in_valley(before, state.answers, name) is not False
        for name in before.unseen
    ):
        return True
    still = {piece.id for piece in scene.pieces if _is_untouched(piece, before.pieces)}
    return still.isdisjoint(carried) and not (one_of and still.issuperset(one_of))


def could_be_hidden(
    state: State,
    before: Scene | None,
    scene: Scene,
    die: str,
    hidings: Sequence[HidingSeen],
    last: Mapping[str, At],
) -> bool:
    """Whether a missing die may be at one of these places. False: it lay near an edge and far from all of them, or
    could only be under a die, and has almost certainly left."""
    areas_mm2 = [seen.area_mm2(die, before) for seen in hidings]
    if before is None or nameless(before) or nameless(scene) or None in areas_mm2:
        return True
    places = _may_have_lain(state, before, scene, die, last)
    die_mm = across_mm(Kind.EMPIRE_DIE)
    hidden = sum(
        (area_mm2 or 0.0) * _hid_at(places, scene, seen.hiding, die_mm)
        for seen, area_mm2 in zip(hidings, areas_mm2, strict=True)
    )
    return not places or hidden > CHANCE_WRONG * sum(chance * left_from(at) for chance, at in places)


def with_chances(
    state: State, before: Scene | None, scene: Scene, dice: Sequence[str], last: Mapping[str, At]
) -> tuple[Hiding, ...]:
    """The places where unseen dice may be, each with the chance that a die is there and not at another of them."""
    told: list[list[tuple[str, float]]] = [[] for _ in scene.hidings]
    for die in dice:
        places = () if before is None else _may_have_lain(state, before, scene, die, last)
        weights = [_hid_at(places, scene, hiding) for hiding in scene.hidings] if places else []
        for i, weight in enumerate(weights):
            told[i].append((die, round(weight / sum(weights), CHANCE_DIGITS)))
    return tuple(replace(hiding, chances=tuple(one)) for hiding, one in zip(scene.hidings, told, strict=True))


def _may_have_lain(state: State, before: Scene, scene: Scene, die: str, last: Mapping[str, At]) -> Places:
    """The possible earlier places of a missing die; empty if one is unknown. Of two alike that moved, either may be the
    missing one, weighed by the way of the one that is seen."""
    seat, lain = die.partition(".")[0], before.of(Kind.EMPIRE_DIE)
    names = [name for name in dice_names(seat) if name not in state.emperor(seat).taken]
    names = [name for name in names if (found := scene.piece(name)) is None or not _is_untouched(found, lain)]
    lay = [places_before(state, before, name, last) for name in names]
    if not all(lay):
        return ()
    seen = [(found.x_mm, found.y_mm) for name in names if (found := scene.piece(name)) is not None]
    # if one is missing, the other came to the place that is seen
    came = [math.prod(moved_to(other, at) for other in lay if other is not one for at in seen) for one in lay]
    return tuple((chance * way / sum(came), at) for one, way in zip(lay, came, strict=True) for chance, at in one)


def _hid_at(places: Places, scene: Scene, hiding: Hiding, slack_mm: float = 0.0) -> float:
    """Probability density, per mm2, that a die came to a hiding place or to a piece that hides it."""
    covers = [(piece.x_mm, piece.y_mm) for id in hiding.behind if (piece := scene.piece(id)) is not None]
    return max(moved_to(places, at, slack_mm) for at in ((hiding.x_mm, hiding.y_mm), *covers))


def could_lie_below(state: State, before: Scene | None, scene: Scene, upper: Lying) -> bool:
    """Whether a samurai may have another samurai exactly under it, if the reading leaves that open."""
    stock = next((stock for stock in stocks(state) if stock.color == upper.color), None)
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    if stock is None or (state.answers.get(f"is:{below(upper.id)}") and _is_untouched(upper, lain)):
        return True
    return bool(_lost(state, stock, scene)) and _may_lie_under(before, scene, stock, (upper,))


def new_of(stock: Stock, scene: Scene, *, are_sure: bool = False) -> tuple[str, ...]:
    """The surplus pieces of a stock: those seen beyond the number that was there before. `are_sure`: only those that
    nobody is asked about. An unclear find that was there before is neither new nor lost."""
    alike = [piece for piece in scene.of(stock.kind, stock.color) if not is_below(piece.id)]
    seen = [piece.id for piece in alike if is_there(piece) and not (are_sure and is_doubted(piece))]
    lay = [name for name in stock.lay if name in seen or all(piece.id != name for piece in alike)]
    return tuple(id for id in seen if id not in stock.lay)[: max(0, len(seen) - len(lay))]


def is_throw_seen(state: State, scene: Scene, since: Scene | None = None) -> bool:
    """Whether both emperors have thrown since a scene, else since the last judged throw: exactly the thrown pieces are
    seen new in the valley (Instructions 7).

    False after a throw that left the valley: the camera cannot tell it from a throw that is still to come.
    """
    before = stocks(state)
    return bool(before) and all(
        new_of(stock, scene) == (sure := new_of(stock, scene, are_sure=True))
        and len(sure) - len(new_of(stock, since) if since is not None else ()) == stock.thrown
        for stock in before
    )


def says_seen(state: State, scene: Scene) -> Says:
    """The pieces of a throw that are seen, of the two that are thrown."""
    before = stocks(state)
    seen, sure = (
        sum(min(len(new_of(stock, scene, are_sure=are_sure)), stock.thrown) for stock in before)
        for are_sure in (False, True)
    )
    if sure < seen:
        return Says("a piece of this throw is not seen clearly")
    return SEEN[seen]
