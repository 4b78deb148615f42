"""Old pictures of a folder's matches: what goes, what stays, and what is said of it."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.app import matches
from companion.app.door import TableDoor
from companion.app.matches import DAY_S, prune
from companion.record.check import verify
from companion.record.log import Log, read_log
from hardware.machine import FEW_FREE_BYTES

NOW_S = 1000 * DAY_S


def kept(folder: Path, number: int, *ages_days: float) -> Path:
    """A match log with an entry and its picture of each age."""
    path = folder / f"eyes_of_the_emperor-{number:04d}.db"
    log = Log(path)
    for age_days in ages_days:
        picture = b"picture %d of %f" % (number, age_days)
        log.append(NOW_S - age_days * DAY_S, "action", "camera", {"number": number}, (picture,))
    log.close()
    return path


def pictures(path: Path) -> list[bool]:
    log = Log(path)
    found = [log.picture(sha) is not None for entry in log.entries() for sha in entry.evidence]
    log.close()
    return found


def test_old_pictures_of_every_match_go_and_the_entries_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The docs said that pictures were pruned by age, and nothing ever pruned them."""
    first, second, third = kept(tmp_path, 1, 200, 100), kept(tmp_path, 2, 91, 89), kept(tmp_path, 3, 1)
    prune(tmp_path, 2)
    said = f"3 pictures from before the newest 2 days of play removed from 2 matches in {tmp_path}\n"
    assert capsys.readouterr().err == said
    assert (pictures(first), pictures(second), pictures(third)) == ([False, False], [False, True], [True])
    assert [len(read_log(path)) for path in (first, second, third)] == [2, 2, 1]
    assert all(verify(path).faults == () for path in (first, second, third))
    prune(tmp_path, 2)
    assert capsys.readouterr().err == ""


def test_a_nearly_full_disk_loses_old_pictures_before_the_next_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures went by age alone, and only when a table was opened: a card filled up within the 90 days."""
    played = [kept(tmp_path, number, 10 - number) for number in range(1, 10)]
    door = TableDoor(tmp_path, lambda game, chosen: None, keep_days=90)

    def free(folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=FEW_FREE_BYTES - sum(map(any, map(pictures, played[:7]))))

    monkeypatch.setattr(matches.shutil, "disk_usage", free)
    door.begin("eyes_of_the_emperor", 2, {}, "ann")
    door.close()
    assert [pictures(path) for path in played] == [[False]] * 7 + [[True]] * 2


def test_a_match_that_another_writes_or_that_is_damaged_is_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    held, damaged, old = kept(tmp_path, 1, 200), kept(tmp_path, 2, 200), kept(tmp_path, 3, 200)
    (tmp_path / "eyes_of_the_emperor-0004.db").touch()
    kept(tmp_path, 5, 1)
    damaged.write_bytes(b"no log" * 2000)
    writer = Log(held)
    with caplog.at_level(logging.WARNING):
        prune(tmp_path, 1)
    writer.close()
    assert (pictures(held), pictures(old)) == ([True], [False])
    assert damaged.read_bytes() == b"no log" * 2000
    assert [record.message.partition(":")[0] for record in caplog.records] == [str(damaged)]
