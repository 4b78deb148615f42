"""One line for a scene, an action and a state of Eyes of the Emperor, printed and parsed back without loss.

>>> scene = scene_of_text("T red 377.5,350; T blue 622.5,350; E blue.1 746.5,350; S red.s1 500,350; ninjas 2")
>>> [p.id for p in scene.pieces]
['red', 'blue', 'blue.1', 'red.s1', 'n1', 'n2']
>>> scene_text(scene).split("; ")[2]
'E blue.1 746.5,350 down'
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from companion.game.errors import NotationError
from companion.game.readings import Kind
from companion.game.whole import whole_of
from companion.games.eyes_of_the_emperor.house import Options, with_option
from companion.games.eyes_of_the_emperor.scene import (
    MOST_TILT_DEG,
    SEATS,
    Depth,
    Hiding,
    Lying,
    Rest,
    Scene,
    measured,
    own_kit,
)
from companion.games.eyes_of_the_emperor.state import (
    Action,
    EdgeCrossed,
    Emperor,
    HajiChosen,
    Open,
    OpponentChose,
    Phase,
    State,
    ThrowSettled,
)
from companion.games.eyes_of_the_emperor.status import flaws

_LETTERS = {"T": Kind.TERRITORY, "E": Kind.EMPIRE_DIE, "S": Kind.SAMURAI, "N": Kind.NINJA}
_LETTER_OF = {kind: letter for letter, kind in _LETTERS.items()}
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_PIECE = re.compile(
    rf"(?P<letter>[TESN]) (?P<id>\S+) (?P<x>{_NUMBER}),(?P<y>{_NUMBER})(?:@(?P<angle>{_NUMBER}))?"
    rf"(?: (?P<mark>up|down|mark\?))?(?P<owner> owner seen)?(?: odds (?P<odds>{_NUMBER}))?"
    rf"(?: tilt (?P<tilt>{_NUMBER})(?:\+-(?P<sigma>{_NUMBER}))?)?(?: v(?P<value>[1-6]))?"
    rf"(?: c(?P<confidence>{_NUMBER}))?(?P<rests>(?: on \S+)*)$"
)
_REST = re.compile(rf" on ([^\s*]+)(?:\*({_NUMBER}))?")
_MARKED_UP = {"up": True, "down": False, "mark?": None}
_TOLD = "E blue.1 746.5,350@45 up owner seen odds 3 tilt 2+-1 v1 c0.9 on red.s1"
"""A piece with everything that may follow its place, in this order."""
_DEPTH = re.compile(rf"~ ([^\s/]+)/([^\s/]+) ({_NUMBER})\+-({_NUMBER})$")
_CHANCE = re.compile(rf" ([^\s*]+)\*({_NUMBER})")
_HIDING = re.compile(rf"hidden ({_NUMBER}),({_NUMBER})(?: behind (\S+))?((?:{_CHANCE.pattern})*)$")
_HEAP_MM = (20.0, 690.0, 30.0)
"""Places of the samurai that ``ninjas N`` adds: first x, y, and the step."""
MOST_NINJAS = 999
"""Maximum number that is read. `status` says if they are too many for the set."""
BESIDE_MM = 30.0
"""A piece whose middle is further than this from the valley is not in it."""


def scene_text(scene: Scene) -> str:
    """The scene as one line; exact margins are left out, since they follow from the places."""
    parts = [_piece_text(piece, scene) for piece in scene.pieces]
    exact = {(d.piece, d.over): d for d in measured(scene.pieces, scene.rests_on).depths}
    if any(exact.get((d.piece, d.over)) != d for d in scene.depths) or len(exact) != len(scene.depths):
        parts += ["~", *(f"~ {d.piece}/{d.over} {_n(d.margin_mm)}+-{_n(d.sigma_mm)}" for d in scene.depths)]
    parts += [f"unseen {name}" for name in scene.unseen]
    parts += [
        f"hidden {_n(h.x_mm)},{_n(h.y_mm)}"
        + (f" behind {'+'.join(h.behind)}" if h.behind else "")
        + "".join(f" {name}*{_n(chance)}" for name, chance in h.chances)
        for h in scene.hidings
    ]
    return "; ".join(parts)


def _piece_text(piece: Lying, scene: Scene) -> str:
    text = f"{_LETTER_OF[piece.kind]} {piece.id} {_n(piece.x_mm)},{_n(piece.y_mm)}"
    text += f"@{_n(piece.angle_deg)}" if piece.angle_deg else ""
    if piece.kind == Kind.EMPIRE_DIE:
        text += {True: " up", False: " down", None: " mark?"}[piece.marked_up]
    text += " owner seen" if piece.is_owner_seen else ""
    text += f" odds {_n(piece.owner_odds)}" if piece.owner_odds else ""
    if piece.tilt_deg is not None:
        text += f" tilt {_n(piece.tilt_deg)}" + (f"+-{_n(piece.tilt_sigma_deg)}" if piece.tilt_sigma_deg else "")
    text += f" v{piece.value}" if piece.value is not None else ""
    text += f" c{_n(piece.confidence)}" if piece.confidence != 1.0 else ""
    for rest in scene.rests_on:
        if rest.piece == piece.id:
            text += f" on {rest.on}" + (f"*{_n(rest.confidence)}" if rest.confidence != 1.0 else "")
    return text


def scene_of_text(text: str) -> Scene:
    """The scene that a line means. Raises: NotationError."""
    pieces: list[Lying] = []
    rests: list[Rest] = []
    depths: list[Depth] = []
    has_all_depths = False
    unseen: list[str] = []
    hidings: list[Hiding] = []
    for part in filter(None, (p.strip() for p in text.split(";"))):
        if part.startswith("unseen "):
            unseen.append(part.removeprefix("unseen ").strip())
        elif part.startswith("hidden "):
            hidings.append(_hiding(part))
        elif part == "~":
            has_all_depths = True
        elif part.startswith("~"):
            found = _DEPTH.match(part)
            if not found:
                raise NotationError(f"the depth {part!r} does not parse, expected '~ PIECE/TERRITORY MM+-MM'", "depths")
            piece, over, margin, sigma = found.groups()
            margin_mm, sigma_mm = _within(margin, part, "depth"), _within(sigma, part, "standard error", 0)
            depths.append(Depth(piece=piece, over=over, margin_mm=margin_mm, sigma_mm=sigma_mm))
        elif part.startswith("ninjas "):
            pieces += _heap(part)
        else:
            piece_, rests_ = _piece(part)
            pieces.append(piece_)
            rests += rests_
    refuse_flaws(Scene(pieces=tuple(pieces), depths=tuple(depths), rests_on=tuple(rests), unseen=tuple(unseen)))
    scene = measured(tuple(pieces), tuple(rests))
    if not has_all_depths:
        _check_places(scene)
        told = {(d.piece, d.over): d for d in depths}
        rest = [told.pop((d.piece, d.over), d) for d in scene.depths]
        depths = [*rest, *told.values()]
    return replace(scene, unseen=tuple(unseen), hidings=tuple(hidings), depths=tuple(depths))


def _hiding(part: str) -> Hiding:
    found = _HIDING.match(part)
    if not found:
        raise NotationError(
            f"the place {part!r} does not parse, expected such as 'hidden 300,200 behind n1'", "hidings"
        )
    x, y, behind, told, *_ = found.groups()
    chances = tuple((name, _within(chance, part, "chance", 0, 1)) for name, chance in _CHANCE.findall(told))
    names = tuple(behind.split("+")) if behind else ()
    return Hiding(x_mm=_within(x, part, "place"), y_mm=_within(y, part, "place"), behind=names, chances=chances)


def refuse_flaws(scene: Scene) -> None:
    """Raises: NotationError: the scene has impossible values or contradicts itself, whichever form it was given in."""
    flaw = next(flaws(scene), None)
    if flaw is not None:
        raise NotationError(str(flaw.says), flaw.where)


def checked(value: State | Action) -> State | Action:
    """A state or an action given as JSON; a throw is refused for the same reasons as by `scene_of_text`.

    Raises: NotationError.
    """
    if isinstance(value, ThrowSettled):
        scene = value.scene
        refuse_flaws(scene)
        if scene.depths and not any(depth.sigma_mm for depth in scene.depths):  # a camera's have an error, and its kit
            _check_places(scene)
    return value


def thrown(text: str) -> ThrowSettled:
    """The throw that people entered by hand, as the scene in words. Raises: NotationError."""
    scene = scene_of_text(text)
    if len(scene.of(Kind.TERRITORY)) != len(SEATS):
        raise NotationError("the valley shows not both territories: draw it again", "pieces")
    return ThrowSettled(scene=scene)


def _check_places(scene: Scene) -> None:
    """Checks that all pieces are in the valley, because their overlaps are calculated from their places.

    Raises: NotationError.
    """
    mat = own_kit().mat
    for piece in scene.pieces:
        if not (
            -BESIDE_MM <= piece.x_mm <= mat.width_mm + BESIDE_MM
            and -BESIDE_MM <= piece.y_mm <= mat.height_mm + BESIDE_MM
        ):
            where = f"0 to {mat.width_mm:g}, 0 to {mat.height_mm:g} mm"
            at = f"{_n(piece.x_mm)},{_n(piece.y_mm)}"
            raise NotationError(f"{piece.id} lies at {at}, expected {where}: leave out what left the valley", "pieces")


def _heap(part: str) -> list[Lying]:
    count = part.removeprefix("ninjas ").strip()
    ninjas = whole_of(count, most=MOST_NINJAS)
    if ninjas is None:
        raise NotationError(f"{part[:40]!r} does not parse, expected 'ninjas' and a whole number", "pieces")
    x_mm, y_mm, step_mm = _HEAP_MM
    return [Lying(id=f"n{i + 1}", kind=Kind.NINJA, x_mm=x_mm + step_mm * i, y_mm=y_mm) for i in range(ninjas)]


def _piece(part: str) -> tuple[Lying, list[Rest]]:
    found = _PIECE.match(part)
    if not found:
        raise NotationError(f"the piece {part!r} does not parse, expected such as '{_TOLD}'", "pieces")
    id, kind = found["id"], _LETTERS[found["letter"]]
    color = next((seat for seat in SEATS if id == seat or id.startswith(f"{seat}.")), None)
    if kind in (Kind.TERRITORY, Kind.SAMURAI) and color is None:
        expected = "red or blue" if kind == Kind.TERRITORY else "a color, a dot and a name, as in red.s1"
        raise NotationError(f"{id!r} names no emperor, expected {expected}", "pieces")
    is_die = kind == Kind.EMPIRE_DIE
    piece = Lying(
        id=id,
        kind=kind,
        color=None if kind == Kind.NINJA else color,
        x_mm=_within(found["x"], part, "place"),
        y_mm=_within(found["y"], part, "place"),
        angle_deg=_within(found["angle"] or "0", part, "angle"),
        value=int(found["value"]) if found["value"] else None,
        marked_up=_MARKED_UP[found["mark"] or "down"] if is_die else None,
        tilt_deg=_within(found["tilt"], part, "tilt", 0, MOST_TILT_DEG) if found["tilt"] else None,
        tilt_sigma_deg=_within(found["sigma"] or "0", part, "standard error", 0),
        confidence=_within(found["confidence"] or "1", part, "confidence", 0, 1),
        is_owner_seen=is_die and bool(found["owner"]),
        owner_odds=_within(found["odds"] or "0", part, "log odds"),
    )
    rests = [
        Rest(piece=id, on=on, confidence=_within(confidence or "1", part, "confidence", 0, 1))
        for on, confidence in _REST.findall(found["rests"])
    ]
    return piece, rests


def _within(number: str, part: str, what: str, least: float = -math.inf, most: float = math.inf) -> float:
    """The number, from `least` to `most`. Raises: NotationError."""
    value = float(number)
    if not math.isfinite(value) or not least <= value <= most:
        range_ = f"{_n(least)} or more" if most == math.inf else f"{_n(least)} to {_n(most)}"
        expected = "a number" if least == -math.inf else range_
        where = "depths" if part.startswith("~") else "pieces"
        raise NotationError(f"the {what} in {part!r} is {number}, expected {expected}", where)
    return value


def action_text(action: Action) -> str:
    match action:
        case ThrowSettled(scene=scene, answers=answers):
            told = ", ".join(f"{key}={'yes' if answer else 'no'}" for key, answer in sorted(answers.items()))
            return f"throw {scene_text(scene)}" + (f" | {told}" if told else "")
        case HajiChosen(seat=seat):
            return f"haji {seat}"
        case EdgeCrossed(thrower=seat):
            return f"edge {seat}"
        case OpponentChose(restart=restart):
            return "restart" if restart else "play on"


def action_of_text(text: str, state: State | None = None) -> Action:
    """The action that a line means. Raises: NotationError."""
    text = text.strip()
    word, _, rest = text.partition(" ")
    if word == "throw":
        scene, _, told = rest.partition("|")
        return ThrowSettled(scene=scene_of_text(scene), answers=_answers(told))
    if word in ("haji", "edge") and rest in SEATS:
        return HajiChosen(seat=rest) if word == "haji" else EdgeCrossed(thrower=rest)
    if text in ("restart", "play on"):
        return OpponentChose(restart=text == "restart")
    raise NotationError(
        f"the action {text!r} does not parse, expected throw, haji SEAT, edge SEAT, restart or play on", "action"
    )


def _answers(text: str) -> dict[str, bool]:
    answers = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, _, answer = part.partition("=")
        if answer not in ("yes", "no"):
            raise NotationError(f"the answer {part!r} does not parse, expected FACT=yes or FACT=no", "answers")
        answers[key] = answer == "yes"
    return answers


def state_text(state: State) -> str:
    """The state as one line: ``throw 4 restarts 0; red II taken red.1; blue I || throw SCENE | answers``."""
    head = [f"throw {state.throw} restarts {state.restarts}"]
    for seat in SEATS:
        emperor = state.emperor(seat)
        text = f"{seat} {emperor.phase.value}"
        text += f" taken {'+'.join(emperor.taken)}" if emperor.taken else ""
        text += f" ever_out {'+'.join(emperor.ever_out)}" if emperor.ever_out else ""
        head.append(text)
    default = Options()
    head += [
        f"{k}={getattr(state.options, k)}"
        for k in ("marked_faces", "both_out", "cocked_deg")
        if getattr(state.options, k) != getattr(default, k)
    ]
    head += [f"haji {state.haji}"] if state.haji else []
    head += [f"refill {'+'.join(state.refill)}"] if state.refill else []
    head += [f"edge {state.edge}"] if state.edge else []
    head += [f"winner {state.winner}"] if state.winner else []
    parts = ["; ".join(head)]
    if state.scene is not None:
        parts.append(action_text(ThrowSettled(scene=state.scene, answers=state.answers)))
    if state.open is not None:
        parts.append("open " + action_text(ThrowSettled(scene=state.open.scene, answers=state.open.answers)))
    return " || ".join(parts)


def state_of_text(text: str) -> State:
    """The state that a line means. Raises: NotationError."""
    head, *scenes = (part.strip() for part in text.split("||"))
    state = State()
    for part in filter(None, (p.strip() for p in head.split(";"))):
        state = _with(state, part)
    for part in scenes:
        is_open = part.startswith("open ")
        throw = action_of_text(part.removeprefix("open "))
        if not isinstance(throw, ThrowSettled):
            raise NotationError(f"{part!r} is no throw, expected 'throw' and a scene", "scene")
        if is_open:
            state = replace(state, open=Open(scene=throw.scene, answers=throw.answers))
        else:
            state = replace(state, scene=throw.scene, answers=throw.answers)
    return state


def _with(state: State, part: str) -> State:
    words = part.split()
    try:
        match words:
            case ["throw", throw, "restarts", restarts]:
                return replace(state, throw=int(throw), restarts=int(restarts))
            case ["red" | "blue" as seat, phase, *rest]:
                lists: Mapping[str, str] = dict(zip(rest[::2], rest[1::2], strict=True))
                taken = tuple(lists.get("taken", "").split("+")) if "taken" in lists else ()
                ever_out = tuple(lists["ever_out"].split("+")) if "ever_out" in lists else ()
                return state.with_emperor(seat, Emperor(phase=Phase(phase), taken=taken, ever_out=ever_out))
            case ["haji", "red" | "blue" as seat]:
                return replace(state, haji=seat)
            case ["edge", "red" | "blue" as seat]:
                return replace(state, edge=seat)
            case ["winner", "red" | "blue" | "loss_draw" as who]:
                return replace(state, winner=who)
            case ["refill", what]:
                return replace(state, refill=tuple(what.split("+")))
            case [option] if "=" in option:
                key, value = option.split("=")
                return replace(state, options=with_option(state.options, key, value))
    except (ValueError, KeyError) as error:
        raise NotationError(f"{part!r} does not parse: {error}", words[0] if words else "$") from error
    raise NotationError(
        f"{part!r} does not parse, expected such as 'throw 4 restarts 0' or 'red II'", words[0] if words else "$"
    )


def _n(value: float) -> str:
    text = f"{value:.10g}"
    return text if float(text) == value else repr(value)
