"""The household's book at /book: past plays, people, games, evenings, years, leagues; import and export."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as clock
from itertools import count
from math import isfinite
from typing import Any, Protocol
from uuid import uuid4

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request, url_for

from companion.book import exchange
from companion.book.book import READING_S, PlayBook
from companion.book.facts import GroupTold, Imported, LeagueTold, LeftOut, Merged, PersonTold, PlayTold, key_of
from companion.book.figures import Figures, Played, dice_say, evening_of
from companion.book.play import Play, Sat
from companion.book.ratings import Rating, Ratings
from companion.book.removal import remove_person
from companion.game.errors import CompanionError, LogError, NotationError, Refused
from companion.game.names import cleaned, flaw_of
from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView, StepView
from companion.game.whole import whole_of
from companion.match.people import NAME_LIMIT
from companion.match.present import Picture
from web.site import languages, phones
from web.site.app import attached
from web.site.refusals import Refusal
from web.table import invited, replay
from web.table.pages import kept_picture
from web.words import day, number, said_in, translate

SEATED_NAMES = 12
"""Names that the choice of a seat offers."""
WALL_PLAYS = 6
"""Plays and leaders on the scoreboard."""
ADDED_ROWS = 12
"""People in the form for a play."""
TYPED_AT = clock(20)
"""Time of a typed play of an earlier day."""
PAGE_PLAYS = 50
"""Plays on one page of the list."""
IMPORT_MAX_BYTES = 8_000_000
PICTURE_MAX_BYTES = 6_000_000
GUEST = "guest"


@dataclass(frozen=True, slots=True)
class Story:
    """A past match as a watcher sees it."""

    view: MatchView
    history: Sequence[HistoryLine]
    steps: Sequence[StepView]
    picture: Picture


class Library(Protocol):
    """The past matches of a table; `companion.app.matches.MatchLibrary` implements it."""

    @property
    def book(self) -> PlayBook:
        """The household's book."""

    def lends(self) -> AbstractContextManager[None]:
        """Lets somebody else write the logs of ended matches that the table still shows."""

    def portrait(self, content: bytes) -> bytes:
        """A person's picture as a small square JPEG, without its metadata. Raises: Refused for anything else."""

    def story(self, name: str) -> AbstractContextManager[Story]:
        """A match by its log's name. Raises: LogError; KeyError if there is none."""


def book_pages(library: Library, wall_s: Callable[[], float] = time.time) -> Blueprint:
    """The pages, for `create_app(..., more=[...])`."""
    part = Blueprint("book", __name__)
    shelf = _Shelf(library, wall_s)

    @part.app_context_processor
    def leads_here() -> dict[str, object]:
        return {"book_url": "/book", "book_people": known_people}

    def known_people() -> list[str]:
        """The names to sit down with one tap; none for a stranger at a table where others play."""
        if invited.is_needed(request):
            return []
        with suppress(LogError):
            return shelf.figures(0).latest()[:SEATED_NAMES]
        return []

    @part.before_request
    def only_members() -> None:
        if request.endpoint != "book.evening_for_the_wall":  # the wall shows names anyway
            invited.must_belong(request)

    @part.errorhandler(CompanionError)
    def refused(error: CompanionError) -> Response:
        return Refusal(409, "not_in_book", error.sentence).response()

    for add in (_play_pages, _figure_pages, _people_pages, _exchange_pages):
        add(part, shelf)
    return part


def _play_pages(part: Blueprint, shelf: _Shelf) -> None:
    @part.get("/book")
    def plays() -> Response:
        figures, asked = shelf.figures(), request.args
        chosen = figures.chosen(
            game=asked.get("game", ""),
            person=asked.get("person", ""),
            group=asked.get("group", ""),
            year=whole_of(asked.get("year", "")) or 0,
        )
        start = whole_of(asked.get("from", "")) or 0
        return shelf.shown(
            "plays",
            plays=chosen[start : start + PAGE_PLAYS],
            count=len(chosen),
            start=start,
            step=PAGE_PLAYS,
            asked=asked,
            evening=figures.evening(shelf.wall_s()),
            year=figures.year(evening_of(shelf.wall_s()).year),
        )

    @part.get("/book/play/<path:name>")
    def play(name: str) -> Response:
        played = shelf.played(name)
        if not played.play.has_log:
            return shelf.shown("play", played=played, view=None, history=())
        with shelf.story_of(name) as story:
            lang, said = languages.asked(), said_in(story.view)
            more: dict[str, Any] = {"history": story.history, "told": lambda says: translate(says, lang, said)}
            return shelf.shown("play", played=played, view=story.view, **more)

    @part.post("/book/play/<path:name>")
    def leave_out(name: str) -> Response:
        """Leaves a play out of all figures, or counts it again."""
        told = LeftOut(shelf.played(name).play.id, request.form.get("do") == "leave_out")
        shelf.library.book.tell(_author(), [told])
        return _back("book.play", name=name)

    @part.get("/book/evidence/<name>/<sha256>.jpg")
    def evidence(name: str, sha256: str) -> Response:
        """A kept picture of a past match."""
        with shelf.story_of(name) as story:
            return kept_picture(sha256, story.picture)

    @part.get("/book/replay/<name>")
    def replayed(name: str) -> Response:
        """The match as one HTML file that opens anywhere."""
        with shelf.story_of(name) as story:
            told = replay.html(story.view, story.steps, languages.asked(), story.picture)
        return attached(told, "text/html", f"{name}.html")


def _figure_pages(part: Blueprint, shelf: _Shelf) -> None:
    @part.get("/book/person/<path:key>")
    def person(key: str) -> Response:
        one = _found(lambda: shelf.figures().person(key))
        return shelf.shown("person", one=one, dice=dice_say(one.dice) if one.dice else None)

    @part.get("/book/game/<path:game>")
    def game(game: str) -> Response:
        figures = shelf.figures()
        one = _found(lambda: figures.game(game))
        return shelf.shown("game", one=one, ratings=shelf.rated(figures, game))

    @part.get("/book/evening")
    def evening() -> Response:
        return shelf.shown("period", one=shelf.figures().evening(shelf.wall_s()), year=None)

    @part.get("/book/year/<int:year>")
    def of_year(year: int) -> Response:
        return shelf.shown("period", one=shelf.figures().year(year), year=year)

    @part.get("/book/evening.json")
    def evening_for_the_wall() -> Response:
        """This evening's winners, the newest last, and the leader: for the scoreboard between two matches."""
        figures = shelf.figures()
        one = figures.evening(shelf.wall_s())
        names = {key: person.name for key, person in figures.people.items()}
        plays = [
            {"title": played.play.title, "names": [names[key] for key, sat in played.people.items() if sat.has_won]}
            for played in reversed(one.plays[:WALL_PLAYS])
            if played.play.is_over
        ]
        leaders = [{"name": names[line.key], "wins": line.wins, "plays": line.plays} for line in one.leaders]
        return jsonify(plays=plays, leaders=leaders[:WALL_PLAYS])


def _people_pages(part: Blueprint, shelf: _Shelf) -> None:
    @part.get("/book/people")
    def people() -> Response:
        return shelf.shown("people")

    @part.post("/book/people")
    def change() -> Response:
        request.max_content_length = PICTURE_MAX_BYTES
        try:
            _changed(shelf, _author(), request.form, request.files.get("picture"))
        except CompanionError as error:
            return shelf.shown("people", error)
        return _back("book.people")

    @part.get("/book/picture/<sha256>.jpg")
    def picture(sha256: str) -> Response:
        return kept_picture(sha256, shelf.library.book.picture)

    @part.get("/book/leagues")
    def leagues() -> Response:
        return shelf.shown("leagues")

    @part.post("/book/leagues")
    def league() -> Response:
        try:
            shelf.library.book.tell(_author(), [_league(request.form)])
        except CompanionError as error:
            return shelf.shown("leagues", error)
        return _back("book.leagues")


def _exchange_pages(part: Blueprint, shelf: _Shelf) -> None:
    @part.get("/book/export/<form>")
    def export(form: str) -> Response:
        write, kind, name = _found(lambda: exchange.FORMS[form])
        return attached(write(shelf.figures().named()), kind, name)

    @part.route("/book/exchange", methods=["GET", "POST"])
    def swap() -> Response:
        if request.method == "GET":
            return shelf.shown("exchange", says=None, left_out=())
        request.max_content_length = IMPORT_MAX_BYTES
        file = request.files.get("file")
        try:
            if file is None or not file.filename:
                raise NotationError("no file was chosen, expected a file of plays", "file")
            found = exchange.found_in(file.stream.read())
            known = {one.play.id for one in shelf.figures().all_plays}
            new = [PlayTold(play) for play in {one.name: one for one in found.plays}.values() if play.name not in known]
            if new:
                source = cleaned(file.filename)[:NAME_LIMIT]
                shelf.library.book.tell(_author(), [Imported(source, len(new)), *new])
        except CompanionError as error:
            return shelf.shown("exchange", error, says=error.sentence, left_out=())
        counts = {"n": len(new), "m": len(found.plays) - len(new)}
        says = Says("{n} plays are new in the book, {m} were in it already", counts)
        return shelf.shown("exchange", says=says, left_out=found.left_out)

    @part.post("/book/exchange/<int:entry>")
    def take_back(entry: int) -> Response:
        shelf.library.book.take_back(_author(), entry)
        return _back("book.swap")

    @part.route("/book/add", methods=["GET", "POST"])
    def add() -> Response:
        """A play that no table saw, typed by hand."""
        asks: dict[str, Any] = {"today": evening_of(shelf.wall_s()), "rows": ADDED_ROWS}
        if request.method == "GET":
            return shelf.shown("add", **asks)
        try:
            played = _typed(request.form, shelf.wall_s())
            shelf.library.book.tell(_author(), [PlayTold(played)])
        except CompanionError as error:
            return shelf.shown("add", error, **asks)
        return _back("book.play", name=played.name)


def _found(look_up: Callable[[], Any]) -> Any:
    try:
        return look_up()
    except (KeyError, StopIteration) as error:
        raise Refusal(404, "not_in_book", Says("The book has no such page: go back to its first page.")) from error


class _Shelf:
    """The figures of the book, made once for each state of it."""

    def __init__(self, library: Library, wall_s: Callable[[], float]) -> None:
        self.library, self.wall_s = library, wall_s
        self._figures: Figures | None = None
        self._ratings: dict[str, Ratings] = {}

    def figures(self, within_s: float = READING_S) -> Figures:
        known, figures = self.library.book.known(within_s), self._figures
        if figures is None or figures.known is not known:
            self._figures = figures = Figures(known)
        return figures

    def played(self, name: str) -> Played:
        """A play by its name. Raises: Refusal (404)."""
        found: Played = _found(lambda: next(one for one in self.figures().all_plays if one.play.name == name))
        return found

    def rated(self, figures: Figures, game: str) -> list[Rating]:
        """The ratings of a game, without guests."""
        names = {key: person.name for key, person in figures.people.items()}
        found = self._ratings.setdefault(game, Ratings()).after(figures.chosen(game=game), names)
        return [one for one in found if not figures.people[one.key].is_guest]

    def shown(self, template: str, refused: CompanionError | None = None, **values: object) -> Response:
        """A page; `refused`: why something was not entered."""
        lang, figures = languages.asked(), self.figures()
        html = render_template(
            f"book/{template}.html",
            figures=figures,
            people=figures.people,
            path=request.full_path.rstrip("?"),
            on=lambda at_s: day(datetime.fromtimestamp(at_s), lang),
            hours=_hours,
            shown_points=lambda points: ", ".join(number(f"{one:g}", lang) for one in points),
            sentence=lambda says: (words := translate(says, lang))[:1].upper() + words[1:],
            this_year=evening_of(self.wall_s()).year,
            refused=refused and refused.sentence,
            **values,
        )
        return Response(html, 200 if refused is None else 409, mimetype="text/html")

    @contextmanager
    def story_of(self, name: str) -> Iterator[Story]:
        with ExitStack() as opened:
            yield _found(lambda: opened.enter_context(self.library.story(name)))


def _changed(shelf: _Shelf, by: str, form: Any, picture: Any) -> None:
    """Enters one change of the people's page. Raises: CompanionError."""
    book, figures = shelf.library.book, shelf.figures()
    what = form.get("do", "")
    if what == "group":
        members = [figures.people[key].name for key in form.getlist("people") if key in figures.people]
        book.tell(by, [GroupTold(_named(form.get("name", "")), tuple(members))])
    elif what == "split":
        book.take_back(by, whole_of(form.get("entry", "")) or 0)
    else:
        one = figures.people.get(form.get("person", ""))
        if one is None:
            raise Refused(Says("choose one of the people of the book"))
        if what == "merge":
            into = figures.people.get(form.get("into", ""))
            if into is None or into.key == one.key:
                raise Refused(Says("choose one of the people of the book"))
            book.tell(by, [Merged(one.name, into.name)])
        elif what == "rename":
            name = _named(form.get("name", ""))
            key = figures.known.household.key(name)
            if key in figures.people and key != one.key:
                raise Refused(Says("{name} is in the book already: use Merge", {"name": name}))
            same = PersonTold(name, one.color, one.is_guest)  # another spelling of the same name
            book.tell(by, [same if key_of(name) == one.key else Merged(one.name, name)])
        elif what == "remove":
            if form.get("sure") != one.name:
                raise Refused(Says("type the name {name} to remove it everywhere", {"name": one.name}))
            taken = {key_of(name) for person in figures.people.values() for name in person.names}
            numbered = (f"Player {n}" for n in count(1))
            with shelf.library.lends():
                remove_person(book, one, next(name for name in numbered if key_of(name) not in taken))
        else:
            evidence = (
                [shelf.library.portrait(picture.stream.read())] if picture is not None and picture.filename else []
            )
            book.tell(by, [PersonTold(one.name, form.get("color", one.color), form.get(GUEST) == "yes")], evidence)


def _typed(form: Any, now_s: float) -> Play:
    """The play in a form; winners are ticked, else by points. Raises: CompanionError."""
    day = _day(form.get("day", ""))
    if day is None or day > evening_of(now_s):
        raise Refused(Says("choose the day of the play, today or before"))
    lines = zip(form.getlist("name"), form.getlist("points"), strict=False)
    told = [(n, _named(name), _points(points)) for n, (name, points) in enumerate(lines) if cleaned(name)]
    if not told or len({key_of(name) for _, name, _ in told}) < len(told):
        raise Refused(Says("write each person's name once, at least one"))
    scores = [points for *_, points in told if points is not None]
    best = {"highest": max, "lowest": min}.get(form.get("wins", ""), max)(scores, default=None)
    ticked = {whole_of(n) for n in form.getlist("won")}
    won = [n in ticked if ticked else best is not None and points == best for n, _, points in told]
    begun_s = now_s if day == evening_of(now_s) else datetime.combine(day, TYPED_AT).timestamp()
    seats = tuple(
        Sat(str(i), name, points, (1 if is_first else 1 + sum(won)) if any(won) else None, is_first)
        for i, ((_, name, points), is_first) in enumerate(zip(told, won, strict=True), 1)
    )
    minutes = _points(form.get("minutes", "")) or 0.0
    title = cleaned(form.get("game", ""))
    name = f"typed-{uuid4().hex[:16]}@{begun_s:.0f}"  # named like our own plays, so that an export keeps the name
    return exchange.checked(Play(name, title, title, begun_s, 60.0 * minutes, seats, has_log=False))


def _points(text: str) -> float | None:
    """A number in a form; None: nothing was typed. Raises: Refused."""
    text = text.strip().replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError as error:
        raise Refused(Says("{word} is not a number", {"word": text[:20]})) from error


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _named(name: str) -> str:
    """A name as it was typed, cleaned. Raises: Refused."""
    name = cleaned(name)
    if flaw := flaw_of(name, NAME_LIMIT):
        raise Refused(flaw.says)
    return name


def _league(form: Any) -> LeagueTold:
    """The league in a form; without points it is gone. Raises: Refused."""
    points = []
    for word in form.get("points", "").replace(";", " ").split():
        try:
            points.append(float(word.replace(",", ".")))
            if not isfinite(points[-1]):
                raise ValueError
        except ValueError as error:
            raise Refused(
                Says("{word} is not a list of points, expected such as 3 2 1", {"word": word[:20]})
            ) from error
    days = [form.get("begins", ""), form.get("ends", "")]
    for one in filter(None, days):
        if _day(one) is None:
            raise Refused(Says("{word} is not a date, expected such as 2026-01-31", {"word": one[:20]}))
    return LeagueTold(_named(form.get("name", "")), tuple(points), form.get("game", ""), form.get("group", ""), *days)


def _hours(time_s: float) -> Says:
    minutes = round(time_s / 60)
    if minutes < 60:
        return Says("{n} min", {"n": minutes})
    return Says("{h} h {m} min", {"h": minutes // 60, "m": f"{minutes % 60:02d}"})


def _author() -> str:
    """The person at this phone, for the book's log."""
    door = current_app.extensions["companion"].door
    try:
        seats = door.seats_of(phones.phone_of(request))
        names = {seat.seat: seat.name for seat in door.view(None).seats}
    except Refused:  # nothing is played
        return "the book's page"
    return next((names[seat] for seat in seats if names.get(seat)), "the book's page")


def _back(endpoint: str, **values: Any) -> Response:
    response: Response = redirect(url_for(endpoint, **values), 303)  # type: ignore[assignment]
    return response
