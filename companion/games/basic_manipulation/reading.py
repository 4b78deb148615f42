"""What the eyes say of the board: rolls and moves (see `_race.reading`)."""

from __future__ import annotations

from companion.games._race.reading import interpret

__all__ = ["interpret"]
