"""How the hub's tables came to be, a file a change; `companion.event.hub.store` runs what is missing."""
