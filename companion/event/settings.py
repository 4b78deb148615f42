"""The organiser's choices before an event: format, points, tie-breaks, seats, the published seed."""

from enum import StrEnum
from fractions import Fraction

import msgspec

from companion.event.refused import EventRefused

HALF = Fraction(1, 2)
MOST_ROUNDS = 100
MOST_GAMES = 9
MOST_MINUTES = 1440


class Format(StrEnum):
    SWISS = "swiss"
    ROUND_ROBIN = "round_robin"
    GROUPS = "groups"
    """Round robin in groups, then the best of each in a single elimination."""
    SINGLE = "single_elimination"
    DOUBLE = "double_elimination"
    PODS = "pods"
    """Tables of three to five, by points, with the fewest repeated opponents."""
    LIMIT = "limit"
    """Points count against you, and who reaches the limit is out: Suspend's expert tournament."""
    GOAL = "goal"
    """Points of all sittings are added until somebody reaches the goal, then come bonuses: Manipulation Rummy."""


class Pairing(StrEnum):
    OWN = "own"
    FIDE = "fide_dutch"
    """FIDE's Dutch system, Handbook C.04.3 of 2026: colours count, and the first seat has white."""


class First(StrEnum):
    """The first name of a table of two sits first, or has this colour."""

    SEAT = "sits_first"
    WHITE = "white"
    BLACK = "black"


class ResultKind(StrEnum):
    """The kind of a table's result. The formats limit and goal always count points."""

    ENDS = "win_or_draw"
    """One of a few ends at a table of two, a place each at a larger one."""
    POINTS = "points"
    """The game's own points for each."""
    SERIES = "best_of"
    """The games that each of two won, best of `best_of`."""


KNOCKOUTS = (Format.SINGLE, Format.DOUBLE)
AT_TABLES = (Format.PODS, Format.LIMIT, Format.GOAL)
"""Formats whose tables seat more than two."""
CLOSED = (Format.SINGLE, Format.DOUBLE, Format.GROUPS, Format.LIMIT)
"""Formats that nobody can enter once a round is paired."""


class TieBreak(StrEnum):
    """A criterion between entrants with equal points."""

    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT = "buchholz_cut"
    MEDIAN_BUCHHOLZ = "median_buchholz"
    SONNEBORN_BERGER = "sonneborn_berger"
    HEAD_TO_HEAD = "head_to_head"
    WINS = "wins"
    LOSSES = "losses"
    """Fewer are better; a loss-draw is half a loss."""
    SHARE = "share"
    """The share of all opponents beaten, a draw half: for tables of three and more with points for places."""
    PROGRESSIVE = "progressive"
    SCORED = "points_scored"
    SHARE_OF_POINTS = "share_of_points"
    """Sum over tables of the share of the game's points."""
    DIFFERENCE = "points_difference"
    LOT = "lot"


class Unplayed(StrEnum):
    """The worth of a round without a game in an opponent's tie-breaks."""

    AS_SCORED = "as_scored"
    """An opponent's points are what the standings show; a player's own round without a game adds nothing."""
    AS_DRAWN = "as_drawn"
    """An opponent's rounds without a game count as draws, so that byes and absences move nobody else's tie-break."""


class Points(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The worth of a result, in exact fractions."""

    win: Fraction = Fraction(1)
    draw: Fraction = HALF
    loss: Fraction = Fraction(0)
    loss_draw: Fraction = HALF
    """Both lost in the same moment: half of what a loss takes away."""
    bye: Fraction = Fraction(1)
    forfeit_win: Fraction = Fraction(1)
    forfeit_loss: Fraction = Fraction(0)
    sat_out: Fraction = Fraction(0)
    """A round that an entrant asked beforehand to sit out."""
    missed: Fraction = Fraction(0)
    """A round before a late entry, or one that an entrant was missing for."""
    places: tuple[Fraction, ...] = ()
    """For each place at a table of three and more; empty: a win's worth, times the share of opponents beaten."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Format = Format.SWISS
    seed: str = "0"
    """Published before the first round: everybody can then repeat each draw."""
    rounds: int | None = None
    """None: as many as the format needs; Swiss needs a number."""
    points: Points = Points()
    tie_breaks: tuple[TieBreak, ...] = (
        TieBreak.BUCHHOLZ,
        TieBreak.MEDIAN_BUCHHOLZ,
        TieBreak.SONNEBORN_BERGER,
        TieBreak.HEAD_TO_HEAD,
        TieBreak.WINS,
        TieBreak.LOT,
    )
    unplayed: Unplayed = Unplayed.AS_SCORED
    pairing: Pairing = Pairing.OWN
    is_accelerated: bool = False
    """Swiss: the upper half gets virtual points for the pairing of the first rounds (Baku, C.04.7)."""
    clubs_apart: int = 0
    """Number of first rounds without pairs from one club."""
    fewest_seats: int = 2
    most_seats: int = 2
    cycles: int = 1
    """Round robin: how often everybody meets everybody."""
    groups: int = 2
    advance: int = 2
    """Groups: how many of each play the finals."""
    limit: int = 20
    goal: int = 150
    goal_bonus: int = 100
    round_bonus: int = 25
    """Goal: points for each round won; 0: results have no rounds."""
    both_bonuses: bool = False
    """Goal: whether players who reached it get the round bonus, too."""
    result: ResultKind = ResultKind.ENDS
    best_of: int = 3
    """Games of a series; more than half of them win it."""
    unit: str = ""
    """The game's word for what is counted, such as goals or legs; empty: points, or games of a series."""
    first: First = First.SEAT
    fewer_wins: bool = False
    """Whether fewer of the game's own points are better."""
    has_draws: bool = True
    """Whether a table of two may end in a draw, and a series before it is decided."""
    has_loss_draws: bool = True
    minutes: int = 0
    """Length of a round on the clock; 0: no clock."""

    @property
    def first_has(self) -> First:
        """`first`; FIDE's Dutch system gives white."""
        return First.WHITE if self.pairing is Pairing.FIDE else self.first


def check(settings: Settings) -> None:
    """Raises: EventRefused: settings that no event can be played by."""
    fewest, most = settings.fewest_seats, settings.most_seats
    if settings.rounds is not None and not 1 <= settings.rounds <= MOST_ROUNDS:
        raise EventRefused("{rounds} rounds, expected 1 to {most}", rounds=settings.rounds, most=MOST_ROUNDS)
    if settings.rounds is None and settings.format in (Format.SWISS, Format.PODS):
        raise EventRefused("{format} needs a number of rounds", format=str(settings.format))
    if settings.format in AT_TABLES and not 2 <= fewest <= most:
        raise EventRefused("{fewest} to {most} seats at a table, expected 2 or more", fewest=fewest, most=most)
    if settings.format not in AT_TABLES and (fewest, most) != (2, 2):
        raise EventRefused("{format} seats two at a table, not {most}", format=str(settings.format), most=most)
    if settings.format is Format.LIMIT and fewest != 2:
        raise EventRefused("the last two must be able to play: expected tables of 2 and more seats, not {n}", n=fewest)
    if min(settings.cycles, settings.groups, settings.advance, settings.limit, settings.goal) < 1:
        raise EventRefused("cycles, groups, advance, limit and goal must be 1 or more")
    if settings.pairing is Pairing.FIDE and settings.format is not Format.SWISS:
        raise EventRefused("FIDE's rules pair a Swiss event only")
    if settings.clubs_apart < 0:
        raise EventRefused("a number of rounds must be 0 or more")
    if settings.result is ResultKind.SERIES and (most != 2 or not 1 <= settings.best_of <= MOST_GAMES):
        raise EventRefused("a series is played by two, best of 1 to {most}", most=MOST_GAMES)
    if not 0 <= settings.minutes <= MOST_MINUTES:
        raise EventRefused(
            "{minutes} minutes for a round, expected 0 to {most}", minutes=settings.minutes, most=MOST_MINUTES
        )
    if len(set(settings.tie_breaks)) != len(settings.tie_breaks):
        raise EventRefused("a tie-break is listed twice: {order}", order=", ".join(settings.tie_breaks))
