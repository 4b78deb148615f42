"""The settings that an event begins with: a game's own, or for any other game those of a kind of result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from companion.event.facts import settings_of
from companion.event.refused import EventRefused
from companion.event.settings import Format, Settings
from companion.game.game import Game
from companion.game.known import game_named, names, players_of
from companion.game.says import Says

_TIE_BREAKS = ["buchholz", "wins", "lot"]


@dataclass(frozen=True, slots=True)
class AnyGame:
    """Settings for a game that its organiser names, results by phone, slip and desk."""

    says: Says
    usual: Mapping[str, object]


_TABLES = {
    "format": "pods",
    "fewest_seats": 3,
    "most_seats": 5,
    "points": {"win": 4, "draw": 2, "loss_draw": 2, "bye": 4, "forfeit_win": 4, "places": [4, 3, 2, 1]},
    "has_loss_draws": False,
}
ANY_GAME: Mapping[str, AnyGame] = {
    "any_ends": AnyGame(Says("Another game: win, draw or loss"), {"has_loss_draws": False}),
    "any_fide": AnyGame(
        Says("Chess by FIDE's rules"), {"pairing": "fide_dutch", "first": "white", "has_loss_draws": False}
    ),
    "any_series": AnyGame(
        Says("Another game: best of 3"), {"result": "best_of", "has_draws": False, "has_loss_draws": False}
    ),
    "any_places": AnyGame(
        Says("Another game: places at tables of 3 to 5"), {**_TABLES, "tie_breaks": ["share", *_TIE_BREAKS]}
    ),
    "any_points": AnyGame(
        Says("Another game: points at tables of 3 to 5"),
        {**_TABLES, "result": "points", "tie_breaks": ["share_of_points", *_TIE_BREAKS]},
    ),
}


def presets() -> tuple[str, ...]:
    """All presets: the games that can be judged here, then those for any other game."""
    return (*names(), *ANY_GAME)


def title_of(game: str) -> str:
    """A game's title; a name that the organiser typed is its own."""
    return game_named(game).title if game in names() else game


def settings_for(preset: str, rounds: int | None, seed: str) -> Settings:
    """Settings to begin with. Raises: EventRefused for an unknown preset.

    >>> settings_for("suspend", 5, "42").format, settings_for("any_places", 5, "42").points.places[0]
    (<Format.LIMIT: 'limit'>, Fraction(4, 1))
    """
    if preset in ANY_GAME:
        usual = ANY_GAME[preset].usual
    elif preset in names():
        usual = game_named(preset).event or _by_players(game_named(preset))
    else:
        raise EventRefused("unknown game {game}", game=preset)
    settings = settings_of(msgspec.json.encode({**usual, "seed": seed}))
    needs_rounds = settings.format in (Format.SWISS, Format.PODS)
    return msgspec.structs.replace(settings, rounds=rounds) if needs_rounds else settings


def is_judged(game: str, settings: Settings) -> bool:
    """Whether a table with a camera can report results of an event: it knows the game, and judges one match."""
    return game in names() and settings.result is settings_for(game, 1, "").result


def _by_players(game: Game[Any, Any]) -> Mapping[str, object]:
    """Swiss if only two play, else tables of about four."""
    players = players_of(game)
    if max(players) < 3:
        return {}
    fewest = 3 if 3 in players else min(players)
    return {"format": "pods", "fewest_seats": fewest, "most_seats": min(4, max(players)), "tie_breaks": _TIE_BREAKS}
