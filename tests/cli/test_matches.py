"""Which log of a folder is gone on with, and what is said of one that cannot be."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from companion.app.matches import opened_match
from companion.game.says import Says
from companion.game.values import Outcome
from companion.games.eyes_of_the_emperor import GAME
from companion.match.inputs import LeaveSeat, TakeSeat
from companion.record.check import verify
from companion.record.file import parts
from companion.record.log import Log

FIRST, SECOND = "eyes_of_the_emperor-0001.db", "eyes_of_the_emperor-0002.db"


def begun(folder: Path) -> Path:
    opened_match(folder, GAME).close()
    return folder / FIRST


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM entries WHERE seq = 1", "entry 2 follows entry 0, expected 1: entries are missing"),
        ("UPDATE entries SET body = 'x'", "entry 1 was changed: its body is no JSON"),
    ],
)
def test_a_damaged_newest_log_is_set_aside_and_play_goes_on_in_a_new_one(
    tmp_path: Path, change: str, said: str
) -> None:
    path = begun(tmp_path)
    db = sqlite3.connect(path)
    db.executescript("DROP TRIGGER entries_stay; DROP TRIGGER entries_are_kept")
    db.execute("INSERT INTO entries VALUES (2, 1.0, 'called', 'red', '{\"words\":\"\"}', '[]', '', 'x')")
    db.execute(change)
    db.commit()
    db.close()
    before = path.read_bytes()
    match = opened_match(tmp_path, GAME)
    (call,) = match.view().calls
    match.close()
    assert said in str(call.words)
    assert "play goes on in a new match" in str(call.words)
    assert path.with_name(f"{path.stem}.damaged-1.db").read_bytes() == before
    assert verify(path).faults == ()


@pytest.mark.parametrize("is_flipped", [True, False], ids=["a flipped bit", "cut short"])
def test_a_lost_end_is_told_on_every_phone_and_the_match_goes_on(tmp_path: Path, *, is_flipped: bool) -> None:
    """A flipped or cut write-ahead file lost up to 251 entries while `verify` said whole and the start said nothing."""
    path = tmp_path / FIRST
    log = Log(path)
    log.append(1.0, "began", "table", {"game": GAME.name, "options": {}, "seats": None, "board": None})
    log.checkpoint()
    for i in range(40):
        log.append(2.0 + i, "called", "Ann", {"words": f"call {i}"})
    kept = tmp_path / "killed"
    kept.mkdir()
    for part in parts(path):  # as a kill leaves them: closing would fold the one file into the other
        shutil.copy2(part, kept)
    log.close()
    end = kept / f"{FIRST}-wal"
    frames = bytearray(end.read_bytes())
    frames[len(frames) // 2] ^= 1
    end.write_bytes(frames if is_flipped else frames[: len(frames) // 2])
    found = verify(kept / FIRST)
    assert 0 < found.lost < 40
    assert f"the last {found.lost}" in found.faults[-1]
    match = opened_match(kept, GAME)
    assert match.view().seq == found.last_seq + 1
    assert "are lost" in match.view().calls[-1].words
    match.close()
    assert verify(kept / FIRST).faults == ()
    assert verify(kept / f"{Path(FIRST).stem}.damaged-1.db").lost == found.lost
    again = opened_match(kept, GAME)
    assert len(again.view().calls) == found.last_seq  # told once
    again.close()


RED_WON = Outcome(("red",), Says("red was quick"), "a test")
QUICK_GAME = replace(GAME, rules=replace(GAME.rules, outcome=lambda state: RED_WON))
"""Over as soon as it has begun."""


@pytest.mark.parametrize("is_file_there", [True, False])
def test_who_sat_there_sits_there_still_in_the_match_that_follows(tmp_path: Path, is_file_there: bool) -> None:
    """The box was killed before the next match was begun: it kept the house rules, and everybody had lost the seat."""
    match = opened_match(tmp_path, QUICK_GAME)
    for seat, name in (("red", "Ann"), ("blue", "Ben")):
        assert match.submit(TakeSeat(seat=seat, name=name, phone=f"the phone of {name}")).refused is None
    assert match.submit(LeaveSeat(seat="blue", phone="the phone of Ben")).refused is None
    match.close()
    if is_file_there:
        (tmp_path / SECOND).touch()
    match = opened_match(tmp_path, QUICK_GAME)
    assert match.view().match == SECOND.removesuffix(".db")
    assert (match.seats_of("the phone of Ann"), match.seats_of("the phone of Ben")) == (("red",), ())
    match.close()
    match = opened_match(tmp_path, QUICK_GAME, is_new=True)
    assert match.seats_of("the phone of Ann") == ()
    match.close()


def test_a_log_that_was_killed_before_its_first_entry_is_not_called_damaged(tmp_path: Path) -> None:
    """A box that was killed while the next match began told everybody that the record was damaged."""
    Log(tmp_path / FIRST).close()
    match = opened_match(tmp_path, GAME)
    assert match.view().calls == ()
    assert [path.name for path in tmp_path.glob("*.db")] == [FIRST]
    match.close()
