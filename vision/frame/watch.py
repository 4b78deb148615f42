"""From a frame to a sight: is the table visible, does anything move, and which pieces are on it once it has settled.

A table is read when half of the rest time has passed, and again when it has settled. The two readings are fused. If
they disagree, a third picture is read. The first reading costs no waiting if it is done before the table has settled.

`Watch.take` gets every frame and returns a `Glance`. When the table has settled and changed since the last reading, the
glance holds a `TableLook`: the reading with its picture.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.arrays import Picture
from calibration.lens import Lens
from calibration.light import Light, judge
from calibration.pose import Movement, Pose, PoseWatch, find_pose
from companion.game.errors import ReadingError, ReadingFault
from companion.game.evidence import Crop
from companion.game.kit import Kit
from companion.game.readings import ROUND_CORNERS, Mark, MarkRole, Reading, SpotMm
from companion.game.says import Says
from companion.game.view import MEASURED_ANEW, READING, Sight
from vision.frame.limits import LIMITS
from vision.frame.settle import Settle, Stillness, Sway
from vision.measure.pictures import jpeg
from vision.readers import TableEye

LEAST_SHARE = 0.5
"""Minimum ratio of the shorter to the longer side in a picture of several places."""
THERE_MM = LIMITS.apart_share * LIMITS.crop_mm
"""Maximum distance of a piece from its place. A place without a piece is ringed with this radius. Also the margin
around all outlines in a picture of several places."""
BESIDE, FOOT, PLACE = "beside", "foot", "place"
"""Roles: another piece in the picture; the foot of a piece whose top is seen elsewhere; a place in question without a
known piece."""
MEANT = "the place in question"
CARD = "card"
OVERVIEW_PX = 2 * LIMITS.live_px
INTERNAL = "internal"
SETTLING = "settling"
"""Code of a table that has not been still since the camera began to send pictures."""
SWAYS = "sways"
"""Code of a picture that never settles because camera or table sway."""
SWAYS_WORDS = (
    "the picture keeps swaying with the camera or the table: fasten the camera's arm, do not lean on the table and "
    "keep fans off it"
)
REREAD_S = 1.0
"""A table that could not be read is tried again after this long."""
PICTURES = 2
"""Number of pictures read of a settled table; one more if the readings disagree."""
LOOK_AGAIN_S = 2.0
"""Interval for checking a settled table against the fiducials: has the camera moved, does the light fade?"""
LIT_S = 1.0
"""Interval for checking only the light of a table that moves: fading light changes the whole picture."""
UNLIT = (ReadingFault.TOO_DARK, ReadingFault.TOO_BRIGHT)


@dataclass(frozen=True, slots=True)
class Glance:
    """The result of one frame. `says` puts it in words; `look`: the reading, if the settled table was read again."""

    sight: Sight
    says: Says
    code: str | None = None
    look: "TableLook | None" = None


MOVES = Glance(Sight.MOVING, Says("something moves"))
IS_READ = Glance(Sight.MOVING, Says("the table is being read"), READING)
"""The settled table is being read. No ruling is possible before that is done."""


@dataclass(frozen=True, eq=False)
class TableLook:
    """A settled table as it was read, with the last of its pictures. Implements `companion.game.evidence.Look`."""

    reading: Reading
    at_s: float
    picture: Picture
    pose: Pose

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        """The pixels around a place, lossless, with the data to read them again and the facts from all pictures of the
        settled table."""
        half = LIMITS.crop_mm / 2
        box = self._box((x_mm - half, y_mm - half), (x_mm + half, y_mm + half))
        return Crop(picture=self._png(box), about=self._about(box, 1.0, self._nearest((x_mm, y_mm))), piece=piece)

    def close_up(self, places_mm: Mapping[str, tuple[float, float]]) -> Crop:
        """The pixels around several places, like `crop`. Only the pieces at these places, and places without a piece,
        are outlined: the person asked sees nothing else marked."""
        meant = [self._lies_at(at_mm) for at_mm in places_mm.values()]
        reach = LIMITS.crop_mm / 2
        around = [(x + u, y + u) for x, y in places_mm.values() for u in (-reach, reach)]
        shown = np.array([*around, *(at for mark in meant if mark for at in mark.outline_mm)], np.float64)
        middle, half = (shown.min(0) + shown.max(0)) / 2, np.ptp(shown, 0) / 2 + THERE_MM
        half = np.maximum(half, LEAST_SHARE * half.max())
        box = self._box(middle - half, middle + half)
        outlines = []
        for (name, at_mm), mark in zip(places_mm.items(), meant, strict=True):
            if mark is None:
                outlines.append(self._ring(at_mm, box, name))
            else:
                told = [self._told(mark, role, seen, box) for role, seen in self._outlines_px(mark) if len(seen)]
                named = {"label": name} if mark.kind == CARD and not name.startswith(CARD) else {}
                outlines += [outline | named for outline in told]  # the card that the question takes it for
        return Crop(picture=self._png(box), about=self._about_of(box, 1.0, outlines), piece=next(iter(places_mm)))

    def overview(self) -> Crop:
        """The whole frame, smaller, as a JPEG."""
        height, width = self.picture.shape[:2]
        scale = min(1.0, OVERVIEW_PX / width)
        picture = jpeg(self.picture, LIMITS.jpeg_quality, OVERVIEW_PX)
        return Crop(picture=picture, about=self._about((0, 0, width, height), scale))

    def _lies_at(self, at_mm: tuple[float, float]) -> Mark | None:
        """The piece at a place, also a merely possible piece; None: no piece is near."""
        x, y = at_mm
        pieces = (mark for mark in self.reading.marks() if mark.role is not MarkRole.TERRITORY)
        near = min(pieces, key=lambda p: math.hypot(p.x_mm - x, p.y_mm - y), default=None)
        if near is None or math.hypot(near.x_mm - x, near.y_mm - y) > THERE_MM:
            return None
        return replace(near, role=MarkRole.PIECE)

    def _box(self, least_mm: ArrayLike, most_mm: ArrayLike) -> tuple[int, int, int, int]:
        (x0, y0), (x1, y1) = np.asarray(least_mm, np.float64), np.asarray(most_mm, np.float64)
        return self._cut(self.pose.to_pixels(np.array([(x, y, 0.0) for x in (x0, x1) for y in (y0, y1)])))

    def _png(self, box: tuple[int, int, int, int]) -> bytes:
        x0, y0, x1, y1 = box
        _, png = cv2.imencode(".png", self.picture[y0:y1, x0:x1], [cv2.IMWRITE_PNG_COMPRESSION, 1])
        return png.tobytes()

    def _cut(self, around_px: NDArray[np.float64]) -> tuple[int, int, int, int]:
        height, width = self.picture.shape[:2]
        x0, y0 = np.clip(np.floor(around_px.min(0)).astype(int), 0, (width - 2, height - 2))
        x1, y1 = np.clip(np.ceil(around_px.max(0)).astype(int), (x0 + 1, y0 + 1), (width, height))
        return int(x0), int(y0), int(x1), int(y1)

    def _about(self, box: tuple[int, int, int, int], scale: float, meant: str | None = None) -> bytes:
        x0, y0, x1, y1 = box
        outlines = []
        for mark in self.reading.marks():
            if mark.role is MarkRole.PERHAPS:
                continue
            is_beside = mark.role is MarkRole.PIECE and meant not in (None, mark.id)
            for role, points in self._outlines_px(mark):
                inside = (points[:, 0] > x0) & (points[:, 0] < x1) & (points[:, 1] > y0) & (points[:, 1] < y1)
                if inside.any() and (role != FOOT or meant == mark.id):
                    outlines.append(self._told(mark, BESIDE if is_beside else role, points, box, scale))
        return self._about_of(box, scale, outlines)

    @staticmethod
    def _told(
        mark: Mark, role: str, points: NDArray[np.float64], box: tuple[int, int, int, int], scale: float = 1.0
    ) -> dict[str, Any]:
        place = {"kind": mark.kind, "at_mm": [round(mark.x_mm, 1), round(mark.y_mm, 1)]}
        return {"role": role, "label": str(mark.label), "points_px": _within(points, box, scale), **place}

    def _ring(self, at_mm: tuple[float, float], box: tuple[int, int, int, int], name: str) -> dict[str, Any]:
        turns = np.linspace(0, 2 * np.pi, ROUND_CORNERS, endpoint=False)
        ring = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns]) * THERE_MM + (*at_mm, 0.0)
        return {"role": PLACE, "label": MEANT, "name": name, "points_px": _within(self.pose.to_pixels(ring), box, 1.0)}

    def _about_of(self, box: tuple[int, int, int, int], scale: float, outlines: Sequence[Mapping[str, Any]]) -> bytes:
        x0, y0, x1, y1 = box
        about: Mapping[str, Any] = {
            "width_px": round((x1 - x0) * scale),
            "height_px": round((y1 - y0) * scale),
            "outlines": list(outlines),
            "at_px": [x0, y0],
            "scale": scale,
            "lens": asdict(self.pose.lens),
            "rotation": self.pose.rotation.tolist(),
            "translation_mm": self.pose.translation_mm.tolist(),
            "reprojection_px": self.pose.reprojection_px,
            **self.reading.to_json(),
        }
        return json.dumps(about, sort_keys=True).encode()

    def _nearest(self, at_mm: tuple[float, float]) -> str | None:
        pieces = [mark for mark in self.reading.marks() if mark.role is MarkRole.PIECE]
        x, y = at_mm
        return min(pieces, key=lambda p: math.hypot(p.x_mm - x, p.y_mm - y)).id if pieces else None

    def _outlines_px(self, mark: Mark) -> list[tuple[str, NDArray[np.float64]]]:
        """The outlines of a mark, by role: a high piece has its top, and its foot if that is seen elsewhere."""
        foot = self._seen_px([(x, y, mark.height_mm) for x, y in mark.outline_mm])
        if not mark.top_mm:
            return [(mark.role.value, foot)]
        top = self._seen_px(mark.top_mm)
        apart = np.abs(top.mean(0) - foot.mean(0)) > LIMITS.apart_share * np.ptp(foot, 0)
        return [(mark.role.value, top), *([(FOOT, foot)] if apart.any() else [])]

    def _seen_px(self, spots_mm: Sequence[SpotMm]) -> NDArray[np.float64]:
        return self.pose.to_pixels(np.array(spots_mm, np.float64)) if spots_mm else np.empty((0, 2))


def _within(points: NDArray[np.float64], box: tuple[int, int, int, int], scale: float) -> list[list[float]]:
    """Points of a frame as pixels of a part of it, scaled."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in (points - box[:2]) * scale]


class Watch:
    """Follows one camera over one table, in one thread. `light` and `pose`: as last measured."""

    def __init__(self, eye: TableEye, lens: Lens, kit: Kit, *, rest_s: float = 0.5) -> None:
        self.eye = eye
        self.lens = lens
        self.kit = kit
        self._settle = Settle(rest_s)
        self._first_s = rest_s / 2
        self._sway = Sway(lens, kit)
        self._camera = PoseWatch(lens, kit)
        self.pose: Pose | None = None
        self.light: Light | None = None
        self._last: Glance = Glance(Sight.BLIND, Says("the camera has not looked at the table yet"), "starting")
        self._has_no_picture = True
        self._tried_s: float | None = None
        self._lit_s = -math.inf
        self._readings: list[Reading] = []
        self._has_glimpsed = False
        self._moved: Movement | None = None

    def take(self, picture: Picture, at_s: float, tell: Callable[[Glance], None] = lambda _: None) -> Glance:
        """Looks at one more frame (BGR, shape (H, W, 3)) taken at a moment of the monotonic clock.

        `tell` is called before a table is read, which may take seconds on a slow box.
        """
        size = (picture.shape[1], picture.shape[0])
        if size != (self.lens.width_px, self.lens.height_px):
            words = "the camera sends {found} pixels and the lens was calibrated for {expected}: calibrate this camera"
            expected = f"{self.lens.width_px} x {self.lens.height_px}"
            says = Says(words, {"found": f"{size[0]} x {size[1]}", "expected": expected})
            return self._say(Glance(Sight.BLIND, says, ReadingFault.WRONG_LENS.value))
        stillness = self._settle.take(picture, at_s)
        if not stillness.is_still:
            self._tried_s = None
            self._glimpse(picture, stillness, tell)
            unlit = self._unlit(picture, at_s)
            if unlit is not None:
                return self._say(unlit)
            if self._sway.take(picture, at_s):
                self._has_no_picture = False
                return self._say(Glance(Sight.BLIND, Says(SWAYS_WORDS), SWAYS))
            if self._has_no_picture or self._last.code == SWAYS:
                # once pictures come again nothing else needs a check, however long hands are busy on the table
                self._has_no_picture = False
                says = Says("the camera sends pictures: it looks at the table when nothing moves")
                return self._say(Glance(Sight.BLIND, says, SETTLING))
            if self._last.sight in (Sight.BLIND, Sight.MOVED):
                # motion does not make a table visible that was not visible before
                return self._last
            return self._say(IS_READ if self._readings else MOVES)
        due_s = LOOK_AGAIN_S if self._last.sight is Sight.SEES else REREAD_S
        self._sway.rests()
        is_due = self._tried_s is None or at_s - self._tried_s >= due_s
        if not is_due:
            return Glance(self._last.sight, self._last.says, self._last.code)
        self._tried_s = at_s
        return self._say(self._read(picture, at_s, tell))

    def forget(self) -> None:
        """Forgets everything seen of the table: it is read again."""
        self._settle.forget()
        self._sway.rests()
        self._readings.clear()
        self._tried_s = None

    def lost(self, says: Says, code: str) -> Glance:
        """Reports that no frame came: the table cannot be seen, and is read again later."""
        self.forget()
        self._has_no_picture = code != INTERNAL  # for INTERNAL a picture did come, but could not be read
        return self._say(Glance(Sight.BLIND, says, code))

    def _read(self, picture: Picture, at_s: float, tell: Callable[[Glance], None]) -> Glance:
        try:
            self.pose, slipped = self._camera.look(picture)
            if slipped.is_moved:
                self._moved = slipped
            # checked here: an eye that is not called again would not notice
            self.light = judge(picture, self.pose, self.kit)
            if self._last.sight is Sight.SEES and self._moved is None and not self._settle.has_changed:
                return Glance(Sight.SEES, self._last.says, self._last.code)
            if self._last.sight in (Sight.SEES, Sight.MOVING):
                tell(IS_READ)
            self._readings.append(self.eye.read_at(picture, self.pose))
        except ReadingError as error:
            return Glance(_sight_of(error.code), error.sentence, error.code.value)
        fused = self.eye.fuse(self._readings)
        if len(self._readings) < PICTURES + (not fused.agree):
            self._tried_s = None  # the next frame is read too
            if self._last.sight in (Sight.SEES, Sight.MOVING):
                return IS_READ
            return Glance(self._last.sight, self._last.says, self._last.code)
        self._readings.clear()
        self._settle.mark_seen()
        look = TableLook(fused.reading, at_s, picture, self.pose)
        movement, self._moved = self._moved, None
        if movement is not None:
            words = "the camera was moved by {mm} mm and has measured its place again"
            says = Says(words, {"mm": round(movement.by_mm, 1)})
            return Glance(Sight.SEES, says, MEASURED_ANEW, look)
        notices = fused.reading.notices()
        if notices:
            return Glance(Sight.SEES, notices[0].says, notices[0].code, look)
        return Glance(Sight.SEES, Says("the table is seen"), None, look)

    def _unlit(self, picture: Picture, at_s: float) -> Glance | None:
        """The reason why a moving table is too dark or too bright to be seen, checked now and then."""
        if at_s - self._lit_s < LIT_S:
            return None
        self._lit_s = at_s
        try:
            pose = find_pose(picture, self.lens, self.kit, self.pose)
            self.light = judge(picture, pose, self.kit)
        except ReadingError as error:  # other obstacles are reported once the table has settled: hands come and go
            if error.code in UNLIT:
                return Glance(Sight.BLIND, error.sentence, error.code.value)
        return None

    def _glimpse(self, picture: Picture, stillness: Stillness, tell: Callable[[Glance], None]) -> None:
        """Reads a table when half of the rest time has passed; later motion discards the reading."""
        if stillness.still_s == 0.0:
            self._readings.clear()
            self._has_glimpsed = False
        elif not self._has_glimpsed and stillness.still_s >= self._first_s:
            self._has_glimpsed = True
            if self._last.sight is Sight.MOVING:
                tell(IS_READ)
            with suppress(ReadingError):  # reported once the table has settled
                self._readings.append(self.eye.read(picture))

    def _say(self, glance: Glance) -> Glance:
        self._last = glance
        return glance


def _sight_of(code: ReadingFault) -> Sight:
    match code:
        case ReadingFault.HAND_IN_VIEW:
            return Sight.HAND
        case ReadingFault.CAMERA_MOVED:
            return Sight.MOVED
        case _:
            return Sight.BLIND


def live_jpeg(picture: Picture) -> bytes:
    """A small JPEG of a frame for the pages."""
    return jpeg(picture, LIMITS.jpeg_quality, LIMITS.live_px)
