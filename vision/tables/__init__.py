"""Readers of calibrated tables beside `vision.eyes`: `board` race boards, `tray` dice, `rummy` cards, `rods`."""
