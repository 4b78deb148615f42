"""One way through for all picture readers: decode, read, time, print, draw."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.errors import ReadingError, ReadingFault

Picture = NDArray[np.uint8]
ReadOne = Callable[[Picture], Any]
"""A reading (a frozen dataclass) of one BGR picture, shape (H, W, 3). Raises: ReadingError."""
DrawOne = Callable[[Picture, Any], Picture]


def decoded(path: Path) -> Picture:
    """A picture file as BGR, shape (H, W, 3). Raises: ReadingError(not_an_image)."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        why = error.strerror or "no reason given"
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} cannot be opened ({why}): give a picture file") from error
    picture = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    if picture is None:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, f"{path} is not a picture that can be decoded: give a JPEG or PNG file")
    return picture


def read_pictures(reader: str, paths: Iterable[str], read: ReadOne, draw: DrawOne | None, explain: Path | None) -> int:
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
                reading = read(picture)
            finally:
                line["ms"] = round((time.perf_counter() - began) * 1000, 2)
            line |= msgspec.to_builtins(reading)
            if explain is not None and draw is not None:
                cv2.imwrite(str(explain / f"{Path(name).stem}.jpg"), draw(picture, reading))
        except ReadingError as error:
            line["error"] = {"code": error.code.value, "message": str(error)}
            click.echo(f"{name}: {error}", err=True)
            status = 1
        click.echo(json.dumps(line, allow_nan=False))
    return status


def readers() -> dict[str, click.Command]:
    """The readers' commands, from `vision.readers`, each with the options that it needs."""
    from vision.readers import READERS

    return {name: reader.command() for name, reader in READERS.items()}
