"""`companion update`: a newer release, from a folder or an address; the earlier one comes back if it does not start."""

import subprocess
from pathlib import Path

import click

from companion.game.errors import KitError

SCRIPTS = Path("/usr/lib/tabletop-companion")


@click.command("update")
@click.argument("where", required=False)
@click.option("--back", is_flag=True, help="Go back to the version before.")
def command(where: str | None, back: bool) -> int:
    """Update the appliance from WHERE: a release's folder (a USB stick) or its address.

    The release's signature and checksums are checked before anything changes.
    """
    if not SCRIPTS.exists():
        raise KitError("this is no appliance, expected the Debian package: in a checkout use git pull, then make")
    if back:
        return subprocess.run(["sh", str(SCRIPTS / "box.sh"), "back"], check=False).returncode
    if where is None:
        raise KitError("nothing to update from, expected a folder or an address: companion update /media/usb")
    return subprocess.run(["sh", str(SCRIPTS / "install.sh"), where], check=False).returncode
