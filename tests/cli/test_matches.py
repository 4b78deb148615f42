"""Which log of a folder is gone on with, and what is said of one that cannot be."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from companion.cli.matches import log_path, opened_match
from companion.errors import LogError
from companion.game import Outcome
from companion.games.eyes_of_the_emperor import GAME, EyesOfTheEmperor
from companion.games.eyes_of_the_emperor.state import State
from companion.inputs import LeaveSeat, TakeSeat
from companion.log import Log, read_log
from companion.says import Says
from web.app import create_app

FIRST, SECOND = "eyes_of_the_emperor-0001.db", "eyes_of_the_emperor-0002.db"


def begun(folder: Path) -> Path:
    opened_match(folder, GAME).close()
    return folder / FIRST


def test_a_match_that_is_not_over_is_gone_on_with(tmp_path: Path) -> None:
    assert log_path(tmp_path, GAME) == tmp_path / FIRST
    assert log_path(tmp_path, GAME) == begun(tmp_path)
    assert log_path(tmp_path, GAME, is_new=True) == tmp_path / SECOND


def test_a_log_in_which_nothing_was_entered_is_begun(tmp_path: Path) -> None:
    """The box was killed between making the file and the first entry: the folder could not be used any more."""
    (tmp_path / FIRST).touch()
    assert begun(tmp_path).stat().st_size > 0


def test_a_new_match_that_could_not_be_begun_hides_none(tmp_path: Path) -> None:
    """On a full disk --new made an empty log, and the match that was going on was never opened again."""
    path = begun(tmp_path)
    Log(tmp_path / SECOND).close()
    (tmp_path / SECOND.replace("2", "3")).touch()
    assert log_path(tmp_path, GAME) == path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM entries WHERE seq = 1", "no entry says which game it is of"),
        (
            'UPDATE entries SET body = \'{"game":"eyes_of_the_emperor","options":5}\' WHERE seq = 1',
            "entry 1 (began) was changed",
        ),
        ("UPDATE entries SET body = 'x'", "entry 1 was changed: its body is no JSON"),
    ],
)
def test_a_damaged_newest_log_is_named_and_a_new_match_can_begin(tmp_path: Path, change: str, said: str) -> None:
    path = begun(tmp_path)
    db = sqlite3.connect(path)
    db.executescript("DROP TRIGGER entries_stay; DROP TRIGGER entries_are_kept")
    db.execute("INSERT INTO entries VALUES (2, 1.0, 'called', 'red', '{\"words\":\"\"}', '[]', '', 'x')")
    db.execute(change)
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(LogError) as refused:
        opened_match(tmp_path, GAME)
    assert str(refused.value).startswith(f"{path}: ")
    assert said in str(refused.value)
    assert str(refused.value).endswith("begin a new match by `companion serve` with --new")
    opened_match(tmp_path, GAME, is_new=True).close()
    assert (tmp_path / SECOND).exists()
    assert path.read_bytes() == before


class QuickGame(EyesOfTheEmperor):
    """Over as soon as it has begun."""

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(("red",), Says("red was quick"), "a test")


def test_a_match_that_follows_another_keeps_its_house_rules(tmp_path: Path) -> None:
    """The box was killed between making the next match's file and its first entry, and played on by other rules."""
    given = {"both_out": "ever"}
    opened_match(tmp_path, QuickGame(), options=given).close()
    (tmp_path / SECOND).touch()
    opened_match(tmp_path, QuickGame()).close()
    assert read_log(tmp_path / SECOND)[0].body["options"] == given
    opened_match(tmp_path, QuickGame(), is_new=True).close()
    assert read_log(tmp_path / SECOND.replace("2", "3"))[0].body["options"] == {}


@pytest.mark.parametrize("is_file_there", [True, False])
def test_who_sat_there_sits_there_still_in_the_match_that_follows(tmp_path: Path, is_file_there: bool) -> None:
    """The box was killed before the next match was begun: it kept the house rules, and everybody had lost the seat."""
    match = opened_match(tmp_path, QuickGame())
    for seat, name in (("red", "Ann"), ("blue", "Ben")):
        assert match.submit(TakeSeat(seat=seat, name=name, phone=f"the phone of {name}")).refused is None
    assert match.submit(LeaveSeat(seat="blue", phone="the phone of Ben")).refused is None
    match.close()
    if is_file_there:
        (tmp_path / SECOND).touch()
    match = opened_match(tmp_path, QuickGame())
    assert match.view().match == SECOND.removesuffix(".db")
    assert (match.seats_of("the phone of Ann"), match.seats_of("the phone of Ben")) == (("red",), ())
    match.close()
    match = opened_match(tmp_path, QuickGame(), is_new=True)
    assert match.seats_of("the phone of Ann") == ()
    match.close()


def test_how_long_the_table_is_seen_is_not_told_by_a_clock_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pi has no clock of its own: the network sets it after the start, and phones showed a table seen for 2160 h."""
    monkeypatch.setattr(time, "time", lambda: 0.0)
    match = opened_match(tmp_path, GAME)
    shown = create_app(match, join_url="http://192.168.4.1/").test_client().get("/state").json
    match.close()
    assert 0.0 <= shown["now_s"] - shown["sight"]["since_s"] < 60.0
