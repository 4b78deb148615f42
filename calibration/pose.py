"""The pose of the camera over the table: from pixels to table mm and back, with standard errors.

First call `find_pose` for every picture; then `Pose.to_table` and `Pose.to_pixels`, and `Pose.sigma_mm` for the error
of a place. Source: Hartley & Zisserman, Multiple View Geometry, 2nd ed., ch. 5 (propagation of covariance), ch. 7
(resection) and ch. 8 (a plane's homography).

Detects that the camera, or the mat, was moved since the match's reference pose, and tracks the pose of a stream.

`PoseWatch.look` takes every frame and returns the current pose and the movement. It refuses (`camera_moved`) if the
visible fiducials have moved but are too few for a new pose: the old pose would give wrong rulings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.edges import median
from calibration.health import FOREIGN_SIGMAS, PRIOR_DEGREES, Belonging, belonging, unfit, unlike
from calibration.lens import Lens
from calibration.markers import Fiducial, find_fiducials, marker_corners_mm, seen_twice
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Kit
from companion.game.says import Says, counted, each_as, listed

LEAST_FIDUCIALS = 3
PAPER_MM = 0.1
"""Height of the fiducials' print above the table: a sheet of office paper."""
FLOOR_PX = 0.015
"""Minimum standard error of a corner, however smooth its edges look."""
PLACED_MM = 0.02
"""Standard error of a fiducial's place along x or y, added to any measured displacement."""
MISFIT = 3.0
"""Variance ratio of the misfit beyond which the lens's stated errors are enlarged by that ratio. With three fiducials
only a misfit beyond it indicates a displaced fiducial."""
MOST_OFF_MM = 2.0
"""Maximum distance (RMS) of fiducials from their places by kit and lens; beyond it the lens or the mat is another."""
STRANGER_PX = 0.5
"""If the fit is worse than this (RMS), it is repeated without each fiducial in turn: one may have been pushed."""
BLURRED_PX = 1.6
"""Maximum width of edges for a test of the lens: smeared corners look like another lens."""
STRANGER_RATIO = 4.0
"""A fiducial is left out if the fit without it is better by this factor ..."""
STRANGER_LEAD = 3.0
"""... and better by this factor than without any other fiducial; otherwise the pushed one is unknown."""
TURNED = Says(
    "the picture is upside down compared with the calibration pictures: turn it back, or calibrate this camera as it "
    "is now"
)


@dataclass(frozen=True, eq=False)
class Pose:
    """A camera over a table. `rotation` (3, 3) and `translation_mm` (3,) act on points (x, y, -height).

    `covariance` (6, 6): of the rotation vector (rad) and the translation (mm), from the fiducials' residuals and the
    lens's covariance. `joint` (15, 15), if known: of these six and the lens's nine parameters together, because at the
    fiducials errors of lens and pose cancel. `placing` (6, 6): the additional covariance from misplaced fiducials,
    common to all pictures. `belonging`: the fiducials' test of the lens.
    """

    lens: Lens
    rotation: Floats
    translation_mm: Floats
    covariance: Floats
    reprojection_px: float
    fiducials: int
    joint: Floats | None = None
    seen: tuple[Fiducial, ...] = ()
    placing: Floats | None = None
    belonging: Belonging | None = None

    @cached_property
    def centre_mm(self) -> Floats:
        """The camera's position in the table frame (x, y, height), shape (3,)."""
        x, y, z = -self.rotation.T @ self.translation_mm
        centre = np.array([x, y, -z])
        centre.flags.writeable = False
        return centre

    @property
    def tilt_deg(self) -> float:
        """The angle between the camera's view and the vertical."""
        return float(np.degrees(np.arccos(np.clip(self.rotation[2, 2], -1, 1))))

    @cached_property
    def blur_px(self) -> float:
        """Median width of the fiducials' edges (standard deviation); 0 without fiducials."""
        return median(np.array([fiducial.blur_px for fiducial in self.seen])) if self.seen else 0.0

    def to_pixels(self, points_mm: Floats) -> Floats:
        """Pixels (N, 2) of table points (x, y, height), shape (N, 3)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 3) * (1.0, 1.0, -1.0)
        seen = points @ self.rotation.T + self.translation_mm
        return self.lens.pixels(seen[:, :2] / seen[:, 2:])

    def to_table(self, points_px: Floats, height_mm: float | Floats = 0.0) -> Floats:
        """Table points (x, y), shape (N, 2) in mm: the pixels' rays cut with the plane at `height_mm` (one or N)."""
        rays = self.lens.rays(points_px)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = -self.rotation.T @ self.translation_mm
        reach = (-np.asarray(height_mm, np.float64) - centre[2]) / directions[:, 2]
        return np.asarray(centre[:2] + reach[:, None] * directions[:, :2])

    def covariance_mm2(self, points_mm: Floats, *, between_pictures: bool = False) -> Floats:
        """Covariance of the places (x, y) of table points (x, y, height): (N, 2, 2) in mm².

        It comes from the pose, the lens and the fiducials' places, without the error of finding the point in the
        picture. `between_pictures` omits the fiducials' places, which two pictures have in common.
        """
        slopes = self._slopes(points_mm)
        joint = self._noise if between_pictures else self._joint
        return np.asarray(slopes @ joint @ slopes.transpose(0, 2, 1))

    def covariance_between_mm2(self, from_mm: Floats, to_mm: Floats) -> Floats:
        """Covariance of the differences `to_mm` - `from_mm`, (N, 2, 2): neighbours have most of their error in
        common."""
        slopes = self._slopes(to_mm) - self._slopes(from_mm)
        return np.asarray(slopes @ self._joint @ slopes.transpose(0, 2, 1))

    def sigma_mm(self, points_mm: Floats) -> Floats:
        """Standard error of table points (x, y, height) in mm, shape (N,), along their worst direction."""
        worst = np.linalg.eigvalsh(self.covariance_mm2(points_mm))[:, -1]
        return np.asarray(np.sqrt(np.maximum(worst, 0.0)))

    def expected_px(self, kit: Kit) -> dict[int, Floats]:
        """The expected corners of the kit's fiducials in the next picture: id to (4, 2)."""
        return {i: self.to_pixels(_lifted(marker_corners_mm(kit.mat, i))) for i in kit.mat.markers}

    @property
    def _noise(self) -> Floats:
        if self.joint is not None:
            return self.joint
        joint = np.zeros((15, 15))
        joint[:6, :6] = self.covariance
        return joint

    @property
    def _joint(self) -> Floats:
        if self.placing is None:
            return self._noise
        joint = self._noise.copy()
        joint[:6, :6] += self.placing
        return joint

    def _slopes(self, points_mm: Floats) -> Floats:
        """Derivatives of the places from `to_table` by the pose's six and the lens's nine parameters: (N, 2, 15)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 3)
        rvec = np.asarray(cv2.Rodrigues(self.rotation)[0], np.float64)
        by_parameter = _slopes_px(points, self.lens, rvec, self.translation_mm)
        by_place = _by_place(points, self.lens, rvec, self.translation_mm)
        return -np.asarray(np.linalg.solve(by_place, by_parameter), np.float64)


def find_pose(picture: Picture, lens: Lens, kit: Kit, near: Pose | None = None) -> Pose:
    """The camera's pose in this picture, from the kit's fiducials.

    Args:
        picture: BGR (H, W, 3) or grey (H, W), unchanged from the camera.
        near: a recent pose; fiducials within 2 pixels of it are measured without a search.
    Raises: ReadingError: the picture has another size than the lens (`wrong_lens`), or fewer than three fiducials are
        visible: `no_fiducials`, or the cause (`too_dark`, `too_bright`, `blurred`; `not_calibrated`: they are mirrored,
        or another mat's).
    """
    height, width = picture.shape[:2]
    if (width, height) != (lens.width_px, lens.height_px):
        raise ReadingError(
            ReadingFault.WRONG_LENS,
            Says(
                "the picture has {found} pixels, the lens was calibrated for {expected}: use this camera's lens file "
                "for this size",
                {"found": f"{width} x {height}", "expected": f"{lens.width_px} x {lens.height_px}"},
            ),
        )
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    levels = np.asarray(grey, np.uint8)
    found = find_fiducials(levels, lens, kit.mat, None if near is None else near.expected_px(kit))
    if len(found) < LEAST_FIDUCIALS:
        twice = seen_twice(levels, kit.mat)
        unlikely = None if twice else unlike(levels, kit.mat)
        raise unfit(levels, picture) or unlikely or ReadingError(ReadingFault.NO_FIDUCIALS, _too_few(found, twice, kit))
    return pose_of(found, lens, kit)


def pose_of(found: Sequence[Fiducial], lens: Lens, kit: Kit) -> Pose:
    """The pose from measured fiducials (three or more), without one that was pushed away.

    Raises: ReadingError (`not_calibrated`): their places contradict the kit and the lens.
    """
    pose = _fitted(found, lens, kit)
    if len(found) > LEAST_FIDUCIALS and pose.reprojection_px > STRANGER_PX:
        without = [_fitted([f for f in found if f is not odd], lens, kit) for odd in found]
        best, second, *_ = sorted(without, key=lambda p: p.reprojection_px)
        better = best.reprojection_px * STRANGER_RATIO < pose.reprojection_px
        if better and best.reprojection_px * STRANGER_LEAD < second.reprojection_px:
            pose = best
    why = _misfit(pose, kit)
    if why is not None:
        turned = _fitted(pose.seen, lens.turned(), kit)
        is_turned = _misfit(turned, kit) is None and turned.reprojection_px * STRANGER_RATIO < pose.reprojection_px
        raise ReadingError(ReadingFault.NOT_CALIBRATED, TURNED if is_turned else why)
    return pose


def _misfit(pose: Pose, kit: Kit) -> Says | None:
    """Why the fiducials' places contradict the kit and the lens; None: they do not."""
    side_px = float(np.mean([np.hypot(*(f.corners_px - np.roll(f.corners_px, 1, axis=0)).T).mean() for f in pose.seen]))
    off_mm = pose.reprojection_px * kit.mat.marker_mm / side_px
    if not off_mm < MOST_OFF_MM:
        return Says(
            "the fiducials are {mm} mm from where the kit and the lens put them, expected less than {most}: use this "
            "camera's lens file and this mat's kit, or lay the fiducials again",
            {"mm": f"{off_mm:.1f}", "most": f"{MOST_OFF_MM:.0f}"},
        )
    belongs = pose.belonging
    if belongs is not None and belongs.is_foreign and pose.blur_px < BLURRED_PX:
        return _foreign(belongs)
    return None


def _foreign(belongs: Belonging) -> Says:
    if abs(belongs.focal_share) > FOREIGN_SIGMAS * belongs.sigma_share:
        return Says(
            "the lens file does not fit this picture: by the fiducials the camera sees {share} {more} (give or take "
            "{sigma}), as with another sensor mode, focus or camera. Calibrate this camera as it is now, or lay the "
            "fiducials again if one was pushed",
            {
                "share": f"{abs(belongs.focal_share):.1%}",
                "more": Says("narrower") if belongs.focal_share > 0 else Says("wider"),
                "sigma": f"{belongs.sigma_share:.1%}",
            },
        )
    return Says(
        "the lens file does not fit this picture: the fiducials are bent differently ({count} standard errors), as "
        "with another sensor mode or camera. Calibrate this camera as it is now, or lay the fiducials again if one "
        "was pushed",
        {"count": f"{belongs.pattern_sigmas:.0f}"},
    )


def unseen_mm(pose: Pose, kit: Kit) -> tuple[tuple[float, float], ...]:
    """The corners and edge middles of the play area that are outside the picture, the furthest out first."""
    furthest_first = sorted(_outside_px(pose, kit).items(), key=lambda place: -place[1])
    return tuple(place for place, outside_px in furthest_first if outside_px > 0)


def must_show_play_area(pose: Pose, kit: Kit) -> None:
    """Raises: ReadingError (`out_of_picture`): a part of the play area is outside the picture.

    Three fiducials may still be visible, but a piece out there would be missed.
    """
    (x, y), worst_px = max(_outside_px(pose, kit).items(), key=lambda place: place[1])
    if worst_px > 0:
        raise ReadingError(
            ReadingFault.OUT_OF_PICTURE,
            Says(
                "the play area at ({x}, {y}) mm is {px} px outside the picture, expected all of it inside: turn the "
                "camera, or hang it higher",
                {"x": f"{x:g}", "y": f"{y:g}", "px": f"{worst_px:.0f}"},
            ),
        )


def _outside_px(pose: Pose, kit: Kit) -> dict[tuple[float, float], float]:
    """Distance of the play area's corners and edge middles from the picture, by place (negative: inside)."""
    width, height = kit.mat.width_mm, kit.mat.height_mm
    sides = [(x, y) for x in (0.0, width / 2, width) for y in (0.0, height / 2, height)]
    pixels = pose.to_pixels(np.array([(x, y, 0.0) for x, y in sides]))
    last = np.array([pose.lens.width_px - 1, pose.lens.height_px - 1])
    return dict(zip(sides, np.maximum(-pixels, pixels - last).max(axis=1).tolist(), strict=True))


def _too_few(found: Sequence[Fiducial], twice: Sequence[int], kit: Kit) -> Says:
    known = ", ".join(map(str, sorted(kit.mat.markers)))
    values = {"known": known, "dictionary": kit.mat.dictionary, "least": LEAST_FIDUCIALS}
    if twice:
        return counted(
            len(twice),
            "fiducial {ids} of {known} ({dictionary}) appears more than once, expected at least {least} once each: "
            "remove the other copies from the picture",
            "fiducials {ids} of {known} ({dictionary}) appear more than once, expected at least {least} once each: "
            "remove the other copies from the picture",
            {**values, "ids": listed(each_as("id", twice))},
        )
    if not found:
        return Says(
            "none of the fiducials {known} of {dictionary} is seen, expected at least {least}: lay them out and "
            "uncover them",
            values,
        )
    return counted(
        len(found),
        "only {ids} of the fiducials {known} ({dictionary}) is visible, expected at least {least}: uncover the others",
        "only {ids} of the fiducials {known} ({dictionary}) are visible, expected at least {least}: uncover the others",
        {**values, "ids": listed(each_as("id", (f.id for f in found)))},
    )


def _lifted(corners_mm: Floats) -> Floats:
    return np.column_stack([corners_mm, np.full(len(corners_mm), PAPER_MM)])


def _fitted(found: Sequence[Fiducial], lens: Lens, kit: Kit) -> Pose:
    points = np.vstack([_lifted(marker_corners_mm(kit.mat, f.id)) for f in found])
    pixels = np.vstack([f.corners_px for f in found])
    expected = np.hypot(FLOOR_PX, np.repeat([f.sigma_px for f in found], 8))
    rvec, translation = _resected(points, pixels, lens)
    for _ in range(4):
        slopes = _slopes_px(points, lens, rvec, translation).reshape(-1, 15)
        residuals = (pixels - _projected(points, lens, rvec, translation)).ravel()
        weighted = slopes[:, :6] / expected[:, None]
        step = np.linalg.lstsq(weighted, residuals / expected, rcond=None)[0]
        rvec, translation = rvec + step[:3], translation + step[3:]
    residuals = (pixels - _projected(points, lens, rvec, translation)).ravel()
    slopes = _slopes_px(points, lens, rvec, translation).reshape(-1, 15) / expected[:, None]
    # the edges' scatter gives the corners' errors; a curled sheet or an inaccurate lens increases them
    chi2 = float(((residuals / expected) ** 2).sum())
    scale = (PRIOR_DEGREES + chi2) / (PRIOR_DEGREES + len(residuals) - 6)
    inverse = np.linalg.inv(slopes[:, :6].T @ slopes[:, :6])
    by_place = _by_place(points, lens, rvec, translation)
    moved = _moved(by_place)
    belongs = belonging(slopes * expected[:, None], residuals, expected, moved, lens)
    of_lens = np.zeros((9, 9)) if lens.covariance is None else np.array(lens.covariance, np.float64)
    if scale > MISFIT:
        of_lens = of_lens * scale
    focal_px = belongs.open_share(lens) * np.array([lens.fx_px, lens.fy_px])
    of_lens[:2, :2] = of_lens[:2, :2] + np.outer(focal_px, focal_px)
    follows = -inverse @ slopes[:, :6].T @ slopes[:, 6:]
    both = follows @ of_lens
    joint = np.block([[inverse * max(scale, 1.0) + both @ follows.T, both], [both.T, of_lens]])
    pull = inverse @ (slopes[:, :6] / expected[:, None]).T
    return Pose(
        lens=lens,
        placing=_placing(slopes[:, :6] * expected[:, None], pull, by_place, moved, residuals, expected),
        rotation=np.asarray(cv2.Rodrigues(rvec)[0], np.float64),
        translation_mm=translation,
        covariance=joint[:6, :6],
        reprojection_px=float(np.sqrt((residuals**2).reshape(-1, 2).sum(axis=1).mean())),
        fiducials=len(found),
        joint=joint,
        seen=tuple(found),
        belonging=belongs,
    )


def _moved(by_place: Floats) -> Floats:
    """Derivatives of the corners' pixels by each fiducial's own place, x and y in mm: (8 F, 2 F)."""
    count = len(by_place) // 4
    shifts = np.eye(count)[:, None, :, None] * by_place.reshape(count, 8, 1, 2)
    return np.asarray(shifts.reshape(8 * count, 2 * count))


def _placing(
    slopes: Floats, pull: Floats, by_place: Floats, moved: Floats, residuals: Floats, expected: Floats
) -> Floats:
    """The covariance (6, 6) of the pose from misplaced fiducials.

    A fiducial laid askew moves its four corners together, so they are not four measurements. The usual displacement is
    estimated from the remaining shifts after the fit: two per fiducial, minus the six parameters of the pose. With
    three fiducials no shift remains, because some camera pose fits any three places. That pose is then wrong, and each
    fiducial looks slightly too large, too small or turned. Only this shows a displacement.

    Args:
        slopes: derivatives of the corners' pixels by the pose, (8 F, 6); `pull`: of the pose by the pixels, (6, 8 F);
            `by_place`: pixels per mm at each corner, (4 F, 2, 2); `moved`: as `_moved` gives.
        residuals, expected: the pixels' residuals after the fit, (8 F,), and their standard errors.
    """
    fiducials = len(by_place) // 4
    follows = pull @ moved
    if fiducials > LEAST_FIDUCIALS:
        left_mm = np.linalg.solve(by_place, residuals.reshape(-1, 2, 1)).reshape(fiducials, 4, 2).mean(axis=1)
        variance = float((left_mm**2).sum()) / (2 * fiducials - 6)
    else:
        unlike = float((residuals**2).sum() - MISFIT * (expected**2).sum())
        variance = max(unlike, 0.0) / float(((moved - slopes @ follows) ** 2).sum())
    return np.asarray((PLACED_MM**2 + variance) * follows @ follows.T)


def _by_place(points_mm: Floats, lens: Lens, rvec: Floats, translation: Floats) -> Floats:
    """Derivatives of pixels by a table point's x and y, in pixels per mm: (N, 2, 2)."""
    step = 0.01  # mm; the projection is linear over such a step
    here = _projected(points_mm, lens, rvec, translation)
    right = _projected(points_mm + np.array([step, 0, 0]), lens, rvec, translation) - here
    down = _projected(points_mm + np.array([0, step, 0]), lens, rvec, translation) - here
    return np.stack([right, down], axis=2) / step


def _resected(points_mm: Floats, pixels: Floats, lens: Lens) -> tuple[Floats, Floats]:
    """An initial rotation vector and translation, from the plane's homography."""
    flat = points_mm * (1.0, 1.0, 0.0)
    rays = lens.rays(pixels)
    _, rvecs, tvecs, errors = cv2.solvePnPGeneric(
        flat.reshape(-1, 1, 3), rays.reshape(-1, 1, 2), np.eye(3), None, flags=cv2.SOLVEPNP_IPPE
    )
    best = int(np.argmin(np.asarray(errors).ravel()))
    return np.asarray(rvecs[best], np.float64).ravel(), np.asarray(tvecs[best], np.float64).ravel()


def _projected(points_mm: Floats, lens: Lens, rvec: Floats, translation: Floats) -> Floats:
    seen = (points_mm * (1.0, 1.0, -1.0)) @ cv2.Rodrigues(rvec)[0].T + translation
    return lens.pixels(seen[:, :2] / seen[:, 2:])


def _slopes_px(points_mm: Floats, lens: Lens, rvec: Floats, translation: Floats) -> Floats:
    """Derivatives of pixels by rvec (3), translation (3), fx fy cx cy, k1 k2 p1 p2 k3: shape (N, 2, 15)."""
    points = np.asarray(points_mm, np.float64).reshape(-1, 1, 3) * (1.0, 1.0, -1.0)
    _, slopes = cv2.projectPoints(points, np.asarray(rvec), translation, lens.matrix, lens.coefficients)
    return np.asarray(slopes, np.float64).reshape(-1, 2, 15)


MOVED_MM = 0.5
"""Minimum movement of the table in the picture; smaller shifts do not matter, because every picture has its own
pose."""
MOVED_SIGMAS = 5.0
"""Minimum movement in standard errors."""
MOVED_PX = 3.0
"""Maximum distance of a lone fiducial from its place (RMS of its corners) before something counts as moved."""


@dataclass(frozen=True, slots=True)
class Movement:
    """Largest shift of the table in the picture, over the play area, with its standard error."""

    by_mm: float
    sigma_mm: float

    @property
    def is_moved(self) -> bool:
        """Whether the shift is a movement: large enough to matter, and larger than noise."""
        return self.by_mm > MOVED_MM and self.by_mm > MOVED_SIGMAS * self.sigma_mm


def movement(reference: Pose, now: Pose, kit: Kit) -> Movement:
    """The error of `reference` for a picture with the pose `now`, over the play area's corners and middle."""
    places = play_area_mm(kit)
    slips = reference.to_table(now.to_pixels(places)) - places[:, :2]
    errors = reference.covariance_mm2(places, between_pictures=True) + now.covariance_mm2(places, between_pictures=True)
    lengths = np.linalg.norm(slips, axis=1)
    worst = int(lengths.argmax())
    along = slips[worst] / max(float(lengths[worst]), 1e-9)
    return Movement(float(lengths[worst]), float(np.sqrt(along @ errors[worst] @ along)))


class PoseWatch:
    """Tracks a match's camera: the pose of each frame, and movements. Not thread-safe."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.reference: Pose | None = None
        self._last: Pose | None = None

    def look(self, picture: Picture) -> tuple[Pose, Movement]:
        """The pose in this picture, and the movement since the reference pose, which a moved pose then replaces.

        Raises: ReadingError: as `find_pose`; `camera_moved`: fewer than three fiducials are visible, and they have
            moved; `out_of_picture`: a part of the play area is outside the picture.
        """
        try:
            pose = find_pose(picture, self.lens, self.kit, self._last)
        except ReadingError as error:
            if error.code == ReadingFault.NO_FIDUCIALS and self.reference is not None:
                self._refuse_when_moved(picture, self.reference)
            raise
        self._last = pose
        must_show_play_area(pose, self.kit)
        if self.reference is None:
            self.reference = pose
        slipped = movement(self.reference, pose, self.kit)
        if slipped.is_moved:
            self.reference = pose
        return pose, slipped

    def _refuse_when_moved(self, picture: Picture, reference: Pose) -> None:
        grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        places = reference.expected_px(self.kit)
        for fiducial in find_fiducials(np.asarray(grey, np.uint8), self.lens, self.kit.mat):
            off_px = float(np.sqrt(((fiducial.corners_px - places[fiducial.id]) ** 2).sum(axis=1).mean()))
            if off_px > MOVED_PX:
                raise ReadingError(
                    ReadingFault.CAMERA_MOVED,
                    Says(
                        "fiducial {id} is {px} px from its place, and too few others are visible to show how the "
                        "camera moved: uncover at least three fiducials",
                        {"id": fiducial.id, "px": f"{off_px:.0f}"},
                    ),
                )


def play_area_mm(kit: Kit) -> Floats:
    """The corners and the middle of the play area, (5, 3)."""
    width, height = kit.mat.width_mm, kit.mat.height_mm
    return np.array(
        [(0, 0, 0), (width, 0, 0), (width, height, 0), (0, height, 0), (width / 2, height / 2, 0)], np.float64
    )
