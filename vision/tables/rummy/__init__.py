"""Card tables: `cards` (each card), `melds` (which belong together); `reader` puts them together."""
