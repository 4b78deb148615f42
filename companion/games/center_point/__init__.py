"""Center Point: the declaration. `rules` has the sheet, `engine` moves, `reasons` say why; RULES.md has the sheet's
paragraphs in our words."""

from companion.games.center_point.rules import SHEET
from companion.games.race.game import race_game

GAME = race_game(SHEET)
