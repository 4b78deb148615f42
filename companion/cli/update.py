"""`companion update`: the newest version, and back to the earlier one where it does not start."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

from companion.game.errors import KitError

SCRIPT = Path("docs/setup/pi.sh")


@click.command("update")
@click.option(
    "--source",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("/opt/companion/source"),
    show_default=True,
    help="The checkout that the appliance was made from.",
)
@click.option("--back", is_flag=True, help="Go back to the version before.")
def command(source: Path, back: bool) -> int:
    """Bring the appliance to the newest version; one that does not start is taken back by itself."""
    script = source / SCRIPT
    if not script.exists():
        raise KitError(f"{source} is no checkout of Companion, expected {SCRIPT} in it: give --source")
    return subprocess.run(["sh", str(script), "update", *(["--back"] if back else [])], check=False).returncode
