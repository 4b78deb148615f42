"""The fitted numbers behind the hints, from a game's `hints.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Weights:
    """Fitted weights. `left`: turns left by the spot of the first colour (empty: the lone marker's turns). `chance`:
    the judge's weights in the order of `guide.FEATURES`."""

    left: Mapping[str, float]
    chance: tuple[float, ...]


@lru_cache(maxsize=8)
def _file(game: str) -> dict[str, Any]:
    path = Path(__file__).parent.parent / game / "hints.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def weights_for(game: str, board: str, contest: str) -> Weights:
    """The weights for a board by name and a contest (the mode, or the number of players)."""
    data = _file(game)
    left = data.get("left", {}).get(board, {})
    return Weights(left, tuple(data["chance"][contest]))
