"""Roles and their permissions. Entering and changing a result are separate rights; few may change earlier rounds."""

from enum import StrEnum


class Role(StrEnum):
    SPECTATOR = "spectator"
    PLAYER = "player"
    TABLE_REFEREE = "table_referee"
    HEAD_REFEREE = "head_referee"
    ORGANISER = "organiser"


class Permission(StrEnum):
    """An action on an event that a role may allow."""

    CLAIM = "claim"
    """Say how one's own table ended."""
    CALL = "call"
    COME = "come"
    ENTER = "enter"
    """A table's first result."""
    CHANGE_OWN = "change_own"
    """Another result, in the newest round, for one that this very device entered."""
    CHANGE = "change"
    """Any other change of a result, earlier rounds included."""
    PAIR = "pair"
    ENTRANTS = "entrants"
    """Entries, withdrawals, rounds sat out."""
    SETTINGS = "settings"
    DEVICES = "devices"
    AUDIT = "audit"


_PLAYER = frozenset({Permission.CLAIM, Permission.CALL})
_TABLE = frozenset({Permission.CALL, Permission.COME, Permission.ENTER, Permission.CHANGE_OWN})
_HEAD = _TABLE | {Permission.CHANGE, Permission.AUDIT, Permission.ENTRANTS}
MAY: dict[Role, frozenset[Permission]] = {
    Role.SPECTATOR: frozenset(),
    Role.PLAYER: _PLAYER,
    Role.TABLE_REFEREE: _TABLE,
    Role.HEAD_REFEREE: _HEAD,
    Role.ORGANISER: frozenset(Permission) - {Permission.CLAIM},
}
