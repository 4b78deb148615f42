"""A score pad for any game: the declaration. `sheet` reads presets and house rules, `rules` write and count.

`dice` knows what dice are worth on a line and which line is best; `view` is what phones show and what the camera's
reading of the tray means; `player` plays it by itself. A pad needs no camera.
"""

from companion.game.game import Eyes, Game, Page, Rules, Text
from companion.games.score_pad import rules, view
from companion.games.score_pad.rules import Action, PadState
from companion.games.score_pad.sheet import OPTIONS, TITLE, presets

GAME: Game[PadState, Action] = Game(
    name="score_pad",
    title=TITLE,
    options=OPTIONS,
    rules=Rules(
        start=rules.start,
        to_move=rules.to_move,
        legal=rules.legal,
        apply=rules.apply,
        outcome=rules.outcome,
        score=rules.score,
    ),
    text=Text(state_type=PadState, action_type=Action, says=rules.says, checked=rules.checked),
    page=Page(view=view.view, hints=view.hints),
    eyes=Eyes(
        reader="tray",
        interpret=view.interpret,
        has_moved=view.has_moved,
        only_with=("preset", tuple(name for name, preset in presets().items() if "dice" in preset)),
    ),
    player="player:PadPlayer",
)
