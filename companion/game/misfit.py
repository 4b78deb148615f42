"""Errors in JSON values, in words: what was found and what was expected."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from companion.game.plain_json import named

_AT = re.compile(r" - at `(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<at>\d+)\]")
_MOST = 60
"""Maximum length of a shown value, in characters: a state may hold words of any length."""
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


_CALLED: dict[type, str] = {
    inspect.IntType: _KINDS["int"],
    inspect.FloatType: _KINDS["float"],
    inspect.StrType: _KINDS["str"],
    inspect.BoolType: _KINDS["bool"],
    inspect.NoneType: _KINDS["null"],
    inspect.EnumType: _KINDS["str"],
    inspect.LiteralType: _KINDS["str"],
    inspect.ListType: _KINDS["array"],
    inspect.VarTupleType: _KINDS["array"],
    inspect.TupleType: _KINDS["array"],
}


def misfit(data: Any, kind: Any, told: str) -> tuple[str, str]:
    """The error in `data` by msgspec's sentence, and its path, as in ``$.type``.

    >>> from companion.games.suspend.events import Rolled, Stopped
    >>> misfit({"kind": "rolls"}, Rolled | Stopped, "Invalid value 'rolls' - at `$.kind`")
    ("its kind is 'rolls', expected one of rolled, stopped", '$.kind')
    >>> misfit({"kind": "rolled", "x": 1}, Rolled, "Object contains unknown field `x`")
    ("it has 'x', expected one of kind, seat, color, at_mm", '$')
    >>> misfit({"kind": "rolled"}, Rolled, "Object missing required field `seat`")
    ("it has no 'seat', expected a text", '$')
    >>> misfit({"kind": "rolled", "seat": 3}, Rolled, "Expected `str`, got `int` - at `$.seat`")
    ('its seat is a number, expected a text', '$.seat')
    """
    found = _AT.search(told)
    where = found["path"] if found else "$"
    told = _AT.sub("", told)
    value, types = _walked(data, kind, where)
    name = spoken(where)
    match re.findall(r"`([^`]*)`", told):
        case [key] if told.startswith("Object contains unknown field"):
            return f"{name} has {key[:_MOST]!r}, expected one of {', '.join(_keys(types))}", where
        case [key] if told.startswith("Object missing required field"):
            return f"{name} has no {key!r}, expected {_expected(types, key)}", where
        case [expected, _] if " got " in told:
            is_whole = isinstance(value, float) and "int" in expected.split(" | ")
            shown = str(value) if is_whole else named(value)
            return f"{name} is {shown}, expected {_either(_KINDS.get(k, k) for k in expected.split(' | '))}", where
        case _ if told.startswith("Invalid"):
            allowed = [*_tags(types, where), *_values(types)]
            return f"{name} is {_shown(value)}" + (f", expected one of {', '.join(allowed)}" if allowed else ""), where
        case [_] if told.startswith("Expected"):
            return f"{name} is {_shown(value)}, expected {_limit(told)}", where
        case _:
            return (told if where == "$" else f"{name}: {told}"), where


def spoken(where: str) -> str:
    """A path in words.

    >>> spoken("$"), spoken("$.scene.pieces[0]")
    ('it', 'its scene.pieces[0]')
    """
    return "it" if where == "$" else f"its {where.removeprefix('$').removeprefix('.')}"


def _walked(data: Any, kind: Any, where: str) -> tuple[Any, list[Any]]:
    """The value at a path and its possible types. The types for a tag field are those of its object."""
    types = list(_plain(inspect.type_info(kind), data))
    for step in _STEP.finditer(where):
        key, at = step["key"], step["at"]
        inner: list[Any] = []
        for each in types:
            fields = getattr(each, "fields", ())
            inner += [field.type for field in fields if field.encode_name == key]
            inner += [getattr(each, name) for name in ("item_type", "value_type") if hasattr(each, name)]
        if isinstance(data, dict) and key is not None:
            data = data.get(key)
        elif isinstance(data, list | tuple) and at is not None and int(at) < len(data):
            data = data[int(at)]
        else:
            data = None
        if inner or at is not None or not any(getattr(each, "tag_field", None) == key for each in types):
            types = [plain for each in inner for plain in _plain(each, data)]
    return data, types


def _plain(kind: Any, data: Any) -> Iterator[Any]:
    """The plain types that a type stands for. Of several tagged objects it is the one that the data names."""
    if isinstance(kind, inspect.Metadata):
        yield from _plain(kind.type, data)
    elif isinstance(kind, inspect.UnionType):
        named_so = [
            each
            for each in kind.types
            if isinstance(data, dict) and (tag := getattr(each, "tag_field", None)) and data.get(tag) == each.tag  # type: ignore[attr-defined]
        ]
        for each in named_so or kind.types:
            yield from _plain(each, data)
    else:
        yield kind


def _keys(types: list[Any]) -> list[str]:
    keys: list[str] = []
    for each in types:
        keys += [tag] if (tag := getattr(each, "tag_field", None)) else []
        keys += [field.encode_name for field in getattr(each, "fields", ())]
    return list(dict.fromkeys(keys)) or ["nothing"]


def _expected(types: list[Any], key: str) -> str:
    tags = _tags(types, key)
    if tags:
        return f"one of {', '.join(tags)}"
    kinds = [
        _CALLED.get(type(plain), "an object")
        for each in types
        for field in getattr(each, "fields", ())
        if field.encode_name == key
        for plain in _plain(field.type, None)
    ]
    return _either(dict.fromkeys(kinds)) if kinds else "a value"


def _tags(types: list[Any], where: str) -> list[str]:
    key = where.rpartition(".")[2]
    return [str(each.tag) for each in types if getattr(each, "tag_field", None) == key]


def _values(types: list[Any]) -> list[str]:
    values: list[Any] = []
    for each in types:
        values += [member.value for member in each.cls] if isinstance(each, inspect.EnumType) else []
        values += each.values if isinstance(each, inspect.LiteralType) else []
    return [str(value) for value in values]


def _limit(told: str) -> str:
    """The value that msgspec expects, in words.

    >>> _limit("Expected `int` >= 0"), _limit("Expected `str` matching regex '^(red|blue)$'")
    ('0 or more', 'red or blue')
    """
    named_values = re.search(r"matching regex '\^\(([\w|]+)\)\$'", told)
    if named_values:
        return _either(named_values[1].split("|"))
    expected = told.removeprefix("Expected ")
    for word, words in _KINDS.items():
        expected = expected.replace(f"`{word}`", words)
    bound = re.fullmatch(r"(?P<kind>.*) (?P<sign>[<>]=) (?P<at>-?\d+)(\.0)?", expected)
    if bound:
        return f"{bound['at']} or {'more' if bound['sign'] == '>=' else 'less'}"
    return expected.replace("`", "")


def _either(words: Any) -> str:
    *several, last = words
    return f"{', '.join(several)} or {last}" if several else str(last)


def _shown(value: Any) -> str:
    return repr(value)[:_MOST] if isinstance(value, str | int | float) else named(value)
