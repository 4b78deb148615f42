"""The table's set-up, for the pages at /setup: each look takes the newest frame; nothing runs by itself."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.charuco import board_of
from calibration.from_boards import covered
from calibration.lens import Lens, load_lens, profile_of, save_lens, start_lens
from calibration.markers import find_fiducials, laid_places, with_places_text
from calibration.paper.boards import CHARUCO, drill_places_mm
from calibration.pose import find_pose
from companion.app import steps
from companion.app.camera_loop import Frames, watch_of
from companion.app.kept import Kept
from companion.app.steps import SHARP_PX, SOFT_PX, Aimed, Drilled, Waving, aimed, drilled
from companion.game.errors import CameraError, LensError, ReadingError
from companion.game.game import Game
from companion.game.kit import kit_of_text
from companion.game.known import GAMES, folder_of, game_named, names
from companion.game.readings import MarkRole
from companion.game.says import Says, listed
from hardware.camera import Cause, Frame
from hardware.pins import NAMED
from vision.measure.pictures import jpeg
from vision.readers import reader_of

LIVE_PX, LIVE_QUALITY = 960, 72
ALIKE_LAB = 16.0
"""Colours closer than this in CIE Lab look alike under this lamp."""
BRIGHT_LEVELS = (70, 235)
"""Range of the mean grey level of the brightest spots in good light."""


class TableSetUp:
    """The set-up of one table, a `web.table.setup.SetUpDoor`. Safe from any thread.

    `changed` is called after a lens or a kit was written; `table` is the name on the certificate."""

    def __init__(
        self,
        kept: Kept,
        camera: Frames,
        *,
        changed: Callable[[], None] = lambda: None,
        buttons: Sequence[str] = (),
        table: str = "",
    ) -> None:
        self.kept = kept
        self._camera = camera
        self._changed = changed
        self._buttons = tuple(buttons)
        self._table = table
        self._looking = threading.Lock()
        self._waving = Waving(board_of(CHARUCO))
        self._sequence = -1
        self._is_aimed = False
        self._drilled: Drilled | None = None
        self.game = GAMES[0]
        self.listen: Callable[[], None] = lambda: None
        """Hears the box's buttons while no match does."""

    @property
    def is_needed(self) -> bool:
        """Whether the lens file is missing: without it the table cannot be seen."""
        return not self.kept.lens_file.exists()

    def lens(self) -> Lens | None:
        """The lens file's lens; None if there is none. Raises: LensError."""
        return None if self.is_needed else load_lens(self.kept.lens_file)

    def choose(self, game: str) -> None:
        self.game = game_named(game).name

    def games(self) -> Mapping[str, str]:
        found = {name: game_named(name) for name in names()}
        return {name: game.title for name, game in found.items() if reader_of(game) is not None}

    def live(self) -> bytes | None:
        frame = self._camera.newest()
        return None if frame is None else jpeg(frame.picture, LIVE_QUALITY, LIVE_PX)

    def done(self) -> list[str]:
        kept = self.kept
        found = {
            "aim": self._is_aimed,
            "lens": not self.is_needed,
            "fiducials": kept.kit_file(self.game).exists(),
            "pieces": kept.alike() is not None,
            "buttons": not set(self._buttons) - kept.pressed(),
            "drill": (certificate := kept.certificate()) is not None and certificate.is_valid,
        }
        return [step for step, is_done in found.items() if is_done]

    def look(self, step: str) -> dict[str, Any]:
        """The state of a step by the newest frame, JSON-able."""
        with self._looking:
            frame = self._camera.newest()
            blindness = self._camera.blindness
            told: dict[str, Any] = {"step": step, "done": self.done(), "game": self.game}
            if frame is None:
                says = Says("the camera sends nothing yet") if blindness is None else blindness.why
                starts = blindness is None or blindness.cause is Cause.STARTING
                return told | {"blind": None if starts else str(says), "says": says}
            height, width = frame.picture.shape[:2]
            told |= {"blind": None, "width_px": width, "height_px": height}
            if step == "lens":
                told |= self._lens_step(frame)
            elif step == "buttons":
                told |= self._buttons_step()
            elif step == "drill":
                told |= self._drill_step()
            else:
                told |= self._aim_step(frame)
            told["done"] = self.done()
            return told

    # what people do

    def finish_lens(self) -> Says:
        """Keeps the lens computed from the pictures. Raises: LensError."""
        with self._looking:
            fit = self._waving.fit
            frame = self._camera.newest()
            if fit is None:
                raise LensError("the pictures do not determine the lens yet: take more, tilted, all over the picture")
            self._keep_lens(fit.lens, frame)
            self._waving.is_kept = True
            words = "the lens is calibrated: {n} pictures, error {rms} pixels"
            says = Says(words, {"n": fit.lens.pictures, "rms": round(fit.lens.rms_px, 2)})
        self._changed()
        return says

    def begin_lens(self) -> Says:
        with self._looking:
            self._waving = Waving(self._waving.board)
        return Says("start again: hold the printed board in front of the camera")

    def use_profile(self) -> Says:
        """Keeps the maker's figures for this camera's module. Raises: CameraError, LensError."""
        with self._looking:
            frame = self._frame()
            height, width = frame.picture.shape[:2]
            profile = profile_of(None if frame.mode is None else frame.mode.model)
            self._keep_lens(start_lens((width, height), frame.mode), frame)
            says = Says("using {title}: errors are larger until you calibrate with the board", {"title": profile.title})
        self._changed()
        return says

    def lay(self, across_mm: float, diagonal_mm: float) -> Says:
        """Places the fiducials by the distances from the first to the second and the third. Raises: CompanionError."""
        with self._looking:
            frame, lens = self._frame(), self._must_lens()
            kit = self.kept.kit(self.game)
            ids = sorted(kit.mat.markers)
            grey = np.asarray(cv2.cvtColor(frame.picture, cv2.COLOR_BGR2GRAY), np.uint8)
            seen = find_fiducials(grey, lens, kit.mat)
            apart = {(ids[0], ids[1]): across_mm, (ids[0], ids[2]): diagonal_mm}
            places = laid_places(seen, lens, kit, apart)
            path = self.kept.kit_file(self.game)
            source = path if path.exists() else folder_of(self.game) / "kit.toml"
            text = with_places_text(source.read_text(encoding="utf-8-sig"), places)
            found = kit_of_text(text, path.name)
            find_pose(frame.picture, lens, found)
            self.kept.keep(path, text)
            off = max(float(np.hypot(*np.subtract(places[i], kit.mat.markers[i]))) for i in places)
        self._changed()
        return Says("the fiducials are placed, largest correction: {mm} mm", {"mm": round(off, 1)})

    def learn(self) -> Says:
        """Reads the pieces on the table once and learns their colours. Raises: CameraError, CompanionError."""
        with self._looking:
            frame = self._frame()
            reading = self._read(frame)
            pose = find_pose(frame.picture, self._must_lens(), self.kept.kit(self.game))
            pieces = [mark for mark in reading.marks() if mark.role is MarkRole.PIECE]
            lab = cv2.cvtColor(frame.picture, cv2.COLOR_BGR2Lab).astype(np.float64) * (100 / 255, 1, 1)
            colors: dict[tuple[str, str], list[Any]] = {}
            shapes = {piece.kind: piece.shape for piece in self.kept.kit(self.game).pieces}
            for mark in pieces:
                # dice are recognized by their faces and have no colour of their own
                if shapes.get(mark.kind) == "cube":
                    continue
                x, y = np.rint(pose.to_pixels(np.array([(mark.x_mm, mark.y_mm, mark.height_mm)]))[0]).astype(int)
                patch = lab[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3].reshape(-1, 3)
                if len(patch):
                    colors.setdefault((mark.kind, str(mark.label)), []).append(np.median(patch, axis=0))
            if not colors and any(shape != "cube" for shape in shapes.values()):
                return Says(
                    "no piece with a colour of its own is on the mat: lay some of each colour, then press again"
                )
            means = {key: np.mean(found, axis=0) for key, found in colors.items()}
            alike = [
                (a[1], b[1])
                for a in means
                for b in means
                if a < b and a[0] == b[0] and np.linalg.norm(means[a] - means[b]) < ALIKE_LAB
            ]
            self.kept.learn(alike)
            count = sum(map(len, colors.values()))
        if alike:
            names = ", ".join(f"{a} and {b}" for a, b in alike)
            return Says("{n} pieces; {names} look alike under this lamp: use letters", {"n": count, "names": names})
        return Says("{n} pieces are read, and their colours can be distinguished", {"n": count})

    def drill(self) -> Says:
        """Reads the ten places, and keeps the certificate once each has a piece. Raises: CompanionError."""
        with self._looking:
            frame, kit = self._frame(), self.kept.kit(self.game)
            try:
                self._drilled = drilled(
                    frame.picture,
                    self._read(frame),
                    self._must_lens(),
                    kit,
                    lens_sha256=self.kept.lens_sha256(),
                    table=self._table,
                    now_s=time.time(),
                )
            except ReadingError as error:
                self._drilled = Drilled(error.sentence, tuple(range(1, len(drill_places_mm(kit)) + 1)))
            if self._drilled.certificate is not None:
                self.kept.certify(self._drilled.certificate)
            return self._drilled.says

    def press(self, name: str) -> None:
        self.kept.press(name)

    # the steps

    def _aim_step(self, frame: Frame) -> dict[str, Any]:
        height, width = frame.picture.shape[:2]
        lens = self.lens()
        if lens is None or (lens.width_px, lens.height_px) != (width, height):
            lens = start_lens((width, height), frame.mode)
        seen: Aimed = aimed(frame.picture, lens, self.kept.kit(self.game))
        grey = frame.picture.max(axis=2)
        bright = float(np.percentile(grey[::8, ::8], 99))
        blur = seen.blur_px
        self._is_aimed = seen.is_good
        return {
            "says": seen.says,
            "is_good": seen.is_good,
            "markers": [{"id": i, "corners": np.round(corners, 1).tolist()} for i, corners in seen.markers],
            "height_mm": seen.height_mm,
            "focus": None if blur is None else round(float(np.clip((2.2 - blur) / (2.2 - 0.5), 0, 1)), 2),
            "focus_says": _focus(blur, frame.mode.focus_dioptres if frame.mode is not None else None),
            "light": round(bright / 255, 2),
            "light_says": _light(bright, seen.evenness),
        }

    def _lens_step(self, frame: Frame) -> dict[str, Any]:
        if frame.sequence != self._sequence:
            self._sequence = frame.sequence
            self._waving.look(frame.picture)
        waving = self._waving
        profile = profile_of(None if frame.mode is None else frame.mode.model)
        return {
            "says": waving.says,
            "can_finish": waving.fit is not None,
            "pictures": len(waving.kept),
            "covered": covered(waving.kept),
            "profile": profile.title,
        }

    def _buttons_step(self) -> dict[str, Any]:
        self.listen()
        pressed = self.kept.pressed()
        left = [name for name in self._buttons if name not in pressed]
        if not self._buttons:
            says = Says("this machine has no pins: throws are ended from the phones")
        elif left:
            says = Says("press each button of the box once: {names}", {"names": listed([NAMED[each] for each in left])})
        else:
            says = Says("all buttons work")
        told = [{"name": NAMED[name], "is_pressed": name in pressed} for name in self._buttons]
        return {"says": says, "is_good": not left, "buttons": told}

    def _drill_step(self) -> dict[str, Any]:
        kit = self.kept.kit(self.game)
        certificate = self.kept.certificate()
        says = Says("lay a piece on each of the ten marked places, then read them")
        if self._drilled is not None:
            says = self._drilled.says
        elif certificate is not None and certificate.expired is not None:
            says = Says("the certificate has expired ({why}): run the drill again", {"why": certificate.expired})
        return {
            "says": says,
            "is_good": certificate is not None and certificate.is_valid,
            "places": [{"x_mm": x, "y_mm": y} for x, y in drill_places_mm(kit)],
            "missing": list(self._drilled.missing) if self._drilled is not None else [],
            "mat": self._mat(),
            "certificate": None if certificate is None else _told(certificate),
        }

    def certificate(self) -> dict[str, Any] | None:
        """The newest drill's certificate, JSON-able."""
        found = self.kept.certificate()
        return None if found is None else _told(found) | {"mat": self._mat()}

    def _mat(self) -> list[float]:
        kit = self.kept.kit(self.game)
        return [kit.mat.width_mm, kit.mat.height_mm]

    def _keep_lens(self, lens: Lens, frame: Frame | None) -> None:
        self.kept.folder.mkdir(parents=True, exist_ok=True)
        save_lens(replace(lens, mode=lens.mode or (None if frame is None else frame.mode)), self.kept.lens_file)
        self.kept.expire(Says("the lens was calibrated again"))

    def _frame(self) -> Frame:
        frame = self._camera.newest()
        if frame is None:
            blindness = self._camera.blindness
            silent = Says(
                "the camera sends no picture: check its cable; if it is a ribbon cable, switch the box off first"
            )
            raise CameraError(silent if blindness is None else blindness.why)
        return frame

    def _must_lens(self) -> Lens:
        lens = self.lens()
        if lens is None:
            raise LensError("the lens file is missing: calibrate with the board first")
        return lens

    def _read(self, frame: Frame) -> Any:
        game: Game[Any, Any] = game_named(self.game)
        return watch_of(game, self._must_lens(), self.kept.kit(self.game)).eye.read(frame.picture)


def _told(certificate: Any) -> dict[str, Any]:
    hidden = ("rotation", "translation_mm", "white_bgr", "lens_sha256")
    told = {key: value for key, value in msgspec.structs.asdict(certificate).items() if key not in hidden}
    places = msgspec.to_builtins(certificate.places)
    return told | {"places": places, "limits_mm": [steps.RMS_MM, steps.WORST_MM]}


def _focus(blur_px: float | None, dioptres: float | None) -> Says:
    if blur_px is None:
        return Says("focus: no fiducial is in view")
    if blur_px <= SOFT_PX and dioptres:
        return Says("sharp: the lens is focused at {cm} cm", {"cm": round(100 / dioptres)})
    if blur_px <= SHARP_PX:
        return Says("sharp")
    return Says("sharp enough") if blur_px <= SOFT_PX else Says("soft: turn the focus until the bar is longest")


def _light(bright: float, evenness: float | None) -> Says:
    least, most = BRIGHT_LEVELS
    if bright < least:
        return Says("too dark: switch on a light")
    if bright > most and evenness is not None and evenness < 0.5:
        return Says("uneven: move the lamp to the middle")
    return Says("uneven: one side is darker") if evenness is not None and evenness < 0.45 else Says("good light")
