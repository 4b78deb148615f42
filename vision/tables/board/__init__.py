"""Race boards: `place` and `print` (where the board lies), `markers`, `dice`, `signs`; `reader` puts them together."""
