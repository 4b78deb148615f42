"""Calibration against exact labels: lenses from boards, fiducials' corners, places on the table and their errors.

Needs `photos/eyes` of the shared folder: rendered pictures with the true lens, pose and corners. The truth is used for
comparison only; lenses come from the board pictures and poses from the fiducials.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.drawn.labels import lens_of
from bench.harness import BOARD, labels_in
from calibration.arrays import Floats, Picture
from calibration.charuco import board_of, find_board
from calibration.from_boards import BoardPicture, LensFit, fit_lens
from calibration.lens import Lens
from calibration.light import judge
from calibration.markers import find_fiducials
from calibration.pose import Pose, find_pose, movement
from companion.game.brought import default_kit
from companion.game.kit import Kit

WORST_RMS_PX, WORST_CORNER_PX, WORST_CHI2 = 0.3, 0.1, 2.0
HEIGHT_MM = 28.0
"""Places are compared on the table and at the height of an empire die's top."""


def run(shared: Path) -> int:
    """Prints the figures; 1 where one of them is worse than it must be."""
    folder = shared / "photos" / "eyes"
    if not folder.is_dir():
        print(f"calibration: {folder} is missing, nothing is measured")
        return 1
    cv2.setNumThreads(1)
    kit = default_kit("eyes_of_the_emperor")
    good = True
    for camera in sorted({path.name[:4] for path in folder.glob("cam?_*.json")}):
        fit = _lens(folder, camera)
        good &= fit.lens.rms_px <= WORST_RMS_PX
        good &= _corners(folder, camera, kit)
        good &= _places(folder, camera, fit.lens, kit)
    return 0 if good else 1


def _lens(folder: Path, camera: str) -> LensFit:
    board = board_of(BOARD)
    pictures = []
    for path in sorted(folder.glob(f"charuco_{camera}_*.jpg")):
        grey = _grey(path)
        pictures.append(BoardPicture(path.name, grey.shape[1], grey.shape[0], find_board(grey, board)))
    fit = fit_lens(pictures, board)
    truth = json.loads((folder / f"charuco_{camera}.json").read_text(encoding="utf-8"))
    true = np.array([truth["K"][0][0], truth["K"][1][1], truth["K"][0][2], truth["K"][1][2]])
    found = np.array([fit.lens.fx_px, fit.lens.fy_px, fit.lens.cx_px, fit.lens.cy_px])
    off = ", ".join(f"{d:+.2f} +- {s:.2f}" for d, s in zip(found - true, fit.sigmas, strict=False))
    print(
        f"calibration {camera}: lens RMS {fit.lens.rms_px:.3f} px (at most {WORST_RMS_PX:g}); "
        f"fx fy cx cy off by {off} px"
    )
    return fit


def _corners(folder: Path, camera: str, kit: Kit) -> bool:
    off, outward, sigmas = [], [], []
    for path, truth in labels_in(folder, f"{camera}_*.json").items():
        for fiducial in find_fiducials(_grey(path), lens_of(truth), kit.mat):
            true = np.array(truth["marker_corners_px"][str(fiducial.id)])
            away = true - true.mean(axis=0)
            off.append(fiducial.corners_px - true)
            outward.append(float((off[-1] * away / np.linalg.norm(away, axis=1, keepdims=True)).sum(axis=1).mean()))
            sigmas.append(fiducial.sigma_px)
    rms = float(np.sqrt(np.square(off).mean()))
    print(
        f"calibration {camera}: {len(off)} fiducials, corners off by {rms:.3f} px RMS (at most {WORST_CORNER_PX:g}), "
        f"drawn in by {-np.mean(outward):.3f} px, stated {np.mean(sigmas):.3f} px"
    )
    return rms <= WORST_CORNER_PX


def _places(folder: Path, camera: str, lens: Lens, kit: Kit) -> bool:
    off, squares, took, took_near, poses = [], [], [], [], {}
    for path, truth in labels_in(folder, f"{camera}_*.json").items():
        picture = cv2.imread(str(path))
        began = time.perf_counter()
        pose = find_pose(picture, lens, kit)
        took.append(time.perf_counter() - began)
        judge(picture, pose, kit)
        began = time.perf_counter()
        poses[truth["picture"]] = find_pose(picture, lens, kit, near=pose)
        took_near.append(time.perf_counter() - began)
        for height_mm in (0.0, HEIGHT_MM):
            places = _grid(kit, height_mm)
            error = pose.to_table(_true_pixels(truth, places), height_mm) - places[:, :2]
            off.append(error)
            spread = pose.covariance_mm2(places)
            squares.append(np.einsum("ni,nij,nj->n", error, np.linalg.inv(spread), error))
    chi2 = float(np.mean(squares)) / 2
    print(
        f"calibration {camera}: places off by {np.sqrt(np.square(off).mean()):.3f} mm RMS, "
        f"at most {np.abs(off).max():.3f}; "
        f"squared error / stated {chi2:.2f} (at most {WORST_CHI2:g}); pose in {1e3 * np.median(took):.0f} ms, "
        f"{1e3 * np.median(took_near):.0f} ms near the last"
    )
    return chi2 <= WORST_CHI2 and _bumps(folder, camera, poses, kit)


def _bumps(folder: Path, camera: str, poses: dict[str, Pose], kit: Kit) -> bool:
    good = True
    for truth in labels_in(folder, f"{camera}_*.json").values():
        if truth["picture"] in poses and truth.get("pair_of", "") in poses and truth["picture"] < truth["pair_of"]:
            slipped = movement(poses[truth["picture"]], poses[truth["pair_of"]], kit)
            print(
                f"calibration {camera}: {truth['pair_of']} moved by {slipped.by_mm:.1f} mm, noticed: {slipped.is_moved}"
            )
            good &= slipped.is_moved
    return good


def _grey(path: Path) -> Picture:
    return np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), np.uint8)


def _true_pixels(truth: dict[str, Any], places_mm: Floats) -> Floats:
    camera = truth["camera"]
    rotation = cv2.Rodrigues(np.array(camera["rvec_for_xy_minus_z"]))[0]
    seen = (places_mm * (1.0, 1.0, -1.0)) @ rotation.T + np.array(camera["tvec_for_xy_minus_z"])
    return lens_of(truth).pixels(seen[:, :2] / seen[:, 2:])


def _grid(kit: Kit, height_mm: float) -> Floats:
    xs, ys = np.meshgrid(np.linspace(0, kit.mat.width_mm, 6), np.linspace(0, kit.mat.height_mm, 5))
    return np.column_stack([xs.ravel(), ys.ravel(), np.full(xs.size, height_mm)])
