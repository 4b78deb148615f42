"""Suspend: the declaration. `rules` judge events, `rounds` deal and close.

First called is `start` (rules), then `apply` with `events`; `positions` judges what was observed, `reading` infers from
the eyes, `view` is what phones show, `hints` what is at risk.
"""

from companion.game.game import Eyes, Game, Page, People, Rules, Table, Text
from companion.games.suspend import events, moves, positions, rules
from companion.games.suspend.events import Event, Hung, Rolled
from companion.games.suspend.hints import hints
from companion.games.suspend.house import ELIMINATED_AT, OPTIONS, SEATS, TITLE
from companion.games.suspend.reading import has_moved, interpret, seen_back, seen_set_up
from companion.games.suspend.state import SuspendState
from companion.games.suspend.view import view

GAME: Game[SuspendState, Event] = Game(
    name="suspend",
    title=TITLE,
    options=OPTIONS,
    rules=Rules(
        start=rules.start,
        to_move=moves.to_move,
        legal=moves.legal,
        apply=rules.apply,
        outcome=moves.outcome,
        score=moves.score,
        status=positions.faults,
    ),
    text=Text(
        state_type=SuspendState,
        action_type=Event,
        action=events.event_text,
        action_of=events.event_of_text,
        says=events.says,
    ),
    page=Page(view=view, hints=hints),
    eyes=Eyes(reader="rods", interpret=interpret, tells_whole_turns=True, has_moved=has_moved),
    table=Table(layout=moves.layout, put_back=moves.put_back, seen_back=seen_back, seen_set_up=seen_set_up),
    people=People(
        amendable=(Rolled, Hung),
        question=rules.question,
        amended=moves.amended,
        corrections=moves.corrections,
        says_fact=moves.says_fact,
    ),
    player="player:RodPlayer",
    event={"format": "limit", "limit": ELIMINATED_AT, "most_seats": len(SEATS), "tie_breaks": ["lot"]},
)
