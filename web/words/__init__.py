"""All words that people read: an English template is the key, a language file has its translation.

`de.toml` here translates the pages; a game's own sentences are in its folder, `words/de.toml`. A sentence without a
translation stays English. `collect` finds every sentence, so that a test sees a missing translation.
"""

import logging
import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from companion.game import cards
from companion.game.known import GAMES, folder_of, names
from companion.game.says import SLOTS, Says, Slot, with_articles
from companion.game.text_file import why_unread
from companion.game.view import MatchView

_LOGGER = logging.getLogger(__name__)

ENGLISH = "en"
Said = Callable[[Slot, str], str | Says | None]
"""A match's name for a seat or a spot: a name, a sentence to translate, or None for the value itself."""
DECIMAL = re.compile(r"[-+]?\d+(\.\d+%?|%)")
WITH_COMMA = frozenset({"de"})
"""Languages with a decimal comma."""
DAYS = {"de": "%d.%m.%Y"}
"""Date formats by language; other languages use the English one."""
SAID_BY_NAME = frozenset({"red", "blue", "yellow", "green", "ninja", "samurai"})
"""Words that pages look up by a value of a view: no script contains them as a sentence."""


def catalogue(lang: str, games: tuple[str, ...] | None = None) -> Mapping[str, str]:
    """Template to translation of one language, with these games' (None: of all games that are known); empty for
    English, whose templates are the words.

    A sentence has one translation: the pages' comes first, then the product's games', then other games'.
    """
    return _catalogue(lang, names() if games is None else games) if lang.isalpha() and lang != ENGLISH else {}


@cache
def _catalogue(lang: str, games: tuple[str, ...]) -> Mapping[str, str]:
    shipped = sorted(Path(str(files("companion.games"))).glob(f"*/words/{lang}.toml"))
    others = [folder_of(name) / "words" / f"{lang}.toml" for name in games if name not in GAMES]
    own = Path(str(files(__package__))) / f"{lang}.toml"
    found: dict[str, str] = {}
    for file in (*others, *shipped, own):
        try:
            found |= {k: str(v) for k, v in tomllib.loads(file.read_text(encoding="utf-8")).items()}
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            if file not in others:
                raise
            _LOGGER.warning("%s is left out (%s), expected words in TOML", file, why_unread(error))
    return found


def translate(says: Says | str, lang: str = ENGLISH, said: Said | None = None, /, **values: Any) -> str:
    """A sentence in a language, each value shown as its slot's kind; `said` shows a match's seats and spots.

    A template with missing values is shown unchanged: a page must not fail because of a sentence.

    >>> translate(Says("{seat} throws a samurai", {"seat": "red"}))
    'red throws a samurai'
    >>> translate("{n} pieces to put back", n=2)
    '2 pieces to put back'
    """
    return _put(Says(says, values) if isinstance(says, str) else says, catalogue(lang), lang, said)


def _put(says: Says, words: Mapping[str, str], lang: str, said: Said | None) -> str:
    told = words.get(says.template)
    template = told or says.template.partition("|")[0]
    if "{" not in template:
        return template
    try:
        values = {k: _value(v, SLOTS.get(k, Slot.TEXT), words, lang, said) for k, v in says.values.items()}
        return template.format_map(values) if told else with_articles(template, values)
    except (KeyError, IndexError, ValueError, AttributeError):
        return template


def _value(value: Any, slot: Slot, words: Mapping[str, str], lang: str, said: Said | None) -> Any:
    """A value as people read it, by its slot's kind."""
    if isinstance(value, Says):
        return _put(value, words, lang, said)
    if isinstance(value, float):
        return number(value, lang)
    if not isinstance(value, str):
        return value
    match slot:
        case Slot.NUMBER:
            return number(value, lang) if DECIMAL.fullmatch(value) else value
        case Slot.CARDS:
            return cards.shown(value)
        case Slot.WORD:
            return words.get(value, value)
        case Slot.SEAT | Slot.SPOT:
            put = said(slot, value) if said else None
            if isinstance(put, Says):
                return _put(put, words, lang, None)
            return words.get(value, value) if put is None else isolated(str(put))
        case Slot.TEXT:
            return isolated(value)


def said_in(view: MatchView) -> Said:
    """A match's names for its values: a lettered seat's player, a circle's name in the rules."""
    names = {seat.seat: seat.name for seat in view.seats if seat.name and len(seat.seat) == 1}
    places: Mapping[str, Says] = view.table.get("places", {})
    return lambda slot, value: (names if slot is Slot.SEAT else places).get(value)


def number(value: float | str, lang: str) -> str:
    """A decimal number as a language writes it, also a percentage; its digits do not change.

    >>> number(2.4, "de"), number("12.50%", "de"), number(2.4, "en")
    ('2,4', '12,50\u00a0%', '2.4')
    """
    return str(value).replace(".", ",").replace("%", "\u00a0%") if lang in WITH_COMMA else str(value)


def day(at: datetime, lang: str) -> str:
    """A date as a language writes it.

    >>> day(datetime(2026, 3, 9), "de"), day(datetime(2026, 3, 9), "en")
    ('09.03.2026', '09 March 2026')
    """
    return at.strftime(DAYS.get(lang, "%d %B %Y"))


def isolated(words: str) -> str:
    """Marks a name or words that run from right to left, so that the text around them keeps its place.

    >>> isolated("Ann"), isolated("\u05d3\u05df")
    ('Ann', '\u2068\u05d3\u05df\u2069')
    """
    is_right_to_left = not words.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in words)
    return f"\u2068{words}\u2069" if is_right_to_left else words


def encoded(value: Any, lang: str = ENGLISH, said: Said | None = None) -> bytes:
    """A value as JSON, with every sentence in words.

    >>> encoded({"says": Says("throw {n}", {"n": 3}), "rules": ["Rules 1"]})
    b'{"says":"throw 3","rules":["Rules 1"]}'
    """
    return msgspec.json.encode(value, enc_hook=partial(_put, words=catalogue(lang), lang=lang, said=said))
