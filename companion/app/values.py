"""Types of option values in addition to click's own. Invalid values exit with status 2."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
"""An existing file: a missing one is reported before anything is done."""


class FiniteRange(click.FloatRange):
    """A number in a range. click would let `nan` through, as it is neither below nor above a bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number, expected one of the range {self._describe_range()}", param, ctx)
        return number
