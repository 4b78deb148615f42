"""JSON from people and other programs, accepted only if it has exactly one meaning."""

import json
import math
from typing import Any

MOST_DIGITS = 18
"""Maximum number of digits: a longer number counts nothing on a table, and `float` may refuse it later."""


def json_of_text(text: str) -> Any:
    """The values in a JSON text. Raises: ValueError: no JSON, a key twice, a number too large; RecursionError.

    >>> json_of_text('{"fx_px": 1800, "fx_px": 900}')
    Traceback (most recent call last):
    ...
    ValueError: it has the key 'fx_px' twice
    """
    return json.loads(text, object_pairs_hook=_object, parse_int=_whole, parse_float=_finite, parse_constant=_no_number)


def named(value: Any) -> str:
    """The kind of a JSON value, in words.

    >>> named([1]), named(None)
    ('a list', 'null')
    """
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"it has the key {key[:40]!r} twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.removeprefix("-")) > MOST_DIGITS:
        raise ValueError(f"it has a number of {len(digits)} digits")
    return int(digits)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it has the number {text[:40]}, which is too large")
    return number


def _no_number(text: str) -> float:
    raise ValueError(f"it has {text}, which is not a number")
