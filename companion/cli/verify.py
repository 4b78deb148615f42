"""`companion verify LOG`: is a match log whole, and was its past changed?"""

from __future__ import annotations

from pathlib import Path

import click

from companion.log import verify


@click.command("verify")
@click.argument("log", type=click.Path(path_type=Path, dir_okay=False))
def command(log: Path) -> int:
    """Check a match log: every entry's hash, the chain, and the pictures that are still kept.

    Status 0: whole. Status 1: damaged or changed, with every fault on standard error.
    """
    verdict = verify(log)
    for fault in verdict.faults:
        click.echo(f"{log}: {fault}", err=True)
    pruned = f", {verdict.pruned} pictures pruned by age" if verdict.pruned else ""
    state = "whole" if not verdict.faults else "NOT whole"
    click.echo(f"{log}: {state}: {verdict.entries} entries{pruned}, last hash {verdict.last_hash}")
    return 1 if verdict.faults else 0
