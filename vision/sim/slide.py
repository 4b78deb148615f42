"""The motion of thrown and struck pieces over the table, from above: flight, hops, friction and knocks.

Pieces collide as round bodies with masses and a restitution; their heights decide which pieces can collide. `rest`
computes their final places and tilts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.sim.pieces import MATERIALS
from vision.sim.scene import Body, RoundBox, RoundCube

STEP_S = 1 / 240
LONGEST_S = 2.0
GRAVITY_MM_S2 = 9810.0
DENSITY_G_MM3 = 0.0011
RESTITUTION = 0.4
SLOWEST_MM_S = 12.0
HOP_KEEPS = 0.72
"""Share of the horizontal speed that remains after a touch-down."""
RELEASE_MM = 150.0
"""Height at which a throw leaves the hand."""
STICKS_MM_S = 40.0
"""Minimum initial speed of a flat piece that is struck; below it the piece does not move."""
RIDES_UP = 0.35
"""Probability that a thrown samurai slides up on another samurai instead of pushing it."""
DRAG_UNDER = 0.22
"""Share of a die's speed that a flat piece takes on when the die comes down on it or rolls over it."""


@dataclass(slots=True)
class Mover:
    """A moving piece. `lift_mm`: height of its underside above the surface below it."""

    body: Body
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    lift_mm: float = 0.0
    is_flying: bool = False
    path_mm: float = 0.0
    struck_mm_s: float = 0.0
    """The speed after its hardest knock."""
    touched: set[str] = field(default_factory=set)

    @property
    def radius_mm(self) -> float:
        """Radius as a round body: for a cube the mean of sides and corners."""
        solid = self.body.solid
        if isinstance(solid, RoundBox):
            return min(solid.halves_mm[:2])
        return solid.half_mm * 1.16 if isinstance(solid, RoundCube) else solid.radius_mm

    @property
    def mass_g(self) -> float:
        """The piece's mass."""
        solid = self.body.solid
        if isinstance(solid, RoundBox):
            return 8 * math.prod(solid.halves_mm) * DENSITY_G_MM3
        volume = solid.side_mm**3 if isinstance(solid, RoundCube) else math.pi * solid.radius_mm**2 * solid.height_mm
        return volume * DENSITY_G_MM3

    @property
    def speed_mm_s(self) -> float:
        """The piece's horizontal speed."""
        return math.hypot(self.vx, self.vy)

    @property
    def is_tall(self) -> bool:
        """Whether it is a die: other pieces bump into it instead of riding over it."""
        return isinstance(self.body.solid, RoundCube)


@dataclass(frozen=True, slots=True)
class SlideStep:
    """A mover at one time step: place of its middle, height of its underside, distance travelled."""

    x: float
    y: float
    foot_mm: float
    path_mm: float


class Slide:
    """The motion of one throw. `spots[id]`: the places of each moved piece, one per step."""

    def __init__(self, bodies: Sequence[Body], rng: np.random.Generator) -> None:
        self._rng = rng
        self.movers = {body.id: Mover(body, body.at_mm[0], body.at_mm[1]) for body in bodies}
        self._foot = {body.id: body.lowest_mm for body in bodies}
        self.spots: dict[str, list[SlideStep]] = {}
        self._thrown = ""
        self._stuck = {
            frozenset((a.id, b.id))
            for i, a in enumerate(bodies)
            for b in bodies[:i]
            if math.dist(a.at_mm[:2], b.at_mm[:2]) < self.movers[a.id].radius_mm + self.movers[b.id].radius_mm
        }

    def throw(self, id: str, from_mm: tuple[float, float], land_mm: tuple[float, float], speed_mm_s: float) -> None:
        """Runs a throw of the piece `id` to the end: it comes down at `land_mm` and moves on until everything has
        stopped."""
        flyer = self.movers[id]
        self._thrown = id
        way = math.dist(from_mm, land_mm)
        flight_s = max(way / speed_mm_s, 0.12)
        flyer.x, flyer.y = from_mm
        flyer.vx, flyer.vy = ((b - a) / flight_s for a, b in zip(from_mm, land_mm, strict=True))
        flyer.is_flying = True
        rise = (GRAVITY_MM_S2 * flight_s**2 / 2 - RELEASE_MM) / flight_s
        hops = list(MATERIALS[flyer.body.material].hops_mm)
        climb, height = rise, RELEASE_MM
        steps = int(LONGEST_S / STEP_S)
        for _ in range(steps):
            if flyer.is_flying:
                climb -= GRAVITY_MM_S2 * STEP_S
                height += climb * STEP_S
                ground = self._ground(flyer)
                if height <= ground and climb < 0:
                    height = ground
                    self._touch_down(flyer)
                    if hops and flyer.speed_mm_s > 150:
                        climb = math.sqrt(2 * GRAVITY_MM_S2 * hops.pop(0))
                    else:
                        flyer.is_flying = False
                flyer.lift_mm = max(0.0, height - ground)
            moving = [m for m in self.movers.values() if m.speed_mm_s > 0 or m.is_flying]
            if not moving:
                break
            for mover in moving:
                self._advance(mover)
            for mover in moving:
                self._meet(mover)
            for mid, mover in self.movers.items():
                if mover.path_mm > 0 or mid in self.spots or mid == id:  # a piece dropped in place travels no distance
                    foot = self._ground(mover) + mover.lift_mm
                    was = self.spots.setdefault(mid, [])
                    if was and not mover.is_flying:
                        foot = max(foot, was[-1].foot_mm - 900.0 * STEP_S)  # a die falls off another die without a jump
                    was.append(SlideStep(mover.x, mover.y, foot, mover.path_mm))
                else:
                    self._foot[mid] = mover.body.lowest_mm
        self._level_up()

    def _level_up(self) -> None:
        """Gives pieces that were struck late as many steps as the pieces that moved first."""
        longest = max((len(spots) for spots in self.spots.values()), default=0)
        for mid, spots in self.spots.items():
            body = self.movers[mid].body
            start = SlideStep(body.at_mm[0], body.at_mm[1], body.lowest_mm, 0.0)
            self.spots[mid] = [start] * (longest - len(spots)) + spots

    def _advance(self, mover: Mover) -> None:
        step_x, step_y = mover.vx * STEP_S, mover.vy * STEP_S
        mover.x += step_x
        mover.y += step_y
        mover.path_mm += math.hypot(step_x, step_y)
        if mover.is_flying:
            return
        slower = MATERIALS[mover.body.material].friction * GRAVITY_MM_S2 * STEP_S
        speed = mover.speed_mm_s
        left = max(0.0, speed - slower)
        if left < SLOWEST_MM_S:
            left = 0.0
        mover.vx, mover.vy = (v * left / speed if speed else 0.0 for v in (mover.vx, mover.vy))

    def _ground(self, mover: Mover) -> float:
        """Height of the surface below the mover's middle."""
        under = 0.0
        for other in self.movers.values():
            if other is mover or other.is_flying:
                continue
            top = other.body.highest_mm
            reach = other.radius_mm if not other.is_tall else other.radius_mm * 0.8
            if top > under and top <= mover.body.lowest_mm + mover.lift_mm + 0.5 + (5.0 if not other.is_tall else 0.0):
                if math.hypot(other.x - mover.x, other.y - mover.y) < reach:
                    under = top
            elif mover.is_flying and math.hypot(other.x - mover.x, other.y - mover.y) < reach:
                under = max(under, top if mover.lift_mm > 4.0 or not other.is_tall else 0.0)
        return under

    def _touch_down(self, flyer: Mover) -> None:
        flyer.vx *= HOP_KEEPS
        flyer.vy *= HOP_KEEPS
        skid = float(self._rng.normal(0, 0.12)) * flyer.speed_mm_s
        speed = flyer.speed_mm_s or 1.0
        flyer.vx, flyer.vy = flyer.vx - flyer.vy / speed * skid, flyer.vy + flyer.vx / speed * skid

    def _meet(self, mover: Mover) -> None:
        """Collisions between the mover and all pieces within reach."""
        foot = self._ground(mover) + mover.lift_mm
        for oid, other in self.movers.items():
            if other is mover or other.is_flying:
                continue
            apart = math.hypot(other.x - mover.x, other.y - mover.y)
            reach = mover.radius_mm + other.radius_mm
            pair = frozenset((mover.body.id, oid))
            if apart >= reach:
                self._stuck.discard(pair)
                continue
            if pair in self._stuck:
                self._topple(mover, other)
                continue
            if mover.is_tall and other.is_tall:
                if foot < other.body.highest_mm - 1.0:
                    self._knock(mover, other, apart, reach)
            elif mover.is_tall == other.is_tall and mover.body.is_base == other.body.is_base:
                if foot < other.body.highest_mm - 1.0 and abs(other.body.lowest_mm - foot) < 1.0:
                    if mover.body.id == self._thrown and self._rng.random() < RIDES_UP:
                        self._stuck.add(pair)
                        mover.vx, mover.vy = mover.vx * 0.6, mover.vy * 0.6
                    else:
                        self._knock(mover, other, apart, reach)
            elif mover.is_tall != other.is_tall:
                self._ride(mover, other, foot, apart, reach)

    def _ride(self, mover: Mover, other: Mover, foot: float, apart: float, reach: float) -> None:
        """A die and a flat piece: the die rides over it and drags it along slightly; a disk bumps against a die."""
        if not mover.is_tall:
            if foot < other.body.highest_mm - 1.0 and not mover.body.is_base:
                self._knock(mover, other, apart, reach)
            return
        oid = other.body.id
        if oid in mover.touched or mover.lift_mm > 1.0 or apart > other.radius_mm:
            return
        mover.touched.add(oid)
        light = mover.mass_g / (mover.mass_g + other.mass_g)
        self._push(other, mover.vx * DRAG_UNDER * light * 2, mover.vy * DRAG_UNDER * light * 2)
        mover.vx *= 1 - DRAG_UNDER
        mover.vy *= 1 - DRAG_UNDER

    def _push(self, other: Mover, vx: float, vy: float) -> None:
        """Adds speed to a piece; a territory takes everything on it along."""
        if math.hypot(vx, vy) < STICKS_MM_S:
            return
        riders = [other]
        if other.body.is_base:
            riders += [m for m in self.movers.values() if m is not other and not m.is_flying and self._rides(m, other)]
        for rider in riders:
            rider.vx += vx
            rider.vy += vy

    @staticmethod
    def _rides(mover: Mover, land: Mover) -> bool:
        is_over = math.hypot(mover.x - land.x, mover.y - land.y) < land.radius_mm
        return is_over and not mover.body.is_base and mover.body.lowest_mm > land.body.highest_mm - 0.5

    def _topple(self, mover: Mover, other: Mover) -> None:
        """The upper die of a stack falls away when the lower die is struck."""
        if not (mover.is_tall and other.is_tall) or mover.speed_mm_s < 90 or other.speed_mm_s > 0:
            return
        if other.body.lowest_mm < mover.body.lowest_mm + 8.0 or other.body.id in mover.touched:
            return
        mover.touched.add(other.body.id)
        turn = float(self._rng.normal(0, 0.7)) + (math.pi if self._rng.random() < 0.3 else 0.0)
        speed = max(480.0, mover.speed_mm_s * 1.2)
        heading = math.atan2(mover.vy, mover.vx) + turn
        other.vx, other.vy = speed * math.cos(heading), speed * math.sin(heading)
        other.struck_mm_s = max(other.struck_mm_s, 600.0)

    def _knock(self, a: Mover, b: Mover, apart: float, reach: float) -> None:
        """An impulse along the line of the middles; then the two bodies are separated."""
        nx, ny = ((b.x - a.x) / apart, (b.y - a.y) / apart) if apart > 1e-6 else (1.0, 0.0)
        closing = (a.vx - b.vx) * nx + (a.vy - b.vy) * ny
        total = a.mass_g + b.mass_g
        if closing > 0:
            impulse = (1 + RESTITUTION) * closing / total
            a.vx -= impulse * b.mass_g * nx
            a.vy -= impulse * b.mass_g * ny
            b.vx += impulse * a.mass_g * nx
            b.vy += impulse * a.mass_g * ny
            b.struck_mm_s = max(b.struck_mm_s, b.speed_mm_s)
        over = reach - apart
        moves_b = a.mass_g / total if b.speed_mm_s > 0 else 0.0
        a.x -= nx * over * (1 - moves_b)
        a.y -= ny * over * (1 - moves_b)
        b.x += nx * over * moves_b
        b.y += ny * over * moves_b
