"""What every game keeps: one suite over `GAMES`, fed by the playthroughs in tests/playthroughs."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.game import Game, action_json, action_of_json, seats_of, state_json, state_of_json
from companion.game.known import GAMES, game_named, paragraphs
from companion.game.says import says_json
from companion.game.values import Illegal
from companion.games import __file__ as games_file
from tests.games import playthrough
from web.site.languages import offered
from web.words import ENGLISH

PATHS = playthrough.files()
STEPS_LOOKED_AT = 60
"""Steps of a playthrough on which the costlier questions are asked, spread over it."""


def headings(name: str) -> set[str]:
    """The headings of a game's RULES.md under which something stands: a page shows those words."""
    return {heading for heading, words in paragraphs(name).items() if words}


def assert_cited(game: Game[Any, Any], rule: str) -> None:
    title, _, paragraph = rule.partition(", ")
    assert title == game.title, rule
    assert paragraph in headings(game.name), f"{rule}: no such heading in {game.name}/RULES.md"


@cache
def folded(text: str) -> list[tuple[Any, Any]]:
    """Each (state, action) of a playthrough, and (last state, None)."""
    game, seats, options = playthrough.head(text)
    state = game.rules.start(seats, options)
    found = []
    for line in playthrough.actions(text):
        action = game.text.action_of(line, state)
        found.append((state, action))
        state = game.rules.apply(state, action).state
    return [*found, (state, None)]


def some(steps: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return steps[:: max(1, len(steps) // STEPS_LOOKED_AT)] + steps[-1:]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_its_kit_its_words_and_a_match_to_read(name: str) -> None:
    folder = Path(games_file).parent / name
    assert tomllib.loads((folder / "kit.toml").read_text(encoding="utf-8"))
    assert tomllib.loads((folder / "words" / "de.toml").read_text(encoding="utf-8"))
    assert any(path.stem.startswith(name) for path in PATHS), f"tests/playthroughs has no match of {name}"


@pytest.mark.parametrize("lang", sorted(set(offered()) - {ENGLISH}))
@pytest.mark.parametrize("name", GAMES)
def test_the_paragraphs_are_told_in_every_language_part_for_part(name: str, lang: str) -> None:
    assert (Path(games_file).parent / name / f"RULES.{lang}.md").exists()
    english, told = paragraphs(name), paragraphs(name, lang)
    assert list(told) == list(english)
    assert {heading: words.count("\n\n") for heading, words in told.items()} == {
        heading: words.count("\n\n") for heading, words in english.items()
    }
    assert not [heading for heading, words in english.items() if len(words) > 20 and told[heading] == words]


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    path: Path = request.param
    return path.read_text(encoding="utf-8")


def test_a_playthrough_is_told_again_word_for_word(text: str) -> None:
    game, seats, options = playthrough.head(text)
    assert playthrough.told(game, seats, options, playthrough.actions(text)) == text


def test_folding_twice_gives_the_same_and_touches_no_input(text: str) -> None:
    game, _, _ = playthrough.head(text)
    first, second = folded(text), folded.__wrapped__(text)
    assert first == second
    for state, action in some(first):
        if action is None:
            continue
        state_before, action_before = json.dumps(state_json(game, state)), game.text.action(action)
        game.rules.apply(state, action)
        game.rules.explain(state, action)
        game.rules.legal(state)
        game.rules.status(state)
        assert json.dumps(state_json(game, state)) == state_before
        assert game.text.action(action) == action_before


def test_states_and_actions_go_through_json_and_text(text: str) -> None:
    game, _, _ = playthrough.head(text)
    for state, action in some(folded(text)):
        assert state_of_json(game, json.loads(json.dumps(state_json(game, state)))) == state
        assert game.text.state_of(game.text.state(state)) == state
        if action is not None:
            assert action_of_json(game, json.loads(json.dumps(action_json(action)))) == action
            assert game.text.action_of(game.text.action(action), state) == action


def test_legal_explain_and_apply_agree(text: str) -> None:
    game, _, _ = playthrough.head(text)
    for state, action in some(folded(text)):
        assert game.rules.status(state) == ()
        moves = game.rules.legal(state)
        if action is None:
            continue
        assert game.rules.explain(state, action).is_legal
        listed = [move.action for move in moves if move.action is not None]
        if len(listed) == len(moves):
            assert action in listed
            assert len({game.text.action(a) for a in listed}) == len(listed)
            for other in listed:
                game.rules.apply(state, other)
        assert bool(game.rules.to_move(state)) is (game.rules.outcome(state) is None)


def test_every_word_of_the_rules_cites_a_heading(text: str) -> None:
    game, _, _ = playthrough.head(text)
    for state, action in some(folded(text)):
        for move in game.rules.legal(state):
            assert_cited(game, move.rule)
        if action is not None:
            assert_cited(game, game.rules.explain(state, action).rule)
            for ruling in game.rules.apply(state, action).rulings:
                assert_cited(game, ruling.rule)
    over = game.rules.outcome(folded(text)[-1][0])
    if over is not None:
        assert_cited(game, over.rule)
        assert set(over.winners) <= set(seats_of(game, folded(text)[-1][0]))


def test_an_action_after_its_time_is_refused_with_a_rule(text: str) -> None:
    game, _, _ = playthrough.head(text)
    steps = folded(text)
    last = steps[-1][0]
    if game.rules.outcome(last) is not None:
        with pytest.raises(Illegal) as refused:
            game.rules.apply(last, steps[-2][1])
        assert_cited(game, refused.value.rule)
        assert not game.rules.explain(last, steps[-2][1]).is_legal


def test_every_seat_and_a_watcher_have_a_view_in_json(text: str) -> None:
    game, _, _ = playthrough.head(text)
    for state, _ in some(folded(text))[::8]:
        for seat in (None, *seats_of(game, state)):
            json.dumps(game.page.view(state, seat), default=says_json)


def test_it_is_told_how_every_seat_stands_at_the_end(text: str) -> None:
    """Under "Ben wins with 261 points" stood "Ann 0, Ben 1": a share of the win, told as if it were the score."""
    game, _, _ = playthrough.head(text)
    *_, (state, _) = folded(text)
    scores = game.rules.score(state)
    assert set(scores) == set(seats_of(game, state))
    if game.name == "eyes_of_the_emperor":  # its score is the share of the win, and what stands is the eyes
        return
    for seat, score in scores.items():
        assert round(score.points) in score.words.values.values(), f"{seat}: {score.words}"


@pytest.mark.parametrize("name", GAMES)
def test_every_option_has_a_default_among_its_choices_and_cites_a_heading(name: str) -> None:
    game = game_named(name)
    for option in game.options:
        is_range = len(option.choices) == 1
        assert is_range or option.default in option.choices
        assert_cited(game, option.rule)


@pytest.mark.parametrize("name", GAMES)
def test_another_games_state_is_refused_by_name(name: str) -> None:
    game = game_named(name)
    other = next(g for g in GAMES if g != name)
    with pytest.raises(NotationError, match=f"belongs to {other}"):
        state_of_json(game, {"game": other})
    with pytest.raises(NotationError):
        state_of_json(game, [])
    with pytest.raises(NotationError):
        game.rules.start(99)


@pytest.mark.parametrize("name", GAMES)
def test_a_word_of_a_state_that_is_not_known_is_not_passed_over(name: str) -> None:
    # a die told as `dice` counted for nothing: the roll that waited was asked for again
    game = game_named(name)
    told = state_json(game, game.rules.start())
    assert state_of_json(game, {**told, "rulings": []}) == game.rules.start()
    with pytest.raises(NotationError, match="'dice', expected one of "):
        state_of_json(game, {**told, "dice": 1})
    house = next((key for key in ("house", "options") if key in told), None)
    if house is not None:
        with pytest.raises(NotationError, match=r"connector_in_plya|has no option"):
            state_of_json(game, {**told, house: {**told[house], "connector_in_plya": "true"}})


RACES = ("basic_manipulation", "center_point")


@pytest.mark.parametrize("name", RACES)
def test_every_option_that_changes_play_has_a_playthrough(name: str) -> None:
    told = [playthrough.head(path.read_text(encoding="utf-8")) for path in PATHS]
    mine = [options for game, _, options in told if game.name == name]
    for option in game_named(name).options:
        played = {options.get(option.key, option.default) for options in mine}
        expected = set(option.choices) if option.key != "colors" else {"rygb", "ryg", "rg"}
        assert expected <= played | {option.default}, option.key
