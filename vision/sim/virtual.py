"""The virtual table: a table, a camera and players' hands in software.

`VirtualTable` holds the scene. People change it by commands (from the page or a test), and a camera source asks for
frames. Reader and referee only get the frames. Thread-safe.
"""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct

from calibration.arrays import Picture
from calibration.lens import Lens
from calibration.pose import Pose
from companion.game.board import Board
from companion.game.brought import load_board
from companion.game.cards import JOKER, PACK
from companion.game.errors import CompanionError
from companion.game.kit import Kit, PieceKind
from companion.game.says import Says
from companion.game.table import Outline, Placed
from vision.measure.bodies import turned
from vision.measure.pictures import jpeg
from vision.sim import rod_table
from vision.sim.film import Film
from vision.sim.layout import SIDE_FACE, beside, set_up
from vision.sim.pieces import colors_of, lying, names_of, pack_of
from vision.sim.render import Renderer, overhead
from vision.sim.rest import carried, level, settled
from vision.sim.rod_table import KeptRod, Rod
from vision.sim.scene import (
    UPRIGHT,
    Body,
    Hand,
    Lighting,
    RoundBox,
    RoundDisk,
    RoundPawn,
    Scene,
    Surface,
    about,
    face_up,
    times,
)
from vision.sim.sheet import PrintedBoard
from vision.sim.shown import board_drawn, drawn, truth
from vision.sim.tumble import FRAMES_PER_S, Tumble, dice_area, throw, throw_into_tray, tray_edge

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
SHARP_LENS = Lens(
    width_px=2304,
    height_px=1296,
    fx_px=1752.0,
    fy_px=1752.6,
    cx_px=1148.4,
    cy_px=651.6,
    distortion=(-0.024, 0.012, -0.0005, 0.0002, 0.0),
    rms_px=0.0,
)
"""The box's camera in its full mode, because the indices of cards are small."""
LEAST_HEIGHT_MM, HEIGHT_OF_WIDTH, HEIGHT_OF_DEPTH = 900.0, 1.14, 1.6
"""Minimum height of the camera, and its height over a wide or deep mat (in widths and depths)."""
FRAME_S = 0.11
"""Interval between the camera's frames."""
FAN_STEP_MM, ROOM_MM = 25.0, 12.0
"""Distance between cards of a fan, and free room around the fan."""
STALE_S = 0.3
"""The page itself draws a frame if no camera source has asked for one for this time."""
ARM_DEG = (188.0, 8.0), (225.0, 315.0, 45.0, 135.0)
"""Directions of the arms of two players, and of four: clockwise from the top-left corner."""
BUTTONS = ("end_throw", "undo", "call_referee")
FIRST_SEATS = ("1", "2")
"""Owners of the hands if colours do not name an owner."""
DARKEST = 0.01
HIGH_MM = 250.0
"""Height at which a piece is let go: above everything."""
Millimetres = Annotated[float, Meta(ge=-5000, le=5000)]
Part = Annotated[float, Meta(ge=-1.001, le=1.001)]
UNIT_ERROR = 1e-3
"""Maximum error of the length of a rotation (a unit quaternion), for rounding."""
CARD_COLOR, MOST_CARDS = "white", 8 * 53
"""The colour of cards, and their maximum number: 8 packs with one joker each."""


def lens_for(kit: Kit) -> Lens:
    """The lens of the virtual camera for a kit."""
    return SHARP_LENS if any(piece.shape == "card" for piece in kit.pieces) else VIRTUAL_LENS


def height_for(kit: Kit) -> float:
    """Height of the virtual camera over a kit's mat, mm."""
    return max(LEAST_HEIGHT_MM, HEIGHT_OF_WIDTH * kit.mat.width_mm, HEIGHT_OF_DEPTH * kit.mat.height_mm)


class TableError(CompanionError, ValueError):
    """An impossible action on the virtual table, explained in one sentence."""


@dataclass(frozen=True, slots=True)
class _Show:
    """A tumble and when it began (clock seconds)."""

    tumble: Tumble
    from_s: float

    @property
    def until_s(self) -> float:
        return self.from_s + len(self.tumble.frames) / FRAMES_PER_S


class KeptPiece(Struct, frozen=True, omit_defaults=True):
    """A piece as it is saved: its middle, its rotation as a quaternion, and a card's name."""

    id: str
    kind: str
    color: str
    at_mm: tuple[Millimetres, Millimetres, Millimetres]
    turn: tuple[Part, Part, Part, Part]
    card: str | None = None


class KeptTable(Struct, frozen=True, omit_defaults=True):
    """The pieces of a virtual table as they are saved, with the cards in hands."""

    pieces: tuple[KeptPiece, ...]
    rods: tuple[KeptRod, ...] = ()
    hands: dict[str, list[str]] = {}
    round: int = 0

    def check(self, kit: Kit) -> None:
        """Checks that these can be a set's pieces. Raises: TableError."""
        for piece in self.pieces:
            of_kit = next((k for k in kit.pieces if k.kind == piece.kind), None)
            if of_kit is None or piece.color not in (colors_of(of_kit) or (CARD_COLOR,)):
                raise TableError(f"{piece.id} is a {piece.color} {piece.kind}, expected a piece of the set")
            if abs(sum(part * part for part in piece.turn) - 1.0) > 2 * UNIT_ERROR:
                raise TableError(f"{piece.id} is turned by {piece.turn}, expected a quaternion of length 1")
        for id, count in Counter(piece.id for piece in self.pieces).items():
            if count > 1:
                raise TableError(f"{id} is there twice, expected every piece once")
        for (kind, color), count in Counter((piece.kind, piece.color) for piece in self.pieces).items():
            of_kit = kit.piece(kind)
            most = MOST_CARDS if of_kit.shape == "card" else of_kit.count_each
            if count > most:
                raise TableError(f"there are {count} {color} {kind}, expected {most} at most")


class VirtualTable:
    """A table with a kit's pieces that needs no hardware.

    Args:
        board: the race board on it; None: the kit's board, if any.
        style: print of that board, a key of `sheet.STYLES`.
        layout: start places of a board's markers, in its frame; empty: at home.
        seats: owners of the hands that may reach in; None: one per colour.
        buttons: callbacks for `BUTTONS` (undo: after it was held long enough).
        lighting, pose: the room's light and the camera's pose; None: the defaults.
        clock: monotonic seconds; `wait` sleeps for the given seconds. Tests pass their own.
        seed: for throws and bumps without their own seed.
        is_grain_anew: whether each frame has new noise; otherwise an unchanged table gives the same picture again.
    """

    def __init__(
        self,
        kit: Kit,
        lens: Lens | None = None,
        *,
        board: Board | None = None,
        style: str = "plain",
        layout: Sequence[Placed] = (),
        seats: Sequence[str] | None = None,
        buttons: Mapping[str, Callable[[], None]] | None = None,
        film: Film | None = None,
        surface: Surface | None = None,
        lighting: Lighting | None = None,
        pose: Pose | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        seed: int = 0,
        is_grain_anew: bool = True,
    ) -> None:
        self.kit = kit
        self._is_grain_anew = is_grain_anew
        self.lens = lens = lens or lens_for(kit)
        self._buttons = dict(buttons or {})
        self._clock, self._wait = clock, wait
        self._rng = np.random.default_rng(seed)
        self._lock = threading.RLock()
        self._drawing = threading.Lock()
        self._mounted = pose or overhead(
            lens,
            height_mm=height_for(kit),
            tilt_deg=3.0,
            toward_deg=100.0,
            roll_deg=0.6,
            aim_mm=(kit.mat.width_mm / 2, kit.mat.height_mm / 2),
        )
        self._pose = self._mounted
        self._renderer = Renderer(kit, self._pose, film)
        self._developed: tuple[Scene, Pose, Any] | None = None
        self._frames = 0
        self._next_s = 0.0
        self._newest: Picture | None = None
        self._is_plugged = True
        self._hand: str | None = None
        self._version = 0
        self._shows: list[_Show] = []
        self._changed: Callable[[], None] = lambda: None
        board = load_board(kit.board) if board is None and kit.board is not None else board
        x0, y0, *_ = kit.mat.areas_mm.get("board_mm", (0.0, 0.0))
        self._board_at = (x0, y0)
        self._layout = tuple(layout)
        self.hands: dict[str, list[str]] = {}
        """The cards in the seats' hands, which the camera does not see."""
        self._round = 0
        sheet = None if board is None else PrintedBoard(board, self._board_at, style=style)
        self.seats = tuple(seats or (board.colors if board else kit.pieces[0].colors) or FIRST_SEATS)
        own = Surface(color=rod_table.MAT) if rod_table.zones_of(kit) else Surface()
        self._scene = Scene(surface=surface or own, sheet=sheet, lighting=lighting or Lighting())
        self.set_up()

    # --- what the camera sees -------------------------------------------------------------------------------

    def frame(self, timeout_s: float = 1.0) -> Picture | None:
        """The next frame (H, W, 3) BGR, about nine per second; None: the camera is unplugged."""
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

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG; None: unplugged. Draws a frame if no source has asked for one recently."""
        picture = self._newest
        if picture is None or self._clock() > self._next_s + STALE_S:
            picture = self.frame()
        return None if picture is None else jpeg(picture, 80, 960)

    def _draw(self) -> Picture:
        with self._lock:
            scene, pose = self._seen(), self._pose
        if self._developed is None or self._developed[0] != scene or self._developed[1] is not pose:
            if self._renderer.pose is not pose:
                self._renderer.pose = pose
            self._developed = scene, pose, self._renderer.develop(scene)
        elif not self._is_grain_anew and self._newest is not None:
            return self._newest
        self._frames += 1
        return self._renderer.expose(self._developed[2], self._frames)

    def _seen(self) -> Scene:
        """The scene at this moment; a thrown piece may still tumble."""
        now = self._clock()
        self._shows = [show for show in self._shows if now < show.until_s]
        for show in self._shows:
            if now >= show.from_s:
                step = min(int((now - show.from_s) * FRAMES_PER_S), len(show.tumble.frames) - 1)
                frame = show.tumble.frames[step]
                fixed = (body for body in self._scene if body.is_fixed and body not in frame)
                return replace(self._scene, bodies=(*fixed, *frame))
        return self._scene

    # --- what people do -------------------------------------------------------------------------------------

    def set_up(self) -> None:
        """A new game: every piece at its start on the mat or the board, or outside."""
        with self._lock:
            self._shows.clear()
            self._hand = None
            self.hands, self._round = {}, 0
            scene = replace(self._scene, hand=None)
            if scene.sheet is not None:
                scene = replace(scene, sheet=replace(scene.sheet, at_mm=self._board_at, angle_deg=0.0))
            rods = rod_table.dealt(self.kit, len(self.seats), self._rng)
            bodies = set_up(self.kit, scene.sheet, self._layout, self._rng)
            self._first = tuple(body for body in bodies if not body.is_fixed)
            self._change(replace(scene, bodies=bodies, rods=rods))

    # --- rods -------------------------------------------------------------------------------------------------

    def deal_rods(self, holders: Sequence[int] | None = None) -> None:
        """A new round of rods for the seats with these numbers (1 ...); None: for all seats."""
        with self._lock:
            self._change(replace(self._scene, rods=rod_table.dealt(self.kit, len(self.seats), self._rng, holders)))

    def hang(self, id: str) -> None:
        """Hangs a rod on the stand. Raises: TableError."""
        with self._lock:
            rod = self._rod(id)
            self._change(
                replace(self._scene, rods=rod_table.hung(self.kit, self._scene.rods, id, rod.color, self._rng))
            )

    def lay(self, id: str, zone: str) -> None:
        """Drops a rod into a zone: ``1`` ..., ``draw``, or ``stand`` for the table around it. Raises: TableError."""
        with self._lock:
            rod = self._rod(id)
            if zone not in rod_table.zones_of(self.kit):
                zones = ", ".join(rod_table.zones_of(self.kit))
                raise TableError(f"there is no zone {zone!r}, expected one of {zones}")
            self._change(
                replace(self._scene, rods=rod_table.laid(self.kit, self._scene.rods, id, rod.color, zone, self._rng))
            )

    def _rod(self, id: str) -> Rod:
        rod = next((rod for rod in self._scene.rods if rod.id == id), None)
        if rod is None:
            raise TableError(f"there is no rod {id!r} on the table, expected one of its rods")
        return rod

    def _is_rod(self, id: str) -> bool:
        return any(rod.id == id for rod in self._scene.rods)

    def throw(
        self,
        seat: str,
        kind: str,
        from_mm: tuple[float, float],
        aim_mm: tuple[float, float],
        power: float = 0.5,
        seed: int | None = None,
    ) -> str:
        """Throws a piece from outside, in the seat's colour if it has several; returns its id.

        Raises: TableError: no piece is left outside, or this kind is set up instead of thrown.
        """
        with self._lock:
            color = self._color_for(seat, kind)
            id = self._outside_id(kind, color)
            seed = int(self._rng.integers(2**31)) if seed is None else seed
            thrown = lying(self.kit, kind, color, from_mm, id=id)
            loose = [body for body in self._scene if not body.is_fixed]
            tumble = throw(self.kit, loose, thrown, from_mm=from_mm, aim_mm=aim_mm, power=power, seed=seed)
            self._shows_then_lies(tumble)
            return id

    def roll(
        self,
        id: str | None = None,
        *,
        seed: int | None = None,
        value: int | None = None,
        is_cocked: bool | None = None,
    ) -> str:
        """Throws a die into the tray (None: the die already there, or else the first die). Other dice there leave the
        tray.

        `value`: the face that comes up; None: random. Some dice end against the edge, cocked. Returns the die's id.
        Raises: TableError: another kind of piece, or a table without a place for dice.
        """
        with self._lock:
            box = dice_area(self.kit.mat)
            dice = [body for body in self._scene if body.is_die and not self.kit.piece(body.kind).start_mm]
            if box is None or not dice:
                raise TableError("there is no tray to throw dice into, expected a kit with one and dice on the table")
            inside = [die for die in dice if box[0] < die.at_mm[0] < box[2] and box[1] < die.at_mm[1] < box[3]]
            die = self._die(id) if id is not None else (inside or dice)[0]
            rng = self._rng if seed is None else np.random.default_rng(seed)
            others = [self._beside(b, dice) if b in inside else b for b in self._scene if b.id != die.id]
            self._shows_then_lies(throw_into_tray(others, die, box, rng, value=value, is_cocked=is_cocked))
            return die.id

    def _beside(self, die: Body, dice: Sequence[Body]) -> Body:
        at = beside(self.kit, dice.index(die))
        return die if at is None else level(die.moved(at_mm=(*at, die.solid.half_mm)))

    def _shows_then_lies(self, tumble: Tumble) -> None:
        begins = max([self._clock(), *(show.until_s for show in self._shows)])
        self._shows.append(_Show(tumble, begins))
        fixed = tuple(body for body in self._scene if body.is_fixed and body not in tumble.rest)
        self._change(replace(self._scene, bodies=(*fixed, *tumble.rest)))

    def move(self, id: str, x_mm: float, y_mm: float) -> None:
        """Moves a piece, and everything on it, to another place. Raises: TableError."""
        with self._lock:
            if self._is_rod(id):
                rods = rod_table.moved(self.kit, self._scene.rods, id, x_mm, y_mm, self._rng)
                self._change(replace(self._scene, rods=rods))
                return
            body = self._body(id)
            dx, dy = x_mm - body.at_mm[0], y_mm - body.at_mm[1]
            along = set(carried(self._scene.bodies, id)) if body.is_base else set()
            moved = [
                b.moved(at_mm=(b.at_mm[0] + dx, b.at_mm[1] + dy, b.at_mm[2])) if b.id == id or b.id in along else b
                for b in self._scene
            ]
            self._put(self._with_sent_home(moved, id), id)

    def _with_sent_home(self, bodies: list[Body], id: str) -> list[Body]:
        """The pieces, with any piece of another colour under `id` carried to its beginning, as players do.

        Under `id` nobody could see or grasp it.
        """
        sheet, put = self._scene.sheet, next(body for body in bodies if body.id == id)
        if sheet is None or put.is_die:
            return bodies

        def is_at(body: Body, at_mm: tuple[float, ...]) -> bool:
            return math.dist(body.at_mm[:2], at_mm[:2]) < sheet.board.circle_mm / 2

        found = list(bodies)
        for i, body in enumerate(bodies):
            home = sheet.board.roles.get(body.color, {}).get("home", ())
            free = (at for spot in home if not any(is_at(one, at := sheet.places_mm[spot]) for one in found))
            if body.color != put.color and is_at(body, put.at_mm) and (to := next(free, None)) is not None:
                found[i] = body.moved(at_mm=(*to, body.at_mm[2]))
        return found

    def move_together(self, ids: Sequence[str], dx_mm: float, dy_mm: float) -> None:
        """Moves several pieces, such as a meld, by the same distance; their order stays. Raises: TableError."""
        with self._lock:
            width, height = self.kit.mat.width_mm, self.kit.mat.height_mm
            bodies = list(self._scene)
            for id in ids:
                body = self._body(id)
                x, y, z = body.at_mm[0] + dx_mm, body.at_mm[1] + dy_mm, body.at_mm[2] + HIGH_MM
                if not (0 <= x <= width and 0 <= y <= height):
                    raise TableError(Says("this leaves the table: drag it less far"))
                bodies[bodies.index(body)] = body.moved(at_mm=(x, y, z))
            self._put(bodies, None)

    def deal(self, x_mm: float, y_mm: float, card: str | None = None, *, is_face_up: bool = True) -> str:
        """Deals a card from the shuffled packs to a place, the next card or a named card; returns its id.

        Raises: TableError: no such card is left.
        """
        with self._lock:
            piece = next((piece for piece in self.kit.pieces if piece.shape == "card"), None)
            if piece is None:
                raise TableError("there are no cards in this kit, expected one with cards")
            left = self._left()
            if not left or (card is not None and card not in left):
                raise TableError(Says("no {card} is left to deal: take one out first", {"card": card or Says("card")}))
            dealt = left[int(self._rng.integers(len(left)))] if card is None else card
            taken = {body.id for body in self._scene}
            id = next(id for i in range(1, 1000) if (id := f"{piece.kind}_{dealt}_{i}") not in taken)
            top = (2, 1) if is_face_up else (2, -1)
            body = replace(lying(self.kit, piece.kind, "white", (x_mm, y_mm), id=id, top=top), card=dealt)
            self._put([*self._scene, body], id)
            return id

    def holds(self, round: int, held: Mapping[str, int], laid: int, turn: str | None) -> None:
        """Deals and draws as in the match: `held` cards per seat, `laid` on the table.

        In a new round all hands are dealt again. Later the seat `turn` gets missing cards, and loses a card whose draw
        was undone.
        """
        with self._lock:
            on_table = [body for body in self._scene if body.card is not None]
            if round != self._round:
                self._round = round
                pack = list(pack_of(next(p for p in self.kit.pieces if p.shape == "card"), len(self.seats)))
                self._rng.shuffle(pack)
                self.hands = {
                    seat: sorted((pack.pop() for _ in range(n)), key=(*PACK, JOKER).index) for seat, n in held.items()
                }
                self._change(replace(self._scene, bodies=tuple(b for b in self._scene if b.card is None)))
                return
            missing = sum(held.values()) + laid - len(on_table) - sum(map(len, self.hands.values()))
            if missing == 0 or turn not in self.hands:
                return
            hand, left = self.hands[turn], self._left()
            self._rng.shuffle(left)
            hand[:] = [*hand, *(left.pop() for _ in range(min(missing, len(left))))] if missing > 0 else hand[:missing]
            self._change(self._scene)

    def _left(self) -> list[str]:
        piece = next((piece for piece in self.kit.pieces if piece.shape == "card"), None)
        left = [] if piece is None else list(pack_of(piece, len(self.seats)))
        for card in (*(body.card for body in self._scene), *(card for hand in self.hands.values() for card in hand)):
            if card in left:
                left.remove(card)
        return left

    def lay_from(self, seat: str, cards: Sequence[str], at_mm: tuple[float, float] | None = None) -> str:
        """Puts cards of a seat's hand on the table as a fan, at a place or in free room. Raises: TableError."""
        with self._lock:
            hand = list(self.hands.get(seat, ()))
            held = list(hand)
            for card in cards:
                if card not in held:
                    raise TableError(Says("this card is not in that hand: choose again"))
                held.remove(card)
            self.hands[seat] = held
            try:
                return self.lay_fan(cards, at_mm)
            except TableError:
                self.hands[seat] = hand
                raise

    def take_up(self, ids: Sequence[str], seat: str) -> None:
        """Moves cards from the table to a seat's hand. Raises: TableError."""
        with self._lock:
            cards = [card for id in ids if (card := self._body(id).card) is not None]
            if len(cards) < len(ids):
                raise TableError(f"{', '.join(ids)} are not all cards, expected cards")
            self.remove_all(ids)
            self.hands.setdefault(seat, []).extend(cards)

    def lay_fan(self, cards: Sequence[str], at_mm: tuple[float, float] | None = None) -> str:
        """Puts cards by name on the table as one fan, with its first card at a place; None: in free room, row by row
        from the upper left. Returns the last card's id.

        Raises: TableError: a card is not left, or there is no room; then no card is put down.
        """
        with self._lock:
            piece = next((piece for piece in self.kit.pieces if piece.shape == "card"), None)
            if piece is None or not cards:
                raise TableError("there are no cards in this kit, expected one with cards")
            size_mm = (piece.size_mm("width"), piece.size_mm("length"))
            x, y = self._room_for((size_mm[0] + FAN_STEP_MM * (len(cards) - 1), size_mm[1]))
            if at_mm is not None:
                x, y = at_mm[0] - size_mm[0] / 2, at_mm[1] - size_mm[1] / 2
            laid: list[str] = []
            try:
                for i, card in enumerate(cards):
                    laid.append(self.deal(x + size_mm[0] / 2 + FAN_STEP_MM * i, y + size_mm[1] / 2, card))
            except TableError:
                for id in laid:
                    self.remove(id)
                raise
            return laid[-1]

    def _room_for(self, size_mm: tuple[float, float]) -> tuple[float, float]:
        """The upper left corner of a free part of the mat of this size. Raises: TableError."""
        shapes = [body.footprint for body in self._scene if body.card is not None]
        cards = [np.array(shape.points_mm) for shape in shapes if isinstance(shape, Outline)]
        mat, (wide, long) = self.kit.mat, size_mm
        y = ROOM_MM
        while y + long + ROOM_MM <= mat.height_mm:
            x = ROOM_MM
            while x + wide + ROOM_MM <= mat.width_mm:
                first, last = (x - ROOM_MM, y - ROOM_MM), (x + wide + ROOM_MM, y + long + ROOM_MM)
                if not any((card.max(axis=0) > first).all() and (card.min(axis=0) < last).all() for card in cards):
                    return x, y
                x += ROOM_MM
            y += long + ROOM_MM
        raise TableError(Says("no room is left for these cards: take some out"))

    def turn(self, id: str, angle_deg: float) -> None:
        """Turns a piece about the vertical, x towards y. Raises: TableError."""
        with self._lock:
            if self._is_rod(id):
                self._change(replace(self._scene, rods=rod_table.turned(self._scene.rods, id, angle_deg)))
                return
            body = self._body(id)
            turned = body.moved(turn=times(about((0.0, 0.0, 1.0), angle_deg), level(body).turn))
            self._put([turned if b.id == id else b for b in self._scene], id)

    def flip(self, id: str) -> None:
        """Rolls a die over by a quarter turn, turns a card over, or tips a pawn over or back.

        Raises: TableError.
        """
        with self._lock:
            body = self._body(id)
            if isinstance(body.solid, RoundDisk) and not isinstance(body.solid, RoundPawn):
                raise TableError(Says("a disk cannot be turned over: take a die, a card or a pawn"))
            over = 180.0 if isinstance(body.solid, RoundBox) else 90.0
            is_down = isinstance(body.solid, RoundPawn) and body.tilt_deg > 45.0
            turn = UPRIGHT if is_down else times(about((0.0, 1.0, 0.0), over), level(body).turn)
            self._put([body.moved(turn=turn) if b.id == id else b for b in self._scene], id)

    def face_up(self, id: str, axis: int, sign: int) -> None:
        """Puts a die with a face (axis, sign) upward; (2, 1) is an empire die's eye. Raises: TableError."""
        with self._lock:
            body = self._die(id)
            if (axis, sign) not in {(a, s) for a in range(3) for s in (1, -1)}:
                raise TableError(f"a die has no face {axis} {sign}, expected an axis 0 to 2 and a sign 1 or -1")
            self._put([body.moved(turn=face_up((axis, sign))) if b.id == id else b for b in self._scene], id)

    def stack(self, id: str, on: str, aside_mm: tuple[float, float] = (0.0, 0.0)) -> None:
        """Puts a piece on another, its middle offset by `aside_mm` from the other's. Raises: TableError."""
        with self._lock:
            x, y, _ = self._body(on).at_mm
            if id == on:
                raise TableError(Says("a piece cannot lie on itself: choose another piece"))
            if self._body(id).is_base:
                raise TableError(Says("this is too large to lie on another: take a smaller piece"))
            self.move(id, x + aside_mm[0], y + aside_mm[1])

    def remove(self, id: str) -> None:
        """Takes a piece off the table. Raises: TableError."""
        with self._lock:
            if self._is_rod(id):
                left = tuple(rod for rod in self._scene.rods if rod.id != id)
                self._change(replace(self._scene, rods=left))
                return
            self._body(id)
            self._put([b for b in self._scene if b.id != id], None)

    def remove_all(self, ids: Sequence[str]) -> None:
        """Takes several pieces off the table at once. Raises: TableError."""
        with self._lock:
            for id in ids:
                self._body(id)
            self._put([b for b in self._scene if b.id not in ids], None)

    def place(self, kind: str, color: str, x_mm: float, y_mm: float) -> str:
        """Puts a piece from outside on the table; returns its id. Raises: TableError: no such piece is outside."""
        with self._lock:
            id = self._outside_id(kind, color)
            body = lying(self.kit, kind, color, (x_mm, y_mm), id=id, top=SIDE_FACE)
            as_first = next((b for b in self._first if (b.kind, b.color) == (kind, color)), body)
            self._put([*self._scene, body.moved(turn=as_first.turn)], id)
            return id

    def press(self, button: str) -> None:
        """Presses a button of the box. Raises: TableError: unknown button."""
        if button not in BUTTONS:
            raise TableError(f"there is no button {button!r}, expected one of {', '.join(BUTTONS)}")
        called = self._buttons.get(button)
        if called is not None:
            called()

    def bump(self, seed: int | None = None) -> None:
        """Simulates a knock against the camera: it is now a few mm and some tenths of a degree from where it was
        mounted. Knocks do not add up: after some of them the mat was out of the picture."""
        with self._lock:
            rng = self._rng if seed is None else np.random.default_rng(seed)
            old = self._mounted
            turn = rng.normal(0, math.radians(0.6), 3)
            centre = -old.rotation.T @ old.translation_mm + rng.normal(0, 6.0, 3)
            rotation = turned(turn) @ old.rotation
            self._pose = replace(old, rotation=rotation, translation_mm=-rotation @ centre)
            self._version += 1

    def set_hand(self, seat: str | None) -> None:
        """Shows a player's hand over the mat; None: no hand. Raises: TableError."""
        hand = None
        if seat is not None:
            width, height = self.kit.mat.width_mm, self.kit.mat.height_mm
            if seat not in self.seats:
                raise TableError(f"there is no seat {seat!r}, expected {' or '.join(self.seats)}")
            ways = ARM_DEG[0] if len(self.seats) == 2 else ARM_DEG[1]
            from_deg = ways[self.seats.index(seat) % len(ways)]
            reach = (width * (0.42 if math.cos(math.radians(from_deg)) < 0 else 0.58), height * 0.5)
            hand = Hand(reach_mm=reach, from_deg=from_deg)
        with self._lock:
            self._hand = seat
            self._change(replace(self._scene, hand=hand))

    def set_light(self, level: float) -> None:
        """Brightens or dims the room: 1 is well lit, 0 is night. Raises: TableError outside 0 to 1.5."""
        if not 0 <= level <= 1.5:
            raise TableError(f"the light is {level}, expected 0 (dark) to 1.5 (bright)")
        with self._lock:
            lighting: Lighting = replace(self._scene.lighting, level=max(level, DARKEST))
            self._change(replace(self._scene, lighting=lighting))

    def set_plugged(self, is_plugged: bool) -> None:
        """Plugs the camera in, or unplugs it."""
        with self._lock:
            self._is_plugged = is_plugged
            self._version += 1

    # --- keeping it --------------------------------------------------------------------------------------------

    def on_change(self, call: Callable[[], None]) -> None:
        """Registers a callback after every change of the pieces, for saving them: a real table survives a restart
        too."""
        self._changed = call

    def saved(self) -> str:
        """The pieces as JSON text."""
        with self._lock:
            pieces = tuple(
                KeptPiece(b.id, b.kind, b.color, b.at_mm, b.turn, b.card) for b in self._scene if not b.is_fixed
            )
            rods = tuple(KeptRod(r.id, r.color, r.path_mm, r.is_hung) for r in self._scene.rods)
            kept = KeptTable(pieces, rods, self.hands, self._round)
            return msgspec.json.encode(kept, enc_hook=float).decode()  # numpy has floats of its own

    def restore(self, text: str) -> None:
        """Restores the pieces from `saved`. Raises: TableError: invalid text, or pieces that the set does not have."""
        try:
            kept = msgspec.json.decode(text, type=KeptTable)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise TableError(f"the kept table does not parse ({error}), expected JSON that this table wrote") from error
        kept.check(self.kit)
        bodies = (
            replace(lying(self.kit, p.kind, p.color, (0.0, 0.0), id=p.id), at_mm=p.at_mm, turn=p.turn, card=p.card)
            for p in kept.pieces
        )
        with self._lock:
            self._shows.clear()
            belonging = (*tray_edge(self.kit.mat), *rod_table.stand(self.kit))
            self.hands, self._round = kept.hands, kept.round
            rods = rod_table.rods_of(self.kit, kept.rods)
            self._change(replace(self._scene, bodies=(*belonging, *bodies), rods=rods))

    # --- what the page draws --------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The table for the page, as JSON: pieces with outlines in mm, pieces outside, the switches."""
        with self._lock:
            now = self._clock()
            bodies = self._seen().bodies
            return {
                "version": self._version,
                "is_moving": any(now < show.until_s for show in self._shows),
                "width_mm": self.kit.mat.width_mm,
                "height_mm": self.kit.mat.height_mm,
                "seats": list(self.seats),
                "board": None if self._scene.sheet is None else board_drawn(self._scene.sheet),
                "zones_mm": {name: list(box) for name, box in rod_table.zones_of(self.kit).items()} or None,
                "tray_mm": list(dice_area(self.kit.mat) or ()) or None,
                "pieces": [drawn(body) for body in sorted(bodies, key=lambda b: b.highest_mm)]
                + [rod_table.shown(self.kit, rod) for rod in self._scene.rods],
                "outside": self._outside(),
                "lost": self._lost(),
                "hand": self._hand,
                "arm": self._arm(),
                "throws": [piece.kind for piece in self._thrown()],
                "hands": self.hands,
                "has_cards": any(piece.shape == "card" for piece in self.kit.pieces),
                "light": self._scene.lighting.level,
                "is_plugged": self._is_plugged,
            }

    def _arm(self) -> dict[str, Any] | None:
        hand = self._scene.hand
        return None if hand is None else {"reach_mm": list(hand.reach_mm), "from_deg": hand.from_deg}

    def _thrown(self) -> list[PieceKind]:
        """The kinds of piece that are outside until they are thrown."""
        laid = {body.kind for body in set_up(self.kit, self._scene.sheet)}
        return [piece for piece in self.kit.pieces if piece.kind not in laid and piece.shape in ("cube", "disk")]

    def truth(self) -> dict[str, Any]:
        """The true state (`shown.truth`) once nothing moves: for tests and autoplay, never for a reader."""
        with self._lock:
            told = truth(self._scene, self.kit)
            rods = [rod_table.shown(self.kit, rod) for rod in self._scene.rods]
            return told | ({"rods": rods} if rods else {})

    def _outside(self) -> list[dict[str, Any]]:
        inside = [(body.kind, body.color) for body in self._scene]
        inside += [("rod", rod.color) for rod in self._scene.rods]
        return [
            {"kind": piece.kind, "color": color, "count": piece.count_each - inside.count((piece.kind, color))}
            for piece in self.kit.pieces
            for color in colors_of(piece)
        ]

    def _lost(self) -> list[dict[str, Any]]:
        """The pieces that a game begins with and that have left the table, drawn as they first lay."""
        now = Counter((body.kind, body.color) for body in self._scene)
        first = Counter((body.kind, body.color) for body in self._first)
        alike = {(body.kind, body.color): body for body in self._first}
        return [{**drawn(alike[which]), "count": count} for which, count in (first - now).items()]

    def _color_for(self, seat: str, kind: str) -> str:
        """The colour of a thrown piece of this kind. Raises: TableError."""
        piece = next((piece for piece in self._thrown() if piece.kind == kind), None)
        if piece is None:
            thrown = " or ".join(piece.kind for piece in self._thrown()) or "a move"
            raise TableError(f"{kind} cannot be thrown, expected {thrown}")
        if seat not in self.seats:
            raise TableError(f"there is no seat {seat!r}, expected {' or '.join(self.seats)}")
        colors = colors_of(piece)
        return colors[0] if len(colors) == 1 else seat

    def _outside_id(self, kind: str, color: str) -> str:
        """A free id for a piece outside. Raises: TableError."""
        piece = next((piece for piece in self.kit.pieces if piece.kind == kind), None)
        if piece is None:
            kinds = ", ".join(piece.kind for piece in self.kit.pieces)
            raise TableError(f"there is no piece of kind {kind!r}, expected one of {kinds}")
        if color not in colors_of(piece):
            raise TableError(f"there is no {color} {kind}, expected {' or '.join(colors_of(piece))}")
        taken = {body.id for body in self._scene}
        free = [name for name in names_of(piece, color) if name not in taken]
        if not free:
            told = {"color": color, "kind": kind}
            raise TableError(Says("every {color} {kind} is on the table: take one out first", told))
        return free[0]

    def _body(self, id: str) -> Body:
        try:
            body = self._scene.body(id)
        except KeyError:
            raise TableError(f"there is no piece {id!r} on the table, expected one of its pieces") from None
        if body.is_fixed:
            raise TableError(f"{id} belongs to the table, expected a piece")
        return body

    def _die(self, id: str) -> Body:
        body = self._body(id)
        if not body.is_die:
            raise TableError(f"{id} is no die, expected one")
        return body

    def _put(self, bodies: list[Body], id: str | None) -> None:
        """Replaces the pieces by the settled ones; `id` is let down last, from above."""
        lifted = [b.moved(at_mm=(*b.at_mm[:2], HIGH_MM)) if b.id == id and not b.is_base else b for b in bodies]
        rest = settled(lifted, () if id is None else (id,))
        width, height = self.kit.mat.width_mm, self.kit.mat.height_mm
        staying = tuple(b for b in rest if 0 <= b.at_mm[0] <= width and 0 <= b.at_mm[1] <= height)
        self._shows.clear()
        self._change(replace(self._scene, bodies=settled(staying) if len(staying) < len(rest) else staying))

    def _change(self, scene: Scene) -> None:
        self._scene = scene
        self._version += 1
        self._changed()
