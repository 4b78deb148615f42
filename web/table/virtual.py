"""The virtual table's page: the table from above to throw and move on, the camera's view, and two phones next to it.

The page is only a pair of hands and a window: it sends what people do at a table (`/table/do`), and shows the camera's
picture and the pieces. Readings, judgements and rulings reach the phones only through the camera.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol, Union
from urllib.parse import quote
from zlib import crc32

import msgspec
from flask import Blueprint, Response, current_app, jsonify, render_template, request
from msgspec import Meta, Struct

from companion.game.errors import CompanionError
from companion.game.says import Says
from companion.game.view import MatchView
from web.site import languages, phones
from web.site.refusals import Refusal
from web.table.pages import join_qr, script_name

TABLE = "/table"
PEOPLE = ("Ann", "Ben")
"""The players at the phones next to the table, on the first seats."""


class VirtualTableDoor(Protocol):
    """A virtual table as the page needs it; `vision.sim.virtual.VirtualTable` implements it, with a method for each
    deed. A method may raise a CompanionError: one sentence, which the page shows."""

    def state(self) -> Mapping[str, Any]:
        """The pieces and switches, JSON-able; ``version`` grows with every change, ``is_moving`` while one tumbles."""

    def live(self) -> bytes | None:
        """The camera's picture as JPEG, None while it is unplugged."""

    def holds(self, round: int, held: Mapping[str, int], laid: int, turn: str | None) -> None:
        """Deals and draws cards on the table as in the match."""


Word = Annotated[str, Meta(min_length=1, max_length=60)]
Millimetres = Annotated[float, Meta(ge=-2000, le=4000)]
PlaceMm = tuple[Millimetres, Millimetres]
Share = Annotated[float, Meta(ge=0, le=1)]
DEEDS: Mapping[str, Mapping[str, Any]] = {
    "set_up": {},
    "throw": {"seat": Word, "kind": Word, "from_mm": PlaceMm, "aim_mm": PlaceMm, "power": Share},
    "roll": {"id": (Word | None, None)},
    "move": {"id": Word, "x_mm": Millimetres, "y_mm": Millimetres},
    "move_together": {
        "ids": Annotated[tuple[Word, ...], Meta(min_length=1, max_length=60)],
        "dx_mm": Millimetres,
        "dy_mm": Millimetres,
    },
    "turn": {"id": Word, "angle_deg": Annotated[float, Meta(ge=-360, le=360)]},
    "flip": {"id": Word},
    "face_up": {"id": Word, "axis": int, "sign": int},
    "stack": {"id": Word, "on_id": Word, "aside_mm": (PlaceMm, (0.0, 0.0))},
    "remove": {"id": Word},
    "remove_all": {"ids": Annotated[tuple[Word, ...], Meta(min_length=1, max_length=60)]},
    "place": {"kind": Word, "color": Word, "x_mm": Millimetres, "y_mm": Millimetres},
    "lay_from": {
        "seat": Word,
        "cards": Annotated[tuple[Word, ...], Meta(min_length=1, max_length=14)],
        "at_mm": (PlaceMm | None, None),
    },
    "take_up": {"ids": Annotated[tuple[Word, ...], Meta(min_length=1, max_length=60)], "seat": Word},
    "press": {"button": Word},
    "bump": {},
    "set_hand": {"seat": Word | None},
    "set_light": {"level": Annotated[float, Meta(ge=0, le=1.5)]},
    "set_plugged": {"is_plugged": bool},
}
"""The fields of each deed at the table, some with a default. The table's method of that name takes them in order."""


def _struct(tag: str, fields: Mapping[str, Any]) -> type[Struct]:
    told = [(name, *kind) if isinstance(kind, tuple) else (name, kind) for name, kind in fields.items()]
    return msgspec.defstruct(tag, told, frozen=True, tag_field="do", tag=tag, forbid_unknown_fields=True)


_DEEDS: msgspec.json.Decoder[Struct] = msgspec.json.Decoder(
    Union[tuple(_struct(tag, fields) for tag, fields in DEEDS.items())]  # noqa: UP007
)


def done(deed: Struct, table: VirtualTableDoor) -> str | None:
    """Does a deed at the table; returns the id of a piece that it brought in. Raises: CompanionError."""
    found: str | None = getattr(table, str(deed.__struct_config__.tag))(*msgspec.structs.astuple(deed))
    return found


def _of(match: MatchView) -> str:
    """The page that a match needs: its game, its seats, and the address to join at."""
    return " ".join((match.game, *(one.seat for one in match.seats), current_app.extensions["companion"].join_url))


def virtual_table(table: VirtualTableDoor, *, phone_urls: Sequence[str] = ()) -> Blueprint:
    """The page at `TABLE`, for `create_app(..., more=[...])`. `phone_urls`: addresses that the phones next to the table
    show, instead of the first seats."""
    part = Blueprint("virtual", __name__, url_prefix=TABLE)

    @part.before_request
    def own_screen() -> None:
        """Allows only this machine: the hands and buttons belong to its screen, and others would move pieces that are
        not theirs."""
        if not phones.is_here(request.remote_addr):
            raise Refusal(
                403,
                "not_here",
                Says("The virtual table only opens on its own computer's screen: play on your phone instead."),
            )

    @part.errorhandler(CompanionError)
    def is_replaced(error: CompanionError) -> Response:
        """One game replaces another."""
        return Refusal(503, "no_table", error.sentence, retry_after_s=1).response()

    def played() -> MatchView:
        view: MatchView = current_app.extensions["companion"].door.view(None)
        return view

    @part.get("")
    def page() -> str:
        match = played()
        seats = [
            f"/?seat={quote(s.seat)}&name={quote(name)}{'&sits' if 'first' in request.args else ''}"
            for s, name in zip(match.seats, PEOPLE, strict=False)
        ]
        names = [s.seat for s in match.seats]
        return render_template(
            "virtual.html",
            title=match.title,
            script_of=script_name(match.game),
            seats=names,
            phones=list(zip(names, phone_urls or seats, strict=False)),
            may_sit="first" not in request.args and not any(s.name for s in match.seats),
            of=_of(match),
            qr=join_qr(),
            join_url=current_app.extensions["companion"].join_url,
            can_open=current_app.extensions["companion"].open_network is not None,
        )

    @part.get("/state")
    def state() -> Response:
        """The table as it is; 204 if the page already has this state. A page of another game gets only the name of its
        page."""
        match = played()
        of = _of(match)
        if request.args.get("of", of) != of:
            return jsonify(of=of)
        if dealt := match.table.get("dealt"):
            table.holds(**dealt)
        now = table.state()
        told = current_app.extensions["companion"].told.words(match, languages.asked())
        mark = f"{crc32(told):x}"
        had = (request.args.get("since"), request.args.get("mark", mark))
        if had == (str(now["version"]), mark) and not now["is_moving"]:
            return Response(status=204)
        lying = msgspec.json.encode({**now, "of": of, "mark": mark})
        return Response(lying[:-1] + b',"match":' + told + b"}", mimetype="application/json")

    @part.get("/camera.jpg")
    def camera() -> Response:
        picture = table.live()
        if picture is None:
            raise Refusal(503, "blind", Says("The camera is unplugged"), retry_after_s=1)
        return Response(picture, mimetype="image/jpeg")

    @part.post("/do")
    def do() -> Response:
        try:
            id = done(_DEEDS.decode(request.get_data()), table)
        except (msgspec.DecodeError, RecursionError) as error:
            says = Says("This is not something a page of this table sends: {why}.", {"why": str(error)})
            raise Refusal(400, "not_understood", says) from None
        except CompanionError as error:
            raise Refusal(409, "not_done", error.sentence) from None
        return jsonify(id=id, version=table.state()["version"])

    return part
