"""Plays in the forms of other programs: BG Stats' JSON, BoardGameGeek's XML, CSV, and our own JSON, which keeps all.

An imported play has a name made of its source, so that it is imported once."""

import csv
import hashlib
import io
import json
import math
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from xml.etree import ElementTree

import msgspec

from companion.book.play import Play, Sat
from companion.game.errors import NotationError
from companion.game.names import cleaned
from companion.game.says import Says

WHEN = "%Y-%m-%d %H:%M:%S"
COLUMNS = ("play", "date", "game", "minutes", "player", "seat", "score", "place", "won", "finished", "comment")
_SPACE = uuid.UUID("6f1d9a52-7d5e-4c8e-9f5c-1d1a0c6b0e11")


def to_json(plays: Iterable[Play]) -> str:
    told = [msgspec.to_builtins(msgspec.structs.replace(play, name=play.id, has_log=False)) for play in plays]
    return json.dumps({"plays": told}, indent=1, ensure_ascii=False)


def to_csv(plays: Iterable[Play]) -> str:
    """One line for each seat, decimal points, ISO dates."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(COLUMNS)
    for play in plays:
        for sat in play.seats:
            points = "" if sat.points is None else f"{sat.points:.10g}"
            lines.writerow(
                (
                    *(play.id, _when(play.began_s), play.title, round(play.played_s / 60), sat.name or "", sat.seat),
                    *(points, sat.place or "", int(sat.has_won), int(play.is_over), play.comment),
                )
            )
    return out.getvalue()


def to_bgstats(plays: Iterable[Play]) -> str:
    """The finished plays as BG Stats exports them."""
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    told = []
    finished = [play for play in plays if play.is_over]
    for play in finished:
        game = games.setdefault(play.title, len(games) + 1)
        scores = [
            {
                "playerRefId": players.setdefault(sat.name or sat.seat, len(players) + 1),
                "score": "" if sat.points is None else f"{sat.points:.10g}",
                "winner": sat.has_won,
                "rank": sat.place or 0,
                "role": sat.seat,
                "seatOrder": order,
                "newPlayer": False,
                "startPlayer": order == 0,
            }
            for order, sat in enumerate(play.seats)
        ]
        told.append(
            {
                "uuid": _uuid("play", play.id),
                "gameRefId": game,
                "playDate": _when(play.began_s),
                "entryDate": _when(play.began_s),
                "modificationDate": _when(play.began_s),
                "durationMin": round(play.played_s / 60),
                "comments": play.comment,
                "ignored": False,
                "manualWinner": True,
                "usesTeams": False,
                "sourceName": "Companion",
                "sourcePlayId": play.id,
                "playerScores": scores,
            }
        )
    now = max((play.began_s for play in finished), default=0.0)
    named = {"modificationDate": _when(now)}
    return json.dumps(
        {
            "about": "Companion",
            "players": [
                {"id": n, "uuid": _uuid("player", name), "name": name, "isAnonymous": False} | named
                for name, n in players.items()
            ],
            "games": [{"id": n, "uuid": _uuid("game", name), "name": name} | named for name, n in games.items()],
            "locations": [],
            "plays": told,
        },
        indent=1,
        ensure_ascii=False,
    )


def to_bgg_xml(plays: Iterable[Play]) -> str:
    """The finished plays in the form of BoardGameGeek's play API."""
    root = ElementTree.Element("plays")
    finished = [play for play in plays if play.is_over]
    for play in sorted(
        sorted(finished, key=lambda play: play.id), key=lambda play: _when(play.began_s)[:10], reverse=True
    ):
        at = {"id": play.id, "date": _when(play.began_s)[:10], "quantity": "1", "incomplete": "0", "nowinstats": "0"}
        one = ElementTree.SubElement(root, "play", at | {"length": str(round(play.played_s / 60))})
        ElementTree.SubElement(one, "item", name=play.title, objecttype="thing", objectid="0")
        if play.comment:
            ElementTree.SubElement(one, "comments").text = play.comment
        people = ElementTree.SubElement(one, "players")
        for order, sat in enumerate(play.seats, 1):
            score = "" if sat.points is None else f"{sat.points:.10g}"
            told = {"name": sat.name or sat.seat, "startposition": str(order), "color": sat.seat, "score": score}
            ElementTree.SubElement(people, "player", told | {"win": str(int(sat.has_won)), "new": "0"})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


FORMS: dict[str, tuple[Callable[[Iterable[Play]], str], str, str]] = {
    "json": (to_json, "application/json", "companion-plays.json"),
    "csv": (to_csv, "text/csv", "companion-plays.csv"),
    "bgstats": (to_bgstats, "application/json", "BGStatsExport.json"),
    "bgg": (to_bgg_xml, "application/xml", "bgg-plays.xml"),
}
"""By name: the writer, the media type and the file's name."""


@dataclass(frozen=True, slots=True)
class PlaysFound:
    """The plays of a file, and what of it is not in them: a sentence for each line or play."""

    plays: tuple[Play, ...]
    left_out: tuple[Says, ...] = ()


Part = tuple[Says, Callable[["Notes"], Iterable[Play]]]
"""A list inside a file, and the function that converts it to plays."""
Notes = Callable[[Says], None]
"""Notes a value of a play that was left out."""


def found_in(content: bytes) -> PlaysFound:
    """The plays of a file in any of the forms, without those that cannot be read. Raises: NotationError."""
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace").strip()
    plays: list[Play] = []
    left_out: list[Says] = []
    for where, read in _parts(text):
        noted: list[Says] = []
        try:
            plays += [checked(play) for play in read(noted.append)]
        except NotationError as error:
            noted = [error.sentence]
        except UNREADABLE as error:
            noted = [Says("cannot be read ({why})", {"why": str(error)[:WHY_MAX]})]
        left_out += [Says("{where}: {why}", {"where": where, "why": why}) for why in noted]
    return PlaysFound(tuple(plays), tuple(left_out))


def _parts(text: str) -> list[Part]:
    try:
        if text.startswith("<"):
            if "<!" in text:  # declarations could make a small file grow without end
                raise NotationError("this XML has declarations or comments, expected plays as BoardGameGeek gives them")
            root = ElementTree.fromstring(text)  # noqa: S314
            return _each(root.iter("play"), _of_bgg)
        if text.startswith(("{", "[")):
            told = json.loads(text)
            if not isinstance(told, dict) or not isinstance(told.get("plays"), list):
                raise NotationError("this JSON has no list of plays, expected an export of BG Stats or Companion")
            read = _of_bgstats(told) if "games" in told else lambda play, _: [msgspec.convert(play, Play)]
            return _each(told["plays"], read)
        return _of_csv(text)
    except NotationError:
        raise
    except UNREADABLE as error:
        raise NotationError(
            f"this file cannot be read ({error}), expected BG Stats JSON, BoardGameGeek XML, or CSV with the columns"
            " date, game and player"
        ) from error


def _each(plays: Iterable[Any], read: Callable[[Any, Notes], Iterable[Play]]) -> list[Part]:
    return [(Says("play {n}", {"n": n}), partial(read, play)) for n, play in enumerate(plays, 1)]


UNREADABLE = (
    *(ElementTree.ParseError, csv.Error, msgspec.MsgspecError, ValueError, LookupError),
    *(TypeError, AttributeError, RecursionError, ArithmeticError),
)
FIRST_DAY_S, LAST_DAY_S = 0.0, 4.1e9
"""Plays are from 1970 to 2099."""
LONGEST_S = 30 * 86_400.0
NAME_MAX, WORDS_MAX, SEATS_MAX, WHY_MAX = 80, 1000, 100, 80


def checked(play: Play) -> Play:
    """A play that is not from a log, with clean names. Raises: NotationError if no play can be like this."""
    told = [play.began_s, play.played_s, *(sat.points or 0.0 for sat in play.seats)]
    if not all(map(math.isfinite, told)) or not FIRST_DAY_S <= play.began_s <= LAST_DAY_S:
        raise NotationError(Says("a date or a number is out of range: dates are from 1970 to 2099"))
    if not cleaned(play.title) or len(play.seats) > SEATS_MAX or any((sat.place or 1) < 1 for sat in play.seats):
        raise NotationError(Says("it has no game, too many people or a place below 1"))
    seats = tuple(
        msgspec.structs.replace(sat, seat=cleaned(sat.seat)[:NAME_MAX], name=cleaned(sat.name or "")[:NAME_MAX] or None)
        for sat in play.seats
    )
    return msgspec.structs.replace(
        play,
        name=cleaned(play.name)[: 2 * NAME_MAX],
        game=cleaned(play.game)[:NAME_MAX],
        title=cleaned(play.title)[:NAME_MAX],
        played_s=min(max(play.played_s, 0.0), LONGEST_S),
        comment=cleaned(play.comment)[:WORDS_MAX],
        seats=seats,
        has_log=False,
    )


def _own(name: str) -> bool:
    return re.fullmatch(r".+@\d+", name) is not None


def _of_bgstats(told: dict[str, Any]) -> Callable[[Any, Notes], Iterable[Play]]:
    games = {game["id"]: str(game["name"]) for game in told["games"]}
    people = {
        person["id"]: "" if person.get("isAnonymous") else str(person["name"]) for person in told.get("players", ())
    }

    def read(play: dict[str, Any], note: Notes) -> Iterable[Play]:
        if play.get("ignored"):
            note(Says("BG Stats ignores it"))
            return
        scores = sorted(play.get("playerScores", ()), key=lambda score: score.get("seatOrder", 0))
        seats = [
            (people[score["playerRefId"]], str(score.get("role") or ""), score.get("score"), bool(score.get("winner")))
            for score in scores
        ]
        ranks = [int(score.get("rank") or 0) for score in scores]
        name = str(play.get("sourcePlayId") or "")
        if not _own(name):
            name = "bgstats-" + str(play.get("uuid") or _digest(play))
        yield _told(
            name,
            games[play["gameRefId"]],
            str(play["playDate"]),
            60.0 * float(play.get("durationMin") or 0),
            seats,
            str(play.get("comments") or ""),
            note,
            ranks if all(ranks) else None,
        )

    return read


QUANTITY_MAX = 100
"""Plays that BoardGameGeek may count as one entry."""


def _of_bgg(play: Any, note: Notes) -> Iterable[Play]:
    people = list(play.iter("player"))
    seats = [
        (p.get("name") or p.get("username") or "", p.get("color") or "", p.get("score"), p.get("win") == "1")
        for p in people
    ]
    name, identity = play.find("item").get("name"), play.get("id") or _digest(ElementTree.tostring(play).hex())
    comments = play.findtext("comments") or ""
    minutes = float(play.get("length") or 0)
    is_over = play.get("incomplete") != "1"
    quantity = int(play.get("quantity") or 1)
    if quantity > QUANTITY_MAX:
        note(Says("one entry stands for {n} plays: only {m} are added", {"n": quantity, "m": QUANTITY_MAX}))
    for n in range(min(quantity, QUANTITY_MAX)):
        own = identity if _own(identity) else f"bgg-{identity}" + (f"-{n + 1}" if n else "")
        yield _told(own, name, play.get("date"), 60.0 * minutes, seats, comments, note, is_over=is_over)


def _of_csv(text: str) -> list[Part]:
    dialect = csv.Sniffer().sniff(text.splitlines()[0], ",;\t") if text else csv.excel
    reader = csv.DictReader(io.StringIO(text), dialect=dialect)
    lines = [
        {(k or "").strip().lower(): (v or "").strip() for k, v in line.items() if isinstance(v, str | None)}
        | {LINE: str(reader.line_num)}
        for line in reader
    ]
    if not lines or not {"date", "game", "player"} <= lines[0].keys():
        found = ", ".join(key for key in lines[0] if key != LINE) if lines else "nothing"
        raise NotationError(f"this table has the columns {found}; expected at least date, game and player")
    plays: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for line in lines:
        together = plays.setdefault((line.get("play", ""), line["date"], line["game"]), [])
        if line["player"] and line["player"] in (other["player"] for other in together):  # the next play of that day
            plays[line.get("play", ""), line["date"], f"{line['game']} {len(plays)}"] = together[:]
            together.clear()
        together.append(line)
    return [
        (Says("line {n}", {"n": seats[0][LINE]}), partial(_of_lines, name, seats))
        for (name, *_), seats in plays.items()
    ]


def _of_lines(name: str, seats: Sequence[dict[str, str]], note: Notes) -> Iterable[Play]:
    game, date = seats[0]["game"], seats[0]["date"]
    told = [
        (line["player"], line.get("seat", ""), line.get("score"), line.get("won", "").lower() in WON) for line in seats
    ]
    minutes = float((seats[0].get("minutes") or "0").replace(",", "."))
    yield _told(
        name if _own(name) else "csv-" + _digest([name, date, game, told]),
        game,
        date,
        60.0 * minutes,
        told,
        seats[0].get("comment", ""),
        note,
        [int(line["place"] or 0) for line in seats] if "place" in seats[0] else None,
        seats[0].get("finished", "1") != "0",
    )


NUMBER = re.compile(r"-?\d{1,12}(\.\d+)?")
"""The number at the beginning of a score, such as 12 in "12 pts"."""
LINE = " line"
"""Key of a line's number in the file; no column has it, because names of columns are stripped."""
WON = ("1", "true", "yes", "x", "won", "ja", "gewonnen")
"""Words of a CSV for a winner."""


def _told(
    name: str,
    game: str,
    date: str,
    played_s: float,
    seats: Sequence[tuple[str, str, Any, bool]],
    comment: str,
    note: Notes,
    places: Sequence[int] | None = None,
    is_over: bool = True,
) -> Play:
    """A play; `seats` are name, seat, score and whether it won. Without places they follow from winners."""
    begun = datetime.fromisoformat(date.strip())
    sats = []
    for i, (person, seat, score, has_won) in enumerate(seats):
        text = str(score if score is not None else "").replace(",", ".").strip()
        number = NUMBER.match(text)
        if text and number is None:
            note(Says("the score {score} of {name} is not a number", {"score": text[:WHY_MAX], "name": person}))
        winners = sum(w for *_, w in seats)
        place = (places[i] or None) if places else None if not winners else 1 if has_won else 1 + winners
        named = None if person == (seat or str(i + 1)) else person
        sats.append(Sat(seat or str(i + 1), named, float(number[0]) if number else None, place, has_won))
    play = Play(name, game.strip(), game.strip(), begun.timestamp(), played_s, tuple(sats), is_over, comment=comment)
    return msgspec.structs.replace(play, has_log=False)


def _when(at_s: float) -> str:
    return datetime.fromtimestamp(at_s).strftime(WHEN)


def _uuid(kind: str, name: str) -> str:
    return str(uuid.uuid5(_SPACE, f"{kind} {name}")).upper()


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
