"""Killed at any moment: what was acknowledged is there, the chain is whole, and the match goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from companion.record.check import verify
from companion.record.log import Log, read_log

ROOT = Path(__file__).resolve().parents[2]
WRITER = """
import sys
from pathlib import Path
from companion.record.log import Log
log = Log(Path(sys.argv[1]))
i = 0
while True:
    i += 1
    entry = log.append(float(i), "action", "camera", {"number": i}, (b"picture %d" % i,))
    print(entry.seq, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7, 23])
def test_no_acknowledged_entry_is_lost_to_sigkill(tmp_path: Path, acknowledged: int) -> None:
    path = tmp_path / "m.db"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    with writer.stdout as out:
        seen = [int(next(out)) for _ in range(acknowledged)]
        writer.kill()
        seen += [int(line) for line in out if line.endswith("\n")]
    writer.wait()
    entries = read_log(path)
    assert len(entries) >= max(seen)
    assert verify(path).faults == ()
    log = Log(path)
    assert log.append(0.0, "called", "red", {"words": ""}).seq == len(entries) + 1
    log.close()
