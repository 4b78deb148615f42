"""The pages: choosing a seat, a seat's phone, the scoreboard, the join sheet; and the pictures they show."""

import re
from dataclasses import replace

from flask import Blueprint, Flask, Response, current_app, jsonify, redirect, render_template, request
from flask.typing import ResponseReturnValue

from companion.game.errors import CompanionError
from companion.game.known import rule_words
from companion.game.says import Says
from companion.match.inputs import Door
from companion.match.present import Picture
from web.site import languages
from web.site.app import qr_svg
from web.site.bundle import game_styles
from web.site.captive import WIFI_FILE
from web.site.refusals import Refusal
from web.site.static_files import PLAIN_SCRIPT, game_script
from web.table import invited
from web.table.house import in_force
from web.table.stream import asked_seat

pages = Blueprint("pages", __name__)

SHA256 = re.compile(r"[0-9a-f]{64}")
PNG = b"\x89PNG\r\n\x1a\n"
KEPT_S = 86400 * 30
"""Time that a phone may keep a picture. Its name is its hash, so it never changes."""


def join_qr() -> str | None:
    """The code to join: it leads to the choice of a seat, whatever the plain address shows. None if other devices could
    not follow it."""
    table = current_app.extensions["companion"]
    number = invited.shown_to(request)
    asks = "?choose" if number is None else f"?choose&number={number}"
    return None if table.is_here_only else qr_svg(table.join_url + asks)


def wifi_qr() -> str | None:
    """The code to join the box's own network; None while it is closed."""
    try:
        return qr_svg(WIFI_FILE.read_text(encoding="utf-8"))
    except OSError:
        return None


def script_name(game: str) -> str:
    """The game whose script a page needs; "none": the plain one."""
    return game if game_script(game) != PLAIN_SCRIPT else "none"


def page(template: str, **values: object) -> str:
    """A page with the values that all pages need."""
    table = current_app.extensions["companion"]
    view = table.door.view(None)
    return render_template(
        template,
        title=view.title,
        game=view.game,
        seats=[s.seat for s in view.seats],
        styles=game_styles(view.game),
        script_of=script_name(view.game),
        join_url=table.join_url,
        can_open=table.open_network is not None,
        **values,
    )


@pages.get("/")
def phone() -> str:
    """A phone's page: to choose a seat (`?choose`), as a seat (`?seat=red`), or to watch (`?watch`)."""
    table = current_app.extensions["companion"]
    seat = asked_seat(table.door)
    mode = "seat" if seat else "watch" if "watch" in request.args else "choose"
    return page(
        "phone.html",
        seat=seat,
        mode=mode,
        name=request.args.get("name", "")[:40],
        sits="sits" in request.args,
        asks_number=invited.is_needed(request),
        number=request.args.get("number", "")[:12],
        qr=join_qr(),
        wifi=wifi_qr(),
    )


@pages.get("/board")
def board() -> str:
    return page("board.html", qr=join_qr(), wifi=wifi_qr())


@pages.get("/join")
def join() -> str:
    """The QR code alone, to be shown or printed."""
    return page("join.html", qr=join_qr(), wifi=wifi_qr(), number=invited.shown_to(request))


def reached_at(app: Flask, url: str) -> None:
    """Notes the address at which other devices reach the table from now on."""
    app.extensions["companion"] = replace(app.extensions["companion"], join_url=url)


@pages.post("/network")
def open_network() -> ResponseReturnValue:
    """Makes the table available to other devices; only a browser on this machine can ask for it."""
    table = current_app.extensions["companion"]
    if table.is_here_only and table.open_network is not None:
        try:
            url = table.open_network()
        except CompanionError as error:
            raise Refusal(409, "no_network", error.sentence) from error
        reached_at(current_app, url)
    return redirect("/join")


@pages.get("/rules.json")
def rules() -> Response:
    """The paragraphs that the rulings of this match's game cite, by heading."""
    table = current_app.extensions["companion"]
    response = jsonify(rule_words(table.door.view(None).game, languages.asked()))
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@pages.get("/house.json")
def house() -> Response:
    """The house rules of this match that differ from the sheet, each as its question and its answer."""
    return jsonify(in_force(current_app.extensions["companion"].door.view(None), languages.asked()))


@pages.get("/evidence/<name>.jpg")
def evidence(name: str) -> Response:
    door: Door = current_app.extensions["companion"].door
    return kept_picture(name, door.picture)


def kept_picture(name: str, kept: Picture) -> Response:
    """A picture whose name is its hash. Raises: Refusal (404)."""
    content = kept(name) if SHA256.fullmatch(name) else None
    if content is None:
        says = Says("This picture was not kept, or was deleted: old pictures are removed after some time.")
        raise Refusal(404, "no_picture", says)
    response = Response(content, mimetype="image/png" if content.startswith(PNG) else "image/jpeg")
    response.headers["Cache-Control"] = f"private, max-age={KEPT_S}, immutable"
    response.add_etag()
    response.make_conditional(request)
    return response


@pages.get("/live.jpg")
def live() -> Response:
    door: Door = current_app.extensions["companion"].door
    picture = door.live()
    if picture is None:
        raise Refusal(503, "blind", Says("The table can't see right now, so no picture is shown."), retry_after_s=2)
    return Response(picture, mimetype="image/jpeg")
