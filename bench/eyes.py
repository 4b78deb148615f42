"""The reader of Eyes tables against exact labels: `python -m bench --shared DIR --only eyes`.

The shared folder's pictures are read with lenses calibrated from its own boards and the pose of each picture's
fiducials, one thread, and scored by its score.py. Then scenes of our own renderer, each with another lens, mount,
light and surface, are read against what was drawn.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.lens import Lens, load_lens
from companion.errors import ReadingError
from companion.kit import Kit, default_kit
from companion.margin import Call
from companion.readings import EyesReading, Kind
from vision.eyes import EyesEye, open_eye
from vision.readers import Picture
from vision.render import Renderer, overhead
from vision.scene import Body, Lamp, Lighting, Scene, Surface, lying, ninja_top
from vision.truth import overlaps

GAME = "eyes_of_the_emperor"
BOARD = "charuco:7x5,30,22,DICT_5X5_100"
LIMIT_MS = 150.0
SCENES = 12
"""Own scenes a run; `python -m bench.eyes --scenes 200` for the long one."""
NOISE_LEVELS, NOISE_QUALITY = 2.5, 92
"""Each photograph is read once more with so much noise and saved anew as a JPEG of this quality: a ruling that such a
change turns round was luck."""
TURNED = (
    "wrong",
    "missing",
    "too_close",
    "near_too_close",
    "eyes_right",
    "eyes_wrong",
    "ninja_faces_wrong",
    "owners_right",
)
"""Figures printed for the pictures with noise, and for the readings made of both."""
LAND_RADIUS_MM, CLEAR_MM = 110.0, 23.0
"""A territory's radius; a piece whose middle is further from its rim than this is wholly beside it."""
SURFACES = (
    ("felt", (74, 120, 92)),
    ("felt", (40, 110, 118)),
    ("cloth", (120, 118, 60)),
    ("wood", (168, 120, 70)),
    ("felt", (120, 122, 126)),
)


def run(shared: Path, scenes: int = SCENES) -> int:
    """Prints both tables; status 1 where a ruling is wrong or a frame takes too long."""
    cv2.setNumThreads(1)
    kit = default_kit(GAME)
    status = 0
    folder = shared / "photos" / "eyes"
    if folder.is_dir():
        status = max(status, _photographs(shared, folder, kit))
    return max(status, _drawn(kit, scenes))


def _photographs(shared: Path, folder: Path, kit: Kit) -> int:
    lines, noisy, both, spent = [], [], [], []
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as scratch:
        for camera in sorted({path.name[:4] for path in folder.glob("cam?_*.jpg")}):
            lens = _lens(folder, camera, Path(scratch))
            eye = open_eye(lens, kit)
            for path in sorted(folder.glob(f"{camera}_*.jpg")):
                picture = np.asarray(cv2.imread(str(path)), np.uint8)
                line, reading = _read(eye, path.name, picture)
                lines.append(line)
                spent.append(line["ms"])
                again, other = _read(eye, path.name, _noisy(picture, rng))
                noisy.append(again)
                if reading is None or other is None:
                    both.append(line)
                else:
                    both.append({"image": path.name} | msgspec.to_builtins(eye.fuse([other, reading]).reading))
        score = _scored(shared, folder, Path(scratch), lines)
        turned = {
            "with noise added": _scored(shared, folder, Path(scratch), noisy)["all"],
            "made one of both": _scored(shared, folder, Path(scratch), both)["all"],
        }
    every = score["all"]
    for key, value in every.items():
        print(f"eyes photographs: {key} {value}")
    print(f"eyes photographs: margin {score['error_mm'].get('margin')}, within 3 sigma {score['share_within_3_sigma']}")
    print(f"eyes photographs: one thread, {median(spent):.0f} ms a frame (median), {max(spent):.0f} at most")
    for how, figures in turned.items():
        print(f"eyes photographs {how}: " + ", ".join(f"{key} {figures[key]}" for key in TURNED))
    wrong = every["wrong"] + sum(figures["wrong"] for figures in turned.values())
    return int(wrong > 0 or median(spent) > LIMIT_MS)


def _scored(shared: Path, folder: Path, scratch: Path, lines: list[dict[str, Any]]) -> dict[str, Any]:
    readings = scratch / "readings.jsonl"
    readings.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, str(shared / "score.py"), "eyes", str(folder), str(readings)]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def _noisy(picture: Picture, rng: np.random.Generator) -> Picture:
    grain = rng.normal(0.0, NOISE_LEVELS, picture.shape)
    _, data = cv2.imencode(
        ".jpg", np.clip(picture + grain, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, NOISE_QUALITY]
    )
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _read(eye: EyesEye, name: str, picture: Picture) -> tuple[dict[str, Any], EyesReading | None]:
    """The line that `companion read` would print, and what it tells of."""
    began = time.perf_counter()
    line: dict[str, Any] = {"image": name}
    reading = None
    try:
        reading = eye.read(picture)
        line |= msgspec.to_builtins(reading)
    except ReadingError as error:
        line["error"] = {"code": error.code.value, "message": str(error)}
    line["ms"] = (time.perf_counter() - began) * 1000
    return line, reading


def _lens(folder: Path, camera: str, scratch: Path) -> Lens:
    """The lens of a camera's ChArUco pictures, by the command that people use."""
    boards = [str(path) for path in sorted(folder.glob(f"charuco_{camera}_*.jpg"))]
    out = scratch / f"{camera}.json"
    command = [sys.executable, "-m", "companion", "calibrate", "lens", *boards, "--board", BOARD, "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return load_lens(out)


def _drawn(kit: Kit, scenes: int) -> int:
    """Scenes of our own: pieces lie level and apart; margins within a few mm of the rims, on both sides."""
    wrong = close = near = pieces = found = 0
    errors, spent = [], []
    for seed in range(scenes):
        rng = random.Random(seed)
        lens = _random_lens(rng)
        scene = random_scene(kit, rng)
        tilt, toward, roll = rng.uniform(0, 12), rng.uniform(0, 360), rng.uniform(-6, 6)
        pose = overhead(lens, height_mm=rng.uniform(1020, 1200), tilt_deg=tilt, toward_deg=toward, roll_deg=roll)
        picture = Renderer(kit, pose).picture(scene)
        eye = open_eye(lens, kit)
        began = time.perf_counter()
        try:
            reading = eye.read(picture)
        except ReadingError as error:
            print(f"eyes drawn: scene {seed} was refused: {error}")
            continue
        spent.append((time.perf_counter() - began) * 1000)
        names = matched(scene, reading)
        pieces += len(scene.bodies)
        found += len(names)
        said = {(pair.piece, pair.over): pair for pair in reading.overlaps}
        for true in overlaps(scene):
            pair = said.get((names.get(true.piece, ""), names.get(true.over, "")))
            if pair is None or abs(true.margin_mm) < 0.15:
                continue
            errors.append(pair.margin_mm - true.margin_mm)
            is_near = abs(true.margin_mm) <= 3
            near += is_near
            if pair.ruling is Call.TOO_CLOSE:
                close += is_near
            else:
                wrong += (pair.ruling is Call.OVERLAPS) != (true.margin_mm > 0)
    rms = math.sqrt(sum(e * e for e in errors) / max(len(errors), 1))
    print(f"eyes drawn: {scenes} scenes, {found} of {pieces} pieces found, {wrong} rulings wrong of {len(errors)}")
    print(
        f"eyes drawn: {close} of {near} near pairs too close, RMS {rms:.3f} mm, {median(spent or [0]):.0f} ms a frame"
    )
    return int(wrong > 0)


def matched(scene: Scene, reading: EyesReading, within_mm: float = 12.0) -> dict[str, str]:
    """The reading's id of each drawn piece that was found (same kind, nearest)."""
    pairs = sorted(
        (math.hypot(body.at_mm[0] - piece.x_mm, body.at_mm[1] - piece.y_mm), body.id, piece.id)
        for body in scene
        for piece in reading.pieces
        if body.kind is piece.kind and (piece.kind in (Kind.NINJA, Kind.EMPIRE_DIE) or body.color == piece.color)
    )
    names: dict[str, str] = {}
    for apart, true, said in pairs:
        if apart <= within_mm and true not in names and said not in names.values():
            names[true] = said
    return names


def _random_lens(rng: random.Random) -> Lens:
    focal = rng.uniform(1720, 1790)
    return Lens(
        width_px=2304,
        height_px=1296,
        fx_px=focal,
        fy_px=focal + rng.uniform(-2, 2),
        cx_px=1152 + rng.uniform(-15, 15),
        cy_px=648 + rng.uniform(-15, 15),
        distortion=(
            rng.uniform(-0.05, 0.02),
            rng.uniform(0, 0.05),
            rng.uniform(-5e-4, 5e-4),
            rng.uniform(-5e-4, 5e-4),
            0.0,
        ),
        rms_px=0.1,
    )


def random_scene(kit: Kit, rng: random.Random) -> Scene:
    """Territories pushed a little, dice and samurai beside their rims or far from them, ninjas apart from all."""
    lands = [
        lying(kit, Kind.TERRITORY, color, (x + rng.uniform(-8, 8), 350 + rng.uniform(-20, 20)))
        for color, x in (("red", 370.0), ("blue", 630.0))
    ]
    bodies: list[Body] = list(lands)
    for i in range(rng.randint(4, 9)):
        for _ in range(60):
            land = rng.choice(lands)
            body = _beside(kit, rng, land, i)
            # a piece that lies level stands in neither territory
            if all(_apart_mm(body, b) > 62 for b in bodies[2:]) and all(
                _apart_mm(body, b) > LAND_RADIUS_MM + CLEAR_MM for b in lands if b is not land
            ):
                bodies.append(body)
                break
    weave, color = rng.choice(SURFACES)
    lamp = Lamp((rng.uniform(-600, 1600), rng.uniform(-700, 1300), rng.uniform(1300, 2300)), rng.uniform(80, 700))
    light = Lighting(lamps=(lamp,), ambient=rng.uniform(0.3, 0.55))
    return Scene(
        bodies=tuple(bodies), lighting=light, surface=Surface(weave=weave, color=color, seed=rng.randrange(99))
    )


def _apart_mm(a: Body, b: Body) -> float:
    """How far the middles of two pieces are apart on the table."""
    return math.hypot(a.at_mm[0] - b.at_mm[0], a.at_mm[1] - b.at_mm[1])


def _beside(kit: Kit, rng: random.Random, land: Body, i: int) -> Body:
    kind = rng.choice((Kind.EMPIRE_DIE, Kind.SAMURAI, Kind.NINJA))
    angle = rng.uniform(0, 2 * math.pi)
    gap = rng.choice((rng.uniform(0.3, 3.0), rng.uniform(3, 60)))
    turn = rng.uniform(0, 90)
    reach = 22.5
    if kind is not Kind.SAMURAI:
        half = kit.piece(kind.value).size_mm("side") / 2
        bevel = 1.6 if kind is Kind.EMPIRE_DIE else 1.0
        off = abs(((math.degrees(angle) - turn + 45) % 90) - 45)
        reach = (half - bevel) * (math.cos(math.radians(off)) + math.sin(math.radians(off))) + bevel
    far = LAND_RADIUS_MM + reach + gap
    at = (land.at_mm[0] + far * math.cos(angle), land.at_mm[1] + far * math.sin(angle))
    if kind is Kind.NINJA:
        return lying(kit, kind, "black", at, id=f"ninja_{i}", top=ninja_top(rng.randint(1, 6)), angle_deg=turn)
    color = rng.choice(("red", "blue"))
    top = rng.choice(((2, 1), (0, 1), (1, -1))) if kind is Kind.EMPIRE_DIE else (2, 1)
    return lying(kit, kind, color, at, id=f"{kind.value}_{i}", top=top, angle_deg=turn)


def main() -> int:
    """The bench alone."""
    parser = argparse.ArgumentParser(prog="python -m bench.eyes", description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--scenes", type=int, default=SCENES)
    asked = parser.parse_args()
    return run(asked.shared, asked.scenes)


if __name__ == "__main__":
    sys.exit(main())
