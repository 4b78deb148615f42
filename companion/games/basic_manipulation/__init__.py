"""Basic Manipulation: the declaration. `rules` has the sheet, `engine` moves, `reasons` say why; RULES.md has the
paragraphs of the sheet in our words."""

from companion.games.basic_manipulation.rules import SHEET
from companion.games.race.game import race_game

GAME = race_game(SHEET)
