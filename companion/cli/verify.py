"""`companion verify LOG`: is a log of a match or of a hub whole, and was its past changed?"""

from datetime import UTC, datetime
from pathlib import Path

import click

from companion.app.hub import is_hub, needs_hub
from companion.record.check import LogVerdict, verify
from companion.record.log import witness_of


@click.command("verify")
@click.argument("log", type=click.Path(dir_okay=False))
def command(log: str) -> int:
    """Check a match log: every entry's hash, the chain, and the pictures that are still kept.

    LOG may also be a hub's database, a file or postgresql://USER@HOST/NAME: every log in it is checked.

    Status 0: whole. Status 1: damaged or changed, with every fault on standard error. Without the witness file next to
    a log, compare the last entry's number, time and hash with a note of them."""
    if not is_hub(log):
        return _told(log, verify(Path(log)))
    needs_hub()
    from companion.event.hub.store import verdicts

    return max([_told(f"{log.rpartition('@')[2]}, {name}", found) for name, found in verdicts(log).items()], default=0)


def _told(log: str, verdict: LogVerdict) -> int:
    for fault in verdict.faults:
        click.echo(f"{log}: {fault}", err=True)
    pruned = f", {verdict.pruned} pictures pruned by age" if verdict.pruned else ""
    state = "whole" if not verdict.faults else "NOT whole"
    newest = f", last entry {verdict.last_seq}{_when(verdict.last_at_s)}, last hash {verdict.last_hash}"
    click.echo(f"{log}: {state}: {verdict.entries} entries{pruned}{newest if verdict.entries else ''}")
    if not verdict.has_witness:
        beside = witness_of(Path(log)).name
        click.echo(f"{log}: there is no witness ({beside}): entries that were cut off at the end do not show")
    return 1 if verdict.faults else 0


def _when(at_s: float | None) -> str:
    if at_s is None:
        return ""
    try:
        return f" of {datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):  # a time that no calendar has
        return f" of {at_s} s"
