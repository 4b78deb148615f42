"""The pages at /setup: from a box of parts to the first match, one step on each screen.

A page asks every half second for the state of its step by the newest picture, and sends what people press. All
measurements are made by the implementation of `SetUpDoor`.
"""

import io
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request, send_file

from companion.game.errors import CompanionError
from companion.game.says import Says
from web.site import languages
from web.site.app import qr_svg
from web.site.refusals import SENTENCES, Refusal
from web.site.worker import Worker
from web.table import invited
from web.words import day, translate

STEPS = ("aim", "lens", "fiducials", "pieces", "buttons", "drill")
"""The steps in their order."""
FIRST = 6
"""Number of the first one in docs/appliance.md and on the quick-start sheet; play is the last."""


DEEDS = ("finish_lens", "begin_lens", "use_profile", "learn", "drill")
"""Methods that a page calls by name; each says what it did, or raises a CompanionError."""


class SetUpDoor(Protocol):
    """A table's set-up as the pages need it, with the `DEEDS`; `companion.app.setup.TableSetUp` implements it."""

    game: str

    def games(self) -> Mapping[str, str]:
        """Games that a camera reads, name to title."""

    def choose(self, game: str) -> None:
        """Chooses the game whose mat and pieces are set up. Raises: CompanionError."""

    def done(self) -> list[str]:
        """The finished steps."""

    def look(self, step: str) -> dict[str, Any]:
        """The state of a step by the newest frame, JSON-able but for sentences."""

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG."""

    def lay(self, across_mm: float, diagonal_mm: float) -> Says:
        """Places the fiducials by two distances."""

    def certificate(self) -> dict[str, Any] | None:
        """The newest drill's certificate."""


def setup_pages(setup: SetUpDoor, sheets: Callable[[str, str], bytes]) -> Blueprint:
    """The pages, for `create_app(..., more=[...])`.

    While people play, only players reach these pages, except the certificate: it is shown to anyone.

    Args:
        sheets: gives a printable's PDF by its name and the paper's. Raises: CompanionError, KeyError.
    """
    part = Blueprint("setup", __name__)
    part.app_context_processor(lambda: {"setup_url": "/setup"})

    @part.before_request
    def members_only() -> None:
        if request.endpoint != "setup.certificate":
            invited.must_belong(request)

    _step_pages(part, setup)
    _papers(part, setup, sheets)
    return part


def _step_pages(part: Blueprint, setup: SetUpDoor) -> None:
    a_step = f"/setup/<any{STEPS}:step>"

    @part.get("/setup")
    def first() -> Any:
        done = setup.done()
        return redirect(f"/setup/{next((step for step in STEPS if step not in done), 'drill')}")

    @part.get(a_step)
    def page(step: str) -> str:
        following = STEPS[STEPS.index(step) + 1 :]
        return render_template(
            "setup.html",
            title="Set up the table",
            step=step,
            steps=STEPS,
            first=FIRST,
            done=setup.done(),
            then=following[0] if following else None,
            games=setup.games(),
            game=setup.game,
        )

    @part.get(f"{a_step}/look.json")
    def look(step: str) -> Response:
        try:
            found = _worker().answer(f"look {step}", lambda: setup.look(step))
        except CompanionError as error:
            found = {"step": step, "done": setup.done(), "blind": None, "says": error.sentence}
        return Response(json.dumps(found, default=_word), mimetype="application/json")

    @part.get("/setup/live.jpg")
    def live() -> Response:
        jpeg = _worker().answer("live", setup.live)
        if jpeg is None:
            return Response(status=204)
        return Response(jpeg, mimetype="image/jpeg")

    @part.post("/setup/do")
    def do() -> Response:
        given = request.get_json(silent=True)
        try:
            says = _done(setup, given if isinstance(given, dict) else {})
        except CompanionError as error:
            raise Refusal(409, "refused", error.sentence) from error
        return jsonify(says=_word(says))


def _papers(part: Blueprint, setup: SetUpDoor, sheets: Callable[[str, str], bytes]) -> None:
    @part.get("/setup/certificate")
    def certificate() -> Any:
        found = setup.certificate()
        if found is None:
            return redirect("/setup/drill")
        url = current_app.extensions["companion"].join_url + "setup/certificate"
        at = datetime.fromisoformat(found["at"])
        return render_template(
            "certificate.html",
            title="Certificate",
            certificate=found,
            at=f"{day(at, languages.asked())}, {at:%H:%M}",
            qr=qr_svg(url),
            url=url,
        )

    @part.get("/print/<what>.pdf")
    def print_(what: str) -> Response:
        paper = request.args.get("paper", "A4")
        try:
            pdf = _worker().answer(f"print {what} {paper}", lambda: sheets(what, paper))
        except KeyError as error:
            raise Refusal(404, "no_sheet", SENTENCES[404]) from error
        except CompanionError as error:
            raise Refusal(409, "no_sheet", error.sentence) from error
        return send_file(io.BytesIO(pdf), mimetype="application/pdf", download_name=f"{what}.pdf")


def _done(setup: SetUpDoor, given: Mapping[str, Any]) -> Says:
    """Does what a page sends, and returns the answer. Raises: CompanionError, Refusal."""
    match given.get("do"):
        case "choose":
            setup.choose(str(given.get("game", "")))
            return Says("chosen")
        case "lay":
            return setup.lay(_length(given, "across_mm"), _length(given, "diagonal_mm"))
        case deed if deed in DEEDS:
            found: Says = getattr(setup, deed)()
            return found
    why = str(given.get("do"))[:40]
    raise Refusal(400, "unknown", Says("This is not something a page of this table sends: {why}.", {"why": why}))


def _worker() -> Worker:
    found: Worker = current_app.extensions["companion"].worker
    return found


def _length(given: Mapping[str, Any], name: str) -> float:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 50 <= value <= 4000:
        says = Says("Type the distance in millimetres, between 50 and 4000.")
        raise Refusal(400, "no_length", says)
    return float(value)


def _word(says: Says) -> str:
    words = translate(says, languages.asked())
    return words[:1].upper() + words[1:]
