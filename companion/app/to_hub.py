"""The option that makes a table report to a hub. The hub's libraries are imported only if it is given."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.app.house import TableHouse
from companion.app.values import FILE
from companion.game.errors import CompanionError

F = TypeVar("F", bound=Callable[..., Any])


class HubNotInstalled(CompanionError, ImportError):
    """The libraries of the hub are not installed."""


def to_hub(command: F) -> F:
    """The option, for `serve` and `demo`."""
    return click.option(
        "--hub",
        "hub",
        type=FILE,
        help="Report to a hub: the file, or a picture of the QR code, that `companion hub enroll` made.",
    )(command)


Beside = Callable[[TableHouse], AbstractContextManager[Any]]


def reports(hub: Path | None, folder: Path) -> Beside:
    """A context that reports a house to the hub by these credentials. Raises: LinkError, HubNotInstalled."""
    if hub is None:
        return lambda house: nullcontext()
    needs_hub()
    from companion.app.reporting import given_by, reporting

    given = given_by(hub)
    return lambda house: reporting(house, given, folder)


def needs_hub() -> None:
    """Raises: HubNotInstalled."""
    try:
        import paho.mqtt  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise HubNotInstalled(
            f"the hub's library {error.name} is not installed: make hub installs it, or pip install -e .[hub]"
        ) from error
