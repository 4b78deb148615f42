"""Home Assistant finds the tables by itself: MQTT discovery, off unless it is asked for.

Source: Home Assistant, MQTT integration, "MQTT discovery" (a message for each entity: older versions take it too)."""

from collections.abc import Iterable
from typing import Any

import msgspec

from companion import __version__
from companion.event.hub.link import UP, Transport

PREFIX = "homeassistant"
"""Home Assistant's own default; the broker's rights name it too."""
MOST_LETTERS = 255
"""A longer state is refused by Home Assistant."""

ENTITIES: dict[str, tuple[str, str, str, str, str | None]] = {
    "online": (
        "binary_sensor", "Online", "online", "{{ 'ON' if value_json.is_online else 'OFF' }}", "connectivity",
    ),
    "phase": ("sensor", "State", "state", "{{ value_json.phase | default('idle') }}", None),
    "game": ("sensor", "Game", "state", "{{ value_json.game | default('', true) | replace('_', ' ') }}", None),
    "ruling": (
        "sensor", "Newest ruling", "state", f"{{{{ (value_json.says | default('', true))[:{MOST_LETTERS}] }}}}", None,
    ),
    "asks": (
        "binary_sensor", "A question is open", "state",
        "{{ 'ON' if value_json.asks | default('', true) else 'OFF' }}", "problem",
    ),
}  # fmt: skip
"""For each entity: its kind, its name, the table's topic, the template of its value, and the class of the device."""


class HomeAssistant:
    """Publishes to Home Assistant which tables there are; nothing is repeated on the same transport."""

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}

    def forget(self) -> None:
        """The transport is open again: everything is published again."""
        self._said.clear()

    def tell(self, transport: Transport, boxes: Iterable[str], removed: Iterable[str]) -> None:
        """Announces the present tables, and removes those that no longer exist."""
        for box, is_here in {**dict.fromkeys(removed, False), **dict.fromkeys(boxes, True)}.items():
            if self._said.get(box) is not is_here:
                said = [transport.publish(at, told if is_here else b"", is_retained=True) for at, told in configs(box)]
                if all(said):
                    self._said[box] = is_here


def configs(box: str) -> list[tuple[str, bytes]]:
    """Topic and configuration of each entity of a table."""
    return [
        (f"{PREFIX}/{kind}/companion_{box}/{entity}/config", msgspec.json.encode(_config(box, entity)))
        for entity, (kind, *_) in ENTITIES.items()
    ]


def _config(box: str, entity: str) -> dict[str, Any]:
    _, name, topic, template, device_class = ENTITIES[entity]
    told: dict[str, Any] = {
        "name": name,
        "unique_id": f"companion_{box}_{entity}",
        "object_id": f"companion_{box}_{entity}",
        "state_topic": f"{UP}/{box}/{topic}",
        "value_template": template,
        "device": {
            "identifiers": [f"companion_{box}"],
            "name": f"Table {box}",
            "manufacturer": "Tabletop Companion",
            "sw_version": __version__,
        },
        "origin": {"name": "Tabletop Companion", "sw_version": __version__},
    }
    if device_class is not None:
        told["device_class"] = device_class
    if entity != "online":
        told["availability_topic"] = f"{UP}/{box}/online"
        told["availability_template"] = "{{ 'online' if value_json.is_online else 'offline' }}"
    return told
