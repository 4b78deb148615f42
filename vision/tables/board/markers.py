"""Probability of a marker on each spot, per colour: candidates are compared with each other and counted.

The markers of one colour look alike, and their number is known. So each candidate in turn is assumed to be a marker.
The others are judged by their likeness to it and their difference from print. Then all sets of at most that number are
summed. This is done twice: by the look on the spot, then by look and edge (`edges`). Unseen cameras err more often than
the cameras of the training, so the evidence for a candidate is damped and limited. If two colours share a marker's hue,
the marker is a candidate of both but belongs to one: all ways to split such candidates are summed too.
"""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from companion.game.board import PIECES_OF_A_COLOR
from companion.game.readings import SURE
from vision.measure.limits import LIMITS as SHARED
from vision.tables.board.limits import FAINT, LIMITS
from vision.tables.board.signs import HUES_DEG, Sign

Signs = Mapping[str, Sequence[Sign]]
MARKER_LOG_ODDS = math.log(LIMITS.likely / (1 - LIMITS.likely))
"""Minimum for a candidate that looks like a marker by itself."""
SEEMING = 1 - LIMITS.perhaps
"""Probability of a marker on a spot that seems to hold one, if its colour has too many, or the spot shows its print."""
RULES_FILE = Path(__file__).parents[2] / "models" / "board_markers.json"


@dataclass(frozen=True, slots=True)
class ColorMarkers:
    """The markers of one colour.

    `chances`: probability of each candidate, in the signs' order. `alone`: log odds of each candidate by itself.
    `likest`: the candidate most typical of the colour. `plain`: number of candidates that look like its markers.
    `evidence`: log evidence of the colour's best explanation.
    """

    signs: tuple[Sign, ...]
    chances: tuple[float, ...]
    alone: tuple[float, ...]
    likest: Sign | None
    plain: int
    evidence: float


@dataclass(frozen=True, eq=False)
class Rule:
    """A logistic rule for markers of one kind, in two steps. `look` weighs the features of `looks_of` and their
    pairwise products, with the constant last. `edge` weighs that result and the features of `edges_of`."""

    look: Floats
    edge: Floats


@cache
def rules() -> Mapping[str, Rule]:
    """The rules of a flat marker (`disk`) and of a turned marker (`pawn`), fitted by `bench fit board`."""
    told = json.loads(RULES_FILE.read_text(encoding="utf-8"))
    return {kind: Rule(np.array(rule["look"]), np.array(rule["edge"])) for kind, rule in told.items()}


def looks_of(signs: Sequence[Sign]) -> Floats:
    """Features of the looks of signs, compared with each possible marker of the colour: (N markers, N, features)."""

    def each(values: Iterable[float]) -> Floats:
        return np.array(list(values), np.float64)

    hue, strength = each(s.hue_deg for s in signs), np.maximum(each(s.strength for s in signs), 1e-6)
    light = np.log(each(s.light for s in signs) + SHARED.dim)
    turn = np.abs((hue[None] - hue[:, None] + 180) % 360 - 180)
    stronger = np.log(strength)[None] - np.log(strength)[:, None]
    lighter = np.abs(light[None] - light[:, None])
    pairs = [
        np.minimum(turn, 2 * LIMITS.hue_deg),
        np.maximum(-stronger, 0),
        np.maximum(stronger, 0),
        np.minimum(lighter, 2.0),
    ]
    own = np.array([_look(sign) for sign in signs])
    return np.concatenate([np.stack(pairs, axis=-1), np.broadcast_to(own, (len(signs), *own.shape))], axis=-1)


def _look(sign: Sign) -> tuple[float, ...]:
    return (
        1 - sign.cover,
        sign.pale,
        sign.uneven,
        sign.off_mm,
        sign.filled,
        min(sign.ring[0], 1.0),
        min(sign.ring[1], 1.0),
        sign.lopsided,
        min(sign.white, 1.0),
        sign.clipped,
        sign.strength,
        float(sign.is_own),
    )


def edges_of(signs: Sequence[Sign], look: Floats) -> Floats:
    """Features of signs' edges, with the result of the rule `look`: (N markers, N, features).

    The first features of the look are repeated. The first features of the edge also appear relative to the marker's.
    """
    products, others = _terms(tuple(signs))
    return np.concatenate([(products @ look[:-1] + look[-1])[..., None], others], axis=-1)


@lru_cache(maxsize=32)
def _terms(signs: tuple[Sign, ...]) -> tuple[Floats, Floats]:
    """The features of looks with their products, and the other features of `edges_of`: the same for both kinds."""
    looks = looks_of(signs)
    own = np.array([sign.edge.terms for sign in signs])
    unlike = np.abs(own[None] - own[:, None])[..., :6]
    own = np.column_stack(
        [
            own,
            [sign.edge.twins[0] < LIMITS.max_twin_distance for sign in signs],
            [sign.edge.inside[0] < FAINT for sign in signs],
        ]
    )
    shared = np.broadcast_to(own, (len(signs), *own.shape))
    return with_products(looks), np.concatenate([looks[..., :7], shared, unlike], axis=-1)


def with_products(terms: Floats) -> Floats:
    """Features (..., N) and their pairwise products."""
    i, k = np.triu_indices(terms.shape[-1])
    return np.concatenate([terms, terms[..., i] * terms[..., k]], axis=-1)


@lru_cache(maxsize=64)
def weigh_color(signs: tuple[Sign, ...], rule: Rule, between: int = 0) -> ColorMarkers:
    """The markers of a colour by the rule of one kind. `between`: number of its markers that are not on a spot."""
    if not signs:
        return ColorMarkers((), (), (), None, 0, 0.0)
    told = edges_of(signs, rule.look) @ rule.edge[:-1] + rule.edge[-1]
    log_odds = np.clip(LIMITS.damping * told, -LIMITS.max_log_odds, LIMITS.max_log_odds)
    log_odds = np.where(_unlike(signs), np.minimum(log_odds, 0.0), log_odds)
    counted = np.full(PIECES_OF_A_COLOR + 1, LIMITS.missing)
    counted[PIECES_OF_A_COLOR - between :] = 0.0
    counted[PIECES_OF_A_COLOR - between] = 1.0
    sums, chances = _summed(log_odds, counted)
    weights = sums / PIECES_OF_A_COLOR  # a set of markers is summed once for each of its members
    total = float(weights.sum()) + counted[0]
    best = int(weights.argmax())
    mixed = weights @ chances / total
    plain = int((log_odds[best] > MARKER_LOG_ODDS).sum())
    sure = [sign for sign, chance in zip(signs, mixed, strict=True) if chance >= min(LIMITS.likely, float(mixed.max()))]
    likest = sorted(sure, key=lambda sign: sign.strength)[len(sure) // 2]
    alone = tuple(log_odds.diagonal().tolist())
    return ColorMarkers(signs, tuple(mixed.tolist()), alone, likest, plain, math.log(total))


def _unlike(signs: Sequence[Sign]) -> NDArray[np.bool_]:
    """Whether two signs are too different to be markers of one color: (N, N)."""
    hue, strength = np.array([(sign.hue_deg, sign.strength) for sign in signs]).T
    turn = np.abs((hue[None] - hue[:, None] + 180) % 360 - 180)
    is_weak = LIMITS.same_ratio * strength[None] < strength[:, None]
    return np.asarray((turn > LIMITS.hue_deg) & (is_weak | is_weak.T))


def weigh_board(signs: Signs, kind: str | None, between: Mapping[str, int] | None = None) -> dict[str, ColorMarkers]:
    """The markers of every colour; `between`: number of markers between spots. All are of one `kind`, or of the more
    probable kind if None."""
    kinds = [_of_kind(signs, rule, between or {}) for name, rule in rules().items() if kind in (None, name)]
    return max(kinds, key=lambda told: sum(one.evidence for one in told.values()))


def _of_kind(signs: Signs, rule: Rule, between: Mapping[str, int]) -> dict[str, ColorMarkers]:
    told = {color: weigh_color(tuple(found), rule, between.get(color, 0)) for color, found in signs.items()}
    for color, other in combinations(sorted(told), 2):
        spots = _claimed_by_both(told[color], told[other])
        if spots:
            told |= _parted({name: told[name] for name in (color, other)}, spots, rule, between)
    return told


def _claimed_by_both(one: ColorMarkers, other: ColorMarkers) -> set[int]:
    """The spots that may hold a marker of either colour."""
    claims = [
        {sign.spot for sign, chance in zip(of.signs, of.chances, strict=True) if chance > 1 - SURE}
        for of in (one, other)
    ]
    return claims[0] & claims[1]


def _parted(
    told: Mapping[str, ColorMarkers], spots: set[int], rule: Rule, between: Mapping[str, int]
) -> dict[str, ColorMarkers]:
    """The markers of two colours, contested spots by the mean over all ways to split them by hue."""
    ways = []
    for lost in _ways_to_part(told, spots):
        left = {
            color: weigh_color(tuple(s for s in of.signs if s.spot not in lost[color]), rule, between.get(color, 0))
            for color, of in told.items()
        }
        ways.append((sum(of.evidence for of in left.values()), left))
    most, best = max(ways, key=lambda way: way[0])
    weights = [math.exp(evidence - most) for evidence, _ in ways]
    parted = {}
    for color, of in told.items():
        by_spot = [
            {s.spot: chance for s, chance in zip(w[color].signs, w[color].chances, strict=True)} for _, w in ways
        ]
        mixed = (
            sum(weight * chances.get(sign.spot, 0.0) for weight, chances in zip(weights, by_spot, strict=True))
            / sum(weights)
            for sign in of.signs
        )
        parted[color] = replace(best[color], signs=of.signs, chances=tuple(mixed), alone=of.alone)
    return parted


def _ways_to_part(told: Mapping[str, ColorMarkers], spots: set[int]) -> Iterator[dict[str, set[int]]]:
    """The contested spots that each colour loses: all go to one colour, or the widest gap in hue separates them."""
    middle = {color: HUES_DEG[color] for color in told}
    lower, higher = told
    if (middle[higher] - middle[lower] + 180) % 360 < 180:
        lower, higher = higher, lower
    signs = sorted((sign for sign in told[lower].signs if sign.spot in spots), key=lambda sign: sign.hue_deg)
    gaps = [after.hue_deg - before.hue_deg for before, after in pairwise(signs)]
    for count in sorted({0, len(signs), *([gaps.index(max(gaps)) + 1] if gaps else [])}):
        yield {
            lower: {sign.spot for sign in signs[count:]},
            higher: {sign.spot for sign in signs[:count]},
        }


def _summed(log_odds: Floats, counted: Floats) -> tuple[Floats, Floats]:
    """Weight of all sets with each assumed marker, (N,), and each candidate's share, (N, N), from `log_odds` (N, N)."""
    odds = np.exp(log_odds)
    own, others = odds.diagonal(), odds.copy()
    np.fill_diagonal(others, 0.0)
    # row 0 holds all other candidates, each further row leaves out one of them
    without = np.where(np.eye(len(odds)) > 0, 0.0, others[:, None])
    sums = _sets(np.concatenate([others[:, None], without], axis=1))
    totals = own * (sums[:, 0, :PIECES_OF_A_COLOR] @ counted[1:])
    shares = own[:, None] * odds * (sums[:, 1:, : PIECES_OF_A_COLOR - 1] @ counted[2:])
    shares /= np.maximum(totals, 1e-300)[:, None]
    np.fill_diagonal(shares, 1.0)
    return totals, shares


def _sets(odds: Floats) -> Floats:
    """Elementary symmetric polynomials of odds (..., rows, N): (..., rows, PIECES_OF_A_COLOR + 1)."""
    sums = np.zeros((*odds.shape[:-1], PIECES_OF_A_COLOR + 1))
    sums[..., 0] = 1.0
    for one in np.moveaxis(odds, -1, 0):
        sums[..., 1:] = sums[..., 1:] + one[..., None] * sums[..., :-1]
    return sums


def chances_of(markers: Mapping[str, ColorMarkers]) -> dict[int, dict[str, float]]:
    """Probabilities of each colour and of an empty spot (""), for each possible marker's spot, with a sum of 1."""
    odds: dict[int, dict[str, float]] = {}
    for color, found in markers.items():
        for sign, chance in zip(found.signs, found.chances, strict=True):
            odds.setdefault(sign.spot, {})[color] = chance / max(1 - chance, 1e-6)
    chances = {}
    for spot, of in odds.items():
        whole = 1 + sum(of.values())
        chances[spot] = {color: one / whole for color, one in of.items()} | {"": 1 / whole}
    return chances


def with_lying(
    chances: Mapping[int, Mapping[str, float]],
    markers: Mapping[str, ColorMarkers],
    plain: Collection[int],
    unclear: Collection[str],
) -> dict[int, dict[str, float]]:
    """The probabilities, with doubts about spots that look marked although their colour's markers are elsewhere. These
    spots are not surely empty, unless they show `plain` print. `unclear` colours may have further markers, also on such
    print."""
    lying: dict[int, list[str]] = {}
    for color, one in markers.items():
        least = 0.0 if color in unclear else MARKER_LOG_ODDS
        for sign, alone in zip(one.signs, one.alone, strict=True):
            if alone > least and (color in unclear or sign.spot not in plain):
                lying.setdefault(sign.spot, []).append(color)
    told = {spot: dict(of) for spot, of in chances.items()}
    for spot, colors in lying.items():
        if told.get(spot, {"": 1.0})[""] > 1 - SEEMING:
            told[spot] = dict.fromkeys(colors, SEEMING / len(colors)) | {"": 1 - SEEMING}
    return told


def alike(markers: Mapping[str, ColorMarkers]) -> tuple[str, ...]:
    """Colours that this light does not separate: pairs whose markers look the same or claim the same spots, and colours
    with too many markers."""
    found = [color for color, one in markers.items() if one.plain > PIECES_OF_A_COLOR]
    for color, other in combinations(markers, 2):
        if _claimed_by_both(markers[color], markers[other]):
            found += [color, other]
    seen = [(color, one.likest) for color, one in markers.items() if one.plain and one.likest is not None]
    for i, (color, a) in enumerate(seen):
        for other, b in seen[:i]:
            turn = abs((a.hue_deg - b.hue_deg + 180) % 360 - 180)
            if turn < LIMITS.hue_deg:
                found += [other, color]
    return tuple(dict.fromkeys(found))
