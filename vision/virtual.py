"""The virtual table: a table, a camera over it and two players' hands, without any of them.

`VirtualTable` holds the scene; people change it by commands (from the page, or from a test) and a camera source asks
for frames. Reader and referee get the frames and nothing else. Safe from any thread.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibration.lens import Lens
from calibration.pose import Pose
from companion.errors import CompanionError
from companion.kit import Kit
from companion.readings import Kind
from vision.film import Film, Picture, jpeg
from vision.render import Renderer, overhead
from vision.rest import carried, level, settled
from vision.scene import Body, Hand, Lighting, RoundCube, Scene, Surface, about, face_up, lying, times
from vision.tumble import FRAMES_PER_S, Tumble, throw

VIRTUAL_LENS = Lens(
    width_px=1536,
    height_px=864,
    fx_px=1167.7,
    fy_px=1168.2,
    cx_px=765.4,
    cy_px=434.9,
    distortion=(-0.024, 0.012, -0.0005, 0.0002, 0.0),
    rms_px=0.0,
)
"""The virtual camera's lens: a Camera Module 3's, at two thirds of its width."""
FRAME_S = 0.11
"""The camera gives a frame this often."""
STALE_S = 0.3
"""The page draws a frame itself when no camera source has asked for one for so long."""
SEATS = ("red", "blue")
BUTTONS = ("end_throw", "undo", "call_referee")
DARKEST = 0.01
HIGH_MM = 250.0
"""A piece that is put down comes from above everything."""


class TableError(CompanionError, ValueError):
    """Something that cannot be done on the virtual table, in one sentence."""


@dataclass(frozen=True, slots=True)
class _Show:
    """A tumble and when it began (clock seconds)."""

    tumble: Tumble
    from_s: float

    @property
    def until_s(self) -> float:
        return self.from_s + len(self.tumble.frames) / FRAMES_PER_S


class VirtualTable:
    """An Eyes of the Emperor table that needs no hardware.

    Args:
        buttons: what each of `BUTTONS` calls when it is pressed (undo: when it was held long enough).
        clock: monotonic seconds; `wait` sleeps that many. Tests give their own.
        seed: of throws and bumps that come without one.
    """

    def __init__(
        self,
        kit: Kit,
        lens: Lens = VIRTUAL_LENS,
        *,
        buttons: Mapping[str, Callable[[], None]] | None = None,
        film: Film | None = None,
        surface: Surface | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        seed: int = 0,
    ) -> None:
        self.kit = kit
        self.lens = lens
        self._buttons = dict(buttons or {})
        self._clock, self._wait = clock, wait
        self._rng = np.random.default_rng(seed)
        self._lock = threading.RLock()
        self._drawing = threading.Lock()
        self._pose = overhead(lens, height_mm=1140.0, tilt_deg=3.0, toward_deg=100.0, roll_deg=0.6)
        self._renderer = Renderer(kit, self._pose, film)
        self._developed: tuple[Scene, Pose, Any] | None = None
        self._frames = 0
        self._next_s = 0.0
        self._newest: Picture | None = None
        self._is_plugged = True
        self._version = 0
        self._shows: list[_Show] = []
        self._changed: Callable[[], None] = lambda: None
        self._scene = Scene(surface=surface or Surface())
        self.set_up()

    # --- what the camera sees -------------------------------------------------------------------------------

    def frame(self, timeout_s: float = 1.0) -> Picture | None:
        """The next frame (H, W, 3) BGR, about nine a second; None while the camera is unplugged."""
        with self._drawing:
            pause = self._next_s - self._clock()
            if not self._is_plugged:
                self._newest = None
                self._wait(min(timeout_s, FRAME_S))
                return None
            if pause > 0:
                self._wait(min(pause, timeout_s))
            self._next_s = self._clock() + FRAME_S
            self._newest = self._draw()
            return self._newest

    def live(self, quality: int = 80, width_px: int = 960) -> bytes | None:
        """The newest frame as a small JPEG, None while unplugged. Draws one when nobody asks for frames."""
        import cv2

        picture = self._newest
        if picture is None or self._clock() > self._next_s + STALE_S:
            picture = self.frame()
        if picture is None:
            return None
        height = round(picture.shape[0] * width_px / picture.shape[1])
        return jpeg(cv2.resize(picture, (width_px, height), interpolation=cv2.INTER_AREA), quality)

    def _draw(self) -> Picture:
        with self._lock:
            scene, pose = self._seen(), self._pose
        if self._developed is None or self._developed[0] != scene or self._developed[1] is not pose:
            if self._renderer.pose is not pose:
                self._renderer.pose = pose
            self._developed = scene, pose, self._renderer.develop(scene)
        self._frames += 1
        return self._renderer.expose(self._developed[2], self._frames)

    def _seen(self) -> Scene:
        """The scene at this moment: a piece still tumbles."""
        now = self._clock()
        self._shows = [show for show in self._shows if now < show.until_s]
        for show in self._shows:
            if now >= show.from_s:
                step = min(int((now - show.from_s) * FRAMES_PER_S), len(show.tumble.frames) - 1)
                return replace(self._scene, bodies=show.tumble.frames[step])
        return self._scene

    # --- what people do -------------------------------------------------------------------------------------

    def set_up(self) -> None:
        """A new game (Instructions 1 to 5): territories an inch apart, dice stacked, samurai and ninjas outside."""
        start = self.kit.piece(Kind.TERRITORY).start_mm
        bodies = []
        for color, facing_deg in (("red", 90.0), ("blue", -90.0)):  # the eye looks at the opponent's end
            land = lying(self.kit, Kind.TERRITORY, color, start[color])
            bodies.append(land)
            for i in range(self.kit.piece(Kind.EMPIRE_DIE).count_each):
                die = lying(self.kit, Kind.EMPIRE_DIE, color, start[color], id=f"empire_die_{color}_{i + 1}")
                foot = land.highest_mm + i * 2 * die.solid.half_mm
                x, y, _ = die.at_mm
                turn = about((0.0, 1.0, 0.0), facing_deg)
                bodies.append(die.moved(at_mm=(x, y, foot + die.solid.half_mm), turn=turn))
        with self._lock:
            self._shows.clear()
            self._change(replace(self._scene, bodies=tuple(bodies), hand=None))

    def throw(
        self,
        seat: str,
        kind: str,
        from_mm: tuple[float, float],
        aim_mm: tuple[float, float],
        power: float = 0.5,
        seed: int | None = None,
    ) -> str:
        """Throws a ninja or one of the seat's samurai; gives its id. Raises: TableError where none is left outside."""
        if kind not in (Kind.NINJA, Kind.SAMURAI):
            raise TableError(f"{kind} cannot be thrown, expected ninja or samurai")
        with self._lock:
            color = "black" if kind == Kind.NINJA else _seat(seat)
            id = self._outside_id(Kind(kind), color)
            seed = int(self._rng.integers(2**31)) if seed is None else seed
            thrown = lying(self.kit, Kind(kind), color, from_mm, id=id)
            tumble = throw(self.kit, self._scene.bodies, thrown, from_mm=from_mm, aim_mm=aim_mm, power=power, seed=seed)
            begins = max([self._clock(), *(show.until_s for show in self._shows)])
            self._shows.append(_Show(tumble, begins))
            self._change(replace(self._scene, bodies=tumble.rest))
            return id

    def drag(self, id: str, x_mm: float, y_mm: float) -> None:
        """Takes a piece, with what lies on it, to another place. Raises: TableError."""
        with self._lock:
            body = self._body(id)
            dx, dy = x_mm - body.at_mm[0], y_mm - body.at_mm[1]
            along = set(carried(self._scene.bodies, id)) if body.kind is Kind.TERRITORY else set()
            moved = [
                b.moved(at_mm=(b.at_mm[0] + dx, b.at_mm[1] + dy, b.at_mm[2])) if b.id == id or b.id in along else b
                for b in self._scene
            ]
            self._put(moved, id)

    def turn(self, id: str, angle_deg: float) -> None:
        """Turns a piece about the vertical, x towards y. Raises: TableError."""
        with self._lock:
            body = self._body(id)
            turned = body.moved(turn=times(about((0.0, 0.0, 1.0), angle_deg), level(body).turn))
            self._put([turned if b.id == id else b for b in self._scene], id)

    def roll_over(self, id: str) -> None:
        """Rolls a die a quarter turn over, so that another face looks up. Raises: TableError."""
        with self._lock:
            body = self._die(id)
            turn = times(about((0.0, 1.0, 0.0), 90.0), level(body).turn)
            self._put([body.moved(turn=turn) if b.id == id else b for b in self._scene], id)

    def face_up(self, id: str, axis: int, sign: int) -> None:
        """Lays a die with a face (axis, sign) upward; (2, 1) is an empire die's eye. Raises: TableError."""
        with self._lock:
            body = self._die(id)
            if (axis, sign) not in {(a, s) for a in range(3) for s in (1, -1)}:
                raise TableError(f"a die has no face {axis} {sign}, expected an axis 0 to 2 and a sign 1 or -1")
            self._put([body.moved(turn=face_up((axis, sign))) if b.id == id else b for b in self._scene], id)

    def stack(self, id: str, on: str, aside_mm: tuple[float, float] = (0.0, 0.0)) -> None:
        """Lays a piece on another, its middle `aside_mm` of the other's. Raises: TableError."""
        with self._lock:
            x, y, _ = self._body(on).at_mm
            if id == on:
                raise TableError("a piece cannot lie on itself, expected two pieces")
            if self._body(id).kind is Kind.TERRITORY:
                raise TableError("a territory lies on the table, expected a die or a samurai to stack")
            self.drag(id, x + aside_mm[0], y + aside_mm[1])

    def remove(self, id: str) -> None:
        """Takes a piece out of the valley. Raises: TableError."""
        with self._lock:
            self._body(id)
            self._put([b for b in self._scene if b.id != id], None)

    def put_back(self, kind: str, color: str, x_mm: float, y_mm: float) -> str:
        """Lays a piece that is outside into the valley; gives its id. Raises: TableError where none is outside."""
        with self._lock:
            if kind not in set(Kind):
                raise TableError(f"there is no piece of kind {kind!r}, expected one of {', '.join(Kind)}")
            id = self._outside_id(Kind(kind), color)
            self._put([*self._scene, lying(self.kit, Kind(kind), color, (x_mm, y_mm), id=id, top=(0, 1))], id)
            return id

    def press(self, button: str) -> None:
        """Presses a button of the box. Raises: TableError for a button that is not there."""
        if button not in BUTTONS:
            raise TableError(f"there is no button {button!r}, expected one of {', '.join(BUTTONS)}")
        called = self._buttons.get(button)
        if called is not None:
            called()

    def bump(self, seed: int | None = None) -> None:
        """Somebody knocks against the camera: it hangs a few mm and some tenths of a degree elsewhere."""
        with self._lock:
            rng = self._rng if seed is None else np.random.default_rng(seed)
            old = self._pose
            turn = rng.normal(0, math.radians(0.6), 3)
            angle = float(np.linalg.norm(turn))
            twist = np.array([[0, -turn[2], turn[1]], [turn[2], 0, -turn[0]], [-turn[1], turn[0], 0]]) / angle
            spin = np.eye(3) + math.sin(angle) * twist + (1 - math.cos(angle)) * twist @ twist
            centre = -old.rotation.T @ old.translation_mm + rng.normal(0, 6.0, 3)
            rotation = spin @ old.rotation
            self._pose = replace(old, rotation=rotation, translation_mm=-rotation @ centre)
            self._version += 1

    def set_hand(self, seat: str | None) -> None:
        """A player's hand over the valley, or None: it is gone."""
        hand = None
        if seat is not None:
            width, height = self.kit.mat.width_mm, self.kit.mat.height_mm
            is_left = _seat(seat) == SEATS[0]
            reach = (width * (0.42 if is_left else 0.58), height * 0.5)
            hand = Hand(reach_mm=reach, from_deg=188.0 if is_left else 8.0)
        with self._lock:
            self._change(replace(self._scene, hand=hand))

    def set_light(self, level: float) -> None:
        """Brightens or dims the room: 1 is well lit, 0 is night. Raises: TableError outside 0 to 1.5."""
        if not 0 <= level <= 1.5:
            raise TableError(f"the light is {level}, expected 0 (dark) to 1.5 (bright)")
        with self._lock:
            lighting: Lighting = replace(self._scene.lighting, level=max(level, DARKEST))
            self._change(replace(self._scene, lighting=lighting))

    def set_plugged(self, is_plugged: bool) -> None:
        """Plugs the camera in or pulls its plug."""
        with self._lock:
            self._is_plugged = is_plugged
            self._version += 1

    # --- keeping it --------------------------------------------------------------------------------------------

    def on_change(self, call: Callable[[], None]) -> None:
        """Calls `call` after every change of the pieces, so that they can be kept: a real table outlives a restart."""
        self._changed = call

    def saved(self) -> str:
        """The pieces as JSON text."""
        with self._lock:
            lying_here = [
                {"id": b.id, "kind": b.kind.value, "color": b.color, "at_mm": b.at_mm, "turn": b.turn}
                for b in self._scene
            ]
        return json.dumps({"pieces": lying_here})

    def restore(self, text: str) -> None:
        """Lays the pieces as `saved` told. Raises: TableError where the text is no such thing."""
        try:
            bodies = tuple(
                lying(self.kit, Kind(p["kind"]), p["color"], (0.0, 0.0), id=p["id"], top=(0, 1)).moved(
                    at_mm=tuple(map(float, p["at_mm"])), turn=tuple(map(float, p["turn"]))
                )
                for p in json.loads(text)["pieces"]
            )
        except (ValueError, KeyError, TypeError) as error:
            raise TableError(f"the kept table does not parse ({error}), expected JSON that this table wrote") from error
        with self._lock:
            self._shows.clear()
            self._change(replace(self._scene, bodies=bodies))

    # --- what the page draws --------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The table as the players see it, JSON-able: pieces with outlines in mm, what lies outside, the switches."""
        with self._lock:
            now = self._clock()
            bodies = self._seen().bodies
            return {
                "version": self._version,
                "is_moving": any(now < show.until_s for show in self._shows),
                "width_mm": self.kit.mat.width_mm,
                "height_mm": self.kit.mat.height_mm,
                "pieces": [_drawn(body) for body in sorted(bodies, key=lambda b: b.highest_mm)],
                "outside": self._outside(),
                "hand": self._hand_seat(),
                "light": self._scene.lighting.level,
                "is_plugged": self._is_plugged,
            }

    def _hand_seat(self) -> str | None:
        hand = self._scene.hand
        return None if hand is None else SEATS[0] if hand.from_deg > 90 else SEATS[1]

    def _outside(self) -> list[dict[str, Any]]:
        inside = [(body.kind, body.color) for body in self._scene]
        return [
            {"kind": piece.kind, "color": color, "count": piece.count_each - inside.count((Kind(piece.kind), color))}
            for piece in self.kit.pieces
            for color in piece.colors
        ]

    def _outside_id(self, kind: Kind, color: str) -> str:
        """A free id of a piece that lies outside. Raises: TableError."""
        piece = self.kit.piece(kind)
        if color not in piece.colors:
            raise TableError(f"there is no {color} {kind}, expected {' or '.join(piece.colors)}")
        taken = {body.id for body in self._scene}
        names = [kind.value + "_" + color] if piece.count_each == 1 else []
        names = names or [f"{kind.value}_{color}_{i + 1}" for i in range(piece.count_each)]
        free = [name for name in names if name not in taken]
        if not free:
            raise TableError(f"every {color} {kind} is in the valley, expected one outside: take one out first")
        return free[0]

    def _body(self, id: str) -> Body:
        try:
            return self._scene.body(id)
        except KeyError:
            raise TableError(f"there is no piece {id!r} in the valley, expected one of its pieces") from None

    def _die(self, id: str) -> Body:
        body = self._body(id)
        if not isinstance(body.solid, RoundCube):
            raise TableError(f"{id} is a disk, expected a die")
        return body

    def _put(self, bodies: list[Body], id: str | None) -> None:
        """The pieces at rest, `id` let down last and from above."""
        lifted = [
            b.moved(at_mm=(*b.at_mm[:2], HIGH_MM)) if b.id == id and b.kind is not Kind.TERRITORY else b for b in bodies
        ]
        rest = settled(lifted, () if id is None else (id,))
        width, height = self.kit.mat.width_mm, self.kit.mat.height_mm
        staying = tuple(b for b in rest if 0 <= b.at_mm[0] <= width and 0 <= b.at_mm[1] <= height)
        self._shows.clear()
        self._change(replace(self._scene, bodies=settled(staying) if len(staying) < len(rest) else staying))

    def _change(self, scene: Scene) -> None:
        self._scene = scene
        self._version += 1
        self._changed()


def _seat(seat: str) -> str:
    if seat not in SEATS:
        raise TableError(f"there is no seat {seat!r}, expected {' or '.join(SEATS)}")
    return seat


def _drawn(body: Body) -> dict[str, Any]:
    rotation = body.rotation
    yaw_axis = rotation[:, 0] if abs(rotation[2, 0]) < 0.7 else rotation[:, 1]
    x, y, _ = body.at_mm
    solid = body.solid
    drawn: dict[str, Any] = {
        "id": body.id,
        "kind": body.kind.value,
        "color": body.color,
        "x_mm": round(x, 2),
        "y_mm": round(y, 2),
        "height_mm": round(body.highest_mm, 1),
        "tilt_deg": round(body.tilt_deg, 1),
        "angle_deg": round(math.degrees(math.atan2(yaw_axis[1], yaw_axis[0])), 1),
        "size_mm": solid.side_mm if isinstance(solid, RoundCube) else 2 * solid.radius_mm,
    }
    if body.kind is Kind.NINJA:
        drawn["value"] = body.value
    if body.kind is Kind.EMPIRE_DIE:
        eye = rotation[:, 2]
        drawn["marked_up"] = body.marked_up
        drawn["eye"] = [round(float(v), 3) for v in eye]
    return drawn
