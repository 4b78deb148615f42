"""Refusals of an event, with the reason."""

from typing import Any

from companion.game.errors import CompanionError
from companion.game.says import Says


class EventRefused(CompanionError, ValueError):
    """An entry that an event refuses in its present state; nothing was changed."""

    def __init__(self, template: str, **values: Any) -> None:
        self.says = Says(template, values)
        super().__init__(self.says)
