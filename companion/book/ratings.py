"""A rating per game with its uncertainty: the Plackett-Luce model of Weng and Lin (2011), by the package openskill."""

import threading
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
    says: Says


class Ratings:
    """The ratings of one game. They continue from the plays of the last call; any thread may ask."""

    def __init__(self) -> None:
        self._alone = threading.Lock()
        self._model = PlackettLuce()
        self._rated: list[Played] = []
        self._now: dict[str, Any] = {}  # openskill's own ratings
        self._newest: dict[str, tuple[int, Played, Mapping[str, Any]]] = {}
        """For each person: number of plays, the newest one, and everybody's rating before it."""

    def after(self, plays: Iterable[Played], names: Mapping[str, str]) -> tuple[Rating, ...]:
        """The ratings after these plays (any order), the highest first."""
        contests = [played for played in plays if played.is_contest and len(played.people) > 1]
        contests.sort(key=lambda one: (one.play.began_s, one.play.name))
        with self._alone:
            if contests[: len(self._rated)] != self._rated:
                self._rated, self._now, self._newest = [], {}, {}
            for played in contests[len(self._rated) :]:
                self._rate(played)
            found = [self._rating(key, names) for key in self._now]
        return tuple(sorted(found, key=lambda one: (-one.points, one.key)))

    def _rate(self, played: Played) -> None:
        teams = _teams(played)
        before = {key: self._now.get(key) or self._model.rating() for key in played.people}
        rated = self._model.rate(
            [[before[key] for key in team] for _, team in teams], ranks=[place for place, _ in teams]
        )
        for (_, team), after in zip(teams, rated, strict=True):
            self._now.update(zip(team, after, strict=True))
        for key in played.people:
            self._newest[key] = 1 + self._newest.get(key, (0,))[0], played, before
        self._rated.append(played)

    def _rating(self, key: str, names: Mapping[str, str]) -> Rating:
        now, (count, played, before) = self._now[key], self._newest[key]
        team = next(team for _, team in _teams(played) if key in team)
        others = [other for other in played.people if other not in team]
        has_won = played.people[key].has_won
        against = [other for other in others if has_won or played.people[other].has_won] or others
        says = Says("played alone")
        if against:
            rival = max(against, key=lambda other: before[other].mu)
            words = "won against {name} ({points})" if has_won else "lost to {name} ({points})"
            says = Says(words, {"name": names[rival], "points": str(_points(before[rival].mu))})
        change = _points(now.mu) - _points(before[key].mu)
        return Rating(key, _points(now.mu), round(2 * SCALE * now.sigma), count, change, says)


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
