"""Center Point: the declaration. `rules` judges, `engine` moves, `reading` interprets the eyes' reports, `view` is the
phones' view; RULES.md has the sheet's paragraphs in our words."""

from __future__ import annotations

from companion.games.center_point.rules import CenterPoint

GAME = CenterPoint()
