"""Checks that a log is unchanged: every hash, the chain, and the evidence that is kept or was pruned.

`Chain` follows the hashes of any log: a match's here, an event's in `companion.event.hub.store`.
"""

import json
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from companion.record.entry import FAULTS, FIRST_HASH, Entry, decoded, rows, sha256_of
from companion.record.file import Unwritten, missing_triggers, opened_to_read, pruned_before
from companion.record.log import witnessed

NO_ENTRY = "there is no entry, expected at least the one that begins the match: was everything deleted?"


@dataclass(frozen=True, slots=True)
class LogVerdict:
    """The result of a check of a log; numbers, time and hash of its newest entry are for comparing copies.

    `lost`: entries that its witness saw after the last one. Without a witness a cut end goes unnoticed."""

    entries: int
    last_hash: str
    faults: tuple[str, ...]
    pruned: int
    last_seq: int = 0
    last_at_s: float | None = None
    lost: int = 0
    has_witness: bool = True


@dataclass(slots=True)
class Chain:
    """The entries of a log until now: how many, the newest one's number and hash, and every fault in words."""

    entries: int = 0
    last: int = 0
    hash: str = FIRST_HASH
    faults: list[str] = field(default_factory=list)

    def follows(self, seq: int, previous: str, digest: str, changed: str | None) -> None:
        """Takes the next entry; `changed` says how its content differs from its hash, None: it does not."""
        if previous != self.hash:
            self.faults.append(f"entry {seq} does not follow the entry before it: the chain is broken there")
        if changed is not None:
            self.faults.append(f"entry {seq} was changed: {changed}")
        self.entries, self.last, self.hash = self.entries + 1, seq, digest


OTHER_HASH = "its content does not give its hash"


def verify(path: Path, *, with_evidence: bool = True) -> LogVerdict:
    """Checks every entry's hash, the chain, its witness, and the evidence that is gone. Raises: LogError."""
    try:
        db = opened_to_read(path, "keep the file, and begin a new match by `companion serve` with --new")
    except Unwritten:
        if (seen := witnessed(path)) is None:
            raise
        return LogVerdict(0, FIRST_HASH, (f"it is empty, and its witness saw {seen.seq} entries",), 0, lost=seen.seq)
    chain, at_s, pruned = Chain(), None, 0
    faults, named = chain.faults, list[Entry]()
    hashes: dict[int, str] = {}
    try:
        for row in rows(db):
            seq, at_s = row[0], None
            if seq != chain.last + 1:
                expected = chain.last + 1
                faults.append(f"entry {seq} follows entry {chain.last}, expected {expected}: entries are missing")
            why = None
            try:
                entry = decoded(row)
            except ValueError as error:
                why = str(error)
            else:
                at_s = entry.at_s
                named.append(entry)
                # compared as it is stored: another text with the same values was not written by Companion
                if not entry.is_whole or json.dumps(entry.evidence) != row[5]:
                    why = OTHER_HASH
            chain.follows(seq, row[-2], str(row[-1]), why)
            hashes[seq] = chain.hash
        if not chain.entries:
            faults.append(NO_ENTRY)
        if with_evidence:
            pruned, changed = _evidence_faults(db, named)
            faults += changed
        faults += [f"its trigger {name} is gone: it kept entries from being changed" for name in missing_triggers(db)]
    except FAULTS as error:
        faults.append(f"the file is damaged after entry {chain.last}: {error}")
    finally:
        db.close()
    seen = witnessed(path)
    lost = range(chain.last + 1, seen.seq + 1) if seen is not None else range(0)
    if lost:
        faults.append(f"its witness saw {lost[-1]} entries: those from {lost[0]} on are lost, the last {len(lost)}")
    elif seen is not None and seen.hash != hashes.get(seen.seq):
        faults.append(f"entry {seen.seq} is another than the witness saw: the log was exchanged")
    has_witness = seen is not None
    return LogVerdict(chain.entries, chain.hash, tuple(faults), pruned, chain.last, at_s, len(lost), has_witness)


def _evidence_faults(db: sqlite3.Connection, named: Sequence[Entry]) -> tuple[int, list[str]]:
    """The number of evidence items pruned by age, and the faults of the others.
    Logs of Companion 0.1 do not say what was pruned: there it must be older than all that is kept."""
    last_named = {sha: entry.seq for entry in named for sha in entry.evidence}
    pruned, faults, kept, changed = 0, [], set(), set()
    try:
        before = pruned_before(db)
        for sha in last_named:
            found = db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha,)).fetchone()
            if found is not None:
                kept.add(sha)
            if found is not None and (not isinstance(found[0], bytes) or sha256_of(found[0]) != sha):
                changed.add(sha)
    except FAULTS as error:
        return 0, [f"the pictures cannot all be checked: {error}"]
    if before is None:
        before = min((last_named[sha] for sha in kept), default=sys.maxsize)
    for entry in named:
        for sha in entry.evidence:
            if sha in changed:
                faults.append(
                    f"evidence {sha[:12]} of entry {entry.seq} was changed: its content does not give its hash"
                )
            elif sha not in kept and last_named[sha] >= before:
                faults.append(f"evidence {sha[:12]} of entry {entry.seq} is gone and was not pruned: somebody took it")
            elif sha not in kept:
                pruned += 1
    return pruned, faults
