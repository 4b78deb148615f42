"""Rods of Suspend: `tips` and `wires` (what shows), `choice` (which rods); `reader` puts them together."""
