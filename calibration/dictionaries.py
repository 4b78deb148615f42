"""Which of OpenCV's dictionaries of markers pictures show, where those that were meant are not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.edges import Picture

LEAST_MARKERS = 3
"""Minimum number of markers that prove a dictionary: the detector finds one or two in any clutter."""


@dataclass(frozen=True, slots=True)
class Markers:
    """A dictionary by OpenCV's name, and the numbers of its markers that are seen, in their order."""

    dictionary: str
    ids: tuple[int, ...]


def markers_shown(greys: Sequence[Picture], meant: str) -> Markers | None:
    """The dictionary with most markers in grey pictures (H, W), the expected one on a tie; None: hardly any."""
    best: tuple[tuple[int, bool, int], Markers] | None = None
    for family in _families(meant):
        for name, known in family:
            detector = cv2.aruco.ArucoDetector(known)
            found = [ids.ravel() for ids in (detector.detectMarkers(grey)[1] for grey in greys) if ids is not None]
            ids = tuple(np.unique(np.concatenate(found)).tolist()) if found else ()
            if len(ids) < LEAST_MARKERS:
                break  # boards are numbered from 0: the larger ones, which take longest, show nothing either
            rank = (len(ids), name == meant, -len(known.bytesList))
            if best is None or rank > best[0]:
                best = rank, Markers(name, ids)
    return None if best is None else best[1]


def _families(meant: str) -> list[list[tuple[str, cv2.aruco.Dictionary]]]:
    """OpenCV's dictionaries, the small ones first of those that begin with the same markers; of two names the meant."""
    names = {getattr(cv2.aruco, name): name for name in (*dir(cv2.aruco), meant) if name.startswith("DICT_")}
    families: dict[bytes, list[tuple[str, cv2.aruco.Dictionary]]] = {}
    for number, name in names.items():
        if isinstance(number, int) and number != cv2.aruco.DICT_ARUCO_ORIGINAL:  # every dark square is one of these
            known = cv2.aruco.getPredefinedDictionary(number)
            families.setdefault(known.bytesList[:LEAST_MARKERS].tobytes(), []).append((name, known))
    return [sorted(family, key=lambda one: len(one[1].bytesList)) for family in families.values()]
