"""Which names people may bear: nothing invisible, nothing that passes for the box, nobody like another at the table."""

from __future__ import annotations

import itertools
import unicodedata

import pytest

from companion.event.hub.desk import HUB
from companion.event.hub.entry_list import entered_of
from companion.event.refused import EventRefused
from companion.game.names import NO_NAMES, Borne, Unfit, cleaned, flaw_of, is_no_person, looks_like
from web.site.languages import offered
from web.words import translate

MOST = 24


def code(name: str) -> Unfit | None:
    flaw = flaw_of(cleaned(name), MOST)
    return None if flaw is None else flaw.code


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("referee\ufe00", Unfit.NO_PERSON),  # a variation selector
        ("r\u0435f\u0435r\u0435\u0435", Unfit.NO_PERSON),  # Cyrillic
        ("tab1e", Unfit.NO_PERSON),
        ("c\u00e1mera.", Unfit.NO_PERSON),
        ("\u3164", Unfit.EMPTY),  # a blank letter: Hangul filler
        ("...", Unfit.EMPTY),
        ("Ann \uff08red\uff09", Unfit.BRACKETS),
        ("x" * 25, Unfit.LONG),
    ],
)
def test_a_name_that_shows_nothing_or_passes_for_the_box_is_none(name: str, why: Unfit) -> None:
    assert code(name) is why


@pytest.mark.parametrize(
    "name",
    ["Ann", "Zo\u00eb", "Jenson Button", "O'Neil", "Ben & Eve", "\u674e\u96f7", "\u05d3\u05df",
     "\u0645\u062d\u0645\u062f", "Влад", "\U0001f3b2", "1. FC", "Camer", "Tabea"],
)  # fmt: skip
def test_an_honest_name_of_any_alphabet_is_one(name: str) -> None:
    assert code(name) is None


def test_no_invisible_letter_is_left_in_a_name() -> None:
    for number in itertools.chain(range(0x3000), range(0xFE00, 0x10000), range(0xE0000, 0xE0200)):
        left = cleaned(f"A{chr(number)}n")
        assert len(left) == 2 or unicodedata.category(left[1])[0] != "C"
    assert cleaned("A\u202en\ufe0f\u3164n\U000e0101") == "Ann"


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("Ann", "\u0410nn", True),
        ("Ian", "lan", True),
        ("Zoe", "Zo\u00eb", False),
    ],
)
def test_names_that_the_eye_cannot_tell_apart_are_alike(one: str, other: str, is_alike: bool) -> None:
    assert (looks_like(one, [other]) == other) is is_alike
    assert (looks_like(other, [one]) == one) is is_alike
    assert (Borne([one]).like(other) == one) is is_alike


def test_what_is_no_person_is_so_in_every_language() -> None:
    assert is_no_person(HUB.name)
    for lang, word in itertools.product(offered(), NO_NAMES):
        by = translate("by {name}", lang, name="")
        for written in (word, f"the {word}", f"by the {word}"):
            assert is_no_person(translate(written, lang).removeprefix(by)), (lang, written)


def test_the_hub_s_lists_hold_no_invisible_letter_and_no_look_alike() -> None:
    """A name with U+202E turned the whole row of a standing around."""
    assert [each.name for each in entered_of("An\u202en\nBe\u3164n")] == ["Ann", "Ben"]
    with pytest.raises(EventRefused, match="line 2: \u0410nn looks like Ann, who is entered already"):
        entered_of("Ann\n\u0410nn")
    for name, why in (("referee\ufe00", "not allowed as a name"), ("Ann (red)", "brackets")):
        with pytest.raises(EventRefused, match=why):
            entered_of(name)
