"""`companion read READER IMAGE...`: pictures in, JSON Lines out, one object a picture in the order given."""

from __future__ import annotations

import click

from companion.cli.pictures import readers

command = click.Group(
    "read",
    help="Read pictures. Prints JSON Lines, one object a picture; status 1 when a picture could not be read.",
    commands=readers(),
)
