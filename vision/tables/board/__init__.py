"""Race boards: `view` and `edges` find the board and its print, `signs`, `markers` and `dice` the pieces.

`reader` puts them together."""
