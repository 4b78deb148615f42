"""House rules of Eyes of the Emperor: the switches with their defaults, and how paragraphs are cited."""

from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from companion.game.errors import NotationError
from companion.game.options import chosen
from companion.game.says import Says
from companion.game.values import Option, RuleSheet

TITLE = "Eyes of the Emperor"
MOST_COCKED_DEG = 45.0
cite = RuleSheet(TITLE)

OPTIONS: tuple[Option, ...] = (
    Option("marked_faces", "1", ("1", "2"), Says("How many faces of an empire die have an eye?"), cite("gap 1")),
    Option("both_out", "together", ("together", "ever"), Says("How must both empire dice be out?"), cite("gap 4")),
    Option(
        "cocked_deg",
        "20.0",
        ("0 to 45",),
        Says("Beyond which tilt in degrees does an eye no longer face up?"),
        cite("gap 15"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """House rules; each answers a gap of RULES.md."""

    marked_faces: Annotated[int, Meta(ge=1, le=2)] = 1
    both_out: Annotated[str, Meta(pattern="^(together|ever)$")] = "together"
    cocked_deg: Annotated[float, Meta(ge=0, le=MOST_COCKED_DEG)] = 20.0


def with_option(options: Options, key: str, value: str) -> Options:
    """The options with one of them set. Raises: NotationError that names the key."""
    text = chosen(OPTIONS, {key: value}, TITLE, free=("cocked_deg",))[key]
    match key:
        case "cocked_deg":
            return replace(options, cocked_deg=_degrees(text))
        case "marked_faces":
            return replace(options, marked_faces=int(text))
        case _:
            return replace(options, both_out=text)


def _degrees(text: str) -> float:
    try:
        degrees = float(text)
    except ValueError:
        degrees = -1.0
    if not 0 <= degrees <= MOST_COCKED_DEG:
        values = {"found": text, "most": round(MOST_COCKED_DEG)}
        raise NotationError(Says("{found} is not a tilt, expected degrees from 0 to {most}", values), "cocked_deg")
    return degrees
