"""Kit files: what a game can be read by is taken, anything else is refused in one sentence before a picture is read.

A reviewer's faulty kits once gave tracebacks from deep in the readers, hung for minutes, or were taken in silence.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.game.brought import kit_for
from companion.game.errors import KitError
from companion.game.kit import kit_of_text

GAME = "eyes_of_the_emperor"
OWN = (Path(__file__).parents[2] / "companion" / "games" / GAME / "kit.toml").read_text(encoding="utf-8")
COLORS = 'colors = ["red", "blue"]'
MARKERS = "markers = { 0 = [-40, 35], 1 = [1040, 35], 2 = [1040, 665], 3 = [-40, 665] }"
START = "start = { red = [377.5, 350], blue = [622.5, 350] }"
SAMURAI = OWN[OWN.index("[[pieces]]", OWN.index("territory")) : OWN.index("[[pieces]]", OWN.index("samurai"))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f'game = "{GAME}"', "", "game is missing, expected a text"),
        ("width_mm = 1000 ", "width_mm = 900000 ", "mat.width_mm is 900000, expected a length in mm from 100 to 3000"),
        (
            "diameter_mm = 220",
            "diametre_mm = 220",
            "diametre_mm is not a key of a kit file: did you mean 'diameter_mm'?",
        ),
        ("36h11", "36h12", "mat.dictionary is 'DICT_APRILTAG_36h12', expected one of OpenCV's such as 'DICT_"),
        ("3 = [-40, 665]", '"\u00b2" = [-40, 665]', "mat.markers has the key '\u00b2', expected a fiducial's id"),
        ("3 = [-40, 665]", "3 = [-40, 35]", "mat.markers has 0 and 3 0 mm apart, expected at least marker_mm (50)"),
        (MARKERS, "markers = { 0 = [0, 35], 1 = [500, 36], 2 = [1000, 35] }", "mat.markers are all in one line"),
        ("{ red = [377.5", "{ rde = [377.5", "pieces[0].start has the key 'rde', expected one of colors: red, blue"),
        (SAMURAI, SAMURAI + SAMURAI, "pieces[2].kind is 'samurai' a second time, expected each kind once"),
        (OWN, "a = " + "[" * 9999, "is not TOML"),
    ],
)
def test_a_kit_that_cannot_be_is_refused_in_one_sentence(old: str, new: str, said: str) -> None:
    assert old in OWN
    with pytest.raises(KitError) as refused:
        kit_of_text(OWN.replace(old, new), name="kit.toml")
    assert str(refused.value).startswith("kit.toml: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f'"{GAME}"', '"suspend"', "game is 'suspend', expected 'eyes_of_the_emperor'"),
        (SAMURAI, "", "has no piece of kind 'samurai', expected one: add a [[pieces]] table"),
        (COLORS, 'colors = ["green", "blue"]\n#', "the territory has no color 'red', expected it"),
    ],
)
def test_a_game_needs_its_own_pieces_in_their_shapes(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "kit.toml").write_text(OWN.replace(START, "").replace(old, new), encoding="utf-8")
    with pytest.raises(KitError) as refused:
        kit_for(GAME, tmp_path / "kit.toml")
    assert said in str(refused.value)
