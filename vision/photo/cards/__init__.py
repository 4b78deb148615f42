"""Playing cards in any photograph: `find`, then `index` and `back` of each; `reader` puts them together."""
