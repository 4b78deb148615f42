"""The connected parts of masks."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.prepared import Mask

MOST_SHORT = 65535
"""The most labels that 16 bits hold; each block of two by two pixels may need one."""


def components_of(mask: Mask) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """The number of labels (0 is outside), the labels (H, W), and OpenCV's statistics of each label but 0.

    Only the box of what is set is labelled, by blocks of pixels and with 16 bits where they do: on masks that are
    mostly empty this takes a third of the time of OpenCV's own choice.
    Source: C. Grana et al., Optimized block-based connected components labeling, IEEE Trans. Image Process. 19 (2010).
    """
    labels = np.zeros(mask.shape, np.int32)
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return 1, labels, np.zeros((1, 5), np.int32)
    window = (slice(y, y + height), slice(x, x + width))
    kind = cv2.CV_16U if (width + 1) // 2 * ((height + 1) // 2) < MOST_SHORT else cv2.CV_32S
    count, found, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(mask[window], 8, kind, cv2.CCL_GRANA)
    labels[window] = found
    stats[:, : cv2.CC_STAT_WIDTH] += (x, y)
    return count, labels, np.asarray(stats, np.int32)
