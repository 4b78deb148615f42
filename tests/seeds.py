"""Seeds and values of a search: the first ones in every run, the others in `make nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def seeds(always: int, nightly: int) -> list[Any]:
    """Parameters 0 to `nightly` - 1; those from `always` on are marked `nightly`."""
    return [n if n < always else pytest.param(n, marks=pytest.mark.nightly) for n in range(nightly)]


def first(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter; all but the first are marked `nightly`."""
    return [value if n == 0 else pytest.param(value, marks=pytest.mark.nightly) for n, value in enumerate(values)]
