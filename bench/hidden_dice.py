"""Tables with a hidden die: does the reader see it, or report a place where it could be? No die may count as removed.

Run: ``python -m bench.hidden_dice --rooms 3 --tables 4``. Room 0 is the virtual table's, the others are random.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from calibration.arrays import Picture
from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from companion.game.readings import EyesReading, Kind
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.rest import settled
from vision.sim.rooms import room_by_chance
from vision.sim.scene import Body, Lighting, Scene, Surface, value_top
from vision.sim.virtual import VIRTUAL_LENS, height_for
from vision.tables.eyes import EyesEye, open_eye

KIT = default_kit("eyes_of_the_emperor")
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
SIDE_UP = (0, 1)
"""A face of an empire die without an eye."""
NEAR_MM = 20.0
"""Maximum distance of a reported place from the hidden die, mm. Such a place stands for all dice that touch it."""
ELSEWHERE_MM = ((160.0, 120.0), (840.0, 580.0), (160.0, 580.0))
COLORS = ("red", "blue", "blue")

At = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Hides:
    """The pieces put down over a die to hide it, and the places of the other three dice."""

    over: tuple[Body, ...]
    dice: tuple[Body, ...]


def die(color: str, at: At, id: str, angle_deg: float = 0.0, on_mm: float = 0.0) -> Body:
    """An empire die with its eye on a side face."""
    return lying(KIT, Kind.EMPIRE_DIE, color, at, id=id, on_mm=on_mm, top=SIDE_UP, angle_deg=angle_deg)


def disk(chance: random.Random, at: At, id: str, on_mm: float) -> Body:
    """A samurai of a random color."""
    return lying(KIT, Kind.SAMURAI, chance.choice(("red", "blue")), at, id=id, on_mm=on_mm)


def ninja(chance: random.Random, at: At, id: str, on_mm: float = 0.0) -> Body:
    """A ninja with any face up."""
    return lying(KIT, Kind.NINJA, "black", at, id=id, on_mm=on_mm, top=value_top(chance.randint(1, 6)))


def elsewhere(chance: random.Random) -> tuple[Body, ...]:
    """The other dice, in full view."""
    places = zip(COLORS, ELSEWHERE_MM, "abc", strict=True)
    return tuple(die(color, at, id, chance.uniform(0, 90)) for color, at, id in places)


def about(chance: random.Random, at: At, reach_mm: float) -> At:
    """A random place near another place."""
    return at[0] + chance.uniform(-reach_mm, reach_mm), at[1] + chance.uniform(-reach_mm, reach_mm)


def in_a_stack(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """Another die stands on the die."""
    _, *others = elsewhere(chance)
    top = about(chance, at, chance.choice((0.3, 2.0, 5.0)))
    return Hides((), (die("red", top, "a", angle_deg + chance.choice((0, 3, 30)), SIDE_MM + 0.2), *others))


def under_one(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """A level samurai on the die."""
    return Hides((disk(chance, about(chance, at, chance.choice((0.5, 3.0, 5.0))), "s1", SIDE_MM),), elsewhere(chance))


def under_a_leaning_one(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """A samurai leans on the die."""
    turn, far = chance.uniform(0, 2 * math.pi), chance.uniform(8, 34)
    beside = at[0] + far * math.cos(turn), at[1] + far * math.sin(turn)
    return Hides((disk(chance, beside, "s1", 40.0),), elsewhere(chance))


def in_a_heap(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """Four samurai and a ninja lie over and around the die."""
    over = [disk(chance, about(chance, at, 26.0), f"s{i}", 40.0 + 10 * i) for i in range(4)]
    return Hides((ninja(chance, about(chance, at, 40.0), "n1"), *over), elsewhere(chance))


def between_dice(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """The other dice touch the die on three sides."""
    turn, far = math.radians(angle_deg), SIDE_MM + 0.6
    steps = ((far, 0.0), (-far, 0.0), (0.0, far))
    places = (
        (at[0] + x * math.cos(turn) - y * math.sin(turn), at[1] + x * math.sin(turn) + y * math.cos(turn))
        for x, y in steps
    )
    return Hides((), tuple(die(c, place, id, angle_deg) for c, place, id in zip(COLORS, places, "abc", strict=True)))


def under_a_ninja(chance: random.Random, at: At, angle_deg: float) -> Hides:
    """A ninja on the die, with other ninjas and a samurai around it."""
    over = (
        ninja(chance, about(chance, at, 5.0), "n1", SIDE_MM),
        ninja(chance, (at[0] + 24, at[1] + 3), "n2"),
        disk(chance, (at[0] - 20, at[1] + 15), "s1", 45.0),
    )
    return Hides(over, elsewhere(chance))


WAYS: dict[str, Callable[[random.Random, At, float], Hides]] = {
    "stack": in_a_stack,
    "under one": under_one,
    "leaning": under_a_leaning_one,
    "heap": in_a_heap,
    "between": between_dice,
    "ninja": under_a_ninja,
}


def edge(chance: random.Random) -> At:
    """A place where a die is only just inside the valley."""
    inset, along = chance.uniform(0.5, 10.0), chance.random()
    width, height = KIT.mat.width_mm, KIT.mat.height_mm
    return chance.choice(
        (
            (inset, along * height),
            (width - inset, along * height),
            (along * width, inset),
            (along * width, height - inset),
            (inset, inset),
            (width - inset, height - inset),
        )
    )


def told(reading: EyesReading, at: At) -> str:
    """The outcome for a hidden die: seen, a place near it reported, another place reported, or counted as removed."""
    if sum(piece.kind is Kind.EMPIRE_DIE for piece in reading.pieces) > len(COLORS):
        return "seen"
    places = reading.hideouts or ()
    if any(math.dist((h.x_mm, h.y_mm), at) < NEAR_MM for h in places):
        return "told"
    return "told elsewhere" if places else "gone"


def drawn(number: int, way: str, table: int) -> tuple[EyesEye, Picture, At]:
    """A table in a room: its camera's reader, the picture, and the place of the hidden die."""
    lens, renderer, lighting, surface = _room(number)
    lands = [lying(KIT, Kind.TERRITORY, c, KIT.piece("territory").start_mm[c]) for c in ("red", "blue")]
    chance = random.Random(f"{number} {way} {table}")
    middle = chance.random() < 0.4  # straight below the camera a die hides most
    at = (chance.uniform(390, 610), chance.uniform(240, 460))
    at = at if middle else (chance.uniform(40, 960), chance.uniform(40, 660))
    at = edge(chance) if way == "edge" else at
    angle_deg = chance.uniform(0, 90)
    hides = Hides((), elsewhere(chance)) if way == "edge" else WAYS[way](chance, at, angle_deg)
    bodies = [*lands, die("red", at, "hidden", angle_deg), *hides.dice, *hides.over]
    rested = settled(bodies, [body.id for body in hides.over])
    x_mm, y_mm, _ = next(body for body in rested if body.id == "hidden").at_mm
    picture = renderer.picture(Scene(bodies=rested, lighting=lighting, surface=surface))
    return open_eye(lens, KIT), picture, (x_mm, y_mm)


def outcome(number: int, way: str, table: int) -> str:
    """The outcome for a table by `told`, or `not read`."""
    eye, picture, at = drawn(number, way, table)
    try:
        return told(eye.read(picture), at)
    except ReadingError:
        return "not read"


def measured(rooms: range, tables: int) -> dict[str, Counter[str]]:
    """The number of each outcome, by the way the die is hidden."""
    return {
        way: Counter(outcome(number, way, table) for number in rooms for table in range(tables))
        for way in (*WAYS, "edge")
    }


@cache
def _room(number: int) -> tuple[Lens, Renderer, Lighting, Surface]:
    """A camera with its lens, and the light and covering of the camera's room."""
    if number == 0:
        pose = overhead(VIRTUAL_LENS, height_mm=height_for(KIT), tilt_deg=3.0, toward_deg=100.0, roll_deg=0.6)
        return VIRTUAL_LENS, Renderer(KIT, pose), Lighting(), Surface()
    room = room_by_chance(KIT, number, height_for(KIT), is_fine=True)
    return room.lens, Renderer(KIT, room.pose, room.film), room.lighting, room.surface


def run(shared: Path) -> int:
    """Three rooms with four tables of each way; status 1 if a die counts as removed. `shared` is not used."""
    return _printed(measured(range(3), 4))


def _printed(found: dict[str, Counter[str]]) -> int:
    print(json.dumps({way: dict(counts) for way, counts in found.items()}))
    return int(any(counts["gone"] for counts in found.values()))


@click.command()
@click.option("--first", default=0, show_default=True, help="The first room.")
@click.option("--rooms", default=3, show_default=True, help="How many rooms.")
@click.option("--tables", default=4, show_default=True, help="How many tables of each way, in each room.")
def main(first: int, rooms: int, tables: int) -> None:
    """Prints one JSON object; exits with 1 if a die counts as removed."""
    click.get_current_context().exit(_printed(measured(range(first, first + rooms), tables)))


if __name__ == "__main__":
    main()
