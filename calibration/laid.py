"""Where fiducials lie, from one picture and two distances measured with a tape.

The squares' own size and the lens say how they lie about each other; a print is right to some tenths of a per cent
only, so the distances set the scale. Solved by Gauss-Newton with what is known beforehand as weak observations: the
camera's six figures, the print's stretch, each sheet's place and turn. Source: Triggs et al., Bundle adjustment: a
modern synthesis, 2000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from calibration.lens import Floats, Lens
from calibration.markers import Fiducial
from companion.game.errors import LensError
from companion.game.kit import Kit
from companion.game.says import Says

ROUNDS = 25
CORNER_PX, TAPE_MM = 0.05, 0.5
"""Standard errors of a corner in the picture and of a length on a tape."""
LAID_MM, LAID_RAD, PRINT_SHARE = 5.0, 0.02, 0.003
"""How far off sheets are laid, and how much a printer stretches them."""
MOST_MISFIT_PX = 1.0
MOST_APART_SHARE = 0.01
"""Two distances that speak of scales this far apart were measured wrongly."""
MOST_TURN_DEG = 4.0
"""Sheets are to lie upright; one turned further was laid carelessly."""


def laid_places(
    seen: Sequence[Fiducial], lens: Lens, kit: Kit, apart_mm: Mapping[tuple[int, int], float]
) -> dict[int, tuple[float, float]]:
    """The fiducials' middles in the kit's frame, id to (x, y) in mm.

    Args:
        apart_mm: measured distances between middles, by the two fiducials' numbers.
    Raises: LensError: too few are seen, or the distances contradict each other or the picture.
    """
    by_id = {fiducial.id: fiducial for fiducial in seen}
    ids = sorted(i for i in by_id if i in kit.mat.markers)
    missing = [str(i) for pair in apart_mm for i in pair if i not in ids]
    if len(ids) < 3 or missing:
        words = "too few fiducials are visible ({ids}), expected every one that you measured from: uncover them"
        raise LensError(Says(words, {"ids": ", ".join(map(str, ids)) or Says("none")}))
    pixels = np.vstack([by_id[i].corners_px for i in ids])
    places, turns_deg, misfit_px = _solved(pixels, ids, lens, kit, apart_mm)
    if misfit_px > MOST_MISFIT_PX:
        words = "the sheets are {px} px off, expected at most {most}: lay them flat, and use the kit of this print"
        raise LensError(Says(words, {"px": f"{misfit_px:.1f}", "most": f"{MOST_MISFIT_PX:g}"}))
    for (a, b), mm in apart_mm.items():
        seen_mm = float(np.linalg.norm(places[ids.index(a)] - places[ids.index(b)]))
        if abs(seen_mm / mm - 1) > MOST_APART_SHARE / 2:
            words = (
                "you measured {mm} mm between fiducials {a} and {b}, and the picture shows {seen}: measure again from"
                " centre to centre"
            )
            raise LensError(Says(words, {"a": a, "b": b, "mm": f"{mm:g}", "seen": f"{seen_mm:.0f}"}))
    turned = max(abs(turn) for turn in turns_deg)
    if turned > MOST_TURN_DEG:
        words = "a sheet is turned by {n} degrees, expected all upright: turn it straight"
        raise LensError(Says(words, {"n": round(turned)}))
    there = _onto(places, np.array([kit.mat.markers[i] for i in ids]))
    return {i: (round(float(x), 2), round(float(y), 2)) for i, (x, y) in zip(ids, there, strict=True)}


def with_places_text(text: str, places_mm: Mapping[int, tuple[float, float]]) -> str:
    """A kit file's text with other places of the fiducials."""
    told = ", ".join(f"{i} = [{x:g}, {y:g}]" for i, (x, y) in sorted(places_mm.items()))
    lines = [f"markers = {{ {told} }}" if line.startswith("markers") else line for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def _solved(
    pixels: Floats, ids: Sequence[int], lens: Lens, kit: Kit, apart_mm: Mapping[tuple[int, int], float]
) -> tuple[Floats, list[float], float]:
    """Middles (F, 2) in mm, how far each sheet is turned (degrees), and the misfit in pixels."""
    square = kit.mat.marker_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    nominal = np.array([kit.mat.markers[i] for i in ids])
    flat = np.column_stack([(nominal[:, None] + square).reshape(-1, 2), np.zeros(4 * len(ids))])
    rays = lens.rays(pixels)
    _, rvec, tvec = cv2.solvePnP(flat.reshape(-1, 1, 3), rays.reshape(-1, 1, 2), np.eye(3), None)
    # the camera's six, the print's scale, and of each sheet x, y and turn
    figures = np.concatenate([rvec.ravel(), tvec.ravel(), [0.0], *[(x, y, 0.0) for x, y in nominal]])
    usual = np.concatenate([[0.0], *[(x, y, 0.0) for x, y in nominal]])
    sigma = np.concatenate([[PRINT_SHARE], *[(LAID_MM, LAID_MM, LAID_RAD)] * len(ids)])
    pairs = [(ids.index(a), ids.index(b), mm) for (a, b), mm in apart_mm.items()]

    def missed(now: Floats) -> Floats:
        sheets, corners = now[7:].reshape(-1, 3), []
        for x, y, turn in sheets:
            c, s = np.cos(turn), np.sin(turn)
            corners.append((1 + now[6]) * square @ np.array([[c, s], [-s, c]]) + (x, y))
        at = np.column_stack([np.vstack(corners), np.zeros(4 * len(ids))])
        drawn, _ = cv2.projectPoints(at, now[:3], now[3:6], lens.matrix, lens.coefficients)
        taped = [(np.linalg.norm(sheets[i, :2] - sheets[j, :2]) - mm) / TAPE_MM for i, j, mm in pairs]
        return np.concatenate([(pixels - drawn.reshape(-1, 2)).ravel() / CORNER_PX, taped, (now[6:] - usual) / sigma])

    for _ in range(ROUNDS):
        off = missed(figures)
        steps = np.where(np.abs(figures) > 1, 1e-2, 1e-5)
        slopes = np.column_stack([(missed(figures + step) - off) / step.sum() for step in np.diag(steps)])
        change = np.linalg.lstsq(-slopes, off, rcond=None)[0]
        figures = figures + change
        if np.abs(change / steps).max() < 1e-2:
            break
    left = missed(figures)[: pixels.size] * CORNER_PX
    turns = np.degrees(figures[9::3])
    misfit = float(np.sqrt((left**2).reshape(-1, 2).sum(axis=1).mean()))
    return figures[7:].reshape(-1, 3)[:, :2], [float(turn) for turn in turns - np.median(turns)], misfit


def _onto(places: Floats, nominal: Floats) -> Floats:
    """Places turned and shifted, not stretched, to lie as near as can be to where they should."""
    here, there = places - places.mean(axis=0), nominal - nominal.mean(axis=0)
    u, _, vt = np.linalg.svd(here.T @ there)
    turn = u @ np.diag([1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return np.asarray(here @ turn + nominal.mean(axis=0))
