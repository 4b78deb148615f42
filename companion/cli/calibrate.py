"""`companion calibrate`: a camera's lens from pictures of a board, and a check of a table's pictures."""

from collections.abc import Sequence
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.arrays import Picture
from calibration.charuco import BoardError, CalibrationBoard, board_of, board_shown, find_board, markers_shown
from calibration.from_boards import BoardPicture, LensFit, fit_lens
from calibration.lens import load_lens, save_lens
from companion.app.checks import picture_findings
from companion.cli.options import FILE
from companion.cli.read import about
from companion.game.brought import default_kit
from companion.game.errors import LensError, ReadingError, ReadingFault
from companion.game.kit import Kit, load_kit
from hardware.picture_file import decoded

GAME = "eyes_of_the_emperor"
LOOKED_AT = 3
"""Number of pictures searched for another board if the intended one is missing."""


def _board(_: click.Context, param: click.Parameter, value: str) -> CalibrationBoard:
    try:
        return board_of(value)
    except BoardError as error:
        raise click.BadParameter(str(error), param=param) from error


@click.group()
def command() -> None:
    """Calibrate a camera's lens, and check a table."""


@command.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@click.option(
    "--board",
    required=True,
    callback=_board,
    metavar="charuco:7x5,30,22,DICT_5X5_100",
    help="Squares across x down, square mm, marker mm, dictionary.",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="LENS.json to write."
)
def lens(images: tuple[str, ...], board: CalibrationBoard, output: Path) -> int:
    """Measure the lens of one camera, from pictures of a ChArUco board held at various tilts.

    Prints the pictures that were used and those that were not, the RMS reprojection error and the uncovered parts.
    Status 1: the pictures do not determine the lens (nothing is written), or a file was not a picture. Only another
    LENS.json is ever written over.
    """
    _must_lose_nothing(output, images)
    pictures: list[BoardPicture] = []
    without: list[Picture] = []
    status = 0
    for name in images:
        try:
            grey = cv2.cvtColor(decoded(Path(name), is_calibrated=True), cv2.COLOR_BGR2GRAY)
        except ReadingError as error:
            click.echo(str(error), err=True)
            status = 1
            continue
        height_px, width_px = grey.shape
        seen = find_board(np.asarray(grey, np.uint8), board)
        if not len(seen.ids) and len(without) < LOOKED_AT:
            without.append(np.asarray(grey, np.uint8))
        pictures.append(BoardPicture(name, width_px, height_px, seen))
    if without and not any(len(picture.seen.ids) for picture in pictures):
        _must_not_show_another(without, board)
    fit = fit_lens(pictures, board)
    save_lens(fit.lens, output)
    _report(fit, output)
    return status


def _must_not_show_another(greys: Sequence[Picture], board: CalibrationBoard) -> None:
    """Names the board that the pictures show instead, in the words to type. Raises: LensError."""
    shown = board_shown(greys, board)
    if shown is not None:
        raise LensError(
            f"no picture shows a board of {board.across} x {board.down} squares with markers of {board.dictionary}, "
            f"they show one of {shown.across} x {shown.down} with markers of {shown.dictionary}: give --board {shown}, "
            "with the sizes in mm that you measure on it"
        )


def _must_lose_nothing(output: Path, images: tuple[str, ...]) -> None:
    """Checks that the output replaces at most a lens file: `-o *.jpg` makes a picture the output."""
    if not output.is_file():
        return
    if any(Path(name).exists() and output.samefile(name) for name in images):
        why = "is one of the pictures given"
    elif output.stat().st_size and not _is_lens(output):
        why = "is there and is no lens file"
    else:
        return
    raise click.BadParameter(f"{output} {why}, expected a LENS.json to write: name another", param_hint="-o")


def _is_lens(path: Path) -> bool:
    try:
        load_lens(path)
    except LensError:
        return False
    return True


def _report(fit: LensFit, output: Path) -> None:
    served = [p for p in fit.pictures if p.left_out is None]
    for picture in fit.pictures:
        if picture.left_out is None:
            click.echo(f"{picture.name}: {len(picture.seen.ids)} corners, RMS {picture.rms_px:.3f} px")
        else:
            click.echo(f"{picture.name}: left out, {picture.left_out}")
    lens = fit.lens
    fx, fy, cx, cy, *_ = fit.sigmas
    click.echo(f"RMS {lens.rms_px:.3f} px, {len(served)} of {len(fit.pictures)} pictures served")
    click.echo(
        f"focal length {lens.fx_px:.1f} +- {fx:.1f} by {lens.fy_px:.1f} +- {fy:.1f} px, "
        f"centre ({lens.cx_px:.1f} +- {cx:.1f}, {lens.cy_px:.1f} +- {cy:.1f}) px"
    )
    if fit.uncovered:
        click.echo(
            f"no corner covers the {', '.join(fit.uncovered)} of the picture: there the lens is a guess, add pictures"
        )
    click.echo(f"written to {output}")


@command.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@click.option("--lens", "lens_file", required=True, type=FILE, help="LENS.json of this camera.")
@click.option("--kit", "kit_file", type=FILE, help="The set on this table; default: Eyes' own.")
def table(images: tuple[str, ...], lens_file: Path, kit_file: Path | None) -> int:
    """Check pictures of a table: fiducials, the camera's place, the error of a place, light and sharpness.

    Nothing is kept: every picture brings its own pose. Status 1: a picture cannot be used, with the reason.
    """
    lens = load_lens(lens_file)
    kit = load_kit(kit_file) if kit_file else default_kit(GAME)
    status = 0
    for name in images:
        try:
            found = picture_findings(decoded(Path(name), is_calibrated=True), lens, kit)
            click.echo("\n".join([name, *(f"  {finding.line}" for finding in found)]))
        except ReadingError as error:
            click.echo(about(name, f"{error}{_shown_instead(name, error, kit)}"), err=True)
            status = 1
    return status


def _shown_instead(name: str, error: ReadingError, kit: Kit) -> str:
    """The other markers in a picture without the kit's fiducials, in words: mats are printed from many sources."""
    if error.code is not ReadingFault.NO_FIDUCIALS:
        return ""
    grey = np.asarray(cv2.cvtColor(decoded(Path(name), is_calibrated=True), cv2.COLOR_BGR2GRAY), np.uint8)
    shown = markers_shown([grey], kit.mat.dictionary)
    if shown is None or shown.dictionary == kit.mat.dictionary:
        return ""
    ids = ", ".join(map(str, shown.ids))
    return f" (it shows markers {ids} of {shown.dictionary}: lay out the kit's own, or name these in a kit file)"
