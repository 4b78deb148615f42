"""Whole turns are entered without a press; nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from companion.game.known import game_named
from companion.game.readings import BoardDie, BoardReading, SpotSeen
from companion.game.says import Says
from companion.game.view import CAMERA, MatchView, Sight
from companion.games.race.reading import standing
from companion.match.inputs import Act, Answer, EndThrow, RefereeCame, Undo
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from tests.companion.looks import LANDS, START, TextLook
from tests.games.rummy_help import placed
from tests.games.test_suspend_reading import seen

CP: Any = game_named("center_point")
RUMMY: Any = game_named("manipulation_rummy")
SUSPEND: Any = game_named("suspend")
EYES: Any = game_named("eyes_of_the_emperor")
SET_UP = LANDS + "E red.1 377.5,350; E blue.1 622.5,350"
ONE = START + "; N n1 500,100"
BOTH = START + "; N n1 500,100; N n2 500,600"
NEXT = BOTH + "; N n3 400,600; N n4 600,100"


class Table:
    """A match that enters by itself, at a table that a test changes."""

    def __init__(self, match: Match[Any, Any]) -> None:
        self.match, self.now_s = match, 1000.0

    def __call__(self) -> float:
        return self.now_s

    def settles(self, *, is_confirmed: bool = True, **shown: Any) -> MatchView:
        """Something moves, and the table comes to rest as `shown`."""
        self.now_s += 2.0
        self.match.saw(Sight.MOVING, Says("something moves"))
        self.match.looked(_Seen(at_s=self.now_s, **shown))
        self.match.saw(Sight.SEES, Says("the table is seen"))
        view = self.view()
        self.now_s += 1.0
        if is_confirmed:
            self.match.still(self.now_s)
        return view

    def press(self) -> MatchView:
        """Somebody presses, and a frame still shows the table."""
        self.match.submit(EndThrow(by="red"))
        self.view()
        self.now_s += 1.0
        self.match.still(self.now_s)
        return self.view()

    def view(self) -> MatchView:
        self.match.submit(RefereeCame(entry=0, by="Ann"))  # refused; by then all before it is done
        return self.match.view()


Opened = Callable[..., Table]


class _Seen(TextLook):
    """A look at a valley in text, or at a race board."""

    def __init__(self, at_s: float, valley: str = "", board: BoardReading | None = None) -> None:
        super().__init__(valley, at_s=at_s)
        object.__setattr__(self, "board", board)

    @property
    def reading(self) -> Any:
        return self.__dict__["board"] or super().reading


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    matches: list[Match[Any, Any]] = []

    def open_table(game: Any = EYES, *, enters_itself: bool = True, **options: str) -> Table:
        clock = Table(None)
        log = Log(tmp_path / f"{game.name}{len(matches)}.db")
        limits = Thresholds(enters_itself=enters_itself, hint_s=0.0, answer_s=0.0)
        clock.match = Match(game, log, wall_s=clock, monotonic_s=clock, thresholds=limits, options=options)
        matches.append(clock.match)
        return clock

    yield open_table
    for match in matches:
        match.close()


def throws(view: MatchView) -> int:
    return sum("throw" in str(line.says) for line in view.history if not line.is_retracted)


def test_a_throw_is_entered_once_both_pieces_lie_there(opened: Opened) -> None:
    table = opened()
    begun = table.settles(valley=START).judged
    half = table.settles(valley=ONE)
    assert half.judged == begun
    assert half.is_unsure
    assert str(half.seen) == "the camera counts one piece more than before"
    whole = table.settles(valley=BOTH)
    assert whole.judged > begun
    assert whole.history[0].by == CAMERA
    assert (whole.is_unsure, whole.seen) == (False, None)
    assert table.settles(valley=BOTH).judged == whole.judged  # a hand passes
    assert table.settles(valley=NEXT).judged > whole.judged


def test_a_press_before_anything_was_thrown_counts_only_if_people_press_again(opened: Opened) -> None:
    """It counted as a first throw that changes nothing."""
    table = opened()
    table.settles(valley=SET_UP)
    pressed = table.press()
    assert str(pressed.refused).startswith("nothing new is on the table")
    assert (throws(pressed), throws(table.press())) == (0, 1)


def test_a_throw_of_which_nothing_stays_is_told_and_ended_with_one_press(opened: Opened) -> None:
    """Both ninjas hit a die and rolled off: "the turn may not be over yet", and after the press it was asked too."""
    table = opened()
    table.settles(valley=START)
    table.settles(valley=BOTH)
    hit = BOTH.replace("E blue.2 622.5,350", "E blue.2 670,350")
    told = table.settles(valley=hit)
    assert str(told.seen) == "the camera counts no piece more than before"  # a question with no yes and no was shown
    pressed = table.press()
    assert (throws(pressed), pressed.question) == (2, None)
    assert not table.settles(valley=hit).is_unsure


def test_pieces_thrown_while_a_question_is_open_are_counted_after_the_answer(opened: Opened) -> None:
    """They were taken for what had lain there before."""
    table = opened()
    table.settles(valley=START)
    close = BOTH.replace("E red.1 377.5,350", "E red.1 200,550").replace("E red.2 377.5,350", "E red.2 377.5,473.9")
    asked = table.settles(valley=close, is_confirmed=False)
    assert not asked.is_unsure
    later = table.settles(valley=NEXT.replace(BOTH, close))
    assert later.is_unsure
    assert later.table["throw"] == 0
    table.match.submit(Answer(question=asked.question.id, choice="yes", by="Ann"))
    assert table.view().table["throw"] == 2


def test_what_lies_there_already_is_not_entered(opened: Opened) -> None:
    """The first look at a table may show the match before, or a throw that nobody saw."""
    table = opened()
    begun = table.settles(valley=BOTH).judged
    assert table.settles(valley=BOTH).judged == begun
    assert table.press().judged > begun


def test_an_undone_throw_is_entered_again_only_after_it_was_put_back(opened: Opened) -> None:
    table = opened()
    table.settles(valley=SET_UP)
    table.match.submit(Undo(entry=table.settles(valley=BOTH).undo.entry, by="Ann"))
    table.now_s += 1.0
    table.match.still(table.now_s)
    assert throws(table.settles(valley=BOTH)) == 0
    assert throws(table.settles(valley=BOTH)) == 0
    table.settles(valley=SET_UP)
    assert throws(table.settles(valley=BOTH)) == 1


def board(
    spaces: dict[str, str], *dice: int, x_mm: float = 600.0, doubt: Mapping[str, float] = MappingProxyType({})
) -> BoardReading:
    spots = {spot: SpotSeen(color=color, confidence=doubt.get(spot, 1.0)) for spot, color in spaces.items()}
    shown = tuple(BoardDie(value=v, in_tray=True, x_mm=x_mm, y_mm=250, box=(0, 0, 9, 9), confidence=1.0) for v in dice)
    return BoardReading(spaces=spots, between=(), dice=shown)


def on_board(state: Any) -> dict[str, str]:
    """Every marker of a state, on its circle or its place at the beginning."""
    spaces = dict(standing(CP.shorthand.sheet, state))
    for color, spots in state.pieces.items():
        spaces |= dict.fromkeys(
            CP.table.layout(state).board.roles[color]["home"][: spots.count(CP.shorthand.sheet.home)], color
        )
    return spaces


def homes() -> dict[str, str]:
    state = CP.rules.start()
    return {spot: color for color in state.pieces for spot in CP.table.layout(state).board.roles[color]["home"]}


def test_a_tap_for_what_the_camera_has_just_entered_does_nothing_more(opened: Opened) -> None:
    """Ann's "It hangs" came a moment after the camera: Ben was asked whether he rolled black too."""
    table = opened(SUSPEND)
    table.settles(board=seen(table.match.state))
    table.match.submit(Act(seat="A", move="A rolls black", by="Ann"))
    table.settles(board=seen(table.match.state))
    shown = table.view().judged
    assert table.settles(board=seen(table.match.state, without=("black", "1"))).judged > shown
    table.match.submit(EndThrow(by="Ann", judged=shown))
    assert table.view().waiting is None


def test_a_die_of_the_match_before_is_no_roll(opened: Opened) -> None:
    table = opened(CP)
    start = homes()
    first = table.settles(board=board(start, 6))
    begun = first.judged
    assert not first.is_unsure  # "I rolled" was offered for it
    assert table.settles(board=board(start, 6, x_mm=600.4)).judged == begun
    assert table.settles(board=board(start)).judged == begun  # it is picked up
    rolled = table.settles(board=board(start, 5, x_mm=640.0))
    assert rolled.judged > begun
    assert "5" in str(rolled.history[0].says)


def test_a_roll_and_a_move_need_no_press(opened: Opened) -> None:
    """A print in the marker's color left a waiting one in doubt, and legal moves waited for a press."""
    table = opened(CP)

    laid = partial(board, doubt={next(iter(homes())): 0.9})
    table.settles(board=laid(homes()))
    for turn in range(12):
        state = table.match.state
        seat, x_mm, lies = CP.rules.to_move(state)[0], 600.0 + 20 * (turn % 3), on_board(state)
        rolled = table.settles(board=laid(lies, 1 + turn % 6, x_mm=x_mm))
        assert table.match.state != state
        if table.match.state.die is None:  # no move was open
            continue
        move = CP.rules.legal(table.match.state)[0].action
        after = CP.rules.apply(table.match.state, move).state
        half = {spot: color for spot, color in lies.items() if on_board(after).get(spot) == color}
        assert table.settles(board=laid(half, 1 + turn % 6, x_mm=x_mm)).judged == rolled.judged, "in the hand"
        moved = table.settles(board=laid(on_board(after), 1 + turn % 6, x_mm=x_mm))
        assert table.match.state == after
        assert moved.history[0].by == CAMERA
        assert seat in str(moved.history[0].says)
    assert table.match.state.pieces != CP.rules.start().pieces


def test_a_wrong_move_that_is_put_right_answers_its_question(opened: Opened) -> None:
    """The question stayed open over a table that was right again, and nothing was entered until somebody tapped."""
    table = opened(CP)
    table.settles(board=board(homes()))
    for x_mm, value in enumerate((6, 5, 5, 5, 6)):
        table.settles(board=board(on_board(table.match.state), value, x_mm=600.0 + 20 * x_mm))
    x_mm = 680.0
    assert table.match.state.die == 6
    move = next(m.action for m in CP.rules.legal(table.match.state))
    after = CP.rules.apply(table.match.state, move).state
    right = on_board(after)
    wrong = {spot: color for spot, color in right.items() if spot != move.to} | {"B31": move.color}
    assert table.settles(board=board(wrong, 6, x_mm=x_mm)).is_unsure
    asked = table.press()
    assert not asked.is_unsure  # "something has moved since" was said of what is asked about
    assert [choice.key for choice in asked.question.choices][-1] == "as_it_lies"
    assert table.settles(board=board(right, 6, x_mm=x_mm)).question is None
    assert table.match.state == after


def test_a_card_laid_after_the_third_draw_is_told_at_once_and_never_counts_for_the_next_player(opened: Opened) -> None:
    """C laid a nine after the third card: nobody was told, and D's ten was entered together with it."""
    at = opened(RUMMY)

    def taps(*moves: str) -> None:
        for move in moves:
            assert at.match.submit(Act(seat=move[0], move=move, by=move[0])).refused is None

    taps("B draws")
    at.settles(board=placed(("6S 7S 8S", 0, 0)))
    assert at.press().table["phase"] == "end"
    taps("B ends", "C draws", "C draws", "C draws")
    assert not at.settles(board=placed(("6S 7S 8S", 0, 0))).is_unsure
    assert str(at.settles(board=placed(("6S 7S 8S 9S", 0, 0))).wrong) == "take 9S back: C may not meld in this turn"
    taps("C ends")
    at.match.close()  # what lay there was in memory alone: after a restart the nine was counted as D's
    at.match = Match(RUMMY, Log(at.match._log.path), wall_s=at, monotonic_s=at, thresholds=at.match._thresholds)
    taps("D draws")
    at.settles(board=placed(("6S 7S 8S 9S 10S", 0, 0)))
    asked = at.press().question
    assert str(asked.says).startswith("take 9S back: laid before the turn of D")
    at.match.submit(Answer(question=asked.id, choice="own", by="Dee"))
    assert at.view().table["players"][3]["cards_held"] == 9
