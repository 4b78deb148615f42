"""A rating per game with its uncertainty: the Plackett-Luce model of Weng and Lin (2011), by the package openskill.

It takes any number of people, teams and shared places. A newcomer has 1500 give or take 1000; ratings are comparable
within one game only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from openskill.models import PlackettLuce

from companion.book.figures import Played
from companion.game.says import Says

SCALE = 60.0
"""Points for one point of openskill, whose newcomers have 25 give or take 2 x 8.33."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Somebody's rating in one game. The true strength is within `error` in 95 of 100 cases."""

    key: str
    points: int
    error: int
    plays: int
    change: int
    """Change by the newest play."""
    says: Says
    """Why it changed."""


def ratings(plays: Iterable[Played], names: Mapping[str, str]) -> tuple[Rating, ...]:
    """The ratings after these plays of one game (any order), the highest first."""
    model = PlackettLuce()
    now: dict[str, Any] = {}  # openskill's own ratings
    found: dict[str, Rating] = {}
    contests = [played for played in plays if played.is_contest and len(played.people) > 1]
    for played in sorted(contests, key=lambda one: (one.play.began_s, one.play.name)):
        teams = _teams(played)
        before = {key: now.get(key) or model.rating() for key in played.people}
        rated = model.rate([[before[key] for key in team] for _, team in teams], ranks=[place for place, _ in teams])
        for (_, team), after in zip(teams, rated, strict=True):
            for key, new in zip(team, after, strict=True):
                now[key] = new
                others = [other for other in played.people if other not in team]
                strongest = max(others, key=lambda other: before[other].mu, default=None)
                has_won = played.people[key].has_won
                words = "won against {name} ({points})" if has_won else "lost to {name} ({points})"
                rival = strongest if has_won else next((o for o in others if played.people[o].has_won), strongest)
                says = Says("played alone")
                if rival is not None:
                    says = Says(words, {"name": names[rival], "points": str(_points(before[rival].mu))})
                was = found.get(key)
                found[key] = Rating(
                    key,
                    _points(new.mu),
                    round(2 * SCALE * new.sigma),
                    1 + (was.plays if was else 0),
                    _points(new.mu) - _points(before[key].mu),
                    says,
                )
    return tuple(sorted(found.values(), key=lambda one: (-one.points, one.key)))


def _points(mu: float) -> int:
    return round(SCALE * mu)


def _teams(played: Played) -> list[tuple[int, list[str]]]:
    """The people by place. Winners together are one team if everybody else is, too: two pairs."""
    by_place: dict[int, list[str]] = {}
    for key, sat in played.people.items():
        by_place.setdefault(sat.place or len(played.people), []).append(key)
    if len(by_place) == 2 and all(len(team) == 2 for team in by_place.values()):
        return sorted(by_place.items())
    return sorted((place, [key]) for place, keys in by_place.items() for key in keys)
