"""`companion calibrate lens`: pictures of a board in, LENS.json out, and a report that a person understands."""

from __future__ import annotations

from pathlib import Path

import click
import cv2
import numpy as np

from calibration.charuco import Board, BoardError, board_of, find_board
from calibration.from_boards import BoardPicture, LensFit, fit_lens
from calibration.lens import save_lens
from companion.cli.pictures import decoded
from companion.errors import ReadingError


def _board(_: click.Context, param: click.Parameter, value: str) -> Board:
    try:
        return board_of(value)
    except BoardError as error:
        raise click.BadParameter(str(error), param=param) from error


@click.group()
def command() -> None:
    """Calibrate a camera."""


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
def lens(images: tuple[str, ...], board: Board, output: Path) -> int:
    """What the glass of one camera does, from pictures of a ChArUco board held at various tilts.

    Prints which pictures served and which not, the RMS reprojection error and what the pictures leave uncovered.
    Status 1: the pictures do not determine the lens (nothing is written), or a file was not a picture.
    """
    pictures: list[BoardPicture] = []
    status = 0
    for name in images:
        try:
            grey = cv2.cvtColor(decoded(Path(name)), cv2.COLOR_BGR2GRAY)
        except ReadingError as error:
            click.echo(str(error), err=True)
            status = 1
            continue
        height_px, width_px = grey.shape
        pictures.append(BoardPicture(name, width_px, height_px, find_board(np.asarray(grey, np.uint8), board)))
    fit = fit_lens(pictures, board)
    save_lens(fit.lens, output)
    _report(fit, output)
    return status


def _report(fit: LensFit, output: Path) -> None:
    served = [p for p in fit.pictures if p.left_out is None]
    for picture in fit.pictures:
        if picture.left_out is None:
            click.echo(f"{picture.name}: {picture.corners} corners, RMS {picture.rms_px:.3f} px")
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
