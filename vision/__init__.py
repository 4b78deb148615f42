"""The readers, listed in `readers`.

- `frame`: from camera frames to one settled reading
- `tables`: the readers of calibrated tables
- `photo`: the readers of any photograph of dice or cards
- `measure`: what the readers share
- `sim`: the virtual table, which no reader imports
"""
