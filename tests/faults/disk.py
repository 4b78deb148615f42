"""A disk that is full, may not be written to, or damaged what was written: nothing acknowledged goes without a word."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.app.matches import opened_match
from companion.game.errors import LogError
from companion.game.known import GAMES, game_named
from companion.match.inputs import CallReferee, RefereeCame
from companion.record.check import verify
from companion.record.file import parts
from companion.record.log import read_log
from tests.faults.kills import Told, checked
from tests.faults.playing import AT_ONCE, Player, acknowledging, digest, opened, play

ROOM_BYTES = 60_000
TURNS = 25
FULL = "nothing was entered"


def full(folder: Path, name: str, seed: int) -> dict[str, int]:
    """A file may grow no further (as on a full disk) in the middle of a match, and later it may again."""
    told = Told()

    def plays(say: Callable[[str], None]) -> None:
        acknowledging(say)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        match = opened(folder, name)
        player = Player(match, name, seed, say)
        largest = max(part.stat().st_size for part in parts(folder / f"{match.view().match}.db"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + ROOM_BYTES, resource.RLIM_INFINITY))
        refused = 0
        for i in range(600):
            if refused >= 5:
                break
            player.turn()
            receipt = match.submit(CallReferee(by=f"Ann {i}", words="x" * 250))
            refused += receipt.refused is not None and FULL in str(receipt.refused)
            for call in match.view().calls:
                match.submit(RefereeCame(entry=call.entry, by="Rita"))
        assert refused >= 5, "the disk was never full"
        say(f"full {refused}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        for _ in range(TURNS):
            player.turn()
        assert match.submit(CallReferee(by="Cora", words="goes on")).entry is not None
        say(f"state {match.view().match} {match.view().seq} {digest(match._game, match.state)}")
        say("done")

    refused = told.through(plays, "full")
    return {"acknowledged": checked(folder, name, told), "refused": refused}


def read_only(folder: Path, name: str, seed: int) -> dict[str, int]:
    """The folder is mounted read-only in the middle of a match, and later it may be written to again.

    Needs a name space of its own (`unshare`); gives nothing where the system does not allow one.
    """
    told = Told()

    def plays(say: Callable[[str], None]) -> None:
        acknowledging(say)
        _own_mounts()
        _mount("--bind", str(folder), str(folder))
        match = opened(folder, name)
        player = Player(match, name, seed, say)
        for _ in range(TURNS):
            player.turn()
        stem = match.view().match
        match.close()
        _mount("-o", "remount,bind,ro", str(folder))
        with pytest.raises(LogError, match="cannot be written"):
            opened(folder, name)
        say("full 1")
        _mount("-o", "remount,bind,rw", str(folder))
        match = opened(folder, name)
        assert match.view().match == stem or match.view().over is None
        assert match.submit(CallReferee(by="Cora", words="goes on")).entry is not None
        say("done")

    refused = told.through(plays, "full")
    assert refused == 1, "a log on a disk that may not be written to was opened"
    return {"acknowledged": checked(folder, name, told), "refused": refused}


def can_mount() -> bool:
    """Whether a process here may have mounts of its own."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(command, capture_output=True, check=False).returncode


def _own_mounts() -> None:
    import ctypes

    libc, new_ns, new_user = ctypes.CDLL(None, use_errno=True), 0x00020000, 0x10000000
    uid, gid = os.getuid(), os.getgid()
    assert libc.unshare(new_user | new_ns) == 0, os.strerror(ctypes.get_errno())
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


def _flip(path: Path, rng: random.Random, most: int | None = None) -> None:
    raw = bytearray(path.read_bytes())
    at = rng.randrange(most or len(raw))
    raw[at] ^= 1 << (at % 8)
    path.write_bytes(raw)


def _cut(path: Path, rng: random.Random) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: rng.randrange(len(raw) // 2, len(raw))])


def _blot(path: Path, rng: random.Random) -> None:
    raw = bytearray(path.read_bytes())
    start = rng.randrange(len(raw) // 4, 3 * len(raw) // 4)
    raw[start : start + 512] = b"\xff" * len(raw[start : start + 512])
    path.write_bytes(raw)


def _flip_both(path: Path, rng: random.Random) -> None:
    _flip(path, rng)
    _flip(path.with_name(path.name.replace("-wal", "-witness")), rng, 160)


Damage = Callable[[Path, random.Random], object]
DAMAGES: dict[str, tuple[str, Damage]] = {
    "header": ("", lambda path, rng: _flip(path, rng, 100)),
    "middle": ("", _blot),
    "tail": ("", _cut),
    "empty": ("", lambda path, rng: path.write_bytes(b"")),
    "WAL flipped": ("-wal", _flip),
    "WAL cut": ("-wal", _cut),
    "WAL gone": ("-wal", lambda path, rng: path.unlink()),
    "witness flipped": ("-witness", _flip),
    "witness gone": ("-witness", lambda path, rng: path.unlink()),
    "witness and WAL flipped": ("-wal", _flip_both),
}
NO_LOSS = ("witness flipped", "witness gone")


def killed_copy(folder: Path, name: str, seed: int, turns: int = 60) -> Told:
    """A folder as a kill leaves it: log, write-ahead file and witness; and what was acknowledged."""
    told, made = Told(), folder / "made"
    made.mkdir(parents=True)

    def plays(say: Callable[[str], None]) -> None:
        acknowledging(say)
        match: Any = play(made, name, seed, turns, say)
        say("done")
        match.view()
        signal.pause()

    told.through(plays, "full")
    return told


def damaged(folder: Path, count: int, seed: int, games: tuple[str, ...] = tuple(GAMES)) -> dict[str, Any]:
    """Damages copies in every way; what is lost is told on every phone, the file is kept, and the match goes on."""
    rng = random.Random(seed)
    kinds: Counter[str] = Counter()
    silent: list[str] = []
    lost = whole = 0
    for number, name in enumerate(games):
        told = killed_copy(folder / name, name, seed + number)
        for i in range(count):
            kind = tuple(DAMAGES)[i % len(DAMAGES)]
            end, damage = DAMAGES[kind]
            copy = folder / name / f"copy{i}"
            shutil.copytree(folder / name / "made", copy)
            stem = sorted(told.entries)[-1]
            target = copy / f"{stem}.db{end}"
            damage(target, rng)
            kinds[kind] += 1
            acknowledged = told.entries[stem]
            match = opened_match(copy, game_named(name), has_eyes=False, thresholds=AT_ONCE)
            said = [str(call.words) for call in match.view().calls if "was damaged" in str(call.words)]
            now = {entry.seq: entry.hash for path in copy.glob(f"{stem}.db") for entry in read_log(path)}
            missing = [seq for seq, hash_ in acknowledged.items() if now.get(seq) != hash_]
            if missing:
                lost += 1
                if not said:
                    silent.append(f"{name} {kind}: {len(missing)} entries")
                assert kind not in NO_LOSS, f"{kind} of {name} lost entries"
                assert list(copy.glob(f"{stem}.damaged-*.db")), f"{kind} of {name}: the damaged log was not kept"
            else:
                whole += 1
            assert match.submit(CallReferee(by="Cora", words="goes on")).entry is not None
            played = copy / f"{match.view().match}.db"
            match.close()
            assert verify(played).faults == (), f"{kind} of {name}"
            shutil.rmtree(copy)
    return {"damaged": sum(kinds.values()), "kinds": dict(kinds), "told_loss": lost, "whole": whole, "silent": silent}
