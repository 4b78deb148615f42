"""The log keeps what it was given, refuses change, and shows a changed past."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from companion.game.errors import LogError
from companion.record.check import verify
from companion.record.entry import FIRST_HASH, Writing, sha256_of
from companion.record.file import Damaged, Unwritten
from companion.record.log import Log, Witnessed, read_log, witness_of, witnessed


def written(path: Path, count: int = 3) -> Path:
    log = Log(path)
    for i in range(count):
        log.append(
            float(i),
            "action",
            "camera",
            {"action": {"number": i, "text": "ä", "part": i + 0.5}},
            (f"picture {i}".encode(),),
        )
    log.close()
    return path


def change(path: Path, *statements: str) -> None:
    """What somebody with the file in his hands can do; the triggers are put back."""
    db = sqlite3.connect(path)
    triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        db.execute(statement)
    for _, sql in triggers:
        db.execute(sql)
    db.commit()
    db.close()


def failing(db: sqlite3.Connection, code: int = sqlite3.SQLITE_FULL) -> Any:
    """A connection on which every statement fails, for the disk is full unless another reason is told."""
    error = sqlite3.OperationalError("so it is")
    error.sqlite_errorcode = code
    broken = mock.MagicMock(close=db.close)
    broken.execute.side_effect = error
    broken.__exit__.return_value = None
    return broken


def test_a_log_that_was_taken_away_takes_no_entry(tmp_path: Path) -> None:
    """SQLite writes on into a file that no folder names any more: the rest of a match was gone when companion ended."""
    log = Log(tmp_path / "eyes.db")
    log.append(1.0, "began", "table", {"game": "x"})
    aside = (tmp_path / "eyes.db").rename(tmp_path / "aside.db")
    with pytest.raises(LogError, match=r"was removed or replaced; nothing was entered: put it back"):
        log.append(2.0, "called", "Ann", {"words": "x"})
    (tmp_path / "eyes.db").write_bytes(b"another")
    with pytest.raises(LogError, match="removed or replaced"):
        log.append(2.0, "called", "Ann", {"words": "x"})
    aside.rename(tmp_path / "eyes.db")
    assert log.append(3.0, "called", "Ann", {"words": "x"}).seq == 2
    log.close()
    assert [entry.kind for entry in read_log(tmp_path / "eyes.db")] == ["began", "called"]


def test_a_write_ahead_file_that_was_taken_away_costs_nothing_of_the_match(tmp_path: Path) -> None:
    """A whole match may lie in it: who tidied the folder up and then lost the power had an empty log, though entries
    were still taken, and shown, after that."""
    path = tmp_path / "eyes.db"
    log = Log(path)
    log.append(1.0, "began", "table", {"game": "x"}, (b"a picture",))
    for part in ("-wal", "-shm"):
        path.with_name(path.name + part).unlink()
    assert log.append(2.0, "called", "Ann", {"words": "x"}).seq == 2
    assert log.picture(sha256_of(b"a picture")) == b"a picture"
    for part in ("", "-wal"):  # as a power cut leaves it
        shutil.copy(path.with_name(path.name + part), tmp_path / f"cut.db{part}")
    assert [entry.seq for entry in read_log(tmp_path / "cut.db")] == [1, 2]
    assert verify(tmp_path / "cut.db").faults == ()
    log.close()
    assert verify(path).entries == 2


@pytest.mark.parametrize(
    ("code", "helps"),
    [
        (sqlite3.SQLITE_FULL, "free the disk"),
        (sqlite3.SQLITE_IOERR, "the disk fails or is read-only: switch the box off and on"),
    ],
)
def test_why_an_entry_could_not_be_written_is_said_and_what_helps(tmp_path: Path, code: int, helps: str) -> None:
    """Whatever it was, people were told to free the disk: a card that had failed, and a file that a program held."""
    log = Log(tmp_path / "m.db")
    log.append(1.0, "called", "red", {"words": ""}, (b"a picture",))
    whole, log._db = log._db, failing(log._db, code)
    with pytest.raises(LogError, match=f"could not be written .so it is.; nothing was entered: {helps}"):
        log.append(2.0, "called", "red", {"words": ""})
    with pytest.raises(LogError, match=f"old pictures could not be removed .so it is.: {helps}"):
        log.prune(kept_from=2)
    log._db = whole
    log.close()


def test_a_log_of_years_ago_is_still_whole(tmp_path: Path) -> None:
    """Were an entry's hash reckoned otherwise, every match that was ever kept would count as changed."""
    log = Log(tmp_path / "of a year" / "of a table" / "m.db")
    first = log.append(1.5, "action", "Änn", {"b": 0.5, "a": "ä", "c": [1, None, True]}, (b"picture",))
    log.close()
    assert first.previous == FIRST_HASH == "0" * 64
    shown = sha256_of(b"picture")
    text = r"{\"a\":\"ä\",\"b\":0.5,\"c\":[1,null,true]}"
    assert first.hash == sha256_of(f'[1,1.5,"action","Änn","{text}",["{shown}"],"{FIRST_HASH}"]'.encode())


def test_of_each_entry_a_witness_is_on_the_disk_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain that was cut is a whole chain: nobody knew how far it had gone."""
    path, synced = tmp_path / "m.db", []
    monkeypatch.setattr("os.fdatasync", lambda file: synced.append(os.fstat(file).st_ino))
    log = Log(path)
    for seq in (1, 2, 3):
        (entry,) = log.append_all(1.0, [Writing("called", "Ann", {"words": ""})])
        assert synced == [witness_of(path).stat().st_ino] * seq
        assert witnessed(path) == Witnessed(seq, entry.hash)
    log.close()


def test_who_changes_an_entry_and_its_hash_breaks_the_chain(tmp_path: Path) -> None:
    path, other = written(tmp_path / "m.db"), written(tmp_path / "other.db", 1)
    log = Log(other)
    forged = log.append(1.0, "action", "Eve", {"number": 7})
    log.close()
    told = f"by = 'Eve', body = '{{\"number\":7}}', evidence = '[]', hash = '{forged.hash}'"
    change(path, f"UPDATE entries SET {told} WHERE seq = 2")
    assert verify(path).faults == ("entry 3 does not follow the entry before it: the chain is broken there",)


def test_a_disk_that_failed_within_a_log_is_said_with_how_far_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    log = Log(path)
    log.append_all(1.0, [Writing("action", "Ann", {"number": i, "text": "long" * 100}) for i in range(200)])
    log.close()
    pages = bytearray(path.read_bytes())
    pages[len(pages) // 2 : len(pages) // 2 + 8192] = b"\xff" * 8192
    path.write_bytes(pages)
    verdict = verify(path)
    assert 0 < verdict.entries == verdict.last_seq < 200
    faults = [f"the file is damaged after entry {verdict.last_seq}", "its witness saw 200 entries"]
    assert [fault.split(":")[0] for fault in verdict.faults] == faults
    with pytest.raises(LogError, match=f"is damaged after entry {verdict.last_seq} .* with --new"):
        read_log(path)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_FULL, "cannot be opened, for the disk is full: free some of it .*; nothing of the log is lost"),
        (sqlite3.SQLITE_BUSY, "another program holds it .*: end that program and try again"),
        (sqlite3.SQLITE_CORRUPT, "is damaged or no match log .*; the file is kept as it is: .* with --new"),
    ],
)
def test_why_a_log_does_not_open_is_said_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    path = written(tmp_path / "m.db")

    def refuses(*_: Any, **__: Any) -> None:
        error = sqlite3.OperationalError("it fails")
        error.sqlite_errorcode = code
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("companion.record.log.sqlite3.connect", refuses)
        for opens in (Log, read_log):
            with pytest.raises(LogError, match=f"{path}: {said}"):
                opens(path)
    Log(path).close()  # and it is let go


@pytest.mark.parametrize(
    "refused", ["UPDATE entries SET by = 'me'", "DELETE FROM entries", "UPDATE evidence SET body = 'x'"]
)
def test_triggers_refuse_change(tmp_path: Path, refused: str) -> None:
    db = sqlite3.connect(written(tmp_path / "m.db"))
    with pytest.raises(sqlite3.IntegrityError, match=r"append-only|never changed"):
        db.execute(refused)
    db.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE entries SET body = '{\"number\":7}' WHERE seq = 2", "entry 2 was changed"),
        ("DELETE FROM entries WHERE seq = 2", "entry 3 follows entry 1"),
        ("UPDATE evidence SET body = 'other' WHERE at_s = 1", "of entry 2 was changed"),
        ("DELETE FROM entries", "there is no entry, expected at least the one that begins the match"),
        ("UPDATE entries SET body = '{no JSON' WHERE seq = 2", "entry 2 was changed: its body is no JSON"),
        ("UPDATE entries SET by = CAST(x'ff' AS TEXT) WHERE seq = 2", "its by is not UTF-8"),
    ],
)
def test_verify_finds_a_changed_past(tmp_path: Path, damage: str, said: str) -> None:
    path = written(tmp_path / "m.db")
    change(path, damage)
    faults = verify(path).faults
    assert any(said in fault for fault in faults)
    assert not any("entry 3 was changed" in fault for fault in faults)


def test_a_log_on_a_disk_that_cannot_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole log was called damaged: to read along with a writer SQLite must be able to write beside the log."""
    path = written(tmp_path / "m.db")
    connect = sqlite3.connect

    def on_a_read_only_disk(where: str, **more: Any) -> sqlite3.Connection:
        if "immutable=1" not in where:
            return connect(f"{(tmp_path / 'none' / 'm.db').as_uri()}?mode=ro", **more)  # fails alike
        return connect(where, **more)

    monkeypatch.setattr("companion.record.log.sqlite3.connect", on_a_read_only_disk)
    assert verify(path).faults == ()
    assert len(read_log(path)) == 3
    path.with_name("m.db-wal").write_bytes(b"entries that are not yet in the log")
    for reading in (verify, read_log):
        with pytest.raises(LogError, match=r"its newest entries are in m\.db-wal, .*: copy both files"):
            reading(path)


def test_an_empty_file_is_no_damaged_log(tmp_path: Path) -> None:
    """The box was killed just after it made the file; verify gave the advice to run verify."""
    (tmp_path / "m.db").touch()
    with pytest.raises(Unwritten, match="is empty, expected a match log") as refused:
        verify(tmp_path / "m.db")
    assert "companion verify" not in str(refused.value)


def test_somebody_elses_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes (cake TEXT)")
    before = path.read_bytes()
    with pytest.raises(LogError, match="damaged or no match log"):
        Log(path)
    assert path.read_bytes() == before
    with pytest.raises(LogError, match="there is no such file"):
        read_log(tmp_path / "none.db")


def test_pruned_pictures_give_their_room_on_the_disk_back(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    log = Log(path)
    log.append(1.0, "action", "camera", {}, (b"secret" * 50_000,))
    log.append(9.0, "action", "camera", {}, (b"young",))
    log.close()
    log = Log(path)
    log.prune(kept_from=2)
    log.close()
    assert path.stat().st_size < 100_000
    assert b"secret" not in path.read_bytes()


def test_pictures_go_in_the_order_of_their_entries_whatever_the_clock_says(tmp_path: Path) -> None:
    """A box that began in 1970 had its newest pictures taken first, and verify called that pruning by age."""
    path = tmp_path / "m.db"
    log = Log(path)
    shas = [log.append(at_s, "action", "camera", {}, (b"%d" % at_s,)).evidence[0] for at_s in (9e9, 1.7e9, 5.0)]
    assert log.prune(kept_from=2) == 1
    assert [log.picture(sha) is not None for sha in shas] == [False, True, True]
    log.close()
    assert (verify(path).faults, verify(path).pruned) == ((), 1)
    change(path, "DELETE FROM evidence WHERE at_s = 5")
    assert len(verify(path).faults) == 1


@pytest.mark.parametrize(("taken", "count"), [("1", 3), ("at_s = 2", 1), ("at_s = 1", 1), ("at_s IN (0, 2)", 2)])
def test_pictures_that_no_pruning_took_are_missed(tmp_path: Path, taken: str, count: int) -> None:
    """All pictures of a match that was seconds old were deleted: verify called it whole, and them pruned."""
    path = written(tmp_path / "m.db")
    change(path, f"DELETE FROM evidence WHERE {taken}")
    verdict = verify(path)
    assert (len(verdict.faults), verdict.pruned) == (count, 0)
    assert all("is gone and was not pruned: somebody took it" in fault for fault in verdict.faults)


HANGS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS value, x AS key FROM n WHERE x < 0"


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        (["DROP TABLE about", f"CREATE VIEW about AS {HANGS}"], "view about"),
        (["CREATE TRIGGER new AFTER INSERT ON entries BEGIN DELETE FROM evidence; END"], "trigger new"),
        (["DROP TRIGGER entries_stay", "CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT 1; END"],
         "trigger entries_stay"),
        (["ALTER TABLE evidence ADD COLUMN long AS (hex(zeroblob(400000000)))"], "table evidence"),
        (["CREATE TABLE recipes (cake TEXT)"], "table recipes"),
    ],
)  # fmt: skip
def test_what_somebody_planted_in_a_log_is_refused_before_it_runs(
    tmp_path: Path, planted: list[str], named: str
) -> None:
    """`verify` hung on a view, a trigger ran at each entry, and an emptied trigger guarded nothing."""
    path = written(tmp_path / "m.db")
    db = sqlite3.connect(path)
    for statement in planted:
        db.execute(statement)
    db.commit()
    db.close()
    for opens in (verify, read_log, Log):
        with pytest.raises(Damaged, match=f"its {named} is none of a match log's"):
            opens(path)


@pytest.mark.parametrize("opens", [verify, read_log, Log])
def test_a_file_that_is_no_database_is_closed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: Callable[[Path], object]
) -> None:
    """The connection stayed open until it was collected; Python 3.13 warns of that."""
    connect = sqlite3.connect
    made: list[sqlite3.Connection] = []

    def noted(*given: Any, **named: Any) -> sqlite3.Connection:
        made.append(connect(*given, **named))
        return made[-1]

    monkeypatch.setattr("companion.record.file.sqlite3.connect", noted)
    (tmp_path / "m.db").write_bytes(b"no database" * 1000)
    with pytest.raises(Damaged):
        opens(tmp_path / "m.db")
    assert made
    for db in made:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("SELECT 1")


@pytest.mark.parametrize("is_pipe", [True, False], ids=["a pipe", "a gigabyte"])
def test_a_witness_that_is_none_is_not_waited_for_and_not_read_whole(tmp_path: Path, is_pipe: bool) -> None:
    """A planted pipe hung `verify`, and a large file was read into memory."""
    path = written(tmp_path / "m.db")
    witness = tmp_path / "m.db-witness"
    witness.unlink()
    if is_pipe:
        os.mkfifo(witness)
    else:
        with witness.open("wb") as file:
            file.truncate(10**9)  # takes no room on the disk
    tracemalloc.start()
    verdict = verify(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (verdict.faults, verdict.has_witness) == ((), False)
    assert most < 10**8
    log = Log(path)
    assert log.append(9.0, "action", "camera", {}).seq == 4  # it is in the log, whatever becomes of the witness
    log.close()


def test_a_log_without_one_of_its_tables_or_triggers_is_not_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "m.db")
    db = sqlite3.connect(path)
    db.execute("DROP TRIGGER entries_stay")
    db.commit()
    assert verify(path).faults == ("its trigger entries_stay is gone: it kept entries from being changed",)
    db.execute("DROP TABLE evidence")
    db.commit()
    db.close()
    with pytest.raises(Damaged, match="it has no evidence"):
        verify(path)


def test_a_log_is_discarded_only_while_nothing_was_entered(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    Log(path).discard()
    assert not path.exists()
    written(path)
    Log(path).discard()
    assert len(read_log(path)) == 3
    change(path, "DELETE FROM entries")  # pictures of what somebody took are left
    Log(path).discard()
    assert path.exists()


def test_one_writer_owns_a_match(tmp_path: Path) -> None:
    log = Log(tmp_path / "m.db")
    with pytest.raises(LogError, match="another Companion writes this match"):
        Log(tmp_path / "m.db")
    log.close()
    Log(tmp_path / "m.db").close()


def test_a_log_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "m.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE about SET value = '99'")
    db.commit()
    db.close()
    with pytest.raises(LogError, match="has format 99, expected 1"):
        Log(path)


def test_a_log_on_a_full_disk_closes_and_loses_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """SIGTERM ended in a traceback: what is in the write-ahead file could not be folded into the log."""
    log = Log(tmp_path / "m.db")
    log.append(1.0, "called", "red", {"words": ""})
    whole, log._db = log._db, failing(log._db)
    log.close()
    assert "its newest entries stay in m.db-wal (so it is): nothing is lost" in caplog.text
    assert log.picture("a" * 64) is None
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        whole.execute("SELECT 1")
    again = Log(tmp_path / "m.db")
    assert len(list(again.entries())) == 1
    again.close()
