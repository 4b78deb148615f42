"""Dice in any photograph: `find`, then `face` and `pose` of each; `reader` puts them together."""
