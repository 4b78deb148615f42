"""Basic Manipulation: the declaration. `rules` judges, `engine` moves, `reading` interprets the eyes' reports, `view`
is the phones' view; RULES.md has the sheet's paragraphs in our words."""

from __future__ import annotations

from companion.games.basic_manipulation.rules import BasicManipulation

GAME = BasicManipulation()
