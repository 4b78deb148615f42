"""FIDE's Tournament Report File: an event of two at a table written as one, and read back as facts.

Written as TRF16 with JaVaFo's extensions (XXR, XXC, XXP), which all pairing programs read, or as TRF26. Source: FIDE,
C.04 annex 2 (TRF16), and TRF26 as approved on 12 May 2025. The first seat has white unless the event says otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from companion.event import facts as told
from companion.event.dutch import BLACK, WHITE, colour_of, pairing_numbers
from companion.event.refused import EventRefused
from companion.event.scorecards import How, points_now, scorecards
from companion.event.settings import HALF, First, Format, Pairing, Points, Settings
from companion.event.standings import standings
from companion.event.state import Event
from companion.event.swiss import virtual
from companion.game.names import cleaned

NAME_AT, RATING_AT, POINTS_AT, ROUNDS_AT, ROUND_WIDTH = 14, 48, 80, 91, 10
BY_CODE = {"1": told.won(0), "W": told.won(0), "0": told.won(1), "L": told.won(1), "=": told.drawn(), "D": told.drawn()}
MOST_ROUNDS = 99


def trf(event: Event, *, is_new: bool = False) -> str:
    """The event as a file, with the next round's known absences; `is_new`: TRF26. Raises: EventRefused."""
    if event.settings.most_seats > 2:
        raise EventRefused("a FIDE file holds tables of two only")
    numbers, points = pairing_numbers(event), points_now(event)
    cells = _cells(event, numbers)
    places = {row.entrant: row.place for row in standings(event).rows}
    rated = sum(each.rating > 0 for each in event.entrants.values())
    rows = [f"012 {event.name}", f"062 {len(numbers)}", f"072 {rated}", "092 Individual: Swiss-System"]
    drawn_first = colour_of(event.settings.seed)
    given = (of[0][5].upper() for of in cells.values() if of and of[0][5] != "-")
    first = drawn_first if event.settings.pairing is Pairing.FIDE else next(given, drawn_first)
    rows += list(_extra(event, numbers, first, is_new=is_new))
    for who, number in numbers.items():
        entrant = event.entrants[who]
        row = f"001 {number:4d}".ljust(NAME_AT) + f"{entrant.name[:33]:33s} {entrant.rating:4d}"
        row = row.ljust(POINTS_AT) + f"{float(points[who]):4.1f} {places[who]:4d}"
        rows.append(row + "".join(f"  {cell}" for cell in cells[who]))
    return "".join(f"{row}\r\n" for row in rows)


def _extra(event: Event, numbers: dict[str, int], first: str, *, is_new: bool) -> Iterator[str]:
    settings = event.settings
    rounds = settings.rounds or len(event.rounds)
    points = settings.points
    if is_new:
        yield f"142 {rounds}"
        yield f"152 {first}"
        usual = (("W", points.win, 1), ("D", points.draw, HALF), ("L", points.loss, 0), ("A", points.missed, 0))
        unlike = [(key, worth) for key, worth, known in (*usual, ("P", points.bye, points.win)) if worth != known]
        if unlike:
            yield "162  " + "    ".join(f"{key}{float(worth):4.1f}" for key, worth in unlike)
    else:
        yield f"XXR {rounds}"
        yield "XXC white1" if first == WHITE else "XXC black1"
    fast = [virtual(event, number) for number in range(1, rounds + 1)]
    if not is_new and any(fast):
        for who, number in numbers.items():
            if who in fast[0]:
                yield f"XXA {number:4d}" + "".join(f" {float(each[who]):4.1f}" for each in fast if each)
    if is_new:
        for round_, each in enumerate(fast, 1):
            if each:
                yield f"250      {float(max(each.values())):4.1f} {round_:3d} {round_:3d} {1:4d} {len(each):4d}"
    for apart in event.apart:
        who = " ".join(f"{numbers[each]:4d}" for each in apart.entrants)
        if is_new:
            yield f"260 {1:3d} {apart.until or rounds:3d} {who}"
        elif apart.until is None or event.next_number <= apart.until:
            yield f"XXP {who}"


def _cells(event: Event, numbers: dict[str, int]) -> dict[str, list[str]]:
    lines, points = scorecards(event), event.settings.points
    colours = "bw" if event.settings.first_has is First.BLACK else "wb"
    cells: dict[str, list[str]] = {who: [] for who in numbers}
    for at, played in enumerate(event.rounds):
        for table in played.tables:
            for seat, who in enumerate(table.seats):
                opponent = numbers[table.seats[1 - seat]]
                cells[who].append(f"{opponent:4d} {colours[seat]} {_result(table.result, seat)}")
        for who in numbers:
            if len(cells[who]) == at:
                line = lines[who][at]
                cells[who].append("0000 - U" if line.how is How.BYE else _absent(points, line.points))
    has_next = len(event.rounds) < (event.settings.rounds or MOST_ROUNDS)
    for who, each in event.entrants.items():
        if has_next and not each.is_free(event.next_number):
            agreed = each.asked_out.get(event.next_number)
            cells[who].append(_absent(points, points.missed if agreed is None else agreed))
    return cells


def _result(result: told.Result | None, seat: int) -> str:
    if result is None:
        return " "
    if result.absent:
        return "-" if seat in result.absent else "+"
    return "=" if result.winner is None else "1" if result.winner == seat else "0"


def _absent(points: Points, worth: Fraction) -> str:
    return f"0000 - {'F' if worth >= points.win else 'H' if worth > points.loss else 'Z'}"


# reading


@dataclass(slots=True)
class _Player:
    number: int
    name: str
    rating: int
    rounds: list[tuple[int, str, str]]
    """Opponent's number or 0, colour, result."""


def facts_of_trf(text: str, seed: str) -> tuple[told.Fact, ...]:
    """A file of either version as the facts of an event that goes on from there. Raises: EventRefused."""
    name, rounds, first, points, apart, is_accelerated = "", 0, "", Points(), list[told.Apart](), False
    players: dict[int, _Player] = {}
    for row, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        kind, rest = line[:3], line[3:].strip()
        try:
            match kind:
                case "001":
                    player = _player(line)
                    players[player.number] = player
                case "012":
                    name = cleaned(rest)[:80]
                case "142" | "XXR":
                    rounds = int(rest)
                case "152":
                    first = rest[:1].upper()
                case "XXC" if "white1" in rest or "black1" in rest:
                    first = WHITE if "white1" in rest else BLACK
                case "XXA" | "250":
                    is_accelerated = True
                case "162":
                    points = _points(line)
                case "260":
                    apart.append(told.Apart(tuple(f"p{int(each)}" for each in rest.split()[2:]), int(rest.split()[1])))
                case "XXP":
                    apart.append(told.Apart(tuple(f"p{int(each)}" for each in rest.split())))
        except (ValueError, ArithmeticError) as error:
            raise EventRefused("line {line} of the file cannot be read: {text}", line=row, text=line[:40]) from error
    if not players:
        raise EventRefused("the file holds no player: expected lines that begin with 001")
    done = max(len(each.rounds) for each in players.values())
    colours = (seed + ("" if not n else f"-{n}") for n in count())
    seed = next(each for each in colours if first not in (WHITE, BLACK) or colour_of(each) == first)
    settings = Settings(
        rounds=min(MOST_ROUNDS, max(rounds, done, 1)), seed=seed, points=points, pairing=Pairing.FIDE,
        format=Format.SWISS, is_accelerated=is_accelerated,
    )  # fmt: skip
    entered = [told.Entered(f"p{each.number}", each.name, each.rating) for each in players.values()]
    facts: list[told.Fact] = [told.EventBegan(name or "FIDE", settings), *entered, *apart]
    for number in range(1, done + 1):
        facts += _round(players, number, points)
    return tuple(facts)


def _player(line: str) -> _Player:
    name = " ".join(cleaned(line[NAME_AT : NAME_AT + 33]).split())
    number = int(line[4:8])
    cells = [line[at : at + ROUND_WIDTH - 2].ljust(8) for at in range(ROUNDS_AT, len(line.rstrip()), ROUND_WIDTH)]
    rounds = [(int(cell[:4].strip() or 0), cell[5].lower(), cell[7].upper()) for cell in cells]
    return _Player(number, name or f"{number}", int(line[RATING_AT : RATING_AT + 4].strip() or 0), rounds)


def _points(line: str) -> Points:
    """Tag 162: a letter and its points every nine columns from the sixth on."""
    worth = {line[at]: Fraction(line[at + 1 : at + 5].strip()) for at in range(5, len(line.rstrip()) - 1, 9)}
    win, draw = worth.get("W", Fraction(1)), worth.get("D", HALF)
    loss, absent = worth.get("L", Fraction(0)), worth.get("A", Fraction(0))
    return Points(
        win=win, draw=draw, loss=loss, loss_draw=draw, bye=worth.get("P", win), forfeit_win=win, forfeit_loss=absent,
        sat_out=absent, missed=absent,
    )  # fmt: skip


def _round(players: dict[int, _Player], number: int, points: Points) -> Iterator[told.Fact]:
    """A round's facts. A round in which nobody is paired yet holds absences only."""
    cells = {each.number: each.rounds[number - 1] for each in players.values() if len(each.rounds) >= number}
    if any(other or result == "U" for other, _, result in cells.values()):
        cells = {who: cells.get(who, (0, "-", "Z")) for who in players}
    worth = {"F": points.win, "H": points.draw}
    byes = tuple(f"p{who}" for who, (other, _, result) in cells.items() if not other and result == "U")
    boards: dict[tuple[int, int], told.Result | None] = {}
    for who, (other, colour, result) in cells.items():
        if not other and result != "U":
            yield told.AskedOut(f"p{who}", number, worth.get(result, points.missed))
        elif other and colour == "w":
            if other not in cells or cells[other][0] != who:
                raise EventRefused(
                    "round {round}: {a} plays {b}, but not the other way round", round=number, a=who, b=other
                )
            theirs = cells[other][2]
            absent = tuple(seat for seat, each in enumerate((result, theirs)) if each == "-")
            boards[who, other] = told.forfeited(*absent) if absent else BY_CODE.get(result)
        elif other and colour != "b":
            raise EventRefused("round {round}: no colour for {a}", round=number, a=who)
    if boards or byes:
        yield told.Paired(number, tuple((f"p{white}", f"p{black}") for white, black in boards), byes)
    for at, entered in enumerate(boards.values(), 1):
        if entered is not None:
            yield told.Reported(number, at, entered)
