"""Whatever a look can say is taken: nothing, a proposal of several actions, a doubt, an error. Nothing waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from companion.game.says import Says
from companion.game.values import LOOK_AGAIN, Choice, Doubt, Proposal
from companion.game.view import MatchView, Sight
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.state import Action, EdgeCrossed, HajiChosen, OpponentChose, State
from companion.match.inputs import Act, Answer, Correct, EndThrow, Receipt, Undo
from companion.match.match import Match
from tests.companion.looks import START, Opened, TextLook

RED, BLUE = HajiChosen(seat="red"), HajiChosen(seat="blue")
EDGE, PLAY_ON = EdgeCrossed(thrower="red"), OpponentChose(restart=False)
WHO: Doubt[Action] = Doubt(
    "who",
    Says("Who said HAJI?"),
    (
        Choice("red", Says("Red did"), RED, likely=0.8),
        Choice("blue", Says("Blue did"), BLUE, likely=0.2),
        Choice("both", Says("Red did, and passed the edge"), RED, (EDGE,), needs_reason=True),
        Choice("no", Says("nobody")),
    ),
    "Eyes of the Emperor, Instructions 6",
    places_mm=(("red.1", 377.5, 350.0),),
)
Said = Proposal[Action] | Doubt[Action] | None | Exception


class Scripted:
    """Eyes whose looks say what a test tells them."""

    def __init__(self) -> None:
        self.says_next: Said = None
        self.game = replace(GAME, eyes=replace(GAME.eyes, interpret=self.interpret))

    def interpret(self, state: State, reading: Any, past: Any = ()) -> Any:
        if isinstance(self.says_next, Exception):
            raise self.says_next
        return self.says_next


class Table:
    def __init__(self, match: Match[Any, Any], game: Scripted) -> None:
        self.match, self.game = match, game

    def looks(self, says: Said) -> Receipt:
        self.game.says_next = says
        self.match.saw(Sight.SEES, Says("the table is seen"))
        self.match.looked(TextLook(START))
        return self.match.submit(EndThrow(by="Ann"))

    def seen_on_two_phones(self) -> MatchView:
        red, blue = self.match.view("red"), self.match.view("blue")
        assert (red.seq, red.question, red.waiting) == (blue.seq, blue.question, None)
        return red


OpenedTable = Callable[[], Table]


@pytest.fixture
def opened_table(opened: Opened) -> OpenedTable:
    def open_table() -> Table:
        game = Scripted()
        return Table(opened(game.game), game)

    return open_table


def test_all_actions_of_a_proposal_are_entered_at_once(opened_table: OpenedTable) -> None:
    table = opened_table()
    receipt = table.looks(Proposal((RED, EDGE), Says("two things")))
    view = table.seen_on_two_phones()
    assert receipt.entry == view.seq == 4
    assert "Restart" in str(view.question.says)
    assert [str(line.says) for line in view.history[:2]] == [
        "red passed the edge while throwing: blue chooses to restart or to play on",
        "red says HAJI",
    ]


def test_a_proposal_whose_second_action_is_illegal_enters_neither(opened_table: OpenedTable) -> None:
    table = opened_table()
    assert table.looks(Proposal((RED, PLAY_ON), Says("two things"))).refused is not None
    assert table.seen_on_two_phones().seq == 2  # the sight alone


def test_a_doubt_is_a_question_in_the_log_and_its_answer_enters_the_action(opened_table: OpenedTable) -> None:
    table = opened_table()
    assert table.looks(WHO).entry == 3
    question = table.seen_on_two_phones().question
    assert [(c.key, c.likely, c.needs_reason) for c in question.choices][:3] == [
        ("red", 0.8, False),
        ("blue", 0.2, False),
        ("both", None, True),
    ]
    assert question.evidence is not None
    again = opened_table()  # a restart asks again
    assert again.seen_on_two_phones().question == question
    assert again.match.submit(Answer(question=question.id, choice="blue", by="Ann")).entry == 5
    view = again.seen_on_two_phones()
    assert (view.question, view.table["haji"]) == (None, "blue")
    assert str(view.history[1].says) == "Who said HAJI? Blue did"
    assert "answered or taken back" in str(
        again.match.submit(Answer(question=question.id, choice="red", by="B")).refused
    )


def test_an_answer_that_the_table_can_be_told_now_has_it_judged_again(opened_table: OpenedTable) -> None:
    """It only closed the question: the button had to be pressed, and asked the same again."""
    free: tuple[Choice[Action], ...] = (Choice("red", Says("red did"), RED), Choice(LOOK_AGAIN, Says("look again")))
    unsure, still = (Doubt("unsure", Says(says), free, WHO.rule) for says in ("lay two free", "lay one free"))
    table = opened_table()
    table.looks(unsure)
    for said, last in ((still, LOOK_AGAIN), (still, "by_taps"), (Proposal((RED,), Says("red did")), None)):
        question = table.seen_on_two_phones().question
        table.game.says_next = said
        table.match.submit(Answer(question=question.id, choice=question.choices[-1].key, by="Ann"))
        now = table.seen_on_two_phones().question
        assert (now and (now.says, now.choices[-1].key)) == (last and (said.says, last))  # the same again leads on
    assert table.match.view().table["haji"] is None


def test_an_answer_against_the_record_needs_a_reason_and_enters_all_that_follows(opened_table: OpenedTable) -> None:
    table = opened_table()
    table.looks(WHO)
    question = table.seen_on_two_phones().question
    assert "say why" in str(table.match.submit(Answer(question=question.id, choice="both", by="Ann")).refused)
    table.match.submit(Answer(question=question.id, choice="both", by="Ann", reason="we both saw it"))
    view = table.seen_on_two_phones()
    assert view.question.id.endswith(":edge")
    assert "(we both saw it)" in str(view.history[2].says)
    # one undo took the second of two actions back and left the first standing, which nobody had entered by itself
    assert str(view.undo.says).startswith("red says HAJI and red passed the edge")
    table.match.submit(Undo(entry=view.undo.entry, by="Bo"))
    back = table.seen_on_two_phones()
    assert (back.table["haji"], back.question, back.undo) == (None, None, None)
    assert [line.entry for line in back.history if line.is_retracted] == [6, 5]


def test_an_open_question_blocks_neither_undo_nor_taps_nor_the_next_look(opened_table: OpenedTable) -> None:
    table = opened_table()
    table.looks(WHO)
    assert "table looks the same as before" in str(table.looks(WHO).refused)
    asked = table.seen_on_two_phones()
    assert "Who said HAJI?" in str(asked.undo.says)
    assert "only the last ruling" in str(
        table.match.submit(Correct(entry=9, fact="x", value="y", by="Ann", reason="z")).refused
    )
    table.match.submit(Undo(entry=asked.undo.entry, by="Ann"))
    assert table.seen_on_two_phones().question is None
    table.looks(WHO)
    assert table.looks(Proposal((RED,), Says("red did"))).entry is not None
    assert table.seen_on_two_phones().question is None
    table = opened_table()
    table.match.submit(Undo(entry=table.match.view().undo.entry, by="Ann"))
    table.looks(WHO)
    assert table.match.submit(Act(seat="blue", move="haji", values={"seat": "blue"}, by="Bo")).entry is not None
    assert table.seen_on_two_phones().question is None


def test_a_reader_or_rule_that_raises_is_said_in_a_sentence_and_play_goes_on(opened_table: OpenedTable) -> None:
    table = opened_table()
    says = "something went wrong (ZeroDivisionError)"
    assert says in str(table.looks(ZeroDivisionError("oops")).refused)
    assert says in str(table.seen_on_two_phones().refused)
    assert table.looks(Proposal((RED,), Says("red did"))).entry == 3


def test_moves_are_tapped_from_the_list_of_the_rules(opened_table: OpenedTable) -> None:
    table = opened_table()
    moves = {move.move: move for move in table.match.view("red").moves}
    assert (moves["throw"].is_tapped, moves["haji"].is_tapped) == (False, True)
    assert [choice.key for choice in moves["haji"].asks[0].choices] == ["red", "blue"]
    assert table.match.view().moves == ()
    submit = table.match.submit
    assert "not open to red" in str(submit(Act(seat="red", move="knock", by="Ann")).refused)
    assert "done on the table, not by tapping" in str(submit(Act(seat="red", move="throw", by="Ann")).refused)
    assert "seat is None, expected one of red, blue" in str(submit(Act(seat="red", move="haji", by="Ann")).refused)
    assert submit(Act(seat="red", move="haji", values={"seat": "blue"}, by="Ann")).entry == 2
