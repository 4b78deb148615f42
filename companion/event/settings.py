"""The organiser's choices before an event: format, points, tie-breaks, seats, the published seed."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

import msgspec

from companion.event.refused import EventRefused
from companion.game.known import game_named, names, players_of
from companion.games.manipulation_rummy import house as rummy
from companion.games.suspend import house as suspend

HALF = Fraction(1, 2)
MOST_ROUNDS = 100


class Format(StrEnum):
    """How rounds are paired."""

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
    """Whose rules pair a Swiss round."""

    OWN = "own"
    FIDE = "fide_dutch"
    """FIDE's Dutch system, Handbook C.04.3 of 2026: colours count, and the first seat has white."""


KNOCKOUTS = (Format.SINGLE, Format.DOUBLE)
AT_TABLES = (Format.PODS, Format.LIMIT, Format.GOAL)
"""Formats whose tables seat more than two."""
CLOSED = (Format.SINGLE, Format.DOUBLE, Format.GROUPS, Format.LIMIT)
"""Formats that nobody can enter once a round is paired."""


class TieBreak(StrEnum):
    """A criterion between entrants with equal points."""

    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT = "buchholz_cut"
    """Buchholz without the lowest."""
    MEDIAN_BUCHHOLZ = "median_buchholz"
    """Buchholz without the lowest and the highest."""
    SONNEBORN_BERGER = "sonneborn_berger"
    HEAD_TO_HEAD = "head_to_head"
    WINS = "wins"
    LOSSES = "losses"
    """Fewer are better; a loss-draw is half a loss."""
    SHARE = "share"
    """The share of all opponents beaten, a draw half: for tables of three and more with points for places."""
    PROGRESSIVE = "progressive"
    DIFFERENCE = "points_difference"
    LOT = "lot"


class Unplayed(StrEnum):
    """The worth of a round without a game in an opponent's tie-breaks."""

    AS_SCORED = "as_scored"
    """An opponent's points are what the standings show; an own round without a game adds nothing."""
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
    """A round before a late entry, or while withdrawn."""
    places: tuple[Fraction, ...] = ()
    """For each place at a table of three and more; empty: a win's worth, times the share of opponents beaten."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event's settings."""

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
    """In so many first rounds nobody meets their own club."""
    fewest_seats: int = 2
    most_seats: int = 2
    cycles: int = 1
    """Round robin: how often everybody meets everybody."""
    groups: int = 2
    advance: int = 2
    """Groups: how many of each play the finals."""
    limit: int = suspend.ELIMINATED_AT
    goal: int = rummy.GOAL_POINTS
    goal_bonus: int = rummy.GOAL_BONUS
    round_bonus: int = rummy.ROUND_BONUS
    both_bonuses: bool = False
    """Goal: whether who reached it gets the round bonus too."""


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
    if len(set(settings.tie_breaks)) != len(settings.tie_breaks):
        raise EventRefused("a tie-break is listed twice: {order}", order=", ".join(settings.tie_breaks))


def settings_for(game: str, rounds: int, seed: str) -> Settings:
    """A good start for an event of a game; of one that is not the product's: pods, or Swiss where only two play.

    >>> settings_for("suspend", 5, "42").format
    <Format.LIMIT: 'limit'>
    """
    match game:
        case "eyes_of_the_emperor":
            return Settings(rounds=rounds, seed=seed)  # a loss-draw is half a loss: Rules 4
        case "suspend":
            return Settings(format=Format.LIMIT, seed=seed, most_seats=len(suspend.SEATS), tie_breaks=(TieBreak.LOT,))
        case "manipulation_rummy":
            return Settings(
                format=Format.GOAL,
                seed=seed,
                fewest_seats=rummy.FEWEST_SEATS,
                most_seats=rummy.MOST_SEATS,
                tie_breaks=(TieBreak.WINS,),
            )
        case "center_point" | "basic_manipulation":
            return Settings(
                format=Format.PODS, seed=seed, rounds=rounds, fewest_seats=3, most_seats=4,
                tie_breaks=(TieBreak.BUCHHOLZ, TieBreak.WINS, TieBreak.LOT),
            )  # fmt: skip
    if game not in names():
        raise EventRefused("unknown game {game}", game=game)
    players = players_of(game_named(game))
    if max(players) < 3:
        return Settings(rounds=rounds, seed=seed)
    fewest = 3 if 3 in players else min(players)
    tie_breaks = (TieBreak.BUCHHOLZ, TieBreak.WINS, TieBreak.LOT)
    return Settings(
        format=Format.PODS, seed=seed, rounds=rounds, fewest_seats=fewest, most_seats=min(4, max(players)),
        tie_breaks=tie_breaks,
    )  # fmt: skip
