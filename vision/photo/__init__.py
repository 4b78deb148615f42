"""Readers of photographs without a calibration: `dice` and `cards`."""
