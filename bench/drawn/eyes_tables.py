"""Draws random, labelled Eyes of the Emperor tables; `write` puts them into a folder.

Each camera has its own lens and film (`lens_camX.json` is its LENS.json). Surface, light and mount change with each
picture. Files: ``camX_FAMILY_NNNN.jpg`` with a label of the same name, as for the sample pictures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from bench.drawn.labels import label
from calibration.lens import save_lens
from companion.game.brought import default_kit
from companion.game.kit import Kit
from companion.game.readings import Kind
from vision.measure.pictures import jpeg
from vision.sim.pieces import lying
from vision.sim.render import Renderer
from vision.sim.rest import let_down, near, settled
from vision.sim.rooms import Rig, lighting, mount, rig, surface
from vision.sim.scene import Body, Hand, Scene, about, face_up, times

CAMERAS = 5
FAMILIES = ("start", "war1", "war2", "crowd", "eyes", "hand")
SHARES = (0.06, 0.3, 0.3, 0.1, 0.14, 0.1)
NEAR_EDGE_MM = 3.0
ON_DICE = 0.15
"""Share of ninjas that stay on another die: rare but possible."""
HIGH_UP_MM = 12.0
HIGH_MM = 300.0


class PiecePlacer:
    """Places pieces one after another, each where it can rest."""

    def __init__(self, kit: Kit, rng: np.random.Generator) -> None:
        self.kit, self.rng = kit, rng
        shift = rng.normal(0, 6, 4)
        start = kit.piece(Kind.TERRITORY).start_mm
        self.bodies = list(
            settled(
                [
                    lying(
                        kit, Kind.TERRITORY, color, (start[color][0] + shift[2 * i], start[color][1] + shift[2 * i + 1])
                    )
                    for i, color in enumerate(("red", "blue"))
                ]
            )
        )

    def land(self, color: str) -> Body:
        """The territory of a colour."""
        return next(body for body in self.bodies if body.kind is Kind.TERRITORY and body.color == color)

    def put(self, body: Body) -> bool:
        """Lets a piece down; False: it cannot rest there, would leave the mat, or would lean on a die."""
        x, y, _ = body.at_mm
        if not (24 < x < self.kit.mat.width_mm - 24 and 24 < y < self.kit.mat.height_mm - 24):
            return False
        rested = let_down(body.moved(at_mm=(x, y, HIGH_MM)), self.bodies)
        if rested is None:
            return False
        if rested.lowest_mm > HIGH_UP_MM and (body.kind is not Kind.NINJA or self.rng.random() > ON_DICE):
            return False
        if (
            any(other.kind in (Kind.NINJA, Kind.EMPIRE_DIE) for other in near(rested, self.bodies))
            and rested.tilt_deg > 0
        ):
            return False
        self.bodies.append(rested)
        return True

    def anywhere(self) -> tuple[float, float]:
        """A random place on the mat."""
        return float(self.rng.uniform(40, 960)), float(self.rng.uniform(40, 660))

    def at_edge(self, land: Body, reach_mm: float) -> tuple[float, float]:
        """A place near a territory's rim, at which a piece with this radius almost touches it."""
        angle = self.rng.uniform(0, 2 * math.pi)
        out = 110 + reach_mm + self.rng.uniform(-NEAR_EDGE_MM, NEAR_EDGE_MM)
        return land.at_mm[0] + out * math.cos(angle), land.at_mm[1] + out * math.sin(angle)

    def within(self, land: Body, reach_mm: float = 95.0) -> tuple[float, float]:
        """A random place on a territory."""
        angle, out = self.rng.uniform(0, 2 * math.pi), reach_mm * math.sqrt(self.rng.uniform(0, 1))
        return land.at_mm[0] + out * math.cos(angle), land.at_mm[1] + out * math.sin(angle)

    def die(self, kind: Kind, color: str, id: str, at: tuple[float, float], marked_up: bool | None = None) -> Body:
        """A die with a random face up and a random turn."""
        faces = [(axis, sign) for axis in range(3) for sign in (1, -1)]
        top = faces[int(self.rng.integers(6))]
        if marked_up is not None:
            top = (2, 1) if marked_up else faces[int(self.rng.integers(4))]
        body = lying(self.kit, kind, color, at, id=id)
        return body.moved(turn=times(about((0.0, 0.0, 1.0), float(self.rng.uniform(0, 360))), face_up(top)))

    def fill(self, count: int, make: Callable[[int], Body]) -> None:
        """Adds `count` pieces, with several tries for each."""
        for i in range(count):
            for _ in range(12):
                if self.put(make(i)):
                    break

    def empire_dice(self, place: Callable[[str], tuple[float, float]], marked_up: float | None = None) -> None:
        """Adds all four empire dice; `marked_up`: probability that an eye is up (None: random faces)."""
        for color in ("red", "blue"):
            self.fill(
                2,
                lambda i, color=color: self.die(  # type: ignore[misc]
                    Kind.EMPIRE_DIE,
                    color,
                    f"empire_die_{color}_{i}",
                    place(color),
                    None if marked_up is None else bool(self.rng.random() < marked_up),
                ),
            )

    def ninjas(self, count: int) -> None:
        """Adds ninjas, some of them close together."""

        def make(i: int) -> Body:
            others = [b for b in self.bodies if b.kind is Kind.NINJA]
            if others and self.rng.random() < 0.3:
                x, y, _ = others[int(self.rng.integers(len(others)))].at_mm
                angle, out = self.rng.uniform(0, 2 * math.pi), self.rng.uniform(16.2, 26)
                at = (x + out * math.cos(angle), y + out * math.sin(angle))
            else:
                at = self.anywhere()
            return self.die(Kind.NINJA, "black", f"ninja_{i}", at)

        self.fill(count, make)

    def samurai(self, count: int) -> None:
        """Adds samurai of both colours: at rims, on territories, on each other, elsewhere."""

        def make(color: str, i: int) -> Body:
            way = self.rng.random()
            laid = [b for b in self.bodies if b.kind is Kind.SAMURAI]
            land = self.land("red" if self.rng.random() < 0.5 else "blue")
            if way < 0.35:
                at = self.at_edge(land, 22.5)
            elif way < 0.6 and laid:
                x, y, _ = laid[int(self.rng.integers(len(laid)))].at_mm
                angle, out = self.rng.uniform(0, 2 * math.pi), self.rng.uniform(5, 46)
                at = (x + out * math.cos(angle), y + out * math.sin(angle))
            elif way < 0.85:
                at = self.within(land, 118)
            else:
                at = self.anywhere()
            return lying(self.kit, Kind.SAMURAI, color, at, id=f"samurai_{color}_{i}")

        for color in ("red", "blue"):
            self.fill(count, lambda i, color=color: make(color, i))  # type: ignore[misc]


def layout(family: str, kit: Kit, rng: np.random.Generator) -> tuple[tuple[Body, ...], Hand | None]:
    """The settled pieces of a scene of this family, and a hand or None."""
    on = PiecePlacer(kit, rng)
    hand = None
    match family:
        case "start":
            on.empire_dice(lambda color: on.within(on.land(color), 60))
            on.ninjas(int(rng.integers(0, 6)))
        case "war1" | "hand":
            on.empire_dice(lambda color: on.at_edge(on.land(color), 15.5) if rng.random() < 0.7 else on.anywhere())
            on.ninjas(int(rng.integers(2, 10)))
        case "war2":
            on.empire_dice(lambda color: on.within(on.land(color)) if rng.random() < 0.4 else on.anywhere())
            on.samurai(int(rng.integers(2, 6)))
            on.ninjas(int(rng.integers(0, 5)))
        case "crowd":
            on.empire_dice(lambda color: on.within(on.land(color)) if rng.random() < 0.5 else on.anywhere())
            on.samurai(int(rng.integers(0, 3)))
            on.ninjas(int(rng.integers(15, 31)))
        case _:
            on.empire_dice(lambda color: on.within(on.land(color)) if rng.random() < 0.7 else on.anywhere(), 0.5)
            on.samurai(int(rng.integers(1, 4)))
            on.ninjas(int(rng.integers(0, 6)))
    if family == "hand":
        hand = Hand(
            reach_mm=(float(rng.uniform(250, 750)), float(rng.uniform(200, 500))),
            from_deg=float(rng.uniform(0, 360)),
            height_mm=float(rng.uniform(35, 80)),
            skin=((205, 150, 120), (140, 92, 66), (231, 188, 158))[int(rng.integers(3))],
            sleeve=((52, 54, 60), (150, 150, 154), (60, 84, 60))[int(rng.integers(3))],
        )
    return tuple(on.bodies), hand


def scene(family: str, kit: Kit, rng: np.random.Generator, seed: int) -> Scene:
    """A random scene of one family."""
    bodies, hand = layout(family, kit, rng)
    return Scene(
        bodies=bodies,
        hand=hand,
        lighting=lighting(rng, (kit.mat.width_mm / 2, kit.mat.height_mm / 2)),
        surface=surface(rng, seed),
    )


def write(out: Path, count: int, seed: int, is_fine: bool = False) -> list[str]:
    """Draws `count` pictures into a folder, on all cores, and returns their names. `is_fine`: with the samples'
    resolution."""
    out.mkdir(parents=True, exist_ok=True)
    rigs = [rig(i, np.random.default_rng((seed, i)), is_fine) for i in range(min(CAMERAS, count))]
    for camera in rigs:
        save_lens(camera.lens, out / f"lens_cam{camera.name}.json")
    orders = [(out, seed, i, rigs[i % len(rigs)], is_fine) for i in sorted(range(count), key=lambda i: i % len(rigs))]
    if count == 1:
        return [draw(*orders[0])]
    # a fork would copy OpenCV's threads in the middle of their work
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as drawers:
        return list(drawers.map(draw, *zip(*orders, strict=True)))


def draw(out: Path, seed: int, index: int, camera: Rig, is_fine: bool) -> str:
    """Draws picture number `index` of a seed with its label, and returns its name."""
    cv2.setNumThreads(1)
    kit = default_kit("eyes_of_the_emperor")
    rng = np.random.default_rng((seed, 1000 + index))
    family = str(rng.choice(FAMILIES, p=SHARES))
    pose, _ = mount(camera.lens, kit, rng, is_fine)
    drawn = scene(family, kit, rng, index)
    gains = (float(rng.normal(1, 0.05)), 1.0, float(rng.normal(1, 0.05)))
    film = replace(camera.film, white_balance=gains)
    quality = int(rng.integers(86, 96))
    name = f"cam{camera.name}_{family}_{index:04d}"
    (out / f"{name}.jpg").write_bytes(jpeg(Renderer(kit, pose, film).picture(drawn, index), quality))
    told = json.dumps(label(f"{name}.jpg", family, drawn, pose))
    (out / f"{name}.json").write_text(told, encoding="utf-8")
    return name
