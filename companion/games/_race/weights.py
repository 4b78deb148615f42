"""The fitted numbers behind the hints, from a game's `hints.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from companion.games._race.guide import Weights


@lru_cache(maxsize=8)
def _file(game: str) -> dict[str, Any]:
    path = Path(__file__).parent.parent / game / "hints.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def weights_for(game: str, board: str, contest: str) -> Weights:
    """The weights for a board by name and a contest (the mode, or the number of players)."""
    data = _file(game)
    left = data.get("left", {}).get(board, {})
    return Weights(left, tuple(data["chance"][contest]))
