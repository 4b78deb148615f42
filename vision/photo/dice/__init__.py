"""Dice in any photograph: `find`, then `face`, `pips` and `pose` of each; `reader` puts them together."""
