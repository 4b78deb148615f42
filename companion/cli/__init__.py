"""The `companion` command: a module for each subcommand, imported only when it is called."""

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any

import click

from companion import __version__
from companion.game.errors import CompanionError

# set before numpy is imported: our matrices are small, and a second thread would only wait for the first, at full load
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# OpenCV's own warnings repeat ours; on a box without a camera they filled the journal
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")

COMMANDS: dict[str, str] = {
    # name: one line of help, in the order of `companion --help`
    "calibrate": "Calibrate a camera's lens; check a table.",
    "read": "Read pictures: dice, cards, whole tables.",
    "demo": "Open the virtual table: no hardware is needed.",
    "serve": "Referee a real table.",
    "doctor": "Look at the box: green, or what to do.",
    "backup": "Copy matches, lens and settings, or put them back.",
    "update": "Bring the appliance to the newest version, or back.",
    "network": "Open the box's own access point.",
    "print": "Print fiducials, boards, sheets and cards at true scale.",
    "rules": "Judge a game without a camera.",
    "check": "Check a game of your own: rules, words, kit, page.",
    "hub": "Keep events: organiser, players' phones, big screen.",
    "tournament": "Pair and score events; simulate random ones.",
    "verify": "Check a match log.",
    "replay": "Judge a match again from its log.",
}
LASTING = ("demo", "serve", "hub")
"""Commands that run until somebody ends them. A signal then exits with status 0, even before the server is up."""
ENDING = ("--autoplay", "broker", "enroll", "organiser")
"""Options that make these commands end on their own. A signal before the end is then an interruption."""


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


class Commands(click.Group):
    """Finds a command in the module of its name, when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"companion.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in LASTING:  # set here, because the imports that follow take seconds
            told = _end if _lasts(args) else signal.default_int_handler
            for which in (signal.SIGTERM, signal.SIGINT):
                ctx.call_on_close(partial(signal.signal, which, signal.signal(which, told)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:  # click would print an empty line
            raise Interrupted from stopped

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _lasts(args: Sequence[str]) -> bool:
    """Whether a call runs until somebody ends it.

    >>> _lasts(["demo", "--new"]), _lasts(["demo", "--autoplay=3"]), _lasts(["hub", "enroll", "T1"]), _lasts(["read"])
    (True, False, False, False)
    """
    return bool(args) and args[0] in LASTING and not any(word.partition("=")[0] in ENDING for word in args)


def _end(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="companion")
def companion() -> None:
    """A referee's box for real tabletop games.

    Exit status: 0 done; 1 done in part, or refused for a reason in the input; 2 a wrong call, nothing was done.
    """
    from companion.app.data import with_games

    with_games(None)


def _wrong_call(error: click.ClickException) -> str:
    """The error of a wrong call and where to find the right one, in one line."""
    context = getattr(error, "ctx", None)
    path = "companion" if context is None else context.command_path
    hint = f"`{path} --help` says what is expected"
    if isinstance(error, click.NoSuchOption):
        near = f"did you mean {' or '.join(sorted(error.possibilities))}? " if error.possibilities else ""
        return f"{path}: there is no option {error.option_name}: {near}{hint}"
    said = " ".join(error.format_message().split())
    if context is not None and isinstance(context.command, click.Group) and said.startswith("No such command"):
        names = ", ".join(context.command.list_commands(context))
        return f"{path}: {error.message.rstrip('.').replace('No such', 'there is no')}, expected one of {names}"
    return f"{path}: {said.rstrip('.')}" + ("" if ", expected " in said else f": {hint}")


def main(argv: list[str] | None = None) -> Any:
    """The `companion` command; ends the process with the promised exit status."""
    if sys.stdout is None and not _lasts(sys.argv[1:] if argv is None else argv):
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")  # the output fails, which is reported below
    try:
        status = companion.main(args=argv, prog_name="companion", standalone_mode=False)
    except (click.exceptions.Abort, Interrupted):
        click.echo("companion: interrupted: the work was not finished", err=True)
        sys.exit(1)
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
        else:
            click.echo(_wrong_call(error), err=True)
        sys.exit(2)
    except CompanionError as error:
        click.echo(f"companion: {error}", err=True)
        sys.exit(error.status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        what, why = error.filename or "standard output", error.strerror or error
        if error.errno == errno.EBADF:
            why = "it is closed"
        click.echo(f"companion: {what} cannot be used ({why}): the work was not finished, mend that first", err=True)
        with contextlib.suppress(OSError):
            sys.stdout.close()  # else Python tries to write the rest at exit, and reports it in its own words
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
