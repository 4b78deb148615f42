"""Card tables: `cards` (each card), `melds` and `context` (which belong together); `reader` puts them together."""
