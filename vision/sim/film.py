"""From light to a picture: exposure, white balance, vignetting, blur, tone, sharpening, noise and JPEG.

Noise is that of linear light (shot noise and read noise), multiplied by the slope of the tone curve. So a frame's noise
costs one multiplication and one addition.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from calibration.arrays import Floats32, Picture
from calibration.edges import shown_of

TONES = 16384
"""Steps of the tone curve over linear light 0 to `WHITEST`."""
WHITEST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """The camera's settings for its pictures. Colours are BGR, light is linear with 1 at white."""

    exposure: float = 0.9
    white_balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Errors of the gains, B G R."""
    blur_px: float = 0.55
    """Standard deviation of the optics' blur."""
    vignetting: float = 0.22
    """Share of light lost at the picture's corners."""
    shot_noise: float = 0.006
    """Standard deviation of photon noise at white."""
    read_noise: float = 0.0012
    """Standard deviation of the noise in the dark."""
    sharpening: float = 0.5
    sharpening_px: float = 1.1


FARTHEST_PX = 128
"""Maximum offset of a frame's part of the common noise picture."""


def tone_curve() -> Floats32:
    """sRGB values 0 to 255 for linear light (IEC 61966-2-1), `TONES` steps up to `WHITEST`."""
    light = np.linspace(0, WHITEST, TONES)
    return (np.minimum(shown_of(light), 1.0) * 255).astype(np.float32)


class Darkroom:
    """Makes pictures of one size with one film; fixed parts are computed once."""

    def __init__(self, film: Film, width_px: int, height_px: int) -> None:
        self.film = film
        self._tone = tone_curve()
        slope = np.gradient(self._tone.astype(np.float64), WHITEST / (TONES - 1))
        light = np.linspace(0, WHITEST, TONES)
        spread = np.sqrt(film.read_noise**2 + film.shot_noise**2 * light)
        self._spread = np.where(light < 1.0, spread * slope, 0).astype(np.float32)
        self._x = (np.arange(width_px) - (width_px - 1) / 2) / (width_px / 2)
        self._y = (np.arange(height_px) - (height_px - 1) / 2) / (height_px / 2)
        self._grains = _grains(width_px + FARTHEST_PX, height_px + FARTHEST_PX)

    def develop(self, light: Floats32, at_px: tuple[int, int] = (0, 0)) -> tuple[Floats32, Floats32]:
        """The noiseless picture (H, W, 3) as float 0 to 255, and the standard deviation of its noise, from linear BGR
        light.

        `at_px`: first pixel in the whole picture, if `light` is a part.
        """
        film = self.film
        (x, y), (height, width) = at_px, light.shape[:2]
        fall = 1 - film.vignetting * (self._x[x : x + width] ** 2 + self._y[y : y + height, None] ** 2) / 2
        gains = np.asarray(film.white_balance) * film.exposure
        exposed = cv2.multiply(light, (fall[..., None] * gains).astype(np.float32))
        if film.blur_px > 0:
            exposed = cv2.GaussianBlur(exposed, (0, 0), film.blur_px)
        steps = np.clip(exposed * np.float32((TONES - 1) / WHITEST), 0, TONES - 1).astype(np.uint16)
        picture = self._tone[steps]
        if film.sharpening > 0:
            soft = cv2.GaussianBlur(picture, (0, 0), film.sharpening_px)
            picture = cv2.addWeighted(picture, 1 + film.sharpening, soft, -film.sharpening, 0)
        spread = self._spread[steps]
        return picture, spread

    def expose(self, picture: Floats32, spread: Floats32, seed: int) -> Picture:
        """One frame: the picture with this frame's noise, 8 bits."""
        height, width = picture.shape[:2]
        rng = np.random.default_rng(seed)
        y, x = (int(v) for v in rng.integers(0, FARTHEST_PX, 2))
        grains = self._grains[y : y + height, x : x + width]
        if rng.integers(2):
            grains = np.negative(grains)
        return np.asarray(cv2.add(picture, cv2.multiply(grains, spread), dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=3)
def _grains(width_px: int, height_px: int) -> Floats32:
    """Noise with standard deviation 1, (height, width, 3), correlated between neighbouring pixels; read only."""
    rng = np.random.default_rng(20040218)
    grains = rng.standard_normal((height_px, width_px, 3), dtype=np.float32)
    grains = np.asarray(cv2.GaussianBlur(grains, (0, 0), 0.45))  # the colour filter's interpolation
    grains = 0.6 * grains + 0.4 * grains.mean(2, keepdims=True)
    grains = np.asarray(grains / grains.std(), np.float32)
    grains.flags.writeable = False
    return grains
