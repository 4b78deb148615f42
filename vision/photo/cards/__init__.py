"""Playing cards in any photograph: `find`, then `index` of each; `reader` puts them together."""
