"""The start page: the choice of game, number of players and house rules. While nothing is played every page leads
here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.book.facts import key_of
from companion.game.errors import CompanionError, Refused
from companion.game.game import Game, seats_of
from companion.game.known import file_of, game_named, names, players_of
from companion.game.names import cleaned, flaw_of
from companion.game.says import Says, each_as, either
from companion.game.values import Option
from companion.game.view import MatchView
from companion.game.whole import whole_of
from companion.match.people import NAME_LIMIT
from companion.match.stage import MatchGoesOn
from web.site import languages
from web.site.refusals import FOR_SCRIPTS, Refusal
from web.table import invited
from web.table.house import called
from web.words import said_in, translate

START = "/start"
NAMED_BY = "called"
"""The option of a game that people give a name."""
FEW = 5
"""Maximum number of numbers that are all named."""


class Starter(Protocol):
    """A table as the start page needs it; `companion.app.door.TableDoor` implements it."""

    @property
    def playing(self) -> str | None:
        """The game that is played now."""

    @property
    def is_busy(self) -> bool:
        """Whether a new match would give up the present one."""

    @property
    def has_ended(self) -> bool:
        """Whether a match was played to its end at this table, so that its sheet is available."""

    def kept(self, game: str) -> Mapping[str, tuple[int | None, dict[str, str]]]:
        """The house rules of a game that were kept under a name: players and options."""

    def begin(
        self,
        game: str,
        players: int | None,
        options: dict[str, str],
        by: str,
        instead_of: str | None = None,
        people: Sequence[str] = (),
    ) -> None:
        """Begins a new match with `people` named on the first seats; an unfinished one is given up if `instead_of`
        names it. Raises: CompanionError if it cannot begin."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A game as the start page offers it."""

    name: str
    title: str
    players: tuple[int, ...]
    usual: int
    seats: tuple[str, ...]
    """The seats if as many play as can."""
    options: tuple[Option, ...]
    has_picture: bool

    @property
    def is_any(self) -> bool:
        """Whether people name the game themselves: a game that Companion does not know."""
        return any(option.key == NAMED_BY for option in self.options)

    @property
    def numbers(self) -> Says:
        """The possible numbers of players, in words."""
        least, most = self.players[0], self.players[-1]
        if len(self.players) == most - least + 1 > FEW:
            return Says("{least} to {most}", {"least": least, "most": most})
        return either(each_as("n", self.players))


def counts(option: Option) -> list[tuple[str, str]]:
    """The things that a house rule counts, each with its default number.

    >>> counts(Option("n", "red:6,blue:4", (), Says("how many"), "", is_counted=True))
    [('red', '6'), ('blue', '4')]
    """
    return [(thing, n) for thing, _, n in (part.partition(":") for part in option.default.split(","))]


def _answer(option: Option, given: Mapping[str, str]) -> str:
    """The answer to a house rule in a form, its default if the form has none."""
    if not option.is_counted or option.key in given:
        return given.get(option.key, option.default)
    return ",".join(f"{thing}:{given.get(f'{option.key}.{thing}', n)}" for thing, n in counts(option))


@lru_cache(maxsize=64)
def offer(game: Game[Any, Any]) -> Offer:
    """A game on the start page. Made once per game, because it begins the game with each number of players."""
    players = players_of(game)
    seats = tuple(seats_of(game, game.rules.start(players[-1])))
    usual, has_picture = len(seats_of(game, game.rules.start())), file_of(game.name, "picture.svg") is not None
    return Offer(game.name, game.title, players, usual, seats, game.options, has_picture)


def _people(given: MultiDict[str, str]) -> tuple[str, ...]:
    """The people in a form, each once: those that were tapped, then new names. Raises: Refused."""
    found: dict[str, str] = {}
    for name in map(cleaned, (*given.getlist("people"), *given.get("new_people", "").split(","))):
        if name and (flaw := flaw_of(name, NAME_LIMIT)):
            raise Refused(flaw.says)
        found.setdefault(key_of(name), name)
    return tuple(filter(None, found.values()))


def _enough(game: Game[Any, Any], players: int, people: Sequence[str]) -> int:
    """The number of players, raised to have a seat for everybody. Raises: Refused."""
    if len(people) <= players:
        return players
    known = offer(game)
    if len(people) > known.players[-1]:
        told = {"n": len(people), "numbers": known.numbers}
        raise Refused(Says("{n} people are too many, expected {numbers}", told))
    return min(n for n in known.players if n >= len(people))


def _wanted(starter: Starter, game: Game[Any, Any], given: MultiDict[str, str]) -> tuple[int | None, dict[str, str]]:
    """The number of players and the house rules in a form. Raises: Refused."""
    people, players = _people(given), whole_of(given.get("players", ""))
    answers = {o.key: _answer(o, given) for o in game.options}
    options = {o.key: answers[o.key] for o in game.options if answers[o.key] != o.default}
    if (again := starter.kept(game.name).get(given.get("kept", ""))) is not None:
        players, options = len(people) or again[0], again[1]
    return players and _enough(game, players, people), options


def _standing(match: MatchView) -> list[str]:
    """How each player of a match stands, in words."""
    names = {seat.seat: seat.name or translate(seat.seat, languages.asked()) for seat in match.seats}
    said = said_in(match)
    return [f"{names[seat]}: {translate(says, languages.asked(), said)}" for seat, says in match.standing.items()]


def start_page(starter: Starter, *, is_virtual: bool = False) -> Blueprint:
    """The page at `/start`, for `create_app(..., more=[...])`. `is_virtual`: this machine shows a virtual table and
    two phones, so two players are preset."""
    part = Blueprint("start", __name__)

    @part.app_context_processor
    def leads_here() -> dict[str, str]:
        """Gives pages the address where another game can be chosen."""
        return {"start_url": START}

    @part.before_app_request
    def ask_first() -> Any:
        """While nothing is played, leads pages to the start page and refuses scripts with 503."""
        if (
            starter.playing is not None
            or request.endpoint
            in ("static", "start.page", "start.begin", "sheet.match_pdf", "replay.film", "page_script", "game_file")
            or request.blueprint in ("book", "languages", "setup", "doctor", "https")
        ):
            return None
        if request.path.startswith(FOR_SCRIPTS) or request.path.endswith((".json", ".jpg", ".js")):
            says = Says("nothing is played at this table yet: choose a game first")
            raise Refusal(503, "no_match", says, retry_after_s=2)
        if request.endpoint == "pages.board" and "book" in current_app.blueprints:
            return redirect(url_for("book.evening", wall=""))  # the wall shows the evening until a match begins
        return redirect(START)

    @part.get(START)
    def page() -> Response:
        return _shown(None)

    @part.post(START)
    def begin() -> ResponseReturnValue:
        given = request.form
        name = given.get("game", "")
        try:
            game = game_named(name) if name in names() else None
            if game is None:
                return _shown(Says("Choose one of the games."), 400)
            untouched = _untouched()
            gives_up = given.get("give_up") or (untouched if given.get("untouched") == untouched else None)
            if starter.is_busy:
                is_unplayed = untouched is not None and gives_up == untouched
                (invited.must_belong if is_unplayed else invited.must_be_alone)(request)
                if gives_up is None:
                    return _shown(None, 409, is_asking=True)
            starter.begin(name, *_wanted(starter, game, given), "the start page", gives_up, people=_people(given))
        except MatchGoesOn:  # another page has begun it since
            return _shown(None, 409, is_asking=True)
        except CompanionError as error:
            return _shown(error.sentence, 409)
        return redirect("/" if is_virtual else "/?choose")  # on its machine "/" leads to the virtual table

    def _untouched() -> str | None:
        """The name of a match that was begun and not played yet: it is ended without a question."""
        match = current_app.extensions["companion"].door.view(None) if starter.is_busy else None
        return match.match if match is not None and match.undo is None else None

    def _shown(refused: Says | None, status: int = 200, *, is_asking: bool = False) -> Response:
        """The page. `is_asking`: whether the match that is played may be ended for the one in the form."""
        table = current_app.extensions["companion"]
        match = table.door.view(None) if starter.is_busy else None
        html = render_template(
            "start.html",
            title="Companion",
            offers=[offer(game_named(name)) for name in names()],
            playing=starter.playing,
            busy_with=None if match is None else match.match,
            untouched=_untouched(),
            asks=[one for one in request.form.items(multi=True) if one[0] != "give_up"] if is_asking else [],
            standing=_standing(match) if match is not None and is_asking else [],
            has_ended=starter.has_ended,
            refused=refused,
            join_url=table.join_url,
            called=called,
            is_virtual=is_virtual,
            kept=starter.kept,
            counts=counts,
        )
        return Response(html, mimetype="text/html", status=status)

    return part
