"""The options that a match begins with: house rules given as texts, and boards for games that have none."""

import difflib
from collections.abc import Collection, Mapping, Sequence

from companion.game.errors import NotationError
from companion.game.values import Option


def chosen(
    options: Sequence[Option], given: Mapping[str, str], title: str, *, free: Collection[str] = ()
) -> dict[str, str]:
    """The value of each option of a game: the given one, else its default.

    `free` are options that take more than the listed choices: the game parses those itself.
    Raises: NotationError that names the key, for an unknown option or a value that is not a choice.

    >>> from companion.game.says import Says
    >>> speed = Option("speed", "slow", ("slow", "fast"), Says("how fast"), "")
    >>> chosen([speed], {}, "Chess"), chosen([speed], {"speed": "fast"}, "Chess")
    ({'speed': 'slow'}, {'speed': 'fast'})
    """
    known = {option.key: option for option in options}
    for key, value in given.items():
        if key not in known:
            raise NotationError(f"{title} has no option {key!r}: {_hint(key, tuple(known))}", key)
        if key not in free and value not in known[key].choices:
            raise NotationError(f"{key} is {value!r}, expected one of {', '.join(known[key].choices)}", key)
    return {key: given.get(key, option.default) for key, option in known.items()}


def _hint(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
