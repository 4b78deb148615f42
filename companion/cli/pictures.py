"""One way through for all picture readers: decode, read, time, print, draw."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import cv2
import msgspec
import numpy as np

from calibration.lens import load_lens
from companion.errors import ReadingError, ReadingFault
from companion.kit import kit_for
from vision.readers import READERS, Eye, Picture, Reader


def decoded(path: Path) -> Picture:
    """A picture file as BGR, shape (H, W, 3). Raises: ReadingError(not_an_image)."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        why = error.strerror or "no reason given"
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} cannot be opened ({why}): give a picture file"
        ) from error
    picture = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    if picture is None:
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE, f"{path} is not a picture that can be decoded: give a JPEG or PNG file"
        )
    return np.asarray(picture, np.uint8)


def read_pictures(reader: str, paths: Iterable[str], eye: Eye, explain: Path | None) -> int:
    """Reads and prints each picture; returns the exit status (1 when one could not be read)."""
    status = 0
    if explain is not None:
        explain.mkdir(parents=True, exist_ok=True)
    for name in paths:
        line: dict[str, Any] = {"image": name, "reader": reader}
        try:
            picture = decoded(Path(name))
            began = time.perf_counter()
            try:
                reading = eye.read(picture)
            finally:
                line["ms"] = round((time.perf_counter() - began) * 1000, 2)
            line |= msgspec.to_builtins(reading)
            if explain is not None:
                cv2.imwrite(str(explain / f"{Path(name).stem}.jpg"), eye.draw(picture, reading))
        except ReadingError as error:
            line["error"] = {"code": error.code.value, "message": str(error)}
            click.echo(f"{name}: {error}", err=True)
            status = 1
        click.echo(json.dumps(line, allow_nan=False))
    return status


def readers() -> dict[str, click.Command]:
    """The readers' commands, from `vision.readers`, each with the options that it needs."""
    return {name: _command_of(reader) for name, reader in READERS.items()}


def _command_of(reader: Reader) -> click.Command:
    params: list[click.Parameter] = [
        click.Argument(["images"], nargs=-1, required=True, metavar="IMAGE..."),
        click.Option(
            ["--explain"],
            type=click.Path(path_type=Path, file_okay=False),
            help="Also write each picture here, with the reading drawn.",
        ),
    ]
    if reader.is_calibrated:
        params.append(
            click.Option(["--lens"], required=True, type=click.Path(path_type=Path), help="LENS.json of this camera.")
        )
        params.append(
            click.Option(
                ["--kit"], type=click.Path(path_type=Path), help="The set on this table; default: the game's own."
            )
        )

    def run(images: tuple[str, ...], explain: Path | None, lens: Path | None = None, kit: Path | None = None) -> int:
        if reader.game is not None and lens is not None:
            eye = reader.open(load_lens(lens), kit_for(reader.game, kit))
        else:
            eye = reader.open()
        return read_pictures(reader.name, images, eye, explain)

    return click.Command(reader.name, params=params, callback=run, help=reader.says)
