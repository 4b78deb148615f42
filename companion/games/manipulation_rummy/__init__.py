"""Manipulation Rummy: the declaration. `rules` judge turns, `melds` the table, `scoring` counts, `hints` solve.

First called is `start` (rules), then `apply` with facts from `state`; `positions` judges what was observed, `notation`
writes it down, `reading` infers from the eyes, `view` is what phones show, `house` holds the switches.
"""

from companion.game.game import Eyes, Game, Page, Rules, Secrets, Table, Text
from companion.games.manipulation_rummy import hands, house, moves, notation, positions, rules, shorthand
from companion.games.manipulation_rummy.hints import hints
from companion.games.manipulation_rummy.house import OPTIONS, TITLE
from companion.games.manipulation_rummy.reading import begins, interpret
from companion.games.manipulation_rummy.settled import settled
from companion.games.manipulation_rummy.state import Action, Melded, RummyState
from companion.games.manipulation_rummy.view import view

GAME: Game[RummyState, Action] = Game(
    name="manipulation_rummy",
    title=TITLE,
    options=OPTIONS,
    rules=Rules(
        start=rules.start,
        to_move=rules.to_move,
        legal=moves.legal,
        apply=rules.apply,
        outcome=moves.outcome,
        score=moves.score,
        status=positions.faults,
    ),
    text=Text(
        state_type=RummyState,
        action_type=Action,
        action=notation.action_text,
        action_of=notation.action_of_text,
        says=moves.says,
    ),
    page=Page(view=view, hints=hints),
    eyes=Eyes(
        reader="rummy",
        interpret=interpret,
        settled=settled,
        begins=begins,
        has_moved=lambda before, after: True,  # a reading is compared with the recorded table, and each turn is another
    ),
    table=Table(
        put_back=moves.put_back,
        as_left=lambda state, action, entered: entered() if isinstance(action, Melded) else None,
    ),
    secrets=Secrets(secret_of=hands.hand_of, kept=hands.kept, known_to=hands.known_to, check=hands.check),
    shorthand=shorthand,
    player="player:RummyPlayer",
    event={
        "format": "goal",
        "fewest_seats": house.FEWEST_SEATS,
        "most_seats": house.MOST_SEATS,
        "goal": house.GOAL_POINTS,
        "goal_bonus": house.GOAL_BONUS,
        "round_bonus": house.ROUND_BONUS,
        "tie_breaks": ["wins"],
    },
)
