"""The lens: camera matrix and Brown-Conrady distortion, kept in LENS.json.

Source: Hartley & Zisserman, Multiple View Geometry, 2nd ed., ch. 6 and 7.4; OpenCV's camera model (k1 k2 p1 p2 k3).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import cv2
import msgspec
import numpy as np

from calibration.arrays import Floats
from companion.game.errors import LensError
from companion.game.plain_json import json_of_text, named
from companion.game.says import Says
from companion.game.text_file import how_to_write, keep_text, text_of_file, why_unread

# The camera's mode for its pictures: model, sensor mode, crop, focus. A lens file is valid for one mode only. Pictures
# of equal size may show twice as much of a table, because the same camera can send the whole of its sensor or only the
# middle. The camera driver (`hardware`) reports the mode, a lens file (`calibration`) keeps it, and both are compared.


FOCUS_DIOPTRES = 0.06
"""Minimum difference of another focus. At 1.1 m it changes a picture's size by about 0.03 %."""
CROP_SHARE = 0.002
"""Maximum difference between the borders of equal crops, as a share of the width: drivers align crops."""
Size = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Focal = Annotated[float, msgspec.Meta(gt=0, lt=1e6)]
Positive = Annotated[float, msgspec.Meta(ge=0, lt=1e6)]
Nine = Annotated[tuple[float, ...], msgspec.Meta(min_length=9, max_length=9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMode:
    """The mode of a camera as it reports it; None: unknown.

    `adapter` names the source (``picamera2``, ``v4l2``). `sensor_px` and `bit_depth` are the sensor mode. `crop_px` is
    the part of the sensor (x, y, width, height) in the picture. `focus_dioptres` is 1 / distance in m, or the driver's
    own number for other cameras. `zoom` is a USB camera's digital zoom, its driver's number.
    """

    adapter: str
    model: str | None = None
    sensor_px: tuple[Size, Size] | None = None
    bit_depth: Annotated[int, msgspec.Meta(ge=1, le=32)] | None = None
    crop_px: tuple[int, int, Size, Size] | None = None
    focus_dioptres: float | None = None
    zoom: float | None = None

    @property
    def is_focus_known(self) -> bool:
        """Whether the camera reports a turned or moved focus."""
        return self.focus_dioptres is not None

    def unlike(self, now: "CameraMode") -> Says | None:
        """The difference between this mode and the camera's mode now, in words; None: no difference in what both
        report.

        >>> whole = CameraMode(adapter="picamera2", model="imx708", sensor_px=(2304, 1296), crop_px=(0, 0, 4608, 2592))
        >>> from dataclasses import replace
        >>> middle = replace(whole, crop_px=(768, 432, 3072, 1728))
        >>> str(whole.unlike(middle))
        'its picture shows 3072 x 1728 from (768, 432) of the sensor, but 4608 x 2592 from (0, 0) in the lens file'
        >>> whole.unlike(whole) is None
        True
        """
        if self == UNTOLD:
            return None
        if self.adapter != now.adapter:
            words = "it is read by {now}, the lens file is for {kept}"
            return Says(words, {"now": now.adapter, "kept": self.adapter})
        if None not in (self.model, now.model) and self.model != now.model:
            return Says("it is a {now}, the lens file is for a {kept}", {"now": now.model, "kept": self.model})
        if self.sensor_px and now.sensor_px and self.sensor_px != now.sensor_px:
            words = "its sensor gives {now} pixels, but {kept} in the lens file"
            return Says(words, {"now": _size(now.sensor_px), "kept": _size(self.sensor_px)})
        if self.crop_px and now.crop_px and _crops_differ(self.crop_px, now.crop_px):
            words = "its picture shows {now} of the sensor, but {kept} in the lens file"
            return Says(words, {"now": _box(now.crop_px), "kept": _box(self.crop_px)})
        if None not in (self.zoom, now.zoom) and self.zoom != now.zoom:
            words = "its zoom is at {now}, but at {kept} in the lens file"
            return Says(words, {"now": f"{now.zoom:g}", "kept": f"{self.zoom:g}"})
        if self.focus_dioptres is not None and now.focus_dioptres is not None:
            # a Pi's lens reports dioptres; other drivers' numbers are whole and kept exactly
            apart = abs(self.focus_dioptres - now.focus_dioptres)
            if apart > (FOCUS_DIOPTRES if self.adapter == "picamera2" else 0.5):
                words = "its focus is at {now}, but at {kept} in the lens file"
                return Says(words, {"now": f"{now.focus_dioptres:.2f}", "kept": f"{self.focus_dioptres:.2f}"})
        return None


UNTOLD = CameraMode(adapter="untold")
"""The mode of a lens file that does not state one, for a camera whose mode can change."""


def _crops_differ(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return max(abs(p - q) for p, q in zip(a, b, strict=True)) > max(2.0, CROP_SHARE * a[2])


def _size(size_px: tuple[int, int]) -> str:
    return f"{size_px[0]} x {size_px[1]}"


def _box(crop_px: tuple[int, int, int, int]) -> str:
    return f"{crop_px[2]} x {crop_px[3]} from ({crop_px[0]}, {crop_px[1]})"


LEAST_FOCAL, MOST_FOCAL = 0.1, 100.0
"""Range of focal lengths, relative to the picture's longer side: 157 degrees to half a degree wide."""
MOST_RMS_PX = 100.0
MOST_SIGMA = 1000.0
"""Maximum standard error of any parameter, in its own unit."""
ROUNDING = 1e-6
"""Rounding tolerance of a correlation matrix: for its asymmetry, and for an eigenvalue below 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One camera's lens at one picture size.

    `distortion`: k1 k2 p1 p2 k3. `rms_px`: the residual of its calibration. `covariance` (9 x 9): of fx fy cx cy k1 k2
    p1 p2 k3; None: not measured. `mode`: the camera's mode for the calibration pictures; None: not recorded.
    """

    width_px: Size
    height_px: Size
    fx_px: Focal
    fy_px: Focal
    cx_px: Positive
    cy_px: Positive
    distortion: tuple[float, float, float, float, float]
    rms_px: Positive
    pictures: Annotated[int, msgspec.Meta(ge=0)] = 0
    covariance: Annotated[tuple[Nine, ...], msgspec.Meta(min_length=9, max_length=9)] | None = None
    mode: CameraMode | None = None

    @property
    def matrix(self) -> Floats:
        """The camera matrix, shape (3, 3)."""
        return np.array([[self.fx_px, 0, self.cx_px], [0, self.fy_px, self.cy_px], [0, 0, 1]], np.float64)

    @property
    def coefficients(self) -> Floats:
        """The distortion for OpenCV, shape (5,)."""
        return np.array(self.distortion, np.float64)

    def turned(self) -> "Lens":
        """The lens of the same camera, rotated by half a turn."""
        k1, k2, p1, p2, k3 = self.distortion
        cx_px, cy_px = self.width_px - 1 - self.cx_px, self.height_px - 1 - self.cy_px
        return replace(self, cx_px=cx_px, cy_px=cy_px, distortion=(k1, k2, -p1, -p2, k3))

    def pixels(self, rays: Floats) -> Floats:
        """Pixels (N, 2) of directions (x/z, y/z), shape (N, 2), with the lens's distortion applied."""
        x, y = np.asarray(rays, np.float64).T
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.column_stack([self.fx_px * bent_x + self.cx_px, self.fy_px * bent_y + self.cy_px])

    def rays(self, points_px: Floats) -> Floats:
        """Directions (x/z, y/z) of pixels, shape (N, 2), with the lens's distortion removed."""
        points = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
        rays = cv2.undistortPoints(points, self.matrix, self.coefficients, None, None, None, criteria)
        return np.asarray(rays, np.float64).reshape(-1, 2)


def save_lens(lens: Lens, path: Path) -> None:
    """Writes LENS.json in one step: the old file stays until the new one is complete. Raises: LensError."""
    try:
        keep_text(path, json.dumps(asdict(lens), indent=1) + "\n")
    except OSError as error:
        raise LensError(f"{path}: cannot be written ({error.strerror}): {how_to_write(error)}") from error


def load_lens(path: Path | str) -> Lens:
    """The lens in a LENS.json. Raises: LensError, in one sentence."""
    path = Path(path)
    try:
        lens = _typed(json_of_text(text_of_file(path)))
        _must_be_possible(lens)
    except OSError as error:
        raise LensError(
            f"{path}: cannot be read ({error.strerror}), expected a LENS.json of `companion calibrate lens`"
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise LensError(
            f"{path}: is not a lens file ({why_unread(error)}), "
            "expected the JSON that `companion calibrate lens` writes"
        ) from error
    return lens


def _typed(data: Any) -> Lens:
    """The lens in a JSON object. Raises: ValueError or TypeError, naming the wrong field."""
    if not isinstance(data, dict):
        raise TypeError(f"it holds {named(data)}")
    mode = data.get("mode")
    of_mode = mode.keys() if isinstance(mode, dict) else set[str]()
    strange = sorted(data.keys() - _names(Lens)) or sorted(f"mode.{name}" for name in of_mode - _names(CameraMode))
    if strange:
        raise ValueError(f"the field {strange[0]} is strange")
    try:
        return msgspec.convert(data, Lens)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("- at `$.", "in `")) from error


def _names(kind: type[Lens | CameraMode]) -> set[str]:
    return {field.name for field in fields(kind)}


def _must_be_possible(lens: Lens) -> None:
    """Refuses parameters that no camera has. Raises: ValueError, naming the parameter."""
    if not 0 < lens.cx_px < lens.width_px or not 0 < lens.cy_px < lens.height_px:
        raise ValueError(f"its centre ({lens.cx_px:g}, {lens.cy_px:g}) is not in the picture")
    longer_px = max(lens.width_px, lens.height_px)
    for name, focal_px in (("fx_px", lens.fx_px), ("fy_px", lens.fy_px)):
        if not LEAST_FOCAL < focal_px / longer_px < MOST_FOCAL:
            raise ValueError(f"{name} is {focal_px:g} in a picture of {longer_px} pixels")
    if lens.rms_px > MOST_RMS_PX:
        raise ValueError(f"rms_px is {lens.rms_px:g}: such a calibration tells nothing")
    within = np.array([(x, y) for x in (-0.25, 0, 0.25) for y in (-0.25, 0, 0.25)]) * (lens.width_px, lens.height_px)
    points = within + np.array((lens.cx_px, lens.cy_px))
    with np.errstate(all="ignore"):
        off_px = np.abs(lens.pixels(lens.rays(points)) - points).max()
    if not off_px < 1:
        raise ValueError("its distortion cannot be undone")
    if lens.covariance is not None:
        _must_be_a_covariance(np.array(lens.covariance))


def _must_be_a_covariance(covariance: Floats) -> None:
    """Raises: ValueError: not a covariance matrix, or errors so large that the lens is unknown."""
    variances = np.diag(covariance)
    if (variances < 0).any():
        raise ValueError("covariance holds a negative variance")
    if (variances > MOST_SIGMA**2).any():
        raise ValueError(f"covariance holds a standard error over {MOST_SIGMA:g}")
    known = variances > 0
    if np.abs(covariance[~known]).any() or np.abs(covariance[:, ~known]).any():
        raise ValueError("covariance couples a figure that has no error")
    sigmas = np.sqrt(variances[known])
    correlation = covariance[np.ix_(known, known)] / np.outer(sigmas, sigmas)
    if np.abs(correlation - correlation.T).max(initial=0.0) > ROUNDING:
        raise ValueError("covariance is not symmetric")
    if np.linalg.eigvalsh(correlation).min(initial=0.0) < -ROUNDING:
        raise ValueError("covariance is not one of any errors: an eigenvalue is negative")


# Nominal lenses of the Pi's camera modules: a start, until the lens itself is calibrated. Source: the data sheets'
# focal length and pixel pitch (Module 1: 3.60 mm, 1.4 um; Module 2: 3.04 mm, 1.12 um; Module 3: 4.74 mm, wide 2.75 mm,
# 1.4 um; HQ with the 6 mm lens: 1.55 um). Individual lenses differ by some per cent, so the stated errors are large.


@dataclass(frozen=True, slots=True)
class Profile:
    """A camera module: focal length relative to the whole picture's width, k1, and the standard error of the focal
    length."""

    title: str
    focal_share: float
    k1: float
    sigma_share: float


PROFILES: Mapping[str, Profile] = {
    "ov5647": Profile("Camera Module 1", 0.992, -0.02, 0.03),
    "imx219": Profile("Camera Module 2", 0.828, -0.02, 0.03),
    "imx708": Profile("Camera Module 3", 0.760, -0.02, 0.03),
    "imx708_wide": Profile("Camera Module 3 Wide", 0.426, -0.036, 0.05),
    "imx477": Profile("HQ Camera, 6 mm lens", 0.910, -0.06, 0.06),
}
UNKNOWN = Profile("a camera that is not known", 0.80, 0.0, 0.15)
"""About 64 degrees wide, like most webcams: enough to aim the camera."""


def profile_of(model: str | None) -> Profile:
    """The profile of a sensor, by its name in libcamera.

    >>> profile_of("imx708_wide_noir").title, profile_of("imx219").title, profile_of(None) is UNKNOWN
    ('Camera Module 3 Wide', 'Camera Module 2', True)
    """
    names = sorted((name for name in PROFILES if model and model.startswith(name)), key=len)
    return PROFILES[names[-1]] if names else UNKNOWN


def start_lens(size_px: tuple[int, int], mode: CameraMode | None) -> Lens:
    """The nominal lens of a camera at this picture size and in this mode."""
    profile = profile_of(None if mode is None else mode.model)
    width, height = size_px
    focal = profile.focal_share * width
    sigma = profile.sigma_share * focal
    spread = np.diag([sigma, sigma, 0.01 * width, 0.01 * width, 0.03, 0.03, 0.001, 0.001, 0.0]) ** 2
    spread[0, 1] = spread[1, 0] = 0.999 * sigma**2
    return Lens(
        width_px=width,
        height_px=height,
        fx_px=focal,
        fy_px=focal,
        cx_px=(width - 1) / 2,
        cy_px=(height - 1) / 2,
        distortion=(profile.k1, 0.0, 0.0, 0.0, 0.0),
        rms_px=0.0,
        covariance=tuple(map(tuple, spread.tolist())),
        mode=mode,
    )
