"""The figures of people, games, evenings, years and leagues. Pure functions of plays.

A contest is a finished play of at least two seats with a winner. Every other play only counts as played.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from msgspec.structs import replace

from companion.book.book import BookKnown
from companion.book.facts import BookPerson, LeagueTold
from companion.book.play import Play, Sat
from companion.game.says import Says

EVENING_ENDS_H = 6
"""Hour of the morning that ends an evening."""
LEAST_MET = 3
"""Plays together before somebody is called a rival or nemesis."""
LEAST_ROLLS = 30
"""Rolls before the book says whether they are surprising."""
RARE, UNUSUAL = 0.001, 0.05
"""Chances under which a die's values are called very and a little surprising."""


@dataclass(frozen=True, slots=True)
class Played:
    """A play with the people's keys. Somebody with two seats has the better one."""

    play: Play
    people: Mapping[str, Sat]
    evening: date
    """The first day of its evening, local time."""
    is_contest: bool
    id: str
    """The play's name among those of all boxes."""
    game: str
    """One game, also when it was played elsewhere or with a score pad: plays of one title are plays of one game."""
    way: int
    """1 if the winners have more points than the others, -1 if fewer, 0 if points do not say."""


@dataclass(frozen=True, slots=True)
class Tallied:
    """Somebody's plays and wins. `plays` are contests: a sculpture of one's own has no winner."""

    key: str
    plays: int
    wins: int

    @property
    def share(self) -> float:
        return self.wins / self.plays if self.plays else 0.0


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """A person's page. Others are given by key; None: not enough plays together."""

    person: BookPerson
    all: Tallied
    played_s: float
    by_game: tuple[tuple[str, Tallied], ...]
    streak: int
    """Wins in a row up to now; negative: losses."""
    longest: int
    favourite: str | None
    rival: Tallied | None
    nemesis: Tallied | None
    buddy: str | None
    best: Mapping[str, tuple[Play, float]]
    """For each game with points: the play of the best result, and its points."""
    dice: Counter[int]
    plays: tuple[Played, ...]


@dataclass(frozen=True, slots=True)
class GameFigures:
    title: str
    plays: tuple[Played, ...]
    leaders: tuple[Tallied, ...]
    played_s: float
    shortest: Play | None
    longest: Play | None
    record: tuple[Play, Sat] | None
    asked: int
    overruled: int
    watched: int
    """Plays that have a log: only these can have been asked about."""


@dataclass(frozen=True, slots=True)
class PeriodFigures:
    plays: tuple[Played, ...]
    leaders: tuple[Tallied, ...]
    games: tuple[tuple[str, int], ...]
    months: tuple[int, ...]
    played_s: float


@dataclass(frozen=True, slots=True)
class LeagueLine:
    key: str
    points: float
    plays: int
    wins: int


class Figures:
    """The figures of the book at one moment."""

    def __init__(self, known: BookKnown) -> None:
        self.known = known
        home = known.household
        names = dict.fromkeys(sat.name for play in reversed(known.plays) for sat in play.seats if sat.name)
        self.people = home.people(names)
        keys = {name: home.key(name) for name in names}
        self.all_plays = tuple(_with_people(play, keys) for play in known.plays)
        """Also those that are left out."""
        self.plays = tuple(played for played in self.all_plays if played.id not in home.left_out)
        self._by_game = _by_game(self.plays)
        self.titles = {game: plays[0].play.title for game, plays in self._by_game.items()}

    def named(self) -> list[Play]:
        """All plays that count, with the name of each person that is shown."""
        home = self.known.household

        def shown(sat: Sat) -> Sat:
            return sat if sat.name is None else replace(sat, name=self.people[home.key(sat.name)].name)

        return [replace(one.play, seats=tuple(map(shown, one.play.seats))) for one in self.plays]

    def latest(self) -> list[str]:
        """The names of everybody except guests, the latest players first."""
        seen = dict.fromkeys(key for played in self.plays for key in played.people)
        return [one.name for key in {**seen, **dict.fromkeys(self.people)} if not (one := self.people[key]).is_guest]

    def group(self, name: str) -> frozenset[str]:
        told = self.known.household.groups.get(name)
        return frozenset(map(self.known.household.key, told.people if told else ()))

    def chosen(self, *, game: str = "", person: str = "", group: str = "", year: int = 0) -> tuple[Played, ...]:
        """The plays of a game, of a person, of a group's people alone, and of a year. Empty or 0: any."""
        members = self.group(group)
        return tuple(
            played
            for played in (self._by_game.get(game, ()) if game else self.plays)
            if (not person or person in played.people)
            and (not group or (len(played.people) > 1 and played.people.keys() <= members))
            and (not year or played.evening.year == year)
        )

    @property
    def years(self) -> tuple[int, ...]:
        return tuple(sorted({played.evening.year for played in self.plays}, reverse=True))

    def leaders(self, plays: Iterable[Played]) -> tuple[Tallied, ...]:
        """Everybody who played, most wins first, then fewest plays. Guests are left out."""
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for played in plays:
            if played.is_contest:
                for key, sat in played.people.items():
                    counts[key][0] += 1
                    counts[key][1] += sat.has_won
        found = [Tallied(key, *count) for key, count in counts.items() if not self.people[key].is_guest]
        return tuple(sorted(found, key=lambda one: (-one.wins, one.plays, one.key)))

    def person(self, key: str) -> PersonFigures:
        """A person's page. Raises: KeyError."""
        person = self.people[key]
        mine = tuple(played for played in self.plays if key in played.people)
        contests = [played for played in mine if played.is_contest]
        runs = [(won, len(list(run))) for won, run in groupby(p.people[key].has_won for p in reversed(contests))]
        met: dict[str, list[int]] = defaultdict(lambda: [0, 0])  # contests in which one of the two won: all, theirs
        beside: Counter[str] = Counter()
        for played in mine:
            for other, sat in played.people.items():
                beside[other] += other != key
                if played.is_contest and sat.has_won != played.people[key].has_won:
                    met[other][0] += 1
                    met[other][1] += sat.has_won
        rivals = [Tallied(other, *count) for other, count in met.items() if count[0] >= LEAST_MET]
        above = [one for one in rivals if one.share > 0.5]
        games = _by_game(mine)
        by_game = [(game, self._tally(key, plays)) for game, plays in games.items()]
        by_game.sort(key=lambda line: (-line[1].plays, line[0]))
        return PersonFigures(
            person,
            self._tally(key, mine),
            sum(played.play.played_s for played in mine),
            tuple(by_game),
            next((count if has_won else -count for has_won, count in reversed(runs)), 0),
            max((count for has_won, count in runs if has_won), default=0),
            max(games, key=lambda game: len(games[game]), default=None),
            max(rivals, key=lambda one: (one.plays, -abs(one.share - 0.5), one.key), default=None),
            max(above, key=lambda one: (one.share, one.plays, one.key), default=None),
            min((other for other in beside if other != key), key=lambda other: (-beside[other], other), default=None),
            {game: best for game, plays in games.items() if (best := self._best(key, game, plays))},
            _rolls(key, mine),
            mine,
        )

    def _tally(self, key: str, plays: Iterable[Played]) -> Tallied:
        contests = [played for played in plays if played.is_contest and key in played.people]
        return Tallied(key, len(contests), sum(played.people[key].has_won for played in contests))

    def _best(self, key: str, game: str, plays: Sequence[Played]) -> tuple[Play, float] | None:
        """A person's best points in a game. Best: most if its winners have most points, else fewest."""
        way = self._way(game)
        mine = [(p.play, p.people[key].points) for p in plays if p.play.is_over and p.people[key].points is not None]
        if not mine or not way:
            return None
        play, points = max(mine, key=lambda one: (way * (one[1] or 0.0), one[0].began_s))
        return play, points or 0.0

    def _way(self, game: str) -> int:
        """1 if the winners of a game mostly have more points than the others, -1 if fewer, 0 if it has no points."""
        ways = Counter(played.way for played in self.chosen(game=game))
        return (1 if ways[1] >= ways[-1] else -1) if ways[1] or ways[-1] else 0

    def game(self, game: str) -> GameFigures:
        """A game's page. Raises: KeyError."""
        plays, way = self.chosen(game=game), self._way(game)
        timed = [played.play for played in plays if played.play.is_over and played.play.played_s > 0]
        results = [
            (played.play, sat)
            for played in plays
            if played.play.is_over
            for sat in played.people.values()
            if sat.points is not None
        ]
        return GameFigures(
            self.titles[game],
            plays,
            self.leaders(plays),
            sum(played.play.played_s for played in plays),
            min(timed, key=lambda play: (play.played_s, play.name), default=None),
            max(timed, key=lambda play: (play.played_s, play.name), default=None),
            max(results, key=lambda one: (way * (one[1].points or 0.0), -one[0].began_s)) if way and results else None,
            sum(played.play.asked for played in plays),
            sum(played.play.overruled for played in plays),
            sum(played.play.has_log for played in plays),
        )

    def period(self, within: Callable[[date], bool]) -> PeriodFigures:
        """The plays of the evenings that `within` accepts."""
        plays = tuple(played for played in self.plays if within(played.evening))
        months = Counter(played.evening.month for played in plays)
        games = Counter(played.game for played in plays)
        return PeriodFigures(
            plays,
            self.leaders(plays),
            tuple(sorted(games.items(), key=lambda line: (-line[1], line[0]))),
            tuple(months[month] for month in range(1, 13)),
            sum(played.play.played_s for played in plays),
        )

    def evening(self, now_s: float) -> PeriodFigures:
        today = evening_of(now_s)
        return self.period(lambda day: day == today)

    def year(self, year: int) -> PeriodFigures:
        return self.period(lambda day: day.year == year)

    def league(self, league: LeagueTold) -> tuple[LeagueLine, ...]:
        """A league's table: points by place, then wins, then fewer plays. People who share a place share its points."""
        points: dict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
        for played in self.chosen(game=league.game, group=league.group):
            day = played.evening.isoformat()
            if not played.is_contest or day < league.begins or (league.ends and day > league.ends):
                continue
            places = [sat.place or len(played.people) for sat in played.people.values()]
            for key, sat in played.people.items():
                place = sat.place or len(played.people)
                shared = range(place - 1, place - 1 + places.count(place))
                won = math.fsum(league.points[i] for i in shared if i < len(league.points)) / len(shared)
                line = points[key]
                line[0], line[1], line[2] = line[0] + won, line[1] + 1, line[2] + sat.has_won
        found = [LeagueLine(key, line[0], int(line[1]), int(line[2])) for key, line in points.items()]
        return tuple(sorted(found, key=lambda one: (-one.points, -one.wins, one.plays, one.key)))


def evening_of(at_s: float) -> date:
    """The first day of the evening at a moment, local time."""
    return (datetime.fromtimestamp(at_s) - timedelta(hours=EVENING_ENDS_H)).date()


def dice_say(rolls: Mapping[int, int]) -> Says:
    """Whether a die's values are surprising, by Pearson's chi-squared test with 5 degrees of freedom.

    >>> str(dice_say({1: 12, 2: 9, 3: 11, 4: 8, 5: 10, 6: 10})).split(":")[0]
    'nothing surprising'
    >>> str(dice_say({6: 40}))
    'very surprising: a fair die does this less than once in 1000 times'
    """
    count = sum(rolls.values())
    if count < LEAST_ROLLS:
        return Says("too few rolls to say: {n} of {least}", {"n": count, "least": LEAST_ROLLS})
    off = sum((rolls.get(value, 0) - count / 6) ** 2 for value in range(1, 7)) / (count / 6)
    chance = math.erfc(math.sqrt(off / 2)) + math.sqrt(2 * off / math.pi) * math.exp(-off / 2) * (1 + off / 3)
    if chance < RARE:
        return Says("very surprising: a fair die does this less than once in {n} times", {"n": round(1 / RARE)})
    if chance < UNUSUAL:
        return Says("a little surprising: a fair die does this once in {n} times", {"n": round(1 / chance)})
    percent = round(100 * chance)
    return Says("nothing surprising: {n} of 100 fair dice are less even than this", {"n": percent})


def _with_people(play: Play, keys: Mapping[str, str]) -> Played:
    people: dict[str, Sat] = {}
    for sat in sorted(play.seats, key=lambda sat: (not sat.has_won, sat.place or len(play.seats))):
        if sat.name:
            people.setdefault(keys[sat.name], sat)
    is_contest = play.is_over and len(play.seats) > 1 and any(sat.has_won for sat in play.seats)
    way = _way(play) if is_contest else 0
    return Played(play, people, evening_of(play.began_s), is_contest, play.id, play.title.casefold(), way)


def _way(play: Play) -> int:
    won, lost = ([s.points for s in play.seats if s.has_won is side and s.points is not None] for side in (True, False))
    if not won or not lost:
        return 0
    of_winners, of_others = math.fsum(won) / len(won), math.fsum(lost) / len(lost)
    return (of_winners > of_others) - (of_winners < of_others)


def _by_game(plays: Iterable[Played]) -> dict[str, list[Played]]:
    found: dict[str, list[Played]] = {}
    for played in plays:
        found.setdefault(played.game, []).append(played)
    return found


def _rolls(key: str, plays: Iterable[Played]) -> Counter[int]:
    found = Counter[int]()
    for played in plays:
        for value, count in played.play.dice.get(played.people[key].seat, {}).items():
            if value.isdecimal():
                found[int(value)] += count
    return found
