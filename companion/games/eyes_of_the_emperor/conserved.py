"""Samurai and ninjas are conserved: a piece that was there or was thrown is seen, is hidden, or has left the valley.

A throw adds one piece of each emperor (Instructions 7, 8 and 10). `missed` names those that may be hidden now. `new_of`
counts those that the throw added.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from companion.game.readings import HIGHEST_IN_DOUBT, SURE, Kind
from companion.games.eyes_of_the_emperor.facts import is_doubted, is_there, lies_in_valley, nameless
from companion.games.eyes_of_the_emperor.owners import CHANCE_WRONG, left_from, moved_to, places_before
from companion.games.eyes_of_the_emperor.rules import counted, throws
from companion.games.eyes_of_the_emperor.scene import (
    NINJAS,
    SAMURAI_EACH,
    SEATS,
    Hiding,
    Lying,
    Rest,
    Scene,
    apart_mm,
    default_sizes,
    dice_names,
    is_below,
    kind_of,
)
from companion.games.eyes_of_the_emperor.set_up import UNTOUCHED_MM
from companion.games.eyes_of_the_emperor.state import State

LIFTED_MM = 2.0
"""Maximum offset of a samurai on an unseen one: 4 mm higher, seen at up to 25 degrees."""
TILTED_DEG = 5.0
"""Maximum change of an untouched samurai's lean. Fits of one that has not moved differ by less than `LEVEL_DEG`."""
LEVEL_DEG = 1.0
STEEP_DEG = 10.0
"""Maximum lean of either piece to be sure which one is on top: in a heap the order was misread."""
UNTOLD_MM = 1.0
"""Minimum overlap of samurai that are surely on each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """Pieces of one kind: names of pieces that may be in the valley, and the number added by a throw."""

    kind: Kind
    color: str | None
    lay: tuple[str, ...]
    thrown: int
    free: tuple[str, ...]
    """Names for those that were thrown and are not seen."""


def stocks(state: State) -> tuple[Stock, ...]:
    """The stocks before the next throw. Empty where the previous table is unknown."""
    if state.scene is None and state.throw > 0:
        return ()
    kinds = {seat: throws(state, seat) for seat in SEATS}
    return (
        *(
            Stock(
                kind=Kind.SAMURAI,
                color=seat,
                lay=tuple(_lay(state, Kind.SAMURAI, seat)),
                thrown=int(kinds[seat] == "samurai"),
                free=tuple(f"{seat}.s{i}" for i in range(1, SAMURAI_EACH + 1)),
            )
            for seat in SEATS
        ),
        Stock(
            kind=Kind.NINJA,
            color=None,
            lay=tuple(_lay(state, Kind.NINJA, None)),
            thrown=sum(kind == "ninja" for kind in kinds.values()),
            free=tuple(f"n{i}" for i in range(1, NINJAS + 1)),
        ),
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
    """The samurai that are not seen and may be hidden: on or under one that the throw moved or added.

    An untouched one covers nothing new. A ninja hides nowhere.
    """
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    has_cover = any(not _is_untouched(piece, lain) for piece in scene.of(Kind.SAMURAI))
    were_hidden = () if state.scene is None else state.scene.unseen
    lost = [name for stock in stocks(state) if stock.kind is Kind.SAMURAI for name in _lost(stock, scene)]
    return tuple(name for name in lost if has_cover or name in were_hidden)


def _lost(stock: Stock, scene: Scene) -> Iterator[str]:
    """Names of missing pieces: pieces that were there come before thrown ones."""
    seen = {piece.id for piece in scene.of(stock.kind, stock.color) if not is_below(piece.id)}
    below = sum(is_below(piece.id) for piece in scene.of(stock.kind, stock.color))
    count = min(len(stock.lay) + stock.thrown, len(stock.free)) - len(seen) - below
    names = (*stock.lay, *(name for name in stock.free if name not in stock.lay))
    yield from [name for name in names if name not in seen and not is_below(name)][: max(0, count)]


def _is_untouched(piece: Lying, lain: Collection[Lying]) -> bool:
    return any(
        (was.kind, was.color) == (piece.kind, piece.color)
        and apart_mm(was, piece) <= UNTOUCHED_MM
        and abs((was.tilt_deg or 0.0) - (piece.tilt_deg or 0.0)) <= TILTED_DEG
        for was in lain
    )


def perhaps_lifted(before: Scene | None, scene: Scene) -> Scene:
    """The scene with samurai that may be on others of their colour, since an unseen one may lift them: in doubt.

    A samurai that lies 4 mm higher than it seems is seen up to `LIFTED_MM` aside, so a gap may be an overlap.
    """
    if not any(kind_of(name) is Kind.SAMURAI for name in scene.unseen):
        return scene
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    told = {frozenset((rest.piece, rest.on)) for rest in scene.rests_on}
    reach_mm = default_sizes().across_mm(Kind.SAMURAI) + LIFTED_MM
    more = (
        Rest(piece=upper.id, on=lower.id, confidence=HIGHEST_IN_DOUBT)
        for upper, lower in permutations(scene.of(Kind.SAMURAI), 2)
        if upper.color == lower.color
        and apart_mm(upper, lower) < reach_mm
        and frozenset((upper.id, lower.id)) not in told
        and not _is_untouched(upper, lain)
    )
    return replace(scene, rests_on=(*scene.rests_on, *more))


def with_last_on_top(before: Scene | None, scene: Scene) -> Scene:
    """The scene, corrected: a samurai thrown onto an untouched samurai is the upper one until either of them moves.

    Nothing slides under a samurai that lies flat. If the camera is sure of the other order, the scene stays as it is.
    """
    lain = before.of(Kind.SAMURAI) if before is not None else ()
    lying = {piece.id: piece for piece in scene.of(Kind.SAMURAI) if not is_below(piece.id)}
    told = {(rest.piece, rest.on): rest.confidence for rest in scene.rests_on if {rest.piece, rest.on} <= lying.keys()}

    def came_last(upper: str, lower: str) -> bool:
        is_over = default_sizes().across_mm(Kind.SAMURAI) - apart_mm(lying[upper], lying[lower]) > UNTOLD_MM
        is_steep = (lying[upper].tilt_deg or 0.0) > STEEP_DEG
        has_come = _is_untouched(lying[lower], lain) and not _is_untouched(lying[upper], lain)
        is_sure = told.get((lower, upper), 0.0) >= SURE
        return is_over and has_come and not is_steep and not is_sure and _lies_flat(scene, lying[lower], upper)

    def was_last(upper: str, lower: str) -> bool:
        has_stayed = _is_untouched(lying[lower], lain) and _is_untouched(lying[upper], lain)
        return has_stayed and (upper, lower) in sure and told.get((lower, upper), 0.0) < SURE

    sure = (
        {(rest.piece, rest.on) for rest in before.rests_on if rest.confidence >= SURE} if before is not None else set()
    )
    known = {ids for pair in told for ids in (pair, pair[::-1]) if came_last(*ids) or was_last(*ids)}
    kept = (rest for rest in scene.rests_on if not {(rest.piece, rest.on), (rest.on, rest.piece)} & known)
    last = (Rest(piece=a, on=b, confidence=max(SURE, told.get((a, b), 0.0))) for a, b in sorted(known))
    return replace(scene, rests_on=(*kept, *last))


def _lies_flat(scene: Scene, samurai: Lying, upper: str) -> bool:
    """Whether a samurai lies flat on the table or on a territory, where nothing gets below it. At a rim it might."""
    across_mm = default_sizes().across_mm(Kind.SAMURAI)
    margins = [margin.margin_mm for seat in SEATS if (margin := scene.depth(samurai.id, seat)) is not None]
    beside = (*scene.of(Kind.EMPIRE_DIE), *scene.of(Kind.NINJA))
    return (
        (samurai.tilt_deg or 0.0) <= LEVEL_DEG
        and not any(-UNTOLD_MM < margin_mm < across_mm for margin_mm in margins)
        and not any(rest.piece == samurai.id and rest.on != upper for rest in scene.rests_on)
        and all(apart_mm(samurai, piece) > across_mm for piece in beside)
    )


def is_hidden_still(before: Scene, scene: Scene, name: str) -> bool:
    """Whether a piece that may be hidden has stayed as it was: nothing that it may be under or behind has moved."""
    if name not in scene.unseen:
        return False
    if kind_of(name) is Kind.SAMURAI:
        return all(_is_untouched(cover, scene.pieces) for cover in before.of(Kind.SAMURAI))
    covers = [before.piece(id) for hiding in before.hidings for id in hiding.behind]
    is_covered = bool(before.hidings) and all(hiding.behind for hiding in before.hidings)
    return is_covered and all(cover is not None and _is_untouched(cover, scene.pieces) for cover in covers)


def could_get_under(state: State, scene: Scene, carried: Collection[str], one_of: Collection[str]) -> bool:
    """Whether an empire die may lie under all of these pieces, and under one of the others, now. None may under those
    that have not moved since every die was seen elsewhere or had left."""
    before = state.scene
    if before is None or any(
        kind_of(name) is Kind.EMPIRE_DIE and lies_in_valley(before, state.answers, name) is not False
        for name in before.unseen
    ):
        return True
    still = {piece.id for piece in scene.pieces if _is_untouched(piece, before.pieces)}
    return still.isdisjoint(carried) and not (one_of and still.issuperset(one_of))


def could_be_hidden(state: State, before: Scene | None, scene: Scene, die: str, hidings: Sequence[Hiding]) -> bool:
    """Whether a missing die may be at one of these places. False: it lay near an edge and far from all of them, and has
    almost certainly left."""
    if before is None or nameless(before) or nameless(scene) or not all(hiding.behind for hiding in hidings):
        return True
    seat, lain = die.partition(".")[0], before.of(Kind.EMPIRE_DIE)
    names = [name for name in dice_names(seat) if name not in state.emperor(seat).taken]
    # of two alike that moved, either may be the missing one
    names = [name for name in names if (found := scene.piece(name)) is None or not _is_untouched(found, lain)]
    lay = [places_before(state, before, name) for name in names]
    if not all(lay):
        return True
    places = [(chance / len(lay), at) for one in lay for chance, at in one]
    sizes = default_sizes()
    hidden = 0.0
    for hiding in hidings:
        covers = [(piece.x_mm, piece.y_mm) for id in hiding.behind if (piece := scene.piece(id)) is not None]
        chances = (moved_to(places, at, sizes.empire_die_mm) for at in ((hiding.x_mm, hiding.y_mm), *covers))
        hidden += max(chances) * math.pi * sizes.samurai_radius_mm**2 * len(hiding.behind)
    return hidden > CHANCE_WRONG * sum(chance * left_from(at) for chance, at in places)


def could_lie_below(state: State, scene: Scene, color: str) -> bool:
    """Whether the valley may hold one more samurai of a colour than is seen."""
    known = next((stock for stock in stocks(state) if stock.color == color), None)
    return known is None or len(known.lay) + known.thrown > len(scene.of(Kind.SAMURAI, color))


def new_of(stock: Stock, scene: Scene, *, are_sure: bool = False) -> tuple[str, ...]:
    """The surplus pieces of a stock: those seen beyond the number that was there before. `are_sure`: only those that
    nobody is asked about."""
    seen = [
        piece.id
        for piece in scene.of(stock.kind, stock.color)
        if is_there(piece) and not is_below(piece.id) and not (are_sure and is_doubted(piece))
    ]
    more = len(seen) - len(stock.lay)
    return tuple(id for id in seen if id not in stock.lay)[: max(0, more)]


def is_throw_seen(state: State, scene: Scene) -> bool:
    """Whether both emperors have thrown: exactly the thrown pieces are seen new in the valley (Instructions 7).

    False after a throw that left the valley: the camera cannot tell it from a throw that is still to come.
    """
    before = stocks(state)
    return bool(before) and all(
        len(new_of(stock, scene)) == len(new_of(stock, scene, are_sure=True)) == stock.thrown for stock in before
    )
