"""The phones' view of Center Point: the board, markers, sixes held, the moves open now."""

from __future__ import annotations

from companion.games._race.view import view

__all__ = ["view"]
