"""The counts of a scene once every fact is decided: who has what where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from companion.game.readings import Kind
from companion.games.eyes_of_the_emperor.facts import THERE, Fact
from companion.games.eyes_of_the_emperor.scene import SEATS, Lying, Scene, dice_names, kind_of


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of a scene once every fact is decided. Per seat: its dice in the valley, those in its territory, and
    those with the eye up; its samurai that occupy, those that would with every open fact a yes, and the number of
    all its samurai in the valley. For both seats: the number of ninjas in the valley."""

    dice: Mapping[str, tuple[str, ...]]
    dice_in: Mapping[str, tuple[str, ...]]
    dice_up: Mapping[str, tuple[str, ...]]
    occupying: Mapping[str, tuple[str, ...]]
    may_occupy: Mapping[str, tuple[str, ...]]
    samurai: Mapping[str, int]
    ninjas: int


def tally(scene: Scene, known: Mapping[str, Fact], assumed: Mapping[str, bool] | None = None) -> Tally:
    """Counts a scene. Open facts are taken as `assumed` says, else as no."""

    taken = assumed or {}

    def holds(key: str, default: bool = False) -> bool:
        fact = known.get(key)
        if fact is None:
            return False
        return bool(taken.get(key, default)) if fact.known is None else fact.known

    def lies(piece: Lying) -> bool:
        return f"is:{piece.id}" not in known or holds(f"is:{piece.id}")

    none = {p.id for p in scene.of(Kind.SAMURAI) if f"is:{p.id}" in known and not holds(f"is:{p.id}", default=True)}
    dice = {
        seat: tuple(
            n for n in dice_names(seat) if scene.piece(n) is not None or (n in scene.unseen and holds(f"{THERE}{n}"))
        )
        for seat in SEATS
    }
    return Tally(
        dice=dice,
        dice_in={seat: tuple(d for d in dice[seat] if holds(f"in:{d}")) for seat in SEATS},
        dice_up={seat: tuple(d for d in dice[seat] if holds(f"up:{d}")) for seat in SEATS},
        occupying={seat: _occupying(scene, seat, none, holds) for seat in SEATS},
        may_occupy={seat: _occupying(scene, seat, none, lambda key: holds(key, default=True)) for seat in SEATS},
        samurai={
            seat: sum(lies(p) for p in scene.of(Kind.SAMURAI, seat)) + len(_hidden(scene, Kind.SAMURAI, seat, holds))
            for seat in SEATS
        },
        ninjas=sum(lies(p) for p in scene.of(Kind.NINJA)) + len(_hidden(scene, Kind.NINJA, None, holds)),
    )


def _hidden(scene: Scene, kind: Kind, seat: str | None, holds: Callable[[str], bool]) -> list[str]:
    """The names of unseen pieces in the valley."""
    return [
        name
        for name in scene.unseen
        if kind_of(name) is kind and (seat is None or name.startswith(f"{seat}.")) and holds(f"{THERE}{name}")
    ]


def _occupying(scene: Scene, seat: str, none: Collection[str], holds: Callable[[str], bool]) -> tuple[str, ...]:
    """Samurai on the land (A, B), or on own ones that occupy, in chains too (C); without those in `none`."""
    mine = [p.id for p in scene.of(Kind.SAMURAI, seat) if p.id not in none]
    mine += _hidden(scene, Kind.SAMURAI, seat, holds)
    occupying = {piece for piece in mine if holds(f"in:{piece}")}
    grown = True
    while grown:
        grown = False
        for rest in scene.rests_on:
            is_new = rest.on in occupying and rest.piece in mine and rest.piece not in occupying
            if is_new and holds(f"on:{rest.piece}:{rest.on}"):
                occupying.add(rest.piece)
                grown = True
    return tuple(piece for piece in mine if piece in occupying)
