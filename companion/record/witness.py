"""The witness file of a log: the number and hash of its newest entry, synced to the disk after each.

A chain whose end was cut off still verifies. The witness reveals it: a lost write-ahead file, or a log restored from an
older copy, ends before the entry that its witness saw. Two slots are written in turn, at first both, each with a
checksum. At least one is whole at any moment, and a damaged slot leaves the other.
"""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from companion.record.entry import sha256_of

SLOT_BYTES = 160
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest entry that the witness saw."""

    seq: int
    hash: str


def witness_of(path: Path) -> Path:
    """The file of a log's witness."""
    return path.with_name(path.name + "-witness")


def keep(path: Path, seen: Seen) -> None:
    """Writes down that an entry is in the log. A failure is only logged on the box: the entry counts all the same."""
    said = f"{seen.seq} {seen.hash}"
    slot = (f"{said} {sha256_of(said.encode())}".ljust(SLOT_BYTES - 1) + "\n").encode()
    slots = _slots(path)
    # replaces a slot that is damaged or belongs to another copy of the log, else the older one
    older = min((0, 1), key=lambda which: slots[which].seq if which in slots and slots[which].seq < seen.seq else -1)
    try:
        file = os.open(witness_of(path), os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o644)
        try:
            os.pwrite(file, slot if slots else 2 * slot, SLOT_BYTES * older)
            os.fdatasync(file)
        finally:
            os.close(file)
    except OSError as error:
        _LOGGER.warning("%s: the newest entry could not be witnessed (%s); it is in the log", path, error)


def told(path: Path) -> Seen | None:
    """The newest entry in a log's witness file; None without the file, or without a whole slot in it."""
    return max(_slots(path).values(), key=lambda seen: seen.seq, default=None)


def _slots(path: Path) -> dict[int, Seen]:
    """The contents of each whole slot."""
    try:
        # O_NONBLOCK: does not wait if there is a pipe in its place
        file = os.open(witness_of(path), os.O_RDONLY | os.O_NONBLOCK)
        try:
            raw = os.read(file, 2 * SLOT_BYTES)
        finally:
            os.close(file)
    except OSError:
        return {}
    found = {}
    for which, start in enumerate(range(0, len(raw), SLOT_BYTES)):
        with contextlib.suppress(ValueError):
            seq, digest, check = raw[start : start + SLOT_BYTES].decode("ascii").split()
            if check == sha256_of(f"{seq} {digest}".encode()):
                found[which] = Seen(int(seq), digest)
    return found
