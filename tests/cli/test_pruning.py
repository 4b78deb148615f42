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


@pytest.mark.parametrize("wrong_days", [(1000,), (-5000,), (1000, -5000, 1000, -5000, 1000)])
def test_a_clock_that_was_wrong_takes_no_picture_of_yesterday(tmp_path: Path, wrong_days: tuple[int, ...]) -> None:
    """A box without a clock started in 1970, or far ahead, and what the camera saw the evening before was removed."""
    evenings = [kept(tmp_path, number, 30 - number) for number in range(1, 6)]
    wrong = [kept(tmp_path, 6 + i, age) for i, age in enumerate(wrong_days)]
    now = kept(tmp_path, 11, 0)
    prune(tmp_path, 8)
    assert [pictures(path) for path in (*evenings, *wrong, now)] == [[True]] * (6 + len(wrong))


def test_what_is_older_goes_in_the_order_of_play_beyond_four_digits(tmp_path: Path) -> None:
    before, after = kept(tmp_path, 9999, 2), kept(tmp_path, 10000, 1)
    prune(tmp_path, 1)
    assert (pictures(before), pictures(after)) == ([False], [True])


def test_nought_keeps_all_and_other_files_are_not_touched(tmp_path: Path) -> None:
    path = kept(tmp_path, 1, 5000)
    kept(tmp_path, 2, 1)
    prune(tmp_path, 0)
    assert pictures(path) == [True]
    other = path.rename(tmp_path / "a copy.db")
    before = other.read_bytes()
    prune(tmp_path, 90)
    prune(tmp_path / "none", 90)
    assert other.read_bytes() == before


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
