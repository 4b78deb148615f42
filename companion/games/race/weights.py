"""The fitted numbers behind the hints, from a game's own file (`RaceSheet.hints`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

FEATURES = ("left", "turns", "root", "log", "home", "nearly", "to_roll", "roots", "logs", "depth")
UNFITTED = (0.0, 0.5, *(0.0 for _ in FEATURES[2:]))
FITTED_ERROR, UNFITTED_ERROR = 0.034, 0.15
"""Half width that covers 95 % of the judge's error after `hints.ROLLS_AHEAD` rolls: fitted, measured by
`bench/race.py`; unfitted."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Fitted weights. `left`: turns left by the spot of the first colour (empty: the lone marker's turns). `chance`:
    the judge's weights in the order of `FEATURES`. `error`: half width of the judge's error."""

    left: Mapping[str, float] = field(default_factory=dict)
    chance: tuple[float, ...] = UNFITTED
    error: float = UNFITTED_ERROR


@lru_cache(maxsize=8)
def _file(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def weights_for(hints: Path | None, board: str, contest: str) -> Weights:
    """The weights for a board by name and a contest (the mode, or the number of players)."""
    if hints is None:
        return Weights()
    data = _file(hints)
    return Weights(data.get("left", {}).get(board, {}), tuple(data["chance"][contest]), FITTED_ERROR)
