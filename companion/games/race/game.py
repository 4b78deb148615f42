"""Makes the game of a race's rule sheet."""

from functools import partial
from types import SimpleNamespace

from companion.game.game import Eyes, Game, Page, People, Rules, Table, Text
from companion.games.race import flow, hints, reading, states, view
from companion.games.race.sheet import RaceSheet
from companion.games.race.state import (
    Action,
    DieRolled,
    Moved,
    PositionSet,
    RaceState,
    RollCorrected,
    RollDeclined,
)


def race_game(sheet: RaceSheet) -> Game[RaceState, Action]:
    rolls = DieRolled | RollDeclined if sheet.may_decline else DieRolled
    return Game(
        name=sheet.name,
        title=sheet.title,
        options=sheet.options,
        rules=Rules(
            start=partial(states.start, sheet),
            to_move=partial(flow.to_move, sheet),
            legal=partial(flow.legal, sheet),
            apply=partial(flow.apply, sheet),
            explain=partial(flow.explain, sheet),
            outcome=partial(flow.outcome, sheet),
            score=partial(flow.score, sheet),
            status=partial(flow.status, sheet),
        ),
        text=Text(
            state_type=RaceState,
            action_type=rolls | RollCorrected | PositionSet | sheet.moved,
            action=partial(states.action_text, sheet),
            action_of=partial(states.action_of_text, sheet),
            says=partial(states.says, sheet),
            checked=partial(states.checked, sheet),
        ),
        page=Page(view=partial(view.view, sheet), hints=partial(hints.hints, sheet)),
        eyes=Eyes(
            reader="board",
            interpret=partial(reading.interpret, sheet),
            tells_whole_turns=True,
            has_moved=reading.has_moved,
        ),
        table=Table(
            layout=partial(view.layout, sheet),
            put_back=partial(view.put_back, sheet),
            as_left=flow.as_left,
            seen_back=partial(view.seen_back, sheet),
            seen_set_up=partial(view.seen_set_up, sheet),
        ),
        people=People(
            amendable=(DieRolled, Moved),
            amended=partial(flow.amended, sheet),
            corrections=partial(flow.corrections, sheet),
            says_fact=partial(flow.says_fact, sheet),
        ),
        player="companion.games.race.player:RacePlayer",
        shorthand=SimpleNamespace(sheet=sheet, state_of_position=partial(states.state_of_position, sheet)),
    )
