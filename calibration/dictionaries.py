"""Which of OpenCV's dictionaries of markers pictures show, where those that were meant are not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.edges import Picture

LEAST_MARKERS = 3
"""So many markers of one dictionary tell that it is shown: one or two are read into any clutter."""


@dataclass(frozen=True, slots=True)
class Markers:
    """A dictionary by OpenCV's name, and the numbers of its markers that are seen, in their order."""

    dictionary: str
    ids: tuple[int, ...]


def markers_shown(greys: Sequence[Picture], meant: str) -> Markers | None:
    """The dictionary of which grey pictures (H, W) show most, the one meant where it is as good; None: hardly any."""
    best: tuple[tuple[int, bool, int, str], Markers] | None = None
    for name in (name for name in dir(cv2.aruco) if name.startswith("DICT_")):
        number = getattr(cv2.aruco, name)
        if not isinstance(number, int) or number == cv2.aruco.DICT_ARUCO_ORIGINAL:  # every dark square is one of these
            continue
        known = cv2.aruco.getPredefinedDictionary(number)
        detector = cv2.aruco.ArucoDetector(known)
        found = [ids.ravel() for ids in (detector.detectMarkers(grey)[1] for grey in greys) if ids is not None]
        ids = tuple(np.unique(np.concatenate(found)).tolist()) if found else ()
        # of dictionaries that share their first markers the smallest: the larger ones hold nothing more of these
        rank = (len(ids), name == meant, -len(known.bytesList), name)
        if len(ids) >= LEAST_MARKERS and (best is None or rank > best[0]):
            best = rank, Markers(name, ids)
    return None if best is None else best[1]
