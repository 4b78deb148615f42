"""The household: facts that people enter into the book's own log, and their fold.

A person is known by a name; two names of one person are merged, and split again by taking the merging back.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from companion.book.play import Play
from companion.record.entry import Retracted, Row

COLORS = ("red", "blue", "yellow", "green", "orange", "violet", "teal", "grey")
"""Colours of people in charts, in the order in which they are given out."""


class _Told(Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    """A fact is stored with its kind as the entry's."""


class PersonTold(_Told, frozen=True, tag="person"):
    """A person's colour, and whether it is a guest: guests are in no list of leaders. Pictures are evidence."""

    name: str
    color: str = ""
    is_guest: bool = False


class Merged(_Told, frozen=True, tag="merged"):
    """`name` is another name of `into`; also a new spelling."""

    name: str
    into: str


class GroupTold(_Told, frozen=True, tag="group"):
    """The people of a group; none: the group is gone."""

    name: str
    people: tuple[str, ...]


class LeagueTold(_Told, frozen=True, tag="league"):
    """A league: points by place in a game and a group (empty: all), from one day to another. No points: it is gone."""

    name: str
    points: tuple[float, ...]
    game: str = ""
    group: str = ""
    begins: str = ""
    ends: str = ""


class PlayTold(_Told, frozen=True, tag="play"):
    """A play from elsewhere; one with the same name replaces it."""

    play: Play


class Imported(_Told, frozen=True, tag="imported"):
    """The next `plays` entries came from this file. If this entry is taken back, so are they."""

    file: str
    plays: int


class LeftOut(_Told, frozen=True, tag="left_out"):
    """A play that counts nowhere, such as a test; `is_out` false: it counts again."""

    play: str
    is_out: bool = True


class PersonRemoved(_Told, frozen=True, tag="removed"):
    """A person was taken out of `logs` logs; the entry does not say who."""

    stands_in: str
    logs: int


Fact = PersonTold | Merged | GroupTold | LeagueTold | PlayTold | Imported | LeftOut | PersonRemoved | Retracted
_FACTS: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(Fact)


@dataclass(frozen=True, slots=True)
class BookPerson:
    """A person of the household. `names`: all spellings, the first is shown."""

    key: str
    names: tuple[str, ...]
    color: str = ""
    is_guest: bool = False
    picture: str | None = None

    @property
    def name(self) -> str:
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Household:
    told: Mapping[str, tuple[PersonTold, str | None]] = field(default_factory=dict)
    """By key: the newest facts of a person, and the picture."""
    merged: Mapping[str, tuple[int, Merged]] = field(default_factory=dict)
    """By the key of the other name: the entry's number and the fact."""
    groups: Mapping[str, GroupTold] = field(default_factory=dict)
    leagues: Mapping[str, LeagueTold] = field(default_factory=dict)
    plays: Mapping[str, Play] = field(default_factory=dict)
    imports: Mapping[int, tuple[float, Imported]] = field(default_factory=dict)
    """By the entry's number: the time and the file of an import, the newest first."""
    left_out: frozenset[str] = frozenset()

    def key(self, name: str) -> str:
        key = key_of(name)
        for _ in self.merged:
            if key not in self.merged:
                break
            key = key_of(self.merged[key][1].into)
        return key

    def people(self, names: Iterable[str]) -> dict[str, BookPerson]:
        """Everybody with one of these names or with facts, by key. `names`: the first who came is first."""
        spelled: dict[str, dict[str, None]] = {}
        shown = {key_of(fact.into): fact.into for _, fact in self.merged.values()}
        shown |= {key: fact.name for key, (fact, _) in self.told.items()}
        names = list(names)
        for name in (*shown.values(), *names, *(fact.name for _, fact in self.merged.values())):
            spelled.setdefault(self.key(name), {})[name] = None
        found: dict[str, BookPerson] = {}
        came = list(dict.fromkeys(map(self.key, (*names, *shown.values()))))
        for key, each in sorted(spelled.items()):
            first = shown.get(key) or next(iter(each))
            facts = [self.told[one] for one in (key, *map(key_of, each)) if one in self.told]
            fact = facts[0][0] if facts else PersonTold(first)
            color = fact.color or COLORS[came.index(key) % len(COLORS)]
            picture = next((picture for _, picture in facts if picture), None)
            others = tuple(name for name in each if name != first)
            found[key] = BookPerson(key, (first, *others), color, fact.is_guest, picture)
        return found


def key_of(name: str) -> str:
    """A name without differences of writing.

    >>> key_of("ＡNN ") == key_of("ann")
    True
    """
    return unicodedata.normalize("NFKC", name).casefold().strip()


def household(entries: Iterable[Row]) -> Household:
    """The household after all entries of the book's log. Facts of a newer version change nothing."""
    read = [(row[0], row[1], _fact_of(row[2], row[4]), msgspec.json.decode(row[5])) for row in entries]
    gone = {fact.entry for _, _, fact, _ in read if isinstance(fact, Retracted)}
    for seq, _, fact, _ in read:
        if seq in gone and isinstance(fact, Imported):
            gone.update(range(seq + 1, seq + 1 + fact.plays))
    imports: dict[int, tuple[float, Imported]] = {}
    told: dict[str, tuple[PersonTold, str | None]] = {}
    merged: dict[str, tuple[int, Merged]] = {}
    groups: dict[str, GroupTold] = {}
    leagues: dict[str, LeagueTold] = {}
    plays: dict[str, Play] = {}
    left_out: dict[str, bool] = {}
    for seq, at_s, fact, evidence in read:
        if seq in gone:
            continue
        match fact:
            case PersonTold():
                was = told.get(key_of(fact.name), (fact, None))[1]
                told[key_of(fact.name)] = fact, evidence[0] if evidence else was
            case Merged():
                merged.pop(key_of(fact.into), None)  # the shown name stands at the end of every way
                merged[key_of(fact.name)] = seq, fact
            case GroupTold():
                _keep(groups, fact, bool(fact.people))
            case LeagueTold():
                _keep(leagues, fact, bool(fact.points))
            case PlayTold():
                plays[fact.play.name] = msgspec.structs.replace(fact.play, has_log=False)
            case Imported():
                imports = {seq: (at_s, fact), **imports}
            case LeftOut():
                left_out[fact.play] = fact.is_out
    out = frozenset(play for play, is_out in left_out.items() if is_out)
    return Household(told, merged, groups, leagues, plays, imports, out)


def _keep(found: dict[str, Any], fact: Any, is_kept: bool) -> None:
    found.pop(fact.name, None)
    if is_kept:
        found[fact.name] = fact


def _fact_of(kind: str, body: str) -> Fact | None:
    try:
        return _FACTS.decode(msgspec.json.encode({**msgspec.json.decode(body), "kind": kind}))
    except msgspec.MsgspecError:
        return None
