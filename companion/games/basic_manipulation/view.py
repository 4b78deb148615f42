"""The phones' view of Basic Manipulation: the board, tokens, the moves open now."""

from __future__ import annotations

from companion.games._race.view import view

__all__ = ["view"]
