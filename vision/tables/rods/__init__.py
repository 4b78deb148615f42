"""Rods of Suspend: `net` and `wires` (what shows), `match` and `choice` (which rods); `reader` puts them together."""
