"""Nonsense that looks like the real thing: what is valid, with a few places of it changed.

What is read from outside is given it: it is taken, or refused in a sentence. `FUZZ=2000` tries so many.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TRIES = int(os.environ.get("FUZZ", "40"))
FUZZED = settings(
    max_examples=TRIES,
    suppress_health_check=list(HealthCheck),
    derandomize=TRIES <= 40,
)

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 10**40, -(2**63), 1e308, -0.0, 1e-320]),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=12),
    st.sampled_from(["", "red", "A5", "home*3", "JK=9C", "\x00", "\ud83d", "{seat}", "../../x", "9" * 5000, "٣", "½"]),
)
PUT = ["[", "]]", "=", "-1", "1e999", "'", '"""', "\n", "nan", ""]
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*at, key))
    elif isinstance(value, list):
        for i, each in enumerate(value[:30]):
            yield from places(each, (*at, i))


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value with up to three places replaced, removed or said twice."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.sampled_from(list(places(value))))
        if not at:
            value = draw(VALUES)
            continue
        inner = value
        for step in at[:-1]:
            inner = inner[step]
        how = draw(st.sampled_from(["replaced", "replaced", "removed", "twice"]))
        if how == "removed":
            del inner[at[-1]]
        elif how == "twice" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[at[-1]]))
        else:
            inner[at[-1]] = draw(VALUES)
    return value


@st.composite
def cut(draw: st.DrawFn, text: str) -> str:
    """A text with up to four places changed, cut out or repeated."""
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 20)))
        put = draw(st.one_of(st.text(max_size=5), st.sampled_from(PUT)))
        text = text[:start] + put + draw(st.sampled_from(["", text[start:end]])) + text[end:]
    return text


def flipped(raw: bytes, chance: Random) -> bytes:
    """Bytes with some of them changed, or cut short."""
    made = bytearray(raw)
    for _ in range(chance.randint(0, 6)):
        made[chance.randrange(len(made))] = chance.randrange(256)
    return bytes(made[: chance.choice([len(made), chance.randint(0, len(made))])])
