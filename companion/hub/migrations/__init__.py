"""How the hub's tables came to be, a file a change; `companion.hub.store` runs what is missing."""
