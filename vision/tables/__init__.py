"""Readers of calibrated tables beside `vision.tables.eyes`: `board` race boards, `tray` dice, `rummy` cards, `rods`."""
