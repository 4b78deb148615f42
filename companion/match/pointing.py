"""The last throw as it lay, to point at its pieces: in its kept picture, else in a drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

from companion.game.game import Game
from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import Correctable
from companion.game.view import EvidenceView, PartView, PointingView, PointView
from companion.record.body import Acted, Asked, Shown
from companion.record.entry import Entry
from companion.record.fold import Folded

SAME_MM = 0.3
"""Maximum distance between an outline and its piece, mm: places are rounded to 0.1 mm."""
MOST_CORNERS = 16
"""Maximum number of corners of an outline to point at."""


class _Outline(msgspec.Struct, frozen=True):
    points_px: tuple[tuple[float, float], ...]
    kind: str | None = None
    at_mm: tuple[float, float] | None = None


class _About(msgspec.Struct, frozen=True):
    """The position of a kept picture within the whole frame. Older logs lack the places of the pieces."""

    width_px: int
    height_px: int
    outlines: tuple[_Outline, ...] = ()
    at_px: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0


def shown_of(entry: Entry) -> tuple[Shown, ...]:
    """The evidence that an entry names."""
    return entry.body.shown if isinstance(entry.body, Acted | Asked) else ()


def pointing_view(
    game: Game[Any, Any],
    folded: Folded[Any, Any],
    corrections: tuple[Correctable, ...],
    picture: Callable[[str], bytes | None],
) -> PointingView | None:
    """The view to point at the pieces of the corrections; None if no correction is about a piece."""
    wanted = {c.piece: c.called or Says("{piece}", {"piece": c.piece}) for c in corrections if c.piece is not None}
    last = folded.amendable(game)
    if not wanted or last is None:
        return None
    layout = game.table.layout(folded.state).pieces
    whole, parts = _pictures(last.entry, picture)
    lying = {piece.id: piece for piece in layout}
    outlines = whole[1].outlines if whole is not None else ()
    points = tuple(
        PointView(piece=id, says=says, outline_px=_outline(outlines, lying.get(id))) for id, says in wanted.items()
    )
    if whole is None or not any(point.outline_px for point in points):
        return PointingView(points=points, pieces=layout)
    shown, about = whole
    return PointingView(
        points=points,
        picture=EvidenceView(sha256=shown.picture, width_px=about.width_px, height_px=about.height_px),
        parts=tuple(_part(part, told, about) for part, told in parts),
    )


def _pictures(
    entry: Entry, picture: Callable[[str], bytes | None]
) -> tuple[tuple[Shown, _About] | None, list[tuple[Shown, _About]]]:
    """The kept picture of the whole table, and those of single pieces."""
    found = []
    try:
        for shown in shown_of(entry):
            about = picture(shown.about)
            if about is not None:
                found.append((shown, msgspec.json.decode(about, type=_About)))
    except msgspec.MsgspecError:  # another version's evidence: the drawing is used instead
        return None, []
    whole = next((one for one in found if one[0].piece is None), None)
    return whole, [one for one in found if one[0].piece is not None]


def _outline(outlines: tuple[_Outline, ...], piece: Placed | None) -> tuple[tuple[int, int], ...]:
    """The corners of a piece in the picture. A die below another, where the set-up stacks them, has its outline."""
    if piece is None:
        return ()
    near = (
        (math.hypot(o.at_mm[0] - piece.x_mm, o.at_mm[1] - piece.y_mm), i)
        for i, o in enumerate(outlines)
        if o.at_mm is not None and o.kind == piece.kind
    )
    best = min(near, default=None)
    if best is None or best[0] > SAME_MM:
        return ()
    return tuple((round(x), round(y)) for x, y in thinned(outlines[best[1]].points_px, MOST_CORNERS))


def thinned(corners: tuple[tuple[float, float], ...], most: int) -> tuple[tuple[float, float], ...]:
    """Every n-th corner of a smooth outline, so that at most `most` remain.

    >>> thinned(((0, 0), (1, 0), (2, 1), (2, 2), (1, 3)), 3)
    ((0, 0), (2, 1), (1, 3))
    """
    return corners[:: math.ceil(len(corners) / most)] if len(corners) > most else corners


def _part(shown: Shown, about: _About, whole: _About) -> PartView:
    by = whole.scale / about.scale
    return PartView(
        sha256=shown.picture,
        x_px=round(about.at_px[0] * whole.scale, 2),
        y_px=round(about.at_px[1] * whole.scale, 2),
        width_px=round(about.width_px * by, 2),
        height_px=round(about.height_px * by, 2),
    )
