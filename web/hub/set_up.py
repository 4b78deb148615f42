"""The form that sets an event up: its fields, the values that a preset gives them, and the settings that they make."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec
from werkzeug.datastructures import MultiDict

from companion.event.presets import ANY_GAME, settings_for, title_of
from companion.event.refused import EventRefused
from companion.event.settings import AT_TABLES, First, Format, Pairing, ResultKind, Settings, TieBreak, Unplayed
from companion.game.names import cleaned
from companion.game.says import Says
from companion.game.whole import whole_of

POINTS = re.compile(r"-?[0-9]{1,6}(?:[./][0-9]{1,6})?")
UNIT_LIMIT = 20
GAME_LIMIT = 40
ORDERED = 6
"""Tie-breaks that can be chosen."""
DUEL = "swiss round_robin groups single_elimination double_elimination"
TABLES = "pods limit goal"


@dataclass(frozen=True, slots=True)
class SetUpField:
    """One field; its name is that of a setting. A kind other than those below lists the values to choose from."""

    key: str
    says: Says
    kind: str | tuple[str, ...] = "number"
    """A number, points, a check or text."""
    formats: str = ""
    """Formats that it matters to; empty: all."""
    results: str = ""


FIELDS: Mapping[str, tuple[SetUpField, ...]] = {
    "format": (
        SetUpField("format", Says("Format"), tuple(Format)),
        SetUpField("pairing", Says("Swiss pairing by"), tuple(Pairing), "swiss"),
        SetUpField("fewest_seats", Says("Players at a table, from"), formats="pods goal"),
        SetUpField("most_seats", Says("to"), formats=TABLES),
        SetUpField("cycles", Says("Games with everybody (2: double round robin)"), formats="round_robin groups"),
        SetUpField("groups", Says("Groups"), formats="groups"),
        SetUpField("advance", Says("Finalists from each group"), formats="groups"),
        SetUpField("limit", Says("Points that put a player out"), formats="limit"),
        SetUpField("goal", Says("Points that end the match"), formats="goal"),
        SetUpField("goal_bonus", Says("Bonus for reaching them"), formats="goal"),
        SetUpField("round_bonus", Says("Bonus for each round won (0: none)"), formats="goal"),
        SetUpField("clubs_apart", Says("Clubs apart until round"), formats="swiss pods"),
        SetUpField("is_accelerated", Says("Accelerated: the upper half plays itself at first"), "check", "swiss"),
        SetUpField("both_bonuses", Says("Both bonuses for those who reach them"), "check", "goal"),
    ),
    "result": (
        SetUpField("result", Says("A table's result"), tuple(ResultKind), f"{DUEL} pods"),
        SetUpField("best_of", Says("Best of"), formats=DUEL, results="best_of"),
        SetUpField("unit", Says("The game's word for what is counted, such as goals"), "text"),
        SetUpField("first", Says("The player named first"), tuple(First), DUEL),
        SetUpField("fewer_wins", Says("Fewer points are better"), "check", f"{DUEL} pods", "points"),
        SetUpField("has_draws", Says("Draws are possible"), "check", f"{DUEL} pods", "win_or_draw best_of"),
        SetUpField("has_loss_draws", Says("Both can lose at the same moment"), "check", f"{DUEL} pods", "win_or_draw"),
    ),
    "points": (
        SetUpField("points_win", Says("win"), "points"),
        SetUpField("points_draw", Says("draw, and a half-point bye"), "points"),
        SetUpField("points_loss_draw", Says("both lost"), "points"),
        SetUpField("points_loss", Says("loss"), "points"),
        SetUpField("points_bye", Says("bye"), "points"),
        SetUpField("points_forfeit_win", Says("opponent did not come"), "points"),
        SetUpField("points_forfeit_loss", Says("did not come"), "points"),
        SetUpField("points_sat_out", Says("sits out without a bye"), "points"),
        SetUpField("points_missed", Says("absent, or not entered yet"), "points"),
        SetUpField("points_places", Says("places, such as 4 3 2 1"), "text", "pods"),
    ),
    "tie-breaks": (
        SetUpField("unplayed", Says("A round without a game counts in an opponent's tie-breaks"), tuple(Unplayed)),
    ),
}
"""The fields behind "more", in parts."""
OPTIONS: Mapping[str, Says] = {
    Format.PODS: Says("tables of 3 to 5"),
    Format.LIMIT: Says("out at a limit"),
    Format.GOAL: Says("first to a goal"),
    Pairing.OWN: Says("points, no rematch"),
    Pairing.FIDE: Says("FIDE Dutch (chess)"),
    ResultKind.ENDS: Says("win, draw or place"),
    ResultKind.SERIES: Says("best of a few games"),
    First.SEAT: Says("sits first"),
    First.WHITE: Says("has white"),
    First.BLACK: Says("has black (Go, draughts)"),
    Unplayed.AS_SCORED: Says("with its points"),
    Unplayed.AS_DRAWN: Says("as a draw"),
}
"""Displayed words for values whose own names explain too little."""
BASIC = (
    SetUpField("minutes", Says("Minutes for a round (0: no clock)")),
    SetUpField("rounds", Says("Rounds")),
)
ALL = (*BASIC, *(field for part in FIELDS.values() for field in part))


def values_of(settings: Settings) -> dict[str, Any]:
    """The fields' values for these settings; empty if the format decides."""
    found: dict[str, Any] = {"tie_break": [*settings.tie_breaks]}
    for field in ALL:
        if field.key.startswith("points_"):
            value = getattr(settings.points, field.key.removeprefix("points_"))
        else:
            value = getattr(settings, field.key)
        if isinstance(value, bool):
            found[field.key] = "on" if value else ""
        else:
            found[field.key] = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    found["rounds"] = ""
    if settings.most_seats == 2:
        found |= {"fewest_seats": "", "most_seats": ""}
    return found


def filled(preset: str, typed: Mapping[str, str]) -> MultiDict[str, str]:
    """The form as a preset fills it, with what was typed about the event itself."""
    values = values_of(settings_for(preset, None, ""))
    kept = ("name", "game_name", "entrants", "joining", "rounds", "seed")
    return MultiDict(values | {key: typed[key] for key in kept if typed.get(key)} | {"game": preset, "of": preset})


def game_of(given: Mapping[str, str]) -> str:
    """The event's game: a known one, or the typed name. Raises: EventRefused."""
    preset = given.get("game", "")
    if preset not in ANY_GAME:
        return preset
    name = cleaned(given.get("game_name", ""))[:GAME_LIMIT]
    if not name:
        raise EventRefused("type the name of the game")
    return title_of(name)


def settings_in(given: MultiDict[str, str], seed: str) -> Settings:
    """The settings that the form makes; what is empty is as the preset has it. Raises: EventRefused."""
    usual = settings_for(given.get("game", ""), None, given.get("seed", "") or seed)
    is_whole = "of" in given  # a program may send a few fields only
    told: dict[str, Any] = {}
    points: dict[str, Any] = {}
    for field in ALL:
        text = given.get(field.key, "").strip()
        if field.key.startswith("points_") and (text or (is_whole and field.kind == "text")):
            points[field.key.removeprefix("points_")] = _points(field, text)
        elif not field.key.startswith("points_") and (text or (is_whole and field.kind in ("check", "text"))):
            told[field.key] = _read(field, text)
    if order := tuple(TieBreak(word) for word in given.getlist("tie_break") if word in set(TieBreak)):
        told["tie_breaks"] = order
    told["points"] = msgspec.structs.replace(usual.points, **points)
    settings = msgspec.structs.replace(usual, **told)
    if "rounds" not in told and settings.format in (Format.SWISS, Format.PODS):
        settings = msgspec.structs.replace(settings, rounds=advised_rounds(given.get("entrants", "")))
    return msgspec.structs.replace(settings, **_seats(settings))


def advised_rounds(entrants: str) -> int:
    """Rounds for these players, one per line: each round halves the players without a loss; 3 or more.

    >>> advised_rounds("Ann\\nBen"), advised_rounds("Ann\\n" * 9)
    (3, 4)
    """
    players = sum(bool(line.strip()) for line in entrants.splitlines())
    return max(3, (players - 1).bit_length())


def _seats(settings: Settings) -> dict[str, int]:
    """Seats of a table as typed; 3 to 4 if the format needs more than two. In a limit the last two still play."""
    if settings.format not in AT_TABLES:
        return {"fewest_seats": 2, "most_seats": 2}
    fewest, most = settings.fewest_seats, settings.most_seats
    if most == 2:
        fewest, most = 3, 4
    return {"fewest_seats": 2 if settings.format is Format.LIMIT else fewest, "most_seats": most}


def _read(field: SetUpField, text: str) -> Any:
    if field.kind == "check":
        return bool(text)
    if field.kind == "text":
        return cleaned(text)[:UNIT_LIMIT]
    if field.kind != "number":
        if text not in field.kind:
            raise EventRefused("{found} is not one of: {known}", found=text[:20], known=", ".join(field.kind))
        return next(each for each in field.kind if each == text)
    number = whole_of(text)
    if number is None:
        raise EventRefused("{found} is not a whole number", found=text[:20])
    return number


def _points(field: SetUpField, text: str) -> Any:
    return tuple(map(_worth, text.split())) if field.kind == "text" else _worth(text)


def _worth(text: str) -> Fraction:
    """Points such as 1, 0.5, 0,5 or 1/2. Raises: EventRefused."""
    try:
        if POINTS.fullmatch(typed := text.replace(",", ".")):
            return Fraction(typed)
    except ZeroDivisionError:
        pass
    raise EventRefused("{found} is not a number of points, expected such as 1, 0.5 or 1/2", found=text[:20])
