"""The tone curve of pictures: between linear light and what a picture holds, both 0 to 1. Source: IEC 61966-2-1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def linear_of(shown: Floats) -> Floats:
    """The linear light of what a picture holds."""
    return np.where(shown <= 0.04045, shown / 12.92, ((np.maximum(shown, 0) + 0.055) / 1.055) ** 2.4)


def shown_of(light: Floats) -> Floats:
    """The picture values of linear light; beyond white the curve continues."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)
