"""Eyes of the Emperor: the declaration. `rules` judge, `reading` infers from the eyes, `view` is the phones' view.

Then: `scene` (the settled valley), `facts` (the facts that decide a throw), `asking` (the question to people), `owners`
(dice given to the wrong emperor), `moves`, `table`, `state`, `status`, `notation`. A throw is judged once,
when both pieces have landed. If a deciding fact is too close to call, the throw stays open until a person has answered.
"""

from companion.game.game import Eyes, Game, Page, People, Rules, Table, Text
from companion.games.eyes_of_the_emperor import moves, notation, rules, status, table, view
from companion.games.eyes_of_the_emperor.house import OPTIONS, TITLE
from companion.games.eyes_of_the_emperor.one_throw import begins
from companion.games.eyes_of_the_emperor.set_up import seen_set_up
from companion.games.eyes_of_the_emperor.settled import settled
from companion.games.eyes_of_the_emperor.state import Action, State, ThrowSettled

GAME: Game[State, Action] = Game(
    name="eyes_of_the_emperor",
    title=TITLE,
    options=OPTIONS,
    rules=Rules(
        start=moves.start,
        to_move=moves.to_move,
        legal=moves.legal,
        apply=rules.apply,
        outcome=rules.outcome,
        score=moves.score,
        status=status.status,
    ),
    text=Text(
        state_type=State,
        action_type=Action,
        state=notation.state_text,
        state_of=notation.state_of_text,
        action=notation.action_text,
        action_of=notation.action_of_text,
        says=moves.says,
        checked=notation.checked,
    ),
    page=Page(view=view.view, hints=view.hints),
    eyes=Eyes(
        reader="eyes",
        interpret=table.interpret,
        tells_whole_turns=True,
        settled=settled,
        has_moved=table.has_moved,
        begins=begins,
        place_mm=table.place_mm,
    ),
    table=Table(
        layout=table.layout,
        put_back=table.put_back,
        as_left=table.as_left,
        seen_back=table.seen_back,
        seen_set_up=seen_set_up,
    ),
    people=People(
        amendable=(ThrowSettled,),
        question=rules.question,
        amended=table.amended,
        corrections=table.corrections,
        says_fact=table.says_fact,
        camera_alone=table.camera_alone,
    ),
    player="player:EyesPlayer",
)
