"""Types of arrays. Shapes are given where an array is taken or returned."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Picture = NDArray[np.uint8]
"""A picture: BGR (H, W, 3), or grey (H, W)."""
Mask = NDArray[np.uint8]
"""The pixels (H, W) that belong to something: not 0."""
