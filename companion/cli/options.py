"""Options that several commands share, and the checks of their values. Invalid values exit with status 2."""

import math
import re
from pathlib import Path
from typing import Any

import click

from companion.cli.words import short
from companion.game.errors import NotationError

MOST_URL_BYTES = 1000
"""Maximum length of a URL in a QR code that phones still read. A code holds 2331 bytes, with the pages' additions."""
MOST_NAME = 253
"""Maximum length of a machine's name in characters (RFC 1035). It also appears in a QR code."""

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
"""An existing file: a missing one is reported before anything is done."""


class FiniteRange(click.FloatRange):
    """A number in a range. click would let `nan` through, as it is neither below nor above a bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number, expected one of the range {self._describe_range()}", param, ctx)
        return number


def game_given(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """The name of a game, or of the game in a folder. Raises: click.BadParameter."""
    from companion.app.playing import game_called

    try:
        return None if name is None else game_called(name).name
    except NotationError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def url_given(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """An address that is drawn as a QR code. Raises: click.BadParameter."""
    if text is not None and not (text.isprintable() and len(text.encode("utf-8", "replace")) <= MOST_URL_BYTES):
        raise click.BadParameter(
            f"{short(text)} makes no QR code, expected an address of at most {MOST_URL_BYTES} characters", ctx, param
        )
    if text is not None and re.fullmatch(r"https?://[^/\s]+(/\S*)?", text) is None:
        raise click.BadParameter(f"{short(text)} is no address, expected such as http://192.168.0.5:8100/", ctx, param)
    return text


def name_given(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """A machine's name or address. Raises: click.BadParameter."""
    if text is not None and not (text.isprintable() and len(text) <= MOST_NAME):
        raise click.BadParameter(
            f"{short(text)} is no machine's name, expected at most {MOST_NAME} characters", ctx, param
        )
    return text
