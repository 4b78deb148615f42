"""`companion print`: the sheets that a table needs, at true scale."""

from pathlib import Path

import click

from calibration.charuco import BoardError
from calibration.charuco import board_of as charuco_of
from calibration.paper.boards import CHARUCO, PRINTABLES, PrintRequest
from calibration.paper.paper import PAPERS_MM, layout, pdf
from companion.app.address import own_name
from companion.cli.options import FILE, game_given, url_given
from companion.cli.words import board_of
from companion.game.brought import board_file, boards, default_kit
from companion.game.errors import KitError, NotationError
from companion.game.kit import Kit, load_kit
from companion.game.known import MOST_PLAYERS
from companion.game.text_file import how_to_write, why_unread

GAME, GAME_OF_BOARD = "eyes_of_the_emperor", "center_point"
"""Default games: the second one for a board, the first one for everything else."""


def _charuco(ctx: click.Context, param: click.Parameter, text: str) -> str:
    try:
        return str(charuco_of(text))
    except BoardError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command("print", epilog="\b\n" + "\n".join(f"{name:<10} {what}" for name, (what, _) in PRINTABLES.items()))
@click.argument("what", type=click.Choice(list(PRINTABLES)))
@click.option(
    "--paper", type=click.Choice(list(PAPERS_MM), case_sensitive=False), default="A4", show_default=True, help="Sheet."
)
@click.option("--game", callback=game_given, help=f"Whose set is meant, by its name or folder; default: {GAME}.")
@click.option("--kit", type=FILE, help="The set on this table.")
@click.option("--board", help="CP-120, BM-129, BM-133 or a board file.")
@click.option(
    "--charuco",
    default=CHARUCO,
    show_default=True,
    callback=_charuco,
    help="Squares, square mm, marker mm, dictionary.",
)
@click.option("--url", callback=url_given, help="The table's address for the cards; default: this machine's name.")
@click.option("--table", default="Table 1", show_default=True, help="What the table is called on its card.")
@click.option("--seats", type=click.IntRange(1, MOST_PLAYERS), help="How many play; for the cards.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: WHAT.pdf.")
def command(
    what: str,
    paper: str,
    game: str | None,
    kit: Path | None,
    board: str | None,
    charuco: str,
    url: str | None,
    table: str,
    seats: int | None,
    output: Path | None,
) -> None:
    """Print what a table needs, as a PDF at true scale: print it at 100 %, and measure the line on each sheet."""
    path = output or Path(f"{what}.pdf")
    usual = GAME_OF_BOARD if what == "board" else GAME
    given = load_kit(kit) if kit else default_kit(game or boards().get(board or "") or usual)
    if game is not None and given.game != game:
        raise click.UsageError(f"{kit} is a kit of {given.game}, expected one of {game}: leave --game out, or --kit")
    leads_to = url or f"http://{own_name()}:8000/"
    try:
        text = board if board is None or board_file(board) else board_of(Path(board))
        if text is None and kit is not None and what == "board":
            text = _beside(kit, given)
        wanted = PrintRequest(kit=given, board=text, charuco=charuco, url=leads_to, table=table, players=seats)
        drawings = PRINTABLES[what][1](wanted)
    except NotationError as error:
        raise click.UsageError(str(error)) from error
    if not drawings:
        expected = "a game with a board" if what == "board" else "round pieces"
        raise KitError(f"the kit of {given.game} has no {what}, expected {expected}: give another --game or --kit")
    try:
        path.write_bytes(pdf(drawings, paper))
    except OSError as error:
        raise KitError(f"{path}: cannot be written ({why_unread(error)}): {how_to_write(error)}") from error
    sheets = sum(len(layout(drawing, paper).tiles) for drawing in drawings)
    click.echo(f"{path}: {sheets} {'sheet' if sheets == 1 else 'sheets'} of {paper}")
    click.echo("print it at 100 % (not fitted to the page), then measure the line on each sheet: it is 100 mm long")


def _beside(path: Path, kit: Kit) -> str | None:
    """The text of the board that a kit names, if its file is in the folder `boards` next to the kit file."""
    board = path.parent / "boards" / f"{kit.board}.toml"
    return board_of(board) if kit.board is not None and board_file(kit.board) is None and board.is_file() else None
