"""The page at /doctor: the box's findings about itself, green or one line of what to do."""

from collections.abc import Callable, Sequence

from flask import Blueprint, Response, current_app, jsonify, render_template, request

from companion.game.findings import ORDER, Finding, plain, worst
from web.table import invited

Examine = Callable[[], Sequence[Finding]]


def doctor_page(examine: Examine) -> Blueprint:
    """The page and its JSON, for `create_app(..., more=[...])`."""
    part = Blueprint("doctor", __name__)
    part.before_request(lambda: invited.must_belong(request))

    def examined() -> Sequence[Finding]:
        found: Sequence[Finding] = current_app.extensions["companion"].worker.answer("doctor", examine)
        return found

    @part.get("/doctor")
    def page() -> str:
        found = sorted(examined(), key=lambda one: ORDER.index(one.level))  # findings that need somebody come first
        return render_template("doctor.html", title="Doctor", findings=found, worst=worst(found))

    @part.get("/doctor.json")
    def for_scripts() -> Response:
        return jsonify([plain(one) for one in examined()])

    return part
