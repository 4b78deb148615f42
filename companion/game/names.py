"""The names that people may use, at a table and at the hub: `cleaned` first, then `flaw_of` and `looks_like`.

Look-alike and invisible characters are from Unicode's own list (UTS 39): `lookalikes.txt`.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from companion.game.says import Says
from companion.game.view import CAMERA

BUTTON = "button"
"""Author of an input from a button of the box: nobody reads its receipt."""
BOX = "box"
"""Author of an entry that the box made by itself."""
NO_NAMES = frozenset({BUTTON, BOX, CAMERA, "table", "referee", "autoplay"})
"""Authors that are not people. People may not use these names: their entries would look like another author's."""

BLANKS = frozenset("\u2800\U0001d159")
"""Characters that are drawn as nothing though Unicode counts them as visible: a Braille cell, a note's head."""
NO_PERSONS = frozenset(
    {*NO_NAMES, *(f"the {word}" for word in NO_NAMES), *(f"by the {word}" for word in NO_NAMES)}
    | {"hub", "the hub", "die Zentrale", "Zentrale"}
    | {"Automat", "der Kamera", "die Kamera", "Kamera", "Knopf", "Schiedsrichter", "Taste", "Tisch"}
)
"""Names of everything that speaks but is not a person, as pages write them in any language."""


class Unfit(StrEnum):
    """Reasons to refuse a name: the codes of the table's refusals."""

    EMPTY = "no_name"
    LONG = "long_name"
    BRACKETS = "brackets"
    NO_PERSON = "no_person"


@dataclass(frozen=True, slots=True)
class Flaw:
    """The fault of a name, for a program and for a person."""

    code: Unfit
    says: Says


def cleaned(words: str) -> str:
    """Words without control and invisible characters, blanks made single.

    >>> cleaned(" An\\u202en  \\tLee\\n"), cleaned("referee\\ufe00"), cleaned("\\u3164\\u2800")
    ('Ann Lee', 'referee', '')
    """
    invisible, _ = _table()
    seen = (
        " " if letter.isspace() or letter in BLANKS else letter
        for letter in words
        if letter.isspace() or (unicodedata.category(letter)[0] != "C" and ord(letter) not in invisible)
    )
    return " ".join("".join(seen).split())


def flaw_of(name: str, most: int) -> Flaw | None:
    """The reason to refuse a cleaned name; None if it is allowed. `most`: maximum number of letters."""
    if not _drawn(name):
        return Flaw(Unfit.EMPTY, Says("The name is empty: type what the others call you."))
    if len(name) > most:
        says = Says("The name has {n} letters, at most {most} fit: shorten it.", {"n": len(name), "most": most})
        return Flaw(Unfit.LONG, says)
    if any(unicodedata.category(letter) in ("Ps", "Pe") for letter in _skeleton(name)):
        says = Says("{name} has brackets, which mark a seat here: leave them out", {"name": name})
        return Flaw(Unfit.BRACKETS, says)
    if is_no_person(name):
        return Flaw(Unfit.NO_PERSON, Says("{name} is not allowed as a name here: type another", {"name": name}))
    return None


def is_no_person(name: str) -> bool:
    """Whether a name looks like a name of the camera, a button or the box.

    >>> [is_no_person(name) for name in ("Referee", "c\\u0430mera", "CAMERA.", "Jenson Button")]
    [True, True, True, False]
    """
    return not _strictly(name).isdisjoint(_no_persons())


def looks_like(name: str, others: Iterable[str]) -> str | None:
    """The first of the other names that looks like this name.

    >>> looks_like("\\u0410nn", ["Ben", "Ann"]), looks_like("Ian", ["lan"]), looks_like("Ian", ["Lan", "Jan"])
    ('Ann', 'lan', None)
    """
    looks = _looks(name)
    return next((other for other in others if not looks.isdisjoint(_looks(other))), None)


class Borne:
    """Names that are taken already: finds a look-alike among thousands.

    >>> borne = Borne(["Ann", "Ben"])
    >>> borne.like("\\u0410nn"), borne.like("Cem")
    ('Ann', None)
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._by_look: dict[tuple[int, str], str] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        self._by_look |= dict.fromkeys(_looks(name), name)

    def like(self, name: str) -> str | None:
        """A taken name that looks like this name; None if there is none."""
        return next((self._by_look[look] for look in _looks(name) if look in self._by_look), None)


@cache
def _no_persons() -> frozenset[str]:
    return frozenset(look for name in NO_PERSONS for look in _strictly(name))


def _strictly(name: str) -> frozenset[str]:
    """All looks of a name, without marks on its letters and with capitals as small letters."""
    letters = unicodedata.normalize("NFD", name)
    bare = "".join(letter for letter in letters if unicodedata.category(letter) not in ("Mn", "Me"))
    own = _drawn(_skeleton(unicodedata.normalize("NFKC", bare)).casefold())
    return frozenset({own, *(look for _, look in _looks(bare))})


def _looks(name: str) -> frozenset[tuple[int, str]]:
    """A name unchanged, in small letters, and in Latin letters: names look alike if one of these forms does."""
    plain = unicodedata.normalize("NFKC", name)
    own = _skeleton(plain, is_foreign_only=True)
    return frozenset(enumerate(map(_drawn, (_skeleton(plain), _skeleton(plain.casefold()), own.casefold()))))


def _skeleton(name: str, *, is_foreign_only: bool = False) -> str:
    """A name in the letters that its own letters look like (UTS 39, 4: skeleton)."""
    invisible, alike = _table()
    letters = unicodedata.normalize("NFD", name)
    drawn = "".join(
        letter if is_foreign_only and letter.isascii() else alike.get(letter, letter)
        for letter in letters
        if ord(letter) not in invisible
    )
    return unicodedata.normalize("NFD", drawn)


def _drawn(name: str) -> str:
    """A name without blanks and punctuation: the part that people notice."""
    return "".join(letter for letter in name if unicodedata.category(letter)[0] in "LMNS" and letter not in BLANKS)


@cache
def _table() -> tuple[frozenset[int], Mapping[str, str]]:
    """Invisible characters, and what letters look like."""
    text = Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8")
    invisible: set[int] = set()
    alike: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("invisible "):
            for span in line.split()[1:]:
                first, _, last = span.partition("-")
                invisible.update(range(int(first, 16), int(last or first, 16) + 1))
        elif not line.startswith("#"):
            looks, _, letters = line.partition(" < ")
            alike |= dict.fromkeys(map(_letter, letters.split()), "".join(map(_letter, looks.split())))
    return frozenset(invisible), alike


def _letter(number: str) -> str:
    return chr(int(number, 16))
