"""A lens file that does not belong to its pictures, in forty rendered cases and a few of another camera.

Each case must be refused or stay within the stated errors. A cropped sensor mode of equal size (crops 0.5 to 0.95), or
a turned focus (the picture grows by 1 to 4 %), looks like a longer lens from further up. Each picture is read with the
lens file of the whole sensor, with the reader of a match. One file is a Pi camera's, whose crop is reported with each
frame but whose focus ring is not; the other notes nothing. Then `companion read` reads them with a bare lens file, for
which its user vouches. Needs nothing of the shared folder: the virtual table draws the pictures.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.lens import UNTOLD, CameraMode, Lens, save_lens
from companion.app.camera_loop import watch_of
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from companion.game.known import game_named
from companion.game.readings import EyesReading
from companion.game.table import overlap_mm
from vision.readers import Picture
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, Scene

GAME = "eyes_of_the_emperor"
KIT = default_kit(GAME)
CROPS, BREATHS, TILTS_DEG = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), (0.01, 0.02, 0.03, 0.04), (0.0, 5.0, 10.0, 15.0)
LENS = Lens(
    width_px=1440,
    height_px=1080,
    fx_px=1170.0,
    fy_px=1170.6,
    cx_px=714.3,
    cy_px=544.4,
    distortion=(-0.03, 0.015, -0.0004, 0.0003, 0.0),
    rms_px=0.1,
)
OTHERS = {  # of other cameras with pictures of this size: a little wider or narrower, bent otherwise, off the middle
    "another camera, 6 % wider": (1.0, 0.94, (-0.03, 0.015, -0.0004, 0.0003, 0.0), (0.0, 0.0)),
    "another camera, a bent lens": (1.0, 1.0, (-0.28, 0.09, 0.0, 0.0, 0.0), (0.0, 0.0)),
    "another camera, 12 % narrower, off the middle": (1.0, 1.12, (-0.1, 0.05, 0.0, 0.0, 0.0), (25.0, -14.0)),
}
HEIGHT_MM = 1080.0
WHOLE_PX = (4056, 3040)
HQ = CameraMode(adapter="picamera2", model="imx477", sensor_px=(2028, 1520), crop_px=(0, 0, *WHOLE_PX))
LANDS_MM = {"red": (185.0, 175.0), "blue": (815.0, 525.0)}
DICE = (("red", 35.0, 107.0), ("red", 200.0, 124.7), ("blue", 20.0, 125.2), ("blue", 235.0, 108.5))
"""The die's owner, its direction from its territory's middle and its distance: across the rim, or just outside."""
SIGMAS = 3.0
FOUND_MM = 0.05
"""Uncertainty of the truth itself, from rounded edges and corners."""
TOLD = "told"
Answer = dict[str, Any] | str


@dataclasses.dataclass(frozen=True)
class Case:
    """A picture and the lens file it is read with; `crop` of the sensor is what a Pi camera tells."""

    name: str
    share: float
    tilt_deg: float
    lens: Lens = LENS
    crop: float | None = None


def cases() -> Iterator[Case]:
    """The forty cases, with one whose lens belongs first for each tilt; then other cameras'."""
    for tilt_deg in TILTS_DEG:
        yield Case("own lens", 1.0, tilt_deg)
        yield from (Case(f"crop {crop:g}", 1 / crop, tilt_deg, crop=crop) for crop in CROPS)
        yield from (Case(f"focus {breath:.0%}", 1 + breath, tilt_deg) for breath in BREATHS)
    for name, (share, focal, distortion, (dx, dy)) in OTHERS.items():
        lens = dataclasses.replace(
            LENS,
            fx_px=LENS.fx_px * focal,
            fy_px=LENS.fy_px * focal,
            cx_px=LENS.cx_px + dx,
            cy_px=LENS.cy_px + dy,
            distortion=distortion,
        )
        yield from (Case(name, share, tilt_deg, lens) for tilt_deg in (0.0, 10.0))


def table() -> Scene:
    """Two territories towards the corners, where a wrong height moves tops most, and dice around their rims."""
    bodies: list[Body] = [lying(KIT, "territory", color, at) for color, at in LANDS_MM.items()]
    land = KIT.piece("territory")
    for k, (color, turn_deg, apart_mm) in enumerate(DICE):
        x, y = np.array(LANDS_MM[color]) + apart_mm * np.array(
            [np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))]
        )
        on_mm = land.size_mm("height") if apart_mm < land.size_mm("diameter") / 2 else 0.0
        bodies.append(
            lying(KIT, "empire_die", color, (x, y), id=f"{color}.{k}", on_mm=on_mm, top=(0, 1), angle_deg=turn_deg)
        )
    return Scene(bodies=tuple(bodies))


def drawn(case: Case, scene: Scene) -> Picture:
    """The picture of a camera with `case.share` of the field of view, hung so that it shows the same area."""
    true = dataclasses.replace(LENS, fx_px=LENS.fx_px * case.share, fy_px=LENS.fy_px * case.share)
    pose = overhead(true, height_mm=HEIGHT_MM * case.share, tilt_deg=case.tilt_deg, toward_deg=90.0)
    return Renderer(KIT, pose).picture(scene, seed=1)


def looked(picture: Picture, lens: Lens) -> Answer:
    """The reading of a match's eye for a picture as JSON, or why it refuses."""
    try:
        reading = watch_of(game_named(GAME), lens, KIT).eye.read(picture)
    except ReadingError as error:
        return str(error.code.value)
    assert isinstance(reading, EyesReading)
    return dataclasses.asdict(reading)


def outcome(answer: Answer, scene: Scene) -> str:
    """`refused`, `ruled`, or `wrong`: an overlap off by more than three standard errors, or ruled against the truth."""
    if isinstance(answer, str) or not answer["overlaps"]:
        return "refused"
    lands = {body.color: body for body in scene if body.kind == "territory"}
    dice = [body for body in scene if body.kind == "empire_die"]
    pieces = {piece["id"]: piece for piece in answer["pieces"]}
    for found in answer["overlaps"]:
        piece, over = pieces[found["piece"]], pieces[found["over"]]
        die = min(dice, key=lambda b: np.hypot(b.at_mm[0] - piece["x_mm"], b.at_mm[1] - piece["y_mm"]))
        margin_mm = overlap_mm(die.footprint, lands[over["color"]].footprint)
        is_against = found["ruling"] != "too_close" and (found["ruling"] == "overlaps") != (margin_mm > 0)
        if is_against or abs(found["margin_mm"] - margin_mm) > SIGMAS * np.hypot(found["sigma_mm"], FOUND_MM):
            return "wrong"
    return "ruled"


def run(shared: Path) -> int:
    """Prints the figures; 1 where a match would rule with a wrong stated error."""
    cv2.setNumThreads(1)
    scene, told = table(), Counter[tuple[str, str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            picture, kind = drawn(case, scene), case.name.split()[0]
            for door, answer in _doors(case, picture, Path(folder)):
                found = outcome(answer, scene)
                told[door, kind, found] += 1
                if found == "wrong":
                    print(f"lens modes: {case.name} at {case.tilt_deg:g} degrees, {door}: wrong", flush=True)
    for door in dict.fromkeys(door for door, _, _ in told):
        by_kind = "; ".join(
            f"{kind} " + ", ".join(f"{told[door, kind, how]} {how}" for how in ("refused", "ruled", "wrong"))
            for kind in ("own", "crop", "focus", "another")
        )
        print(f"lens modes, {door}: {by_kind}")
    return 1 if any(n for (door, _, how), n in told.items() if how == "wrong" and not door.startswith("read")) else 0


def _doors(case: Case, picture: Picture, folder: Path) -> Iterator[tuple[str, Answer]]:
    told = dataclasses.replace(case.lens, mode=HQ)
    yield "a Pi camera whose ring is turned by hand", TOLD if _tells(case) else looked(picture, told)
    yield "a lens file that notes nothing, live", looked(picture, dataclasses.replace(case.lens, mode=UNTOLD))
    yield "read, by a bare lens file", _read(picture, case.lens, folder)


def _tells(case: Case) -> bool:
    """Whether the camera itself reports other settings than the lens file."""
    if case.crop is None:
        return False
    width, height = (round(side * case.crop) for side in WHOLE_PX)
    now = dataclasses.replace(HQ, crop_px=((WHOLE_PX[0] - width) // 2, (WHOLE_PX[1] - height) // 2, width, height))
    return HQ.unlike(now) is not None


def _read(picture: Picture, lens: Lens, folder: Path) -> Answer:
    """The same by the command line."""
    path, lens_file = folder / "table.png", folder / "lens.json"
    cv2.imwrite(str(path), picture)
    save_lens(lens, lens_file)
    said = subprocess.run(
        [sys.executable, "-m", "companion", "read", "eyes", "--lens", str(lens_file), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    answer: dict[str, Any] = json.loads(said.stdout)
    return str(answer["error"]["code"]) if "error" in answer else answer
