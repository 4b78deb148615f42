"""A match judged by the rules becomes a result of the event."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from companion.event.facts import LOSS_DRAW, Reported
from companion.event.judged import result_of
from companion.event.presets import settings_for
from companion.event.standings import standings
from companion.game.known import game_named
from companion.games.manipulation_rummy.state import Phase
from tests.event.events import Desk


def test_rules_4_a_match_in_which_both_lost_their_eyes_is_half_a_loss_for_each() -> None:
    game = game_named("eyes_of_the_emperor")
    outcome = game.rules.outcome(replace(game.rules.start(), winner="loss_draw"))
    assert outcome is not None
    result = result_of(outcome, [("red",), ("blue",)])
    assert result == LOSS_DRAW
    desk = Desk(settings_for("eyes_of_the_emperor", 1, "s"), ["ann", "bo"])
    desk.pairs()
    desk.says(Reported(1, 1, result))
    assert [row.sums[0].value for row in standings(desk.event).rows] == [Fraction(1, 2)] * 2


def test_a_rummy_match_brings_its_points_and_rounds_won() -> None:
    game = game_named("manipulation_rummy")
    state = replace(game.rules.start(3), phase=Phase.OVER, totals=(152, 120, 90), rounds_won=(3, 5, 2))
    outcome = game.rules.outcome(state)
    assert outcome is not None
    assert (
        game.rules.score(state)[state.seats[1]].points != 120
    )  # with the bonuses of the match's end, which the event adds itself
    tally = {seat: score.summed for seat, score in game.rules.score(state).items()}
    result = result_of(outcome, [(seat,) for seat in state.seats], tally)
    assert (result.places, result.scores, result.rounds_won) == ((1, 2, 2), (152, 120, 90), (3, 5, 2))
