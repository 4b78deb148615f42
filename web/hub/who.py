"""Identifies the device of a request: by its own cookie token for each event, or by a program's token in the header."""

import re

from flask import Request, Response

from companion.event.hub.desk import Person
from companion.event.hub.people import Admissions
from companion.event.hub.roles import Permission
from companion.event.hub.store import HUB_ID
from companion.game.says import Says
from web.site.refusals import Refusal

COOKIE = "hub_"
COOKIE_DAYS = 60
EVENT_ID = re.compile(r"[a-z0-9-]{1,40}")


def tokens(request: Request, event: str = HUB_ID) -> list[str]:
    """The tokens of a browser for an event, or for the hub alone."""
    names = [COOKIE + HUB_ID, *([COOKIE + event] if EVENT_ID.fullmatch(event) else [])]
    return [token for name in names if (token := request.cookies.get(name))]


def is_program(request: Request) -> bool:
    """Whether a program sent the request, not a page: then it cannot be from another site's page."""
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def person_at(people: Admissions, request: Request, event: str) -> Person:
    """The person of a request, with the role of their device at this event."""
    bearer = request.headers.get("Authorization", "").partition(" ")[2].strip()
    return people.person([bearer] if is_program(request) else tokens(request, event), event)


def remember(response: Response, event: str, token: str) -> None:
    """Puts a device's token into its cookie."""
    response.set_cookie(
        COOKIE + event, token, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Lax", secure=False, path="/"
    )


def need(person: Person, act: Permission) -> None:
    """Raises: Refusal (403) if a person may not do it."""
    if not person.may(act):
        says = Says("This page is for referees and organisers: ask for a link that lets this device in.")
        raise Refusal(403, "not_allowed", says)
