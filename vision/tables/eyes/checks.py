"""Checks of a picture: do pieces stand out from this mat, are red and blue different, do foreign things hide any?

If pieces do not stand out from the mat, the reader would miss them or swap their sides, and nobody would notice.

A foreign thing is neither mat nor piece. Shade is not a foreign thing: it is darker than the mat and has its hue. A
thing as wide as a samurai may hide one without any other sign. Such a table is not read.

The tops of found pieces are checked. A die's top is white apart from the eye in its middle. A samurai's top has one
colour. Another colour is a thing on the piece. It changes the visible edges, and may look like an eye or hide one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import Floats, Mask
from calibration.edges import medians
from calibration.light import CLIPPED
from companion.game.errors import ReadingError, ReadingFault
from companion.game.readings import Kind
from companion.game.says import Says
from vision.measure import bodies
from vision.measure.colors import Colors, below, erase_body, erase_fiducials, usual
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import AROUND_MM, STEP_MM, PreparedImage
from vision.measure.rims import hue_of
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, draw_over

EVEN = Says("lay out a surface in one even colour, not red, blue, black or white")


def must_show_pieces(image: PreparedImage, colors: Colors) -> None:
    """Raises: ReadingError: not_calibrated: some pieces do not stand out from this mat; too_bright, too_dark: they
    would not stand out from any mat in this light."""
    for fault, says in _lost_in_the_mat(image, colors):
        raise ReadingError(fault, says)


def _lost_in_the_mat(image: PreparedImage, colors: Colors) -> Iterator[tuple[ReadingFault, Says]]:
    mat = float((colors.mat * image.paper).max())
    if image.paper.min() >= CLIPPED and mat > LIMITS.nearly_all:
        words = (
            "it is too bright, dim the light or shorten the exposure: the fiducials' paper is brighter than the "
            "camera can measure, and the mat is at {share} of it, expected at most {most}"
        )
        yield ReadingFault.TOO_BRIGHT, Says(words, {"share": f"{mat:.0%}", "most": f"{LIMITS.nearly_all:.0%}"})
    for color, own, begins in (
        ("red", SHARED.red_share, colors.red_from),
        ("blue", SHARED.blue_share, colors.blue_from),
    ):
        share = cv2.countNonZero(colors.of(color)) / colors.red.size
        if share > LIMITS.half:
            words = (
                "{share} of the play area look {color} to the camera, as if the mat had this colour: {todo}, or "
                "set the camera's white balance"
            )
            values = {"share": f"{share:.0%}", "color": color, "todo": EVEN}
            yield ReadingFault.NOT_CALIBRATED, Says(words, values)
        if begins > (1 - LIMITS.min_color_step) * own:
            words = (
                "the mat looks nearly as {color} to the camera as the {color} pieces: {todo}, or set the camera's "
                "white balance"
            )
            yield ReadingFault.NOT_CALIBRATED, Says(words, {"color": color, "todo": EVEN})
    high, low = usual(colors.high), usual(colors.low)
    if high < LIMITS.darkest_mat:
        words = (
            "the mat reflects {share} of the light that paper would, expected at least {least}: black dice do not"
            " stand out on it, {todo}"
        )
        values = {"share": f"{high:.1%}", "least": f"{LIMITS.darkest_mat:.0%}", "todo": EVEN}
        yield ReadingFault.NOT_CALIBRATED, Says(words, values)
    if low > SHARED.lit_paper:
        words = (
            "the mat reflects {share} of the light that paper would, expected at most {most}: white dice do not "
            "stand out on it, {todo}"
        )
        values = {"share": f"{low:.1%}", "most": f"{SHARED.lit_paper:.0%}", "todo": EVEN}
        yield ReadingFault.NOT_CALIBRATED, Says(words, values)
    # a pixel of the view from above mixes two of the picture
    grain_mm = 2 * image.pose.centre_mm[2] / image.pose.lens.fx_px
    side = 2 * max(1, round(grain_mm / STEP_MM)) + 1
    specks = cv2.morphologyEx(colors.red | colors.blue, cv2.MORPH_TOPHAT, np.ones((side, side), np.uint8))
    share = cv2.countNonZero(specks) / specks.size
    if share > LIMITS.max_specks:
        words = (
            "the picture is too noisy, switch on a light: {share} of the play area are red and blue specks, "
            "expected at most {most}"
        )
        yield ReadingFault.TOO_DARK, Says(words, {"share": f"{share:.1%}", "most": f"{LIMITS.max_specks:.1%}"})


def must_not_be_swapped(image: PreparedImage, colors: Colors, territories: Sequence[Detection]) -> None:
    """Raises: ReadingError(not_calibrated): red and blue are swapped in this picture.

    No single piece distinguishes red from blue, so both signs must agree: the territories are in each other's places,
    and each has the other's tint.
    """
    at_mm = {land.color: land.place.middle_mm[:2] for land in territories}
    start_mm = image.kit.piece(Kind.TERRITORY).start_mm
    if set(at_mm) != {"red", "blue"} or not set(at_mm) <= set(start_mm):
        return
    meant = np.subtract(start_mm["blue"], start_mm["red"])
    if float(meant @ (at_mm["blue"] - at_mm["red"])) >= 0:
        return
    if _green_tint(image, colors, "red") > LIMITS.trace > _green_tint(image, colors, "blue"):
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            Says(
                "red and blue seem swapped in the picture: each territory is in the other's place with the other's "
                "tint. Set the camera's order of colours (RGB or BGR), or swap the territories"
            ),
        )


def _green_tint(image: PreparedImage, colors: Colors, color: str) -> float:
    """Excess of a colour's green over its darkest channel, as a share of all its light."""
    own = image.top[colors.of(color) > 0]
    blue, green, red = medians(own).tolist() if len(own) else (0.0, 0.0, 0.0)
    return (green - min(blue, red)) / max(blue + green + red, LIMITS.tiny)


def must_hide_no_samurai(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> None:
    """Raises: ReadingError(hand_in_view): a thing outside these pieces is as broad as a samurai."""
    mask = foreign_mask(image, colors, pieces)
    erase_fiducials(image, mask)
    beside = round(AROUND_MM / STEP_MM)
    strange = np.pad(mask[beside:-beside, beside:-beside], beside)
    inside_mm = np.asarray(cv2.distanceTransform(strange, cv2.DIST_L2, 5)) * STEP_MM
    _, labels = cv2.connectedComponents(strange)
    broad = np.unique(labels[inside_mm >= image.kit.piece(Kind.SAMURAI).size_mm("diameter") / 2 - LIMITS.same_mm])
    things = (np.asarray(labels == label, np.uint8) for label in broad.tolist())
    thing = next((thing for thing in things if _edge_share(image, thing) > LIMITS.some), None)
    if thing is None:
        return
    area_mm2 = cv2.countNonZero(thing) * STEP_MM**2
    raise ReadingError(
        ReadingFault.HAND_IN_VIEW,
        Says(
            "something that is not a piece covers about {area} cm2 of the play area and may hide a samurai: take it "
            "away and read again",
            {"area": cm2(area_mm2)},
        ),
    )


def _edge_share(image: PreparedImage, thing: Mask) -> float:
    """The share of a thing's outline where the light changes at once; a lamp mirrored in the mat fades instead."""
    light = np.log(np.maximum(image.top, LIMITS.tiny))
    window = 2 * round(LIMITS.same_mm / STEP_MM) + 1
    sides = [side.astype(np.float32)[:, :, None] for side in (thing, 1 - thing)]
    within, beyond = (
        cv2.blur(light * side, (window, window)) / np.maximum(cv2.blur(side, (window, window)), LIMITS.tiny)[:, :, None]
        for side in sides
    )
    outline = thing > cv2.erode(thing, np.ones((3, 3), np.uint8))
    changes = np.abs(within - beyond).max(axis=2) > SHARED.max_off_mat
    return float(changes[outline].mean())


def cm2(area_mm2: float) -> str:
    """An area as people read it."""
    return f"{area_mm2 / LIMITS.mm_per_cm**2:.0f}"


def foreign_mask(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> Mask:
    """Foreign things, including the surroundings of the play area; fiducials are not erased."""
    mask = colors.off_mat.copy()
    lands = [piece for piece in pieces if piece.kind is Kind.TERRITORY]
    for land in lands:
        mask |= colors.of(str(land.color))
    for land in lands:
        within = np.zeros_like(mask)
        draw_over(image, within, land, LIMITS.rim_mm)
        # no mat shows within a territory, so a threshold for any mat serves
        is_red = land.color == "red"
        hue, least = (colors.redness, SHARED.min_redness) if is_red else (colors.blueness, SHARED.bare_blueness)
        cv2.copyTo(below(hue, least), within, mask)
    for piece in pieces:
        if piece.kind is not Kind.TERRITORY:
            erase_body(image, mask, piece.solid, piece.place)
    return mask


ON_IT = "something that is no piece lies on it or before it"
_STEPS = np.linspace(-LIMITS.flat_reach, LIMITS.flat_reach, LIMITS.face_samples)
_FACE = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)
_FRAME = _FACE[np.hypot(*_FACE.T) > LIMITS.eye_half_width]
_DISK = _FACE[np.hypot(*_FACE.T) < LIMITS.flat_reach] / LIMITS.flat_reach


def doubt_covered(
    image: PreparedImage, colors: Colors, pieces: list[Detection], ninjas: list[Detection]
) -> list[Detection]:
    """The pieces, unsure if they are dice and samurai under a foreign thing that is surely not a ninja. It may hide an
    eye or look like one, so neither a die's owner nor its eye is reported."""
    surely = [ninja for ninja in ninjas if ninja.confidence > LIMITS.in_doubt]
    known = [piece for piece in pieces + surely if piece.kind is not Kind.TERRITORY]
    outlines = bodies.outlines_px(image.view, [(piece.solid, piece.place) for piece in known], 2 * LIMITS.outline_px)
    low, high = (np.array([edge(outline, axis=0) for outline in outlines]) for edge in (np.min, np.max))
    judged = {}
    for i, piece in enumerate(known):
        if piece.kind is Kind.NINJA:
            continue
        meets = ((low < high[i] + LIMITS.outline_px) & (high > low[i] - LIMITS.outline_px)).all(axis=1)
        others = tuple(outlines[k] for k in np.flatnonzero(meets).tolist() if k != i)
        if _strange_share(replace(image, covers=others), colors, piece) > LIMITS.trace:
            judged[id(piece)] = _covered(piece)
    return [judged.get(id(piece), piece) for piece in pieces]


def _strange_share(image: PreparedImage, colors: Colors, piece: Detection) -> float:
    """The foreign share of a piece's top, as far as no other piece covers it."""
    places = _top_mm(piece)
    bare = places[~image.is_covered(image.view.to_pixels(places), LIMITS.outline_px)]
    if len(bare) < (1 - LIMITS.nearly_all) * len(places):
        return 0.0
    light = image.light_at(bare)
    if piece.solid.is_round:
        redness, blueness = hue_of(light, np.ones(3))
        is_own = redness > colors.red_from if piece.color == "red" else blueness > colors.blue_from
    else:
        least = light.min(axis=1)
        left = light / np.median(light[least >= np.quantile(least, LIMITS.most)], axis=0)
        mean = left.mean(axis=1)
        is_own = (mean > LIMITS.half) & (np.ptp(left, axis=1) < LIMITS.half * mean)  # a rim on red is tinted by 0.3
    return float(1 - is_own.mean())


def _top_mm(piece: Detection) -> Floats:
    """Places (N, 3) all over a samurai's top, or around a possible eye on a die's."""
    half = piece.solid.half_height_mm
    if piece.solid.is_round:
        spots = (piece.solid.radius_mm - LIMITS.rim_mm) * _DISK
    else:
        spots = 2 * half * _FRAME
    up = 2 if piece.solid.is_round else int(np.abs(piece.place.axes[2]).argmax())
    top = np.full((len(spots), 3), np.copysign(half, piece.place.axes[2, up]))
    top[:, [(up + 1) % 3, (up + 2) % 3]] = spots
    return piece.place.points(top)


def _covered(piece: Detection) -> Detection:
    is_die = piece.kind is Kind.EMPIRE_DIE
    return replace(
        piece,
        color=None if is_die else piece.color,
        marked_up=None,
        confidence=min(piece.confidence, LIMITS.in_doubt),
        spread_mm=float(np.hypot(piece.spread_mm, LIMITS.faint_error_mm)),
        reason=ON_IT,
    )
