"""Refusals of an event, with the reason."""

from __future__ import annotations

from typing import Any

from companion.game.errors import CompanionError
from companion.game.says import Says


class EventRefused(CompanionError, ValueError):
    """Something that cannot be entered into an event as it stands; nothing was changed."""

    def __init__(self, template: str, **values: Any) -> None:
        self.says = Says(template, values)
        super().__init__(self.says)
