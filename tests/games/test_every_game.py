"""What every game keeps: one suite over `GAMES`, fed by the playthroughs in tests/playthroughs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.app.conformance import checked
from companion.game.errors import NotationError
from companion.game.game import Game, seats_of, state_json, state_of_json
from companion.game.known import GAMES, game_named, paragraphs
from companion.game.values import Illegal
from companion.games import __file__ as games_file
from tests.games import playthrough
from web.site.languages import offered
from web.words import ENGLISH

PATHS = playthrough.files()


def headings(name: str) -> set[str]:
    """The headings of a game's RULES.md under which something stands: a page shows those words."""
    return {heading for heading, words in paragraphs(name).items() if words}


def assert_cited(game: Game[Any, Any], rule: str) -> None:
    title, _, paragraph = rule.partition(", ")
    assert title == game.title, rule
    assert paragraph in headings(game.name), f"{rule}: no such heading in {game.name}/RULES.md"


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


@pytest.mark.parametrize("name", GAMES)
def test_a_random_match_words_sheet_kit_and_page_keep_what_every_game_keeps(name: str) -> None:
    assert [fault for _, faults, _ in checked(game_named(name), 1, seed=1) for fault in faults] == []
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


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_playthrough_is_told_again_word_for_word(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    game, seats, options = playthrough.head(text)
    assert playthrough.told(game, seats, options, playthrough.actions(text)) == text
    assert_ended(game, folded(text))


def assert_ended(game: Game[Any, Any], steps: list[tuple[Any, Any]]) -> None:
    """The end cites its rule, takes no more actions, and says how every seat stands.

    Under "Ben wins with 261 points" stood "Ann 0, Ben 1": a share of the win, told as if it were the score.
    """
    last = steps[-1][0]
    over, scores = game.rules.outcome(last), game.rules.score(last)
    if over is not None:
        assert_cited(game, over.rule)
        assert set(over.winners) <= set(seats_of(game, last))
        with pytest.raises(Illegal) as refused:
            game.rules.apply(last, steps[-2][1])
        assert_cited(game, refused.value.rule)
        assert not game.rules.explain(last, steps[-2][1]).is_legal
    assert set(scores) == set(seats_of(game, last))
    if game.name != "eyes_of_the_emperor":  # its score is the share of the win, and what stands is the eyes
        for seat, score in scores.items():
            values = score.words.values
            told = (*values.values(), *getattr(values.get("pieces"), "values", {}).values())
            assert round(score.points) in told, f"{seat}: {score.words}"


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
