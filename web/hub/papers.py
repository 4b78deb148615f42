"""Printouts and exports."""

import time
from collections.abc import Callable

from flask import Blueprint, Response, request

from companion.event.hub.export import exported, pairings_csv, results_csv, standings_csv
from companion.event.hub.results import form_of
from companion.event.hub.roles import Permission, Role
from companion.event.hub.views import HubViews
from companion.event.refused import EventRefused
from companion.event.trf import trf
from companion.game.says import Says
from companion.game.whole import whole_of
from web.hub.site import me, rendered, say, site
from web.hub.who import need
from web.site.app import attached, qr_svg

MOST_TABLES = 1_000
FOR_ALL = ("pairings", "names", "standings")
FOR_STAFF = {"slips": Permission.ENTER, "table-cards": Permission.ENTER, "player-cards": Permission.DEVICES}
"""The printouts, and what a person of the staff must be allowed to do."""
OF_A_ROUND = ("pairings", "names", "slips")

papers = Blueprint("hub_papers", __name__)


def _round(shown: HubViews) -> int:
    return whole_of(request.args.get("round", "")) or len(shown.event.rounds)


@papers.get("/e/<event_id>/print/<what>")
def printed(event_id: str, what: str) -> str:
    """A page to print: pairings by table, the same by name, standings, slips, table-cards or player-cards."""
    shown = site().shown(event_id)
    if what in FOR_STAFF:
        need(me(shown.log), FOR_STAFF[what])
    elif what not in FOR_ALL:
        known = ", ".join((*FOR_ALL, *FOR_STAFF))
        raise EventRefused("unknown file {what}, expected {known}", what=what, known=known)
    number = _round(shown) if what in OF_A_ROUND else 0
    if what in OF_A_ROUND and not 1 <= number <= len(shown.event.rounds):
        raise EventRefused("round {round} is not paired", round=number)
    slips = _slips(shown, number) if what == "slips" else ()
    cards = {"table-cards": _table_cards, "player-cards": _player_cards}.get(what, lambda _: ())(shown)

    def made() -> str:
        more = {"slips": slips, "cards": cards, "qr": qr_svg, "foot": _foot(shown)}
        return rendered("print.html", shown.log, what=what, shown_view=shown, number=number, **more)

    return site().once(shown.log, f"print {what} {number}", made) if what in FOR_ALL else made()


def _foot(shown: HubViews) -> str:
    """The game, the date and time of the newest entry, and the seed."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(shown.log.entries[-1].at_s))
    seed = say(Says("Seed {seed}", {"seed": shown.event.settings.seed}))
    return " · ".join(filter(None, (shown.game, when, seed)))


def _slips(shown: HubViews, number: int) -> list[dict[str, object]]:
    """The result slip of each table: names to sign above, and either boxes to tick or boxes for numbers."""
    slips: list[dict[str, object]] = []
    for table in shown.event.rounds[number - 1].tables:
        form = form_of(shown.event, table.seats, is_referee=False)
        heads = {str(each.what): each.what for each in form.numbers}.values() if form.about is None else [form.about]
        slips.append({"seats": table.seats, "choices": form.choices, "heads": list(heads)})
    return slips


def _table_cards(shown: HubViews) -> list[tuple[str, str, str]]:
    """A card for each table: its number, large, and the code that players scan to join."""
    tables = max(1, min(MOST_TABLES, len(shown.event.entrants) // shown.event.settings.fewest_seats))
    says, url = say(Says("Scan: your next table, your standing")), f"{site().join_url}e/{shown.log.id}/join"
    return [(say(Says("Table {n}", {"n": n})), says, url) for n in range(1, tables + 1)]


def _player_cards(shown: HubViews) -> list[tuple[str, str, str]]:
    """A card for each player with a personal code, which identifies a phone as theirs."""
    says = say(Says("Scan it with your phone: your tables and results. Your own code: do not lend it"))
    here, cards = site(), []
    for who, each in shown.event.entrants.items():
        code = here.people.invite(shown.log.id, Role.PLAYER, each.name, who)
        cards.append((each.name, says, f"{here.join_url}in/{code}"))
    return cards


@papers.get("/e/<event_id>/export/<what>")
def export(event_id: str, what: str) -> Response:
    """The standings or a round as CSV; for the organiser the whole event as JSON."""
    shown = site().shown(event_id)
    round_ = _round(shown)
    if what == "event.json":
        need(me(shown.log), Permission.AUDIT)
        return attached(exported(shown.log), "application/json", f"{event_id}.json")
    files: dict[str, tuple[str, str, Callable[[], str]]] = {
        "standings.csv": ("standings.csv", "text/csv", lambda: standings_csv(shown)),
        "pairings.csv": (f"round-{round_}.csv", "text/csv", lambda: pairings_csv(shown, round_)),
        "results.csv": ("results.csv", "text/csv", lambda: results_csv(shown)),
        "event.trf": ("trf16.trf", "text/plain", lambda: trf(shown.event, is_new=False)),
        "event-26.trf": ("trf26.trf", "text/plain", lambda: trf(shown.event, is_new=True)),
    }
    if what not in files:
        known = ", ".join((*files, "event.json"))
        raise EventRefused("unknown file {what}, expected {known}", what=what, known=known)
    name, kind, make = files[what]
    return attached(site().computed(shown.log, f"{what} {name}", make), kind, f"{event_id}-{name}")
