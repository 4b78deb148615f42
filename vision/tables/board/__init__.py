"""Race boards: `place` and `print` find the board, `markers`, `dice` and `signs` the pieces; `reader` puts them
together."""
