"""Readers of calibrated tables: `eyes`, `board` race boards, `tray` dice, `rummy` cards, `rods`."""
