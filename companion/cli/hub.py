"""`companion hub`: an event's pages in a process of its own."""

import os
from pathlib import Path

import click

from companion.app.address import own_address, reachable
from companion.app.hub import database_of, hub_dir, needs_hub
from companion.cli.options import FILE, name_given, url_given

PORT = 8100
BROKER = "broker"


class HubOptions:
    def __init__(self, data: Path | None, database: str | None) -> None:
        self.folder, self.given = hub_dir(data), database
        self.database = database or database_of(self.folder)


DATABASE_HELP = "postgresql://USER@HOST/NAME, or an SQLite file. Default: the one this folder's hub served last."
FOLDER = click.Path(path_type=Path, file_okay=False)


def _folder(ctx: click.Context, param: click.Parameter, data: Path | None) -> None:
    if data is not None:
        ctx.obj = HubOptions(data, ctx.obj.given)


at_hub = click.option("--data", type=FOLDER, callback=_folder, expose_value=False, help="Folder of the hub.")
"""Adds the folder option to a command of the hub: it may stand before the command or after it."""


@click.group("hub", invoke_without_command=True)
@click.option("--data", type=FOLDER, help="Folder of the hub.")
@click.option("--database", envvar="COMPANION_HUB_DATABASE", help=DATABASE_HELP)
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0: any free one.")
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to serve on.")
@click.option("--url", callback=url_given, help="The address that phones reach the hub by, where it is another one.")
@click.option(
    "--mqtt",
    type=FILE,
    help="The hub's own credentials at the broker; default: those that `companion hub broker` made.",
)
@click.option("--home-assistant", "is_told_home", is_flag=True, help="Let Home Assistant find the tables.")
@click.option(
    "--of-an-address",
    default=60,
    show_default=True,
    type=click.IntRange(min=10),
    help="Connections that one address may have: more where all phones come through one router or proxy. "
    "Their results need a referee unless they joined by personal cards.",
)
@click.option("--hall", "halls", multiple=True, help="Hear the tables of this hall only; may be given again.")
@click.pass_context
def command(
    ctx: click.Context,
    data: Path | None,
    database: str | None,
    port: int,
    host: str,
    url: str | None,
    mqtt: Path | None,
    is_told_home: bool,
    of_an_address: int,
    halls: tuple[str, ...],
) -> None:
    """Serve events: organiser's desk, players' phones, big screen, printouts, API.

    The first line that it prints is the organiser's link; it lets one device in. A password is not needed.
    """
    needs_hub()
    chosen = ctx.obj = HubOptions(data, database)
    if ctx.invoked_subcommand is not None:
        return
    made = chosen.folder / BROKER / "hub.json"
    if is_told_home and mqtt is None and not made.is_file():
        raise click.UsageError("--home-assistant needs a broker: type companion hub broker --home-assistant first")
    from gevent import monkey

    monkey.patch_all()
    from companion.app.hub_server import serve_hub
    from companion.event.hub.mqtt import read_credentials
    from web.site.server import bound

    given = read_credentials(mqtt or made) if mqtt or made.is_file() else None
    bound(host, port).close()  # before the log is opened: status 2 means that nothing was done
    address = url or reachable(host, port)
    serve_hub(
        chosen.folder,
        chosen.database,
        host,
        port,
        address if address.endswith("/") else f"{address}/",
        given,
        of_an_address=of_an_address,
        is_told_home=is_told_home,
        halls=halls,
    )


@command.command("broker")
@click.option(
    "--host",
    "name",
    callback=name_given,
    help="The name or address that tables reach this machine by; default: its own address.",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Default: 8883, without TLS 1883.")
@click.option("--plain", is_flag=True, help="Without TLS: in a network that nobody else is in.")
@click.option("--home-assistant", "has_home", is_flag=True, help="A new user for Home Assistant, which may only read.")
@at_hub
@click.pass_obj
def broker(chosen: HubOptions, name: str | None, port: int | None, plain: bool, has_home: bool) -> None:
    """Write mosquitto's files: certificate, passwords, rights. Then the line that runs it is printed."""
    from companion.event.hub.broker import let_home_in, set_up
    from companion.event.hub.mqtt import PORT as PLAIN_PORT
    from companion.event.hub.mqtt import TLS_PORT

    folder = chosen.folder / BROKER
    set_up(folder, name or own_address(), port or (PLAIN_PORT if plain else TLS_PORT), has_tls=not plain)
    click.echo("The broker's files are written. Run it with:")
    click.echo(f"  mosquitto -c {folder.resolve()}/mosquitto.conf")
    if has_home:
        home = let_home_in(folder)
        click.echo(f"Home Assistant, at its MQTT integration: {home.host}, port {home.port}, user {home.username}")
        click.echo(f"  password: {home.password}")
        if home.ca:
            click.echo(f"  certificate: {folder.resolve()}/ca.pem")
        click.echo("Then: companion hub --home-assistant")


@command.command("enroll")
@click.argument("table")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Default: TABLE.json here.")
@click.option("--hall", "where", default="", help="The hall that the table stands in, for hubs with --hall.")
@click.option("--remove", "is_removed", is_flag=True, help="The table may no longer report.")
@at_hub
@click.pass_obj
def enroll(chosen: HubOptions, table: str, output: Path | None, where: str, is_removed: bool) -> None:
    """Let a table report to this hub: writes its credentials as a file and as a QR code (.png) with the same name.

    Give either to `companion serve --hub`. The table's older credentials stop working; mosquitto reads its files again
    on SIGHUP.
    """
    import segno

    from companion.event.hub.broker import enroll as enrolled
    from companion.event.hub.broker import remove, write
    from companion.event.hub.desk import HUB, desk_of
    from companion.event.hub.facts import Enrolled, Removed
    from companion.event.hub.mqtt import written
    from companion.event.hub.store import HUB_ID
    from companion.event.refused import EventRefused

    folder = chosen.folder / BROKER
    path = output or Path(f"{table}.json")
    code = path.with_suffix(".png")
    draft = path.with_name(f"{path.name}.new")  # until the older credentials have stopped working
    given = None if is_removed else enrolled(folder, table, keep=lambda new: write(draft, written(new)))
    if given is not None:
        os.replace(draft, path)
    with desk_of(chosen.database) as desk:
        known = desk.log(HUB_ID).hall.boxes
        if is_removed and table not in known:
            words = "this hub has no table {box}, expected one of {known}"
            raise EventRefused(words, box=table, known=", ".join(known) or "none")
        desk.say(HUB_ID, Removed(table) if given is None else Enrolled(table, where), HUB)
    if given is None:
        remove(folder, table)
        click.echo(f"Table {table} may no longer report, once mosquitto has read its files again (SIGHUP).")
        return
    segno.make(written(given), error="l", micro=False).save(str(code), scale=6, border=4)
    code.chmod(0o600)
    click.echo(f"Written: {path} and {code}. At the table: companion serve --hub {path} ...")


@command.command("organiser")
@click.option(
    "--url",
    default=f"http://127.0.0.1:{PORT}/",
    show_default=True,
    callback=url_given,
    help="The address of the hub's pages.",
)
@at_hub
@click.pass_obj
def organiser(chosen: HubOptions, url: str) -> None:
    """Print a new link that lets an organiser's device in: for the first one, or if the link was lost."""
    from companion.event.hub.desk import desk_of
    from companion.event.hub.people import Admissions

    with desk_of(chosen.database) as desk:
        link = Admissions(desk).organiser_link(url if url.endswith("/") else f"{url}/")
    click.echo(f"Organiser, open this once (it lets one device in): {link}")
